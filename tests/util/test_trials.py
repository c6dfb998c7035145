import itertools
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.util.trials import Trial, TrialRules


def _decided(trial, seconds_of, limit=1000):
    """Makes calls until the trial is over; returns the candidates of all calls."""
    candidates = []
    while not trial.is_over:
        turn = trial.next_turn()
        candidates.append(turn.candidate)
        trial.note(turn, seconds_of(turn))
        assert len(candidates) < limit
    return candidates


@pytest.mark.parametrize("costs", [{"a": 1.0, "b": 0.5}, {"a": 0.5, "b": 1.0}, {"a": 3.0, "b": 2.0, "c": 1.0}])
def test_the_fastest_candidate_wins(costs):
    trial = Trial(list(costs))
    _decided(trial, lambda turn: costs[turn.candidate])
    assert trial.winner == min(costs, key=costs.get)
    assert trial.outcome.seconds == costs


def test_a_single_way_wins_without_a_call():
    assert Trial(["only"]).winner == "only"


def test_the_first_way_is_kept_where_another_is_faster_by_less_than_the_margin():
    costs = {"first": 1.0, "other": 0.99}
    trial = Trial(list(costs), TrialRules(margin=1.05))
    _decided(trial, lambda turn: costs[turn.candidate])
    assert trial.winner == "first"


def test_calls_that_are_not_counted_begin_each_turn():
    trial = Trial(["a", "b"], TrialRules(warm_up=1, counted=2))
    turns = []
    for _ in range(9):
        turns.append(trial.next_turn())
    assert turns == [("a", False), ("a", True), ("a", True), ("b", False), ("b", True), ("b", True)] + turns[:3]


def test_the_first_calls_of_a_turn_may_be_slow():
    costs = {"a": 1.0, "b": 0.5}
    trial = Trial(list(costs), TrialRules(long_call=1000.0))
    _decided(trial, lambda turn: costs[turn.candidate] if turn.counts else 100.0)
    assert trial.winner == "b"


def test_a_hopeless_way_gets_one_turn_only():
    costs = {"a": 0.001, "b": 0.1, "c": 0.001}
    trial = Trial(list(costs))
    candidates = _decided(trial, lambda turn: costs[turn.candidate])
    assert candidates.count("b") == 3
    assert trial.outcome.dropped == {"b": "100.0 times as slow as the best"}


def test_one_call_of_a_hopeless_way_is_enough_where_calls_are_long():
    costs = {"a": 1.0, "b": 60.0, "c": 1.1}
    trial = Trial(list(costs))
    candidates = _decided(trial, lambda turn: costs[turn.candidate])
    assert candidates.count("b") == 1 and trial.winner == "a"


def test_a_long_call_at_the_beginning_of_a_turn_is_no_fault_of_a_way_that_has_shown_better():
    costs = {"a": 1.0, "b": 0.5}
    trial = Trial(list(costs))
    counts = {"a": 0, "b": 0}

    def seconds_of(turn):
        counts[turn.candidate] += 1
        return 100.0 if counts[turn.candidate] == 4 else costs[turn.candidate]

    _decided(trial, seconds_of)
    assert trial.winner == "b"


def test_a_clear_winner_ends_the_trial_early():
    clear, close = {"a": 1e-6, "b": 2e-6}, {"a": 1e-6, "b": 1.1e-6}
    lengths = [len(_decided(Trial(["a", "b"]), lambda turn, c=costs: c[turn.candidate])) for costs in (clear, close)]
    assert lengths[0] < lengths[1]


def test_long_calls_are_measured_less_often_than_short_ones():
    lengths = [len(_decided(Trial(["a", "b"]), lambda turn, s=seconds: s)) for seconds in (1.0, 1e-6)]
    assert lengths[0] < lengths[1]


@given(
    costs=st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=4),
    noises=st.lists(st.tuples(st.integers(0, 3), st.floats(1.0, 1e6)), min_size=4, max_size=4),
)
def test_one_bad_measurement_of_each_candidate_decides_nothing(costs, noises):
    rules = TrialRules(long_call=float("inf"))
    trial = Trial(range(len(costs)), rules)
    counts = {candidate: itertools.count() for candidate in range(len(costs))}

    def seconds_of(turn):
        index, factor = noises[turn.candidate]
        is_noisy = not turn.counts or next(counts[turn.candidate]) == index
        return costs[turn.candidate] * (factor if is_noisy else 1.0)

    _decided(trial, seconds_of)
    assert costs[trial.winner] <= min(costs) * rules.margin


@given(st.lists(st.floats(0.0, 10.0), min_size=2, max_size=4), st.randoms())
def test_every_trial_ends_whatever_the_clock_says(costs, random):
    trial = Trial(range(len(costs)))
    _decided(trial, lambda turn: random.choice(costs))
    assert trial.winner in range(len(costs))


def test_a_dropped_way_gets_no_turn_and_its_reason_is_kept():
    trial = Trial(["a", "b", "c"])
    trial.drop("b", "does not compile")
    assert "b" not in _decided(trial, lambda turn: 1.0)
    assert trial.outcome.dropped == {"b": "does not compile"}


def test_the_last_way_that_is_left_wins():
    trial = Trial(["a", "b"])
    trial.drop("a", "gone")
    assert trial.winner == "b"


def test_a_trial_whose_ways_were_all_dropped_says_why():
    trial = Trial(["a", "b"])
    trial.drop("a", "broken")
    trial.drop("b", "absent")
    assert trial.is_over
    with pytest.raises(LookupError, match="'a': 'broken', 'b': 'absent'"):
        trial.next_turn()


@given(st.permutations(range(4)), st.integers(0, 12))
def test_the_turns_go_on_in_order_after_a_way_was_dropped(order, calls_before):
    trial = Trial(range(4))
    for _ in range(calls_before):
        trial.next_turn()
    dropped = order[0]
    trial.drop(dropped, "gone")
    candidates = [trial.next_turn().candidate for _ in range(9)]
    following = [candidate for candidate, _ in itertools.groupby(candidates)]
    left = [candidate for candidate in range(4) if candidate != dropped]
    assert all(left[(left.index(a) + 1) % 3] == b for a, b in itertools.pairwise(following))


def test_a_call_that_ends_after_the_trial_changes_nothing():
    trial = Trial(["a", "b"])
    late = [trial.next_turn() for _ in range(2)][-1]
    trial.drop("b", "gone")
    trial.note(late, 5.0)
    assert trial.winner == "a" and not trial.outcome.seconds


def test_run_times_the_calls_with_the_clock_it_is_given():
    now = itertools.count()
    times = {"slow": 7, "fast": 2}

    def make_run(name):
        def run(x):
            for _ in range(times[name]):
                next(now)
            return name, x

        return run

    trial = Trial(["slow", "fast"], clock=lambda: next(now))
    results = [trial.run({name: make_run(name) for name in times}, 5) for _ in range(40)]
    assert trial.winner == "fast"
    assert set(results) == {("slow", 5), ("fast", 5)} and results[-1] == ("fast", 5)


def test_an_error_of_a_call_is_raised_and_counts_for_nothing():
    trial = Trial(["a", "b"])

    def run():
        raise KeyError("mine")

    for _ in range(10):
        with pytest.raises(KeyError, match="mine"):
            trial.run({"a": run, "b": run})
    assert not trial.outcome.seconds and not trial.is_over


def test_threads_share_a_trial():
    costs = {"a": 2.0, "b": 1.0}
    trial = Trial(list(costs))
    threads = [threading.Thread(target=_decided, args=(trial, lambda turn: costs[turn.candidate])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert trial.winner == "b"

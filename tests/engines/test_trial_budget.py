"""The ledger of a shape specialization: what was spent, lost and invested decides when a candidate is compiled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from millrace._src.engines.trial_budget import MAX_LOST_SHARE, TrialBudget

SECONDS = st.floats(0.0, 100.0)


def test_a_candidate_waits_until_calls_took_what_it_costs() -> None:
    budget = TrialBudget()
    budget.note_usual(3.0)
    assert budget.seconds_until(10.0) == 7.0
    budget.note_usual(7.0)
    assert budget.seconds_until(10.0) == 0.0


def test_what_was_invested_counts() -> None:
    budget = TrialBudget(spent=25.0)
    budget.note_compiled(20.0)
    assert budget.seconds_until(10.0) == 5.0


def test_only_what_a_call_takes_longer_than_usual_is_lost() -> None:
    budget = TrialBudget()
    budget.note_usual(1.0)
    budget.note_usual(3.0)
    for seconds in (1.0, 2.0, 5.0):
        budget.note_disturbed(seconds)
    assert (budget.spent, budget.lost) == (12.0, 3.0)


def test_nothing_is_lost_before_it_is_known_what_is_usual() -> None:
    budget = TrialBudget()
    budget.note_disturbed(5.0)
    assert budget.lost == 0.0


def test_where_libraries_compute_calls_must_take_five_times_as_long() -> None:
    assert TrialBudget(spent=10.0, library_share=0.4).seconds_until(10.0) == 0.0
    assert TrialBudget(spent=10.0, library_share=0.6).seconds_until(10.0) == 40.0


@given(st.lists(st.tuples(st.booleans(), SECONDS), min_size=1), SECONDS, SECONDS)
def test_no_candidate_begins_while_more_than_a_tenth_is_lost(
    calls: list[tuple[bool, float]], invested: float, cost: float
) -> None:
    budget = TrialBudget(invested=invested)
    for is_usual, seconds in calls:
        (budget.note_usual if is_usual else budget.note_disturbed)(seconds)
    if budget.seconds_until(cost) == 0.0:
        assert budget.lost <= MAX_LOST_SHARE * budget.spent + 1e-9
        assert budget.invested + cost <= budget.spent + 1e-9

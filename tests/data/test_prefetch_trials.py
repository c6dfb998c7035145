"""Trials, with a clock that the tests turn."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from millrace._src.data import prefetch_trials
from millrace._src.data.prefetch_trials import AheadTrial, TrialRecord


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(prefetch_trials, "perf_counter", clock)
    return clock


def work(
    trial: AheadTrial, clock: Clock, calls: int, seconds: Callable[[AheadTrial], float], between: float = 0.0
) -> None:
    for _ in range(calls):
        trial.start()
        clock.now += seconds(trial)
        trial.stop(1)
        clock.now += between


def test_cheap_elements_are_made_inline_in_ever_larger_blocks(clock: Clock) -> None:
    trial = AheadTrial(4)
    work(trial, clock, 100, lambda trial: 1e-5)
    assert not trial.is_ahead
    assert trial.inline_limit > 1000


def test_slow_elements_are_made_ahead_for_good_if_that_takes_less_time(clock: Clock) -> None:
    trial = AheadTrial(4)
    work(trial, clock, 100, lambda trial: 1e-3 if trial.is_ahead else 4e-3)
    assert trial.is_ahead
    work(trial, clock, 100, lambda trial: 9e-3)
    assert trial.is_ahead


def test_slow_elements_are_made_inline_where_threads_gain_nothing(clock: Clock) -> None:
    trial = AheadTrial(4)
    ahead = 0
    for _ in range(1000):
        ahead += trial.is_ahead
        work(trial, clock, 1, lambda trial: 4.1e-3 if trial.is_ahead else 4e-3)
    assert 0 < ahead < 200


def test_a_hiccup_does_not_decide(clock: Clock) -> None:
    trial = AheadTrial(4)
    work(trial, clock, 4, lambda trial: 4e-3)
    assert trial.is_ahead
    work(trial, clock, 17, lambda trial: 9e-3)
    assert trial.is_ahead
    work(trial, clock, 17, lambda trial: 1e-3)
    assert trial.is_ahead
    work(trial, clock, 100, lambda trial: 9e-3)
    assert trial.is_ahead


def test_the_first_element_does_not_count(clock: Clock) -> None:
    trial = AheadTrial(4)
    work(trial, clock, 1, lambda trial: 1.0)
    work(trial, clock, 3, lambda trial: 1e-3)
    assert trial.is_ahead
    work(trial, clock, 30, lambda trial: 2e-3)
    assert not trial.is_ahead


def test_a_prefetch_waits_for_a_consumer_that_leaves_time(clock: Clock) -> None:
    trial = AheadTrial(2, needs_idle_consumer=True)
    work(trial, clock, 100, lambda trial: 1e-3)
    assert not trial.is_ahead
    work(trial, clock, 2000, lambda trial: 1e-6 if trial.is_ahead else 1e-3, between=1e-3)
    assert trial.is_ahead


def test_a_long_inline_call_makes_the_next_ones_shorter(clock: Clock) -> None:
    trial = AheadTrial(4)
    work(trial, clock, 5, lambda trial: 1e-5)
    trial.start()
    clock.now += 1.0
    trial.stop(256)
    assert trial.inline_limit == 128


def test_quick_elements_whose_first_ones_were_slow_are_timed_again_before_they_stay_ahead(clock: Clock) -> None:
    trial = AheadTrial(4, looks_again=True)
    work(trial, clock, 4, lambda trial: 8e-4)
    assert trial.is_ahead
    work(trial, clock, 17, lambda trial: 5e-4)
    assert not trial.is_ahead, "half the time of the first elements"
    work(trial, clock, 5, lambda trial: 4e-4)
    assert not trial.is_ahead, "inline they take less time by now"
    assert trial.rests
    work(trial, clock, 100, lambda trial: 4e-4)
    assert not trial.is_ahead


def test_quick_elements_stay_ahead_if_that_wins_twice(clock: Clock) -> None:
    trial = AheadTrial(4, looks_again=True)
    work(trial, clock, 40, lambda trial: 2e-4 if trial.is_ahead else 8e-4)
    assert trial.is_ahead
    work(trial, clock, 100, lambda trial: 9e-3)
    assert trial.is_ahead, "for good"


def test_threads_that_have_lost_in_a_pass_are_not_tried_at_the_beginning_of_the_next(clock: Clock) -> None:
    record = TrialRecord()
    trial = AheadTrial(4, record=record)
    assert not trial.rests
    work(trial, clock, 60, lambda trial: 4e-4)
    assert trial.rests
    later = AheadTrial(4, record=record)
    assert later.rests
    work(later, clock, 1000, lambda trial: 4e-4)
    assert later.rests
    while not later.is_ahead:  # until the pause is over
        work(later, clock, 1, lambda trial: 4e-4)
    assert 0.45 < clock.now < 0.6
    work(later, clock, 60, lambda trial: 4e-4)
    clock.now += 0.9
    assert AheadTrial(4, record=record).rests, "the next pause is longer"
    clock.now += 1.0
    assert not AheadTrial(4, record=record).rests

"""Times of events that lie in each other, and memory over time."""

from __future__ import annotations

from millrace._src.explain.events import Allocation, Event, Profile, Subject, self_times

OP = Subject("op", "Tanh", "Tanh")


def event(start: int, end: int, thread: int = 1) -> Event:
    return Event(start, end, thread, OP)


def own_times(*events: Event) -> dict[tuple[int, int], int]:
    return {(e.start, e.thread): own for e, own in self_times(events)}


def test_the_own_time_of_an_event_leaves_out_what_runs_inside() -> None:
    times = own_times(event(1, 3), event(0, 10), event(4, 8), event(5, 6))
    assert times == {(0, 1): 10 - 2 - 4, (1, 1): 2, (4, 1): 4 - 1, (5, 1): 1}


def test_events_of_other_threads_do_not_count_as_inside() -> None:
    assert own_times(event(0, 10), event(1, 3, thread=2)) == {(0, 1): 10, (1, 2): 2}


def test_events_that_touch_do_not_lie_in_each_other() -> None:
    assert own_times(event(0, 5), event(5, 7)) == {(0, 1): 5, (5, 1): 2}


def test_memory_is_the_sum_of_what_is_alive() -> None:
    first, second = Allocation(1, 5, 100, event(0, 1)), Allocation(2, None, 50, event(1, 2))
    profile = Profile(0, 10, 0, [], [first, second])
    assert profile.memory() == [(1, 100), (2, 150), (5, 50)]
    assert profile.memory_peak() == (2, 150)
    assert profile.alive_at(2) == [first, second]
    assert profile.alive_at(6) == [second]


def test_a_profile_without_allocations_has_its_peak_at_the_start() -> None:
    assert Profile(3, 10, 0, []).memory_peak() == (3, 0)

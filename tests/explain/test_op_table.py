"""The tables of a profile."""

from __future__ import annotations

from millrace._src.explain.events import Allocation, Event, Profile, Subject
from millrace._src.explain.op_table import duration_text, profile_text, rows_as_data, rows_of, shorten, time_split

MATMUL = Subject("op", "MatMul", "dense/MatMul")
FUNCTION = Subject("function", "function", "step")


def profile() -> Profile:
    """Returns a profile of two calls of a function with one op."""
    events = [
        Event(100, 400, 1, MATMUL, size=2048),
        Event(0, 500, 1, FUNCTION),
        Event(600, 800, 1, MATMUL, size=2048),
        Event(550, 900, 1, FUNCTION),
    ]
    return Profile(0, 1000, 0, events, [Allocation(400, None, 2048, events[0])], resident_peak=1 << 20)


def test_rows_add_up_the_calls_of_an_op_on_a_line() -> None:
    matmul, function = rows_of(profile())
    assert (matmul.op, matmul.calls, matmul.own, matmul.size) == ("MatMul", 2, 500, 4096)
    assert (function.op, function.where, function.calls, function.own) == ("function", "step", 2, 350)


def test_rows_may_be_made_by_another_key() -> None:
    (row,) = rows_of(profile(), key=lambda event: "all")
    assert (row.calls, row.own) == (4, 850)


def test_the_time_is_divided_by_what_did_the_work() -> None:
    split = time_split(profile(), rows_of(profile()))
    assert split["kernels"] == 500
    assert split["programs around kernels"] == 350
    assert split["Python and dispatch"] == 150


def test_the_text_has_the_ops_and_the_memory() -> None:
    text = profile_text(profile())
    assert text.startswith("1 us in all, 4 events\n")
    assert "MatMul" in text
    assert "50.0%  kernels" in text
    assert "Most memory of results at once: 2.0 KiB" in text
    assert "Most memory of the process since its start: 1.0 MiB" in text


def test_the_text_says_how_many_rows_are_left_out() -> None:
    assert "... and 1 more" in profile_text(profile(), most_rows=1)


def test_a_profile_of_nothing_says_so() -> None:
    assert "No op ran." in profile_text(Profile(0, 10, 0, [], dropped=3))
    assert "(3 more did not fit)" in profile_text(Profile(0, 10, 0, [], dropped=3))


def test_rows_are_data_too() -> None:
    (row, _) = rows_as_data(rows_of(profile()))
    assert row["own_ns"] == 500
    assert row["line"] == "dense/MatMul"


def test_durations_have_a_unit_of_their_size() -> None:
    assert [duration_text(n) for n in (7, 1500, 12_300_000, 2_000_000_000)] == ["7 ns", "1.5 us", "12.3 ms", "2 s"]
    assert duration_text(5_000_000_000_000) == "5000 s"


def test_long_lines_are_shortened() -> None:
    assert shorten("abcdefgh", 6) == "abc..."
    assert shorten("abc", 6) == "abc"

"""Files that appear whole: at each moment at which a process may be killed, or the power lost."""

from __future__ import annotations

import errno

import pytest

import millrace as tf
from millrace._src.ops.io.whole_writes import atomic_write
from tests.crashes.simulated_disk import (
    Event,
    SimulatedDisk,
    failure,
    registered_disk,
    states_if_killed,
    states_without_power,
)

disk = pytest.fixture(registered_disk)


def _write(text: bytes) -> None:
    with atomic_write("disk://folder/a") as file:
        file.write(text[:3])
        file.write(text[3:])


@pytest.fixture
def overwriting(disk: SimulatedDisk) -> SimulatedDisk:
    """Gives a disk on which a new text has replaced an old one."""
    disk.make_directory("folder")
    _write(b"old text")
    start = disk.state.copy()
    disk.events.clear()
    _write(b"the new text")
    events = disk.events
    disk.restart(start)
    disk.events = events
    return disk


def test_at_each_moment_the_old_or_the_new_text_is_there(overwriting: SimulatedDisk) -> None:
    contents = [state.files()["folder/a"] for _, state in states_if_killed(overwriting.state, overwriting.events)]
    assert set(contents) == {b"old text", b"the new text"} and len(contents) > 15
    assert contents == sorted(contents)  # first the old one, then the new one


def test_also_when_the_power_is_lost(overwriting: SimulatedDisk) -> None:
    states = list(states_without_power(overwriting.state, overwriting.events))
    assert {state.files()["folder/a"] for _, state in states} == {b"old text", b"the new text"}


def test_what_was_written_outlasts_a_loss_of_power(overwriting: SimulatedDisk) -> None:
    final_states = [
        state
        for label, state in states_without_power(overwriting.state, overwriting.events)
        if label.startswith(f"after {len(overwriting.events)}")
    ]
    assert all(state.files()["folder/a"] == b"the new text" for state in final_states)


def test_what_a_dead_process_left_is_removed_by_the_next_writer(overwriting: SimulatedDisk) -> None:
    for label, state in list(states_if_killed(overwriting.state, overwriting.events)):
        overwriting.restart(state)
        _write(b"the newest text")
        assert overwriting.state.files() == {"folder/a": b"the newest text"}, label


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_an_error_at_any_moment_leaves_the_old_text_and_nothing_else(code: int, overwriting: SimulatedDisk) -> None:
    start, count = overwriting.state, len(overwriting.events)
    for last in range(count - 1):
        overwriting.restart(start)

        def refuse(event: Event, last: int = last) -> None:
            if len(overwriting.events) >= last and event.kind != "remove":
                raise failure(code, event.path)

        overwriting.refuse = refuse
        with pytest.raises(tf.errors.OpError, match=r"^disk://folder/a; "):
            _write(b"the new text")
        overwriting.refuse = lambda event: None
        assert overwriting.state.files() == {"folder/a": b"old text"}, last

"""The simulated disk finds the mistakes that it is there to find."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import file_system_of
from tests.crashes.simulated_disk import SimulatedDisk, State, registered_disk, states_if_killed, states_without_power

disk = pytest.fixture(registered_disk)


def _write(path: str, data: bytes, *, synced: bool = False) -> None:
    files, path_there = file_system_of(path)
    with files.open(path_there, "w") as file:
        write_all(file, data)
        if synced:
            files.sync(file)


def _states(
    disk: SimulatedDisk, program: Callable[[], None], states: Callable[..., Iterator[tuple[str, State]]]
) -> list[dict[str, bytes]]:
    _write("disk://old", b"old!", synced=True)
    start = disk.state.copy()
    disk.events.clear()
    program()
    return [state.files() for _, state in states(start, disk.events)]


def test_a_file_that_is_written_in_place_is_torn(disk: SimulatedDisk) -> None:
    contents = [files["old"] for files in _states(disk, lambda: _write("disk://old", b"new!"), states_if_killed)]
    assert contents == [b"old!", b"", b"n", b"ne", b"new", b"new!"]


def _rename(synced: bool) -> None:
    _write("disk://beside", b"new!", synced=synced)
    files, _ = file_system_of("disk://")
    files.rename("beside", "old")


def test_a_file_that_is_renamed_is_old_or_new_when_the_process_is_killed(disk: SimulatedDisk) -> None:
    contents = [files["old"] for files in _states(disk, lambda: _rename(False), states_if_killed)]
    assert set(contents) == {b"old!", b"new!"} and contents[-1] == b"new!"


def test_without_power_a_renamed_file_is_torn_unless_it_was_synced(disk: SimulatedDisk) -> None:
    contents = {files["old"] for files in _states(disk, lambda: _rename(False), states_without_power)}
    assert contents == {b"old!", b"", b"ne", b"new!"}


def test_without_power_a_synced_file_is_old_or_new(disk: SimulatedDisk) -> None:
    contents = {files["old"] for files in _states(disk, lambda: _rename(True), states_without_power)}
    assert contents == {b"old!", b"new!"}


def test_without_power_names_change_in_any_order(disk: SimulatedDisk) -> None:
    def program() -> None:
        _write("disk://a", b"", synced=True)
        _write("disk://b", b"", synced=True)

    names = {frozenset(files) - {"old"} for files in _states(disk, program, states_without_power)}
    assert names == {frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")}


def test_without_power_synced_names_stay(disk: SimulatedDisk) -> None:
    def program() -> None:
        _write("disk://a", b"", synced=True)
        disk.sync_directory("")
        _write("disk://b", b"", synced=True)

    names = [frozenset(files) - {"old"} for files in _states(disk, program, states_without_power)]
    assert frozenset("b") not in names and frozenset("ab") in names


def test_without_power_what_is_in_a_lost_folder_is_lost(disk: SimulatedDisk) -> None:
    def program() -> None:
        disk.make_directory("folder")
        _write("disk://folder/a", b"", synced=True)
        disk.sync_directory("folder")

    names = {frozenset(files) - {"old"} for files in _states(disk, program, states_without_power)}
    assert names == {frozenset(), frozenset({"folder/a"})}


def test_a_folder_takes_its_files_along(disk: SimulatedDisk) -> None:
    def program() -> None:
        disk.make_directory("folder")
        _write("disk://folder/a", b"x", synced=True)
        disk.rename("folder", "moved")

    assert _states(disk, program, states_if_killed)[-1] == {"old": b"old!", "moved/a": b"x"}


def test_a_restarted_disk_has_no_claimed_files(disk: SimulatedDisk) -> None:
    file = disk.open("a", "x")
    assert disk.claim(file) and not disk.remove_abandoned("a")
    disk.restart(disk.state)
    assert disk.remove_abandoned("a") and disk.state.files() == {}

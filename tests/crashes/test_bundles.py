"""Checkpoint files: at each moment of writing and overwriting, the old or the new checkpoint is whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.bundle_merging import merge_bundles
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.crashes.simulated_disk import SimulatedDisk, registered_disk, run_and_crash

disk = pytest.fixture(registered_disk)

_PREFIX = "disk://folder/model"
_OLD: dict[str, Any] = {"a": np.arange(3.0), "b": np.array([b"x", b"text"], object)}
_NEW: dict[str, Any] = {"a": np.arange(5), "b": np.array([b"other"], object), "c": np.float32(7)}
_NEWEST: dict[str, Any] = {"a": np.int8(3)}


def _write(values: dict[str, Any], shard_count: int = 1, prefix: str = _PREFIX) -> None:
    with BundleWriter(prefix, shard_count) as writer:
        for number, (key, value) in enumerate(values.items()):
            writer.add(key, value, shard=number % shard_count)


def _read(prefix: str = _PREFIX) -> dict[str, Any] | None:
    try:
        reader = BundleReader(prefix)
    except tf.errors.NotFoundError:
        return None
    with reader:
        return dict(zip(reader.keys(), map(reader.read, reader.keys())))


def _is(found: dict[str, Any] | None, expected: dict[str, Any]) -> bool:
    return (
        found is not None
        and found.keys() == expected.keys()
        and all(np.array_equal(found[key], expected[key]) for key in found)
    )


def _check_next_save(disk: SimulatedDisk, shard_count: int = 1) -> None:
    """Checks that the next save ends well, and leaves nothing but its own files."""
    _write(_NEWEST, shard_count)
    assert _is(_read(), _NEWEST)
    data_files = {f"folder/model.data-{shard:05d}-of-{shard_count:05d}" for shard in range(shard_count)}
    assert set(disk.state.files()) == {"folder/model.index", *data_files}


@pytest.mark.parametrize("shard_count", [1, 2])
def test_a_new_checkpoint_is_there_or_not(shard_count: int, disk: SimulatedDisk) -> None:
    disk.make_directory("folder")

    def check(is_end: bool) -> None:
        found = _read()
        assert _is(found, _NEW) if is_end else found is None or _is(found, _NEW)
        _check_next_save(disk)

    assert run_and_crash(disk, lambda: _write(_NEW, shard_count), check, power=False) > 100


@pytest.mark.parametrize(("old_count", "new_count"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_an_overwritten_checkpoint_is_the_old_or_the_new(old_count: int, new_count: int, disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    _write(_OLD, old_count)

    def check(is_end: bool) -> None:
        found = _read()
        assert _is(found, _NEW) or (_is(found, _OLD) and not is_end)
        _check_next_save(disk)

    assert run_and_crash(disk, lambda: _write(_NEW, new_count), check) > 100


def test_a_crash_while_a_crash_is_repaired_loses_nothing(disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    _write(_OLD, 2)
    start = disk.state.copy()
    second_crashes = 0

    def check_repair(is_end: bool) -> None:
        nonlocal second_crashes
        found = _read()
        assert _is(found, _NEW) or _is(found, _OLD)

        def check(is_end: bool) -> None:
            found_after = _read()
            assert _is(found_after, _NEWEST) or (_is(found_after, found or {}) and not is_end)

        second_crashes += run_and_crash(disk, lambda: _write(_NEWEST), check, byte_step=1000)

    disk.restart(start)
    run_and_crash(disk, lambda: _write(_NEW, 1), check_repair, byte_step=1000)
    assert second_crashes > 200


def test_merging_loses_neither_the_parts_nor_the_whole(disk: SimulatedDisk) -> None:
    parts = ["disk://folder/parts/one", "disk://folder/parts/two"]
    disk.make_directories("folder/parts")
    _write({"a": _NEW["a"]}, prefix=parts[0])
    _write({"b": _NEW["b"], "c": _NEW["c"]}, prefix=parts[1])

    def check(is_end: bool) -> None:
        found = _read()
        assert _is(found, _NEW) if is_end else found is None or _is(found, _NEW)

    run_and_crash(disk, lambda: merge_bundles(parts, _PREFIX), check, power=False)


def test_merging_into_an_old_checkpoint_leaves_the_old_or_the_new(disk: SimulatedDisk) -> None:
    parts = ["disk://folder/parts/one", "disk://folder/parts/two"]
    disk.make_directories("folder/parts")
    _write(_OLD)
    _write({"a": _NEW["a"]}, prefix=parts[0])
    _write({"b": _NEW["b"], "c": _NEW["c"]}, prefix=parts[1])

    def check(is_end: bool) -> None:
        found = _read()
        assert _is(found, _NEW) or (_is(found, _OLD) and not is_end)
        _check_next_save(disk) if not disk.exists("folder/parts") else None

    run_and_crash(disk, lambda: merge_bundles(parts, _PREFIX), check)

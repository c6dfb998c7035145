"""Record files and what datasets write: what a crash cuts off is seen, and what stands before is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import millrace as tf
from tests.crashes.simulated_disk import SimulatedDisk, registered_disk, run_and_crash, states_if_killed

disk = pytest.fixture(registered_disk)

_PATH = "disk://folder/records"
_RECORDS = [bytes([65 + number]) * (number % 7) for number in range(30)]


def _write(compression: str, flushed_count: int = 0) -> None:
    with tf.io.TFRecordWriter(_PATH, compression) as writer:
        for number, record in enumerate(_RECORDS):
            writer.write(record)
            if number + 1 == flushed_count:
                writer.flush()


def _read(compression: str) -> tuple[list[bytes], bool]:
    """Returns the records that can be read, and whether the file says that it ends too early."""
    found = []
    try:
        for record in tf.compat.v1.io.tf_record_iterator(_PATH, tf.io.TFRecordOptions(compression)):
            found.append(record)
    except tf.errors.DataLossError:
        return found, True
    return found, False


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_before_the_cut_are_read(compression: str, disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    counts = set()

    def check(is_end: bool) -> None:
        if not disk.exists("folder/records") or not disk.size("folder/records"):
            return
        records, is_cut = _read(compression)
        assert records == _RECORDS[: len(records)]
        assert not is_end or (len(records) == len(_RECORDS) and not is_cut)
        counts.add(len(records))

    assert run_and_crash(disk, lambda: _write(compression, 17), check) > 50
    assert max(counts) == len(_RECORDS) and len(counts) > 2


def test_a_cut_within_a_record_is_a_loss_of_data(disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    start = disk.state.copy()
    _write("")
    ends = [sum(len(record) + 16 for record in _RECORDS[:count]) for count in range(len(_RECORDS) + 1)]
    # As in TensorFlow, fewer bytes than the header of a record are not a record.
    silent_sizes = {end + rest for end in ends for rest in range(12)}
    for _, state in list(states_if_killed(start, disk.events))[2:]:
        disk.restart(state)
        assert _read("")[1] == (disk.size("folder/records") not in silent_sizes)


def test_what_was_flushed_outlasts_the_process(disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    writer = tf.io.TFRecordWriter(_PATH)
    writer.write(b"one")
    writer.flush()
    writer.write(b"two")
    disk.restart(disk.state)  # the process is gone
    assert _read("") == ([b"one"], False)


def _finished(dataset: tf.data.Dataset) -> list[int]:
    return [int(number) for number in dataset.as_numpy_iterator()]


@pytest.mark.parametrize(
    "write",
    [
        lambda: tf.data.Dataset.range(40).save("disk://folder/saved"),
        lambda: _finished(tf.data.Dataset.range(40).cache("disk://folder/cache")),
        lambda: _finished(tf.data.Dataset.range(40).snapshot("disk://folder/snapshot")),
    ],
    ids=["saved", "cached", "snapshot"],
)
def test_datasets_on_disk_are_whole_or_not_there(write: Callable[[], object], disk: SimulatedDisk) -> None:
    disk.make_directory("folder")

    def check(is_end: bool) -> None:
        entries = set(disk.list_directory("folder"))
        if "saved" in entries:
            try:
                assert _finished(tf.data.Dataset.load("disk://folder/saved")) == list(range(40))
            except (tf.errors.NotFoundError, tf.errors.DataLossError):
                assert not is_end
        if "snapshot" in entries:
            assert _finished(tf.data.Dataset.range(40).snapshot("disk://folder/snapshot")) == list(range(40))
        if any(entry.endswith(".index") for entry in entries):
            assert _finished(tf.data.Dataset.range(40).cache("disk://folder/cache")) == list(range(40))

    assert run_and_crash(disk, write, check, byte_step=40, power=False) > 10

"""Readers: records of the files that a queue names, whatever the files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from millrace._src.core import errors
from millrace._src.core.dtypes import int32, string
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.readers import FileReader, FixedRecords, Lines, file_name_itself, whole_file
from millrace._src.ops.queue.queues import FirstInFirstOut, Queue


def _queue(*names: Any, dtype: Any = string) -> Queue:
    queue = Queue("FIFOQueue", [dtype], [TensorShape([])], -1, FirstInFirstOut())
    kind = object if dtype is string else np.int32
    queue.enqueue([[np.array(name, kind)] for name in names])
    queue.close(False)
    return queue


def _names(folder: Path, **contents: bytes) -> list[bytes]:
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [bytes(folder / name) for name in contents]


def test_a_reader_goes_from_file_to_file(tmp_path: Path) -> None:
    names = _names(tmp_path, a=b"x\ny\n", b=b"z")
    queue, reader = _queue(*names), FileReader("TextLineReader", lambda name: Lines(name, 0))
    records = [reader.read(queue) for _ in range(3)]
    assert records == [(names[0] + b":1", b"x"), (names[0] + b":2", b"y"), (names[1] + b":1", b"z")]
    assert (reader.num_records_produced, reader.num_work_units_completed) == (3, 1)
    with pytest.raises(errors.OutOfRangeError):
        reader.read(queue)
    assert reader.num_work_units_completed == 2


def test_many_records_are_those_of_one_file(tmp_path: Path) -> None:
    names = _names(tmp_path, a=b"x\ny\nz\n", b=b"u\n")
    queue, reader = _queue(*names), FileReader("TextLineReader", lambda name: Lines(name, 1))
    assert [value for _, value in reader.read_up_to(queue, 5)] == [b"y", b"z"]
    assert reader.read_up_to(queue, 0) == []


def test_a_file_longer_than_the_blocks_read_at_a_time(tmp_path: Path) -> None:
    content = np.arange(300_000, dtype=np.uint16).tobytes()
    (name,) = _names(tmp_path, a=b"head" + content + b"tail")
    source, found = FixedRecords(name, 1000, header_bytes=4, footer_bytes=4), []
    while (record := source.next_record()) is not None:
        found.append(record[1])
    source.close()
    assert b"".join(found) == content


def test_an_empty_file_is_passed_over(tmp_path: Path) -> None:
    names = _names(tmp_path, a=b"", b=b"z")
    reader = FileReader("TextLineReader", lambda name: Lines(name, 0))
    assert reader.read(_queue(*names))[1] == b"z"


def test_the_state_of_a_reader_of_single_records() -> None:
    queue, reader = _queue(b"p", b"q"), FileReader("IdentityReader", file_name_itself, serializes=True)
    assert reader.serialized_state() == b""
    assert reader.read(queue) == (b"p", b"p")
    state = reader.serialized_state()
    reader.reset()
    assert reader.num_records_produced == 0
    reader.restore_state(state)
    assert (reader.num_records_produced, reader.num_work_units_completed) == (1, 1)
    for bad in (b"bad", b"\x08\x01\x10\x02"):
        with pytest.raises(errors.InvalidArgumentError, match="Could not parse state for IdentityReader"):
            reader.restore_state(bad)


def test_readers_of_many_records_save_no_state() -> None:
    reader = FileReader("TextLineReader", lambda name: Lines(name, 0))
    with pytest.raises(errors.UnimplementedError, match="Reader SerializeState"):
        reader.serialized_state()
    with pytest.raises(errors.UnimplementedError, match="Reader RestoreState"):
        reader.restore_state(b"")


def test_a_missing_file_is_told_and_passed_over(tmp_path: Path) -> None:
    (name,) = _names(tmp_path, a=b"content")
    queue, reader = _queue(bytes(tmp_path / "none"), name), FileReader("WholeFileReader", whole_file, serializes=True)
    with pytest.raises(errors.NotFoundError, match="none; No such file"):
        reader.read(queue)


def test_a_queue_of_numbers_is_refused() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Expected queue with single string component"):
        FileReader("IdentityReader", file_name_itself).read(_queue(1, dtype=int32))

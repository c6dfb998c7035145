"""The ops on readers: handles, shapes, order in functions, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops


def _queue(*names: str) -> Any:
    queue = tf.queue.FIFOQueue(10, [tf.string], shapes=[[]])
    queue.enqueue_many([list(names)])
    queue.close()
    return queue


def test_records_are_read_in_a_function(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\ny\nz\n")
    queue, reader = _queue(str(tmp_path / "a")), raw.TextLineReaderV2(skip_header_lines=1)

    @tf.function
    def read() -> Any:
        key, value = raw.ReaderReadV2(reader_handle=reader, queue_handle=queue.queue_ref)
        return key, value, raw.ReaderNumRecordsProducedV2(reader_handle=reader)

    assert [part.numpy() for part in read()][1:] == [b"y", 1]
    assert [part.numpy() for part in read()][1:] == [b"z", 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        read()
    assert raw.ReaderNumWorkUnitsCompletedV2(reader_handle=reader).numpy() == 1


def test_shapes_in_a_graph() -> None:
    with tf.Graph().as_default():
        handles = {
            "reader_handle": raw.IdentityReaderV2(),
            "queue_handle": raw.FIFOQueueV2(component_types=[tf.string]),
        }
        one = raw.ReaderReadV2(**handles)
        many = raw.ReaderReadUpToV2(**handles, num_records=3)
    assert [tensor.shape.as_list() for tensor in (*one, *many)] == [[], [], [None], [None]]


def test_states_and_resets() -> None:
    queue, reader = _queue("p", "q"), raw.IdentityReaderV2()
    handles = {"reader_handle": reader, "queue_handle": queue.queue_ref}
    raw.ReaderReadV2(**handles)
    state = raw.ReaderSerializeStateV2(reader_handle=reader)
    raw.ReaderResetV2(reader_handle=reader)
    assert raw.ReaderNumRecordsProducedV2(reader_handle=reader).numpy() == 0
    raw.ReaderRestoreStateV2(reader_handle=reader, state=state)
    assert raw.ReaderNumRecordsProducedV2(reader_handle=reader).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reader state must be scalar"):
        raw.ReaderRestoreStateV2(reader_handle=reader, state=[state])


@pytest.mark.parametrize("name", ["header_bytes", "record_bytes", "footer_bytes", "hop_bytes"])
def test_negative_sizes_are_refused(name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{name} must be >= 0 not -3"):
        raw.FixedLengthRecordReaderV2(**{"record_bytes": 1, name: -3})


def test_records_of_no_bytes_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="record_bytes must be > 0"):
        raw.FixedLengthRecordReaderV2(record_bytes=0)


def test_another_handle_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="you are trying to access the resource as a reader"):
        raw.ReaderResetV2(reader_handle=_queue("a").queue_ref)


def test_whole_files_and_records(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "r"), "GZIP") as writer:
        writer.write(b"one")
    (tmp_path / "whole").write_bytes(b"\0content")
    whole = raw.ReaderReadV2(
        reader_handle=raw.WholeFileReaderV2(), queue_handle=_queue(str(tmp_path / "whole")).queue_ref
    )
    record = raw.ReaderReadV2(
        reader_handle=raw.TFRecordReaderV2(compression_type="GZIP"), queue_handle=_queue(str(tmp_path / "r")).queue_ref
    )
    assert (whole.value.numpy(), record.value.numpy()) == (b"\0content", b"one")

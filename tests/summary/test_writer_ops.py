"""The ops on writers: resources, files, events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

raw = tf.raw_ops


def _writer(folder: Path, **options: Any) -> Any:
    writer = raw.SummaryWriter(**options)
    raw.CreateSummaryFileWriter(
        writer=writer, logdir=str(folder), max_queue=10, flush_millis=1000, filename_suffix=".v2"
    )
    return writer


def _values(folder: Path) -> list[Any]:
    (path,) = folder.iterdir()
    records = tf.compat.v1.io.tf_record_iterator(str(path))
    return [value for record in records for value in tf.compat.v1.Event.FromString(record).summary.value]


def test_a_writer_has_no_file_until_one_is_opened() -> None:
    writer = raw.SummaryWriter()
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        raw.FlushSummaryWriter(writer=writer)


def test_a_writer_is_opened_once(tmp_path: Path) -> None:
    writer = _writer(tmp_path)
    raw.CreateSummaryFileWriter(
        writer=writer, logdir=str(tmp_path / "other"), max_queue=10, flush_millis=1000, filename_suffix=".v2"
    )
    assert len(list(tmp_path.iterdir())) == 1


def test_writers_of_one_name_are_one_writer(tmp_path: Path) -> None:
    first = _writer(tmp_path, shared_name="both")
    second = raw.SummaryWriter(shared_name="both")
    raw.WriteScalarSummary(writer=second, step=1, tag="a", value=2.5)
    raw.FlushSummaryWriter(writer=first)
    assert [value.simple_value for value in _values(tmp_path)] == [2.5]


def test_handles_of_other_things_are_refused() -> None:
    queue = raw.FIFOQueueV2(component_types=[tf.int32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="as a summary writer"):
        raw.FlushSummaryWriter(writer=queue)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16", "uint16", "bool", "complex64", "string"])
def test_tensors_come_back_from_the_file(dtype: str, tmp_path: Path) -> None:
    tensor = tf.constant(["a", "é"]) if dtype == "string" else tf.cast([[1.0, 0.0]], dtype)
    writer = _writer(tmp_path)
    raw.WriteSummary(writer=writer, step=1, tensor=tensor, tag="t", summary_metadata=b"")
    raw.FlushSummaryWriter(writer=writer)
    (value,) = _values(tmp_path)
    np.testing.assert_array_equal(tf.make_ndarray(value.tensor), tensor.numpy())


def test_many_tags_are_written_in_order(tmp_path: Path) -> None:
    writer = _writer(tmp_path)
    for number in range(5000):  # more than a writer remembers the encoding of
        raw.WriteSummary(writer=writer, step=number, tensor=float(number), tag=f"t{number}", summary_metadata=b"")
    raw.FlushSummaryWriter(writer=writer)
    assert [value.tag for value in _values(tmp_path)] == [f"t{number}" for number in range(5000)]


def test_a_function_with_a_summary_is_not_compiled() -> None:
    writer = raw.SummaryWriter()

    @tf.function(jit_compile=True)
    def f() -> None:
        raw.WriteScalarSummary(writer=writer, step=1, tag="a", value=2.5)

    with pytest.raises(tf.errors.InvalidArgumentError, match="WriteScalarSummary"):
        f()


def test_a_graph_from_a_file_that_may_not_write_files_opens_no_writer() -> None:
    from millrace._src.core.op_capabilities import Capability
    from millrace._src.core.op_registry import get_op

    assert get_op("CreateSummaryFileWriter").traits.capabilities is Capability.WRITES_FILES

"""Events by hand are the bytes of protobuf."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.dtypes import as_dtype
from millrace._src.summary.event_encoding import GRAPH_DEF, SUMMARY, event, tensor_summary

Summary: Any = tf.compat.v1.Summary
METADATA = tf.compat.v1.SummaryMetadata(display_name="shown")


@given(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.binary(max_size=300))
def test_an_event_is_that_of_protobuf(step: int, time: float, graph: bytes) -> None:
    expected = tf.compat.v1.Event.FromString(event(time, step, GRAPH_DEF, graph))
    assert (expected.step, expected.wall_time, expected.graph_def) == (step, time, graph)
    if time:  # protobuf leaves out a zero
        assert expected.SerializeToString() == event(time, step, GRAPH_DEF, graph)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint64", "bool", "complex64", "bfloat16", "float16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3, 4), (200,)])
@pytest.mark.parametrize("metadata", [None, b"", METADATA.SerializeToString()])
def test_a_tensor_is_that_of_protobuf(dtype: str, shape: tuple[int, ...], metadata: bytes | None) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(as_dtype(dtype).np_dtype)
    text = tensor_summary("tag é".encode(), array, as_dtype(dtype), metadata)
    summary = Summary.FromString(text)
    assert summary.SerializeToString() == text
    (value,) = summary.value
    assert (value.tag, value.HasField("metadata")) == ("tag é", metadata is not None)
    np.testing.assert_array_equal(tf.make_ndarray(value.tensor), array)
    assert (
        event(1.0, 2, SUMMARY, text) == tf.compat.v1.Event(wall_time=1.0, step=2, summary=summary).SerializeToString()
    )


@given(st.lists(st.binary(max_size=200), max_size=4), st.text(max_size=200))
def test_strings_are_those_of_protobuf(strings: list[bytes], tag: str) -> None:
    array = np.empty(len(strings), object)
    array[:] = strings
    text = tensor_summary(tag.encode(), array, as_dtype("string"), b"")
    summary = Summary.FromString(text)
    assert summary.SerializeToString() == text
    assert list(summary.value[0].tensor.string_val) == strings

"""ParseSingleSequenceExample; tests/oracle compares values and messages with TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.oracle.programs._messages import block, entry, floats, int_values, ints, sequence


def _scalar(value: bytes) -> Any:
    array = np.empty((), dtype=object)
    array[()] = value
    return array


_ATTRS: dict[str, Any] = {
    "context_sparse_types": [tf.int64], "context_dense_shapes": [[2]], "feature_list_sparse_types": [tf.int64],
    "feature_list_dense_types": [tf.float32], "feature_list_dense_shapes": [[]],
}  # fmt: skip


def _sample(data: bytes) -> Sample:
    keys = [[_scalar(key)] for key in (b"a", b"b", b"x", b"y")]
    assumed_empty = np.empty(1, dtype=object)
    assumed_empty[0] = b"y"
    inputs = (_scalar(data), assumed_empty, *keys, [np.array([8, 9])], _scalar(b""))
    return Sample("ParseSingleSequenceExample", inputs=inputs, attrs=_ATTRS)


SAMPLES = [
    _sample(
        sequence({"a": ints(1, 2), "b": ints(3, 4)}, {"x": [ints(1), b"", ints(2, 3)], "y": [floats(1), floats(2)]})
    ),
    _sample(b""),
]


def _found(data: bytes) -> Any:
    names = (
        "serialized", "feature_list_dense_missing_assumed_empty", "context_sparse_keys", "context_dense_keys",
        "feature_list_sparse_keys", "feature_list_dense_keys", "context_dense_defaults", "debug_name",
    )  # fmt: skip
    return tf.raw_ops.ParseSingleSequenceExample(**dict(zip(names, _sample(data).inputs, strict=True)), **_ATTRS)


def test_protobuf_puts_the_pieces_of_a_list_together() -> None:
    unknown = block(5, b"zz") + entry(b"a", block(3, int_values(1) + int_values(2, packed=False)))
    found = _found(block(1, unknown))
    assert found.context_sparse_values[0].numpy().tolist() == [1, 2]
    assert found.context_dense_values[0].numpy().tolist() == [8, 9]


def test_bytes_that_protobuf_cannot_read_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="value: 'hello'"):
        _found(b"hello")

"""ParseSequenceExample and ParseSequenceExampleV2; tests/oracle compares values and messages with TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.contracts.sample import Sample
from tests.oracle.programs._messages import ints, sequence, texts

_EVERY = sequence(
    {"a": ints(1), "b": ints(1, 2), "c": ints(3)},
    {"d": [ints(1), ints(2, 3)], "e": [ints(1, 2, 3)], "f": [texts(b"4"), b"", texts(b"5", b"")]},
)


def _strings(*values: bytes) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _scalar(value: bytes) -> Any:
    array = np.empty((), dtype=object)
    array[()] = value
    return array


_DENSE: dict[str, Any] = {
    "context_sparse_types": [tf.int64], "context_dense_shapes": [[2]], "feature_list_sparse_types": [tf.int64],
    "feature_list_dense_types": [tf.int64], "feature_list_dense_shapes": [[3]], "Ncontext_sparse": 1,
    "Nfeature_list_sparse": 1, "Nfeature_list_dense": 1,
}  # fmt: skip
_RAGGED = {
    "context_ragged_value_types": [tf.int64], "context_ragged_split_types": [tf.int32],
    "feature_list_ragged_value_types": [tf.string], "feature_list_ragged_split_types": [tf.int64],
}  # fmt: skip
_KEYS = {
    "context_sparse_keys": ["a"], "context_dense_keys": ["b"], "feature_list_sparse_keys": ["d"],
    "feature_list_dense_keys": ["e"], "feature_list_dense_missing_assumed_empty": ["e"], "Ncontext_dense": 1,
}  # fmt: skip


def _v2(serialized: Any) -> Sample:
    keys = [_strings(key) for key in (b"a", b"b", b"c", b"d", b"e", b"f")]
    inputs = (serialized, _strings(), *keys, np.array([True]), [np.array([8, 9])])
    return Sample("ParseSequenceExampleV2", inputs=inputs, attrs=_DENSE | _RAGGED)


def _v1(serialized: Any) -> Sample:
    return Sample("ParseSequenceExample", inputs=(serialized, _strings(), [np.array([8, 9])]), attrs=_DENSE | _KEYS)


SAMPLES = [
    make(serialized)
    for make in (_v2, _v1)
    for serialized in (_strings(_EVERY, b""), _scalar(_EVERY), _scalar(b""), _strings())
]


def test_both_ops_read_the_same() -> None:
    data = _strings(_EVERY, b"")
    found = tf.raw_ops.ParseSequenceExampleV2(**dict(zip(_INPUTS, _v2(data).inputs, strict=True)), **_DENSE, **_RAGGED)
    older = tf.raw_ops.ParseSequenceExample(**dict(zip(_INPUTS_V1, _v1(data).inputs, strict=True)), **_DENSE, **_KEYS)
    for name in older._fields:
        for tensor, expected in zip(getattr(older, name), getattr(found, name), strict=True):
            np.testing.assert_array_equal(tensor, expected)


_INPUTS = (
    "serialized", "debug_name", "context_sparse_keys", "context_dense_keys", "context_ragged_keys",
    "feature_list_sparse_keys", "feature_list_dense_keys", "feature_list_ragged_keys",
    "feature_list_dense_missing_assumed_empty", "context_dense_defaults",
)  # fmt: skip
_INPUTS_V1 = ("serialized", "debug_name", "context_dense_defaults")

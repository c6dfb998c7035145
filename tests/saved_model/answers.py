"""Results of calls as plain data, equal for equal results of Millrace and TensorFlow."""

from __future__ import annotations

from typing import Any


def answer_of(tf: Any, value: Any) -> Any:
    """Returns a nest of results as lists, numbers and texts; dictionaries with sorted keys."""
    if isinstance(value, dict):
        return {str(key): answer_of(tf, value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)) and not hasattr(value, "indices"):
        return [answer_of(tf, item) for item in value]
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": value.to_list()}
    if isinstance(value, (tf.SparseTensor, tf.compat.v1.SparseTensorValue)):
        return {"sparse": [answer_of(tf, part) for part in (value.indices, value.values, value.dense_shape)]}
    if value is None:
        return None
    array = value.numpy() if hasattr(value, "numpy") else value
    return _plain(array.tolist() if hasattr(array, "tolist") else array)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, complex):
        return [value.real, value.imag]
    return float(f"{value:.6g}") if isinstance(value, float) else value

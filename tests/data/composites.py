"""Ragged and sparse tensors for the tests of datasets, and what becomes of them as nested lists."""

from __future__ import annotations

from typing import Any

import millrace as tf


def ragged() -> Any:
    return tf.RaggedTensor.from_row_splits([1, 2, 3], tf.constant([0, 2, 2, 3], tf.int64))


def sparse() -> Any:
    return tf.SparseTensor([[0, 1], [2, 0]], [5, 7], [3, 2])


def plain(value: Any) -> Any:
    """Returns a value with nested lists instead of tensors, ragged tensors, and dense forms of sparse tensors."""
    if isinstance(value, tf.SparseTensor):
        return tf.sparse.to_dense(value).numpy().tolist()
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return None if value is None else value.numpy().tolist()


def contents(dataset: Any) -> list[Any]:
    return [plain(element) for element in dataset]

"""Ragged tensors: 100,000 rows of 0 to 20 numbers, a million numbers in all, as a batch of sets of tags has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = tuple(
    Row(key, title, "ms", reach=0.0, beyond="tensorflow")
    for key, title in (
        ("ragged_from_row_lengths", "ragged tensor of 100,000 rows from their lengths"),
        ("ragged_from_value_rowids", "ragged tensor of 100,000 rows from row numbers of the values"),
        ("ragged_to_tensor", "ragged tensor of 100,000 rows to dense"),
        ("ragged_from_tensor", "ragged tensor of 100,000 rows from dense, by lengths"),
        ("ragged_to_sparse", "ragged tensor of 100,000 rows to sparse"),
        ("ragged_columns", "x[:, :2] of 100,000 ragged rows"),
        ("ragged_some_rows", "x[10:50000] of 100,000 ragged rows"),
        ("ragged_row_lengths", "row lengths of 100,000 ragged rows"),
        ("ragged_add_column", "ragged tensor of 100,000 rows + a dense column"),
        ("ragged_sum_of_rows", "reduce_sum(axis=1) of 100,000 ragged rows"),
        ("ragged_sum_of_columns", "reduce_sum(axis=0) of 100,000 ragged rows"),
        ("ragged_mean_of_rows", "reduce_mean(axis=1) of 100,000 ragged rows"),
        ("ragged_concat", "concat of two ragged tensors of 100,000 rows, row after row"),
        ("ragged_concat_in_rows", "concat of two ragged tensors of 100,000 rows, within rows"),
        ("ragged_gather", "gather of 50,000 of 100,000 ragged rows"),
        ("ragged_mask", "boolean_mask of 100,000 ragged rows"),
        ("ragged_where", "where of 100,000 ragged rows, with a dense column"),
        ("ragged_tile", "tile of 100,000 ragged rows, each row twice"),
        ("ragged_softmax", "softmax of 100,000 ragged rows"),
        ("ragged_cumsum", "cumsum within 100,000 ragged rows"),
    )
)
NROWS = 100_000


def _arrays(np: Any) -> tuple[Any, Any]:
    rng = np.random.RandomState(0)
    lengths = rng.randint(0, 21, NROWS)
    return lengths, rng.rand(lengths.sum()).astype("float32")


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    row_lengths, flat_values = _arrays(np)
    lengths, values = tf.constant(row_lengths, tf.int64), tf.constant(flat_values)
    rowids, nrows = tf.constant(np.repeat(np.arange(NROWS), row_lengths)), tf.constant(NROWS, tf.int64)
    x = tf.RaggedTensor.from_row_splits(values, tf.RaggedTensor.from_row_lengths(values, lengths).row_splits)
    dense = x.to_tensor()
    column = dense[:, :1]
    picks = tf.constant(np.random.RandomState(1).randint(0, NROWS, NROWS // 2))
    mask = x > 0.5
    return {
        "ragged_from_row_lengths": lambda: tf.RaggedTensor.from_row_lengths(values, lengths),
        "ragged_from_value_rowids": lambda: tf.RaggedTensor.from_value_rowids(values, rowids, nrows),
        "ragged_to_tensor": x.to_tensor,
        "ragged_from_tensor": lambda: tf.RaggedTensor.from_tensor(dense, lengths=lengths),
        "ragged_to_sparse": x.to_sparse,
        "ragged_columns": lambda: x[:, :2],
        "ragged_some_rows": lambda: x[10:50_000],
        "ragged_row_lengths": x.row_lengths,
        "ragged_add_column": lambda: x + column,
        "ragged_sum_of_rows": lambda: tf.reduce_sum(x, axis=1),
        "ragged_sum_of_columns": lambda: tf.reduce_sum(x, axis=0),
        "ragged_mean_of_rows": lambda: tf.reduce_mean(x, axis=1),
        "ragged_concat": lambda: tf.concat([x, x], 0),
        "ragged_concat_in_rows": lambda: tf.concat([x, x], 1),
        "ragged_gather": lambda: tf.gather(x, picks),
        "ragged_mask": lambda: tf.ragged.boolean_mask(x, mask),
        "ragged_where": lambda: tf.where(mask, x, column),
        "ragged_tile": lambda: tf.tile(x, [1, 2]),
        "ragged_softmax": lambda: tf.nn.softmax(x, axis=1),
        "ragged_cumsum": lambda: tf.cumsum(x, axis=1),
    }

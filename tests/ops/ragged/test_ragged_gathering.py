"""Slices of ragged tensors picked by index: gather, batch_gather, gather_nd, embedding_lookup."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3, 4, 5]])


def deep() -> Any:
    return ragged([[[1], [2, 3]], [[4]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (lambda: tf.gather(rows(), [2, 0]), R("int32", [[3, 4, 5], [1, 2]], [2, None])),
    (lambda: tf.gather(rows(), [[2, 0], [1, 1]]), R("int32", [[[3, 4, 5], [1, 2]], [[], []]], [2, None, None])),
    (lambda: tf.gather(rows(), 1), T("int32", [])),
    (lambda: tf.gather(deep(), 1), R("int32", [[4]], [1, None])),
    (lambda: tf.gather(deep(), [1, 0]), R("int32", [[[4]], [[1], [2, 3]]], [2, None, None])),
    (lambda: tf.gather(deep(), [[1], [0]]), R("int32", [[[[4]]], [[[1], [2, 3]]]], [2, None, None, None])),
    (lambda: tf.gather(pairs(), [1, 0]), R("int32", [[[5, 6]], [[1, 2], [3, 4]]], [2, None, 2])),
    (lambda: tf.gather(pairs(), [[1], [0]]), R("int32", [[[[5, 6]]], [[[1, 2], [3, 4]]]], [2, None, None, 2])),
    (lambda: tf.gather(pairs(), 0), T("int32", [[1, 2], [3, 4]])),
    (lambda: tf.gather(rows(), ragged([[2], [0, 1]])), R("int32", [[[3, 4, 5]], [[1, 2], []]], [2, None, None])),
    (
        lambda: tf.gather(rows(), ragged([[[2]], [[0, 1]]])),
        R("int32", [[[[3, 4, 5]]], [[[1, 2], []]]], [2, None, None, None]),
    ),
    (lambda: tf.gather(dense([10, 20, 30]), ragged([[2], [0, 1]])), R("int32", [[30], [10, 20]], [2, None])),
    (
        lambda: tf.gather(dense([[10, 11], [20, 21], [30, 31]]), ragged([[2], [0, 1]])),
        R("int32", [[[30, 31]], [[10, 11], [20, 21]]], [2, None, 2]),
    ),
    (
        lambda: tf.gather(dense(["a", "b"]), ragged([[[1]], [[0, 1], []]])),
        R("string", [[[b"b"]], [[b"a", b"b"], []]], [2, None, None]),
    ),
    (lambda: tf.gather([10, 20, 30], ragged([[2], [0, 1]])), R("int32", [[30], [10, 20]], [2, None])),
    (lambda: tf.gather(rows(), dense([0], tf.int64)), R("int32", [[1, 2]], [1, None])),
    (lambda: tf.gather(rows(), [0], axis=0), R("int32", [[1, 2]], [1, None])),
    (lambda: tf.gather(rows(), [0], axis=1), T("int32", [[1], [3], [3]])),
    (lambda: tf.gather(rows(), dense([0], tf.int64), axis=-1), T("int32", [[1], [3], [3]])),
    (lambda: tf.gather(ragged([[1, 2], [3, 4, 5]]), [1, 0], axis=1), T("int32", [[2, 1], [4, 3]])),
    (lambda: tf.gather(ragged([[1, 2], [3, 4, 5]]), 1, axis=1), T("int32", [2, 4])),
    (
        lambda: tf.gather(ragged([[1, 2], [3, 4, 5]]), [[1, 0], [1, 1]], axis=1),
        T("int32", [[[2, 1], [2, 2]], [[4, 3], [4, 4]]]),
    ),
    (lambda: tf.gather(deep(), [0], axis=1), R("int32", [[[1]], [[4]]], [2, None, None])),
    (lambda: tf.gather(deep(), [0], axis=2), R("int32", [[[1], [2]], [[4]]], [2, None, 1])),
    (lambda: tf.gather(deep(), 0, axis=2), R("int32", [[1, 2], [4]], [2, None])),
    (lambda: tf.gather(pairs(), [1, 0], axis=2), R("int32", [[[2, 1], [4, 3]], [[6, 5]]], [2, None, 2])),
    (lambda: tf.gather(pairs(), [0], axis=1), T("int32", [[[1, 2]], [[5, 6]]])),
    (lambda: tf.gather(pairs(), 1, axis=-1), R("int32", [[2, 4], [6]], [2, None])),
    (lambda: tf.gather(rows(), [1, 0, 2], batch_dims=1), T("int32", [2, 3, 5])),
    (lambda: tf.gather(rows(), [[1], [0], [2]], batch_dims=1), T("int32", [[2], [3], [5]])),
    (lambda: tf.gather(ragged([[1, 2], [6], [3, 4, 5]]), [[1], [0], [2]], batch_dims=1), T("int32", [[2], [6], [5]])),
    (lambda: tf.gather(ragged([[1, 2], [6], [3, 4, 5]]), [1, 0, 2], batch_dims=1), T("int32", [2, 6, 5])),
    (lambda: tf.gather(rows(), ragged([[1, 0], [], [2]]), batch_dims=1), R("int32", [[2, 1], [], [5]], [3, None])),
    (lambda: tf.gather(rows(), ragged([[1, 0], [], [2]]), batch_dims=-1), R("int32", [[2, 1], [], [5]], [3, None])),
    (
        lambda: tf.gather(rows(), ragged([[1, 0], [], [2]]), axis=1, batch_dims=1),
        R("int32", [[2, 1], [], [5]], [3, None]),
    ),
    (
        lambda: tf.gather(deep(), ragged([[[0], [1, 0]], [[0]]]), batch_dims=2),
        R("int32", [[[1], [3, 2]], [[4]]], [2, None, None]),
    ),
    (
        lambda: tf.gather(deep(), ragged([[1, 0], [0]]), batch_dims=1),
        R("int32", [[[2, 3], [1]], [[4]]], [2, None, None]),
    ),
    (
        lambda: tf.gather(deep(), ragged([[1, 0], [0]]), axis=1, batch_dims=1),
        R("int32", [[[2, 3], [1]], [[4]]], [2, None, None]),
    ),
    (
        lambda: tf.gather(deep(), ragged([[0], [0]]), axis=2, batch_dims=1),
        R("int32", [[[1], [2]], [[4]]], [2, None, None]),
    ),
    (lambda: tf.gather(deep(), ragged([[0, 1], [0]]), axis=2, batch_dims=2), R("int32", [[1, 3], [4]], [2, None])),
    (lambda: tf.gather(deep(), ragged([[0, 0], [0]]), axis=2, batch_dims=2), R("int32", [[1, 2], [4]], [2, None])),
    (
        lambda: tf.gather(dense([[10, 11], [20, 21], [30, 31]]), ragged([[1, 0], [], [1]]), batch_dims=1),
        R("int32", [[11, 10], [], [31]], [3, None]),
    ),
    (
        lambda: tf.gather(dense([[10, 11], [20, 21], [30, 31]]), ragged([[1, 0], [], [1]]), axis=1, batch_dims=1),
        R("int32", [[11, 10], [], [31]], [3, None]),
    ),
    (
        lambda: tf.gather(dense([[10, 11], [20, 21], [30, 31]]), ragged([[1, 0], [], [1]]), axis=1),
        R("int32", [[[11, 10], [], [11]], [[21, 20], [], [21]], [[31, 30], [], [31]]], [3, 3, None]),
    ),
    (
        lambda: tf.gather(dense([[10, 11], [20, 21], [30, 31]]), ragged([[1, 0], [], [1]]), axis=0),
        R("int32", [[[20, 21], [10, 11]], [], [[20, 21]]], [3, None, 2]),
    ),
    (lambda: tf.gather(rows(), [0], None, None, 0, "nm"), R("int32", [[1, 2]], [1, None])),
    (lambda: tf.gather(rows(), [0], validate_indices=True), R("int32", [[1, 2]], [1, None])),
    (lambda: tf.compat.v1.gather(rows(), [2, 0]), R("int32", [[3, 4, 5], [1, 2]], [2, None])),
    (lambda: tf.compat.v1.gather(rows(), [2, 0], axis=0), R("int32", [[3, 4, 5], [1, 2]], [2, None])),
    (lambda: tf.compat.v1.batch_gather(rows(), ragged([[1, 0], [], [2]])), R("int32", [[2, 1], [], [5]], [3, None])),
    (lambda: tf.compat.v1.batch_gather(rows(), [[0], [0], [0]]), T("int32", [[1], [3], [3]])),
    (lambda: tf.compat.v1.batch_gather(ragged([[1, 2], [5], [3, 4, 5]]), [[0], [0], [0]]), T("int32", [[1], [5], [3]])),
    (
        lambda: tf.compat.v1.batch_gather(dense([[1, 2], [3, 4]]), ragged([[0], [1, 1]])),
        R("int32", [[1], [4, 4]], [2, None]),
    ),
    (lambda: tf.gather_nd(rows(), [[2, 1], [0, 0]]), T("int32", [4, 1])),
    (lambda: tf.gather_nd(rows(), [2, 1]), T("int32", 4)),
    (lambda: tf.gather_nd(rows(), [[2], [0]]), R("int32", [[3, 4, 5], [1, 2]], [2, None])),
    (lambda: tf.gather_nd(rows(), [2]), R("int32", [[3, 4, 5]], [1, None])),
    (lambda: tf.gather_nd(rows(), [[[2, 0]], [[0, 1]]]), T("int32", [[3], [2]])),
    (lambda: tf.gather_nd(deep(), [[0, 1], [1, 0]]), R("int32", [[2, 3], [4]], [2, None])),
    (lambda: tf.gather_nd(deep(), [[0, 1, 1], [1, 0, 0]]), T("int32", [3, 4])),
    (lambda: tf.gather_nd(deep(), [[0], [1]]), R("int32", [[[1], [2, 3]], [[4]]], [2, None, None])),
    (lambda: tf.gather_nd(pairs(), [[0, 1], [1, 0]]), T("int32", [[3, 4], [5, 6]])),
    (lambda: tf.gather_nd(pairs(), [[0, 1, 1], [1, 0, 0]]), T("int32", [4, 5])),
    (
        lambda: tf.gather_nd(rows(), ragged([[[2, 1]], [[0, 0], [2, 2]]], ragged_rank=1)),
        R("int32", [[4], [1, 5]], [2, None]),
    ),
    (
        lambda: tf.gather_nd(dense([[1, 2], [3, 4]]), ragged([[[1, 1]], [[0, 0], [1, 0]]], ragged_rank=1)),
        R("int32", [[4], [1, 3]], [2, None]),
    ),
    (lambda: tf.gather_nd(rows(), [[0, 0]], name="n"), T("int32", [1])),
    (lambda: tf.compat.v1.gather_nd(rows(), [[2, 1], [0, 0]]), T("int32", [4, 1])),
    (
        lambda: tf.nn.embedding_lookup(dense([[1.0, 2], [3, 4], [5, 6]]), ragged([[0, 1], [2]])),
        R("float32", [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], [2, None, 2]),
    ),
    (
        lambda: tf.nn.embedding_lookup(dense([[1.0, 2], [3, 4], [5, 6]]), ragged([[0, 1], [2]]), max_norm=1.0),
        R("float32", [[[0.447214, 0.894427], [0.6, 0.8]], [[0.640184, 0.768221]]], [2, None, 2]),
    ),
    (
        lambda: tf.nn.embedding_lookup([dense([[1.0, 2], [3, 4]]), dense([[5.0, 6]])], ragged([[0, 1], [2]])),
        R("float32", [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], [2, None, 2]),
    ),
]

REFUSED = [
    (lambda: tf.gather(rows(), [3]), tf.errors.InvalidArgumentError, "indices[0] = 3 is not in [0, 3)"),
    (lambda: tf.gather(rows(), [-1]), tf.errors.InvalidArgumentError, "indices[0] = -1 is not in [0, 3)"),
    (
        lambda: tf.gather(rows(), [0.5]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tindices' of float is not in the list of allowed values: int32, int64",
    ),
    (lambda: tf.gather(rows(), [0], axis=2), ValueError, "axis=2 out of bounds: expected -2<=axis<2"),
    (lambda: tf.gather(rows(), [0], axis=-3), ValueError, "axis=-3 out of bounds: expected -2<=axis<2"),
    (
        lambda: tf.gather(rows(), ragged([[1, 0], [2]]), batch_dims=1),
        ValueError,
        "batch shape from indices (2,) does not match params shape (3, None)",
    ),
    (
        lambda: tf.gather(rows(), ragged([[1, 0], [], [3]]), batch_dims=1),
        tf.errors.InvalidArgumentError,
        "indices[2] = 5 is not in [0, 5)",
    ),
    (lambda: tf.gather(rows(), [0], batch_dims=2), ValueError, "batch_dims=2 out of bounds: expected -1<=batch_dims<1"),
    (
        lambda: tf.gather(rows(), [0], axis=0, batch_dims=1),
        ValueError,
        "axis must be greater than or equal to batch_dims",
    ),
    (
        lambda: tf.gather(rows(), [0], batch_dims=-2),
        ValueError,
        "batch_dims=-2 out of bounds: expected -1<=batch_dims<1",
    ),
    (
        lambda: tf.compat.v1.gather(rows(), ragged([[1, 0], [], [2]]), batch_dims=1),
        ValueError,
        "axis must be greater than or equal to batch_dims",
    ),
    (lambda: tf.compat.v1.batch_gather(rows(), 0), ValueError, "batch_dims=-1 out of bounds: expected 0<=batch_dims<0"),
    (
        lambda: tf.gather_nd(rows(), ragged([[2, 1], [0]])),
        ValueError,
        "The innermost dimension of indices may not be ragged",
    ),
    (lambda: tf.gather_nd(rows(), [[2, 3]]), tf.errors.InvalidArgumentError, "indices[0] = 5 is not in [0, 5)"),
    (
        lambda: tf.gather_nd(rows(), [[0, 0, 0]]),
        tf.errors.InvalidArgumentError,
        "index innermost dimension length must be <= params rank; saw: 2 vs. 1",
    ),
    (
        lambda: tf.gather_nd(rows(), [[0, 0]], batch_dims=1),
        ValueError,
        "batch_dims != 0 is not supported for ragged gather yet.",
    ),
    (lambda: tf.gather_nd(rows(), 0), ValueError, "indices.rank must be at least 1."),
    (
        lambda: tf.gather_nd(rows(), [0.5]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tindices' of float is not in the list of allowed values: int32, int64",
    ),
    (
        lambda: tf.nn.embedding_lookup(dense([[1.0, 2], [3, 4], [5, 6]]), ragged([[0.5, 1], [2]])),
        ValueError,
        "The values contained by the inputs have type <dtype: 'float32'> and cannot be processed. A",
    ),
    (
        lambda: tf.nn.embedding_lookup(dense([[1.0, 2], [3, 4], [5, 6]]), ragged([[0, 1], [5]])),
        tf.errors.InvalidArgumentError,
        "indices[2] = 5 is not in [0, 3)",
    ),
    (lambda: tf.nn.embedding_lookup(None, ragged([[0]])), ValueError, "params must be specified."),
    (lambda: tf.nn.embedding_lookup([], ragged([[0]])), ValueError, "params should not be empty."),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)


def test_gathered_rows_are_not_known_to_have_one_length() -> None:
    uniform = tf.RaggedTensor.from_tensor(tf.zeros([6, 4]))
    assert tf.gather(uniform, [0, 1]).shape.as_list() == [2, None]
    assert uniform[:2].shape.as_list() == [2, 4]
    deep = tf.RaggedTensor.from_tensor(tf.zeros([3, 2, 4]), ragged_rank=2)
    assert tf.gather(deep, 0).shape.as_list() == [2, None]
    assert tf.gather(deep, [[0, 1]]).shape.as_list() == [1, None, None, None]

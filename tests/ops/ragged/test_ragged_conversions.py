"""Ragged tensors from dense and sparse ones, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.ops.array.answers import check_refusal
from tests.ops.ragged.nests import Nest, nests

_R = tf.RaggedTensor
_Invalid = tf.errors.InvalidArgumentError
_X = [[1, 2, 0], [3, 0, 0]]
_CUBE = [[[5, 0], [7, 0], [0, 0]], [[0, 0], [3, 0], [0, 0]], [[6, 0], [0, 0], [0, 0]]]


@pytest.mark.parametrize(
    ("tensor", "options", "expected"),
    [
        (_X, {}, [[1, 2, 0], [3, 0, 0]]),
        (_X, {"padding": 0}, [[1, 2], [3]]),
        (_X, {"lengths": [1, 2]}, [[1], [3, 0]]),
        (_X, {"lengths": [1, 5]}, [[1], [3, 0, 0]]),
        (_X, {"lengths": [1, -5]}, [[1], []]),
        (_X, {"lengths": tf.constant([0, 1])}, [[], [3]]),
        ([[["a", ""]]], {"ragged_rank": 2, "padding": ""}, [[[b"a"]]]),
        ([[[1, 0], [0, 0]]], {"ragged_rank": 2, "padding": 0}, [[[1], []]]),
        ([[[1, 2], [3, 4]]], {"ragged_rank": 2}, [[[1, 2], [3, 4]]]),
        (_CUBE, {"lengths": ([2, 0, 3], [1, 1, 2, 0, 1])}, [[[5], [7]], [], [[6, 0], [], [0]]]),
        (np.zeros([2, 0, 3]), {"ragged_rank": 2}, [[], []]),
        (np.zeros([0, 3]), {}, []),
        (np.zeros([2, 0]), {"padding": 0}, [[], []]),
    ],
)
def test_from_tensor(tensor: Any, options: Any, expected: Any) -> None:
    assert _R.from_tensor(tensor, **options).to_list() == expected


def test_padding_may_be_a_row() -> None:
    x = _R.from_tensor([[[1, 0], [0, 0]], [[0, 0], [0, 0]]], padding=[0, 0])
    assert x.shape.as_list() == [2, None, 2]
    assert x.row_lengths().numpy().tolist() == [1, 0]


def test_from_tensor_keeps_static_sizes() -> None:
    assert _R.from_tensor(_X).shape.as_list() == [2, 3]
    assert _R.from_tensor(_X, row_splits_dtype=tf.int32).row_splits.dtype == tf.int32
    assert _R.from_tensor(np.zeros([2, 3, 4, 5]), ragged_rank=2).shape.as_list() == [2, 3, 4, 5]


def test_from_tensor_of_unknown_sizes() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, None, None], tf.int32)])
    def ragged(x: Any) -> Any:
        return _R.from_tensor(x, ragged_rank=2), _R.from_tensor(x, padding=0, ragged_rank=2)

    whole, cut = ragged(_CUBE)
    assert whole.to_list() == _CUBE
    assert cut.to_list() == [[[5], [7], []], [[], [3], []], [[6], [], []]]


@pytest.mark.parametrize(
    ("tensor", "options", "error", "words"),
    [
        (_X, {"lengths": [1], "padding": 0}, ValueError, "Specify argument `lengths` or `padding`, but not both."),
        (
            [1, 2],
            {},
            ValueError,
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged dimensions. "
            "Received argument `tensor` with rank 1.",
        ),
        (_X, {"ragged_rank": 2}, ValueError, "Shape (2, 3) must have rank at least 3"),
        (_X, {"ragged_rank": 0}, ValueError, "Argument `ragged_rank` must be greater than 0. Received 0."),
        (_X, {"ragged_rank": "a"}, TypeError, "Argument `ragged_rank` must be an int. Received a."),
        (_X, {"lengths": [1.5, 1.0]}, TypeError, "Argument `tensor` (name: lengths) must be of type integer."),
        (_X, {"lengths": [1]}, ValueError, "Shapes (2, 3) and (1, 3) are incompatible"),
        ([[[1, 0], [0, 0]]], {"padding": 0}, ValueError, "Shapes () and (2,) are incompatible"),
        ([[[1, 0], [0, 0]]], {"padding": [0, 0, 0]}, ValueError, "Shapes (3,) and (2,) are incompatible"),
    ],
)
def test_from_tensor_refuses(tensor: Any, options: Any, error: Any, words: str) -> None:
    check_refusal(lambda: _R.from_tensor(tensor, **options), error, words)


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        ([[1, 2], [], [3]], {}, [[1, 2], [0, 0], [3, 0]]),
        ([[1, 2], [], [3]], {"default_value": 7}, [[1, 2], [7, 7], [3, 7]]),
        ([[1, 2], [], [3]], {"shape": [2, 2]}, [[1, 2], [0, 0]]),
        ([[1, 2], [], [3]], {"shape": [None, 1]}, [[1], [0], [3]]),
        ([[1, 2], [], [3]], {"shape": [4, None]}, [[1, 2], [0, 0], [3, 0], [0, 0]]),
        ([[1, 2], [], [3]], {"shape": tf.constant([-1, 3])}, [[1, 2, 0], [0, 0, 0], [3, 0, 0]]),
        ([[[1], []], []], {}, [[[1], [0]], [[0], [0]]]),
        ([["a"], []], {}, [[b"a"], [b""]]),
        ([["a"], []], {"default_value": "-"}, [[b"a"], [b"-"]]),
        ([[True], []], {}, [[True], [False]]),
        ([[1 + 2j], []], {}, [[1 + 2j], [0]]),
    ],
)
def test_to_tensor(rows: Any, options: Any, expected: Any) -> None:
    assert tf.ragged.constant(rows).to_tensor(**options).numpy().tolist() == expected


def test_to_tensor_uses_the_form_at_hand() -> None:
    @tf.function(autograph=False)
    def f(values: Any, rowids: Any) -> Any:
        return _R.from_value_rowids(values, rowids, 4, validate=False).to_tensor()

    traced = f.get_concrete_function(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int64))
    (node,) = [op for op in traced.graph.get_operations() if op.type == "RaggedTensorToTensor"]
    assert node.get_attr("row_partition_types") == [b"FIRST_DIM_SIZE", b"VALUE_ROWIDS"]
    assert f([1, 2, 3], np.int64([0, 0, 2])).numpy().tolist() == [[1, 2], [0, 0], [3, 0], [0, 0]]


def test_to_tensor_knows_what_is_static() -> None:
    @tf.function(autograph=False, input_signature=[tf.RaggedTensorSpec([3, None, 2], tf.int32, 1)])
    def f(x: Any) -> Any:
        assert x.to_tensor().shape.as_list() == [3, None, 2]
        assert x.to_tensor(shape=[None, 4, None]).shape.as_list() == [3, 4, 2]
        assert x.to_tensor(shape=tf.constant([-1, 4, -1])).shape.as_list() == [3, 4, 2]
        return x.to_tensor()

    assert f(_R.from_row_splits([[1, 2], [3, 4]], [0, 1, 1, 2])).shape.as_list() == [3, 1, 2]


def test_uniform_dimensions_of_no_rows_keep_their_size() -> None:
    x = _R.from_uniform_row_length(tf.ragged.constant([], tf.int32, ragged_rank=1), 2)
    assert x.to_tensor().shape.as_list() == [0, 2, 0]


def test_gradient_of_to_tensor() -> None:
    values, default = tf.constant([1.0, 2.0, 3.0]), tf.constant(9.0)
    with tf.GradientTape() as tape:
        tape.watch([values, default])
        dense = _R.from_row_splits(values, [0, 2, 2, 3]).to_tensor(default, shape=[None, 1])
        total = tf.reduce_sum(dense * [[1.0], [10.0], [100.0]])
    assert [g.numpy().tolist() for g in tape.gradient(total, [values, default])] == [[1.0, 0.0, 100.0], 10.0]


def test_to_sparse_and_back() -> None:
    x = tf.ragged.constant([[1, 2], [], [3]])
    sparse = x.to_sparse()
    assert sparse.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]]
    assert sparse.dense_shape.numpy().tolist() == [3, 2]
    back = _R.from_sparse(sparse, row_splits_dtype=tf.int32)
    assert back.to_list() == [[1, 2], [], [3]]
    assert back.row_splits.dtype == tf.int32


def test_from_sparse_refuses() -> None:
    words = "Argument `st_input` must be of type SparseTensor, but is of type list."
    check_refusal(lambda: _R.from_sparse([0]), TypeError, words)
    deep = tf.SparseTensor([[0, 0, 0]], [1], [1, 1, 1])
    check_refusal(lambda: _R.from_sparse(deep), ValueError, "rank(st_input) must be 2.")
    with tf.Graph().as_default():
        unknown = tf.compat.v1.sparse_placeholder(tf.int32)
        check_refusal(lambda: _R.from_sparse(unknown), ValueError, "rank(st_input) must be 2.")
    gap = tf.SparseTensor([[0, 1]], [1], [1, 2])
    with pytest.raises(_Invalid, match="SparseTensor is not right-ragged"):
        _R.from_sparse(gap)

    @tf.function(autograph=False)
    def ragged(sparse: Any) -> Any:
        return _R.from_sparse(sparse)

    with pytest.raises(_Invalid, match="SparseTensor is not right-ragged"):
        ragged(gap)


def test_a_variant_holds_a_ragged_tensor() -> None:
    x = tf.ragged.constant([[[1], [2, 3]], []])
    whole, rows = x._to_variant(), x._to_variant(batched_input=True)
    assert (whole.shape.as_list(), rows.shape.as_list(), rows.dtype) == ([], [2], tf.variant)
    assert _R._from_variant(whole, tf.int32, 2).to_list() == x.to_list()
    assert _R._from_variant(rows, tf.int32, 2, 1).to_list() == x.to_list()
    assert _R._from_variant(tf.stack([rows[1], rows[0]]), tf.int32, 2).to_list() == [[], [[1], [2, 3]]]
    with pytest.raises(_Invalid, match="Expected values Tensor dtype: float, found: int32"):
        _R._from_variant(whole, tf.float32, 2)
    narrow = x.with_row_splits_dtype(tf.int32)
    back = _R._from_variant(narrow._to_variant(), tf.int32, 2, row_splits_dtype=tf.int32)
    assert back.row_splits.dtype == tf.int32


@given(nests(), st.booleans(), st.integers(-2, 2))
def test_to_tensor_agrees_with_plain_lists(nest: Nest, in_graph: bool, change: int) -> None:
    shape = [max(size + change, 0) for size in nest.bounding_shape()]
    x = _R.from_nested_row_splits(nest.flat, nest.nested_splits)

    def dense(x: Any) -> Any:
        return x.to_tensor(-1), x.to_tensor(-2, shape=shape)

    whole, changed = (tf.function(dense) if in_graph else dense)(x)
    assert np.array_equal(whole.numpy(), np.reshape(nest.padded(-1), nest.bounding_shape()))
    assert np.array_equal(changed.numpy(), np.reshape(nest.padded(-2, shape), shape))


@given(nests(max_depth=2))
def test_dense_and_sparse_forms_lead_back(nest: Nest) -> None:
    x = _R.from_nested_row_splits(nest.flat, nest.nested_splits)
    assert _R.from_tensor(x.to_tensor(), padding=0).to_list() == nest.rows
    assert _R.from_tensor(x.to_tensor(), lengths=x.row_lengths()).to_list() == nest.rows
    assert _R.from_sparse(x.to_sparse()).to_list() == nest.rows

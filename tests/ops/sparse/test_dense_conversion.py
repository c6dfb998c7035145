"""From sparse to dense and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 1], [1, 0], [1, 2]]), np.int64([2, 3])

SAMPLES = [
    Sample("SparseToDense", [_INDICES, _SHAPE, np.float64([1, 2, 3]), np.float64(-1)], grad=True),
    Sample("SparseToDense", [_INDICES, _SHAPE, np.float64([1, 2, 3]), np.float64(0)]),
    Sample("SparseToDense", [_INDICES, _SHAPE, np.complex64(2j), np.complex64(0)]),
    Sample("SparseToDense", [np.int32([1, 3]), np.int32([4]), np.int32([5, 6]), np.int32(0)]),
    Sample("SparseToDense", [np.int32(1), np.int32([4]), np.bool_(True), np.bool_(False)]),
    Sample(
        "SparseToDense",
        [np.int64([[1], [0]]), np.int64([2]), np.uint8([1, 2]), np.uint8(9)],
        {"validate_indices": False},
    ),
    Sample("SparseToDense", [np.zeros([1, 0], np.int64), np.int64([]), np.float32([1]), np.float32(0)]),
    Sample("SparseToDense", [np.zeros([0, 2], np.int64), np.int64([0, 3]), np.float32([]), np.float32(0)]),
    Sample(
        "SparseToDense", [_INDICES, _SHAPE, np.array(["a", "b", "c"], object), np.array("", object)], xla=False
    ),  # text
]


def dense(value: tf.SparseTensor, *args) -> list:
    return tf.sparse.to_dense(value, *args).numpy().tolist()


@given(hnp.arrays(st.sampled_from([np.float32, np.int64, np.bool_]), hnp.array_shapes(min_side=0)))
def test_from_dense_and_back(array) -> None:
    value = tf.sparse.from_dense(array)
    assert value.indices.numpy().tolist() == np.argwhere(array).tolist()
    assert np.array_equal(tf.sparse.to_dense(value).numpy(), array, equal_nan=array.dtype.kind == "f")


def test_text_has_the_empty_string_as_zero() -> None:
    value = tf.sparse.from_dense([["", "a"], ["b", ""]])
    assert value.indices.numpy().tolist() == [[0, 1], [1, 0]]
    assert dense(value) == [[b"", b"a"], [b"b", b""]] and dense(value, "-")[0] == [b"-", b"a"]


def test_default_values() -> None:
    value = tf.SparseTensor([[0, 1]], [7.0], [2, 2])
    assert dense(value, 9) == [[9, 7], [9, 9]]
    assert dense(tf.compat.v1.SparseTensorValue([[0]], [1], [2])) == [1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="default_value should be a scalar"):
        dense(value, [1.0, 2.0])


@pytest.mark.parametrize("jit", [None, False])
def test_coordinates_are_checked_in_eager_mode_and_in_functions(jit) -> None:
    convert = tf.function(lambda i: tf.sparse.to_dense(tf.SparseTensor(i, [1, 2], [2])), jit_compile=jit)
    for function in (convert, convert.python_function):
        for coordinates, message in (
            ([[0], [5]], r"indices\[1\] = \[5\] is out of bounds: need 0 <= index < \[2\]"),
            ([[1], [0]], r"indices\[1\] = \[0\] is out of order"),
            ([[1], [1]], r"indices\[1\] = \[1\] is repeated"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                function(tf.constant(coordinates, tf.int64))


def test_without_validation_coordinates_may_be_in_any_order() -> None:
    value = tf.SparseTensor([[1], [0]], [1, 2], [2])
    assert tf.sparse.to_dense(value, validate_indices=False).numpy().tolist() == [2, 1]
    repeated = tf.SparseTensor([[0], [0]], [1, 2], [2])
    assert tf.sparse.to_dense(repeated, validate_indices=False).numpy().tolist() == [2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Indices are not valid \(out of bounds\)"):
        tf.sparse.to_dense(tf.SparseTensor([[5]], [1], [2]), validate_indices=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [4], 5, 0), "output_shape has incorrect number of elements: 1 should be: 2"),
        (([[[1, 2]]], [4], 5, 0), r"sparse_indices should be a scalar, vector, or matrix, got shape \[1,1,2\]"),
        (([[0, 1]], [[2, 2]], 5, 0), r"output_shape must be rank 1, got shape \[1,2\]"),
        (([[0, 1]], [2, 2], [5, 6], 0), r"sparse_values has incorrect shape \[2\], should be \[\] or \[1\]"),
        (([7], [2], 5, 0), r"indices\[0\] = \[7\] is out of bounds: need 0 <= index < \[2\]"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.compat.v1.sparse_to_dense(*arguments)


def test_graphs_know_the_shape_and_name_the_nodes() -> None:
    with tf.Graph().as_default():
        value = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
        result = tf.sparse.to_dense(value)
        assert result.shape == [2, 3] and result.op.name == "SparseToDense" and result.op.inputs[3].op.name == "zeros"
        again = tf.sparse.from_dense(result)
        assert again.shape == [2, 3] and again.indices.op.name == "dense_to_sparse/Where"


def test_to_indicator_marks_ids() -> None:
    value = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2, 0, 1], [2, 2])
    assert tf.sparse.to_indicator(value, 3).numpy().tolist() == [[True, False, True], [False, True, False]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.to_indicator(value, 2)
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.sparse.to_indicator([1], 2)


@pytest.mark.xla
def test_to_dense_compiles() -> None:
    convert = tf.function(lambda v: tf.sparse.to_dense(tf.SparseTensor(_INDICES, v, _SHAPE)), jit_compile=True)
    assert convert(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [[0, 1, 0], [2, 0, 3]]

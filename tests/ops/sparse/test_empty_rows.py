"""`tf.sparse.fill_empty_rows`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample

_INDICES, _SHAPE = np.int64([[2, 1], [0, 0], [2, 0]]), np.int64([4, 2])

SAMPLES = [
    Sample("SparseFillEmptyRows", [_INDICES, np.float64([1, 2, 3]), _SHAPE, np.float64(7)]),
    Sample("SparseFillEmptyRows", [_INDICES[:0], np.array([], object), _SHAPE, np.array("x", object)]),
    Sample("SparseFillEmptyRows", [_INDICES[:0], np.int32([]), np.int64([0, 3]), np.int32(7)]),
    Sample("SparseFillEmptyRowsGrad", [np.int64([0, 2]), np.float64([1, 2, 3])], grad=LookupError),
]
GRADIENT_PROGRAMS = [
    GradientProgram(
        "SparseFillEmptyRows",
        lambda values, default: (
            tf.sparse.fill_empty_rows(tf.SparseTensor(_INDICES, values, _SHAPE), default)[0].values
            * tf.constant([1, 2, 3, 4, 5], tf.float64)
        ),
        [np.float64([1, 2, 3]), np.float64(7)],
        xla=False,  # the number of elements depends on the data
        no_second="gradient registry has no entry for: SparseFillEmptyRowsGrad",
    )
]


@given(st.lists(st.integers(0, 4), max_size=6))
def test_each_row_has_an_element_and_none_is_lost(rows) -> None:
    value = tf.SparseTensor(np.array([[row, i] for i, row in enumerate(rows)], np.int64).reshape(-1, 2), rows, [5, 9])
    filled, is_empty = tf.sparse.fill_empty_rows(value, np.array(-1, value.dtype.as_numpy_dtype))
    expected = sorted([(row, i, row) for i, row in enumerate(rows)] + [(r, 0, -1) for r in range(5) if r not in rows])
    coordinates = filled.indices.numpy().tolist()
    found = [
        (*coordinate, number) for coordinate, number in zip(coordinates, filled.values.numpy().tolist(), strict=True)
    ]
    assert found == expected
    assert is_empty.numpy().tolist() == [row not in rows for row in range(5)]


def test_the_map_says_where_elements_went() -> None:
    parts = tf.raw_ops.SparseFillEmptyRows(indices=_INDICES, values=[1, 2, 3], dense_shape=_SHAPE, default_value=7)
    assert parts.output_values.numpy().tolist() == [2, 7, 1, 3, 7]
    assert parts.reverse_index_map.numpy().tolist() == [2, 0, 3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": [0]}, r"indices must be a matrix, saw: \[1\]"),
        ({"values": [1, 2]}, r"The length of `values` \(2\) must match the first dimension of `indices` \(1\)"),
        ({"values": [[1]]}, r"values must be a vector, saw: \[1,1\]"),
        ({"dense_shape": [[2, 2]]}, r"dense_shape must be a vector, saw: \[1,2\]"),
        ({"dense_shape": [2]}, r"The length of `dense_shape` \(1\) must match the second dimension of `indices` \(2\)"),
        ({"default_value": [3]}, r"default_value must be a scalar, saw: \[1\]"),
        ({"indices": [[5, 0]]}, r"indices\(0, 0\) is invalid: 5 >= 2"),
        ({"dense_shape": [0, 2]}, r"Received SparseTensor with dense_shape\[0\] = 0 but indices.shape\[0\] = 1"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(change, message) -> None:
    arguments = {"indices": [[0, 0]], "values": [1], "dense_shape": [2, 2], "default_value": 3, **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.SparseFillEmptyRows(**arguments)


def test_the_gradient_refuses_a_bad_map() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Elements in reverse index must be in \[0, 3\) but got 5"
    ):
        tf.raw_ops.SparseFillEmptyRowsGrad(reverse_index_map=[0, 5], grad_values=[1.0, 2.0, 3.0])


def test_graphs_know_the_number_of_rows() -> None:
    with tf.Graph().as_default():
        filled, is_empty = tf.sparse.fill_empty_rows(tf.SparseTensor(_INDICES, [1, 2, 3], _SHAPE), 0)
        assert filled.shape == [4, 2] and is_empty.shape == [4]
        assert filled.values.op.name == "SparseFillEmptyRows/SparseFillEmptyRows"

"""`tf.sets`."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.sparse.recorded import Record, check

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    ("tf.sets.size(S([[0,0],[0,1]],[1,1],[3,3]))", "int32:[1, 0, 0]", None),
    (
        "tf.sets.size([[1,2]])",
        "TypeError: Expected `SparseTensor`, got tf.Tensor([[1 2]], shape=(1, 2), dtype=int32).",
        'TypeError: Expected `SparseTensor`, got Tensor("a:0", shape=(1, 2), dtype=int32).',
    ),
    (
        "tf.sets.union([[1,2]],[[3,4]])",
        "Sp(int64:[[0, 0], [0, 1], [0, 2], [0, 3]], int32:[1, 2, 3, 4], int64:[1, 4])",
        None,
    ),
    (
        "tf.sets.union(S([[0,0],[0,1]],[1,1],[1,3]),[[3,4]])",
        "Sp(int64:[[0, 0], [0, 1], [0, 2]], int32:[1, 3, 4], int64:[1, 3])",
        None,
    ),
    ("tf.sets.difference(S([[0,0],[0,1]],[1,4],[1,3]),[[3,4]])", "Sp(int64:[[0, 0]], int32:[1], int64:[1, 1])", None),
    (
        "tf.sets.difference(S([[0,0],[0,1]],[1,4],[1,3]),[[3,4]],aminusb=False)",
        "Sp(int64:[[0, 0]], int32:[3], int64:[1, 1])",
        None,
    ),
    (
        "tf.sets.difference([[3,4]],S([[0,0],[0,1]],[1,4],[1,3]),aminusb=False)",
        "Sp(int64:[[0, 0]], int32:[1], int64:[1, 1])",
        None,
    ),
    (
        "tf.sets.intersection([[3,4]],c([[3]],tf.int64))",
        "TypeError: Types don't match, <dtype: 'int32'> vs <dtype: 'int64'>.",
        None,
    ),
    (
        "tf.sets.intersection(c([[3,4]],tf.int32),S([[0,0]],[3],[1,3]))",
        "Sp(int64:[[0, 0]], int32:[3], int64:[1, 1])",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, {})


def test_sizes_of_a_dense_tensor_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Expected `SparseTensor`, got tf\.Tensor"):
        tf.sets.size([[1, 2]])


def test_a_dtype_that_sets_cannot_have_is_refused() -> None:
    for function in (tf.sets.union, tf.sets.intersection, tf.sets.difference):
        with pytest.raises(TypeError, match="'a' has invalid dtype `<dtype: 'float32'>` not in supported dtypes"):
            function([[1.0]], [[2.0]])
    with pytest.raises(TypeError, match="Invalid dtype `<dtype: 'float32'>` not in supported dtypes"):
        tf.sets.size(tf.sparse.from_dense([[1.0]]))


def test_a_value_of_version_1_is_a_set() -> None:
    value = tf.compat.v1.SparseTensorValue(np.int64([[0, 0], [0, 1]]), np.int32([1, 2]), np.int64([1, 2]))
    assert tf.sets.size(value).numpy().tolist() == [2]
    assert tf.compat.v1.sets.set_union(value, [[5]]).values.numpy().tolist() == [1, 2, 5]

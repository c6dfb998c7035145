"""Set operations on dense and sparse tensors."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.sparse.recorded import Record, check

SAMPLES = [
    *(
        Sample(
            "DenseToDenseSetOperation",
            (np.array([[1, 2, 2], [5, 4, 3]], d), np.array([[2, 9], [3, 3]], d)),
            {"set_operation": o},
        )
        for d, o in (("int8", "union"), ("int64", "a-b"), ("uint16", "b-a"), ("int32", "intersection"))
    ),
    Sample(
        "DenseToDenseSetOperation", (np.zeros((2, 0), np.int32), np.zeros((2, 0), np.int32)), {"set_operation": "union"}
    ),
    Sample(
        "DenseToDenseSetOperation",
        (np.array([[[b"a", b"b"]]], object), np.array([[[b"b"]]], object)),
        {"set_operation": "a-b"},
    ),
    Sample(
        "DenseToSparseSetOperation",
        (np.int32([[1, 2], [3, 4]]), np.int64([[0, 0], [1, 1]]), np.int32([2, 9]), np.int64([2, 2])),
        {"set_operation": "union"},
    ),
    Sample(
        "SparseToSparseSetOperation",
        (np.int64([[0, 0]]), np.int32([2]), np.int64([2, 2]), np.int64([[1, 1]]), np.int32([9]), np.int64([2, 4])),
        {"set_operation": "union"},
    ),
    Sample("SetSize", (np.int64([[0, 0], [1, 1]]), np.int32([2, 9]), np.int64([2, 2]))),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "R.DenseToDenseSetOperation(set1=[[1,2,2],[5,4,3]],set2=[[2,9],[3,3]],set_operation='intersection')",
        "[int64:[[0, 0], [1, 0]], int32:[2, 3], int64:[2, 1]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=[[1,2,2],[5,4,3]],set2=[[2,9],[3,3]],set_operation='union')",
        "[int64:[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]], int32:[1, 2, 9, 3, 4, 5], int64:[2, 3]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=[[1,2,2],[5,4,3]],set2=[[2,9],[3,3]],set_operation='a-b')",
        "[int64:[[0, 0], [1, 0], [1, 1]], int32:[1, 4, 5], int64:[2, 2]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=[[1,2,2],[5,4,3]],set2=[[2,9],[3,3]],set_operation='b-a')",
        "[int64:[[0, 0]], int32:[9], int64:[2, 1]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=[[1,2,2],[5,4,3]],set2=[[2,9],[3,3]],set_operation='x')",
        "InvalidArgumentError: Invalid set_operation x.",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=[1,2],set2=[2,9],set_operation='union')",
        "InvalidArgumentError: Shape [2] has rank 1 < 2",
        "ValueError: Shape must be at least rank 2 but is rank 1",
    ),
    (
        "R.DenseToDenseSetOperation(set1=3,set2=[2,9],set_operation='union')",
        "InvalidArgumentError: Shape [] has rank 0 < 2",
        "ValueError: Shape must be at least rank 2 but is rank 0",
    ),
    (
        "R.DenseToDenseSetOperation(set1=[[1,2]],set2=[2,9],set_operation='union')",
        "InvalidArgumentError: Shape [2] has rank 1 < 2",
        "ValueError: Shape must be rank 2 but is rank 1",
    ),
    (
        "R.DenseToDenseSetOperation(set1=[[1,2]],set2=[[2,9],[1,2]],set_operation='union')",
        "InvalidArgumentError: Mismatched shapes [1] vs [2]",
        "ValueError: Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1] and [2].",
    ),
    (
        "R.DenseToDenseSetOperation(set1=[['b','a']],set2=[['c','b']],set_operation='union')",
        "[int64:[[0, 0], [0, 1], [0, 2]], string:[b'a', b'b', b'c'], int64:[1, 3]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=c([[[1],[2]]],tf.uint8),set2=c([[[1],[4]]],tf.uint8),set_operation='a-b')",
        "[int64:[[0, 1, 0]], uint8:[2], int64:[1, 2, 1]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=np.zeros((0,3),np.int32),set2=np.zeros((0,2),np.int32),set_operation='union')",
        "[int64[0, 2], int32[0], int64:[0, 0]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=np.zeros((2,0),np.int32),set2=np.zeros((2,0),np.int32),set_operation='union')",
        "[int64[0, 2], int32[0], int64:[2, 0]]",
        None,
    ),
    (
        "R.DenseToDenseSetOperation(set1=c([[-5,3,-9]],tf.int8),set2=c([[0]],tf.int8),set_operation='union')",
        "[int64:[[0, 0], [0, 1], [0, 2], [0, 3]], int8:[-9, -5, 0, 3], int64:[1, 4]]",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[1,0],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "[int64:[[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], int32:[1, 2, 3, 4, 9], int64:[2, 3]]",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[1,0],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([3,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: Mismatched shapes [2] vs [3]",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[1,0],[0,0],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: indices[1] = [0,0] is out of order. Many sparse ops require sorted indices.",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[0,7],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: indices[1] = [0,7] is out of bounds: need 0 <= index < [2,2]",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[5,1]],tf.int64),set2_values=[2,3],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: indices[1] = [5,1] is out of bounds: need 0 <= index < [2,2]",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[5,1]],tf.int64),set2_values=[2,3],set2_shape=c([2,2],tf.int64),set_operation='union',validate_indices=False)",
        "[int64:[[0, 0], [0, 1], [1, 0], [1, 1]], int32:[1, 2, 3, 4], int64:[2, 2]]",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[0,0]],tf.int64),set2_values=[2,3],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: indices[1] = [0,0] is repeated",
        None,
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0,0],[1,1]],tf.int64),set2_values=[2,3,4],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: indices and values rows (indexing dimension) must match. (indices = 2, values = 3)",
        "ValueError: Number of elements in index (2) and values (3) do not match.",
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([[0],[1]],tf.int64),set2_values=[2,3],set2_shape=c([2],tf.int64),set_operation='union')",
        "InvalidArgumentError: Invalid rank 1.",
        "ValueError: Dimension must be 2 but is 1",
    ),
    (
        "R.DenseToSparseSetOperation(set1=[[1,2],[3,4]],set2_indices=c([0,1],tf.int64),set2_values=[2,3],set2_shape=c([2,2],tf.int64),set_operation='union')",
        "InvalidArgumentError: indices must be a matrix, but got: [2]",
        "ValueError: Shape must be rank 2 but is rank 1",
    ),
    (
        "R.SparseToSparseSetOperation(set1_indices=c([[0,0],[1,0],[2,0]],tf.int64),set1_values=[2,3,9],set1_shape=c([3,2],tf.int64),set2_indices=c([[0,0],[1,0],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([3,2],tf.int64),set_operation='union')",
        "[int64:[[0, 0], [1, 0], [1, 1], [2, 0]], int32:[2, 3, 9, 9], int64:[3, 2]]",
        None,
    ),
    (
        "R.SparseToSparseSetOperation(set1_indices=c([[0,0],[1,0],[2,0]],tf.int64),set1_values=[2,3,9],set1_shape=c([3,2],tf.int64),set2_indices=c([[0,0],[1,0],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([3,2],tf.int64),set_operation='a-b')",
        "[int64:[[2, 0]], int32:[9], int64:[3, 1]]",
        None,
    ),
    (
        "R.SparseToSparseSetOperation(set1_indices=c([[0,0],[1,0],[2,0]],tf.int64),set1_values=[2,3,9],set1_shape=c([3,2],tf.int64),set2_indices=c([[0,0],[1,0],[1,1]],tf.int64),set2_values=[2,3,9],set2_shape=c([4,2],tf.int64),set_operation='a-b')",
        "InvalidArgumentError: Mismatched shapes [3] vs [4]",
        None,
    ),
    (
        "R.SparseToSparseSetOperation(set1_indices=c([[0,0,1],[0,1,1],[1,2,0]],tf.int64),set1_values=[2,3,9],set1_shape=c([2,3,2],tf.int64),set2_indices=c([[0,0,0],[1,0,0]],tf.int64),set2_values=[2,3],set2_shape=c([2,3,5],tf.int64),set_operation='intersection')",
        "[int64:[[0, 0, 0]], int32:[2], int64:[2, 3, 1]]",
        None,
    ),
    (
        "R.SetSize(set_indices=c([[0,0,1],[0,1,1],[1,2,0]],tf.int64),set_values=[2,3,9],set_shape=c([2,3,2],tf.int64))",
        "int32:[[1, 1, 0], [0, 0, 1]]",
        None,
    ),
    (
        "R.SetSize(set_indices=c([[0,0],[0,1],[1,2]],tf.int64),set_values=[2,2,9],set_shape=c([2,3],tf.int64))",
        "int32:[1, 1]",
        None,
    ),
    (
        "R.SetSize(set_indices=c([[0]],tf.int64),set_values=[2],set_shape=c([2],tf.int64))",
        "InvalidArgumentError: Invalid rank 1.",
        None,
    ),
    (
        "R.SetSize(set_indices=c([[1,0],[0,1]],tf.int64),set_values=[2,2],set_shape=c([2,3],tf.int64))",
        "InvalidArgumentError: indices[1] = [0,1] is out of order. Many sparse ops require sorted indices.",
        None,
    ),
    (
        "R.SetSize(set_indices=c([[1,0],[0,1]],tf.int64),set_values=[2,2],set_shape=c([2,3],tf.int64),validate_indices=False)",
        "int32:[1, 1]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, {})


def test_values_far_apart_make_no_key_overflow() -> None:
    ends = np.iinfo(np.int64)
    result = tf.raw_ops.DenseToDenseSetOperation(
        set1=np.array([[ends.max, ends.min]] * 3), set2=np.array([[0, ends.max]] * 3), set_operation="union"
    )
    assert result.result_values.numpy().tolist() == [ends.min, 0, ends.max] * 3


@pytest.mark.parametrize("operation", ["a-b", "b-a", "intersection", "union"])
@pytest.mark.parametrize("dtype", [np.int64, object])
def test_many_sets_are_those_of_python(operation: str, dtype: type) -> None:
    generator = np.random.default_rng(0)
    first, second = generator.integers(-5, 9, (2, 40, 3, 5)), generator.integers(-5, 9, (2, 40, 3, 4))
    operations = {
        "a-b": set.difference,
        "b-a": lambda a, b: b - a,
        "intersection": set.intersection,
        "union": set.union,
    }
    expected = [
        sorted(operations[operation](set(a), set(b)))
        for a, b in zip(first.reshape(-1, 5).tolist(), second.reshape(-1, 4).tolist(), strict=True)
    ]
    to_text = np.vectorize(lambda number: b"%02d" % (number + 5), otypes=[object])
    sets = [to_text(x) if dtype is object else x for x in (first, second)]
    indices, values, shape = tf.raw_ops.DenseToDenseSetOperation(set1=sets[0], set2=sets[1], set_operation=operation)
    members = [int(v) - 5 if dtype is object else v for v in values.numpy().tolist()]
    assert members == [member for one in expected for member in one]
    assert indices.numpy().tolist() == [
        [*np.unravel_index(i, (2, 40, 3)), j] for i, one in enumerate(expected) for j in range(len(one))
    ]
    assert shape.numpy().tolist() == [2, 40, 3, max(map(len, expected))]

"""`tf.sparse.bincount`, and `tf.math.bincount` of sparse and ragged tensors."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.sparse.recorded import Record, check, sparse

RAGGED = tf.RaggedTensor.from_row_splits([1, 1, 3], [0, 2, 2, 3])
NAMES = {
    "sp": sparse([[0, 0], [0, 1], [2, 0]], [1, 1, 3], [4, 2]),
    "rg": RAGGED,
    "rg3": tf.RaggedTensor.from_row_splits(RAGGED, [0, 2, 3]),
}

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    ("tf.sparse.bincount(rg)", "Sp(int64:[[1], [3]], int32:[2, 1], int64:[4])", None),
    ("tf.sparse.bincount(rg,axis=-1)", "Sp(int64:[[0, 1], [2, 3]], int32:[2, 1], int64:[3, 4])", None),
    (
        "tf.sparse.bincount(rg,axis=-1,weights=rg.with_values([1.,2,3]))",
        "Sp(int64:[[0, 1], [2, 3]], float32:[3.0, 3.0], int64:[3, 4])",
        None,
    ),
    (
        "tf.sparse.bincount(rg,axis=0,weights=rg.with_values([1.,2,3]))",
        "Sp(int64:[[1], [3]], float32:[3.0, 3.0], int64:[4])",
        None,
    ),
    (
        "tf.sparse.bincount(rg,axis=-1,weights=[1.,2,3])",
        "ValueError: `weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument weights=[1. 2. 3.] of type: EagerTensor.",
        'ValueError: `weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument weights=Tensor("count/weights:0", shape=(3,), dtype=float32) of type: SymbolicTensor.',
    ),
    ("tf.math.bincount(rg)", "int32:[0, 2, 0, 1]", None),
    ("tf.math.bincount(rg,axis=-1)", "int32:[[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]", None),
    (
        "tf.math.bincount(rg,axis=-1,weights=rg.with_values([1.,2,3]))",
        "float32:[[0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0]]",
        None,
    ),
    ("tf.math.bincount(rg,axis=0,weights=rg.with_values([1.,2,3]))", "float32:[0.0, 3.0, 0.0, 3.0]", None),
    (
        "tf.math.bincount(rg,axis=-1,weights=[1.,2,3])",
        "ValueError: `weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument weights=[1. 2. 3.] of type: EagerTensor.",
        'ValueError: `weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument weights=Tensor("bincount/weights:0", shape=(3,), dtype=float32) of type: SymbolicTensor.',
    ),
    ("tf.math.bincount(rg,axis=-1,minlength=3,maxlength=2)", "int32:[[0, 2], [0, 0], [0, 0]]", None),
    ("tf.sparse.bincount(rg3)", "Sp(int64:[[0, 1], [2, 3]], int32:[2, 1], int64:[3, 4])", None),
    ("tf.math.bincount(rg3)", "int32:[0, 2, 0, 1]", None),
    ("tf.math.bincount(rg,binary_output=True)", "int32:[0, 1, 0, 1]", None),
    ("tf.math.bincount(rg,binary_output=True,axis=-1)", "int32:[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]", None),
    (
        "tf.math.bincount(rg,weights=rg,binary_output=True,axis=-1)",
        "ValueError: Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.",
        None,
    ),
    (
        "tf.math.bincount(rg,axis=1)",
        "ValueError: Unsupported value for argument axis=1. Only 0 and -1 are currently supported.",
        None,
    ),
    ("tf.sparse.bincount(sp)", "Sp(int64:[[1], [3]], int32:[2, 1], int64:[4])", None),
    ("tf.sparse.bincount(sp,axis=-1)", "Sp(int64:[[0, 1], [2, 3]], int32:[2, 1], int64:[4, 4])", None),
    (
        "tf.sparse.bincount(sp,axis=1)",
        "ValueError: Unsupported value for argument axis=1. Only 0 and -1 are currently supported.",
        None,
    ),
    ("tf.sparse.bincount(sp,axis=-1,minlength=6)", "Sp(int64:[[0, 1], [2, 3]], int32:[2, 1], int64:[4, 6])", None),
    ("tf.sparse.bincount(sp,axis=-1,minlength=6,maxlength=2)", "Sp(int64:[[0, 1]], int32:[2], int64:[4, 2])", None),
    (
        "tf.sparse.bincount(sp,axis=-1,binary_output=True)",
        "Sp(int64:[[0, 1], [2, 3]], int32:[1, 1], int64:[4, 4])",
        None,
    ),
    (
        "tf.sparse.bincount(sp,weights=S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]),axis=-1)",
        "Sp(int64:[[0, 1], [2, 3]], float32:[2.0, 3.0], int64:[4, 4])",
        None,
    ),
    (
        "tf.sparse.bincount(sp,weights=[[1.,2],[3,4]],axis=-1)",
        "ValueError: Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights=[[1. 2.]",
        'ValueError: Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights=Tensor("count/weights:0", shape=(2, 2), dtype=float32) of type: SymbolicTensor',
    ),
    (
        "tf.sparse.bincount(sp,weights=[1.,2,3],axis=-1)",
        "ValueError: Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights=[1. 2. 3.] of type: EagerTensor",
        'ValueError: Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights=Tensor("count/weights:0", shape=(3,), dtype=float32) of type: SymbolicTensor',
    ),
    (
        "tf.sparse.bincount(sp,weights=S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]),axis=-1,binary_output=True)",
        "ValueError: Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.",
        None,
    ),
    ("tf.sparse.bincount([[1,1],[2,3]])", "Sp(int64:[[1], [2], [3]], int32:[2, 1, 1], int64:[4])", None),
    (
        "tf.sparse.bincount([[1,1],[2,3]],axis=-1)",
        "Sp(int64:[[0, 1], [1, 2], [1, 3]], int32:[2, 1, 1], int64:[2, 4])",
        None,
    ),
    ("tf.sparse.bincount([[1,1],[2,3]],axis=None)", "Sp(int64:[[1], [2], [3]], int32:[2, 1, 1], int64:[4])", None),
    (
        "tf.sparse.bincount([[1,1],[2,3]],weights=[[1.,2],[3,4]],axis=-1)",
        "Sp(int64:[[0, 1], [1, 2], [1, 3]], float32:[3.0, 3.0, 4.0], int64:[2, 4])",
        None,
    ),
    (
        "tf.sparse.bincount([[1,1],[2,3]],weights=[[1.,2],[3,4]],axis=0)",
        "Sp(int64:[[1], [2], [3]], float32:[3.0, 3.0, 4.0], int64:[4])",
        None,
    ),
    (
        "tf.sparse.bincount([[1,1],[2,3]],weights=[1.,2],axis=0)",
        "InvalidArgumentError: Weights and data must have the same shape. Weight shape: [2]; data shape: [4]",
        "ValueError: Dimension 0 in both shapes must be equal, but are 2 and 4. Shapes are [2] and [4].",
    ),
    (
        "tf.sparse.bincount(c([1.,2.]))",
        "InvalidArgumentError: Value for attr 'T' of float is not in the list of allowed values: int32, int64",
        "TypeError: Value passed to parameter 'values' has DataType float32 not in list of allowed values: int32, int64",
    ),
    (
        "tf.sparse.bincount(c([1,2],tf.uint8))",
        "InvalidArgumentError: Value for attr 'T' of uint8 is not in the list of allowed values: int32, int64",
        "TypeError: Value passed to parameter 'values' has DataType uint8 not in list of allowed values: int32, int64",
    ),
    ("tf.math.bincount(sp)", "int32:[0, 2, 0, 1]", None),
    ("tf.math.bincount(sp,axis=-1)", "int32:[[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]", None),
    ("tf.math.bincount(sp,axis=0)", "int32:[0, 2, 0, 1]", None),
    (
        "tf.math.bincount(sp,axis=-1,minlength=6,dtype=tf.float32)",
        "float32:[[0.0, 2.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]",
        None,
    ),
    ("tf.math.bincount(sp,axis=-1,maxlength=2)", "int32:[[0, 2], [0, 0], [0, 0], [0, 0]]", None),
    (
        "tf.math.bincount(sp,axis=-1,binary_output=True)",
        "int32:[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]",
        None,
    ),
    (
        "tf.math.bincount(sp,weights=S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]),axis=-1)",
        "float32:[[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 0.0]]",
        None,
    ),
    ("tf.math.bincount(sp,weights=S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]),axis=0)", "float32:[0.0, 2.0, 0.0, 3.0]", None),
    (
        "tf.math.bincount(sp,weights=[1.,2,3],axis=-1)",
        "ValueError: Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights=[1.0, 2, 3] of type: list",
        None,
    ),
    ("tf.math.bincount(S([[0]],[1],[4]),axis=-1)", "int32:[0, 1]", None),
    ("tf.math.bincount(S([[0]],[1],[4]),axis=0)", "int32:[0, 1]", None),
    (
        "tf.math.bincount(S([[0,0,0]],[1],[4,1,1]),axis=-1)",
        "int32:[[0, 1], [0, 0], [0, 0], [0, 0]]",
        "ValueError: Input must be less than rank 2",
    ),
    ("tf.math.bincount(S([[0,0,0]],[1],[4,1,1]))", "int32:[0, 1]", None),
    ("tf.math.bincount(S([[0,0]],[-1],[4,1]),axis=-1)", "int32[4, 0]", None),
    (
        "tf.math.bincount(sp,axis=1)",
        "ValueError: Unsupported value for argument axis=1. Only 0 and -1 are currently supported.",
        None,
    ),
    ("tf.math.bincount(S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]))", "int32:[0, 2, 0, 1]", None),
    (
        "tf.math.bincount(S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]),axis=-1)",
        "int32:[[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]",
        None,
    ),
    (
        "tf.sparse.bincount(S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]),axis=-1)",
        "InvalidArgumentError: Value for attr 'T' of float is not in the list of allowed values: int32, int64",
        "TypeError: Value passed to parameter 'values' has DataType float32 not in list of allowed values: int32, int64",
    ),
    ("tf.sparse.bincount(sp,minlength=2,axis=0)", "Sp(int64:[[1], [3]], int32:[2, 1], int64:[4])", None),
    (
        "tf.sparse.bincount(sp,maxlength=2,axis=0,weights=S([[0,0],[0,1],[2,0]],[1.,1,3],[4,2]))",
        "Sp(int64:[[1]], float32:[2.0], int64:[2])",
        None,
    ),
    (
        "tf.sparse.bincount(sp,axis=-1,minlength=c(6))",
        "Sp(int64:[[0, 1], [2, 3]], int32:[2, 1], int64:[4, 6])",
        "TypeError: Expected int for argument 'minlength' not <tf.Tensor 'Const:0' shape=() dtype=int32>.",
    ),
    (
        "tf.sparse.bincount([1,2],weights=sp)",
        "ValueError: Attempt to convert a value (SparseTensor(indices=tf.Tensor(",
        "TypeError: Failed to convert elements of SparseTensor(indices=tf.Tensor(",
    ),
    (
        "tf.sparse.bincount([[1,2],[3,3]],weights=sp,axis=-1)",
        "ValueError: Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received weights=SparseTensor(indices=tf.Tensor(",
        None,
    ),
    ("tf.sparse.bincount(5)", "Sp(int64:[[5]], int32:[1], int64:[6])", None),
    (
        "tf.sparse.bincount([[[1,2]]],axis=-1)",
        "InvalidArgumentError: Input must be a 1 or 2-dimensional tensor. Got: [1,1,2]",
        None,
    ),
    ("tf.sparse.bincount([[[1,2]]],axis=0)", "Sp(int64:[[1], [2]], int32:[1, 1], int64:[3])", None),
    (
        "tf.math.bincount(S([[0,0]],c([3],tf.int64),[2,2]),axis=-1)",
        "int32:[[0, 0, 0, 1], [0, 0, 0, 0]]",
        "TypeError: len is not well defined for a symbolic Tensor (Const:0). Please call `x.shape` rather than `len(x)` for shape information.",
    ),
    ("tf.sparse.bincount(tf.zeros([0],tf.int32))", "Sp(int64[0, 1], int32[0], int64:[1])", None),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_weights_of_other_coordinates_are_refused(mode: str) -> None:
    def count(weights: Any) -> Any:
        values = sparse([[0, 0], [0, 1]], [1, 1], [4, 2])
        return tf.sparse.bincount(values, weights=weights, axis=-1)

    call = count if mode == "eager" else tf.function(count)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same indices"):
        call(sparse([[0, 0], [1, 1]], [1, 1], [4, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same dense shape"):
        call(sparse([[0, 0], [0, 1]], [1, 1], [5, 2]))


def test_bounds_below_minus_one_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'minlength' of -3"):
        tf.sparse.bincount([1], minlength=-3)


def test_a_ragged_tensor_without_numbers_has_a_column_as_tensorflow_has() -> None:
    ragged = tf.RaggedTensor.from_row_splits(tf.constant([], tf.int32), [0, 0])
    assert tf.sparse.bincount(ragged, axis=-1).dense_shape.numpy().tolist() == [1, 1]
    assert tf.sparse.bincount(ragged).dense_shape.numpy().tolist() == [1]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_sparse_counts_have_the_dtype_of_the_counted_numbers(dtype: tf.DType, axis: int | None) -> None:
    dense = tf.constant([[1, 1], [2, 3]], dtype)
    for values in (dense, tf.sparse.from_dense(dense), tf.RaggedTensor.from_tensor(dense)):
        for binary_output in (False, True):
            counts = tf.sparse.bincount(values, axis=axis, binary_output=binary_output)
            assert counts.dtype is dtype
            traced = tf.function(lambda v, b=binary_output: tf.sparse.bincount(v, axis=axis, binary_output=b))
            assert traced(values).dtype is dtype
    weighted = tf.sparse.bincount(dense, weights=tf.ones([2, 2], tf.float64), axis=axis)
    assert weighted.dtype is tf.float64

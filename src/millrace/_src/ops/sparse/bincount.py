"""`tf.sparse.bincount`, and `tf.math.bincount` of sparse and ragged tensors.

Counts over the whole tensor are those of the flat values, whatever form the tensor has. Counts of each row need an op
for each form: dense, sparse, ragged. Weights must have the form and the coordinates of the counted tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32
from millrace._src.core.overloads import overload
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.histogram import check, dense_bincount, result_length
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util.export import export


def _convert(value: Any, name: str) -> Any:
    """Returns a value as a sparse, ragged or dense tensor."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    return value if isinstance(value, (SparseTensor, RaggedTensor)) else convert_to_tensor(value, name=name)


def _check_arguments(weights: object, binary_output: bool, axis: int | None) -> None:
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")


# --- weights ---------------------------------------------------------------------------------------------------------


def _values_of_weights(values: object, weights: Any, dtype: DType) -> Tensor:
    """Returns the weights of the values of a tensor; an empty vector of a dtype where all weights are 1.

    Raises:
      ValueError: if the weights have another form than the values.
      tf.errors.InvalidArgumentError: if the weights have other coordinates.
    """
    if weights is None:
        return convert_to_tensor(np.zeros(0, as_dtype(dtype).np_dtype), name="Const")
    if isinstance(values, SparseTensor):
        return _values_of_sparse_weights(values, weights)
    if isinstance(values, RaggedTensor):
        return _values_of_ragged_weights(values, weights)
    if isinstance(weights, (SparseTensor, RaggedTensor)):
        kind = type(weights).__name__
        raise ValueError(
            f"Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received weights={weights} of type: "
            f"{kind}"
        )
    return weights


def _values_of_sparse_weights(values: SparseTensor, weights: object) -> Tensor:
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            f"Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights={weights} of "
            f"type: {type(weights).__name__}"
        )
    same = "'weights' and 'values' must have the same"
    check(_are_equal(weights.dense_shape, values.dense_shape), f"{same} dense shape.")
    check(_are_equal(weights.indices, values.indices), f"{same} indices.")
    return weights.values


def _values_of_ragged_weights(values: Any, weights: Any) -> Any:
    if not isinstance(weights, RaggedTensor):
        raise ValueError(
            "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument "
            f"weights={weights} of type: {type(weights).__name__}."
        )
    message = "'weights' and 'values' must have the same row splits."
    check(_are_equal(weights.row_splits, values.row_splits), message)
    return weights.values


def _are_equal(a: Tensor, b: Tensor) -> Tensor:
    """Compares the elements of two tensors; False if the shapes differ."""
    return raw.Equal(x=a, y=b, incompatible_shape_error=False)


# --- counts as a sparse tensor ---------------------------------------------------------------------------------------


@export("sparse.bincount")
def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts how often each integer occurs, into a sparse tensor.

    >>> counts = tf.sparse.bincount([[7, 7, 1], [1, 2, 7]], axis=-1)
    >>> tf.sparse.to_dense(counts).numpy()
    array([[0, 1, 0, 0, 0, 0, 0, 2],
           [0, 1, 1, 0, 0, 0, 0, 1]], dtype=int32)

    Args:
      values: A `Tensor`, `SparseTensor` or `RaggedTensor` of int32 or int64, not negative.
      weights: If given, each occurrence counts as its weight: a tensor of the form and shape of `values`.
      axis: 0 or None counts over the whole tensor, -1 in each row of a matrix.
      minlength: The smallest length of a row of the result, an integer.
      maxlength: The length of a row of the result, an integer; numbers from there on are ignored.
      binary_output: Whether the result only says which numbers occur, with 1.
      name: A name for the operation (optional).

    Returns: A `SparseTensor` of rank 1, or of rank 2 for `axis=-1`, of the dtype of the weights, or of `values`.
    Raises:
      ValueError: for another `axis`, `binary_output` together with weights, or weights of another form.
      tf.errors.InvalidArgumentError: if a number is negative or the weights have other coordinates.
    """
    with name_scope(name, "count"):
        values = _convert(values, "values")
        weights = None if weights is None else _convert(weights, "weights")
        _check_arguments(weights, binary_output, axis)
        facts = {
            "minlength": -1 if minlength is None else minlength,
            "maxlength": -1 if maxlength is None else maxlength,
            "binary_output": binary_output,
        }
        if axis in (None, 0):
            values, weights = _flatten(values, weights)
        return SparseTensor(*_count_rows(values, _values_of_weights(values, weights, values.dtype), facts))


def _flatten(values: Any, weights: Any) -> tuple[Any, Any]:
    """Returns the flat values and weights of tensors whose rows are counted together.

    The values of a ragged tensor that are ragged themselves stay so, as in TensorFlow.
    """
    if isinstance(values, (SparseTensor, RaggedTensor)):
        return values.values, None if weights is None else _values_of_weights(values, weights, weights.dtype)
    if weights is not None:
        weights = raw.Reshape(tensor=weights, shape=[-1])
    return raw.Reshape(tensor=values, shape=[-1]), weights


def _count_rows(values: object, weights: Tensor, facts: dict[str, Any]) -> Any:
    if isinstance(values, SparseTensor):
        parts = {"indices": values.indices, "values": values.values, "dense_shape": values.dense_shape}
        return raw.SparseCountSparseOutput(**parts, weights=weights, **facts)
    if isinstance(values, RaggedTensor):
        splits = cast(values.row_splits, "int64")
        return raw.RaggedCountSparseOutput(splits=splits, values=values.values, weights=weights, **facts)
    return raw.DenseCountSparseOutput(values=values, weights=weights, **facts)


# --- counts as a dense tensor ----------------------------------------------------------------------------------------


@overload("math.bincount", SparseTensor)
@overload("math.bincount", RaggedTensor)
def bincount_of_composite(
    arr: Any,
    weights: object = None,
    minlength: object = None,
    maxlength: object = None,
    dtype: DType = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts how often each integer occurs in a sparse or ragged tensor, or in each of its rows."""
    with name_scope(name, "bincount"):
        _check_arguments(weights, binary_output, axis)
        arr = _convert(arr, "arr")
        weights = weights if weights is None or isinstance(arr, SparseTensor) else _convert(weights, "weights")
        amounts = _values_of_weights(arr, weights, dtype)
        numbers = _numbers(arr)
        length = result_length(numbers, minlength, maxlength)
        if axis in (None, 0):
            return dense_bincount(numbers, length, amounts, binary_output=binary_output)
        facts = {"values": numbers, "size": length, "weights": amounts, "binary_output": binary_output}
        if isinstance(arr, SparseTensor):
            return raw.SparseBincount(indices=arr.indices, dense_shape=arr.dense_shape, **facts)
        return raw.RaggedBincount(splits=cast(arr.row_splits, "int64"), **facts)


def _numbers(arr: Any) -> Tensor:
    """Returns the flat values of a composite tensor as integers."""
    numbers = arr.values if isinstance(arr, SparseTensor) else arr.flat_values
    return numbers if numbers.dtype.is_integer else cast(numbers, int32)

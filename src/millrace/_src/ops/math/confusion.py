"""The confusion matrix of a classification: how often each true class was predicted as each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.joining import stack
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.histogram import check
from millrace._src.ops.math.reduce import reduce_max
from millrace._src.util.export import export


@export("math.confusion_matrix", v1=[])
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: DType = int32,
    name: str | None = None,
) -> Tensor:
    """The confusion matrix: entry (i, j) counts the examples of class i predicted as class j.

    >>> tf.math.confusion_matrix([1, 2, 2], [2, 2, 2], num_classes=3).numpy()
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 0, 2]], dtype=int32)

    Args:
      labels: A vector of the true classes, integers from 0.
      predictions: A vector of the predicted classes, as long as `labels`.
      num_classes: The number of classes; by default the largest class that occurs plus 1.
      weights: If given, each example counts as its weight; a vector as long as `labels`.
      dtype: The dtype of the matrix.
      name: A name for the operation (optional).

    Returns: A square matrix of dtype `dtype`.
    Raises:
      InvalidArgumentError: if a class is negative or not below `num_classes`.
      ValueError: if the vectors have different lengths.
    """
    with name_scope(name, "confusion_matrix"):
        predicted = cast(convert_to_tensor(predictions, name="predictions"), int64)
        true = cast(convert_to_tensor(labels, name="labels"), int64)
        true, predicted = _without_extra_axis(true, predicted)
        check(true >= 0, "`labels` contains negative values.  \nCondition x >= 0 did not hold element-wise:")
        check(predicted >= 0, "`predictions` contains negative values.  \nCondition x >= 0 did not hold element-wise:")
        if num_classes is None:
            size = raw.Maximum(x=reduce_max(predicted), y=reduce_max(true)) + 1
        else:
            size = cast(num_classes, int64)
            check(true < size, "`labels` out of bound\nCondition x < y did not hold.")
            check(predicted < size, "`predictions` out of bound\nCondition x < y did not hold.")
        target = as_dtype(dtype)
        places = stack([true, predicted], axis=1)
        counts = _weights(weights, predicted, target)
        return raw.ScatterNd(indices=places, updates=counts, shape=stack([size, size]))


def _weights(weights: Any, like: Tensor, dtype: DType) -> Any:
    if weights is None:
        return raw.Fill(dims=raw.Shape(input=like), value=np.ones((), dtype.np_dtype), name="ones_like")
    tensor = convert_to_tensor(weights, name="weights")
    if not like.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"Shapes {like.shape} and {tensor.shape} are incompatible")
    return cast(tensor, dtype)


def _without_extra_axis(labels: Tensor, predictions: Tensor) -> tuple[Tensor, Tensor]:
    """Drops a last axis of size 1 that only one of the two has."""
    label_rank, prediction_rank = labels.shape.rank, predictions.shape.rank
    if label_rank is None or prediction_rank is None or abs(label_rank - prediction_rank) != 1:
        return labels, predictions
    if label_rank > prediction_rank and labels.shape[-1] in (None, 1):
        return raw.Squeeze(input=labels, squeeze_dims=[-1]), predictions
    if prediction_rank > label_rank and predictions.shape[-1] in (None, 1):
        return labels, raw.Squeeze(input=predictions, squeeze_dims=[-1])
    return labels, predictions

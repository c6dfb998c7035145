"""The confusion matrix of a classification: how often each true class was predicted as each class.

Each pair (true class, predicted class) is a position in the matrix; the counts, or weights, are scattered there.
Classes out of range are refused by assertions.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import stack
from millrace._src.ops.array.filling import ones_like_static
from millrace._src.ops.debug.value_assertions import assert_less, assert_non_negative
from millrace._src.ops.grouping import with_dependencies
from millrace._src.ops.math.binary import maximum
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_max
from millrace._src.util.export import export


@export("math.confusion_matrix", v1=[])
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    weights: TensorLike | None = None,
    dtype: DType = int32,
    name: str | None = None,
) -> Tensor:
    """Counts classifications: entry (i, j) is the number of examples of class i predicted as class j.

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
        predicted_classes = convert_to_tensor(predictions, name="predictions")
        true_classes, predicted_classes = _without_extra_axis(
            convert_to_tensor(labels, name="labels"), predicted_classes
        )
        predicted_classes, true_classes = cast(predicted_classes, int64), cast(true_classes, int64)
        true_classes = _not_negative(true_classes, "labels")
        predicted_classes = _not_negative(predicted_classes, "predictions")
        if num_classes is None:
            num_classes = maximum(reduce_max(predicted_classes), reduce_max(true_classes)) + 1
        else:
            limit = cast(num_classes, int64)
            true_classes, predicted_classes = (
                _below(true_classes, limit, "labels"),
                _below(predicted_classes, limit, "predictions"),
            )
        target = as_dtype(dtype)
        counts = None if weights is None else _weights(weights, predicted_classes, target)
        sizes = stack([num_classes, num_classes])
        cells = stack([true_classes, predicted_classes], axis=1)
        if counts is None:
            counts = ones_like_static(predicted_classes, target)
        return raw.ScatterNd(indices=cells, updates=counts, shape=cast(sizes, int64))


def _not_negative(classes: Tensor, name: str) -> Any:
    return with_dependencies([assert_non_negative(classes, message=f"`{name}` contains negative values")], classes)


def _below(classes: Tensor, limit: Tensor, name: str) -> Any:
    return with_dependencies([assert_less(classes, limit, message=f"`{name}` out of bound")], classes)


def _weights(weights: Any, like: Tensor, dtype: DType) -> Any:
    tensor = convert_to_tensor(weights, name="weights")
    if not like.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"Shapes {like.shape} and {tensor.shape} are incompatible")
    return cast(tensor, dtype)


def _without_extra_axis(labels: Tensor, predictions: Tensor) -> tuple[Tensor, Tensor]:
    """Drops a last axis of size 1 that only one of the two has."""
    label_rank, prediction_rank = labels.shape.rank, predictions.shape.rank
    if label_rank is None or prediction_rank is None or abs(label_rank - prediction_rank) != 1:
        return labels, predictions
    with name_scope(None, "remove_squeezable_dimensions"):
        if label_rank > prediction_rank and labels.shape[-1] in (None, 1):
            return raw.Squeeze(input=labels, squeeze_dims=[-1]), predictions
        if prediction_rank > label_rank and predictions.shape[-1] in (None, 1):
            return labels, raw.Squeeze(input=predictions, squeeze_dims=[-1])
        return labels, predictions

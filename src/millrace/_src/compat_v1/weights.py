"""Weights of losses and metrics of TensorFlow 1: of one number, or broadcast to the values along dimensions of size 1.

What is known of the shapes is checked while the graph is built; the rest is an assertion in the graph.
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from millrace._src.control_flow.cond import cond
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.debug.assertion import assert_that

_REFUSED = "weights can not be broadcast to values."


def check_broadcast(weights: Any, values: Any) -> AbstractContextManager[Any]:
    """Checks that weights broadcast to values; operations within the `with` block run after the check.

    Raises: ValueError: if the static shapes do not fit.
    """
    with name_scope(None, "assert_broadcastable"):
        weights = convert_to_tensor(weights, name="weights")
        values = convert_to_tensor(values, name="values")
        if _is_known_to_fit(weights, values):
            return contextlib.nullcontext()
        return control_dependencies([_assertion(weights, values)])


def _is_known_to_fit(weights: Any, values: Any) -> bool:
    """Returns whether the static shapes say that weights broadcast; False if they leave it open."""
    inner, outer = weights.shape, values.shape
    received = f"Received weights={weights}, values={values}"
    if inner.rank == 0:
        return True
    if inner.rank is None or outer.rank is None:
        return False
    if inner.rank != outer.rank:
        raise ValueError(
            f"{_REFUSED} values.rank={outer.rank}. weights.rank={inner.rank}. "
            f"values.shape={outer}. weights.shape={inner}. {received}"
        )
    if not (inner.is_fully_defined() and outer.is_fully_defined()):
        return False
    for axis, (size, whole) in enumerate(zip(inner.as_list(), outer.as_list())):
        if size not in (1, whole):
            raise ValueError(
                f"{_REFUSED} Mismatch at dim {axis}. values.shape={np.array(outer.as_list())}, "
                f"weights.shape={np.array(inner.as_list())}. {received}"
            )
    return True


def _assertion(weights: Any, values: Any) -> Any:
    ranks = rank_of(weights), rank_of(values)
    shapes = shape_of(weights), shape_of(values)

    def dimensions_fit() -> Any:
        fits = raw.LogicalOr(x=raw.Equal(x=shapes[0], y=1), y=raw.Equal(x=shapes[0], y=shapes[1]))
        return raw.All(input=fits, reduction_indices=[0])

    def same_rank_fits() -> Any:
        return cond(raw.Equal(x=ranks[0], y=ranks[1]), dimensions_fit, lambda: convert_to_tensor(False))

    is_scalar = raw.Equal(x=ranks[0], y=0)
    is_valid = cond(is_scalar, lambda: convert_to_tensor(True), same_rank_fits, name="is_valid_shape")
    data = [_REFUSED, "weights.shape=", shapes[0], "values.shape=", shapes[1]]
    return assert_that(is_valid, data, name="AssertGuard")


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Returns weights in the shape of the values.

    Raises: ValueError: if the static shapes do not fit.
    """
    with name_scope(None, "broadcast_weights") as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        if weights.shape.is_fully_defined() and values.shape.is_fully_defined() and weights.shape == values.shape:
            return weights
        with check_broadcast(weights, values):
            result: Tensor = raw.Mul(x=weights, y=ones_like(values), name=scope)
            return result


def squeeze_like(labels: Any, predictions: Any, expected_rank_diff: int = 0) -> tuple[Any, Any]:
    """Drops the last dimension, of size 1, of labels or predictions where one has a dimension too many.

    Args:
      labels: A tensor.
      predictions: A tensor.
      expected_rank_diff: how many dimensions predictions are to have more than labels.

    Returns: The labels and the predictions. Tensors of unknown ranks stay as they are.
    """
    with name_scope(None, "remove_squeezable_dimensions"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        if labels.shape.rank is None or predictions.shape.rank is None:
            return _squeeze_in_the_graph(labels, predictions, expected_rank_diff)
        difference = predictions.shape.rank - labels.shape.rank
        if difference == expected_rank_diff + 1 and _may_be_squeezed(predictions.shape):
            predictions = raw.Squeeze(input=predictions, axis=[-1])
        elif difference == expected_rank_diff - 1 and _may_be_squeezed(labels.shape):
            labels = raw.Squeeze(input=labels, axis=[-1])
        return labels, predictions


def _may_be_squeezed(shape: TensorShape) -> bool:
    return bool(shape.rank) and shape.as_list()[-1] in (1, None)


def _squeeze_in_the_graph(labels: Any, predictions: Any, expected_rank_diff: int) -> tuple[Any, Any]:
    difference = rank_of(predictions) - rank_of(labels)
    shapes = labels.shape, predictions.shape
    if shapes[1].rank is None or _may_be_squeezed(shapes[1]):
        predictions = _squeeze_if(raw.Equal(x=expected_rank_diff + 1, y=difference), predictions)
    if shapes[0].rank is None or _may_be_squeezed(shapes[0]):
        labels = _squeeze_if(raw.Equal(x=expected_rank_diff - 1, y=difference), labels)
    return labels, predictions


def _squeeze_if(condition: Any, value: Any) -> Any:
    return cond(condition, lambda: raw.Squeeze(input=value, axis=[-1]), lambda: raw.Identity(input=value))


def fit_weights(weights: Any, values: Any) -> Any:
    """Returns weights with a dimension more or less than values, of size 1 at the end, in the rank of the values."""
    weights = convert_to_tensor(weights)
    inner, outer = weights.shape.rank, values.shape.rank
    if inner == 0 or inner is None or outer is None:
        return weights if inner == 0 else _fit_in_the_graph(weights, values)
    if inner - outer == 1:
        return raw.Squeeze(input=weights, axis=[-1])
    if outer - inner == 1:
        return raw.ExpandDims(input=weights, axis=-1)
    return weights


def _fit_in_the_graph(weights: Any, values: Any) -> Any:
    def fitted() -> Any:
        difference = rank_of(weights) - rank_of(values)

        def widened_or_same() -> Any:
            is_narrow = raw.Equal(x=difference, y=-1)
            return cond(is_narrow, lambda: raw.ExpandDims(input=weights, axis=-1), lambda: raw.Identity(input=weights))

        return cond(raw.Equal(x=difference, y=1), lambda: raw.Squeeze(input=weights, axis=[-1]), widened_or_same)

    return cond(raw.Equal(x=rank_of(weights), y=0), lambda: raw.Identity(input=weights), fitted)

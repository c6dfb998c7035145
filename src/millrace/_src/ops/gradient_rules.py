"""Parts that many gradients share.

A broadcast must be undone by sums (`unbroadcast`). A tape may let a value go that no gradient reads (`values_for`).

Tests: tests/contracts/test_every_gradient.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from millrace._src.ops import raw

_Rule = TypeVar("_Rule", bound=Callable[..., Any])


def values_for(**inputs: tuple[str, ...]) -> Callable[[_Rule], _Rule]:
    """Declares for which gradients a rule reads the value of an input; for other gradients shape and dtype are enough.

    `@values_for(x=("y",))` above a gradient: the value of `x` is read for the gradient of `y`. Where no caller wants
    the gradient of `y`, an eager tape keeps a stand-in and lets the value go. An empty tuple: the value is never read.
    """

    def declare(rule: _Rule) -> _Rule:
        rule.values_for = inputs  # type: ignore[attr-defined]  # read by autodiff's GradientPlan
        return rule

    return declare


def unbroadcast(gradient: Any, like: Any) -> Any:
    """Sums a gradient of a broadcast result back to the shape of the input `like`."""
    shape, wanted_shape = gradient.shape, like.shape
    if shape.is_fully_defined() and wanted_shape.is_fully_defined():
        if shape.dim_sizes == wanted_shape.dim_sizes:
            return gradient
        axes = _broadcast_axes(shape.as_list(), wanted_shape.as_list())
        summed_gradient = raw.Sum(input=gradient, reduction_indices=axes, keep_dims=False) if axes else gradient
        return raw.Reshape(tensor=summed_gradient, shape=wanted_shape.as_list())
    axes, _ = raw.BroadcastGradientArgs(s0=raw.Shape(input=like), s1=raw.Shape(input=gradient))
    return raw.Reshape(
        tensor=raw.Sum(input=gradient, reduction_indices=axes, keep_dims=False), shape=raw.Shape(input=like)
    )


def _broadcast_axes(shape: list[int], wanted: list[int]) -> list[int]:
    """Returns the axes of `shape` along which an array of shape `wanted` was repeated."""
    lead = len(shape) - len(wanted)
    return [*range(lead), *(i + lead for i, n in enumerate(wanted) if n == 1 and shape[i + lead] != 1)]

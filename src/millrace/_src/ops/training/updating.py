"""Applying the formula of an optimizer to variables: all of a variable, or some rows.

A row that occurs several times among the indices is updated as often, one time after the other, as TensorFlow does. The
first occurrences of all rows are one update, then the second ones, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import bfloat16, complex64, complex128, float16, float32, float64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import Effects
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text, merge, require_scalar
from millrace._src.ops.state import value_of, variable_shape_of
from millrace._src.ops.type_sets import INDEX

Rule = Callable[..., tuple[Array, ...]]
FACTS: dict[str, Any] = {
    "T": TypeSet((bfloat16, float16, float32, float64, complex64, complex128)),
    "effects": Effects.WRITES,
    "not_differentiable": "it changes variables and has no differentiable output",
    "not_batched": "it changes variables, which rows share",
}
"""The facts of an op that updates whole variables."""
ROWS_FACTS: dict[str, Any] = {**FACTS, "Tindices": INDEX, "host_only": True}
"""The facts of an op that updates rows."""


# --- shapes ----------------------------------------------------------------------------------------------------------


def _variables_shape(c: ShapeContext) -> TensorShape:
    """Merges the shapes of the variables among the inputs, and requires that the numbers are scalars."""
    shape = TensorShape(None)
    for arg, tensor in zip(c.op.signature.inputs, c.inputs, strict=True):
        if tensor.dtype.is_handle:
            shape = merge(shape, variable_shape_of(tensor))
        elif arg.name not in ("grad", "delta", "indices"):
            require_scalar(tensor.shape)
    return shape


def _gradient_shape(c: ShapeContext) -> TensorShape:
    return c.shape("grad" if "grad" in c.op.input_positions else "delta")


def shape_of_update(c: ShapeContext) -> Sequence[TensorShape]:
    """Requires that variables and gradient have one shape; returns no shapes."""
    merge(_variables_shape(c), _gradient_shape(c))
    return ()


def shape_of_rows_update(c: ShapeContext) -> Sequence[TensorShape]:
    """Requires that the gradient has a row of the variables for each index; returns no shapes."""
    variables, grad, indices = _variables_shape(c), c.shape("grad"), c.shape("indices")
    if indices.rank not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {indices.rank}")
    if grad.rank:
        merge(grad[:1], indices)
        merge(grad[1:], variables[1:] if variables.rank else TensorShape(None))
    return ()


# --- updates ---------------------------------------------------------------------------------------------------------


def _values(handles: Sequence[Array], grad: Array, scalars: Sequence[Any]) -> tuple[list[Any], list[Array]]:
    """Returns the variables behind handles and their values, which must agree in shape and dtype.

    Raises: InvalidArgumentError: if shapes or dtypes differ, or a number is not a scalar.
    """
    storages = [resource_of(handle) for handle in handles]
    values = [value_of(storage) for storage in storages]
    for value in values:
        if value.dtype != grad.dtype:
            raise invalid(f"The variables must have the dtype of the gradient, {grad.dtype}, got {value.dtype}")
        if value.shape != values[0].shape:
            raise invalid(
                f"var and its slots do not have the same shape{dims_text(values[0].shape)} {dims_text(value.shape)}"
            )
    for scalar in scalars:
        if scalar is not None and not isinstance(scalar, bool) and scalar.ndim:
            raise invalid(f"a number of the update is not a scalar: {dims_text(scalar.shape)}")
    return storages, values


def update(xp: Xp, rule: Rule, handles: Sequence[Array], grad: Array, scalars: Sequence[Any]) -> None:
    """Updates the variables behind handles by a rule."""
    storages, values = _values(handles, grad, scalars)
    if values[0].shape != grad.shape:
        raise invalid(f"var and grad do not have the same shape{dims_text(values[0].shape)} {dims_text(grad.shape)}")
    for storage, new_value in zip(storages, rule(xp, grad, *values, *scalars), strict=True):
        storage.value = xp.astype(xp.asarray(new_value), grad.dtype)


def update_rows(
    xp: Xp, rule: Rule, handles: Sequence[Array], grad: Array, indices: Array, scalars: Sequence[Any]
) -> None:
    """Updates the rows `indices` of the variables behind handles by a rule."""
    storages, values = _values(handles, grad, scalars)
    _check_rows(values[0], grad, indices)
    new_values = [value.copy() for value in values]
    for positions in _rounds(indices):
        rows = indices[positions]
        new_rows = rule(xp, grad[positions], *(value[rows] for value in new_values), *scalars)
        for value, changed in zip(new_values, new_rows, strict=True):
            value[rows] = changed
    for storage, value in zip(storages, new_values, strict=True):
        storage.value = value


def _check_rows(value: Array, grad: Array, indices: Array) -> None:
    if not value.ndim:
        raise invalid("var must be at least 1 dimensional")
    if indices.ndim != 1:
        raise invalid("indices must be one-dimensional")
    if not grad.ndim or len(grad) != len(indices):
        raise invalid("grad must be the same size as indices in the first dimension.")
    if grad.shape[1:] != value.shape[1:]:
        raise invalid(
            f"var and grad must match in dimensions other than the first: {dims_text(value.shape)} "
            f"{dims_text(grad.shape)}"
        )
    is_outside = (indices < 0) | (indices >= len(value))
    if is_outside.any():
        at = int(is_outside.argmax())
        raise invalid(f"Index {indices[at]} at offset {at} in indices is out of range")


def _rounds(indices: Array) -> list[Array]:
    """Returns the positions of the first occurrence of each index, then those of the second occurrences, and so on."""
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(indices) else order
    lengths = np.diff(np.append(starts, len(indices)))
    occurrence = np.arange(len(indices)) - np.repeat(starts, lengths)
    return [order[occurrence == number] for number in range(int(lengths.max(initial=0)))]

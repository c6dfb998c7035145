"""Pad: constants, or a tensor's own mirrored elements, around a tensor.

Constants: the tensor is written into an array of the constant, and the gradient is the part inside. Mirrored elements:
the gradient of the border is folded back onto the elements from which the border was copied.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int32
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, partial_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.shape_checks import add, dims_text, unknown_dims, with_rank
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.batching_rules import preceding
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


def _paddings(c: ShapeContext) -> list[list[int | None]] | None:
    """Returns the rows of the paddings, None where an element is unknown; None if nothing is known."""
    value = c.value("paddings")
    if value is not None:
        return [list(row) for row in value.tolist()]
    operation = getattr(c.tensors("paddings")[0], "op", None)
    if (
        operation is not None
        and operation.op_def is not None
        and operation.op_def.name == "Pack"
        and not operation.attrs.get("axis")
    ):
        rows = [partial_value(t) for t in operation.inputs]
        return [[None, None] if row is None or len(row) != 2 else row for row in rows]
    return None


def _pad_shape(c: ShapeContext, sign: int = 1) -> TensorShape:
    rows, columns = with_rank(c.shape("paddings"), 2)
    if columns not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {columns}")
    dims = c.shape("input").dim_sizes
    if dims is None:
        return unknown_dims(rows)
    if rows is not None and rows != len(dims):
        raise ValueError(f"Shape must be rank {rows} but is rank {len(dims)}")
    paddings = _paddings(c)
    if paddings is None:
        return unknown_dims(len(dims))
    for before, after in paddings:
        if (before or 0) < 0 or (after or 0) < 0:
            raise ValueError("Paddings must be non-negative")
    return TensorShape.of(
        tuple(_grow(d, before, after, sign) for d, (before, after) in zip(dims, paddings, strict=True))
    )


def _grow(dim: int | None, before: int | None, after: int | None, sign: int) -> int | None:
    if before is None or after is None:
        return None
    return add(dim, sign * (before + after))


def _validate(input: Array, paddings: Array) -> Sequence[tuple[int, int]]:
    """Returns the paddings as pairs of ints."""
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {dims_text(paddings.shape)}")
    if paddings.shape[0] != input.ndim:
        shapes = f"{dims_text(paddings.shape)} {dims_text(input.shape)}"
        raise invalid(f"The first dimension of paddings must be the rank of inputs{shapes}")
    return _pairs(paddings.tobytes(), paddings.dtype)


@functools.lru_cache(maxsize=256)
def _pairs(data: bytes, dtype: np.dtype[Any]) -> tuple[tuple[int, int], ...]:
    """Returns paddings, given by their bytes, as pairs of ints."""
    pairs = tuple([(before, after) for before, after in np.frombuffer(data, dtype).reshape(-1, 2).tolist()])
    for before, after in pairs:
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
    return pairs


# --- constant ----------------------------------------------------------------------------------------------------


def _pad_constant(xp: Xp, x: Array, pairs: Sequence[tuple[int, int]], value: Any) -> Array:
    """Puts `value` around `x`."""
    return xp.pad(x, pairs, constant_values=value) if pairs else x


@op(
    "Pad",
    "input: T, paddings: Tpaddings -> output: T",
    T=ANY,
    Tpaddings=_INDEX,
    shape=_pad_shape,
    constant_inputs=("paddings",),
    batching=preceding("paddings", [0, 0], "input"),
    exact_on_rows=True,
)
def pad_op(xp: Xp, input: Array, paddings: Array) -> Array:
    """Puts zeros around `input`."""
    return _pad_constant(xp, input, _validate(input, paddings), b"" if input.dtype.kind == "O" else 0)


@op(
    "PadV2",
    "input: T, paddings: Tpaddings, constant_values: T -> output: T",
    T=ANY,
    Tpaddings=_INDEX,
    shape=_pad_shape,
    constant_inputs=("paddings",),
    batching=preceding("paddings", [0, 0], "input"),
    exact_on_rows=True,
)
def pad_v2_op(xp: Xp, input: Array, paddings: Array, constant_values: Array) -> Array:
    """Puts a value around `input`."""
    if constant_values.ndim:
        raise invalid(f"constant_values must be a scalar. Found: {dims_text(constant_values.shape)}")
    value = constant_values[()] if input.dtype.kind == "O" else constant_values
    return _pad_constant(xp, input, _validate(input, paddings), value)


def _inner(dy: Any, input: Any, paddings: Any) -> Any:
    """Takes the part of a gradient that belongs to the tensor inside the padding."""
    begin = raw.Reshape(tensor=raw.Slice(input=paddings, begin=[0, 0], size=[-1, 1]), shape=[-1])
    return raw.Slice(input=dy, begin=begin, size=shape_tensor(input, paddings.dtype))


@pad_op.gradient
@values_for(input=())
def pad_gradient(dy: Tensor, input: Tensor, paddings: Tensor) -> tuple[Tensor, None]:
    """Takes the inner part of the gradient."""
    return _inner(dy, input, paddings), None


@pad_v2_op.gradient
@values_for(input=())
def pad_v2_gradient(dy: Tensor, input: Tensor, paddings: Tensor) -> tuple[Tensor, None, None]:
    """Takes the inner part of the gradient; no gradient for the value, as in TensorFlow."""
    return _inner(dy, input, paddings), None, None


# --- mirror ------------------------------------------------------------------------------------------------------


@op(
    "MirrorPad",
    "input: T, paddings: Tpaddings -> output: T",
    T=ANY,
    Tpaddings=_INDEX,
    shape=_pad_shape,
    constant_inputs=("paddings",),
    batching=preceding("paddings", [0, 0], "input"),
    exact_on_rows=True,
)
def mirror_pad_op(xp: Xp, input: Array, paddings: Array, *, mode: str) -> Array:
    """Puts the mirrored elements of `input` around `input`, with (SYMMETRIC) or without (REFLECT) the border."""
    pairs = _validate(input, paddings)
    for (before, after), size in zip(pairs, input.shape, strict=True):
        _check_mirror(before, after, size, mode)
    return xp.pad(input, pairs, mode=_mirror_mode(mode)) if pairs else input


def _mirror_mode(mode: str) -> str:
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise invalid(
            f'Value for attr \'mode\' of "{mode}" is not in the list of allowed values: "REFLECT", "SYMMETRIC"'
        )
    return mode.lower()


def _check_mirror(before: int, after: int, size: int, mode: str) -> None:
    if mode == "SYMMETRIC":
        if before > size or after > size:
            raise invalid(f"paddings must be no greater than the dimension size: {before}, {after} greater than {size}")
    elif before >= size or after >= size:
        raise invalid(f"paddings must be less than the dimension size: {before}, {after} not less than {size}")


@op(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings -> output: T",
    T=ANY,
    Tpaddings=_INDEX,
    shape=lambda c: _pad_shape(c, sign=-1),
    constant_inputs=("paddings",),
    batching=preceding("paddings", [0, 0], "input"),
)
def mirror_pad_grad(xp: Xp, input: Array, paddings: Array, *, mode: str) -> Array:
    """Transposes MirrorPad: folds the padding back onto the elements from which it was copied."""
    skip = 0 if _mirror_mode(mode) == "symmetric" else 1
    result = input
    for axis, (before, after) in enumerate(_validate(input, paddings)):
        result = _fold(xp, result, axis, before, after, skip)
    return result


def _fold(xp: Xp, x: Array, axis: int, before: int, after: int, skip: int) -> Array:
    """Adds the first `before` and last `after` slices of `x` along `axis`, mirrored, to the middle."""
    size = x.shape[axis] - before - after
    lead: tuple[Any, ...] = (slice(None),) * axis
    result = x[(*lead, slice(before, before + size))]
    for count, start, target in ((before, 0, skip), (after, before + size, size - after - skip)):
        if count:
            border = xp.flip(x[(*lead, slice(start, start + count))], axis)
            result = xp.scatter(result, (*lead, slice(target, target + count)), border, "add")
    return result


@mirror_pad_op.gradient
def mirror_pad_gradient(dy: Tensor, paddings: Tensor, mode: str) -> tuple[Tensor, None]:
    """Folds the gradient of the border back."""
    return raw.MirrorPadGrad(input=dy, paddings=paddings, mode=mode), None


@mirror_pad_grad.gradient
def mirror_pad_grad_gradient(dy: Tensor, paddings: Tensor, mode: str) -> tuple[Tensor, None]:
    """Differentiates the transpose, whose gradient is MirrorPad itself."""
    return mirror_pad_op(dy, paddings, mode=mode), None


# --- public ------------------------------------------------------------------------------------------------------


@export("pad", v1=[])
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Any:
    """Pads a tensor.

    >>> tf.pad([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy()
    array([[0, 0, 0],
           [1, 2, 0],
           [3, 4, 0]], dtype=int32)
    >>> tf.pad([1, 2, 3], [[2, 2]], "REFLECT").numpy()
    array([3, 2, 1, 2, 3, 2, 1], dtype=int32)

    Args:
      tensor: A Tensor of any dtype.
      paddings: an int32 or int64 matrix; row `i` is how much goes before and after dimension `i`.
      mode: "CONSTANT", "REFLECT" or "SYMMETRIC", in any case.
      constant_values: for "CONSTANT", the scalar to pad with, of the dtype of `tensor`.
      name: name of the operation.

    Returns: A Tensor of the same dtype and rank.
    Raises:
      ValueError: if `mode` is another.
      tf.errors.InvalidArgumentError: (ValueError while tracing) if the paddings do not fit.
    """
    mode, paddings = mode.upper(), index_tensor(paddings)
    if mode == "CONSTANT":
        if isinstance(constant_values, (int, float)) and constant_values == 0:
            result = pad_op(tensor, paddings, name=name)
        else:
            result = pad_v2_op(tensor, paddings, constant_values, name=name)
    elif mode in ("REFLECT", "SYMMETRIC"):
        result = mirror_pad_op(tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    return result

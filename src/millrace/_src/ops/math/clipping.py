"""Clipping of values and of norms.

`clip_by_value` bounds each element. The other functions shrink a whole tensor, or a list of gradients together, so that
the norm is at most a given number and the direction stays.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.indexed_slices import gradient_values, with_values
from millrace._src.core.op_def import Elementwise, op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like_static
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.batching_rules import scalars_aside
from millrace._src.ops.math.binary import maximum, minimum
from millrace._src.ops.math.bounds import clamp
from millrace._src.ops.math.broadcasting import reduce_to_operands, shape_text
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.element_types import NUMBER
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.ops.math.unary import sqrt
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export


@op(
    "ClipByValue",
    "t: T, clip_value_min: T, clip_value_max: T -> output: T",
    T=NUMBER,
    shape=same_shape,
    elementwise=Elementwise.ALIKE,
    batching=scalars_aside,
    exact_on_rows=True,
)
def clip_by_value_op(xp: Xp, t: Array, clip_value_min: Array, clip_value_max: Array) -> Array:
    """Bounds each element of `t` by scalars or by tensors of the shape of `t`.

    >>> tf.raw_ops.ClipByValue(t=[-1.0, 5.0], clip_value_min=0.0, clip_value_max=1.0).numpy()
    array([0., 1.], dtype=float32)
    """
    for bound in (clip_value_min, clip_value_max):
        if bound.ndim and bound.shape != t.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. "
                f"input shape: {shape_text(t.shape)}clip_value_min shape: {shape_text(clip_value_min.shape)}"
                f"clip_value_max shape: {shape_text(clip_value_max.shape)}",
            )
    if clip_value_min.ndim or clip_value_max.ndim:
        return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)
    return clamp(xp, t, clip_value_min, clip_value_max)


@clip_by_value_op.specialize
def _clip_in_own_blocks(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    """Returns the kernel as it is: `clamp` makes blocks by itself, without a copy of each."""
    return functools.partial(clip_by_value_op.op_def.kernel, xp)


@clip_by_value_op.gradient
def clip_by_value_gradient(
    doutput: Tensor, t: Tensor, clip_value_min: Tensor, clip_value_max: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    zeros = raw.ZerosLike(x=doutput)
    below, above = t < clip_value_min, t > clip_value_max
    outside = raw.LogicalOr(x=below, y=above)
    d_t = raw.SelectV2(condition=outside, t=zeros, e=doutput)
    d_min = raw.SelectV2(condition=below, t=doutput, e=zeros)
    d_max = raw.SelectV2(condition=above, t=doutput, e=zeros)
    d_min, _ = reduce_to_operands(clip_value_min, t, d_min, d_min)
    d_max, _ = reduce_to_operands(clip_value_max, t, d_max, d_max)
    return d_t, d_min, d_max


_NUMBERS = {int, float}


def _assert_compatible(x: Tensor, y: Tensor) -> None:
    if not x.shape.is_compatible_with(y.shape):
        raise ValueError(f"Shapes {x.shape} and {y.shape} are incompatible")


@export("clip_by_value", elementwise="unary")
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Any:
    """Bounds each element of `t` to lie between `clip_value_min` and `clip_value_max`.

    >>> tf.clip_by_value([[-5., -1.], [2., 10.]], clip_value_min=-1, clip_value_max=1).numpy()
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)

    Args:
      t: A `Tensor` of real numbers (or an `IndexedSlices`, of which the values are clipped).
      clip_value_min: The lower bound; a scalar or a tensor that broadcasts to the shape of `t`.
      clip_value_max: The upper bound, likewise. Where the upper bound is below the lower, the lower wins.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `t`. NaN stays NaN.
    Raises: ValueError: if the bounds have more axes than `t` or would repeat it.
    """
    with name_scope(name, "clip_by_value") as scope:
        values = convert_to_tensor(gradient_values(t), name="t")
        are_numbers = {type(clip_value_min), type(clip_value_max)} <= _NUMBERS
        is_watched = state.tapes or state.graph is not None  # the gradients of the two ops differ from that of one
        if are_numbers and not is_watched and values.dtype.is_floating:
            bounded_values = clip_by_value_op(values, clip_value_min, clip_value_max)  # one pass instead of two
        else:
            bounded_values = minimum(values, clip_value_max)
            _assert_compatible(values, bounded_values)
            bounded_values = maximum(bounded_values, clip_value_min, name=scope)
            _assert_compatible(values, bounded_values)
        return with_values(t, bounded_values)


@export("clip_by_norm")
def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: TensorLike | None = None, name: str | None = None) -> Any:
    """Scales `t` so that its Euclidean norm is at most `clip_norm`.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
      t: A `Tensor` of floating point (or an `IndexedSlices`, of which the values are clipped).
      clip_norm: The largest norm, a positive scalar (0 if it is negative).
      axes: The axes over which each norm is taken; None takes one norm of the whole tensor.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `t`.
    """
    with name_scope(name, "clip_by_norm") as scope:
        values = convert_to_tensor(gradient_values(t), name="t")
        clip_norm = _not_negative(clip_norm, values)
        squares = reduce_sum(values * values, axes, keepdims=True)
        # sqrt has no gradient at 0: where `squares` is 0, sqrt gets 1 instead and the result is not used.
        is_positive = squares > 0
        positive_squares = where_select(is_positive, squares, ones_like_static(squares))
        norm = where_select(is_positive, sqrt(positive_squares), squares)
        scaled_values = values * clip_norm
        _assert_compatible(values, scaled_values)
        clipped_values = raw.Identity(input=scaled_values / maximum(norm, clip_norm), name=scope)
        return with_values(t, clipped_values)


def _not_negative(clip_norm: Any, values: Tensor) -> Any:
    """Returns the largest norm, at least 0: a negative norm would turn `values` around.

    A tensor is cast to the dtype of `values`.
    """
    if isinstance(clip_norm, (int, float, np.floating, np.integer)):
        return max(clip_norm, 0)
    return maximum(cast(clip_norm, values.dtype), 0)


def _tensor_list(t_list: object) -> list[Any]:
    if isinstance(t_list, str) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def _values(item: Any, position: int) -> Any:
    if item is None:
        return None
    return convert_to_tensor(gradient_values(item), name=f"t_{position}")


@export("linalg.global_norm", v1=["global_norm", "linalg.global_norm"])
def global_norm(t_list: object, name: str | None = None) -> Tensor:
    """Computes the Euclidean norm of all elements of a list of tensors.

    >>> tf.linalg.global_norm([tf.constant([3.0]), tf.constant([4.0, 12.0])]).numpy()
    np.float32(13.0)

    Args:
      t_list: A list of `Tensor`s of floating point, `IndexedSlices` or None (which are skipped).
      name: A name for the operation (optional).

    Returns: A scalar `Tensor`.
    Raises: TypeError: if `t_list` is not a sequence.
    """
    items = _tensor_list(t_list)
    with name_scope(name, "global_norm"):
        tensors = [_values(item, i) for i, item in enumerate(items)]
        halves = [raw.L2Loss(t=t) for t in tensors if t is not None]
        half_squares = (
            raw.Pack(values=halves, axis=0, name="stack") if halves else convert_to_tensor(np.zeros(0, np.float32))
        )
        half_squared = reduce_sum(half_squares)
        two = convert_to_tensor(2.0, dtype=half_squared.dtype)
        return sqrt(half_squared * two, name="global_norm")


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Scales a list of tensors together so that their common Euclidean norm is at most `clip_norm`.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [t.numpy().tolist() for t in clipped], norm.numpy()
    ([[0.6000...], [0.8000...]], np.float32(5.0))

    Args:
      t_list: A list of `Tensor`s of floating point, `IndexedSlices` or None (which stay).
      clip_norm: The largest norm, a positive scalar (0 if it is negative).
      use_norm: The global norm, if it is known already (a `Tensor`).
      name: A name for the operation (optional).

    Returns: The list of scaled tensors, and the norm before. If the norm is infinite, all scaled tensors are NaN.
    Raises: TypeError: if `t_list` is not a sequence.
    """
    items = _tensor_list(t_list)
    norm = global_norm(items, name) if use_norm is None else use_norm
    with name_scope(name, "clip_by_global_norm") as scope:
        finite_scale = clip_norm * minimum(1.0 / norm, convert_to_tensor(1.0, dtype=norm.dtype) / clip_norm)
        scale = finite_scale + (norm - norm)  # adds 0, or NaN if the norm is not finite
        tensors = [_values(item, i) for i, item in enumerate(items)]
        clipped_items: list[Any] = []
        for i, (item, tensor) in enumerate(zip(items, tensors, strict=True)):
            if tensor is None:
                clipped_items.append(None)
                continue
            with contextlib.nullcontext() if state.graph is None else state.graph.colocate_with(tensor):
                scaled_tensor = raw.Identity(input=tensor * scale, name=f"{scope}{scope}_{i}")
            clipped_items.append(with_values(item, scaled_tensor))
    return clipped_items, norm

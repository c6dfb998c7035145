"""MaxPoolWithArgmax, which also gives the positions of the largest elements, and its gradients.

A position is an index into the flattened image, `(y * width + x) * channels + c`; with `include_batch_in_index` into
the flattened batch of images.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn.max_pool_ops import first_largest, max_pool
from millrace._src.ops.nn.pool_windows import REAL, pool_shape, pool_windows
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import INDEX


def _shape(c: ShapeContext) -> list[TensorShape]:
    shape = pool_shape(c, c.shape("input"), c.attr("ksize"), c.attr("strides"))
    return [shape, shape]


@op(
    "MaxPoolWithArgmax",
    "input: T -> output: T, argmax: Targmax",
    T=REAL,
    Targmax=INDEX.with_default(d.int64),
    shape=_shape,
    batching=image_batches.pool_with_positions,
)
def max_pool_with_argmax_op(
    xp: Xp,
    input: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    include_batch_in_index: bool = False,
    Targmax: DType = d.int64,
) -> tuple[Array, Array]:
    """Computes the largest element of each window and the element's position.

    >>> image = tf.reshape(tf.constant([1., 5., 3., 2.]), [1, 2, 2, 1])
    >>> y, index = tf.raw_ops.MaxPoolWithArgmax(input=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    >>> index.numpy().ravel()
    array([1])
    """
    windows = pool_windows(input.shape, ksize, strides, padding, "NHWC")
    y = max_pool(xp, input, windows)
    batch, height, width, channels = input.shape
    rows = xp.arange(y.shape[1])[:, None, None] * windows[1].stride - windows[1].before
    columns = xp.arange(y.shape[2])[None, :, None] * windows[2].stride - windows[2].before
    depths = xp.arange(y.shape[3])[None, None, :] * windows[3].stride
    index = xp.zeros(y.shape, "int64")
    for (i, j, k), first in first_largest(xp, input, y, windows):
        index = xp.where(first, ((rows + i) * width + columns + j) * channels + depths + k, index)
    if include_batch_in_index:
        index = index + xp.arange(batch)[:, None, None, None] * (height * width * channels)
    return y, xp.astype(index, Targmax.np_dtype)


@max_pool_with_argmax_op.gradient
def max_pool_with_argmax_gradient(
    dy: Tensor,
    dargmax: Tensor,
    input: Tensor,
    argmax: Tensor,
    ksize: object,
    strides: object,
    padding: str,
    include_batch_in_index: bool,
) -> Tensor:
    return raw.MaxPoolGradWithArgmax(
        input=input,
        grad=dy,
        argmax=argmax,
        ksize=ksize,
        strides=strides,
        padding=padding,
        include_batch_in_index=include_batch_in_index,
    )


def _in_whole(positions: Array, shape: tuple[int, ...], include_batch: bool) -> Array:
    """Returns positions in a whole input of this shape, from positions in one image unless `include_batch`."""
    if include_batch:
        return positions
    return positions + np.arange(shape[0])[:, None, None, None] * (shape[1] * shape[2] * shape[3])


def _refuse_positions_outside(input: Array, grad: Array, argmax: Array, *, include_batch_in_index: bool) -> None:
    if grad.shape not in (argmax.shape, input.shape) or input.ndim != 4 or argmax.ndim != 4:
        return
    index = _in_whole(argmax.astype(np.int64), input.shape, include_batch_in_index)
    if index.size and (index.min() < 0 or index.max() >= input.size):
        raise invalid(f"Invalid input grad index: {int(index.max())} is not in [0, {input.size})")


@op(
    "MaxPoolGradWithArgmax",
    "input: T, grad: T, argmax: Targmax -> output: T",
    T=REAL,
    Targmax=INDEX,
    shape=same_shape,
    checks=_refuse_positions_outside,
    batching=image_batches.pool_with_positions,
)
def max_pool_grad_with_argmax_op(
    xp: Xp,
    input: Array,
    grad: Array,
    argmax: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    include_batch_in_index: bool = False,
) -> Array:
    """Computes the gradient of MaxPoolWithArgmax: `grad` added up at the positions `argmax`."""
    if grad.shape != argmax.shape:
        raise invalid(f"grad shape {grad.shape} must equal argmax shape {argmax.shape}")
    index = xp.reshape(_in_whole(xp.astype(argmax, np.int64), input.shape, include_batch_in_index), -1)
    zeros = xp.zeros(input.size, grad.dtype)
    return xp.reshape(xp.scatter(zeros, index, xp.reshape(grad, -1), "add"), input.shape)


@max_pool_grad_with_argmax_op.gradient
def max_pool_grad_with_argmax_gradient(
    dy: Tensor,
    input: Tensor,
    argmax: Tensor,
    ksize: object,
    strides: object,
    padding: str,
    include_batch_in_index: bool,
) -> tuple[Tensor, Tensor, None]:
    second = raw.MaxPoolGradGradWithArgmax(
        input=input,
        grad=dy,
        argmax=argmax,
        ksize=ksize,
        strides=strides,
        padding=padding,
        include_batch_in_index=include_batch_in_index,
    )
    return raw.ZerosLike(x=input), second, None


def _second_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.shape("argmax")
    return shape


@op(
    "MaxPoolGradGradWithArgmax",
    "input: T, grad: T, argmax: Targmax -> output: T",
    T=REAL,
    Targmax=INDEX,
    shape=_second_shape,
    checks=_refuse_positions_outside,
    batching=image_batches.pool_with_positions,
)
def max_pool_grad_grad_with_argmax_op(
    xp: Xp,
    input: Array,
    grad: Array,
    argmax: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    include_batch_in_index: bool = False,
) -> Array:
    """Computes the gradient of MaxPoolGradWithArgmax: the elements of `grad` at the positions `argmax`."""
    if grad.shape != input.shape:
        raise invalid(f"grad shape {grad.shape} must equal input shape {input.shape}")
    index = xp.reshape(_in_whole(xp.astype(argmax, np.int64), input.shape, include_batch_in_index), -1)
    return xp.reshape(xp.reshape(grad, -1)[index], argmax.shape)


@max_pool_grad_grad_with_argmax_op.gradient
def max_pool_grad_grad_with_argmax_gradient(
    dy: Tensor,
    input: Tensor,
    argmax: Tensor,
    ksize: object,
    strides: object,
    padding: str,
    include_batch_in_index: bool,
) -> tuple[Tensor, Tensor, None]:
    back = raw.MaxPoolGradWithArgmax(
        input=input,
        grad=dy,
        argmax=argmax,
        ksize=ksize,
        strides=strides,
        padding=padding,
        include_batch_in_index=include_batch_in_index,
    )
    return raw.ZerosLike(x=input), back, None

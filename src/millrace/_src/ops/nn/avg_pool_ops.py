"""The average-pooling ops and their gradients.

Padding does not count: the sum of a window is divided by the number of its elements that are in the input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import UnimplementedError, invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math.precision import is_half
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.pool_kernels import is_small, pooling_of, tune_pool
from millrace._src.ops.nn.pool_windows import FLOAT, pool_shape, pool_windows
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.util.onednn import pooling as onednn


def _windows(
    shape: Sequence[int], ksize: object, strides: object, padding: str, data_format: str
) -> tuple[Window, ...]:
    windows = pool_windows(shape, ksize, strides, padding, data_format)
    if windows[win.layout_of(data_format).channels].kernel != 1:
        raise UnimplementedError(None, None, "Non-spatial pooling is not yet supported. Volunteers? :)")
    return windows


def _along(axis: int, index: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, index)


def _counts(w: Window) -> Any:
    """Counts the elements of each window that are in the input."""
    starts = np.arange(w.output_size) * w.stride - w.before
    return np.minimum(starts + w.kernel, w.size) - np.maximum(starts, 0)


def _divide(xp: Xp, x: Array, windows: Sequence[Window]) -> Array:
    """Divides `x` by the number of elements of each window."""
    total: Any = np.ones((), np.int64)
    for axis, w in enumerate(windows):
        if w.kernel != 1:
            shape = [1] * len(windows)
            shape[axis] = w.output_size
            total = total * _counts(w).reshape(shape)
    if total.size and (total == total.flat[0]).all():
        total = total.flat[0]
    return x / xp.asarray(total, x.dtype)


@kernel_part
def _avg_pool(xp: Xp, x: Array, windows: Sequence[Window]) -> Array:
    key = pooling_of(x.shape, windows, x)
    return _means(xp, x, windows) if is_small(key) else MEANS(key, xp, x)


@_avg_pool.kernel_for("xla")
def _means(xp: Xp, x: Array, windows: Sequence[Window]) -> Array:
    """Adds up axis by axis."""
    if is_half(x):
        return xp.astype(_means(xp, xp.astype(x, np.float32), windows), x.dtype)
    for axis, w in enumerate(windows):
        if w.kernel == w.stride == 1:
            continue
        if not w.output_size:
            x = x[_along(axis, slice(0, 0))]
            continue
        x = win.pad(xp, x, [w], 0, axis)
        total = x[_along(axis, slice(0, w.span, w.stride))]
        for o in range(1, w.kernel):
            total = total + x[_along(axis, slice(o, o + w.span, w.stride))]
        x = total
    return _divide(xp, x, windows)


@kernel_part
def _avg_pool_gradient(xp: Xp, gradient: Array, windows: Sequence[Window]) -> Array:
    """Computes the gradient of `_avg_pool`."""
    key = pooling_of([w.size for w in windows], windows, gradient)
    return _spread(xp, gradient, windows) if is_small(key) else MEANS_GRADIENT(key, xp, gradient)


@_avg_pool_gradient.kernel_for("xla")
def _spread(xp: Xp, gradient: Array, windows: Sequence[Window]) -> Array:
    """Gives each element of a window the window's divided gradient."""
    if is_half(gradient):
        return xp.astype(_spread(xp, xp.astype(gradient, np.float32), windows), gradient.dtype)
    x = _divide(xp, gradient, windows)
    for axis, w in enumerate(windows):
        if w.kernel == w.stride == 1:
            continue
        lead, tail = x.shape[:axis], x.shape[axis + 1 :]
        flat = xp.reshape(x, (int(np.prod(lead)), w.output_size, int(np.prod(tail))))
        if w.output_size and w.kernel <= w.stride:
            flat = _repeat(xp, flat, w)
        else:
            parts = (((o,), flat) for o in range(w.kernel)) if w.output_size else ()
            flat = win.overlay(xp, parts, [w], (flat.shape[0], w.size, flat.shape[2]), x.dtype)
        x = xp.reshape(flat, (*lead, w.size, *tail))
    return x


def _repeat(xp: Xp, x: Array, w: Window) -> Array:
    """Gives each window's value to the window's elements along axis 1, where windows do not overlap."""
    lead, _, tail = x.shape
    wide = xp.broadcast_to(x[:, :, None], (lead, w.output_size, w.kernel, tail))
    if w.kernel < w.stride:
        wide = xp.pad(wide, [(0, 0), (0, 0), (0, w.stride - w.kernel), (0, 0)])
    rows = xp.reshape(wide, (lead, w.output_size * w.stride, tail))[:, w.before : w.before + w.size]
    missing = w.size - rows.shape[1]
    return xp.pad(rows, [(0, 0), (0, missing), (0, 0)]) if missing else rows


def _by_library(function: Callable[[Array], Array] | None) -> Callable[[Xp, Array], Array] | None:
    return None if function is None else lambda xp, array: function(array)


MEANS = tune_pool(
    lambda pool: _by_library(onednn.bind_pooling(pool)), lambda key, xp, x: _means(xp, x, key.windows), is_mean=True
)
MEANS_GRADIENT = tune_pool(
    lambda pool: _by_library(onednn.mean_gradient(pool)),
    lambda key, xp, gradient: _spread(xp, gradient, key.windows),
    is_mean=True,
)


def _gradient(xp: Xp, name: str, sizes: Any, gradient: Array, attrs: tuple[Any, ...]) -> Array:
    like = tuple(int(n) for n in sizes.reshape(-1))
    rank = len(attrs[-1])
    if sizes.ndim != 1 or len(like) != rank:
        raise invalid(
            f"out_backprop must be {rank}-dimensional" if sizes.ndim == 1 else "orig_input_shape must be 1-dimensional"
        )
    windows = _windows(like, *attrs)
    expected = tuple(w.output_size for w in windows)
    if gradient.shape != expected:
        raise invalid(
            f"{name}: expected the gradient to have shape {list(expected)}, but it has {list(gradient.shape)}"
        )
    return _avg_pool_gradient(xp, gradient, windows)


def _shape(c: ShapeContext) -> TensorShape:
    ksize, strides = c.attr("ksize"), c.attr("strides")
    shape = c.inputs[0].shape
    result = pool_shape(c, shape, ksize, strides)
    data_format = c.attr("data_format")
    layout = win.layout_of(data_format)
    dims = result.as_list()
    dims[layout.channels] = shape.as_list()[layout.channels] if shape.rank is not None else None
    return TensorShape(dims)


def _gradient_shape(c: ShapeContext) -> TensorShape:
    shape = c.value_as_shape("orig_input_shape")
    rank = 5 if "3D" in c.op.name else 4
    if shape.rank is None:
        return TensorShape([None] * rank)
    if shape.rank != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {shape.rank}")
    return shape


@op(
    "AvgPool",
    "value: T -> output: T",
    T=FLOAT,
    shape=_shape,
    batching=folding("value"),
    library_bound=True,
    flops=flops.pooling,
)
def avg_pool_op(
    xp: Xp,
    value: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    """Computes the mean of each window of images `[batch, height, width, channels]`.

    >>> image = tf.reshape(tf.range(4.), [1, 2, 2, 1])
    >>> tf.raw_ops.AvgPool(value=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _avg_pool(xp, value, _windows(value.shape, ksize, strides, padding, data_format))


@avg_pool_op.gradient
@values_for(value=())
def avg_pool_gradient(
    dy: Tensor, value: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> Tensor:
    return raw.AvgPoolGrad(
        orig_input_shape=raw.Shape(input=value),
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )


@op(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    T=FLOAT,
    shape=_gradient_shape,
    constant_inputs=("orig_input_shape",),
    batching=image_batches.pool_gradient_of_shape,
    library_bound=True,
    flops=flops.average_pooling_gradient,
)
def avg_pool_grad_op(
    xp: Xp,
    orig_input_shape: Array,
    grad: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    """Computes the gradient of AvgPool: the gradient of each window is shared out among the window's elements."""
    return _gradient(xp, "AvgPoolGrad", orig_input_shape, grad, (ksize, strides, padding, data_format))


@avg_pool_grad_op.gradient
def avg_pool_grad_gradient(
    dy: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> tuple[None, Tensor]:
    return None, raw.AvgPool(value=dy, ksize=ksize, strides=strides, padding=padding, data_format=data_format)


@op("AvgPool3D", "input: T -> output: T", T=FLOAT, shape=_shape, batching=folding("input"), library_bound=True)
def avg_pool_3d_op(
    xp: Xp,
    input: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    """Computes the mean of each window of volumes `[batch, depth, height, width, channels]`."""
    return _avg_pool(xp, input, _windows(input.shape, ksize, strides, padding, data_format))


@avg_pool_3d_op.gradient
def avg_pool_3d_gradient(
    dy: Tensor, input: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> Tensor:
    return raw.AvgPool3DGrad(
        orig_input_shape=raw.Shape(input=input),
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )


@op(
    "AvgPool3DGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    T=FLOAT,
    shape=_gradient_shape,
    constant_inputs=("orig_input_shape",),
    batching=image_batches.pool_gradient_of_shape,
    library_bound=True,
)
def avg_pool_3d_grad_op(
    xp: Xp,
    orig_input_shape: Array,
    grad: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    """Computes the gradient of AvgPool3D: the gradient of each window is shared out among the window's elements."""
    return _gradient(xp, "AvgPool3DGrad", orig_input_shape, grad, (ksize, strides, padding, data_format))


@avg_pool_3d_grad_op.gradient
def avg_pool_3d_grad_gradient(
    dy: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> tuple[None, Tensor]:
    return None, raw.AvgPool3D(input=dy, ksize=ksize, strides=strides, padding=padding, data_format=data_format)

"""The max-pooling ops and their gradients.

The gradient goes to the first largest element of each window, row by row, as in TensorFlow. That element is found
again by comparing the window's elements, one strided slice a step, with the output. XLA's own gradient of a pool
(select-and-scatter) is several times slower on a CPU. Where the library oneDNN is found, large pools may go there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.math.precision import is_half
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.pool_kernels import Pooling, by_images, is_small, pooling_of, tune_pool
from millrace._src.ops.nn.pool_windows import REAL, pool_shape, pool_windows
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.onednn import pooling as onednn

_POOLED = TypeSet(
    (
        *(d.float16, d.bfloat16, d.float32, d.float64, d.int32, d.int64, d.uint8, d.int16, d.int8, d.uint16),
        d.qint8,
    ),
    default=d.float32,
)
_GRADED = REAL.with_default(d.float32)
_VOLUMES = TypeSet((d.float16, d.bfloat16, d.float32))


# --- arrays ----------------------------------------------------------------------------------------------------------


def _least(dtype: Any) -> Any:
    """Returns the value that is never larger than another: what padding counts as."""
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def _along(axis: int, index: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, index)


@kernel_part
def max_pool(xp: Xp, x: Array, windows: Sequence[Window]) -> Array:
    """Computes the largest element of each window."""
    key = pooling_of(x.shape, windows, x)
    return _largest(xp, x, windows) if is_small(key) else LARGEST(key, xp, x)


@max_pool.kernel_for("xla")
def _largest(xp: Xp, x: Array, windows: Sequence[Window]) -> Array:
    """Computes the largest element axis by axis."""
    for axis, w in enumerate(windows):
        if w.kernel == w.stride == 1:
            continue
        if not w.output_size:
            x = x[_along(axis, slice(0, 0))]
            continue
        x = win.pad(xp, x, [w], _least(x.dtype), axis)
        largest = x[_along(axis, slice(0, w.span, w.stride))]
        for o in range(1, w.kernel):
            largest = xp.maximum(largest, x[_along(axis, slice(o, o + w.span, w.stride))])
        x = largest
    return x


def _largest_by_library(pool: onednn.Pool) -> Callable[[Xp, Array], Array | None] | None:
    function = onednn.bind_pooling(pool)
    return None if function is None else lambda xp, x: function(x) if _is_above_infinity(x) else None


def _is_above_infinity(x: Array) -> bool:
    """Returns whether there are neither NaN nor minus infinity, of which the library makes other numbers."""
    return bool((x.astype(np.float32) if is_half(x) else x).min() > -np.inf)


LARGEST = tune_pool(_largest_by_library, lambda key, xp, x: _largest(xp, x, key.windows))


def first_largest(xp: Xp, x: Array, y: Array, windows: Sequence[Window]) -> Any:
    """Yields each offset in a window, and where the element at the offset is the window's first largest element."""
    image_windows = windows[1:]
    x = win.pad(xp, x, image_windows, _least(x.dtype))
    free: Any = None
    for offset in win.offsets(image_windows):
        is_largest = x[win.elements(offset, image_windows)] == y
        yield offset, is_largest if free is None else is_largest & free
        free = ~is_largest if free is None else free & ~is_largest


@kernel_part
def _to_largest(xp: Xp, x: Array, y: Array, gradient: Array, windows: Sequence[Window]) -> Array:
    """Computes the gradient of `max_pool`."""
    key = pooling_of(x.shape, windows, x)
    if is_small(key):
        return _to_first_largest(xp, x, y, gradient, windows)
    return LARGEST_GRADIENT(key, xp, x, y, gradient)


@_to_largest.kernel_for("xla")
def _to_first_largest(xp: Xp, x: Array, y: Array, gradient: Array, windows: Sequence[Window]) -> Array:
    zero = xp.zeros((), gradient.dtype)
    parts = ((o, xp.where(first, gradient, zero)) for o, first in first_largest(xp, x, y, windows))
    return win.overlay(xp, parts, windows[1:], x.shape, gradient.dtype)


def _gradient_by_library(pool: onednn.Pool) -> Callable[[Xp, Array, Array, Array], Array | None] | None:
    function = onednn.largest_gradient(pool)
    return None if function is None else lambda xp, x, y, gradient: function(x, y, gradient)


def _gradient_by_numpy(key: Pooling, xp: Xp, *arrays: Array) -> Array:
    return by_images(lambda *images: _to_first_largest(xp, *images, windows=key.windows), *arrays)


LARGEST_GRADIENT = tune_pool(_gradient_by_library, _gradient_by_numpy)


def _from_largest(xp: Xp, x: Array, y: Array, gradient: Array, windows: Sequence[Window]) -> Array:
    """Computes the gradient of `_to_largest`: the element of `gradient` where each window has its first largest."""
    image_windows = windows[1:]
    gradient = win.pad(xp, gradient, image_windows)
    result = xp.zeros(y.shape, gradient.dtype)
    for offset, first in first_largest(xp, x, y, windows):
        result = xp.where(first, gradient[win.elements(offset, image_windows)], result)
    return result


def _require_same(x: Array, y: Array, gradient: Array, windows: Sequence[Window], wide: bool = False) -> None:
    expected = tuple(w.output_size for w in windows)
    gradient_shape = x.shape if wide else expected
    for name, array, shape in (("orig_output", y, expected), ("grad", gradient, gradient_shape)):
        if array.shape != shape:
            raise invalid(f"Expected {name} shape to be {_dims(shape)}, but got {_dims(array.shape)}")


def _dims(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


# --- two dimensions --------------------------------------------------------------------------------------------------


def _shape(c: ShapeContext) -> TensorShape:
    return pool_shape(c, c.inputs[0].shape, c.attr("ksize"), c.attr("strides"))


def _shape_v2(c: ShapeContext) -> TensorShape:
    ksize, strides = (c.value(name) for name in ("ksize", "strides"))
    return pool_shape(c, c.shape("input"), *(None if v is None else v.tolist() for v in (ksize, strides)))


@op(
    "MaxPool",
    "input: T -> output: T",
    T=_POOLED,
    shape=_shape,
    batching=folding("input"),
    library_bound=True,
    flops=flops.pooling,
)
def max_pool_op(
    xp: Xp,
    input: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
) -> Array:
    """Computes the largest element of each window of images `[batch, height, width, channels]`.

    >>> image = tf.reshape(tf.range(4.), [1, 2, 2, 1])
    >>> tf.raw_ops.MaxPool(input=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    return max_pool(xp, input, pool_windows(input.shape, ksize, strides, padding, data_format, explicit_paddings))


@max_pool_op.gradient
def max_pool_gradient(
    dy: Tensor,
    input: Tensor,
    output: Tensor,
    ksize: object,
    strides: object,
    padding: str,
    explicit_paddings: object,
    data_format: str,
) -> Tensor:
    return raw.MaxPoolGrad(
        orig_input=input,
        orig_output=output,
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
    )


@op(
    "MaxPoolV2",
    "input: T, ksize: int32, strides: int32 -> output: T",
    T=_POOLED,
    shape=_shape_v2,
    constant_inputs=("ksize", "strides"),
    batching=folding("input"),
    library_bound=True,
)
def max_pool_v2_op(
    xp: Xp, input: Array, ksize: Array, strides: Array, *, padding: str, data_format: str = "NHWC"
) -> Array:
    """Computes MaxPool with windows given as tensors.

    >>> image = tf.reshape(tf.range(4.), [1, 2, 2, 1])
    >>> tf.raw_ops.MaxPoolV2(input=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    return max_pool(xp, input, pool_windows(input.shape, ksize, strides, padding, data_format))


@max_pool_v2_op.gradient
def max_pool_v2_gradient(
    dy: Tensor, input: Tensor, ksize: Tensor, strides: Tensor, output: Tensor, padding: str, data_format: str
) -> tuple[Tensor, None, None]:
    gradient = raw.MaxPoolGradV2(
        orig_input=input,
        orig_output=output,
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )
    return gradient, None, None


@op(
    "MaxPoolGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=_GRADED,
    shape=same_shape,
    batching=folding("orig_input", "orig_output", "grad"),
    library_bound=True,
    flops=flops.max_pooling_gradient,
    spreads_to_selected_of="MaxPool",
)
def max_pool_grad_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
) -> Array:
    """Computes the gradient of MaxPool: the gradient of each window goes to the window's first largest element."""
    windows = pool_windows(orig_input.shape, ksize, strides, padding, data_format, explicit_paddings)
    _require_same(orig_input, orig_output, grad, windows)
    return _to_largest(xp, orig_input, orig_output, grad, windows)


@max_pool_grad_op.gradient
def max_pool_grad_gradient(
    dy: Tensor,
    orig_input: Tensor,
    orig_output: Tensor,
    ksize: object,
    strides: object,
    padding: str,
    explicit_paddings: Any,
    data_format: str,
) -> tuple[Tensor, Tensor, Tensor]:
    x = orig_input
    if padding == "EXPLICIT":  # MaxPoolGradGrad has no such padding, so it gets images that are padded already
        paddings = np.reshape(explicit_paddings, [4, 2]).astype(np.int32)
        lowest = raw.Cast(x=np.float64(-np.inf), DstT=x.dtype)
        x, dy = raw.PadV2(input=x, paddings=paddings, constant_values=lowest), raw.Pad(input=dy, paddings=paddings)
        padding = "VALID"
    second = raw.MaxPoolGradGrad(
        orig_input=x,
        orig_output=orig_output,
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )
    return raw.ZerosLike(x=orig_input), raw.ZerosLike(x=orig_output), second


@op(
    "MaxPoolGradV2",
    "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
    T=_GRADED,
    shape=same_shape,
    constant_inputs=("ksize", "strides"),
    batching=folding("orig_input", "orig_output", "grad"),
    library_bound=True,
)
def max_pool_grad_v2_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    ksize: Array,
    strides: Array,
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    """Computes MaxPoolGrad with windows given as tensors."""
    windows = pool_windows(orig_input.shape, ksize, strides, padding, data_format)
    _require_same(orig_input, orig_output, grad, windows)
    return _to_largest(xp, orig_input, orig_output, grad, windows)


@max_pool_grad_v2_op.gradient
def max_pool_grad_v2_gradient(
    dy: Tensor,
    orig_input: Tensor,
    orig_output: Tensor,
    ksize: Tensor,
    strides: Tensor,
    padding: str,
    data_format: str,
) -> tuple[Tensor, Tensor, Tensor, None, None]:
    second = raw.MaxPoolGradGradV2(
        orig_input=orig_input,
        orig_output=orig_output,
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )
    return raw.ZerosLike(x=orig_input), raw.ZerosLike(x=orig_output), second, None, None


def _second_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.shape("orig_output")
    return shape


@op(
    "MaxPoolGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=REAL,
    shape=_second_shape,
    batching=folding("orig_input", "orig_output", "grad"),
)
def max_pool_grad_grad_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    """Computes the gradient of MaxPoolGrad: the elements of `grad` at each window's first largest element."""
    windows = pool_windows(orig_input.shape, ksize, strides, padding, data_format)
    _require_same(orig_input, orig_output, grad, windows, wide=True)
    return _from_largest(xp, orig_input, orig_output, grad, windows)


@max_pool_grad_grad_op.gradient
def max_pool_grad_grad_gradient(
    dy: Tensor, orig_input: Tensor, orig_output: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> tuple[Tensor, Tensor, Tensor]:
    return (
        raw.ZerosLike(x=orig_input),
        raw.ZerosLike(x=orig_output),
        raw.MaxPoolGrad(
            orig_input=orig_input,
            orig_output=orig_output,
            grad=dy,
            ksize=ksize,
            strides=strides,
            padding=padding,
            data_format=data_format,
        ),
    )


@op(
    "MaxPoolGradGradV2",
    "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
    T=REAL,
    shape=_second_shape,
    constant_inputs=("ksize", "strides"),
    batching=folding("orig_input", "orig_output", "grad"),
)
def max_pool_grad_grad_v2_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    ksize: Array,
    strides: Array,
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Array:
    """Computes MaxPoolGradGrad with windows given as tensors."""
    windows = pool_windows(orig_input.shape, ksize, strides, padding, data_format)
    _require_same(orig_input, orig_output, grad, windows, wide=True)
    return _from_largest(xp, orig_input, orig_output, grad, windows)


@max_pool_grad_grad_v2_op.gradient
def max_pool_grad_grad_v2_gradient(
    dy: Tensor,
    orig_input: Tensor,
    orig_output: Tensor,
    ksize: Tensor,
    strides: Tensor,
    padding: str,
    data_format: str,
) -> tuple[Tensor, Tensor, Tensor, None, None]:
    back = raw.MaxPoolGradV2(
        orig_input=orig_input,
        orig_output=orig_output,
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )
    return raw.ZerosLike(x=orig_input), raw.ZerosLike(x=orig_output), back, None, None


# --- three dimensions ------------------------------------------------------------------------------------------------


@op("MaxPool3D", "input: T -> output: T", T=_VOLUMES, shape=_shape, batching=folding("input"), library_bound=True)
def max_pool_3d_op(
    xp: Xp,
    input: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    """Computes the largest element of each window of volumes `[batch, depth, height, width, channels]`."""
    return max_pool(xp, input, pool_windows(input.shape, ksize, strides, padding, data_format))


@max_pool_3d_op.gradient
def max_pool_3d_gradient(
    dy: Tensor, input: Tensor, output: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> Tensor:
    return raw.MaxPool3DGrad(
        orig_input=input,
        orig_output=output,
        grad=dy,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )


@op(
    "MaxPool3DGrad",
    "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
    T=_VOLUMES.with_default(d.float32),
    TInput=_VOLUMES.with_default(d.float32),
    shape=same_shape,
    batching=folding("orig_input", "orig_output", "grad"),
    library_bound=True,
    spreads_to_selected_of="MaxPool3D",
)
def max_pool_3d_grad_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    """Computes the gradient of MaxPool3D: the gradient of each window goes to the window's first largest element."""
    windows = pool_windows(orig_input.shape, ksize, strides, padding, data_format)
    _require_same(orig_input, orig_output, grad, windows)
    return _to_largest(xp, orig_input, orig_output, grad, windows)


@max_pool_3d_grad_op.gradient
def max_pool_3d_grad_gradient(
    dy: Tensor, orig_input: Tensor, orig_output: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> tuple[Tensor, Tensor, Tensor]:
    return (
        raw.ZerosLike(x=orig_input),
        raw.ZerosLike(x=orig_output),
        raw.MaxPool3DGradGrad(
            orig_input=orig_input,
            orig_output=orig_output,
            grad=dy,
            ksize=ksize,
            strides=strides,
            padding=padding,
            data_format=data_format,
        ),
    )


@op(
    "MaxPool3DGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=REAL,
    shape=_second_shape,
    batching=folding("orig_input", "orig_output", "grad"),
)
def max_pool_3d_grad_grad_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Array:
    """Computes the gradient of MaxPool3DGrad: the elements of `grad` at each window's first largest element."""
    windows = pool_windows(orig_input.shape, ksize, strides, padding, data_format)
    _require_same(orig_input, orig_output, grad, windows, wide=True)
    return _from_largest(xp, orig_input, orig_output, grad, windows)


@max_pool_3d_grad_grad_op.gradient
def max_pool_3d_grad_grad_gradient(
    dy: Tensor, orig_input: Tensor, orig_output: Tensor, ksize: object, strides: object, padding: str, data_format: str
) -> tuple[Tensor, Tensor, Tensor]:
    return (
        raw.ZerosLike(x=orig_input),
        raw.ZerosLike(x=orig_output),
        raw.MaxPool3DGrad(
            orig_input=orig_input,
            orig_output=orig_output,
            grad=dy,
            ksize=ksize,
            strides=strides,
            padding=padding,
            data_format=data_format,
        ),
    )

"""The ops FusedBatchNorm, V2 and V3, and their gradient ops: moments and normalization in one op.

While training, an op computes the moments of the batch and moves the running moments towards them. The op also gives
the gradient op what that op needs: the batch's mean and (biased) variance as `reserve_space_1` and `reserve_space_2`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.batch_norm_kernels import (
    normalization_gradients,
    normalize_by_batch,
    normalize_by_moments,
)
from millrace._src.ops.type_sets import TypeSet

_X = TypeSet((d.float16, d.bfloat16, d.float32))
_SINGLE = TypeSet((d.float32,))
_FORMATS = ("NHWC", "NCHW", "NDHWC", "NCDHW")


# --- shapes ----------------------------------------------------------------------------------------------------------


def _channels(c: ShapeContext, name: str) -> tuple[TensorShape, int | None]:
    """Returns the shape of an input and its number of channels."""
    win.check_choice(c.op.name, "data_format", c.attr("data_format"), _FORMATS)
    rank = len(c.attr("data_format"))
    shape = c.shape(name)
    if shape.rank is None:
        return TensorShape([None] * rank), None
    if shape.rank != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {shape.rank}")
    return shape, shape.as_list()[win.layout_of(c.attr("data_format")).channels]


def _merge_vector(c: ShapeContext, name: str, size: int | None) -> int | None:
    shape = c.shape(name)
    if shape.rank is None:
        return size
    if shape.rank != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {shape.rank}")
    other = shape.as_list()[0]
    if None not in (size, other) and size != other:
        raise ValueError(f"Dimensions must be equal, but are {size} and {other}")
    return other if size is None else size


def _shape(c: ShapeContext) -> list[TensorShape]:
    x, size = _channels(c, "x")
    names = ("scale", "offset") if c.attr("is_training") else ("scale", "offset", "mean", "variance")
    for name in names:
        size = _merge_vector(c, name, size)
    dims = x.as_list()
    dims[win.layout_of(c.attr("data_format")).channels] = size
    vector = TensorShape([size])
    shapes = [TensorShape(dims), vector, vector, vector, vector]
    return [*shapes, TensorShape([])] if c.op.name.endswith("V3") else shapes


def _gradient_shape(c: ShapeContext) -> list[TensorShape]:
    _, size = _channels(c, "y_backprop")
    x, other = _channels(c, "x")
    size = _merge_vector(c, "scale", other if size is None else size)
    vector, empty = TensorShape([size]), TensorShape([0])
    return [x, vector, vector, empty, empty]


# --- kernels ---------------------------------------------------------------------------------------------------------


def _channel_axis(x: Array, data_format: str) -> int:
    win.require_choice("data_format", data_format, _FORMATS)
    if x.ndim not in (4, 5) or x.ndim != len(data_format):
        raise InvalidArgumentError(None, None, f"input must be 4 or 5-dimensional[{','.join(map(str, x.shape))}]")
    return win.layout_of(data_format).channels


def _require_vectors(size: int, training: bool, **vectors: Array) -> None:
    for name, vector in vectors.items():
        if name in ("mean", "variance") and training:
            continue
        if vector.ndim != 1:
            raise InvalidArgumentError(None, None, f"{name} must be 1-dimensional[{','.join(map(str, vector.shape))}]")
        if vector.shape[0] != size:
            when = "When is_training=false, " if name in ("mean", "variance") else ""
            raise InvalidArgumentError(
                None,
                None,
                f"{when}{name} must have the same number of elements as the channels of x, "
                f"got {vector.shape[0]} and {size}",
            )


def _normalize(xp: Xp, arrays: tuple[Array, ...], attrs: tuple[Any, ...]) -> tuple[Array, ...]:
    x, scale, offset, mean, variance = arrays
    epsilon, factor, data_format, training = attrs
    channel_axis = _channel_axis(x, data_format)
    _require_vectors(x.shape[channel_axis], training, scale=scale, offset=offset, mean=mean, variance=variance)
    x32, scale32, offset32 = (xp.astype(array, np.float32) for array in (x, scale, offset))
    how = (channel_axis, epsilon)
    if training:
        y, *moments = normalize_by_batch(xp, x32, scale32, offset32, how)
        outputs = _move(x, (mean, variance), tuple(moments), (channel_axis, factor))
    else:
        outputs = (mean, variance, mean, variance)
        moments = [xp.astype(vector, np.float32) for vector in (mean, variance)]
        y = normalize_by_moments(xp, x32, (scale32, offset32, *moments), how)
    return (xp.astype(y, x.dtype), *(xp.astype(o, scale.dtype) for o in outputs))


def _move(
    x: Array, running: tuple[Array, Array], moments: tuple[Array, ...], how: tuple[int, float]
) -> tuple[Array, ...]:
    """Returns the running moments moved towards the batch's moments, then the batch's moments."""
    channel_axis, factor = how
    count = float(np.prod([size for axis, size in enumerate(x.shape) if axis != channel_axis]))
    mean, variance = moments
    unbiased = variance * np.float32(count / max(count - 1, 1))
    if factor == 1.0:
        return mean, unbiased, mean, variance
    new, old = np.float32(factor), np.float32(1 - factor)
    return old * running[0] + new * mean, old * running[1] + new * unbiased, mean, variance


def _gradients(xp: Xp, arrays: tuple[Array, ...], attrs: tuple[Any, ...]) -> tuple[Array, ...]:
    dy, x, scale, mean, variance = arrays
    epsilon, data_format, training = attrs
    channel_axis = _channel_axis(x, data_format)
    if dy.shape != x.shape:
        raise InvalidArgumentError(
            None, None, f"x and y_backprop must have same shape, but x has {x.shape} and y_backprop {dy.shape}"
        )
    kind = mean.dtype
    dy32, x32, *vectors = (xp.astype(array, np.float32) for array in (dy, x, scale, mean, variance))
    dx, dscale, doffset = normalization_gradients(xp, dy32, x32, tuple(vectors), (channel_axis, epsilon, training))
    empty = xp.zeros((0,), kind)
    return xp.astype(dx, x.dtype), xp.astype(dscale, kind), xp.astype(doffset, kind), empty, empty


# --- ops -------------------------------------------------------------------------------------------------------------


@op(
    "FusedBatchNormV3",
    "x: T, scale: U, offset: U, mean: U, variance: U -> "
    "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
    T=_X,
    U=TypeSet((d.bfloat16, d.float32)),
    shape=_shape,
    batching=image_batches.normalization,
)
def fused_batch_norm_v3(
    xp: Xp,
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float = 1e-4,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Array, ...]:
    """Normalizes each channel: with the batch's moments while training, else with `mean` and `variance`.

    >>> x = tf.reshape(tf.constant([1., 3.]), [2, 1, 1, 1])
    >>> outputs = tf.raw_ops.FusedBatchNormV3(x=x, scale=[1.], offset=[0.], mean=[0.], variance=[1.], epsilon=0.)
    >>> outputs[0].numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    attrs = (epsilon, exponential_avg_factor, data_format, is_training)
    outputs = _normalize(xp, (x, scale, offset, mean, variance), attrs)
    return (*outputs, xp.zeros((), scale.dtype))


@op(
    "FusedBatchNormV2",
    "x: T, scale: U, offset: U, mean: U, variance: U -> "
    "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U",
    T=_X,
    U=_SINGLE,
    shape=_shape,
    batching=image_batches.normalization,
)
def fused_batch_norm_v2(
    xp: Xp,
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float = 1e-4,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Array, ...]:
    """Normalizes each channel like FusedBatchNormV3, with one output less."""
    attrs = (epsilon, exponential_avg_factor, data_format, is_training)
    return _normalize(xp, (x, scale, offset, mean, variance), attrs)


fused_batch_norm = op(
    "FusedBatchNorm",
    "x: T, scale: T, offset: T, mean: T, variance: T -> "
    "y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T",
    T=_SINGLE,
    shape=_shape,
    batching=image_batches.normalization,
)(fused_batch_norm_v2.op_def.kernel)


@op(
    "FusedBatchNormGradV3",
    "y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U -> "
    "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U",
    T=_X,
    U=_SINGLE,
    shape=_gradient_shape,
    batching=image_batches.normalization,
)
def fused_batch_norm_grad_v3(
    xp: Xp,
    y_backprop: Array,
    x: Array,
    scale: Array,
    reserve_space_1: Array,
    reserve_space_2: Array,
    reserve_space_3: Array,
    *,
    epsilon: float = 1e-4,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Array, ...]:
    """Computes the gradients of FusedBatchNormV3; the first two reserve spaces hold the mean and the variance."""
    arrays = (y_backprop, x, scale, reserve_space_1, reserve_space_2)
    return _gradients(xp, arrays, (epsilon, data_format, is_training))


@op(
    "FusedBatchNormGradV2",
    "y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U -> "
    "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U",
    T=_X,
    U=_SINGLE,
    shape=_gradient_shape,
    batching=image_batches.normalization,
)
def fused_batch_norm_grad_v2(
    xp: Xp,
    y_backprop: Array,
    x: Array,
    scale: Array,
    reserve_space_1: Array,
    reserve_space_2: Array,
    *,
    epsilon: float = 1e-4,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Array, ...]:
    """Computes the gradients of FusedBatchNormV3, with one input less."""
    arrays = (y_backprop, x, scale, reserve_space_1, reserve_space_2)
    return _gradients(xp, arrays, (epsilon, data_format, is_training))


fused_batch_norm_grad = op(
    "FusedBatchNormGrad",
    "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T -> "
    "x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T",
    T=_SINGLE,
    shape=_gradient_shape,
    batching=image_batches.normalization,
)(fused_batch_norm_grad_v2.op_def.kernel)


# --- gradients -------------------------------------------------------------------------------------------------------


def _first_order(name: str, dy: Tensor, x: Tensor, scale: Tensor, reserved: list[Any], attrs: dict[str, Any]) -> Any:
    """Computes the gradients with respect to all five inputs.

    Without training TensorFlow first moves the channels to the end.
    """
    turns = not attrs["is_training"] and attrs["data_format"].startswith("NC")
    if turns:
        last, back = (
            ([0, 2, 3, 1], [0, 3, 1, 2]) if len(attrs["data_format"]) == 4 else ([0, 2, 3, 4, 1], [0, 4, 1, 2, 3])
        )
        x, dy = raw.Transpose(x=x, perm=last, name="transpose"), raw.Transpose(x=dy, perm=last, name="transpose_1")
        attrs = {**attrs, "data_format": "NHWC" if len(last) == 4 else "NDHWC"}
    spaces = {f"reserve_space_{i}": r for i, r in enumerate(reserved, 1)}
    dx, dscale, doffset, *_ = getattr(raw, name)(y_backprop=dy, x=x, scale=scale, **spaces, **attrs)
    if turns:
        dx = raw.Transpose(x=dx, perm=back, name="transpose_2")
    return dx, dscale, doffset, None, None


@fused_batch_norm_v3.gradient
def fused_batch_norm_v3_gradient(
    dy: Tensor,
    dmean: Tensor,
    dvariance: Tensor,
    d1: Tensor,
    d2: Tensor,
    d3: Tensor,
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    reserve_space_1: Tensor,
    reserve_space_2: Tensor,
    reserve_space_3: Tensor,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> Any:
    moments = [reserve_space_1, reserve_space_2] if is_training else [mean, variance]
    attrs = {"epsilon": epsilon, "data_format": data_format, "is_training": is_training}
    scale = cast(scale, d.float32)
    return _first_order("FusedBatchNormGradV3", dy, x, scale, [*moments, reserve_space_3], attrs)


def _first_order_of(name: str) -> Callable[..., Any]:
    """Makes the gradient of an op without a third reserve space, from the name of its gradient op."""

    def gradient(
        dy: Tensor,
        dmean: Tensor,
        dvariance: Tensor,
        d1: Tensor,
        d2: Tensor,
        x: Tensor,
        scale: Tensor,
        mean: Tensor,
        variance: Tensor,
        reserve_space_1: Tensor,
        reserve_space_2: Tensor,
        epsilon: float,
        data_format: str,
        is_training: bool,
    ) -> Any:
        moments = [reserve_space_1, reserve_space_2] if is_training else [mean, variance]
        attrs = {"epsilon": epsilon, "data_format": data_format, "is_training": is_training}
        return _first_order(name, dy, x, scale, moments, attrs)

    return gradient


fused_batch_norm_v2_gradient = fused_batch_norm_v2.gradient(_first_order_of("FusedBatchNormGradV2"))
fused_batch_norm_gradient = fused_batch_norm.gradient(_first_order_of("FusedBatchNormGrad"))


class _Channels:
    """The arithmetic of the second derivative, channels last, in float32: means over all axes but the channels."""

    def __init__(self, rank: int) -> None:
        self.axes = list(range(rank - 1))

    def mean(self, v: Tensor) -> Any:
        return raw.Mean(input=v, reduction_indices=self.axes)

    def sum(self, v: Tensor) -> Any:
        return raw.Sum(input=v, reduction_indices=self.axes)

    def project(self, v: Tensor, normal: Tensor) -> Any:
        """Returns `v` without its mean and its part along the normalized input."""
        return v - self.mean(v) - normal * self.mean(v * normal)


def _second_order(
    grads: tuple[Tensor, ...], inputs: tuple[Tensor, ...], attrs: tuple[Any, ...]
) -> tuple[Any, Any, Any]:
    """Computes the gradients of the gradient op with respect to `y_backprop`, `x` and `scale`.

    With n = (x - mean) r, r = 1 / sqrt(variance + epsilon), P(v) = v - M(v) - n M(v n) and M the mean over a channel,
    the gradient op gives dx = scale r P(dy), dscale = S(dy n), doffset = S(dy). P is its own transpose, n changes
    with x by r P, and r by -r^2 n / count; the rest is the product rule.
    """
    epsilon, data_format, training = attrs
    kind, rank = inputs[1].dtype, len(data_format)
    first = data_format.startswith("NC")
    last = [0, *range(2, rank), 1] if first else list(range(rank))
    back = [0, rank - 1, *range(1, rank - 1)] if first else list(range(rank))
    a, dy, x = (cast(raw.Transpose(x=t, perm=last), d.float32) for t in (grads[0], *inputs[:2]))
    b, offset, (scale, mean, variance) = grads[1], grads[2], inputs[2:5]
    c = _Channels(rank)
    if training:  # the moments as functions of x, so that the next derivative sees the dependence
        mean = c.mean(x)
        variance = c.mean(raw.Square(x=x - mean))
    r = raw.Rsqrt(x=variance + epsilon)
    n = (x - mean) * r
    if not training:
        ddy = a * scale * r + b * n + offset
        dx, dscale = b * dy * r, c.sum(a * dy) * r
    else:
        inner = c.project(dy, n)
        ddy = scale * r * c.project(a, n) + b * n + offset
        along = -(a * c.mean(dy * n) + dy * c.mean(a * n))
        dx = r * (scale * r * (c.project(along, n) - n * c.mean(a * inner)) + c.project(b * dy, n))
        dscale = r * c.sum(a * inner)
    restored = [cast(raw.Transpose(x=t, perm=back), kind) for t in (ddy, dx)]
    return restored[0], restored[1], dscale


@fused_batch_norm_grad_v3.gradient
def fused_batch_norm_grad_v3_gradient(
    ddx: Tensor,
    ddscale: Tensor,
    ddoffset: Tensor,
    d4: Tensor,
    d5: Tensor,
    y_backprop: Tensor,
    x: Tensor,
    scale: Tensor,
    reserve_space_1: Tensor,
    reserve_space_2: Tensor,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> Any:
    inputs = (y_backprop, x, scale, reserve_space_1, reserve_space_2)
    results = _second_order((ddx, ddscale, ddoffset), inputs, (epsilon, data_format, is_training))
    return (*results, None, None, None)


@fused_batch_norm_grad.gradient
@fused_batch_norm_grad_v2.gradient
def fused_batch_norm_grad_v2_gradient(
    ddx: Tensor,
    ddscale: Tensor,
    ddoffset: Tensor,
    d3: Tensor,
    d4: Tensor,
    y_backprop: Tensor,
    x: Tensor,
    scale: Tensor,
    reserve_space_1: Tensor,
    reserve_space_2: Tensor,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> Any:
    inputs = (y_backprop, x, scale, reserve_space_1, reserve_space_2)
    results = _second_order((ddx, ddscale, ddoffset), inputs, (epsilon, data_format, is_training))
    return (*results, None, None)

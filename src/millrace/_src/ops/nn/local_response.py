"""Local response normalization: each value divided by the strength of its neighbours in the channels.

The strength is a sum of squares over a band of channels, and so is a part of the gradient; `_neighbour_sums` computes
both. Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks", 2012.
"""

from __future__ import annotations

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
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_FLOAT = TypeSet((d.float16, d.bfloat16, d.float32), default=d.float32)


def _shape(c: ShapeContext) -> TensorShape:
    shape = TensorShape([None] * 4)
    for tensor in c.inputs:
        if tensor.shape.rank not in (None, 4):
            raise ValueError(f"Shape must be rank 4 but is rank {tensor.shape.rank}")
        shape = shape.merge_with(tensor.shape)
    return shape


def _neighbour_sums(xp: Xp, x: Array, radius: int) -> Array:
    """Computes, for each channel, the sum of the channels at most `radius` away."""
    depth = x.shape[-1]
    radius = min(radius, max(depth - 1, 0))
    pads = [(0, 0)] * (x.ndim - 1) + [(radius, radius)]
    x_with_zeros = xp.pad(x, pads)
    total = x_with_zeros[..., :depth]
    for shift in range(1, 2 * radius + 1):
        total = total + x_with_zeros[..., shift : shift + depth]
    return total


def _require_images(*arrays: Array) -> None:
    for x in arrays:
        if x.ndim != 4:
            raise InvalidArgumentError(None, None, "in must be 4-dimensional")


@export("nn.local_response_normalization", "nn.lrn")
@op("LRN", "input: T -> output: T", T=_FLOAT, shape=_shape, batching=folding("input"))
def local_response_normalization(
    xp: Xp, input: Array, *, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> Array:
    """Computes `input / (bias + alpha * sum(squares of the channels at most depth_radius away)) ** beta`.

    >>> tf.nn.local_response_normalization(tf.ones([1, 1, 1, 3]), depth_radius=1).numpy().ravel()
    array([0.57735026, 0.5       , 0.57735026], dtype=float32)

    Args:
      input: A float16, bfloat16 or float32 Tensor `[batch, height, width, channels]`.
      depth_radius: how many neighbours on each side count.
      bias: keeps the divisor away from 0.
      alpha: the weight of the squares.
      beta: the exponent.

    Returns: A Tensor with the shape and dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if `input` is not of rank 4 (ValueError while tracing).
    """
    _require_images(input)

    def compute(x: Array) -> Array:
        return x * _strengths(xp, x, (depth_radius, bias, alpha)) ** np.float32(-beta)

    return in_single(xp, compute, input)


def _strengths(xp: Xp, x: Array, attrs: tuple[Any, ...]) -> Array:
    radius, bias, alpha = attrs
    return np.float32(bias) + np.float32(alpha) * _neighbour_sums(xp, x * x, radius)


@local_response_normalization.gradient
def local_response_normalization_gradient(
    dy: Tensor, input: Tensor, output: Tensor, depth_radius: int, bias: float, alpha: float, beta: float
) -> Tensor:
    return raw.LRNGrad(
        input_grads=dy,
        input_image=input,
        output_image=output,
        depth_radius=depth_radius,
        bias=bias,
        alpha=alpha,
        beta=beta,
    )


@op(
    "LRNGrad",
    "input_grads: T, input_image: T, output_image: T -> output: T",
    T=_FLOAT,
    shape=_shape,
    batching=folding("input_grads", "input_image", "output_image"),
)
def local_response_normalization_grad(
    xp: Xp,
    input_grads: Array,
    input_image: Array,
    output_image: Array,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Array:
    """Computes the gradient of LRN: `dy n^-beta - 2 alpha beta x * sum over neighbours of (dy y / n)`.

    The base of the divisor is `n = bias + alpha * sum over neighbours of x^2`.
    """
    _require_images(input_grads, input_image, output_image)

    def compute(dy: Array, x: Array, y: Array) -> Array:
        base = _strengths(xp, x, (depth_radius, bias, alpha))
        pulled = _neighbour_sums(xp, dy * y / base, depth_radius)
        return dy * base ** np.float32(-beta) - np.float32(2 * alpha * beta) * x * pulled

    return in_single(xp, compute, input_grads, input_image, output_image)


@local_response_normalization_grad.gradient
def local_response_normalization_second_gradient(
    doutput: Tensor,
    input_grads: Tensor,
    input_image: Tensor,
    output_image: Tensor,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> tuple[Tensor, Tensor, Tensor]:
    # z = dy n^-beta - k x S(dy y / n), with k = 2 alpha beta, n = bias + alpha S(x x) and S = S' the neighbour sums
    dy, x, y, k = input_grads, input_image, output_image, 2 * alpha * beta
    base = bias + alpha * _tensor_neighbour_sums(x * x, depth_radius)
    power = base**-beta
    pulled = k * _tensor_neighbour_sums(doutput * x, depth_radius) / base
    dbase = dy * y * pulled / base - beta * doutput * dy * power / base
    dx = 2 * alpha * x * _tensor_neighbour_sums(dbase, depth_radius)
    direct = k * doutput * _tensor_neighbour_sums(dy * y / base, depth_radius)
    return doutput * power - y * pulled, dx - direct, -dy * pulled


def _tensor_neighbour_sums(x: Tensor, radius: int) -> Any:
    """Computes the sums of `_neighbour_sums` with ops on tensors: a product with a band of ones."""
    depth = raw.Shape(input=x)[-1]
    ones = raw.Fill(dims=raw.Pack(values=[depth, depth]), value=raw.Cast(x=np.float32(1), DstT=x.dtype))
    reach = raw.Minimum(x=depth, y=np.int32(radius))
    return raw.BatchMatMulV2(x=x, y=raw.MatrixBandPart(input=ones, num_lower=reach, num_upper=reach))

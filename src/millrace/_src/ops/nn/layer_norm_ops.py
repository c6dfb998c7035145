"""Layer normalization and its gradients as single ops, which the optimizer makes of elementary ops.

The pass `passes/layer_normalization.py` makes these ops. They occur in no graph of a user's, so that nothing is
differentiated through them.
"""

from __future__ import annotations

import math

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.nn.layer_norm_kernels import normalize_rows, row_gradients
from millrace._src.ops.type_sets import TypeSet

_SINGLE = TypeSet((d.float32,))
_OPTIMIZED = "the optimizer makes it of other ops"


def _moments_shape(x: TensorShape) -> TensorShape:
    return x if x.rank is None else TensorShape([*x.as_list()[:-1], 1])


def _shape(c: ShapeContext) -> list[TensorShape]:
    x = c.shape("x")
    return [x, _moments_shape(x), _moments_shape(x)]


def _gradient_shape(c: ShapeContext) -> list[TensorShape]:
    return [c.shape("x"), c.shape("scale"), c.shape("scale")]


def _check_shapes(op: str, x: Array, *vectors: Array) -> tuple[int, int]:
    """Returns the shape of the matrix that an array is; raises InvalidArgumentError where vectors do not fit it."""
    if x.ndim < 2:
        raise invalid(f"{op}: x must have two axes at least; received the shape {list(x.shape)}")
    features = x.shape[-1]
    for vector in vectors:
        if tuple(vector.shape) != (features,):
            raise invalid(f"{op}: scale and offset must have the shape [{features}]; received {list(vector.shape)}")
    return math.prod(x.shape[:-1]), features


@op(
    "LayerNormalization",
    "x: T, scale: T, offset: T -> y: T, mean: T, variance: T",
    T=_SINGLE,
    shape=_shape,
    not_batched=_OPTIMIZED,
    no_gradient=_OPTIMIZED,
    is_made_by_optimizer=True,
    library_bound=True,
)
def layer_normalization_op(
    xp: Xp, x: Array, scale: Array, offset: Array, *, epsilon: float
) -> tuple[Array, Array, Array]:
    """Computes `(x - mean) / sqrt(variance + epsilon) * scale + offset` along the last axis, which the moments keep."""
    matrix = _check_shapes("LayerNormalization", x, scale, offset)
    y, mean, variance = normalize_rows(xp, xp.reshape(x, matrix), scale, offset, epsilon)
    moments = (*x.shape[:-1], 1)
    return xp.reshape(y, x.shape), xp.reshape(mean, moments), xp.reshape(variance, moments)


@op(
    "LayerNormalizationGrad",
    "y_backprop: T, x: T, scale: T, mean: T, variance: T -> x_backprop: T, scale_backprop: T, offset_backprop: T",
    T=_SINGLE,
    shape=_gradient_shape,
    not_batched=_OPTIMIZED,
    no_gradient=_OPTIMIZED,
    is_made_by_optimizer=True,
    library_bound=True,
)
def layer_normalization_grad_op(
    xp: Xp, y_backprop: Array, x: Array, scale: Array, mean: Array, variance: Array, *, epsilon: float
) -> tuple[Array, Array, Array]:
    """Computes the gradients of LayerNormalization with respect to `x`, `scale` and `offset`."""
    rows, features = _check_shapes("LayerNormalizationGrad", x, scale)
    if tuple(y_backprop.shape) != tuple(x.shape):
        raise invalid(f"LayerNormalizationGrad: y_backprop has the shape {list(y_backprop.shape)}, x {list(x.shape)}")
    dy, matrix = (xp.reshape(array, (rows, features)) for array in (y_backprop, x))
    moments = (xp.reshape(mean, (rows, 1)), xp.reshape(variance, (rows, 1)))
    dx, dscale, doffset = row_gradients(xp, dy, matrix, scale, moments, epsilon)
    return xp.reshape(dx, x.shape), dscale, doffset

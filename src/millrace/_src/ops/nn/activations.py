"""Activation functions, and the ops that are their gradients.

TensorFlow gives most activations a gradient op of its own (`ReluGrad`, `EluGrad`). Graphs name the gradient ops, so
each is an op here too, beside the activation it serves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_algebra import EpilogueStep
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.blockwise_functions import in_steps, singles
from millrace._src.ops.math.bounds import clamp, positive_parts, without_negatives, zeros_like
from millrace._src.ops.math.casting import cast
from millrace._src.ops.shape_rules import merged_shape, same_shape
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export
from millrace._src.util.single_floats import large_form

_ZERO, _ONE, _SIX = singles([0, 1, 6])
_FLOAT = TypeSet((d.float16, d.bfloat16, d.float32, d.float64))
_REAL = TypeSet(
    (
        d.float32,
        d.float64,
        d.int32,
        d.uint8,
        d.int16,
        d.int8,
        d.int64,
        d.bfloat16,
        d.uint16,
        d.float16,
        d.uint32,
        d.uint64,
    )
)
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_ALPHA = 1.7580993408473768599402175208123
"""scale * alpha, with alpha = 1.6732632423543772 (Klambauer et al., "Self-Normalizing Neural Networks", 2017)."""


def _zero(xp: Xp, x: Array) -> Array:
    return xp.zeros((), x.dtype)


@export("nn.relu", elementwise="unary")
@op(
    "Relu",
    "features: T -> activations: T",
    T=_REAL | TypeSet((d.qint8,)),
    shape=same_shape,
    epilogue_step=EpilogueStep.RELU,
)
def relu(xp: Xp, features: Array) -> Array:
    """Computes `max(features, 0)` element-wise.

    >>> tf.nn.relu([-2., 0., 3.]).numpy()
    array([0., 0., 3.], dtype=float32)

    Args: features: a Tensor of a real dtype.
    Returns: A Tensor of the same shape and dtype; NaN stays NaN.
    Raises: tf.errors.InvalidArgumentError: if `features` is of another dtype.
    """
    return without_negatives(xp, features)


@relu.specialize
def _specialize_relu(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    np_dtype = dtypes[0].np_dtype
    if np_dtype.kind == "f" and np_dtype.itemsize > 2:
        return positive_parts(xp, np_dtype)
    zero = xp.zeros((), np_dtype)
    maximum = xp.maximum
    return lambda features: maximum(features, zero) if features.size < 8192 else without_negatives(xp, features)


@relu.gradient
def relu_gradient(dy: Tensor, activations: Tensor) -> Tensor:
    return relu_grad(dy, activations)


@op("ReluGrad", "gradients: T, features: T -> backprops: T", T=_REAL, shape=merged_shape, is_gradient_mask=True)
def relu_grad(xp: Xp, gradients: Array, features: Array) -> Array:
    """Computes the gradient of `relu`: `gradients` where `features > 0`, else 0."""
    return gradients * (features > 0)


def _relu_grad_block(gradients: Array, features: Array, result: Array) -> None:
    np.copyto(result, np.greater(features, _ZERO))
    np.multiply(result, gradients, out=result)


relu_grad.specialize(in_steps(_relu_grad_block, relu_grad.op_def.kernel))


@relu_grad.gradient
def relu_grad_gradient(dy: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    return relu_grad(dy, features), raw.ZerosLike(x=features)


@export("nn.relu6", elementwise="unary")
def relu6(features: TensorLike, name: str | None = None) -> Any:
    """Computes `min(max(features, 0), 6)` element-wise.

    >>> tf.nn.relu6([-1., 3., 9.]).numpy()
    array([0., 3., 6.], dtype=float32)

    Args:
      features: a Tensor of a real dtype.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    """
    with name_scope(name, "Relu6") as scope:
        return relu6_op(convert_to_tensor(features, name="features"), name=scope)


@op("Relu6", "features: T -> activations: T", T=_REAL, shape=same_shape, epilogue_step=EpilogueStep.RELU6)
def relu6_op(xp: Xp, features: Array) -> Array:
    """Computes `min(max(features, 0), 6)` element-wise."""
    return clamp(xp, features, _zero(xp, features), xp.asarray(6, features.dtype))


@relu6_op.specialize
def _specialize_relu6(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    zero, six = xp.zeros((), dtypes[0].np_dtype), xp.asarray(6, dtypes[0].np_dtype)

    def bound(features: Array) -> Array:
        return clamp(xp, features, zero, six)  # which makes blocks by itself

    return large_form("clip", (0.0, 6.0), bound) if dtypes[0] == d.float32 else bound


@relu6_op.gradient
def relu6_gradient(dy: Tensor, activations: Tensor) -> Tensor:
    return relu6_grad(dy, activations)


@op("Relu6Grad", "gradients: T, features: T -> backprops: T", T=_REAL, shape=merged_shape, is_gradient_mask=True)
def relu6_grad(xp: Xp, gradients: Array, features: Array) -> Array:
    """Computes the gradient of `relu6`: `gradients` where `0 < features < 6`, else 0."""
    return gradients * ((features > 0) & (features < 6))


def _relu6_grad_block(gradients: Array, features: Array, result: Array) -> None:
    is_inside = np.greater(features, _ZERO)
    np.logical_and(is_inside, np.less(features, _SIX), out=is_inside)
    np.copyto(result, is_inside)
    np.multiply(result, gradients, out=result)


relu6_grad.specialize(in_steps(_relu6_grad_block, relu6_grad.op_def.kernel))


@relu6_grad.gradient
def relu6_grad_gradient(dy: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    return relu6_grad(dy, features), raw.ZerosLike(x=features)


@export("nn.leaky_relu", elementwise="unary")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """Computes `features` where positive, else `alpha * features` (Maas et al., 2013).

    >>> tf.nn.leaky_relu([-1., 2.]).numpy()
    array([-0.2,  2. ], dtype=float32)

    Args:
      features: a floating point Tensor; integers are converted to float32.
      alpha: the slope for negative features.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape.
    """
    with name_scope(name, "LeakyRelu") as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = raw.Cast(x=features, DstT=d.float32)
        if isinstance(alpha, Tensor):
            return raw.Maximum(x=alpha * features, y=features)
        return leaky_relu_op(features, alpha=alpha, name=scope)


@op("LeakyRelu", "features: T -> activations: T", T=_FLOAT.with_default(d.float32), shape=same_shape)
def leaky_relu_op(xp: Xp, features: Array, *, alpha: float = 0.2) -> Array:
    """Computes `features` where positive, else `alpha * features`."""
    slope = features * xp.asarray(alpha, features.dtype)
    return xp.maximum(features, slope) if 0 < alpha <= 1 else xp.where(features > 0, features, slope)


@leaky_relu_op.specialize
def _specialize_leaky_relu(xp: Xp, dtypes: tuple[DType, ...], attrs: Any) -> Any:
    alpha = attrs.get("alpha", 0.2)
    if not 0 < alpha <= 1:
        return None

    def compute(features: Array, result: Array) -> None:
        np.multiply(features, slope, out=result)
        np.maximum(features, result, out=result)

    slope = np.array(alpha, dtypes[0].np_dtype)
    by_steps = in_steps(compute, lambda xp, x: leaky_relu_op.op_def.kernel(xp, x, alpha=alpha))(xp, dtypes, attrs)
    return large_form("leaky_relu", (alpha,), by_steps) if dtypes[0] == d.float32 else by_steps


@leaky_relu_op.gradient
def leaky_relu_gradient(dy: Tensor, features: Tensor, alpha: float) -> Tensor:
    return leaky_relu_grad(dy, features, alpha=alpha)


@op("LeakyReluGrad", "gradients: T, features: T -> backprops: T", T=_FLOAT.with_default(d.float32), shape=merged_shape)
def leaky_relu_grad(xp: Xp, gradients: Array, features: Array, *, alpha: float = 0.2) -> Array:
    """Computes the gradient of `leaky_relu`: `gradients` where `features > 0`, else `alpha * gradients`."""
    return xp.where(features > 0, gradients, gradients * xp.asarray(alpha, gradients.dtype))


@leaky_relu_grad.gradient
def leaky_relu_grad_gradient(dy: Tensor, features: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    return leaky_relu_grad(dy, features, alpha=alpha), raw.ZerosLike(x=features)


@export("nn.elu", elementwise="unary")
@op("Elu", "features: T -> activations: T", T=_FLOAT, shape=same_shape)
def elu(xp: Xp, features: Array) -> Array:
    """Computes `features` where positive, else `exp(features) - 1` (Clevert et al., 2015).

    >>> tf.nn.elu([-1., 2.]).numpy()
    array([-0.63212055,  2.        ], dtype=float32)

    Args: features: a floating point Tensor.
    Returns: A Tensor of the same shape and dtype.
    """
    zero = _zero(xp, features)
    return clamp(xp, features, zero, None) + xp.expm1(clamp(xp, features, None, zero))


def _elu_block(features: Array, result: Array) -> None:
    np.minimum(features, zeros_like(features), out=result)
    np.expm1(result, out=result)
    np.maximum(features, result, out=result)  # for x below 0 exp(x) - 1 is above x


elu.specialize(in_steps(_elu_block, elu.op_def.kernel))


@elu.gradient
def elu_gradient(dy: Tensor, activations: Tensor) -> Tensor:
    return elu_grad(dy, activations)


@op("EluGrad", "gradients: T, outputs: T -> backprops: T", T=_FLOAT, shape=merged_shape)
def elu_grad(xp: Xp, gradients: Array, outputs: Array) -> Array:
    """Computes the gradient of `elu` from the output of `elu`."""
    return xp.where(outputs < 0, gradients * (outputs + xp.ones((), outputs.dtype)), gradients)


@elu_grad.gradient
def elu_grad_gradient(dy: Tensor, gradients: Tensor, outputs: Tensor) -> tuple[Tensor, Tensor]:
    return elu_grad(dy, outputs), raw.SelectV2(condition=outputs < 0, t=dy * gradients, e=raw.ZerosLike(x=outputs))


@export("nn.selu", elementwise="unary")
@op("Selu", "features: T -> activations: T", T=_FLOAT, shape=same_shape)
def selu(xp: Xp, features: Array) -> Array:
    """Computes `scale * features` where positive, else `scale * alpha * (exp(features) - 1)`.

    The constants keep mean and variance of activations (Klambauer et al., "Self-Normalizing Neural Networks", 2017).

    >>> tf.nn.selu([-1., 2.]).numpy()
    array([-1.1113307,  2.101402 ], dtype=float32)

    Args: features: a floating point Tensor.
    Returns: A Tensor of the same shape and dtype.
    """
    zero, scale, alpha = (xp.asarray(number, features.dtype) for number in (0, _SELU_SCALE, _SELU_ALPHA))
    return clamp(xp, features, zero, None) * scale + alpha * xp.expm1(clamp(xp, features, None, zero))


def _selu_block(features: Array, result: Array) -> None:
    zeros = zeros_like(features)
    np.minimum(features, zeros, out=result)
    np.expm1(result, out=result)
    np.multiply(result, features.dtype.type(_SELU_ALPHA), out=result)
    positive = np.maximum(features, zeros)
    np.multiply(positive, features.dtype.type(_SELU_SCALE), out=positive)
    np.add(result, positive, out=result)


selu.specialize(in_steps(_selu_block, selu.op_def.kernel))


@selu.gradient
def selu_gradient(dy: Tensor, activations: Tensor) -> Tensor:
    return selu_grad(dy, activations)


@op("SeluGrad", "gradients: T, outputs: T -> backprops: T", T=_FLOAT, shape=merged_shape)
def selu_grad(xp: Xp, gradients: Array, outputs: Array) -> Array:
    """Computes the gradient of `selu` from the output of `selu`."""
    scale, alpha = xp.asarray(_SELU_SCALE, outputs.dtype), xp.asarray(_SELU_ALPHA, outputs.dtype)
    return gradients * xp.where(outputs < 0, outputs + alpha, scale)


@selu_grad.gradient
def selu_grad_gradient(dy: Tensor, gradients: Tensor, outputs: Tensor) -> tuple[Tensor, Tensor]:
    return selu_grad(dy, outputs), raw.SelectV2(condition=outputs < 0, t=dy * gradients, e=raw.ZerosLike(x=outputs))


@export("nn.softsign", "math.softsign", elementwise="unary")
@op("Softsign", "features: T -> activations: T", T=_FLOAT, shape=same_shape)
def softsign(xp: Xp, features: Array) -> Array:
    """Computes `features / (1 + |features|)`.

    >>> tf.nn.softsign([-1., 3.]).numpy()
    array([-0.5 ,  0.75], dtype=float32)

    Args: features: a floating point Tensor.
    Returns: A Tensor of the same shape and dtype.
    """
    return features / (xp.ones((), features.dtype) + xp.abs(features))


def _softsign_block(features: Array, result: Array) -> None:
    np.abs(features, out=result)
    np.add(result, _ONE, out=result)
    np.divide(features, result, out=result)


softsign.specialize(in_steps(_softsign_block, softsign.op_def.kernel))


@softsign.gradient
def softsign_gradient(dy: Tensor, features: Tensor) -> Tensor:
    return softsign_grad(dy, features)


@op("SoftsignGrad", "gradients: T, features: T -> backprops: T", T=_FLOAT, shape=merged_shape)
def softsign_grad(xp: Xp, gradients: Array, features: Array) -> Array:
    """Computes the gradient of `softsign`: `gradients / (1 + |features|)^2`."""
    return gradients / xp.square(xp.ones((), features.dtype) + xp.abs(features))


def _softsign_grad_block(gradients: Array, features: Array, result: Array) -> None:
    np.abs(features, out=result)
    np.add(result, _ONE, out=result)
    np.square(result, out=result)
    np.divide(gradients, result, out=result)


softsign_grad.specialize(in_steps(_softsign_grad_block, softsign_grad.op_def.kernel))


@softsign_grad.gradient
def softsign_grad_gradient(dy: Tensor, gradients: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    base = 1 + raw.Abs(x=features)
    return softsign_grad(dy, features), -2 * dy * gradients * raw.Sign(x=features) / (base * base * base)


@export("nn.gelu", elementwise="unary")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Computes `features * P(X <= features)` for a standard normal X (Hendrycks & Gimpel, 2016).

    >>> tf.nn.gelu([-1., 2.]).numpy()
    array([-0.15865526,  1.9544997 ], dtype=float32)

    Args:
      features: a floating point Tensor.
      approximate: whether to use the tanh approximation `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: ValueError: if `features` is not floating point.
    """
    with name_scope(name, "Gelu"):
        features = convert_to_tensor(features, name="features")
        if not features.dtype.is_floating:
            raise ValueError(
                f"`features.dtype` must be a floating point tensor.Received:features.dtype={features.dtype}"
            )
        if approximate:
            coefficient = cast(0.044715, features.dtype)
            half = 0.5 * features
            argument = 0.7978845608028654 * (features + coefficient * raw.Pow(x=features, y=3))
            return half * (1.0 + raw.Tanh(x=argument))
        half, negative = 0.5 * features, -features
        return half * raw.Erfc(x=negative * cast(0.7071067811865476, features.dtype))


@export("nn.silu", "nn.swish", elementwise="unary")
def silu(features: Any, beta: float = 1.0) -> Any:
    """Computes `features * sigmoid(beta * features)` (Elfwing et al., 2017; Ramachandran et al., "Swish", 2017).

    >>> tf.nn.silu([-1., 2.]).numpy().round(4)
    array([-0.2689,  1.7616], dtype=float32)

    Args:
      features: a floating point Tensor.
      beta: the slope inside the sigmoid, a number or Tensor.

    Returns: A Tensor of the same shape and dtype.
    """
    features = convert_to_tensor(features, name="features")
    beta = convert_to_tensor(beta, dtype=features.dtype, name="beta")
    return features * raw.Sigmoid(x=beta * features)


@export("nn.crelu", v1=[])
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """Concatenates `relu(features)` and `relu(-features)` (Shang et al., 2016).

    >>> tf.nn.crelu([-1., 2.]).numpy()
    array([0., 2., 1., 0.], dtype=float32)

    Args:
      features: a Tensor of a real dtype.
      axis: where the two parts are joined; that dimension doubles.
      name: name of the operation in a graph.

    Returns: A Tensor of the same dtype.
    """
    with name_scope(name, "CRelu") as scope:
        features = convert_to_tensor(features, name="features")
        return relu(raw.ConcatV2(values=[features, -features], axis=axis, name=scope))

"""`tf.nn.bias_add`: one number a channel, added to all elements of the channel.

A graph names the ops BiasAdd, BiasAddV1 and BiasAddGrad, so they are ops here too. The gradient with respect to the
bias is a sum over all axes but the channels.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.op_algebra import EpilogueStep
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.math.element_types import NUMBER
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn.sliding_windows import check_choice, require_choice
from millrace._src.util.export import export

_FORMATS = ("NHWC", "NCHW")


def _channel_axis(rank: int, data_format: str) -> int:
    """Returns the axis of the channels; images with channels first have the channels before two or three dimensions."""
    return max(rank - 1 if data_format != "NCHW" else 1, 1)


def _shape(c: ShapeContext) -> TensorShape:
    data_format = c.attrs.get("data_format", "NHWC")
    check_choice(c.op.name, "data_format", data_format, _FORMATS)
    value, bias = c.shape("value"), c.shape("bias")
    if bias.rank not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {bias.rank}")
    if value.rank is None:
        return value
    least = 3 if data_format == "NCHW" else 2
    if value.rank < least:
        raise ValueError(f"Shape must be at least rank {least} but is rank {value.rank}")
    axis = _channel_axis(value.rank, data_format)
    dims = value.as_list()
    size = bias.as_list()[0] if bias.rank is not None else None
    if None not in (dims[axis], size) and dims[axis] != size:
        raise ValueError(f"Dimensions must be equal, but are {dims[axis]} and {size}")
    dims[axis] = size if dims[axis] is None else dims[axis]
    return TensorShape.of(tuple(dims))


def _gradient_shape(c: ShapeContext) -> TensorShape:
    shape = c.shape("out_backprop")
    check_choice(c.op.name, "data_format", c.attr("data_format"), _FORMATS)
    if shape.rank is None:
        return TensorShape([None])
    least = 3 if c.attr("data_format") == "NCHW" else 2
    if shape.rank < least:
        raise ValueError(f"Shape must be at least rank {least} but is rank {shape.rank}")
    return TensorShape([shape.as_list()[_channel_axis(shape.rank, c.attr("data_format"))]])


def _epilogue_step(attrs: dict[str, Any]) -> EpilogueStep | None:
    return EpilogueStep.ADD if attrs["data_format"] == "NHWC" else None


def _text(shape: Any) -> str:
    return f"[{','.join(map(str, shape))}]"


def _require_rank(value: Array) -> None:
    if value.ndim < 2:
        raise InvalidArgumentError(None, None, f"Input tensor must be at least 2D: {_text(value.shape)}")


@op(
    "BiasAdd",
    "value: T, bias: T -> output: T",
    T=NUMBER,
    shape=_shape,
    batching=image_batches.bias,
    flops=1,
    epilogue_step=_epilogue_step,
)
def bias_add_op(xp: Xp, value: Array, bias: Array, *, data_format: str = "NHWC") -> Array:
    """Adds `bias[c]` to every element of channel `c`.

    >>> tf.raw_ops.BiasAdd(value=[[1., 2.], [3., 4.]], bias=[10., 20.]).numpy()
    array([[11., 22.],
           [13., 24.]], dtype=float32)
    """
    require_choice("data_format", data_format, _FORMATS)
    _require_rank(value)
    if bias.ndim != 1:
        raise InvalidArgumentError(None, None, f"Biases must be 1D: {_text(bias.shape)}")
    axis = _channel_axis(value.ndim, data_format)
    if value.shape[axis] != bias.shape[0]:
        raise InvalidArgumentError(
            None,
            None,
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{_text(bias.shape)} vs. {_text(value.shape)}",
        )
    if axis == value.ndim - 1:
        return value + bias
    return value + xp.reshape(bias, (-1, *(1,) * (value.ndim - axis - 1)))


@bias_add_op.gradient(accepts_slices=True)
def bias_add_gradient(dy: Tensor, data_format: str) -> tuple[Tensor, Tensor]:
    return dy, raw.BiasAddGrad(out_backprop=dy, data_format=data_format)


@op("BiasAddV1", "value: T, bias: T -> output: T", T=NUMBER, shape=_shape, batching=image_batches.bias)
def bias_add_v1_op(xp: Xp, value: Array, bias: Array) -> Array:
    """Adds a bias as BiasAdd does, in old graphs, with channels always last.

    >>> tf.raw_ops.BiasAddV1(value=[[1., 2.]], bias=[10., 20.]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    return bias_add_op.op_def.kernel(xp, value, bias)


@bias_add_v1_op.gradient(accepts_slices=True)
def bias_add_v1_gradient(dy: Tensor) -> tuple[Tensor, Tensor]:
    return dy, raw.BiasAddGrad(out_backprop=dy)


@op(
    "BiasAddGrad",
    "out_backprop: T -> output: T",
    T=NUMBER,
    shape=_gradient_shape,
    batching=image_batches.bias_gradient,
    flops=flops.reduction,
)
def bias_add_grad_op(xp: Xp, out_backprop: Array, *, data_format: str = "NHWC") -> Array:
    """Computes the gradient of BiasAdd with respect to the bias: the sum over all axes but the channels."""
    require_choice("data_format", data_format, _FORMATS)
    _require_rank(out_backprop)
    channel_axis = _channel_axis(out_backprop.ndim, data_format)
    return xp.sum(out_backprop, axis=tuple(a for a in range(out_backprop.ndim) if a != channel_axis))


@bias_add_grad_op.gradient
def bias_add_grad_gradient(dy: Tensor, out_backprop: Tensor, data_format: str) -> Tensor:
    return raw.BiasAdd(value=raw.ZerosLike(x=out_backprop), bias=dy, data_format=data_format)


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Adds `bias` to `value`, one number a channel.

    >>> tf.nn.bias_add([[1., 2.], [3., 4.]], [10., 20.]).numpy()
    array([[11., 22.],
           [13., 24.]], dtype=float32)

    Args:
      value: A Tensor of numbers, of rank 2 or more.
      bias: A vector of the same dtype, as long as `value` has channels.
      data_format: "N...C" (default) with channels last, or "NC..." with channels in dimension 1.
      name: A name for the operation (optional).

    Returns: A Tensor with the shape and dtype of `value`.
    Raises: ValueError: if `data_format` is neither.
    """
    with name_scope(name, "BiasAdd") as scope:
        if data_format is not None:
            if data_format.startswith("NC"):
                data_format = "NCHW"
            elif data_format.startswith("N") and data_format.endswith("C"):
                data_format = "NHWC"
            else:
                raise ValueError(
                    f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
                )
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return bias_add_op(value, bias, data_format=data_format or "NHWC", name=scope)

"""Convolutions with an epilogue, which the optimizer makes of convolutions and the steps that follow them.

The pass `passes/epilogues.py` makes these ops of a convolution, a bias, a residual connection and a rectifier. They
occur in no graph of a user's, so that nothing is differentiated through them. How they run, `epilogues` says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_algebra import EpilogueStep
from millrace._src.core.op_def import OpDef, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.convolution_ops import FLOAT, conv2d_op, conv_windows
from millrace._src.ops.nn.correlation import correlate
from millrace._src.ops.nn.depthwise_correlation import correlate_depthwise
from millrace._src.ops.nn.depthwise_ops import depthwise_op, depthwise_windows
from millrace._src.ops.nn.epilogues import correlate_with_epilogue, run_steps
from millrace._src.ops.shape_rules import broadcast_dims

_ONES = (1, 1, 1, 1)
_OPTIMIZED = "the optimizer makes it of other ops"


def _shape_of(of: OpDef) -> Callable[[ShapeContext], TensorShape]:
    """Returns the shape rule of an op with an epilogue: the steps broadcast their operands."""

    def shape(c: ShapeContext) -> TensorShape:
        assert of.rules.shape is not None
        return functools.reduce(broadcast_dims, c.shapes("operands"), of.rules.shape(c))

    return shape


def _check_steps(op: str, steps: Sequence[str], operands: Sequence[Array]) -> list[EpilogueStep]:
    """Returns the steps that an attribute names, each operand of which is there."""
    choices = [step.value for step in EpilogueStep]
    unknown = [name for name in steps if name not in choices]
    if unknown:
        raise invalid(f"{op}: steps must be among {choices}; received: {list(steps)}")
    found = [EpilogueStep(name) for name in steps]
    count = sum(step.has_operand for step in found)
    if count != len(operands):
        raise invalid(f"{op}: the steps {list(steps)} take {count} operands; received: {len(operands)}")
    return found


@op(
    "Conv2DWithEpilogue",
    "input: T, filter: T, operands: N * T -> output: T",
    T=FLOAT,
    shape=_shape_of(conv2d_op.op_def),
    not_batched=_OPTIMIZED,
    no_gradient=_OPTIMIZED,
    is_made_by_optimizer=True,
    library_bound=True,
)
def conv2d_with_epilogue_op(
    xp: Xp,
    input: Array,
    filter: Array,
    operands: Sequence[Array],
    *,
    steps: Sequence[str],
    strides: Sequence[int],
    use_cudnn_on_gpu: bool = True,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES,
) -> Array:
    """Computes Conv2D and then steps on each element: "add" and "multiply" of an operand, "relu", "relu6"."""
    found = _check_steps("Conv2DWithEpilogue", steps, operands)
    shape = (input.shape, filter.shape, tuple(strides), padding, tuple(explicit_paddings), data_format)
    windows = conv_windows(*shape, tuple(dilations))
    if win.layout_of(data_format).channels == input.ndim - 1:
        return correlate_with_epilogue(xp, (input, filter), windows, found, operands)
    result = correlate(xp, win.to_channels_last(xp, input, data_format), filter, windows)
    return run_steps(xp, win.from_channels_last(xp, result, data_format), found, operands)


@op(
    "DepthwiseConv2dNativeWithEpilogue",
    "input: T, filter: T, operands: N * T -> output: T",
    T=FLOAT,
    shape=_shape_of(depthwise_op.op_def),
    not_batched=_OPTIMIZED,
    no_gradient=_OPTIMIZED,
    is_made_by_optimizer=True,
    library_bound=True,
)
def depthwise_with_epilogue_op(
    xp: Xp,
    input: Array,
    filter: Array,
    operands: Sequence[Array],
    *,
    steps: Sequence[str],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES,
) -> Array:
    """Computes DepthwiseConv2dNative and then steps on each element, as `Conv2DWithEpilogue` does."""
    found = _check_steps("DepthwiseConv2dNativeWithEpilogue", steps, operands)
    moves = (tuple(strides), padding, tuple(explicit_paddings), tuple(dilations))
    windows = depthwise_windows(input.shape, filter.shape, data_format, moves)
    if win.layout_of(data_format).channels == input.ndim - 1:
        return correlate_with_epilogue(xp, (input, filter), windows, found, operands, is_depthwise=True)
    result = correlate_depthwise(xp, win.to_channels_last(xp, input, data_format), filter, windows)
    return run_steps(xp, win.from_channels_last(xp, result, data_format), found, operands)

"""How many float operations an operation takes, by TensorFlow's count.

The count is one of bookkeeping, not of arithmetic: TensorFlow counts some ops and no others (`Relu` and `Tanh` take
none), and programs compare models by it. So the table lists the ops that TensorFlow counts; each rule is checked
against TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from millrace._src.graph.operation import Operation

Rule = Callable[[Any], int]


def _size(tensor: Any) -> int:
    """Returns the number of elements; 0 if it is unknown."""
    shape = tensor.shape
    return math.prod(shape.as_list()) if shape.is_fully_defined() else 0


def _each_result(cost: int) -> Rule:
    return lambda operation: cost * _size(operation.outputs[0])


def _reduction(finish: int) -> Rule:
    """Counts one operation an element, and `finish` more for each result."""
    return lambda o: _size(o.inputs[0]) - _size(o.outputs[0]) + finish * _size(o.outputs[0])


def _product(operation: Operation) -> int:
    inner = operation.inputs[0].shape.as_list()
    is_transposed = any(operation.attrs.get(name, False) for name in ("transpose_a", "adj_x"))
    length = inner[-2 if is_transposed else -1]
    return 2 * (length or 0) * _size(operation.outputs[0])


def _convolution(operation: Operation) -> int:
    """Counts a product and a sum for each weight of each result; the last axis of the weights makes results."""
    weights = operation.inputs[1].shape
    return 2 * math.prod(weights.as_list()[:-1]) * _size(operation.outputs[0]) if weights.is_fully_defined() else 0


def _depthwise_convolution(operation: Operation) -> int:
    weights = operation.inputs[1].shape
    return 2 * math.prod(weights.as_list()[:2]) * _size(operation.outputs[0]) if weights.is_fully_defined() else 0


def _convolution_gradient(weights_of: Callable[[Any], Any]) -> Rule:
    """Counts what the convolution itself takes, by its weights and the gradient of its results."""

    def count(operation: Operation) -> int:
        weights = weights_of(operation).shape
        return 2 * math.prod(weights.as_list()[:-1]) * _size(operation.inputs[2]) if weights.is_fully_defined() else 0

    return count


def _window(operation: Operation) -> int:
    return math.prod(operation.attrs["ksize"])


_RULES: dict[str, Rule] = {
    **dict.fromkeys("Add AddV2 Sub Mul RealDiv Pow Maximum Minimum Neg Reciprocal Square Log".split(), _each_result(1)),
    **dict.fromkeys("Greater GreaterEqual Less LessEqual Equal NotEqual BiasAdd".split(), _each_result(1)),
    **dict.fromkeys("Rsqrt SquaredDifference".split(), _each_result(2)),
    "RsqrtGrad": _each_result(4),
    "Softmax": _each_result(5),
    "AddN": lambda o: (len(o.inputs) - 1) * _size(o.inputs[0]),
    "L2Loss": lambda o: max(3 * _size(o.inputs[0]) - 1, 0),
    **dict.fromkeys("Sum ArgMax ArgMin BiasAddGrad".split(), _reduction(0)),
    "Mean": _reduction(1),
    **dict.fromkeys("MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3".split(), _product),
    **dict.fromkeys("Conv2D Conv3D".split(), _convolution),
    "Conv2DBackpropInput": _convolution_gradient(lambda operation: operation.inputs[1]),
    "Conv2DBackpropFilter": _convolution_gradient(lambda operation: operation.outputs[0]),
    "DepthwiseConv2dNative": _depthwise_convolution,
    "Dilation2D": _depthwise_convolution,
    **dict.fromkeys("AvgPool MaxPool".split(), lambda o: _window(o) * _size(o.outputs[0])),
    "AvgPoolGrad": lambda o: 2 * _window(o) * _size(o.inputs[1]),
    "MaxPoolGrad": lambda o: (_window(o) + 1) * _size(o.inputs[2]),
}
"""The ops that TensorFlow counts."""


def float_operations(operation: Operation) -> int:
    """Returns the float operations of an operation; 0 where a shape is unknown, and for ops that are not counted."""
    rule = _RULES.get(operation.type)
    return 0 if rule is None else rule(operation)

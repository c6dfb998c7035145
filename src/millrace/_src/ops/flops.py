"""How many float operations an operation takes, by TensorFlow's count: the rules that ops name as `flops=`.

The count is one of bookkeeping, not of arithmetic: TensorFlow counts some ops and no others, and programs compare
models by it. Each rule was checked against TensorFlow. A shape that is unknown makes the count 0.
"""

from __future__ import annotations

import math
from typing import Any


def _size(tensor: Any) -> int:
    """Returns the number of elements; 0 if it is unknown."""
    shape = tensor.shape
    return math.prod(shape.as_list()) if shape.is_fully_defined() else 0


def _window_size(operation: Any) -> int:
    return math.prod(operation.attrs["ksize"])


def flops_of(operation: Any) -> int:
    """Returns the float operations of an operation; 0 where a shape is unknown, and for ops that are not counted."""
    flops = operation.op_def.traits.flops
    if callable(flops):
        return flops(operation)
    return flops * _size(operation.outputs[0]) if flops else 0


def reduction(operation: Any) -> int:
    """Counts the sums or comparisons that make one element of several."""
    return _size(operation.inputs[0]) - _size(operation.outputs[0])


def mean(operation: Any) -> int:
    """Counts the sums, and a division for each result."""
    return _size(operation.inputs[0])


def sum_of_inputs(operation: Any) -> int:
    """Counts the sums of all inputs, element by element."""
    return (len(operation.inputs) - 1) * _size(operation.inputs[0])


def half_sum_of_squares(operation: Any) -> int:
    """Counts a square, a sum and a product for each element, but for the first sum."""
    return max(3 * _size(operation.inputs[0]) - 1, 0)


def matrix_product(operation: Any) -> int:
    """Counts a product and a sum for each element of a row of the first matrix, for each result."""
    first = operation.inputs[0].shape.as_list()
    is_transposed = any(operation.attrs.get(name, False) for name in ("transpose_a", "adj_x"))
    length = first[-2 if is_transposed else -1]
    return 2 * (length or 0) * _size(operation.outputs[0])


def _count_weighted(weights: Any, axes: slice, result: Any) -> int:
    """Counts a product and a sum for each of a result's weights, which lie along some axes of all weights."""
    shape = weights.shape
    return 2 * math.prod(shape.as_list()[axes]) * _size(result) if shape.is_fully_defined() else 0


def convolution(operation: Any) -> int:
    """Counts a product and a sum for each weight of each result; the last axis of the weights makes results."""
    return _count_weighted(operation.inputs[1], slice(-1), operation.outputs[0])


def depthwise_convolution(operation: Any) -> int:
    """Counts a product and a sum for each element of a window, for each result."""
    return _count_weighted(operation.inputs[1], slice(2), operation.outputs[0])


def convolution_input_gradient(operation: Any) -> int:
    """Counts what the convolution itself takes: its weights are the second input, its results the third."""
    return _count_weighted(operation.inputs[1], slice(-1), operation.inputs[2])


def convolution_filter_gradient(operation: Any) -> int:
    """Counts what the convolution itself takes: its weights are the output, its results the third input."""
    return _count_weighted(operation.outputs[0], slice(-1), operation.inputs[2])


def pooling(operation: Any) -> int:
    """Counts an operation for each element of a window, for each result."""
    return _window_size(operation) * _size(operation.outputs[0])


def average_pooling_gradient(operation: Any) -> int:
    """Counts a product and a sum for each element of a window, for each gradient of a result."""
    return 2 * _window_size(operation) * _size(operation.inputs[1])


def max_pooling_gradient(operation: Any) -> int:
    """Counts the comparisons of a window and one more operation, for each gradient of a result."""
    return (_window_size(operation) + 1) * _size(operation.inputs[2])

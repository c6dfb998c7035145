"""Correlations with an epilogue: steps on each element of the result, such as a bias and a rectifier.

Each step is an op of its own in the user's graph, which reads the result from memory and writes it again. Here the
library oneDNN runs the steps before it writes an element, where it is found; else NumPy runs them in place, on blocks
that a cache holds. A trial finds the faster one for each shape. Other engines, other dtypes and operands that do not
fit run the steps one after the other.

Tests: tests/ops/nn/test_epilogue_ops.py
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_algebra import EpilogueStep
from millrace._src.ops.math.bounds import clamp, without_negatives
from millrace._src.ops.nn.correlation import FORWARD, Correlation, correlate, correlation_of, is_small
from millrace._src.ops.nn.depthwise_correlation import FORWARD as DEPTHWISE_FORWARD
from millrace._src.ops.nn.depthwise_correlation import correlate_depthwise, joined_filters
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.util.autotuning import Autotuner, Work
from millrace._src.util.onednn import fused_convolution
from millrace._src.util.onednn.fused_convolution import PostOp
from millrace._src.util.thread_pool import run_in_blocks

_FLOAT = np.dtype(np.float32)
_BLOCK = 1 << 16
"""The elements of a block."""
_NANOSECONDS = 0.1
"""What a step takes for an element, about."""

Key = tuple[Correlation, tuple[PostOp, ...]]
"""The correlation, whose filters have the channels of the result last, and the steps."""


def run_steps(xp: Xp, result: Array, steps: Sequence[EpilogueStep], operands: Sequence[Array]) -> Array:
    """Runs steps one after the other; the sums and the products take the operands in turn, and broadcast."""
    rest = iter(operands)
    for step in steps:
        if step is EpilogueStep.ADD:
            result = xp.add(result, next(rest))
        elif step is EpilogueStep.MULTIPLY:
            result = xp.multiply(result, next(rest))
        elif step is EpilogueStep.RELU:
            result = without_negatives(xp, result)
        else:
            result = clamp(xp, result, xp.zeros((), result.dtype), xp.asarray(6, result.dtype))
    return result


@kernel_part
def correlate_with_epilogue(
    xp: Xp,
    arrays: tuple[Array, Array],
    windows: Sequence[Window],
    steps: Sequence[EpilogueStep],
    operands: Sequence[Array],
    *,
    is_depthwise: bool = False,
) -> Array:
    """Correlates images with filters, and runs steps on the result.

    Args:
      xp: the array namespace.
      arrays: the images, channels last, and the filters.
      windows: the windows of the axes between.
      steps: the steps.
      operands: the operands of the steps that have one.
      is_depthwise: whether each channel has filters of its own.
    """
    x, filters = arrays
    shape = joined_filters(filters.shape) if is_depthwise else filters.shape
    key = correlation_of(x.shape, shape, windows, x)
    post_ops = _post_ops(key, steps, operands)
    if post_ops is None:
        return _one_by_one(xp, arrays, windows, steps, operands, is_depthwise=is_depthwise)
    if is_depthwise:
        return _DEPTHWISE((key, post_ops), (xp, x, filters), operands)
    return _CORRELATION((key, post_ops), (x, filters), operands)


@correlate_with_epilogue.kernel_for("xla")
def _one_by_one(
    xp: Xp,
    arrays: tuple[Array, Array],
    windows: Sequence[Window],
    steps: Sequence[EpilogueStep],
    operands: Sequence[Array],
    *,
    is_depthwise: bool = False,
) -> Array:
    correlation = correlate_depthwise if is_depthwise else correlate
    return run_steps(xp, correlation(xp, *arrays, windows), steps, operands)


def _post_ops(key: Correlation, steps: Sequence[EpilogueStep], operands: Sequence[Array]) -> tuple[PostOp, ...] | None:
    """Returns the steps as a library takes them; None where the steps have to run one after the other."""
    shape = (key.images[0], *[w.output_size for w in key.windows], key.filters[-1])
    if key.dtype != _FLOAT or key.channels_first or is_small(key):
        return None
    rest = iter(operands)
    found: list[PostOp] = []
    for step in steps:
        is_vector = False
        if step.has_operand:
            operand = next(rest)
            is_vector = operand.size == shape[-1] and operand.shape[-1:] == shape[-1:] and operand.ndim <= len(shape)
            if not ((is_vector or operand.shape == shape) and operand.dtype == _FLOAT and operand.flags.c_contiguous):
                return None
        found.append(PostOp(step.value, is_vector))
    return tuple(found)


def _tune_epilogue(plain: Autotuner) -> Autotuner:
    """Makes the choice for one kind of correlation: functions of the arguments without an epilogue, and the operands.

    Args:
      plain: the kernels without an epilogue, whose last two arguments are the images and the filters.
    """

    def by_library(key: Key) -> Work | None:
        correlation, steps = key
        work = plain.makers["onednn"](correlation)
        fused = fused_convolution.forward(correlation.convolution(), steps)
        if work is None:
            return None

        def run(arguments: Sequence[Any], operands: Sequence[Array]) -> Array:
            *_, x, filters = arguments
            result = None if fused is None else fused(x, filters.reshape(correlation.filters), *operands)
            return _finish(work(*arguments), steps, operands) if result is None else result

        return run

    def by_numpy(key: Key) -> Work | None:
        work = plain.makers["numpy"](key[0])
        return work and (lambda arguments, operands: _finish(work(*arguments), key[1], operands))

    return Autotuner({"onednn": by_library, "numpy": by_numpy}, first="numpy")


def _finish(result: Array, steps: Sequence[PostOp], operands: Sequence[Array]) -> Array:
    """Runs the steps on an array that nothing else reads, in place."""
    result = np.ascontiguousarray(result)
    channels = result.shape[-1]
    rows = result.reshape(-1, channels)
    rest = iter(operands)
    calls: list[tuple[Any, Array, bool]] = []
    for step in steps:
        if step.name in _UFUNCS:
            calls.append((_UFUNCS[step.name], next(rest).reshape(-1, channels), not step.is_vector))
        else:
            calls += [(ufunc, _row(channels, bound), False) for ufunc, bound in _BOUNDS[step.name]]

    def work(start: int, stop: int) -> None:
        block = rows[start:stop]
        for ufunc, operand, is_cut in calls:
            ufunc(block, operand[start:stop] if is_cut else operand, out=block)

    run_in_blocks(len(rows), max(_BLOCK // channels, 1), work, nanoseconds=channels * len(calls) * _NANOSECONDS)
    return result


_UFUNCS: dict[str, Any] = {EpilogueStep.ADD.value: np.add, EpilogueStep.MULTIPLY.value: np.multiply}
_BOUNDS: dict[str, list[tuple[Any, int]]] = {
    EpilogueStep.RELU.value: [(np.maximum, 0)],
    EpilogueStep.RELU6.value: [(np.minimum, 6), (np.maximum, 0)],
}
"""The functions of two operands that bound the elements, and the bounds."""


@functools.lru_cache(maxsize=64)
def _row(channels: int, bound: int) -> Array:
    """Returns a row of a number: NumPy's loops are slow for single numbers."""
    return np.full((1, channels), bound, _FLOAT)


_CORRELATION, _DEPTHWISE = _tune_epilogue(FORWARD), _tune_epilogue(DEPTHWISE_FORWARD)

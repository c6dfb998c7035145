"""Softmax and its relatives on many rows, with NumPy alone.

Problem: NumPy finds the largest element of each row, and subtracts or divides by a column, one row at a time: a million
numbers in rows of ten take 6 ms. Each step also goes through memory.

Idea: a block of rows goes through all steps while it is in a cache. Short rows are turned into columns first, so that
NumPy's loops run along many rows. And softmax itself needs no largest element where the exponentials of the logits as
they are can be added: where no sum overflows and none is small.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.ops.nn.softmax_kernels import write_softmax
from millrace._src.util.half_floats import narrow, widen
from millrace._src.util.thread_pool import run_in_blocks

FEWEST = 4096
"""The number of elements from which on blocks pay."""
_BLOCK = 32_768
_SHORT, _SHORT_WITHOUT_LARGEST = 64, 8
"""The longest rows that are turned into columns, where the largest element of each row is asked for and elsewhere."""
_NANOSECONDS = 1.5


def softmax(xp: Xp, logits: Array) -> Array:
    """Computes softmax along the last axis of an array with elements."""
    if logits.dtype == np.float16:
        return narrow(softmax(xp, widen(logits)))
    rows = _rows(logits)
    result = np.empty_like(rows)
    write_softmax(functools.partial(_write_softmax, xp), rows, result)
    return result.reshape(logits.shape)


def _write_softmax(xp: Xp, rows: Array, result: Array) -> None:
    def compute(axis: int, x: Array, out: Array) -> None:
        _write(_softmax(xp, x, axis), out)

    _in_blocks([rows], [result], compute, _SHORT_WITHOUT_LARGEST)


def log_softmax(xp: Xp, logits: Array) -> Array:
    """Computes the logarithm of softmax along the last axis of an array with elements."""
    rows = _rows(logits)
    result = np.empty_like(rows)
    _in_blocks([rows], [result], lambda axis, x, out: _write(_log_softmax(xp, x, axis), out))
    return result.reshape(logits.shape)


def cross_entropy(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """Computes the cross-entropy of the rows of a matrix with elements, and its gradient, for rows of probabilities."""
    loss, backprop = np.empty((len(features), 1), features.dtype), np.empty(features.shape, features.dtype)

    def compute(axis: int, x: Array, targets: Array, loss_out: Array, out: Array) -> None:
        differences, exponentials, total = _parts(xp, x, axis)
        differences = np.subtract(np.log(total), differences, out=differences)
        np.multiply(differences, targets, out=differences)
        _write(xp.sum(differences, axis=axis, keepdims=True), loss_out)
        np.divide(exponentials, total, out=exponentials)
        _write(np.subtract(exponentials, targets, out=exponentials), out)

    _in_blocks([_rows(features), _rows(labels)], [loss, backprop], compute)
    return loss[:, 0], backprop


def sparse_cross_entropy(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """Computes the cross-entropy of the rows of a matrix with elements, and its gradient, for a class of each row."""
    loss, backprop = np.empty((len(features), 1), features.dtype), np.empty(features.shape, features.dtype)

    def compute(axis: int, x: Array, classes: Array, loss_out: Array, out: Array) -> None:
        differences, exponentials, total = _parts(xp, x, axis)
        chosen = (classes[0], np.arange(x.shape[1])) if axis == 0 else (np.arange(len(x)), classes[:, 0])
        losses = np.log(total).reshape(-1) - differences[chosen]
        loss_out[...] = losses.reshape(loss_out.shape)
        np.divide(exponentials, total, out=exponentials)
        exponentials[chosen] -= 1
        _write(exponentials, out)

    _in_blocks([_rows(features), labels[:, None]], [loss, backprop], compute)
    return loss[:, 0], backprop


def _rows(x: Array) -> Array:
    return np.ascontiguousarray(x).reshape(-1, x.shape[-1])


def _in_blocks(
    operands: Sequence[Array], results: Sequence[Array], compute: Callable[..., None], longest_turned: int = _SHORT
) -> None:
    """Computes a function of rows.

    `compute` takes the axis along which a row lies, blocks of the operands, which are rows or columns, of at least 32
    bits if they are floats, and the arrays for the results.
    """
    count, size = operands[0].shape
    is_short = 1 < size <= longest_turned

    def work(start: int, stop: int) -> None:
        parts, outputs = [_wide(x[start:stop]) for x in operands], [x[start:stop] for x in results]
        if is_short:
            parts, outputs = [np.ascontiguousarray(part.T) for part in parts], [out.T for out in outputs]
        compute(0 if is_short else 1, *parts, *outputs)

    run_in_blocks(count, max(_BLOCK // size, 1), work, nanoseconds=size * _NANOSECONDS)


def _wide(x: Array) -> Array:
    """Converts small floats to float32, in which sums of exponentials are accurate."""
    if x.dtype == np.float16:
        return widen(x)
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def _write(result: Array, out: Array) -> None:
    out[...] = narrow(result) if out.dtype == np.float16 else result


def _softmax(xp: Xp, x: Array, axis: int) -> Array:
    exponentials = np.exp(x)
    total = xp.sum(exponentials, axis=axis, keepdims=True)
    if not (total.min() >= 1 and total.max() < np.inf):  # also where there is a NaN
        _, exponentials, total = _parts(xp, x, axis)
    return np.divide(exponentials, total, out=exponentials)


def _log_softmax(xp: Xp, x: Array, axis: int) -> Array:
    differences, _, total = _parts(xp, x, axis)
    return np.subtract(differences, np.log(total, out=total), out=differences)


def _parts(xp: Xp, x: Array, axis: int) -> tuple[Any, Any, Array]:
    """Returns how far numbers are below the largest along an axis, the exponentials of that, and their sums."""
    differences = np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True))
    exponentials = np.exp(differences)
    return differences, exponentials, xp.sum(exponentials, axis=axis, keepdims=True)

"""The kernels of layer normalization: each row by its own moments, and the gradients.

On NumPy, many float32 go through the library oneDNN where it is found, or through NumPy in blocks of rows that a cache
holds; a trial finds the faster of the two for each shape (`util.autotuning`).

The kernels see `[rows, features]`; moments are `[rows, 1]`.

Tests: tests/ops/nn/test_layer_norm_ops.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.util.autotuning import Autotuner, Work
from millrace._src.util.onednn import layer_normalization as onednn
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.layer_normalization import RowNormalization
from millrace._src.util.thread_pool import run_in_blocks

_FEWEST = 1 << 13
"""The number of elements from which on the choice of an implementation pays."""
_BLOCK = 1 << 15
"""The most elements of a block."""
_NANOSECONDS = 3.0
"""What an element takes in a block, roughly."""
_FLOAT = np.dtype(np.float32)


@kernel_part
def normalize_rows(xp: Xp, x: Array, scale: Array, offset: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """Normalizes each row by its own moments: `(x - mean) / sqrt(variance + epsilon) * scale + offset`.

    Args:
      xp: the array namespace.
      x: a float32 matrix.
      scale: a float32 vector of features.
      offset: a float32 vector of features.
      epsilon: what is added to the variance.

    Returns: The result, the mean and the (biased) variance of each row.
    """
    if x.size < _FEWEST:
        return _normalize_rows(xp, x, scale, offset, epsilon)
    x, scale, offset = (np.ascontiguousarray(array) for array in (x, scale, offset))
    result: tuple[Array, Array, Array] = _FORWARD(
        RowNormalization(x.shape[0], x.shape[1], epsilon), xp, x, scale, offset
    )
    return result


@normalize_rows.kernel_for("xla")
def _normalize_rows(xp: Xp, x: Array, scale: Array, offset: Array, epsilon: float) -> tuple[Array, Array, Array]:
    count = np.float32(x.shape[1])
    mean = xp.sum(x, axis=(1,), keepdims=True) / count
    centered = x - mean
    variance = xp.sum(centered * centered, axis=(1,), keepdims=True) / count
    return centered / xp.sqrt(variance + np.float32(epsilon)) * scale + offset, mean, variance


@kernel_part
def row_gradients(
    xp: Xp, dy: Array, x: Array, scale: Array, moments: tuple[Array, Array], epsilon: float
) -> tuple[Array, Array, Array]:
    """Computes the gradients of a layer normalization with respect to the matrix, the scale and the offset.

    Args:
      xp: the array namespace.
      dy: the gradient of the result, float32.
      x: the matrix that was normalized, float32.
      scale: a float32 vector of features.
      moments: the mean and the variance of each row, float32.
      epsilon: what is added to the variance.
    """
    if x.size < _FEWEST:
        return _row_gradients(xp, dy, x, scale, moments, epsilon)
    dy, x, scale, *moments_in_memory = (np.ascontiguousarray(array) for array in (dy, x, scale, *moments))
    key = RowNormalization(x.shape[0], x.shape[1], epsilon)
    result: tuple[Array, Array, Array] = _BACKWARD(key, xp, dy, x, scale, tuple(moments_in_memory))
    return result


@row_gradients.kernel_for("xla")
def _row_gradients(
    xp: Xp, dy: Array, x: Array, scale: Array, moments: tuple[Array, Array], epsilon: float
) -> tuple[Array, Array, Array]:
    mean, variance = moments
    count = np.float32(x.shape[1])
    root = 1 / xp.sqrt(variance + np.float32(epsilon))
    normal, gradient = (x - mean) * root, dy * scale
    along = xp.sum(gradient * normal, axis=(1,), keepdims=True) / count
    dx = (gradient - xp.sum(gradient, axis=(1,), keepdims=True) / count - normal * along) * root
    return dx, xp.sum(dy * normal, axis=(0,)), xp.sum(dy, axis=(0,))


# --- oneDNN ----------------------------------------------------------------------------------------------------------


def _forward_by_library(key: RowNormalization) -> Work | None:
    run = onednn.forward(key)
    if run is None:
        return None

    def work(xp: Xp, x: Array, scale: Array, offset: Array) -> tuple[Array, ...]:
        results = (np.empty_like(x), np.empty((key.rows, 1), _FLOAT), np.empty((key.rows, 1), _FLOAT))
        run(*[address_of(array) for array in (x, scale, offset, *results)])
        return results

    return work


def _backward_by_library(key: RowNormalization) -> Work | None:
    run = onednn.backward(key)
    if run is None:
        return None

    def work(xp: Xp, dy: Array, x: Array, scale: Array, moments: tuple[Array, Array]) -> tuple[Array, ...]:
        results = (np.empty_like(x), np.empty_like(scale), np.empty_like(scale))
        # oneDNN wants an offset, and does not read it.
        run(*[address_of(array) for array in (dy, x, scale, scale, *moments, *results)])
        return results

    return work


# --- NumPy -----------------------------------------------------------------------------------------------------------


def _forward_in_blocks(key: RowNormalization) -> Work:
    def work(xp: Xp, x: Array, scale: Array, offset: Array) -> tuple[Array, ...]:
        results = (np.empty_like(x), np.empty((key.rows, 1), _FLOAT), np.empty((key.rows, 1), _FLOAT))

        def normalize(start: int, stop: int) -> None:
            for result, part in zip(results, _normalize_rows(xp, x[start:stop], scale, offset, key.epsilon)):
                result[start:stop] = part

        _run_in_blocks(key, normalize)
        return results

    return work


def _backward_in_blocks(key: RowNormalization) -> Work:
    def work(xp: Xp, dy: Array, x: Array, scale: Array, moments: tuple[Array, Array]) -> tuple[Array, ...]:
        dx = np.empty_like(x)
        sums: dict[int, tuple[Array, Array]] = {}

        def differentiate(start: int, stop: int) -> None:
            parts = (moments[0][start:stop], moments[1][start:stop])
            dx[start:stop], *sums_of_block = _row_gradients(
                xp, dy[start:stop], x[start:stop], scale, parts, key.epsilon
            )
            sums[start] = (sums_of_block[0], sums_of_block[1])

        _run_in_blocks(key, differentiate)
        totals = [np.sum([sums[start][i] for start in sorted(sums)], axis=0, dtype=np.float64) for i in (0, 1)]
        return dx, *(total.astype(_FLOAT) for total in totals)

    return work


def _run_in_blocks(key: RowNormalization, work: Any) -> None:
    most = max(_BLOCK // key.features, 1)
    run_in_blocks(key.rows, most, work, nanoseconds=key.features * _NANOSECONDS)


_FORWARD = Autotuner({"onednn": _forward_by_library, "numpy": _forward_in_blocks}, first="numpy")
"""How matrices are normalized."""
_BACKWARD = Autotuner({"onednn": _backward_by_library, "numpy": _backward_in_blocks}, first="numpy")
"""How the gradients are computed."""

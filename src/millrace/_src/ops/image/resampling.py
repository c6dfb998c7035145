"""Sums of neighbours along one axis: the core of every method of resizing an image.

A *resampling* says for each element of the result which elements of the axis it is the weighted sum of, its *taps*. An
image is resized by one resampling of its rows and one of its columns.

NumPy sums rows by a sparse matrix, whose products are sums of long rows. Columns are summed in blocks: a few results
next to each other read a few inputs next to each other, so that a small matrix product computes the block; the channels
go into the matrix. Blocks whose inputs are equally far apart are one call, so that threads seldom wait for Python's
lock. An axis of which few elements are read is gathered first. XLA gathers tap by tap, or takes the whole matrix if
there are many taps.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.util.blas_threads import SINGLE

_NUMBERS = 24
"""The results of a block of columns in numbers, measured: more multiply more zeros, fewer are slower products."""
_FEW_RUNS = 8
"""From so many runs on blocks read an input more than they need, which makes the runs longer and costs as much."""
_TOGETHER = 2**20
"""How many numbers are resampled at a time: the images between the two steps stay in a processor's cache."""
_MAX_CHANNELS = 6
"""Up to as many channels the columns are summed in blocks; with more, rows of the turned image are long enough."""
_MAX_TAPS = 16
"""Up to as many taps XLA gathers; more taps are a matrix product."""
_DENSE_USE = 0.75
"""The share of the inputs that have to be read for the others to cost less than a gather."""


class Resampling:
    """The taps of each result along one axis.

    Args:
      size: the number of inputs.
      indices: the inputs of each result, `[results, taps]`.
      weights: the weight of each tap, float32; a tap of weight 0 is not read.
    """

    def __init__(self, size: int, indices: Array, weights: Array) -> None:
        self.size = size
        self.indices = indices.astype(np.intp)
        self.weights = weights.astype(np.float32)

    @property
    def results(self) -> int:
        """The number of results."""
        return len(self.indices)

    @functools.cached_property
    def transposed(self) -> Resampling:
        """Returns the resampling that gives each input the weighted sum of the results that it was part of."""
        results, taps = np.nonzero(self.weights)
        inputs, weights = self.indices[results, taps], self.weights[results, taps]
        order = np.argsort(inputs, kind="stable")
        inputs, results, weights = inputs[order], results[order], weights[order]
        counts = np.bincount(inputs, minlength=self.size)
        ranks = np.arange(len(inputs)) - np.repeat(np.cumsum(counts) - counts, counts)
        shape = (self.size, max(1, int(counts.max(initial=0))))
        own_indices, own_weights = np.zeros(shape, np.intp), np.zeros(shape, np.float32)
        own_indices[inputs, ranks], own_weights[inputs, ranks] = results, weights
        return Resampling(self.results, own_indices, own_weights)

    @functools.cached_property
    def used(self) -> Array | None:
        """The inputs that are read, in order, where these are few; None where most inputs are read."""
        is_used = np.zeros(self.size, bool)
        is_used[self.indices[self.weights != 0]] = True
        return np.flatnonzero(is_used) if 0 < np.count_nonzero(is_used) < _DENSE_USE * self.size else None

    @functools.cached_property
    def of_used(self) -> Resampling:
        """The resampling of the gathered inputs."""
        if self.used is None:
            return self
        indices = np.minimum(np.searchsorted(self.used, self.indices), len(self.used) - 1)
        return Resampling(len(self.used), indices, self.weights)

    def matrix(self) -> Array:
        """Returns the weights as one matrix `[results, inputs]`."""
        matrix = np.zeros((self.results, self.size), np.float32)
        np.add.at(matrix, (np.arange(self.results)[:, None], self.indices), self.weights)
        return matrix


class _BlockRun(NamedTuple):
    """Blocks at equal distances, which one stack of matrix products computes.

    Positions and distances are counted in numbers, of which an element has as many as there are channels.
    """

    first: int
    """Where the inputs of the first block begin."""
    distance: int
    """How far apart the inputs of two blocks begin."""
    start: int
    """Where the results of the first block begin."""
    matrices: Array
    """What is between the two, `[blocks, inputs, results]`."""


@functools.lru_cache(maxsize=32)
def _runs(resampling: Resampling, channels: int, dtype: DTypeLike) -> list[_BlockRun]:
    """Returns the blocks of a resampling, in as few runs as there may be; the last block may be smaller."""
    block = _block_size(resampling, max(1, _NUMBERS // channels))
    whole = resampling.results // block
    for slack in range(3):
        low, high, reach = _windows(resampling, np.arange(0, resampling.results, block), slack)
        runs = list(_at_equal_distances(low[:whole].tolist(), high[:whole].tolist()))
        if len(runs) <= _FEW_RUNS:
            break
    if whole < len(low):
        runs.append((whole, whole + 1, int(low[whole]), 0))
    firsts = np.concatenate([first + distance * np.arange(end - begin) for begin, end, first, distance in runs])
    matrices = _matrices(resampling, block, firsts, reach, channels, dtype)
    found = []
    for begin, end, first, distance in runs:
        start = begin * block
        width = min(block, resampling.results - start) * channels
        found.append(_BlockRun(first * channels, distance * channels, start * channels, matrices[begin:end, :, :width]))
    return found


def _block_size(resampling: Resampling, most: int) -> int:
    """Returns how many results a block has: at most so many, so that the inputs of blocks are equally far apart."""
    most = min(most, resampling.results)
    indices = resampling.indices[:, 0]
    scale = float(indices[-1] - indices[0]) / max(1, len(indices) - 1)
    return min(range(most, most * 3 // 4, -1), key=lambda size: abs(size * scale - round(size * scale)) / size)


def _windows(resampling: Resampling, starts: Array, slack: int) -> tuple[Array, Array, int]:
    """Returns where the inputs of each block may begin at least and at most, and how many elements these are.

    Args:
      resampling: the resampling.
      starts: the first result of each block.
      slack: how many inputs more there are than the widest block needs.
    """
    is_read, indices, size = resampling.weights != 0, resampling.indices, resampling.size
    firsts = np.minimum.reduceat(np.where(is_read, indices, size - 1).min(axis=1), starts)
    ends = np.maximum.reduceat(np.where(is_read, indices, 0).max(axis=1), starts) + 1
    reach = min(max(1, int((ends - firsts).max())) + slack, size)
    return np.maximum(ends - reach, 0), np.minimum(firsts, size - reach), reach


def _at_equal_distances(low: list[int], high: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yields runs of windows: the numbers of the first and of the one behind the last, a position, a distance."""
    distance = round((low[-1] - low[0]) / max(1, len(low) - 1)) if low else 0
    begin = 0
    while begin < len(low):
        least, most, end = low[begin], high[begin], begin + 1
        while end < len(low):
            offset = distance * (end - begin)
            closer, wider = max(least, low[end] - offset), min(most, high[end] - offset)
            if closer > wider:
                break
            least, most, end = closer, wider, end + 1
        yield begin, end, least, distance
        begin = end


def _matrices(resampling: Resampling, block: int, firsts: Array, reach: int, channels: int, dtype: DTypeLike) -> Array:
    """Returns the matrices `[blocks, inputs, results]` of blocks whose inputs begin at `firsts`."""
    results, taps = np.nonzero(resampling.weights)
    blocks, inner = np.divmod(results, block)
    inputs = blocks * reach + resampling.indices[results, taps] - firsts[blocks]
    width = block * channels
    numbers = (inputs * width + inner) * channels
    diagonal = np.arange(channels) * (width + 1)
    matrices: Array = np.zeros(len(firsts) * reach * channels * width, dtype)
    np.add.at(matrices, numbers[:, None] + diagonal, resampling.weights[results, taps, None])
    return matrices.reshape(len(firsts), reach * channels, width)


@functools.lru_cache(maxsize=32)
def _sparse_matrix(resampling: Resampling, images: int, dtype: Any) -> Any:
    """Returns the weights as a sparse matrix for several images, one below the other."""
    sparse = importlib.import_module("scipy.sparse")  # heavy, and few programs need it
    results, taps = np.nonzero(resampling.weights)
    columns, weights = resampling.indices[results, taps], resampling.weights[results, taps]
    ends = np.cumsum(np.bincount(results, minlength=resampling.results))
    offsets = np.arange(images)[:, None]
    starts = np.concatenate([[0], (offsets * len(results) + ends).reshape(-1)])
    contents = np.tile(weights, images).astype(dtype), (offsets * resampling.size + columns).reshape(-1), starts
    return sparse.csr_array(contents, (images * resampling.results, images * resampling.size))


@kernel_part
def resample(xp: Xp, images: Array, rows: Resampling, columns: Resampling, dtype: Any = np.float32) -> Array:
    """Resamples the rows and the columns of images `[batch, height, width, channels]` in a floating dtype."""
    count = images.shape[0]
    if not count:
        return np.empty((0, rows.results, columns.results, images.shape[3]), dtype)
    together = max(1, _TOGETHER // max(1, images[:1].size))
    if together >= count:
        return _resample_together(images, rows, columns, dtype)
    result = np.empty((count, rows.results, columns.results, images.shape[3]), dtype)
    for start in range(0, count, together):
        part = slice(start, start + together)
        result[part] = _resample_together(images[part], rows, columns, dtype)
    return result


def _resample_together(images: Array, rows: Resampling, columns: Resampling, dtype: DTypeLike) -> Array:
    """Resamples images that fit into a processor's cache together.

    Each name is given up as soon as possible: memory that is free again in time is memory that need not be asked for.
    """
    for resampling, axis in ((rows, 1), (columns, 2)):
        if resampling.used is not None:
            images = images.take(resampling.used, axis=axis)
    rows, columns = rows.of_used, columns.of_used
    has_integers = images.dtype.kind in "iu"
    images = images.astype(dtype, order="C", copy=False)
    in_blocks = images.shape[3] <= _MAX_CHANNELS and (has_integers or _is_finite(images))
    resampled_columns = _resample_columns if in_blocks else _columns_as_rows
    if rows.results * columns.size <= rows.size * columns.results:
        images = _resample_rows(images, rows)
        return resampled_columns(images, columns)
    images = resampled_columns(images, columns)
    return _resample_rows(images, rows)


def _is_finite(images: Array) -> bool:
    """Returns whether all numbers are finite and far from the largest; in blocks, others reach more than their taps."""
    numbers = images.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(np.dot(numbers, numbers))


def _resample_rows(images: Array, rows: Resampling) -> Array:
    count, height, width, channels = images.shape
    lines = _sparse_matrix(rows, count, images.dtype) @ images.reshape(count * height, width * channels)
    return lines.reshape(count, rows.results, width, channels)


def _columns_as_rows(images: Array, columns: Resampling) -> Array:
    """Resamples the columns as the rows of the turned images."""
    return np.ascontiguousarray(_resample_rows(images.swapaxes(1, 2), columns).swapaxes(1, 2))


def _resample_columns(images: Array, columns: Resampling) -> Array:
    """Sums columns in blocks; the products are `[lines, inputs] @ [inputs, results]`, in numbers."""
    count, height, width, channels = images.shape
    old, new = width * channels, columns.results * channels
    result = np.empty((count, height, columns.results, channels), images.dtype)
    for run in _runs(columns, channels, images.dtype):
        blocks, inputs, results = run.matrices.shape
        for start, size in _parts(count * height, inputs * results):
            windows = _view(images, start * old + run.first, (blocks, size, inputs), (run.distance, old, 1))
            out = _view(result, start * new + run.start, (blocks, size, results), (results, new, 1))
            np.matmul(windows, run.matrices, out=out)
    return result


def _parts(size: int, work: int) -> list[tuple[int, int]]:
    """Returns the starts and sizes of parts of an axis for products that one thread of BLAS runs.

    The threads of a pipeline would wait for each other at BLAS's own threads.

    Args:
      size: the size of the axis.
      work: the multiplications for one element of the axis.
    """
    most = max(SINGLE // work, 1)
    return [(start, min(most, size - start)) for start in range(0, size, most)]


def _view(array: Array, first: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """Returns a view of an array in C order, from a number on; strides are in numbers."""
    size = array.itemsize
    return np.ndarray(shape, array.dtype, array, first * size, tuple(stride * size for stride in strides))


def _sum_of_taps(xp: Any, x: Array, resampling: Resampling, axis: int) -> Array:
    """Gathers tap by tap along an axis."""
    shape = [1] * x.ndim
    shape[axis] = resampling.results
    total: Any = None
    for tap in range(resampling.indices.shape[1]):
        weights = xp.asarray(resampling.weights[:, tap].reshape(shape).astype(x.dtype))
        part = xp.take(x, xp.asarray(resampling.indices[:, tap]), axis=axis) * weights
        total = part if total is None else total + part
    return total


@resample.kernel_for("xla")
def _resample_by_xla(xp: Xp, images: Array, rows: Resampling, columns: Resampling, dtype: Any = np.float32) -> Array:
    images = xp.astype(images, dtype)
    passes: Sequence[tuple[Resampling, int]] = ((rows, 1), (columns, 2))
    if rows.results * columns.size > rows.size * columns.results:
        passes = passes[::-1]
    for resampling, axis in passes:
        if resampling.indices.shape[1] <= _MAX_TAPS:
            images = _sum_of_taps(xp, images, resampling, axis)
        else:
            matrix = xp.asarray(resampling.matrix().astype(dtype))
            images = xp.einsum("oi,nihc->nohc" if axis == 1 else "oi,nhic->nhoc", matrix, images)
    return images

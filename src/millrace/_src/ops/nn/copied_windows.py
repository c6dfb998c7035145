"""Correlation and its gradients as products of copied windows (im2col): BLAS does the work.

The windows of a few images are copied into rows at a time, so that the copy stays in the cache, and multiplied with the
filters as one matrix. Threads share the blocks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.nn.sliding_windows import Window, offsets, overlaid
from millrace._src.util.blas_threads import large_product, products_in_parallel
from millrace._src.util.thread_pool import block_bounds, thread_count

_CHUNK = 1 << 18
"""The number of elements of one block of copied windows (1 MiB of float32): about what a core's own cache holds."""
_WORTH_SHARING = 1 << 24
"""The multiplications from which several threads pay."""


def correlate(x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    """Correlates images with filters, as `correlation.correlate` says."""
    output = np.zeros((x.shape[0], *(w.output_size for w in windows), filters.shape[-1]), x.dtype)
    if not output.size or not filters.size:
        return output
    if x.shape[-1] == filters.shape[-2]:
        _correlate_into(output, x, filters, windows)
        return output
    for channels, features, group_filters in _groups(x.shape[-1], filters):
        part = np.empty((*output.shape[:-1], group_filters.shape[-1]), x.dtype)
        _correlate_into(part, x[..., channels], group_filters, windows)
        output[..., features] = part
    return output


def _correlate_into(output: Array, x: Array, filters: Array, windows: Sequence[Window]) -> None:
    matrix = filters.reshape(-1, filters.shape[-1])
    if all(w.kernel == w.stride == 1 and not w.before and not w.after for w in windows):
        large_product(np.matmul, x.reshape(-1, x.shape[-1]), matrix, out=output.reshape(-1, output.shape[-1]))
        return
    images = _Windows(x, windows)
    bounds = images.bounds(output.size * len(matrix))

    def multiply(number: int) -> None:
        batch = slice(bounds[number], bounds[number + 1])
        large_product(np.matmul, images.rows(batch), matrix, out=output[batch].reshape(-1, output.shape[-1]))

    products_in_parallel(len(bounds) - 1, multiply)


def correlate_input_gradient(gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    """Computes the gradient of `correlate` with respect to `x`, which has the shape `like`."""
    if not gradient.size or not filters.size:
        return np.zeros(tuple(like), gradient.dtype)
    mirror = _mirror_windows(windows)
    if mirror is not None:
        groups = like[-1] // filters.shape[-2]
        return correlate(gradient, mirror_filters(np, filters, groups), mirror)
    if like[-1] == filters.shape[-2]:
        return _spread(gradient, filters, windows, like)
    result = np.empty(tuple(like), gradient.dtype)
    for channels, features, group_filters in _groups(like[-1], filters):
        shape = (*like[:-1], group_filters.shape[-2])
        result[..., channels] = _spread(gradient[..., features], group_filters, windows, shape)
    return result


def _spread(gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    rows = gradient.reshape(-1, gradient.shape[-1])
    shape = (*gradient.shape[:-1], filters.shape[-2])
    parts = ((o, large_product(np.matmul, rows, filters[o].T).reshape(shape)) for o in offsets(windows))
    return overlaid(parts, windows, like, gradient.dtype)


def correlate_filter_gradient(x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    """Computes the gradient of `correlate` with respect to `filters`, which have the shape `like`."""
    result = np.zeros(tuple(like), x.dtype)
    if not gradient.size or not x.size or not result.size:
        return result
    for channels, features, group_gradient in _groups(x.shape[-1], result):
        total = _product_sum(x[..., channels], np.ascontiguousarray(gradient[..., features]), windows)
        result[..., features] = total.reshape(group_gradient.shape)
    return result


def _product_sum(x: Array, gradient: Array, windows: Sequence[Window]) -> Array:
    """Multiplies the windows of each block with its gradient; returns the sum of the products."""
    images = _Windows(x, windows)
    features = gradient.shape[-1]
    bounds = images.bounds(gradient.size * images.width)
    lanes = min(thread_count(), len(bounds) - 1)
    totals = np.zeros((lanes, images.width, features), x.dtype)

    def add(lane: int) -> None:
        for start, stop in list(itertools.pairwise(bounds))[lane::lanes]:
            batch = slice(start, stop)
            totals[lane] += large_product(np.matmul, images.rows(batch).T, gradient[batch].reshape(-1, features))

    products_in_parallel(lanes, add)
    return totals[0] if lanes == 1 else totals.sum(axis=0)


def _groups(channels: int, filters: Array) -> Iterator[tuple[slice, slice, Array]]:
    """Yields the channels, the features and the filters of each group."""
    size, features = filters.shape[-2:]
    groups = channels // size
    each = features // groups
    for g in range(groups):
        theirs = slice(g * each, (g + 1) * each)
        yield slice(g * size, (g + 1) * size), theirs, filters[..., theirs]


class _Windows:
    """The windows of images, as a view.

    Args:
      x: the images.
      windows: the windows of each axis.
    """

    def __init__(self, x: Array, windows: Sequence[Window]) -> None:
        x = _pad(x, windows)
        counts, kernels = tuple(w.output_size for w in windows), tuple(w.kernel for w in windows)
        strides = x.strides[1:-1]
        steps = (s * w.stride for s, w in zip(strides, windows, strict=True))
        inside = (s * w.dilation for s, w in zip(strides, windows, strict=True))
        shape, steps_of_view = (len(x), *counts, *kernels, x.shape[-1]), (x.strides[0], *steps, *inside, x.strides[-1])
        self._view = np.lib.stride_tricks.as_strided(x, shape, steps_of_view, writeable=False)
        self._positions = math.prod(counts)
        self.width = math.prod(kernels) * x.shape[-1]
        """The number of elements of a window."""

    def bounds(self, multiplications: int) -> list[int]:
        """Returns where the blocks of images begin, and last the number of images."""
        most = max(1, _CHUNK // (self._positions * self.width))
        threads = thread_count() if multiplications >= _WORTH_SHARING else 1
        return block_bounds(len(self._view), most, threads)

    def rows(self, batch: slice) -> Array:
        """Copies the windows of some images into the rows of a matrix `[positions, kernel * channels]`."""
        return self._view[batch].reshape(-1, self.width)


def _pad(x: Array, windows: Sequence[Window]) -> Array:
    if not any(w.before or w.after for w in windows):
        return x
    shape = (len(x), *(w.size + w.before + max(w.after, 0) for w in windows), x.shape[-1])
    result = np.zeros(shape, x.dtype)
    result[(slice(None), *(slice(w.before, w.before + w.size) for w in windows))] = x
    return result


def _mirror_windows(windows: Sequence[Window]) -> tuple[Window, ...] | None:
    """Returns the windows of the correlation that is the input gradient; None if it is none, as for strides above 1."""
    mirrored = []
    for w in windows:
        before = w.reach - 1 - w.before
        after = w.size + w.reach - 1 - w.output_size - before
        if w.stride != 1 or before < 0 or after < 0:
            return None
        mirrored.append(Window(w.output_size, w.kernel, 1, w.dilation, before, after, w.size))
    return tuple(mirrored)


def mirror_filters(xp: Any, filters: Array, groups: int) -> Array:
    """Turns the filters around in space, and exchanges inputs and outputs within each group."""
    kernel, (size, features) = filters.shape[:-2], filters.shape[-2:]
    turned = xp.flip(filters, tuple(range(len(kernel)))).reshape(-1, size, groups, features // groups)
    return xp.transpose(turned, (0, 3, 2, 1)).reshape(*kernel, features // groups, groups * size)

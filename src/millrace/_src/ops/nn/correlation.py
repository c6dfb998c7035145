"""Correlation of arrays in any number of dimensions, and its two gradients: what all convolution ops compute.

The layout is always `[batch, *spatial, channels]` for images and `[*kernel, channels / groups, features]` for filters;
callers move channels. On NumPy the windows are copied into rows (im2col) and multiplied with the filter as one matrix:
BLAS does the work. The windows of a few images are copied at a time, so that the copy stays in the cache. XLA has an op
for all three.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, XlaXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.math.precision import is_half
from millrace._src.ops.nn.windows import Window, offsets, overlay, padded
from millrace._src.util.blas_threads import large_product

_CHUNK = 1 << 20
"""The number of elements of one block of copied windows (4 MiB of float32): about what a cache holds."""


@kernel_part
def correlate(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    """Correlates images with filters.

    `output[n, p, f] = sum over k, c of x[n, p * stride + k * dilation - before, c] * filters[k, c, f]`. The number of
    groups is the ratio of the channels of `x` to those of `filters`.
    """
    if is_half(x):
        result = correlate(xp, x.astype(np.float32), filters.astype(np.float32), windows)
        return result.astype(x.dtype)
    output = np.zeros((x.shape[0], *(w.places for w in windows), filters.shape[-1]), x.dtype)
    if not output.size or not filters.size:
        return output
    if x.shape[-1] == filters.shape[-2]:
        _correlate_into(xp, output, x, filters, windows)
        return output
    for channels, features, group_filters in _groups(x.shape[-1], filters):
        part = np.empty((*output.shape[:-1], group_filters.shape[-1]), x.dtype)
        _correlate_into(xp, part, x[..., channels], group_filters, windows)
        output[..., features] = part
    return output


def _correlate_into(xp: Xp, output: Array, x: Array, filters: Array, windows: Sequence[Window]) -> None:
    matrix = filters.reshape(-1, filters.shape[-1])
    if all(w.kernel == w.stride == 1 and not w.before and not w.after for w in windows):
        large_product(np.matmul, x.reshape(-1, x.shape[-1]), matrix, out=output.reshape(-1, output.shape[-1]))
        return
    for batch, rows in _row_blocks(xp, x, windows):
        large_product(np.matmul, rows, matrix, out=output[batch].reshape(-1, output.shape[-1]))


@kernel_part
def correlate_input_gradient(
    xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient of `correlate` with respect to `x`, which has the shape `like`."""
    if is_half(gradient):
        single = correlate_input_gradient(xp, gradient.astype(np.float32), filters.astype(np.float32), windows, like)
        return single.astype(gradient.dtype)
    if not gradient.size or not filters.size:
        return np.zeros(tuple(like), gradient.dtype)
    mirror = _mirrored_windows(windows)
    if mirror is not None:
        groups = like[-1] // filters.shape[-2]
        return correlate(xp, gradient, _mirrored_filters(np, filters, groups), mirror)
    if like[-1] == filters.shape[-2]:
        return _overlaid(xp, gradient, filters, windows, like)
    result = np.empty(tuple(like), gradient.dtype)
    for channels, features, group_filters in _groups(like[-1], filters):
        shape = (*like[:-1], group_filters.shape[-2])
        result[..., channels] = _overlaid(xp, gradient[..., features], group_filters, windows, shape)
    return result


def _overlaid(xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    rows = gradient.reshape(-1, gradient.shape[-1])
    shape = (*gradient.shape[:-1], filters.shape[-2])
    parts = ((o, large_product(np.matmul, rows, filters[o].T).reshape(shape)) for o in offsets(windows))
    return overlay(xp, parts, windows, like, gradient.dtype)


@kernel_part
def correlate_filter_gradient(
    xp: Xp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient of `correlate` with respect to `filters`, which have the shape `like`."""
    if is_half(x):
        single = correlate_filter_gradient(xp, x.astype(np.float32), gradient.astype(np.float32), windows, like)
        return single.astype(x.dtype)
    result = np.zeros(tuple(like), x.dtype)
    if not gradient.size or not x.size or not result.size:
        return result
    for channels, features, group_gradient in _groups(x.shape[-1], result):
        total = group_gradient.reshape(-1, group_gradient.shape[-1]) * 0
        part = np.ascontiguousarray(gradient[..., features])
        for batch, rows in _row_blocks(xp, x[..., channels], windows):
            total += large_product(np.matmul, rows.T, part[batch].reshape(rows.shape[0], -1))
        result[..., features] = total.reshape(group_gradient.shape)
    return result


def _groups(channels: int, filters: Array) -> Iterator[tuple[slice, slice, Array]]:
    """Yields the channels, the features and the filters of each group."""
    size, features = filters.shape[-2:]
    groups = channels // size
    each = features // groups
    for g in range(groups):
        theirs = slice(g * each, (g + 1) * each)
        yield slice(g * size, (g + 1) * size), theirs, filters[..., theirs]


def _row_blocks(xp: Xp, x: Array, windows: Sequence[Window]) -> Iterator[tuple[slice, Array]]:
    """Yields images, a few at a time, and their windows as rows of a matrix `[positions, kernel * channels]`."""
    x = padded(xp, x, windows)
    counts, kernels = tuple(w.places for w in windows), tuple(w.kernel for w in windows)
    strides = x.strides[1:-1]
    steps = (s * w.stride for s, w in zip(strides, windows, strict=True))
    inside = (s * w.dilation for s, w in zip(strides, windows, strict=True))
    view = np.lib.stride_tricks.as_strided(
        x, (x.shape[0], *counts, *kernels, x.shape[-1]), (x.strides[0], *steps, *inside, x.strides[-1]), writeable=False
    )
    positions, width = math.prod(counts), math.prod(kernels) * x.shape[-1]
    step = max(1, _CHUNK // (positions * width))
    for start in range(0, x.shape[0], step):
        batch = slice(start, min(start + step, x.shape[0]))
        yield batch, view[batch].reshape(-1, width)


def _mirrored_windows(windows: Sequence[Window]) -> tuple[Window, ...] | None:
    """Returns the windows of the correlation that is the input gradient; None if it is none, as for strides above 1."""
    mirrored = []
    for w in windows:
        before = w.reach - 1 - w.before
        after = w.size + w.reach - 1 - w.places - before
        if w.stride != 1 or before < 0 or after < 0:
            return None
        mirrored.append(Window(w.places, w.kernel, 1, w.dilation, before, after, w.size))
    return tuple(mirrored)


def _mirrored_filters(xp: Any, filters: Array, groups: int) -> Array:
    """Turns the filters around in space, and exchanges inputs and outputs within each group."""
    kernel, (size, features) = filters.shape[:-2], filters.shape[-2:]
    turned = xp.flip(filters, tuple(range(len(kernel)))).reshape(-1, size, groups, features // groups)
    return xp.transpose(turned, (0, 3, 2, 1)).reshape(*kernel, features // groups, groups * size)


# --- XLA -------------------------------------------------------------------------------------------------------------


@correlate.kernel_for("xla")
def _xla_correlate(xp: XlaXp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    return _convolve(
        xp,
        x,
        filters,
        [w.stride for w in windows],
        [(w.before, w.span + w.reach - 1 - w.size - w.before) for w in windows],
        rhs_dilation=[w.dilation for w in windows],
        feature_group_count=max(x.shape[-1] // max(filters.shape[-2], 1), 1),
    )


def _convolve(
    xp: XlaXp, x: Array, filters: Array, strides: Any, padding: Any, specs: Any = None, **options: Any
) -> Array:
    spatial = "DHW"[3 - (x.ndim - 2) :]
    specs = specs or (f"N{spatial}C", f"{spatial}IO", f"N{spatial}C")
    accumulator = np.float32 if is_half(x) else None
    numbers = xp.lax.conv_dimension_numbers(x.shape, filters.shape, specs)
    result = xp.lax.conv_general_dilated(
        x, filters, strides, padding, dimension_numbers=numbers, preferred_element_type=accumulator, **options
    )
    return result.astype(x.dtype)


@correlate_input_gradient.kernel_for("xla")
def _xla_input_gradient(
    xp: XlaXp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    if 0 in gradient.shape:
        return xp.zeros(tuple(like), gradient.dtype)
    groups = like[-1] // filters.shape[-2]
    before = [w.reach - 1 - w.before for w in windows]
    return _convolve(
        xp,
        gradient,
        _mirrored_filters(xp, filters, groups),
        [1] * len(windows),
        [(b, w.size + w.reach - 1 - w.span - b) for b, w in zip(before, windows, strict=True)],
        lhs_dilation=[w.stride for w in windows],
        rhs_dilation=[w.dilation for w in windows],
        feature_group_count=groups,
    )


@correlate_filter_gradient.kernel_for("xla")
def _xla_filter_gradient(xp: XlaXp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    """Computes the gradient by a convolution with batch and channels exchanged, which sums over the images."""
    if 0 in gradient.shape or 0 in x.shape:
        return xp.zeros(tuple(like), x.dtype)
    spatial = "DHW"[3 - len(windows) :]
    groups, size = x.shape[-1] // like[-2], like[-2]
    specs = (f"C{spatial}N", f"I{spatial}O", f"{spatial}NC")
    if groups > 1:
        # XLA is slow with groups of images, so the images of a group become features: `[n, p, g * c] -> [c, p, g * n]`.
        split = x.reshape(*x.shape[:-1], groups, size)
        moved = xp.transpose(split, (x.ndim, *range(1, x.ndim), 0))
        x = moved.reshape(size, *x.shape[1:-1], groups * x.shape[0])
        specs = (f"N{spatial}C", *specs[1:])
    return _convolve(
        xp,
        x,
        gradient,
        [w.dilation for w in windows],
        [(w.before, w.reach - 1 + w.span - w.size - w.before) for w in windows],
        specs,
        rhs_dilation=[w.stride for w in windows],
        feature_group_count=groups,
    )


__all__ = ["correlate", "correlate_filter_gradient", "correlate_input_gradient"]

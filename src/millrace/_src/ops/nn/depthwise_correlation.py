"""Depthwise correlation and its gradients: every channel has filters of its own.

There is no matrix product in a depthwise correlation, but a sum over the elements of the window: each term is a strided
slice of the images times one number a channel. The functions say just that, for both engines: NumPy adds into one
buffer, some rows of it at a time where there are many, XLA fuses the sum into one loop. Where the library oneDNN is
found, a trial finds for which shapes it is faster than NumPy (see `correlation`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.math.precision import is_half
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.correlation import Correlation, correlation_of, is_small
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.util.autotuning import Autotuner
from millrace._src.util.onednn import convolution as onednn

_MANY = 2**15
"""The number of elements of an input from which on working by rows is worth its steps."""
_BYTES_AT_ONCE = 2**16
"""The size of the rows that are summed up before the next: they stay in the processor's cache."""


def joined_filters(filters: Sequence[int]) -> tuple[int, ...]:
    """Returns the shape of filters of a correlation in groups of one channel, `[*kernel, 1, features]`."""
    *kernel, channels, multiplier = filters
    return (*kernel, 1, channels * multiplier)


def _key(images: Sequence[int], filters: Sequence[int], windows: Sequence[Window], x: Array) -> Correlation:
    return correlation_of(images, joined_filters(filters), windows, x)


@kernel_part
def correlate_depthwise(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    """Correlates images `[batch, height, width, channels]` with filters `[height, width, channels, multiplier]`."""
    key = _key(x.shape, filters.shape, windows, x)
    return (_forward if is_small(key) else FORWARD)(key, xp, x, filters)


@kernel_part
def depthwise_input_gradient(
    xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient of `correlate_depthwise` with respect to the images, which have the shape `like`."""
    key = _key(like, filters.shape, windows, gradient)
    return (_to_images if is_small(key) else INPUT_GRADIENT)(key, xp, gradient, filters)


@kernel_part
def depthwise_filter_gradient(
    xp: Xp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient of `correlate_depthwise` with respect to the filters, which have the shape `like`."""
    key = _key(x.shape, like, windows, x)
    return (_to_filters if is_small(key) else FILTER_GRADIENT)(key, xp, x, gradient, tuple(like))


# --- the implementations of NumPy ------------------------------------------------------------------------------------


def _wide(function: Callable[..., Array], xp: Xp, a: Array, b: Array, *rest: object) -> Array:
    """Calls `function` in float32 for 16-bit floats."""
    if not is_half(a):
        return function(xp, a, b, *rest)
    return xp.astype(function(xp, xp.astype(a, np.float32), xp.astype(b, np.float32), *rest), a.dtype)


def _forward(key: Correlation, xp: Xp, x: Array, filters: Array) -> Array:
    by_rows = filters.shape[-1] == 1 and key.windows[1].stride == 1
    if by_rows and x.size >= _MANY and filters.size:
        return _wide(_sum_by_rows, xp, x, filters[..., 0], key.windows)
    return _wide(_sum_at_once, xp, x, filters, key.windows)


def _to_images(key: Correlation, xp: Xp, gradient: Array, filters: Array) -> Array:
    return _wide(_spread, xp, gradient, filters, key.windows, key.images)


def _to_filters(key: Correlation, xp: Xp, x: Array, gradient: Array, like: tuple[int, ...]) -> Array:
    return _wide(_contract, xp, x, gradient, key.windows, like)


def _sum_at_once(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    x = win.pad(xp, x, windows)
    counts = tuple(w.output_size for w in windows)
    channels, multiplier = filters.shape[2:]
    if multiplier == 1:
        filters = filters[..., 0]
    else:
        x = x[..., None]
    total: Any = 0
    for offset in win.offsets(windows):
        total += x[win.elements(offset, windows)] * filters[offset]
    return xp.reshape(total, (x.shape[0], *counts, channels * multiplier))


def _sum_by_rows(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    """Computes some rows at a time; all columns and channels of a row are one run of numbers."""
    x = win.pad(xp, x, windows)
    tall, wide = windows
    channels = x.shape[-1]
    pictures = x.reshape(*x.shape[:2], -1)
    result = xp.empty((len(x), tall.output_size, wide.output_size * channels), x.dtype)
    weights = {offset: np.tile(filters[offset], wide.output_size) for offset in win.offsets(windows)}
    count = max(1, _BYTES_AT_ONCE // max(1, result[0, :1].nbytes))
    for picture, sums in zip(pictures, result, strict=True):
        for start in range(0, tall.output_size, count):
            _add_windows(picture, weights, sums[start : start + count], start, windows)
    return result.reshape(len(x), tall.output_size, wide.output_size, channels)


def _add_windows(
    picture: Array, weights: dict[tuple[int, ...], Array], sums: Array, first: int, windows: Sequence[Window]
) -> None:
    """Sums up the windows of some rows, from the row `first` on, into `sums`."""
    tall, wide = windows
    row_length = sums.shape[1]
    channels = row_length // wide.output_size
    term = np.empty_like(sums)
    for number, ((row, column), weight) in enumerate(weights.items()):
        top, left = first * tall.stride + row * tall.dilation, column * wide.dilation * channels
        bottom = top + (len(sums) - 1) * tall.stride + 1
        elements = picture[top : bottom : tall.stride, left : left + row_length]
        np.multiply(elements, weight, out=term if number else sums)
        if number:
            sums += term


def _spread(xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    channels, multiplier = filters.shape[2:]
    gradient = xp.reshape(gradient, (*gradient.shape[:-1], channels, multiplier))

    def part(offset: tuple[int, ...]) -> Array:
        if multiplier == 1:
            return gradient[..., 0] * filters[offset][..., 0]
        return xp.einsum("bijcm,cm->bijc", gradient, filters[offset])

    parts = ((o, part(o)) for o in win.offsets(windows))
    return win.overlay(xp, parts, windows, like, gradient.dtype)


def _contract(xp: Xp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    x = win.pad(xp, x, windows)
    gradient = xp.reshape(gradient, (*gradient.shape[:-1], *like[2:]))
    parts = [xp.einsum("bijc,bijcm->cm", x[win.elements(offset, windows)], gradient) for offset in win.offsets(windows)]
    return xp.reshape(xp.stack(parts), tuple(like))


# --- the choice ------------------------------------------------------------------------------------------------------


def _tune_kernel(
    kind: Callable[[onednn.Convolution], Callable[..., Array] | None], of_numpy: Callable[..., Array]
) -> Autotuner:
    def of_library(key: Correlation) -> Callable[..., Array] | None:
        function = kind(key.convolution())
        if function is None:
            return None

        def run(xp: Xp, a: Array, b: Array, like: tuple[int, ...] | None = None) -> Array:
            if like is not None:
                return function(a, b).reshape(like)
            return function(a, b.reshape(key.filters))

        return run

    return Autotuner({"onednn": of_library, "numpy": lambda key: functools.partial(of_numpy, key)}, first="numpy")


FORWARD = _tune_kernel(onednn.forward, _forward)
INPUT_GRADIENT = _tune_kernel(onednn.input_gradient, _to_images)
FILTER_GRADIENT = _tune_kernel(onednn.filter_gradient, _to_filters)


# --- XLA -------------------------------------------------------------------------------------------------------------


@correlate_depthwise.kernel_for("xla")
def _xla_forward(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    return _wide(_sum_at_once, xp, x, filters, windows)


@depthwise_input_gradient.kernel_for("xla")
def _xla_to_images(xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    return _wide(_spread, xp, gradient, filters, windows, like)


@depthwise_filter_gradient.kernel_for("xla")
def _xla_to_filters(xp: Xp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    return _wide(_contract, xp, x, gradient, windows, like)

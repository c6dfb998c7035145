"""Correlation of arrays in any number of dimensions, and its two gradients: what all convolution ops compute.

The layout is always `[batch, *spatial, channels]` for images and `[*kernel, channels / groups, features]` for filters;
callers move channels. On NumPy there are two implementations: products of copied windows (`copied_windows`), and the
library oneDNN where it is found. A trial finds the faster one for each shape, for the correlation and each gradient
apart. XLA has an op for all three.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.math.precision import is_half
from millrace._src.ops.nn import copied_windows as copied
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.util.autotuning import Autotuner
from millrace._src.util.onednn import convolution as onednn

_SMALL = 1 << 15
"""The multiplications up to which the choice of an implementation would show."""


class Correlation(NamedTuple):
    """A shape specialization: all that the choice of the fastest implementation depends on."""

    images: tuple[int, ...]
    filters: tuple[int, ...]
    windows: tuple[Window, ...]
    dtype: np.dtype[Any]
    channels_first: bool
    """Whether the memory of the images has the channels before the positions."""

    def convolution(self) -> onednn.Convolution:
        """Returns the same in oneDNN's words."""
        output_sizes, strides, dilations, before = zip(
            *((w.output_size, w.stride, w.dilation, w.before) for w in self.windows)
        )
        moves = (output_sizes, strides, dilations, before)
        return onednn.Convolution(self.images, self.filters, *moves, self.dtype.name, self.channels_first)


def correlation_of(images: Sequence[int], filters: Sequence[int], windows: Sequence[Window], x: Array) -> Correlation:
    """Returns the key of a correlation; `x` has the dtype and the memory layout of the images."""
    is_first = not x.flags.c_contiguous and np.moveaxis(x, -1, 1).flags.c_contiguous
    return Correlation(tuple(images), tuple(filters), tuple(windows), x.dtype, is_first)


def _tune_kernel(
    of_library: Callable[[onednn.Convolution], Callable[..., Array] | None], of_numpy: Callable[..., Array]
) -> Autotuner:
    """Makes the choice between the library and NumPy; 16-bit floats become 32-bit floats for NumPy."""

    def copies(key: Correlation) -> Callable[..., Array]:
        return functools.partial(of_numpy, key)

    return Autotuner({"onednn": lambda key: of_library(key.convolution()), "numpy": copies}, first="numpy")


def _wide(key: Correlation, kernel: Callable[..., Array], a: Array, b: Array) -> Array:
    """Computes with 16-bit floats in 32 bits."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    return kernel(key._replace(dtype=a.dtype), a, b).astype(key.dtype)


def _correlate(key: Correlation, x: Array, filters: Array) -> Array:
    if is_half(x):
        return _wide(key, FORWARD, x, filters)
    return copied.correlate(x, filters, key.windows)


def _to_images(key: Correlation, gradient: Array, filters: Array) -> Array:
    if is_half(gradient):
        return _wide(key, INPUT_GRADIENT, gradient, filters)
    return copied.correlate_input_gradient(gradient, filters, key.windows, key.images)


def _to_filters(key: Correlation, x: Array, gradient: Array) -> Array:
    if is_half(x):
        return _wide(key, FILTER_GRADIENT, x, gradient)
    return copied.correlate_filter_gradient(x, gradient, key.windows, key.filters)


FORWARD = _tune_kernel(onednn.forward, _correlate)
INPUT_GRADIENT = _tune_kernel(onednn.input_gradient, _to_images)
FILTER_GRADIENT = _tune_kernel(onednn.filter_gradient, _to_filters)


@kernel_part
def correlate(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    """Correlates images with filters.

    `output[n, p, f] = sum over k, c of x[n, p * stride + k * dilation - before, c] * filters[k, c, f]`. The number of
    groups is the ratio of the channels of `x` to those of `filters`.
    """
    key = correlation_of(x.shape, filters.shape, windows, x)
    return (_correlate if is_small(key) else FORWARD)(key, x, filters)


@kernel_part
def correlate_input_gradient(
    xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient of `correlate` with respect to `x`, which has the shape `like`."""
    key = correlation_of(like, filters.shape, windows, gradient)
    return (_to_images if is_small(key) else INPUT_GRADIENT)(key, gradient, filters)


@kernel_part
def correlate_filter_gradient(
    xp: Xp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient of `correlate` with respect to `filters`, which have the shape `like`."""
    key = correlation_of(x.shape, like, windows, x)
    return (_to_filters if is_small(key) else FILTER_GRADIENT)(key, x, gradient)


def is_small(key: Correlation) -> bool:
    """Returns whether a correlation is too small for a choice."""
    return math.prod(key.filters) * key.images[0] * math.prod([w.output_size for w in key.windows]) <= _SMALL


# --- XLA -------------------------------------------------------------------------------------------------------------


def _compile(
    xp: CompilingXp,
    kind: str,
    like: tuple[Sequence[int], Sequence[int]],
    windows: Sequence[Window],
    own: Callable[[Array, Array], Array],
    operands: tuple[Array, Array],
) -> Array:
    """Returns XLA's own form, or another one where that is faster."""
    images, filters = like
    key = Correlation(tuple(images), tuple(filters), tuple(windows), np.dtype(operands[0].dtype), False)
    return own(*operands) if is_small(key) else xp.run_convolution(kind, key.convolution(), own, *operands)


@correlate.kernel_for("xla")
def _xla_correlate(xp: CompilingXp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    def own(x: Array, filters: Array) -> Array:
        return _convolve(
            xp,
            x,
            filters,
            [w.stride for w in windows],
            [(w.before, w.span + w.reach - 1 - w.size - w.before) for w in windows],
            rhs_dilation=[w.dilation for w in windows],
            feature_group_count=max(x.shape[-1] // max(filters.shape[-2], 1), 1),
        )

    return _compile(xp, "forward", (x.shape, filters.shape), windows, own, (x, filters))


def _convolve(
    xp: CompilingXp, x: Array, filters: Array, strides: Any, padding: Any, specs: Any = None, **options: Any
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
    xp: CompilingXp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    if 0 in gradient.shape:
        return xp.zeros(tuple(like), gradient.dtype)
    groups = like[-1] // filters.shape[-2]
    before = [w.reach - 1 - w.before for w in windows]

    def own(gradient: Array, filters: Array) -> Array:
        return _convolve(
            xp,
            gradient,
            copied.mirror_filters(xp, filters, groups),
            [1] * len(windows),
            [(b, w.size + w.reach - 1 - w.span - b) for b, w in zip(before, windows, strict=True)],
            lhs_dilation=[w.stride for w in windows],
            rhs_dilation=[w.dilation for w in windows],
            feature_group_count=groups,
        )

    return _compile(xp, "input_gradient", (like, filters.shape), windows, own, (gradient, filters))


@correlate_filter_gradient.kernel_for("xla")
def _xla_filter_gradient(
    xp: CompilingXp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    if 0 in gradient.shape or 0 in x.shape:
        return xp.zeros(tuple(like), x.dtype)

    def own(x: Array, gradient: Array) -> Array:
        return _sum_over_images(xp, x, gradient, windows, like)

    return _compile(xp, "filter_gradient", (x.shape, like), windows, own, (x, gradient))


def _sum_over_images(
    xp: CompilingXp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]
) -> Array:
    """Computes the gradient by a convolution with batch and channels exchanged, which sums over the images."""
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

"""The taps of each method of resizing: which pixels a new pixel is made of, and with which weights.

Everything here is for one axis, from `size` old pixels to `count` new ones. A new pixel has a position among the old
ones (`positions`): TensorFlow 1 multiplies by the scale; `align_corners` makes the first and last pixels coincide;
`half_pixel_centers` takes the middles of pixels. Positions and weights are computed in float32, as TensorFlow does, so
that a pixel on the border between two falls to the same side.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.image.resampling import Resampling

_F = np.float32
_KEPT = 64
"""How many resamplings of each kind are kept: pipelines resize images of a few sizes again and again."""
_TABLE = 1024
"""TensorFlow 1 takes cubic weights from a table with so many steps between two pixels."""
_SMALLEST_SUM = _F(1000) * np.finfo(_F).tiny


def scale_of(size: int, count: int, align_corners: bool) -> np.float32:
    """Returns the distance of two new pixels, in old pixels."""
    if align_corners and count > 1:
        return _F((size - 1) / (count - 1))
    return _F(_F(size) / _F(count))


def positions(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Returns where each new pixel lies among the old ones."""
    numbers, scale = np.arange(count, dtype=_F), scale_of(size, count, align_corners)
    return (numbers + _F(0.5)) * scale - _F(0.5) if half_pixel_centers else numbers * scale


@functools.lru_cache(maxsize=_KEPT)
def nearest_indices(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Returns the old pixel that each new pixel is."""
    numbers, scale = np.arange(count, dtype=_F), scale_of(size, count, align_corners)
    at = (numbers + _F(0.5)) * scale if half_pixel_centers else numbers * scale
    whole = np.floor(at + _F(0.5)) if align_corners else np.floor(at)
    return np.clip(whole.astype(np.intp), 0, size - 1)


@functools.lru_cache(maxsize=_KEPT)
def linear(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Resampling:
    """Returns the taps of a line between the two neighbours."""
    at = positions(size, count, align_corners, half_pixel_centers)
    before = np.floor(at)
    share = at - before
    indices = np.clip(np.stack([before, np.ceil(at)], axis=1).astype(np.intp), 0, size - 1)
    return Resampling(size, indices, np.stack([_F(1) - share, share], axis=1))


@functools.lru_cache(maxsize=_KEPT)
def cubic(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Resampling:
    """Returns the taps of a cubic spline through the four neighbours.

    With half-pixel centers neighbours outside the image do not count; else the border is repeated for those.
    """
    at = positions(size, count, align_corners, half_pixel_centers)
    before = np.floor(at)
    offsets = np.rint((at - before) * _F(_TABLE)) / _F(_TABLE)
    slope = _F(-0.5 if half_pixel_centers else -0.75)
    near, far = offsets.astype(_F), (_F(1) - offsets).astype(_F)
    weights = np.stack([_outer(near, slope), _inner(near, slope), _inner(far, slope), _outer(far, slope)], axis=1)
    indices = before[:, None].astype(np.intp) + np.arange(-1, 3)
    inside = np.clip(indices, 0, size - 1)
    if half_pixel_centers:
        weights = np.where(indices == inside, weights, _F(0))
        weights = weights / weights.sum(axis=1, keepdims=True)
    return Resampling(size, inside, weights)


def _inner(x: Array, slope: np.float32) -> Array:
    """Computes the cubic kernel at a distance of up to one pixel."""
    return ((slope + _F(2)) * x - (slope + _F(3))) * x * x + _F(1)


def _outer(x: Array, slope: np.float32) -> Array:
    """Computes the cubic kernel at a distance of one pixel more than `x`."""
    x = x + _F(1)
    return ((slope * x - _F(5) * slope) * x + _F(8) * slope) * x - _F(4) * slope


@functools.lru_cache(maxsize=_KEPT)
def area(size: int, count: int, align_corners: bool) -> Resampling:
    """Returns the taps of the mean over the stretch that a new pixel covers; the border is repeated outside."""
    scale = scale_of(size, count, align_corners)
    starts = np.arange(count, dtype=_F) * scale
    ends = np.arange(1, count + 1, dtype=_F) * scale
    first = np.floor(starts).astype(np.intp)
    taps = max(1, int((np.ceil(ends).astype(np.intp) - first).max()))
    indices = first[:, None] + np.arange(taps)
    left, right = np.maximum(indices, starts[:, None]), np.minimum(indices + 1, ends[:, None])
    shares = np.maximum(right - left, 0).astype(_F) / scale
    return Resampling(size, np.clip(indices, 0, size - 1), shares)


# --- kernels of any width --------------------------------------------------------------------------------------------


def _lanczos(radius: float) -> Callable[[Array], Array]:
    def kernel(x: Array) -> Array:
        distance = np.abs(x)
        angle = _F(np.pi) * distance
        with np.errstate(all="ignore"):
            value = _F(radius) * np.sin(angle) * np.sin(angle / _F(radius)) / (angle * angle)
        return np.where(distance > radius, _F(0), np.where(distance <= 1e-3, _F(1), value))

    return kernel


def _gaussian(x: Array) -> Array:
    return np.where(np.abs(x) >= 1.5, _F(0), np.exp(-x * x / _F(2 * 0.5 * 0.5)))


def _box(x: Array) -> Array:
    distance = np.abs(x)
    return np.where(distance < 0.5, _F(1), np.where(distance == 0.5, _F(0.5), _F(0)))


def _triangle(x: Array) -> Array:
    return np.maximum(_F(1) - np.abs(x), _F(0))


def _keys_cubic(x: Array) -> Array:
    x = np.abs(x)
    inner = ((_F(1.5) * x - _F(2.5)) * x) * x + _F(1)
    outer = ((_F(-0.5) * x + _F(2.5)) * x - _F(4)) * x + _F(2)
    return np.where(x >= 2, _F(0), np.where(x >= 1, outer, inner))


def _mitchell_cubic(x: Array) -> Array:
    x = np.abs(x)
    inner = ((_F(7 / 6) * x - _F(2)) * x) * x + _F(16 / 18)
    outer = ((_F(-7 / 18) * x + _F(2)) * x - _F(10 / 3)) * x + _F(16 / 9)
    return np.where(x >= 2, _F(0), np.where(x >= 1, outer, inner))


KERNELS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "box": (1.0, _box),
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, _keys_cubic),
    "mitchellcubic": (2.0, _mitchell_cubic),
}
"""The kernels of ScaleAndTranslate: the radius in pixels, and the weight by distance."""


@functools.lru_cache(maxsize=_KEPT)
def by_kernel(size: int, count: int, scale: float, translation: float, kernel_type: str, antialias: bool) -> Resampling:
    """Returns the taps of an axis that is stretched by `scale` and then moved by `translation`.

    Antialiasing widens the kernel when the axis shrinks. A new pixel that lies outside of the old image is zero.
    """
    radius, kernel = KERNELS[kernel_type]
    step = _F(1) / _F(scale)
    width = np.maximum(step, _F(1)) if antialias else _F(1)
    at = (np.arange(count, dtype=_F) + _F(0.5)) * step - step * _F(translation)
    reach = _F(radius) * width
    first = np.clip(np.ceil(at - reach - _F(0.5)), 0, size - 1).astype(np.intp)
    last = np.clip(np.floor(at + reach - _F(0.5)), 0, size - 1).astype(np.intp)
    taps = max(1, int((last - first).max()) + 1)
    indices = first[:, None] + np.arange(taps)
    weights = kernel((indices.astype(_F) + _F(0.5) - at[:, None]) / width)
    weights = np.where(indices <= last[:, None], weights, _F(0)).astype(_F)
    sums = weights.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        weights = np.where(np.abs(sums) >= _SMALLEST_SUM, weights / sums, weights)
    weights = np.where(((at >= 0) & (at <= size))[:, None], weights, _F(0))
    return Resampling(size, np.minimum(indices, size - 1), weights)

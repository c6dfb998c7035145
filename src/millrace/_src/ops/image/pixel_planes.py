"""Functions of a pixel's three channels, run on all pixels of a picture.

Channels lie side by side in memory, which is slow to compute with. XLA chooses its own layout. NumPy takes a block of
pixels at a time, makes three planes of the block, and computes there: the block and all steps' results stay in the
cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part

_BLOCK = 16_384
"""The number of pixels in a block: a plane of so many float32 takes 64 kB (measured: blocks of 1,024 are 4x slower)."""

Planes = tuple[Array, Array, Array]
"""The three channels of some pixels."""
PlaneFunction = Callable[[Array, Array, Array], Sequence[Array]]
"""A function from three planes to three planes of the same shape and dtype."""


@kernel_part
def on_planes(xp: Xp, compute: PlaneFunction, images: Array) -> Array:
    """Computes `compute` on the channels of `images`, of which the last dimension is 3."""
    result = xp.empty(images.shape, images.dtype)
    pixels, results = images.reshape(-1, 3), result.reshape(-1, 3)
    for start in range(0, len(pixels), _BLOCK):
        block = slice(start, start + _BLOCK)
        red, green, blue = np.ascontiguousarray(pixels[block].T)
        for channel, plane in enumerate(compute(red, green, blue)):
            results[block, channel] = plane
    return result


@on_planes.kernel_for("xla")
def _at_once(xp: Xp, compute: PlaneFunction, images: Array) -> Array:
    return xp.stack(compute(images[..., 0], images[..., 1], images[..., 2]), axis=-1)


def extremes(xp: Xp, red: Array, green: Array, blue: Array) -> tuple[Array, Array]:
    """Returns the largest and the smallest channel of each pixel."""
    high = xp.maximum(xp.maximum(red, green), blue)
    low = xp.minimum(xp.minimum(red, green), blue)
    return high, low


def hue_fraction(xp: Xp, planes: Planes, high: Array, offsets: tuple[Any, Any]) -> tuple[Array, Array]:
    """Returns numerator and offset of the hue: `numerator / (high - low) + offset`, both 0 for gray.

    Args:
      xp: the array namespace.
      planes: red, green and blue.
      high: the largest of the three.
      offsets: the hue of green and the hue of blue.
    """
    red, green, blue = planes
    # sums of products with 0 and 1: on NumPy five times as fast as a choice by a mask
    is_red = xp.astype(red == high, high.dtype)
    is_green = xp.astype(xp.greater(green == high, red == high), high.dtype)
    is_blue = high.dtype.type(1) - is_red - is_green
    numerator = is_red * (green - blue) + is_green * (blue - red) + is_blue * (red - green)
    return numerator, is_green * offsets[0] + is_blue * offsets[1]


def or_one(xp: Xp, spread: Array) -> Array:
    """Returns a divisor: the numbers, none of them negative, and 1 instead of 0."""
    return spread + xp.astype(spread == 0, spread.dtype)


def clip(xp: Xp, x: Array) -> Array:
    """Clips numbers to [0, 1]."""
    # bounds as arrays: NumPy has no fast loop for the smaller of an array and a number
    return xp.minimum(xp.maximum(x, xp.zeros(x.shape, x.dtype)), xp.ones(x.shape, x.dtype))


def hue_weights(xp: Xp, hue: Array) -> Planes:
    """Computes how much of the span between low and high each channel gets; `hue` is in sixths of a turn."""
    number = hue.dtype.type
    one, two, four = number(1), number(2), number(4)
    return (
        clip(xp, xp.abs(hue - number(3)) - one),
        clip(xp, two - xp.abs(hue - two)),
        clip(xp, two - xp.abs(hue - four)),
    )

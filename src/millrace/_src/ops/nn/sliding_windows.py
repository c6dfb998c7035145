"""Sliding windows: where convolutions and pools look, in any number of spatial dimensions.

A convolution or pool reads a window of the input for each output position. The window has `kernel` elements, `dilation`
apart. Neighbouring windows are `stride` elements apart, and the first window begins `before` elements outside of the
input. One `Window` says all of this for one axis. Everything else here is a small function of windows: the sizes that
shape rules need, padding, the strided slice of all first (second, ...) elements of the windows, and the inverse of such
slices, which adds parts back in place. Kernels built on the slices and their inverse are one text for both engines and
for any rank.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.kernel_part import kernel_part

PADDINGS = ("SAME", "VALID")
PADDINGS_EXPLICIT = ("SAME", "VALID", "EXPLICIT")


class Window(NamedTuple):
    """The windows along one axis."""

    size: int
    """The number of input elements."""
    kernel: int
    """The number of elements of one window."""
    stride: int
    dilation: int
    before: int
    """The padding before the first element."""
    after: int
    """The padding after the last element; negative if the last elements are never read."""
    output_size: int
    """The number of windows, which is the number of output elements."""

    @property
    def reach(self) -> int:
        """The number of elements from the first to the last of one window."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def span(self) -> int:
        """The number of elements from the first of the first window to the first of the last window."""
        return (self.output_size - 1) * self.stride + 1


def explicit_pairs(explicit: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns the padding before and after each of `axes`, from TensorFlow's flat list for all four dimensions.

    Raises: ValueError: if the list is not empty and has another length.
    """
    if len(explicit) not in (0, 8):
        raise ValueError(f"explicit_paddings attribute must contain 8 values, but got: {len(explicit)}")
    return tuple((explicit[2 * a], explicit[2 * a + 1]) for a in axes) if explicit else ((0, 0),) * len(axes)


def window_count(
    size: int | None, kernel: int | None, stride: int, dilation: int, padding: str, pair: tuple[int, int] = (0, 0)
) -> int | None:
    """Computes the output size along one axis: None if it is unknown, negative if the window does not fit."""
    if padding == "SAME":
        return None if size is None else -(-size // stride)
    if size is None or kernel is None:
        return None
    return (size + sum(pair) - (kernel - 1) * dilation - 1) // stride + 1


def make_window(
    size: int, kernel: int, stride: int, dilation: int, padding: str, pair: tuple[int, int] = (0, 0)
) -> Window:
    """Makes the windows along one axis, with the padding of a mode.

    "SAME" pads so that there are `ceil(size / stride)` windows, the odd element after; "VALID" does not pad.

    Raises: InvalidArgumentError: if the window is larger than the padded input.
    """
    reach = (kernel - 1) * dilation + 1
    count = window_count(size, kernel, stride, dilation, padding, pair) or 0
    if count < 0:
        raise InvalidArgumentError(
            None,
            None,
            f"Computed output size would be negative: {count} "
            f"[input_size: {size}, effective_filter_size: {reach}, stride: {stride}]",
        )
    before = pair[0]
    if padding == "SAME":
        before = max((count - 1) * stride + reach - size, 0) // 2
    after = max((count - 1) * stride + reach - size - before, 0) if count else 0
    return Window(size, kernel, stride, dilation, before, after, count)


@functools.lru_cache(maxsize=4096)
def make_windows(
    sizes: tuple[int, ...],
    kernels: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    padding: str,
    pairs: tuple[tuple[int, int], ...],
) -> tuple[Window, ...]:
    """Makes the windows along several axes, as `make_window` does along one."""
    parts = zip(sizes, kernels, strides, dilations, pairs, strict=True)
    return tuple(make_window(size, k, s, d, padding, pair) for size, k, s, d, pair in parts)


# --- layout ----------------------------------------------------------------------------------------------------------


class ImageLayout(NamedTuple):
    """The positions of the dimensions in a data format such as NCHW."""

    batch: int
    spatial: tuple[int, ...]
    channels: int

    def pick(self, values: Sequence[int]) -> tuple[int, ...]:
        """Returns the values of the spatial dimensions."""
        return tuple(values[a] for a in self.spatial)


@functools.lru_cache(maxsize=64)
def layout_of(data_format: str) -> ImageLayout:
    """Returns the layout that a data format names."""
    batch, channels = data_format.index("N"), data_format.index("C")
    return ImageLayout(batch, tuple(i for i in range(len(data_format)) if i not in (batch, channels)), channels)


def to_channels_last(xp: Xp, x: Array, data_format: str) -> Array:
    """Moves the channels of `x` to the end."""
    return xp.moveaxis(x, 1, -1) if data_format[1] == "C" else x


def from_channels_last(xp: Xp, x: Array, data_format: str) -> Array:
    """Moves the channels of `x` from the end back: the inverse of `to_channels_last`."""
    return xp.moveaxis(x, -1, 1) if data_format[1] == "C" else x


# --- arrays ----------------------------------------------------------------------------------------------------------


def pad(xp: Xp, x: Array, windows: Sequence[Window], value: Any = 0, first_axis: int = 1) -> Array:
    """Pads the axes of `x` from `first_axis` on, as the windows ask for."""
    if not any(w.before or w.after for w in windows):
        return x
    tail = x.ndim - first_axis - len(windows)
    pairs = [(0, 0)] * first_axis + [(w.before, max(w.after, 0)) for w in windows] + [(0, 0)] * tail
    return xp.pad(x, pairs, constant_values=value)


def offsets(windows: Sequence[Window]) -> Iterator[tuple[int, ...]]:
    """Yields the positions inside a window, row by row."""
    return itertools.product(*(range(w.kernel) for w in windows))


def elements(offset: Sequence[int], windows: Sequence[Window], first_axis: int = 1) -> tuple[slice, ...]:
    """Returns the index, into the padded input, of the element at `offset` of every window."""
    index = [slice(None)] * first_axis
    for o, w in zip(offset, windows, strict=True):
        start = o * w.dilation
        index.append(slice(start, start + w.span, w.stride))
    return tuple(index)


@kernel_part
def overlay(
    xp: Xp, parts: Iterable[tuple[Sequence[int], Array]], windows: Sequence[Window], like: Sequence[int], dtype: Any
) -> Array:
    """Adds each part to where its elements stand in the input: the inverse of picking `elements`.

    Args:
      xp: the array namespace.
      parts: pairs of an offset inside the window and an array with one value per window.
      windows: the windows of the axes 1, 2, ...
      like: the shape of the result, unpadded.
      dtype: the dtype of the result.

    Returns: The sum, of shape `like`; elements that fall on padding are dropped.
    """
    return overlaid(parts, windows, like, dtype)


def overlaid(
    parts: Iterable[tuple[Sequence[int], Array]], windows: Sequence[Window], like: Sequence[int], dtype: DTypeLike
) -> Array:
    """Does what `overlay` does, with NumPy."""
    result = np.zeros(_padded_shape(windows, like), dtype)
    for offset, part in parts:
        result[elements(offset, windows)] += part
    return result[_inner(windows)]


@overlay.kernel_for("xla")
def _add_padded_parts(
    xp: CompilingXp,
    parts: Iterable[tuple[Sequence[int], Array]],
    windows: Sequence[Window],
    like: Sequence[int],
    dtype: Any,
) -> Array:
    shape = _padded_shape(windows, like)
    total = None
    for offset, part in parts:
        padded = _pad_part(xp, part, offset, windows, shape[1:])
        total = padded if total is None else total + padded
    return (xp.zeros(shape, dtype) if total is None else total)[_inner(windows)]


def _padded_shape(windows: Sequence[Window], like: Sequence[int]) -> tuple[int, ...]:
    """Returns the shape of an input of shape `like` with the padding of its windows."""
    return (like[0], *(w.size + w.before + max(w.after, 0) for w in windows), *like[1 + len(windows) :])


def _inner(windows: Sequence[Window]) -> tuple[slice, ...]:
    """Returns the index of the input inside the padded input."""
    return (slice(None), *(slice(w.before, w.before + w.size) for w in windows))


def _pad_part(
    xp: CompilingXp, part: Array, offset: Sequence[int], windows: Sequence[Window], sizes: Sequence[int]
) -> Array:
    """Spreads a part over the padded input, zero elsewhere; XLA fuses a sum of such parts into one loop."""
    config = [(0, 0, 0)]
    for o, w, size in zip(offset, windows, sizes, strict=False):
        low = o * w.dilation
        config.append((low, size - low - w.span, w.stride - 1))
    config += [(0, 0, 0)] * (part.ndim - len(config))
    return xp.lax.pad(part, xp.zeros((), part.dtype), config)


# --- complaints ------------------------------------------------------------------------------------------------------


def check_choice(op: str, attr: str, value: str, allowed: Sequence[str]) -> None:
    """Checks, for shape rules, that an attribute is one of a few strings.

    Raises: ValueError: if the attribute is another string.
    """
    if value not in allowed:
        raise ValueError(f"Attr '{attr}' of '{op}' Op passed string '{value}' not in: {_quote(allowed)}.")


def require_choice(attr: str, value: str, allowed: Sequence[str]) -> None:
    """Checks, for kernels, that an attribute is one of a few strings.

    Raises: InvalidArgumentError: if the attribute is another string.
    """
    if value not in allowed:
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {_quote(allowed)}",
        )


def _quote(names: Sequence[str]) -> str:
    return ", ".join(f'"{n}"' for n in names)


def validate_count(
    size: int | None, kernel: int | None, stride: int, dilation: int, padding: str, pair: tuple[int, int] = (0, 0)
) -> int | None:
    """Computes `window_count` for shape rules.

    Raises: ValueError: if the stride or dilation is not positive, or the window does not fit.
    """
    if stride <= 0:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
    count = window_count(size, kernel, stride, dilation, padding, pair)
    if count is not None and size is not None and kernel is not None and count <= 0 and padding != "SAME":
        reach = (kernel - 1) * dilation + 1
        raise ValueError(f"Negative dimension size caused by subtracting {reach} from {size + sum(pair)}")
    return count

"""Sliding windows: where convolutions and pools look, in any number of spatial dimensions.

A convolution or pool reads, for each output position, a window of the input: `kernel` elements, `dilation` apart, moved
by `stride`, beginning `before` elements outside of it. One `Window` says this for one axis; everything else here is a
small function of it: the sizes that shape rules need, padding, the strided slice of all first (second, ...) elements of
the windows, and its inverse, which adds parts back to where their slices came from. Kernels built on these two are one
text for both engines and for any rank.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, XlaXp, Xp
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.kernel_part import kernel_part

PADDINGS = ("SAME", "VALID")
PADDINGS_EXPLICIT = ("SAME", "VALID", "EXPLICIT")


class Window(NamedTuple):
    """The windows along one axis."""

    size: int
    """Input elements."""
    kernel: int
    """Elements of one window."""
    stride: int
    dilation: int
    before: int
    """Padding before the first element."""
    after: int
    """Padding after the last element; negative if the last elements are never read."""
    places: int
    """Windows, which are output elements."""

    @property
    def reach(self) -> int:
        """Elements from the first to the last of one window."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def span(self) -> int:
        """Elements from the first of the first window to the first of the last one."""
        return (self.places - 1) * self.stride + 1


def explicit_pairs(explicit: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The padding before and after each of `axes`, from TensorFlow's flat list for all dimensions."""
    return tuple((explicit[2 * a], explicit[2 * a + 1]) for a in axes) if explicit else ((0, 0),) * len(axes)


def window_count(
    size: int | None, kernel: int | None, stride: int, dilation: int, padding: str, pair: tuple[int, int] = (0, 0)
) -> int | None:
    """The output size along one axis, None if it is unknown; negative if the window does not fit."""
    if padding == "SAME":
        return None if size is None else -(-size // stride)
    if size is None or kernel is None:
        return None
    return (size + sum(pair) - (kernel - 1) * dilation - 1) // stride + 1


def make_window(
    size: int, kernel: int, stride: int, dilation: int, padding: str, pair: tuple[int, int] = (0, 0)
) -> Window:
    """The windows along one axis, with the padding of a mode.

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
    """`make_window` for several axes."""
    parts = zip(sizes, kernels, strides, dilations, pairs, strict=True)
    return tuple(make_window(size, k, s, d, padding, pair) for size, k, s, d, pair in parts)


# --- layout ----------------------------------------------------------------------------------------------------------


class Layout(NamedTuple):
    """Where a data format such as NCHW has its dimensions."""

    batch: int
    spatial: tuple[int, ...]
    channels: int

    def pick(self, values: Sequence[int]) -> tuple[int, ...]:
        """The values of the spatial dimensions."""
        return tuple(values[a] for a in self.spatial)


@functools.cache
def layout_of(data_format: str) -> Layout:
    """The layout that a data format names."""
    batch, channels = data_format.index("N"), data_format.index("C")
    return Layout(batch, tuple(i for i in range(len(data_format)) if i not in (batch, channels)), channels)


def to_channels_last(xp: Xp, x: Array, data_format: str) -> Array:
    """`x` with its channels moved to the end."""
    return xp.moveaxis(x, 1, -1) if data_format[1] == "C" else x


def from_channels_last(xp: Xp, x: Array, data_format: str) -> Array:
    """The inverse of `to_channels_last`."""
    return xp.moveaxis(x, -1, 1) if data_format[1] == "C" else x


# --- arrays ----------------------------------------------------------------------------------------------------------


def padded(xp: Xp, x: Array, windows: Sequence[Window], value: Any = 0, first_axis: int = 1) -> Array:
    """`x` with the padding of its windows around the axes from `first_axis` on."""
    if not any(w.before or w.after for w in windows):
        return x
    tail = x.ndim - first_axis - len(windows)
    pairs = [(0, 0)] * first_axis + [(w.before, max(w.after, 0)) for w in windows] + [(0, 0)] * tail
    return xp.pad(x, pairs, constant_values=value)


def offsets(windows: Sequence[Window]) -> Iterator[tuple[int, ...]]:
    """The positions inside a window, row by row."""
    return itertools.product(*(range(w.kernel) for w in windows))


def elements(offset: Sequence[int], windows: Sequence[Window], first_axis: int = 1) -> tuple[slice, ...]:
    """The index, into the padded input, of the element at `offset` of every window."""
    index = [slice(None)] * first_axis
    for o, w in zip(offset, windows, strict=True):
        start = o * w.dilation
        index.append(slice(start, start + w.span, w.stride))
    return tuple(index)


@kernel_part
def overlay(
    xp: Xp, parts: Iterable[tuple[Sequence[int], Array]], windows: Sequence[Window], like: Sequence[int], dtype: Any
) -> Array:
    """The inverse of picking `elements`: adds each part to where its elements stand in the input.

    Args:
      xp: the array namespace.
      parts: pairs of an offset inside the window and an array with one value per window.
      windows: the windows of the axes 1, 2, ...
      like: the shape of the result, unpadded.
      dtype: the dtype of the result.

    Returns: The sum, of shape `like`; what falls on padding is dropped.
    """
    result = np.zeros(_padded_shape(windows, like), dtype)
    for offset, part in parts:
        result[elements(offset, windows)] += part
    return result[_inner(windows)]


@overlay.kernel_for("xla")
def _sum_of_placed(
    xp: XlaXp, parts: Iterable[tuple[Sequence[int], Array]], windows: Sequence[Window], like: Sequence[int], dtype: Any
) -> Array:
    shape = _padded_shape(windows, like)
    total = None
    for offset, part in parts:
        placed = _placed(xp, part, offset, windows, shape[1:])
        total = placed if total is None else total + placed
    return (xp.zeros(shape, dtype) if total is None else total)[_inner(windows)]


def _padded_shape(windows: Sequence[Window], like: Sequence[int]) -> tuple[int, ...]:
    """The shape of an input of shape `like` with the padding of its windows."""
    return (like[0], *(w.size + w.before + max(w.after, 0) for w in windows), *like[1 + len(windows) :])


def _inner(windows: Sequence[Window]) -> tuple[slice, ...]:
    """The index of the input inside the padded input."""
    return (slice(None), *(slice(w.before, w.before + w.size) for w in windows))


def _placed(xp: XlaXp, part: Array, offset: Sequence[int], windows: Sequence[Window], sizes: Sequence[int]) -> Array:
    """A part spread over the padded input, zero elsewhere; XLA fuses a sum of these into one loop."""
    config = [(0, 0, 0)]
    for o, w, size in zip(offset, windows, sizes, strict=False):
        low = o * w.dilation
        config.append((low, size - low - w.span, w.stride - 1))
    config += [(0, 0, 0)] * (part.ndim - len(config))
    return xp.lax.pad(part, xp.zeros((), part.dtype), config)


# --- complaints ------------------------------------------------------------------------------------------------------


def check_choice(op: str, attr: str, value: str, allowed: Sequence[str]) -> None:
    """In shape rules: an attribute must be one of a few strings.

    Raises: ValueError: if it is not.
    """
    if value not in allowed:
        raise ValueError(f"Attr '{attr}' of '{op}' Op passed string '{value}' not in: {_quoted(allowed)}.")


def require_choice(attr: str, value: str, allowed: Sequence[str]) -> None:
    """In kernels: an attribute must be one of a few strings.

    Raises: InvalidArgumentError: if it is not.
    """
    if value not in allowed:
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {_quoted(allowed)}",
        )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{n}"' for n in names)


def checked_count(
    size: int | None, kernel: int | None, stride: int, dilation: int, padding: str, pair: tuple[int, int] = (0, 0)
) -> int | None:
    """`window_count` for shape rules.

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

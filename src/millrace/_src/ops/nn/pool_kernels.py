"""The kernel candidates of a pool on NumPy: slices of the images axis by axis, or the library oneDNN where it is found.

A trial finds the faster one for each shape, for pools and their gradients apart. Small pools run on NumPy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.util.autotuning import Autotuner
from millrace._src.util.onednn import pooling as onednn
from millrace._src.util.thread_pool import block_bounds, run_in_parallel, thread_count

_SMALL = 1 << 14
"""The elements up to which the choice of an implementation would show."""
_BLOCK = 1 << 19
"""The elements of the images that are worked on at a time: their arrays stay in the cache."""
_WORTH_SHARING = 1 << 18
"""The elements from which several threads pay."""
_TRIVIAL = (1, 1)


class Pooling(NamedTuple):
    """A shape specialization: all that the choice of the fastest implementation depends on."""

    images: tuple[int, ...]
    windows: tuple[Window, ...]
    """The windows of all axes, the batch and the channels included."""
    dtype: np.dtype[Any]

    def pool(self, is_mean: bool) -> onednn.Pool | None:
        """Returns the same in oneDNN's words; None for windows over all axes.

        The axis that oneDNN calls channels is the last one or the second one: whichever has no windows.
        """
        is_trivial = [(w.kernel, w.stride) == _TRIVIAL for w in self.windows]
        if not (is_trivial[0] and (is_trivial[-1] or is_trivial[1])):
            return None
        is_first = not is_trivial[-1]
        inner = self.windows[2:] if is_first else self.windows[1:-1]
        batch, *sizes = self.images
        shape = (batch, *sizes[1:], sizes[0]) if is_first else self.images
        kernel, strides, before, output_sizes = zip(*((w.kernel, w.stride, w.before, w.output_size) for w in inner))
        return onednn.Pool(shape, kernel, strides, before, output_sizes, self.dtype.name, is_mean, is_first)


def tune_pool(
    maker: Callable[[onednn.Pool], Callable[..., Any] | None],
    of_numpy: Callable[..., Array],
    *,
    is_mean: bool = False,
) -> Autotuner:
    """Makes the choice for one kind of calculation.

    Args:
      maker: makes, for a pool in oneDNN's words, the function on arrays; this function may return None for values with
        which it cannot deal.
      of_numpy: the function of a `Pooling` and arrays.
      is_mean: whether means are computed.
    """

    def of_library(key: Pooling) -> Callable[..., Array] | None:
        pool = key.pool(is_mean)
        function = None if pool is None else maker(pool)
        if function is None:
            return None

        def run(*arrays: Array) -> Array:
            result = function(*arrays)
            return of_numpy(key, *arrays) if result is None else result

        return run

    return Autotuner({"onednn": of_library, "numpy": lambda key: functools.partial(of_numpy, key)}, first="numpy")


def pooling_of(images: Sequence[int], windows: Sequence[Window], array: Array) -> Pooling:
    """Returns the key of a pool of images of a shape; `array` has their dtype."""
    return Pooling(tuple(images), tuple(windows), array.dtype)


def is_small(key: Pooling) -> bool:
    """Returns whether a pool is too small for a choice."""
    return math.prod(key.images) <= _SMALL


def by_images(function: Callable[..., Array], images: Array, *others: Array) -> Array:
    """Computes an array like `images` from the images of several arrays, some at a time; threads share the blocks."""
    most = max(_BLOCK // max(images[0].size, 1), 1) if len(images) else 1
    bounds = block_bounds(len(images), most, thread_count() if images.size >= _WORTH_SHARING else 1)
    if len(bounds) == 2:
        return function(images, *others)
    result = np.empty_like(images)

    def work(number: int) -> None:
        block = slice(bounds[number], bounds[number + 1])
        result[block] = function(images[block], *(other[block] for other in others))

    run_in_parallel(len(bounds) - 1, work)
    return result

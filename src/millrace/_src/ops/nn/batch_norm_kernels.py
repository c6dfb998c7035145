"""The kernels of batch normalization: with the moments of the batch or with given ones, and the gradients.

On NumPy, many float32 go through the library oneDNN where it is found, or through NumPy in blocks that a cache holds;
a trial finds the faster of the two for each shape (`util.autotuning`). oneDNN reads an array twice and writes once,
where elementary operations would go to memory a dozen times.

oneDNN adds up the elements of a channel one after the other, in float32, as in TensorFlow: of 36,864 elements the
moments have a relative error of 1e-5, by NumPy 1e-7.

Whatever the order of the axes, the kernels see `[outer, channels, inner]`; `inner` is 1 where the channels stand last.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.util.autotuning import Autotuner, Work
from millrace._src.util.block_plans import BlockPlan
from millrace._src.util.onednn import batch_normalization as onednn
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.library import load
from millrace._src.util.thread_pool import run_in_parallel

_FEWEST = 1 << 14
"""The number of elements from which on the choice of an implementation pays."""
_BLOCK = 1 << 17
"""The most elements of a block: the calls for a block take 20 us, more than smaller blocks would save."""
_WORTH_SHARING = 1 << 18
"""The elements from which several threads pay."""
_FLOAT = np.dtype(np.float32)

Normalized = tuple[Array, Array, Array]
"""The result, the mean and the (biased) variance."""
Gradients = tuple[Array, Array, Array]
"""The gradients of the array, of the scale and of the offset."""


class ChannelLayout(NamedTuple):
    """The shape of an array in which the channels are one axis."""

    outer: int
    channels: int
    inner: int

    @property
    def element_count(self) -> int:
        """The number of elements of a channel."""
        return self.outer * self.inner

    @property
    def vector_shape(self) -> tuple[int, int, int]:
        """The shape in which a vector of channels broadcasts."""
        return (1, self.channels, 1)


def channel_layout(shape: tuple[int, ...], axis: int) -> ChannelLayout:
    """Returns the layout of an array of a shape whose channels are an axis."""
    return ChannelLayout(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))


# --- the kernels -----------------------------------------------------------------------------------------------------


@kernel_part
def normalize_by_batch(xp: Xp, x: Array, scale: Array, offset: Array, how: tuple[int, float]) -> Normalized:
    """Normalizes each channel by its own moments.

    Args:
      xp: the array namespace.
      x: a float32 array.
      scale: a float32 vector of channels.
      offset: a float32 vector of channels.
      how: the axis of the channels, and what is added to the variance.
    """
    layout = channel_layout(x.shape, how[0])
    if _is_small(x) or not _are_floats(scale, offset):
        return _normalize_by_batch(xp, x, scale, offset, how)
    y, mean, variance = _FORWARD((layout, how[1], True), xp, np.ascontiguousarray(x), scale, offset)
    return y.reshape(x.shape), mean, variance


@normalize_by_batch.kernel_for("xla")
def _normalize_by_batch(xp: Xp, x: Array, scale: Array, offset: Array, how: tuple[int, float]) -> Normalized:
    axes, count = _axes_of_elements(x, how[0])
    mean = xp.sum(x, axis=axes) / count
    centered = x - xp.expand_dims(mean, axes)
    variance = xp.sum(centered * centered, axis=axes) / count
    return _normalize_by_moments(xp, x, (scale, offset, mean, variance), how), mean, variance


@kernel_part
def normalize_by_moments(xp: Xp, x: Array, vectors: tuple[Array, ...], how: tuple[int, float]) -> Array:
    """Normalizes each channel by given moments.

    Args:
      xp: the array namespace.
      x: a float32 array.
      vectors: the float32 vectors of channels: scale, offset, mean, variance.
      how: the axis of the channels, and what is added to the variance.
    """
    if _is_small(x) or not _are_floats(*vectors):
        return _normalize_by_moments(xp, x, vectors, how)
    scale, offset, mean, variance = vectors
    key = (channel_layout(x.shape, how[0]), how[1], False)
    y, _, _ = _FORWARD(key, xp, np.ascontiguousarray(x), scale, offset, mean, variance)
    return y.reshape(x.shape)


@normalize_by_moments.kernel_for("xla")
def _normalize_by_moments(xp: Xp, x: Array, vectors: tuple[Array, ...], how: tuple[int, float]) -> Array:
    axes, _ = _axes_of_elements(x, how[0])
    scale, offset, mean, variance = vectors
    gain = scale / xp.sqrt(variance + np.float32(how[1]))
    return (x - xp.expand_dims(mean, axes)) * xp.expand_dims(gain, axes) + xp.expand_dims(offset, axes)


@kernel_part
def normalization_gradients(
    xp: Xp, dy: Array, x: Array, vectors: tuple[Array, ...], how: tuple[int, float, bool]
) -> Gradients:
    """Computes the gradients of a batch normalization.

    Args:
      xp: the array namespace.
      dy: the gradient of the result, float32.
      x: the array that was normalized, float32.
      vectors: the float32 vectors of channels: scale, mean, variance.
      how: the axis of the channels, what is added to the variance, and whether the moments are those of the batch.
    """
    if _is_small(x) or not _are_floats(*vectors):
        return _normalization_gradients(xp, dy, x, vectors, how)
    key = (channel_layout(x.shape, how[0]), *how[1:])
    dx, dscale, doffset = _BACKWARD(key, xp, np.ascontiguousarray(dy), np.ascontiguousarray(x), *vectors)
    return dx.reshape(x.shape), dscale, doffset


@normalization_gradients.kernel_for("xla")
def _normalization_gradients(
    xp: Xp, dy: Array, x: Array, vectors: tuple[Array, ...], how: tuple[int, float, bool]
) -> Gradients:
    axis, epsilon, is_training = how
    axes, count = _axes_of_elements(x, axis)
    scale, mean, variance = (xp.expand_dims(v, axes) for v in vectors)
    root = 1 / xp.sqrt(variance + np.float32(epsilon))
    normal = (x - mean) * root
    dx, doffset, dscale = dy, xp.sum(dy, axis=axes), xp.sum(dy * normal, axis=axes)
    if is_training:
        dx = dy - xp.expand_dims(doffset / count, axes) - normal * xp.expand_dims(dscale / count, axes)
    return dx * root * scale, dscale, doffset


def _axes_of_elements(x: Array, channel_axis: int) -> tuple[tuple[int, ...], Any]:
    """Returns the axes of the elements of a channel, and the number of those elements."""
    axes = tuple([axis for axis in range(x.ndim) if axis != channel_axis])
    return axes, np.float32(math.prod([x.shape[axis] for axis in axes]))


def _is_small(x: Array) -> bool:
    return x.size < _FEWEST or x.dtype != _FLOAT


def _are_floats(*vectors: Array) -> bool:
    return all(v.dtype == _FLOAT and v.flags.c_contiguous for v in vectors)


# --- oneDNN ----------------------------------------------------------------------------------------------------------

_Key = tuple[ChannelLayout, float, bool]
"""The layout, what is added to the variance, and whether the moments are those of the batch."""


def _forward_by_library(key: _Key) -> Work | None:
    layout, epsilon, is_training = key
    run, library = onednn.forward(onednn.Normalization(*layout, epsilon, is_training)), load()
    if run is None or library is None:
        return None

    def work(xp: Xp, x: Array, scale: Array, offset: Array, *moments: Array) -> Normalized:
        mean, variance = moments or (np.empty(layout.channels, _FLOAT), np.empty(layout.channels, _FLOAT))
        y = np.empty(layout, _FLOAT)
        with library.one_thread():
            run(*[address_of(array) for array in (x, y, mean, variance, scale, offset)])
        return y, mean, variance

    return work


def _backward_by_library(key: _Key) -> Work | None:
    layout, epsilon, is_training = key
    run, library = onednn.backward(onednn.Normalization(*layout, epsilon, is_training)), load()
    if run is None or library is None:
        return None

    def work(xp: Xp, dy: Array, x: Array, scale: Array, mean: Array, variance: Array) -> Gradients:
        dx, dscale, doffset = np.empty(layout, _FLOAT), np.empty_like(scale), np.empty_like(scale)
        with library.one_thread():
            run(*[address_of(array) for array in (x, mean, variance, scale, dy, dx, dscale, doffset)])
        return dx, dscale, doffset

    return work


# --- NumPy -----------------------------------------------------------------------------------------------------------


def _forward_in_blocks(key: _Key) -> Work:
    layout, epsilon, _ = key

    def work(xp: Xp, x: Array, scale: Array, offset: Array, *moments: Array) -> Normalized:
        rows = x.reshape(layout)
        mean, variance = moments or _moments(xp, layout, rows)
        gain = scale / np.sqrt(variance + np.float32(epsilon))
        y = np.empty(layout, _FLOAT)

        def normalize(_: int, x: Array, mean: Array, gain: Array, offset: Array, y: Array) -> None:
            np.subtract(x, mean, out=y)
            np.multiply(y, gain, out=y)
            np.add(y, offset, out=y)

        _run_in_blocks(layout, normalize, rows, *_spread(layout, mean, gain, offset), y)
        return y, mean, variance

    return work


def _moments(xp: Xp, layout: ChannelLayout, x: Array) -> tuple[Array, Array]:
    """Returns the mean and the variance of each channel."""
    count = np.float32(layout.element_count)
    mean = xp.sum(x, axis=(0, 2)) / count

    def squares(x: Array, mean: Array) -> tuple[Array, ...]:
        centered = x - mean
        return (np.multiply(centered, centered, out=centered),)

    (total,) = _sums_in_blocks(xp, layout, squares, x, *_spread(layout, mean))
    return mean, total / count


def _backward_in_blocks(key: _Key) -> Work:
    layout, epsilon, is_training = key

    def work(xp: Xp, dy: Array, x: Array, scale: Array, mean: Array, variance: Array) -> Gradients:
        dy, x, dx = dy.reshape(layout), x.reshape(layout), np.empty(layout, _FLOAT)
        root = 1 / np.sqrt(variance + np.float32(epsilon))

        def products(x: Array, dy: Array, mean: Array) -> tuple[Array, ...]:
            centered = x - mean
            return dy, np.multiply(centered, dy, out=centered)

        doffset, total = _sums_in_blocks(xp, layout, products, x, dy, *_spread(layout, mean))
        dscale, gain = total * root, scale * root
        count = np.float32(layout.element_count)
        factor, rest = -gain * root * dscale / count, -gain * doffset / count

        def project(_: int, x: Array, dy: Array, vectors: list[Array], dx: Array) -> None:
            mean, gain, factor, rest = vectors
            centered = x - mean
            np.multiply(centered, factor, out=centered)
            np.multiply(dy, gain, out=dx)
            np.add(dx, centered, out=dx)
            np.add(dx, rest, out=dx)

        def scale_only(_: int, x: Array, dy: Array, vectors: list[Array], dx: Array) -> None:
            np.multiply(dy, vectors[1], out=dx)

        step = project if is_training else scale_only
        _run_in_blocks(
            layout,
            lambda number, x, dy, *others: step(number, x, dy, list(others[:-1]), others[-1]),
            x,
            dy,
            *_spread(layout, mean, gain, factor, rest),
            dx,
        )
        return dx, dscale, doffset

    return work


def _spread(layout: ChannelLayout, *vectors: Array) -> list[Array]:
    """Returns vectors of channels in the shape in which they broadcast."""
    return [vector.reshape(layout.vector_shape) for vector in vectors]


@functools.lru_cache(maxsize=256)
def _plan(layout: ChannelLayout, shapes: tuple[tuple[int, ...], ...]) -> BlockPlan:
    return BlockPlan(layout, shapes, [False] * len(shapes), _BLOCK)


def _run_in_blocks(layout: ChannelLayout, step: Callable[..., Any], *arrays: Array) -> int:
    """Calls `step(number, *pieces)` for each block of arrays; returns the number of blocks."""
    plan = _plan(layout, tuple([array.shape for array in arrays]))
    views = plan.views(arrays)
    if math.prod(layout) >= _WORTH_SHARING:
        run_in_parallel(len(plan.cuts), lambda number: step(number, *plan.pieces(views, number)))
    else:
        for number in range(len(plan.cuts)):
            step(number, *plan.pieces(views, number))
    return len(plan.cuts)


def _sums_in_blocks(
    xp: Xp, layout: ChannelLayout, step: Callable[..., tuple[Array, ...]], *arrays: Array
) -> list[Array]:
    """Returns the sums over each channel of the arrays that `step` makes of the pieces of arrays."""
    found: dict[int, list[Array]] = {}

    def work(number: int, *pieces: Array) -> None:
        found[number] = [xp.sum(array.reshape(-1, layout.channels), axis=(0,)) for array in step(*pieces)]

    count = _run_in_blocks(layout, work, *arrays)
    total = [np.sum(parts, axis=0, dtype=np.float64) for parts in zip(*(found[i] for i in range(count)), strict=True)]
    return [sums.astype(_FLOAT) for sums in total]


# --- the choice ------------------------------------------------------------------------------------------------------


def _forward_by_numpy(key: _Key) -> Work:
    layout, epsilon, is_training = key
    how = (1, epsilon)
    if layout.inner == 1:
        return _forward_in_blocks(key)

    def work(xp: Xp, x: Array, scale: Array, offset: Array, *moments: Array) -> Normalized:
        x = x.reshape(layout)
        if is_training:
            return _normalize_by_batch(xp, x, scale, offset, how)
        return _normalize_by_moments(xp, x, (scale, offset, *moments), how), *moments

    return work


def _backward_by_numpy(key: _Key) -> Work:
    layout, *how = key
    if layout.inner == 1:
        return _backward_in_blocks(key)

    def work(xp: Xp, dy: Array, x: Array, *vectors: Array) -> Gradients:
        return _normalization_gradients(xp, dy.reshape(layout), x.reshape(layout), vectors, (1, *how))

    return work


_FORWARD = Autotuner({"onednn": _forward_by_library, "numpy": _forward_by_numpy}, first="numpy")
"""How arrays of each `_Key` are normalized: functions of the array namespace, the array and the vectors of channels."""
_BACKWARD = Autotuner({"onednn": _backward_by_library, "numpy": _backward_by_numpy}, first="numpy")
"""How the gradients are computed."""

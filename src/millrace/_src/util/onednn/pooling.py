"""Pools by oneDNN: the largest element or the mean of windows, and their gradients.

Images are `[batch, *sizes, channels]`. The library's largest element of a window passes over NaN, and is the least
finite number where all are minus infinity, so that callers have to look for these. Its gradient needs to know where the
largest elements were, which the forward calculation notes in a *workspace*.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.library import Library, Object, OnednnError, dims, load
from millrace._src.util.onednn.primitives import (
    DIFF_DST,
    DIFF_SRC,
    DST,
    DTYPES,
    SRC,
    WORKSPACE,
    Calculation,
    PrimitiveOperand,
    buffers,
    image_layouts,
    layout_of,
    size_of,
)
from millrace._src.util.thread_pool import run_in_parallel, thread_count

_TRAINING = 64
_LARGEST, _MEAN = 0x1FF, 0x3FF
_DESTROY = "dnnl_primitive_desc_destroy"
_MAX_CALCULATIONS = 256
_WORTH_SHARING = 1 << 20
"""The elements of images from which several threads pay: about half a millisecond."""


class Pool(NamedTuple):
    """Everything on which the calculation of a pool depends but the values."""

    images: tuple[int, ...]
    """The shape of the images, `[batch, *sizes, channels]`."""
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    before: tuple[int, ...]
    """The padding before the first elements."""
    output_sizes: tuple[int, ...]
    """The sizes of the output."""
    dtype: str
    is_mean: bool
    """Whether the mean is computed, of the elements of a window that are not padding; else the largest."""
    channels_first: bool = False

    @property
    def results(self) -> tuple[int, ...]:
        """The shape of the output."""
        return (self.images[0], *self.output_sizes, self.images[-1])

    def with_batch(self, count: int) -> Pool:
        """Returns the same pool of another number of images."""
        return self._replace(images=(count, *self.images[1:]))


class _PoolingParts:
    """The layouts of a pool's operands, and what else its descriptions take."""

    def __init__(self, library: Library, pool: Pool) -> None:
        self._library = library
        self._algorithm = _MEAN if pool.is_mean else _LARGEST
        self.images, self._wanted_images = image_layouts(library, pool.images, pool.dtype, pool.channels_first)
        self.results, self._wanted_results = image_layouts(library, pool.results, pool.dtype, pool.channels_first)
        spans = [(p - 1) * s + k for p, s, k in zip(pool.output_sizes, pool.strides, pool.kernel)]
        after = [max(span - size - b, 0) for span, size, b in zip(spans, pool.images[1:], pool.before)]
        moves = (pool.strides, pool.kernel, (0,) * len(pool.kernel), pool.before, after)
        self._moves = tuple(dims(values) for values in moves)

    def forward(self) -> Object:
        """Describes the pool itself; that of largest elements notes where these were."""
        name, operands = "dnnl_pooling_forward_primitive_desc_create", (self._wanted_images, self._wanted_results)
        return self._make(name, _TRAINING, self._algorithm, *operands, *self._moves)

    def backward(self, forward: Object) -> Object:
        """Describes the gradient."""
        name, operands = "dnnl_pooling_backward_primitive_desc_create", (self._wanted_images, self._wanted_results)
        return self._make(name, self._algorithm, *operands, *self._moves, forward)

    def _make(self, name: str, *arguments: object) -> Object:
        library = self._library
        made: Object = library.make(name, _DESTROY, library.engine, *arguments, library.attributes)
        return made


class _Calculations(NamedTuple):
    """The calculations of one thread, on addresses."""

    forward: Calculation
    """From images to results, and to the workspace if there is one."""
    backward: Calculation
    """From the results' gradient, and the workspace, to the images' gradient."""
    workspace_size: int
    """Bytes; 0 for means."""


@functools.lru_cache(maxsize=_MAX_CALCULATIONS)
def _calculations(pool: Pool) -> _Calculations | None:
    """Returns the calculations for a pool; None where the library is missing or refuses."""
    library = load()
    if library is None or pool.dtype not in DTYPES or 0 in (*pool.images, *pool.output_sizes):
        return None
    try:
        with library.one_thread():
            return _describe(library, pool)
    except OnednnError:
        return None


def _describe(library: Library, pool: Pool) -> _Calculations:
    parts = _PoolingParts(library, pool)
    forward = parts.forward()
    backward = parts.backward(forward)
    # The workspace's layout belongs to the description, which the calculation keeps.
    notes = [] if pool.is_mean else [PrimitiveOperand(WORKSPACE, layout_of(library, forward, WORKSPACE))]
    return _Calculations(
        Calculation(
            library, forward, [PrimitiveOperand(SRC, parts.images)], [PrimitiveOperand(DST, parts.results), *notes]
        ),
        Calculation(
            library,
            backward,
            [PrimitiveOperand(DIFF_DST, parts.results), *notes],
            [PrimitiveOperand(DIFF_SRC, parts.images)],
        ),
        sum(size_of(library, note.layout) for note in notes),
    )


def bind_pooling(pool: Pool) -> Callable[[Any], Any] | None:
    """Returns the function `images -> results`; None where the library is missing or refuses."""
    if _calculations(pool) is None:
        return None

    def run(images: Any) -> Any:
        images = np.ascontiguousarray(images)
        results = np.empty(_memory_shape(pool.results, pool), images.dtype)

        def work(batch: slice, calculations: _Calculations) -> None:
            with buffers.lend(calculations.workspace_size) as workspace:
                calculations.forward(address_of(images[batch]), address_of(results[batch]), address_of(workspace))

        _share(pool, work)
        return results

    return run


def mean_gradient(pool: Pool) -> Callable[[Any], Any] | None:
    """Returns the function `gradient of the means -> gradient of the images`; None as `bind_pooling` does."""
    if _calculations(pool) is None:
        return None

    def run(gradient: Any) -> Any:
        gradient = np.ascontiguousarray(gradient)
        results = np.empty(_memory_shape(pool.images, pool), gradient.dtype)

        def work(batch: slice, calculations: _Calculations) -> None:
            calculations.backward(address_of(gradient[batch]), address_of(results[batch]))

        _share(pool, work)
        return results

    return run


def largest_gradient(pool: Pool) -> Callable[[Any, Any, Any], Any] | None:
    """Returns the function `(images, largest elements, their gradient) -> images' gradient`; None as `bind_pooling`.

    The function returns None where the library finds other largest elements: where there are NaN or minus infinity.
    """
    if _calculations(pool) is None:
        return None

    def run(images: Any, largest: Any, gradient: Any) -> Any:
        images, largest, gradient = (np.ascontiguousarray(a) for a in (images, largest, gradient))
        results = np.empty(_memory_shape(pool.images, pool), images.dtype)
        are_equal = True

        def work(batch: slice, calculations: _Calculations) -> None:
            nonlocal are_equal
            again = np.empty_like(largest[batch])
            with buffers.lend(calculations.workspace_size) as workspace:
                note = address_of(workspace)
                calculations.forward(address_of(images[batch]), address_of(again), note)
                if np.array_equal(again, largest[batch]):
                    calculations.backward(address_of(gradient[batch]), note, address_of(results[batch]))
                else:
                    are_equal = False

        _share(pool, work)
        return results if are_equal else None

    return run


def _share(pool: Pool, work: Callable[[slice, _Calculations], None]) -> None:
    """Divides the images among threads, and calls `work` for each part."""
    batch = pool.images[0]
    count = min(thread_count(), batch) if math.prod(pool.images) >= _WORTH_SHARING else 1
    bounds = [batch * i // count for i in range(count + 1)]
    slices = [slice(start, stop) for start, stop in itertools.pairwise(bounds)]
    found = [_calculations(pool.with_batch(part.stop - part.start)) for part in slices]
    parts = [(part, calculations) for part, calculations in zip(slices, found) if calculations is not None]
    if len(parts) < count:
        whole = _calculations(pool)
        assert whole is not None, "asked for before"
        parts = [(slice(0, batch), whole)]
    run_in_parallel(len(parts), lambda number: work(*parts[number]))


def _memory_shape(sizes: tuple[int, ...], pool: Pool) -> tuple[int, ...]:
    """Returns the shape of the memory of images `[batch, *sizes, channels]`."""
    return (sizes[0], sizes[-1], *sizes[1:-1]) if pool.channels_first else sizes

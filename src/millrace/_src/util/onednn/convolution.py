"""Convolutions by oneDNN: forward, and the gradients with respect to images and filters.

Images are `[batch, *sizes, channels]` and filters `[*kernel, channels / groups, features]`, as everywhere in Millrace.
The library may choose how it wants the filters: given plain filters together with images in blocks, it takes minutes.
Images whose channels stand last it takes as they are; others it may rearrange.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.library import Library, Object, OnednnError, dims, load
from millrace._src.util.onednn.primitives import (
    DIFF_DST,
    DIFF_SRC,
    DIFF_WEIGHTS,
    DST,
    DTYPES,
    SRC,
    WEIGHTS,
    Calculation,
    PrimitiveOperand,
    image_layouts,
    make_layout,
    steps_of,
)
from millrace._src.util.onednn.threads import SharedCalculation

_TRAINING = 64
_DIRECT = 1
_DESTROY = "dnnl_primitive_desc_destroy"
_MAX_CALCULATIONS = 256


class Convolution(NamedTuple):
    """Everything on which the calculation of a convolution depends but the values."""

    images: tuple[int, ...]
    """The shape of the images, `[batch, *sizes, channels]`."""
    filters: tuple[int, ...]
    """The shape of the filters, `[*kernel, channels / groups, features]`."""
    output_sizes: tuple[int, ...]
    """The sizes of the output."""
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    """The padding before the first elements."""
    dtype: str
    channels_first: bool = False
    """Whether the memory of the images has the channels before the sizes."""

    @property
    def results(self) -> tuple[int, ...]:
        """The shape of the output."""
        return (self.images[0], *self.output_sizes, self.filters[-1])

    @property
    def multiplications(self) -> int:
        """How many numbers are multiplied."""
        return math.prod(self.output_sizes) * self.images[0] * math.prod(self.filters)

    def with_batch(self, count: int) -> Convolution:
        """Returns the same convolution of another number of images."""
        return self._replace(images=(count, *self.images[1:]))


class ConvolutionParts:
    """The layouts of a convolution's operands, and what else its descriptions take."""

    def __init__(self, library: Library, shape: Convolution) -> None:
        self.library = library
        self.images, self.wanted_images = image_layouts(library, shape.images, shape.dtype, shape.channels_first)
        self.results, self.wanted_results = image_layouts(library, shape.results, shape.dtype, shape.channels_first)
        sizes, steps = _filter_dims(shape)
        self.filters = make_layout(library, sizes, steps, shape.dtype)
        self.wanted_filters = make_layout(library, sizes, None, shape.dtype)
        reaches = [(k - 1) * d + 1 for k, d in zip(shape.filters, shape.dilations)]
        spans = [(p - 1) * s for p, s in zip(shape.output_sizes, shape.strides)]
        after = [max(s + r - n - b, 0) for s, r, n, b in zip(spans, reaches, shape.images[1:], shape.before)]
        self.moves = (dims(shape.strides), dims([d - 1 for d in shape.dilations]), dims(shape.before), dims(after))

    def forward(self, attributes: Object | None = None) -> Object:
        """Describes the convolution itself, perhaps with attributes of its own."""
        operands = (self.wanted_images, self.wanted_filters, None, self.wanted_results)
        name = "dnnl_convolution_forward_primitive_desc_create"
        return self._make(name, _TRAINING, _DIRECT, *operands, *self.moves, attributes=attributes)

    def input_gradient(self) -> Object:
        """Describes the gradient with respect to the images."""
        operands = (self.wanted_images, self.wanted_filters, self.wanted_results)
        name = "dnnl_convolution_backward_data_primitive_desc_create"
        return self._make(name, _DIRECT, *operands, *self.moves, self.forward())

    def filter_gradient(self) -> Object:
        """Describes the gradient with respect to the filters."""
        operands = (self.wanted_images, self.wanted_filters, None, self.wanted_results)
        name = "dnnl_convolution_backward_weights_primitive_desc_create"
        return self._make(name, _DIRECT, *operands, *self.moves, self.forward())

    def _make(self, name: str, *arguments: object, attributes: Object | None = None) -> Object:
        library = self.library
        made: Object = library.make(name, _DESTROY, library.engine, *arguments, attributes or library.attributes)
        return made


def _filter_dims(shape: Convolution) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the sizes and steps of filters in oneDNN's order: (groups,) features, channels, kernel."""
    *kernel, size, features = shape.filters
    *kernel_steps, channel_step, _ = steps_of(shape.filters)
    groups = shape.images[-1] // size
    if groups == 1:
        return (features, size, *kernel), (1, channel_step, *kernel_steps)
    each = features // groups
    return (groups, each, size, *kernel), (each, 1, channel_step, *kernel_steps)


# --- the three calculations ------------------------------------------------------------------------------------------


def _calculation(kind: str, shape: Convolution, threads: int = 1) -> Calculation | None:
    """Returns a calculation of some threads, on addresses; None where the library is missing or refuses."""
    library = load()
    if library is None or shape.dtype not in DTYPES or 0 in (*shape.images, *shape.filters, *shape.output_sizes):
        return None
    try:
        with library.threads(threads):
            return _describe(library, kind, shape, threads)
    except OnednnError:
        return None


def _describe(library: Library, kind: str, shape: Convolution, threads: int) -> Calculation:
    parts = ConvolutionParts(library, shape)
    images, filters, results = parts.images, parts.filters, parts.results
    if kind == "forward":
        inputs, output = (
            [PrimitiveOperand(SRC, images), PrimitiveOperand(WEIGHTS, filters)],
            PrimitiveOperand(DST, results),
        )
        return Calculation(library, parts.forward(), inputs, [output], threads)
    if kind == "input_gradient":
        inputs, output = (
            [PrimitiveOperand(DIFF_DST, results), PrimitiveOperand(WEIGHTS, filters)],
            PrimitiveOperand(DIFF_SRC, images),
        )
        return Calculation(library, parts.input_gradient(), inputs, [output], threads)
    inputs, output = (
        [PrimitiveOperand(SRC, images), PrimitiveOperand(DIFF_DST, results)],
        PrimitiveOperand(DIFF_WEIGHTS, filters),
    )
    return Calculation(library, parts.filter_gradient(), inputs, [output], threads)


def at_addresses(kind: str, shape: Convolution) -> Callable[[int, int, int], None] | None:
    """Returns the function of the addresses of two operands and of the result, each of which is one run of numbers.

    Args:
      kind: "forward" (operands: images, filters), "input_gradient" (gradient of the results, filters), or
        "filter_gradient" (images, gradient of the results).
      shape: the convolution.

    Returns: The function; None where the library is missing or refuses.
    """
    return _share(kind, shape)


@functools.lru_cache(maxsize=_MAX_CALCULATIONS)
def _share(kind: str, shape: Convolution) -> SharedCalculation | None:
    alone = _calculation(kind, shape)
    return None if alone is None else SharedCalculation(alone, functools.partial(_calculation, kind, shape))


# --- arrays ----------------------------------------------------------------------------------------------------------


def forward(shape: Convolution) -> Callable[[Any, Any], Any] | None:
    """Returns the function `(images, filters) -> results`; None where the library is missing or refuses."""
    return _on_arrays("forward", shape)


def input_gradient(shape: Convolution) -> Callable[[Any, Any], Any] | None:
    """Returns the function `(gradient of the results, filters) -> gradient of the images`; None as `forward` does."""
    return _on_arrays("input_gradient", shape)


def filter_gradient(shape: Convolution) -> Callable[[Any, Any], Any] | None:
    """Returns the function `(images, gradient of the results) -> gradient of the filters`; None as `forward` does."""
    return _on_arrays("filter_gradient", shape)


def _on_arrays(kind: str, shape: Convolution) -> Callable[[Any, Any], Any] | None:
    run = at_addresses(kind, shape)
    if run is None:
        return None
    is_to_filters = kind == "filter_gradient"
    has_moved = shape.channels_first and not is_to_filters
    sizes = shape.filters if is_to_filters else shape.results if kind == "forward" else shape.images
    if has_moved:
        sizes = (sizes[0], sizes[-1], *sizes[1:-1])

    def compute(a: Any, b: object) -> Any:
        a = _in_memory(a, shape)
        b = _in_memory(b, shape) if is_to_filters else np.ascontiguousarray(b)
        result = np.empty(sizes, a.dtype)
        run(address_of(a), address_of(b), address_of(result))
        return np.moveaxis(result, 1, -1) if has_moved else result

    return compute


def _in_memory(images: Any, shape: Convolution) -> Any:
    """Returns images as the calculation reads them: one run of numbers, in the order of the shape's layout."""
    return np.ascontiguousarray(np.moveaxis(images, -1, 1) if shape.channels_first else images)

"""Batch normalization of float32 by oneDNN: with the moments of the batch or with given ones, and the gradients.

An array is `[outer, channels, inner]`, where one of the outer sizes is 1: `inner` for channels that stand last, so that
a row is one position of an image. A NaN or an infinity spoils its channel alone.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from millrace._src.util.onednn.library import Library, Object, OnednnError, load
from millrace._src.util.onednn.primitives import DIFF_DST, DIFF_SRC, DST, SRC, Primitive, make_layout, steps_of

_TRAINING, _INFERENCE, _BACKWARD = 64, 96, 128
_GIVEN_MOMENTS, _SCALE, _OFFSET = 1, 2, 4
_MEAN_ARG, _VARIANCE_ARG, _SCALE_ARG, _OFFSET_ARG, _DIFF_SCALE_ARG, _DIFF_OFFSET_ARG = 49, 50, 51, 52, 255, 256
_DESTROY = "dnnl_primitive_desc_destroy"
_MAX = 256
_MIN_WIDTH, _MAX_WIDTH = 16, 256
_MAX_SUMMED = 1 << 17
"""The most elements of a channel that oneDNN may sum: it adds one after the other, so that the variance of 1,600,000
is wrong by 1e-3, of 130,000 by 3e-5.
"""


class Normalization(NamedTuple):
    """Everything on which the calculation of a batch normalization depends but the values."""

    outer: int
    channels: int
    inner: int
    epsilon: float
    is_training: bool
    """Whether the moments are those of the batch."""

    @property
    def flags(self) -> int:
        """The flags of oneDNN."""
        return _SCALE | _OFFSET | (0 if self.is_training else _GIVEN_MOMENTS)


class _Layouts:
    """The layouts of the operands: the array, and a vector of channels."""

    def __init__(self, library: Library, key: Normalization) -> None:
        outer, channels, inner = key.outer, key.channels, key.inner
        if inner == 1:  # images of a single row, whose channels stand last
            width = _width(outer)
            sizes, steps = (outer // width, channels, 1, width), (width * channels, 1, width * channels, channels)
        else:
            sizes = (outer, channels, 1, inner)
            steps = steps_of(sizes)  # type: ignore[assignment]  # of four dimensions, too
        self.array = make_layout(library, sizes, steps, "float32")
        self.vector = make_layout(library, (channels,), (1,), "float32")


def _width(rows: int) -> int:
    """Returns into how long pieces rows are divided: the gradients of short images take half the time."""
    width = next(width for width in range(min(rows, _MAX_WIDTH), 0, -1) if rows % width == 0)
    return width if width >= _MIN_WIDTH else rows


@functools.lru_cache(maxsize=_MAX)
def forward(key: Normalization) -> Primitive | None:
    """Returns the function of addresses: array, result, mean, variance, scale, offset; None if there is none.

    While training, the mean and the variance are results. Who calls the function lets it use one thread
    (`Library.one_thread`).
    """
    return _describe(key, backward=False)


@functools.lru_cache(maxsize=_MAX)
def backward(key: Normalization) -> Primitive | None:
    """Returns the function of addresses: array, mean, variance, scale, gradient of the result, and then, as results,
    the gradients of the array, of the scale and of the offset; None if there is none.
    """
    return _describe(key, backward=True)


def _describe(key: Normalization, *, backward: bool) -> Primitive | None:
    library = load()
    sums = key.is_training or backward
    if library is None or 0 in key[:3] or (sums and key.outer * key.inner > _MAX_SUMMED):
        return None
    try:
        with library.one_thread():
            layouts = _Layouts(library, key)
            primitive = _backward(library, key, layouts) if backward else _forward(library, key, layouts)
    except OnednnError:
        return None
    return None if primitive.implementation.startswith("ref") else primitive


def _forward_description(library: Library, key: Normalization, layouts: _Layouts, kind: int) -> Object:
    name = "dnnl_batch_normalization_forward_primitive_desc_create"
    operands = (layouts.array, layouts.array, key.epsilon, key.flags)
    made: Object = library.make(name, _DESTROY, library.engine, kind, *operands, library.attributes)
    return made


def _forward(library: Library, key: Normalization, layouts: _Layouts) -> Primitive:
    kind = _TRAINING if key.is_training else _INFERENCE
    vectors = [(argument, layouts.vector) for argument in (_MEAN_ARG, _VARIANCE_ARG, _SCALE_ARG, _OFFSET_ARG)]
    operands = [(SRC, layouts.array), (DST, layouts.array), *vectors]
    return Primitive(library, _forward_description(library, key, layouts, kind), operands)


def _backward(library: Library, key: Normalization, layouts: _Layouts) -> Primitive:
    name = "dnnl_batch_normalization_backward_primitive_desc_create"
    array, vector = layouts.array, layouts.vector
    hint = _forward_description(library, key, layouts, _TRAINING)
    operands = (array, array, array, key.epsilon, key.flags, hint)
    description = library.make(name, _DESTROY, library.engine, _BACKWARD, *operands, library.attributes)
    moments = [(_MEAN_ARG, vector), (_VARIANCE_ARG, vector), (_SCALE_ARG, vector)]
    results = [(DIFF_SRC, array), (_DIFF_SCALE_ARG, vector), (_DIFF_OFFSET_ARG, vector)]
    return Primitive(library, description, [(SRC, array), *moments, (DIFF_DST, array), *results])

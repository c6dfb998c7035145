"""Layer normalization of the rows of a float32 matrix by oneDNN, and the gradients.

A NaN or an infinity spoils its row alone, and in the gradients of scale and offset its column.

Tests: tests/ops/nn/test_layer_norm_ops.py
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from millrace._src.util.onednn.library import Library, Object, OnednnError, load
from millrace._src.util.onednn.primitives import (
    DIFF_DST,
    DIFF_SRC,
    DST,
    SRC,
    Calculation,
    PrimitiveOperand,
    make_layout,
)
from millrace._src.util.onednn.threads import SharedCalculation

_TRAINING, _BACKWARD = 64, 128
_SCALE_AND_OFFSET = 2 | 4
_MEAN_ARG, _VARIANCE_ARG, _SCALE_ARG, _OFFSET_ARG, _DIFF_SCALE_ARG, _DIFF_OFFSET_ARG = 49, 50, 51, 52, 255, 256
_DESTROY = "dnnl_primitive_desc_destroy"
_MAX = 256
_MAX_SUMMED = 1 << 17
"""The most elements of a row: the more there are, the less exact a sum in float32 is."""


class RowNormalization(NamedTuple):
    """Everything on which the calculation of a layer normalization depends but the values."""

    rows: int
    features: int
    """The elements of a row."""
    epsilon: float
    """What is added to the variance."""


@functools.lru_cache(maxsize=_MAX)
def forward(key: RowNormalization) -> SharedCalculation | None:
    """Returns the function of addresses: matrix, scale, offset, and then, as results, the normalized matrix, the mean
    and the variance of each row; None if there is none.
    """
    return _share(key, _forward)


@functools.lru_cache(maxsize=_MAX)
def backward(key: RowNormalization) -> SharedCalculation | None:
    """Returns the function of addresses: gradient of the result, matrix, scale, offset, mean, variance, and then, as
    results, the gradients of the matrix, of the scale and of the offset; None if there is none.
    """
    return _share(key, _backward)


_Make = Callable[[Library, RowNormalization, int], Calculation]


def _share(key: RowNormalization, make: _Make) -> SharedCalculation | None:
    library = load()
    if library is None or 0 in key[:2] or key.features > _MAX_SUMMED:
        return None

    def on_threads(count: int) -> Calculation | None:
        try:
            with library.threads(count):
                return make(library, key, count)
        except OnednnError:
            return None

    alone = on_threads(1)
    return None if alone is None else SharedCalculation(alone, on_threads)


class _RowLayouts:
    """The layouts of the operands."""

    def __init__(self, library: Library, key: RowNormalization) -> None:
        self.matrix = make_layout(library, (key.rows, key.features), (key.features, 1), "float32")
        self.moments = make_layout(library, (key.rows,), (1,), "float32")
        self.vector = make_layout(library, (key.features,), (1,), "float32")

    def describe_forward(self, library: Library, epsilon: float) -> Object:
        """Describes the normalization with the moments of each row as results."""
        name = "dnnl_layer_normalization_forward_primitive_desc_create"
        operands = (self.matrix, self.matrix, self.moments, epsilon, _SCALE_AND_OFFSET)
        made: Object = library.make(name, _DESTROY, library.engine, _TRAINING, *operands, library.attributes)
        return made


def _forward(library: Library, key: RowNormalization, threads: int) -> Calculation:
    layouts = _RowLayouts(library, key)
    vectors = [PrimitiveOperand(argument, layouts.vector) for argument in (_SCALE_ARG, _OFFSET_ARG)]
    moments = [PrimitiveOperand(argument, layouts.moments) for argument in (_MEAN_ARG, _VARIANCE_ARG)]
    return Calculation(
        library,
        layouts.describe_forward(library, key.epsilon),
        [PrimitiveOperand(SRC, layouts.matrix), *vectors],
        [PrimitiveOperand(DST, layouts.matrix), *moments],
        threads,
    )


def _backward(library: Library, key: RowNormalization, threads: int) -> Calculation:
    layouts = _RowLayouts(library, key)
    name = "dnnl_layer_normalization_backward_primitive_desc_create"
    hint = layouts.describe_forward(library, key.epsilon)
    operands = (layouts.matrix, layouts.matrix, layouts.matrix, layouts.moments, key.epsilon, _SCALE_AND_OFFSET, hint)
    description = library.make(name, _DESTROY, library.engine, _BACKWARD, *operands, library.attributes)
    matrices = [PrimitiveOperand(argument, layouts.matrix) for argument in (DIFF_DST, SRC)]
    vectors = [PrimitiveOperand(argument, layouts.vector) for argument in (_SCALE_ARG, _OFFSET_ARG)]
    moments = [PrimitiveOperand(argument, layouts.moments) for argument in (_MEAN_ARG, _VARIANCE_ARG)]
    gradients = [PrimitiveOperand(argument, layouts.vector) for argument in (_DIFF_SCALE_ARG, _DIFF_OFFSET_ARG)]
    return Calculation(
        library,
        description,
        [*matrices, *vectors, *moments],
        [PrimitiveOperand(DIFF_SRC, layouts.matrix), *gradients],
        threads,
    )

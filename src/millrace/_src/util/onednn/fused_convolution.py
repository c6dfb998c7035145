"""Convolutions by oneDNN with an epilogue: steps on each element of the result before it is written.

The library calls such steps *post-ops*. A sum or a product has another operand: a vector of channels, or an array like
the result. The library's rectifiers make zeros of NaN, which the processor notes (`util.invalid_operations`): such a
result is not returned. Each thread notes for itself, so that threads of the pool share the images here, not OpenMP's.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.util.invalid_operations import invalid_flag
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.convolution import Convolution, ConvolutionParts
from millrace._src.util.onednn.library import Library, Object, OnednnError, load
from millrace._src.util.onednn.primitives import (
    DST,
    SIZES,
    SRC,
    WEIGHTS,
    Calculation,
    PrimitiveOperand,
    make_layout,
)
from millrace._src.util.thread_pool import run_in_parallel, thread_count

_BINARY = {"add": 0x1FFF0, "multiply": 0x1FFF1}
"""oneDNN's numbers of functions of two operands, by the names of steps."""
_RECTIFIERS = {"relu": (0x20, 0.0, 0.0), "relu6": (0x2E, 0.0, 6.0)}
"""oneDNN's numbers of functions of one operand, and their parameters."""
_POST_OP, _SECOND_SRC = 0x8000, 2
_DESTROY = "dnnl_post_ops_destroy"
_MAX = 256
_WORTH_SHARING = 1 << 24
"""The multiplications from which several threads pay: about half a millisecond."""


class PostOp(NamedTuple):
    """One step of an epilogue.

    Attributes:
      name: "add" and "multiply" take an operand, "relu" and "relu6" none.
      is_vector: whether the operand is a vector of channels; else the operand has the shape of the result.
    """

    name: str
    is_vector: bool = False


def forward(shape: Convolution, steps: tuple[PostOp, ...]) -> Callable[..., Any] | None:
    """Returns the function `(images, filters, *operands of the steps) -> results`; None if the library refuses.

    The operands are one run of numbers each. The function returns None where the result may have had a NaN before a
    rectifier.
    """
    rectifies = any(step.name in _RECTIFIERS for step in steps)
    flag = invalid_flag()
    if shape.channels_first or (rectifies and flag is None) or _calculation(shape, steps) is None:
        return None
    image_step, result_step = (math.prod(sizes[1:]) * SIZES[shape.dtype] for sizes in (shape.images, shape.results))
    operand_steps = [0 if step.is_vector else result_step for step in steps if step.name in _BINARY]
    starts_steps = (image_step, 0, *operand_steps, result_step)

    def run(images: Any, filters: object, *operands: object) -> Any:
        images, filters = np.ascontiguousarray(images), np.ascontiguousarray(filters)
        results = np.empty(shape.results, images.dtype)
        starts = [address_of(array) for array in (images, filters, *operands, results)]
        parts = _divide_images(shape, lambda part: _calculation(part, steps))
        is_valid = True

        def work(number: int) -> None:
            nonlocal is_valid
            first, calculation = parts[number]
            if flag is not None:
                flag.clear()
            calculation(*[start + first * step for start, step in zip(starts, starts_steps, strict=True)])
            if rectifies and flag is not None and flag.is_set():
                is_valid = False

        run_in_parallel(len(parts), work)
        return results if is_valid else None

    return run


@functools.lru_cache(maxsize=_MAX)
def _calculation(shape: Convolution, steps: tuple[PostOp, ...]) -> Calculation | None:
    """Returns the calculation of one thread; None where the library is missing or refuses."""
    library = load()
    if library is None or shape.dtype != "float32" or 0 in (*shape.images, *shape.filters, *shape.output_sizes):
        return None
    try:
        with library.one_thread():
            parts = ConvolutionParts(library, shape)
            attributes, operands = _describe_steps(library, shape, steps, parts.results)
            inputs = [PrimitiveOperand(SRC, parts.images), PrimitiveOperand(WEIGHTS, parts.filters), *operands]
            output = PrimitiveOperand(DST, parts.results)
            return Calculation(library, parts.forward(attributes), inputs, [output])
    except OnednnError:
        return None


def _describe_steps(
    library: Library, shape: Convolution, steps: Sequence[PostOp], results: Object
) -> tuple[Object, list[PrimitiveOperand]]:
    """Returns the attributes of a primitive with post-ops, and the operands of these."""
    channels = shape.filters[-1]
    sizes = (1, channels, *(1 for _ in shape.output_sizes))
    vector = make_layout(library, sizes, (channels, 1, *(channels for _ in shape.output_sizes)), shape.dtype)
    post_ops = library.make("dnnl_post_ops_create", _DESTROY)
    operands = []
    for index, step in enumerate(steps):
        if step.name in _BINARY:
            layout = vector if step.is_vector else results
            library.call("dnnl_post_ops_append_binary", post_ops, _BINARY[step.name], layout)
            operands.append(PrimitiveOperand(_POST_OP * (index + 1) | _SECOND_SRC, layout))
        else:
            library.call("dnnl_post_ops_append_eltwise", post_ops, *_RECTIFIERS[step.name])
    attributes = library.make_attributes()
    library.call("dnnl_primitive_attr_set_post_ops", attributes, post_ops)
    return attributes, operands


def _divide_images(
    shape: Convolution, calculation_of: Callable[[Convolution], Calculation | None]
) -> list[tuple[int, Calculation]]:
    """Divides the images among threads; returns the first image of each part, and the part's calculation."""
    batch = shape.images[0]
    count = min(thread_count(), batch) if shape.multiplications >= _WORTH_SHARING else 1
    bounds = [batch * i // count for i in range(count + 1)]
    parts = [(first, calculation_of(shape.with_batch(last - first))) for first, last in itertools.pairwise(bounds)]
    if any(calculation is None for _, calculation in parts):
        parts = [(0, calculation_of(shape))]
    return [(first, calculation) for first, calculation in parts if calculation is not None]

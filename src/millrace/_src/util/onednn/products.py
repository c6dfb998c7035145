"""Products of float32 or bfloat16 matrices, and of stacks of matrices, by oneDNN.

A matrix may be transposed, or be a part of a larger one: what counts is that its rows or its columns are runs of
numbers. As many threads as pay share a product (`util.onednn.threads`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.library import Library, OnednnError, load
from millrace._src.util.onednn.primitives import DST, SIZES, SRC, WEIGHTS, Calculation, PrimitiveOperand, make_layout
from millrace._src.util.onednn.threads import SharedCalculation

_MAX_PRODUCTS = 256


class Product(NamedTuple):
    """Everything on which the calculation of a product of arrays depends but the values."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    a_steps: tuple[int, ...]
    """NumPy's strides, in bytes."""
    b_steps: tuple[int, ...]
    dtype: str = "float32"
    """Of the arrays and of the product."""

    @property
    def result(self) -> tuple[int, ...]:
        """The shape of the product."""
        return (*np.broadcast_shapes(self.a[:-2], self.b[:-2]), self.a[-2], self.b[-1])

    @property
    def multiplications(self) -> int:
        """How many numbers are multiplied."""
        return math.prod(self.result) * self.a[-1]


Multiply = Callable[[Any, Any, Any], None]
"""Writes the product of two arrays into the third one, whose memory is one run."""
MultiplyAt = Callable[[int, int, int], None]
"""Does the same for arrays at three addresses."""


@functools.lru_cache(maxsize=_MAX_PRODUCTS)
def multiplication(product: Product) -> Multiply | None:
    """Returns the function for a product; None where the library is missing, or the arrays do not fit it."""
    multiply_at = at_addresses(product)
    if multiply_at is None:
        return None

    def multiply(x: object, y: object, result: object) -> None:
        multiply_at(address_of(x), address_of(y), address_of(result))

    return multiply


def is_possible(product: Product) -> bool:
    """Returns whether the library may be asked: whether the arrays fit each other, and stand in memory as it wants."""
    if min(len(product.a), len(product.b)) < 2 or product.a[-1] != product.b[-2] or 0 in (*product.a, *product.b):
        return False
    matrices = ((product.a[-2:], product.a_steps[-2:]), (product.b[-2:], product.b_steps[-2:]))
    return all(_matrix(*m, SIZES[product.dtype]) is not None for m in matrices)


def at_addresses(product: Product) -> MultiplyAt | None:
    """Returns the function of the addresses for a product; None where `multiplication` returns None."""
    library = load() if is_possible(product) else None
    if library is None:
        return None
    flat = _as_matrices(product)
    if flat is None or product.dtype != "float32":
        return _of_stacks(flat or product)
    return _of_matrices(library, flat)


def _as_matrices(product: Product) -> Product | None:
    """Returns a product of two matrices that computes the same; None if there is none."""
    if math.prod(product.b[:-2]) != 1:
        return product if len(product.a) == len(product.b) == 2 else None
    shape, steps = list(product.a), list(product.a_steps)
    while len(shape) > 2:  # [..., p, m, k] -> [..., p * m, k]
        if shape[-3] != 1 and shape[-2] != 1 and steps[-3] != shape[-2] * steps[-2]:
            return None
        step = steps[-3] if shape[-2] == 1 else steps[-2]
        shape[-3:-1], steps[-3:-1] = [shape[-3] * shape[-2]], [step]
    return product._replace(a=tuple(shape), b=product.b[-2:], a_steps=tuple(steps), b_steps=product.b_steps[-2:])


# --- two matrices ----------------------------------------------------------------------------------------------------


class _Matrix(NamedTuple):
    """How a matrix stands in memory."""

    letter: bytes
    """T if its columns are the runs, else N."""
    step: int
    """The distance of neighbouring runs, in elements."""


def _matrix(shape: tuple[int, ...], steps: tuple[int, ...], size: int) -> _Matrix | None:
    """Describes a matrix of elements of some bytes; None if neither its rows nor its columns are runs of numbers."""
    (rows, columns), (row_step, column_step) = shape, steps
    if (column_step == size or columns == 1) and _is_step(row_step, rows, columns * size, size):
        return _Matrix(b"N", max(row_step // size if rows > 1 else columns, columns))
    if (row_step == size or rows == 1) and _is_step(column_step, columns, rows * size, size):
        return _Matrix(b"T", max(column_step // size if columns > 1 else rows, rows))
    return None


def _is_step(step: int, count: int, length: int, size: int) -> bool:
    return count == 1 or step % size == 0 and step >= length


def _of_matrices(library: Library, product: Product) -> MultiplyAt | None:
    size = SIZES[product.dtype]
    a, b = _matrix(product.a, product.a_steps, size), _matrix(product.b, product.b_steps, size)
    if a is None or b is None:
        return None
    (m, k), n = product.a, product.b[1]
    sgemm = library.slow("dnnl_sgemm")

    def on_threads(count: int) -> MultiplyAt:
        def multiply(x: int, y: int, result: int) -> None:
            with library.threads(count):
                _check(sgemm(a.letter, b.letter, m, n, k, 1.0, x, a.step, y, b.step, 0.0, result, n))

        return multiply

    return SharedCalculation(on_threads(1), on_threads)


def _check(status: int) -> None:
    if status:
        raise OnednnError(f"dnnl_sgemm: status {status}")


# --- stacks of matrices ----------------------------------------------------------------------------------------------


def _of_stacks(product: Product) -> MultiplyAt | None:
    a, a_steps = _with_rank(product.a, product.a_steps, len(product.result))
    b, b_steps = _with_rank(product.b, product.b_steps, len(product.result))
    whole = product._replace(a=a, b=b, a_steps=a_steps, b_steps=b_steps)
    alone = _stack_calculation(whole)
    return None if alone is None else SharedCalculation(alone, functools.partial(_stack_calculation, whole))


def _with_rank(shape: tuple[int, ...], steps: tuple[int, ...], rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    missing = rank - len(shape)
    return (1,) * missing + shape, (shape[0] * steps[0],) * missing + steps


@functools.lru_cache(maxsize=_MAX_PRODUCTS)
def _stack_calculation(product: Product, threads: int = 1) -> Calculation | None:
    library = load()
    if library is None or not is_possible(product) or min(*product.a_steps, *product.b_steps) <= 0:
        return None
    steps = [tuple(s // SIZES[product.dtype] for s in steps) for steps in (product.a_steps, product.b_steps)]
    result_steps = tuple(math.prod(product.result[i + 1 :]) for i in range(len(product.result)))
    parts = ((product.a, steps[0]), (product.b, steps[1]), (product.result, result_steps))
    try:
        with library.threads(threads):
            a, b, result = (make_layout(library, shape, steps, product.dtype) for shape, steps in parts)
            name, destroy = "dnnl_matmul_primitive_desc_create", "dnnl_primitive_desc_destroy"
            description = library.make(name, destroy, library.engine, a, b, None, result, library.attributes)
            return Calculation(
                library,
                description,
                [PrimitiveOperand(SRC, a), PrimitiveOperand(WEIGHTS, b)],
                [PrimitiveOperand(DST, result)],
                threads,
            )
    except OnednnError:
        return None

"""Products of float32 matrices, and of stacks of matrices, by oneDNN.

A matrix may be transposed, or be a part of a larger one: what counts is that its rows or its columns are runs of
numbers. Threads share the rows, columns or matrices of a large product.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.library import Library, OnednnError, load
from millrace._src.util.onednn.primitives import DST, SRC, WEIGHTS, Calculation, PrimitiveOperand, make_layout
from millrace._src.util.thread_pool import run_in_parallel, thread_count

_SIZE = 4
"""The bytes of a float32."""
_WORTH_SHARING = 1 << 24
"""The multiplications from which several threads pay: about half a millisecond."""
_MAX_PRODUCTS = 256


class Product(NamedTuple):
    """Everything on which the calculation of a product of float32 arrays depends but the values."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    a_steps: tuple[int, ...]
    """NumPy's strides, in bytes."""
    b_steps: tuple[int, ...]

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


def at_addresses(product: Product) -> MultiplyAt | None:
    """Returns the function of the addresses for a product; None where `multiplication` returns None."""
    if min(len(product.a), len(product.b)) < 2 or product.a[-1] != product.b[-2] or 0 in (*product.a, *product.b):
        return None
    library = load()
    if library is None:
        return None
    flat = _as_matrices(product)
    return _of_matrices(library, flat) if flat is not None else _of_stacks(product)


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
    return Product(tuple(shape), product.b[-2:], tuple(steps), product.b_steps[-2:])


# --- two matrices ----------------------------------------------------------------------------------------------------


class _Matrix(NamedTuple):
    """How a matrix stands in memory."""

    letter: bytes
    """T if its columns are the runs, else N."""
    step: int
    """The distance of neighbouring runs, in elements."""

    def offset(self, row: int, column: int) -> int:
        """Returns how many bytes after the first element another element stands."""
        return _SIZE * (row * self.step + column if self.letter == b"N" else column * self.step + row)


def _matrix(shape: tuple[int, ...], steps: tuple[int, ...]) -> _Matrix | None:
    """Describes a matrix; None if neither its rows nor its columns are runs of numbers."""
    (rows, columns), (row_step, column_step) = shape, steps
    if (column_step == _SIZE or columns == 1) and _is_step(row_step, rows, columns):
        return _Matrix(b"N", max(row_step // _SIZE if rows > 1 else columns, columns))
    if (row_step == _SIZE or rows == 1) and _is_step(column_step, columns, rows):
        return _Matrix(b"T", max(column_step // _SIZE if columns > 1 else rows, rows))
    return None


def _is_step(step: int, count: int, length: int) -> bool:
    return count == 1 or step % _SIZE == 0 and step >= length * _SIZE


def _of_matrices(library: Library, product: Product) -> MultiplyAt | None:
    a, b = _matrix(product.a, product.a_steps), _matrix(product.b, product.b_steps)
    if a is None or b is None:
        return None
    (m, k), n = product.a, product.b[1]
    sgemm, check = library.slow("dnnl_sgemm"), _check
    by_rows = m >= n

    def block(first: int, last: int, a_start: int, b_start: int, start: int) -> None:
        """Computes some rows, or some columns, of the product."""
        rows, columns = (last - first, n) if by_rows else (m, last - first)
        a_start += a.offset(first, 0) if by_rows else 0
        b_start += 0 if by_rows else b.offset(0, first)
        start += _SIZE * (first * n if by_rows else first)
        with library.one_thread():
            check(sgemm(a.letter, b.letter, rows, columns, k, 1.0, a_start, a.step, b_start, b.step, 0.0, start, n))

    def multiply(*starts: int) -> None:
        count = _part_count(product, max(m, n))
        if count == 1:
            block(0, max(m, n) if by_rows else n, *starts)
            return
        bounds = [max(m, n) * i // count for i in range(count + 1)]
        run_in_parallel(count, lambda i: block(bounds[i], bounds[i + 1], *starts))

    return multiply


def _check(status: int) -> None:
    if status:
        raise OnednnError(f"dnnl_sgemm: status {status}")


def _part_count(product: Product, most: int) -> int:
    return min(thread_count(), most) if product.multiplications >= _WORTH_SHARING else 1


# --- stacks of matrices ----------------------------------------------------------------------------------------------


def _of_stacks(product: Product) -> MultiplyAt | None:
    a, a_steps = _with_rank(product.a, product.a_steps, len(product.result))
    b, b_steps = _with_rank(product.b, product.b_steps, len(product.result))
    whole = Product(a, b, a_steps, b_steps)
    if _stack_calculation(whole) is None:
        return None
    sizes = whole.result[:-2]
    axis = sizes.index(max(sizes))
    a_step, b_step = (0 if shape[axis] == 1 else steps[axis] for shape, steps in ((a, a_steps), (b, b_steps)))
    result_step = _SIZE * math.prod(whole.result[axis + 1 :])

    def multiply(*starts: int) -> None:
        parts = _stack_parts(whole, axis)

        def work(number: int) -> None:
            first, calculation = parts[number]
            calculation(*(start + first * step for start, step in zip(starts, (a_step, b_step, result_step))))

        run_in_parallel(len(parts), work)

    return multiply


def _stack_parts(product: Product, axis: int) -> list[tuple[int, Calculation]]:
    """Divides the matrices along an axis among threads; returns where each part begins, and its calculation."""
    sizes = product.result[:-2]
    # Only parts along the first axis are runs of the result.
    count = _part_count(product, sizes[axis]) if math.prod(sizes[:axis]) == 1 else 1
    bounds = [sizes[axis] * i // count for i in range(count + 1)]
    parts = [
        (first, _stack_calculation(_part(product, axis, last - first))) for first, last in itertools.pairwise(bounds)
    ]
    if any(calculation is None for _, calculation in parts):
        parts = [(0, _stack_calculation(product))]
    return [(first, calculation) for first, calculation in parts if calculation is not None]


def _with_rank(shape: tuple[int, ...], steps: tuple[int, ...], rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    missing = rank - len(shape)
    return (1,) * missing + shape, (shape[0] * steps[0],) * missing + steps


def _part(product: Product, axis: int, count: int) -> Product:
    """Returns the product of some of the matrices along an axis."""
    a, b = (
        shape if shape[axis] == 1 else (*shape[:axis], count, *shape[axis + 1 :]) for shape in (product.a, product.b)
    )
    return product._replace(a=a, b=b)


@functools.lru_cache(maxsize=_MAX_PRODUCTS)
def _stack_calculation(product: Product) -> Calculation | None:
    library = load()
    matrices = ((product.a[-2:], product.a_steps[-2:]), (product.b[-2:], product.b_steps[-2:]))
    if library is None or any(_matrix(*m) is None for m in matrices) or min(*product.a_steps, *product.b_steps) <= 0:
        return None
    steps = [tuple(s // _SIZE for s in steps) for steps in (product.a_steps, product.b_steps)]
    result_steps = tuple(math.prod(product.result[i + 1 :]) for i in range(len(product.result)))
    parts = ((product.a, steps[0]), (product.b, steps[1]), (product.result, result_steps))
    try:
        with library.one_thread():
            a, b, result = (make_layout(library, shape, steps, "float32") for shape, steps in parts)
            name, destroy = "dnnl_matmul_primitive_desc_create", "dnnl_primitive_desc_destroy"
            description = library.make(name, destroy, library.engine, a, b, None, result, library.attributes)
            return Calculation(
                library,
                description,
                [PrimitiveOperand(SRC, a), PrimitiveOperand(WEIGHTS, b)],
                [PrimitiveOperand(DST, result)],
            )
    except OnednnError:
        return None

"""Many small matrices at once, with NumPy.

Problem: LAPACK takes one matrix at a time, and for a matrix of four rows the call costs more than the numbers do.

Idea: many matrices are turned so that equal coordinates lie side by side: `planes[i, j]` holds element `(i, j)` of all
of them. Each step of substitution or elimination is then one operation on long vectors. As many matrices are taken at
once as the cache holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from millrace._src.core.array_namespace import Array

_ELEMENTS = 1 << 16
"""Elements of the matrices that are taken at once."""


def is_substituted_in_planes(a: Array, b: Array) -> bool:
    """Returns whether triangular systems are solved quicker as planes than by one call of BLAS each."""
    rows = a.shape[-1]
    return rows <= 16 and b.size >= max(24, rows * rows) * rows * b.shape[-1]


def is_factored_in_planes(x: Array) -> bool:
    """Returns whether Cholesky factors are found quicker as planes than by LAPACK, which NumPy calls in a loop of C."""
    rows = x.shape[-1]
    return 0 < rows <= 8 and x.size >= 16 * rows**4


def _pieces(x: Array, widest: int) -> Iterator[slice]:
    """Yields which matrices of a vector of matrices are taken at once."""
    length = max(64, _ELEMENTS // widest)
    for start in range(0, len(x), length):
        yield slice(start, start + length)


def _planes(x: Array) -> Array:
    """Returns a vector of matrices as planes, in new memory."""
    count, rows, columns = x.shape
    return np.array(x.reshape(count, -1).T, order="C").reshape(rows, columns, count)


def _matrices(planes: Array) -> Array:
    """Returns planes as a vector of matrices."""
    rows, columns, count = planes.shape
    return planes.reshape(rows * columns, count).T.reshape(count, rows, columns)


def triangular_solutions(a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    """Solves triangular systems by substitution; zeros on the diagonal give infinities and NaN.

    Args:
      a: matrices `[..., n, n]`, floating point or complex; one triangle is read.
      b: right-hand sides `[..., n, k]`.
      lower: whether the lower triangle of `a` is meant.
      adjoint: whether to solve with the adjoint of `a`.
    """

    def substitute(a_planes: Array, b_planes: Array) -> Array:
        factors = a_planes.swapaxes(0, 1).conj() if adjoint else a_planes
        size = len(factors)
        is_forward = lower is not adjoint
        for i in range(size) if is_forward else reversed(range(size)):
            b_planes[i] /= factors[i, i]
            rest = slice(i + 1, None) if is_forward else slice(0, i)
            b_planes[rest] -= factors[rest, i, None] * b_planes[i]
        return b_planes

    return _in_pieces(substitute, a, b)


def cholesky_factors(x: Array) -> Array:
    """Computes lower triangular factors; NaN in the lower triangle for a matrix that is not positive definite.

    Args: x: Hermitian matrices `[..., n, n]`; the lower triangles are read.
    """

    def factor(planes: Array) -> Array:
        size = len(planes)
        is_definite = np.ones(planes.shape[-1], bool)
        for i in range(size):
            pivot = planes[i, i].real
            is_definite &= pivot > 0
            planes[i, i] = np.sqrt(pivot)
            planes[i, i + 1 :] = 0
            planes[i + 1 :, i] /= planes[i, i]
            column = planes[i + 1 :, i]
            planes[i + 1 :, i + 1 :] -= column[:, None] * column.conj()
        if not is_definite.all():
            for i in range(size):
                planes[i, : i + 1, ~is_definite] = np.nan
        return planes

    return _in_pieces(factor, x)


def _in_pieces(function: Callable[..., Array], *stacks: Array) -> Array:
    """Applies a function of planes to stacks of matrices; the result has the shape of the last stack."""
    flat_stacks = [stack.reshape(-1, *stack.shape[-2:]) for stack in stacks]
    result = np.empty_like(flat_stacks[-1])
    widest = max(stack.shape[-1] * stack.shape[-2] for stack in stacks)
    with np.errstate(all="ignore"):
        for piece in _pieces(result, widest):
            result[piece] = _matrices(function(*[_planes(stack[piece]) for stack in flat_stacks]))
    return result.reshape(stacks[-1].shape)

"""Products of stacks of matrices.

Problem: NumPy multiplies one pair of matrices after the other. The threads of a BLAS library share each product, and
meet once a pair: 256 products of 128x64 by 64x128 take half as long again as on threads that share the pairs.

Idea: the threads of the pool take pieces of the stack, and each product stays on the thread of its piece. A stack times
one matrix is one product of matrices, wherever the rows of the stack lie one behind the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.util.blas_threads import blas_product, has_choice, large_product, products_in_parallel
from millrace._src.util.thread_pool import block_bounds, thread_count

_WORTH_SHARING = 1 << 23
"""The multiplications from which on threads share a stack."""
_PIECES = 4
"""The pieces for each thread: threads do not all run equally fast."""


def multiply_stacks(a: Any, b: Any) -> Any:
    """Returns `numpy.matmul(a, b)` of arrays one of which at least is a stack of matrices, in their common dtype."""
    if a.ndim > b.ndim == 2 and a.shape[-1] == b.shape[0] and a.size and a.flags.c_contiguous:
        rows = large_product(np.matmul, a.reshape(-1, a.shape[-1]), b)
        return rows.reshape(*a.shape[:-1], b.shape[-1])
    return large_product(np.matmul, a, b) if has_choice(a, b) else multiply_stacks_by_blas(a, b)


def multiply_stacks_by_blas(a: Any, b: Any) -> Any:
    """Returns what `multiply_stacks` returns, computed by NumPy's BLAS library."""
    shape, axis = _axis_to_share(a, b)
    return _multiply_in_shares(a, b, shape, axis) if axis else blas_product(np.matmul, a, b)


def _axis_to_share(a: Any, b: Any) -> tuple[tuple[int, ...], int]:
    """Returns the shape of a product, and the axis along which threads share it, from the end; 0 for no axis."""
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        return (), 0
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*stack, a.shape[-2], b.shape[-1])
    longest, threads = max(stack), thread_count()
    if threads == 1 or longest < threads or math.prod(shape) * a.shape[-1] < _WORTH_SHARING:
        return shape, 0
    return shape, stack.index(longest) - len(shape)


def _multiply_in_shares(a: Any, b: Any, shape: Sequence[int], axis: int) -> Any:
    """Multiplies pieces of stacks along an axis, which counts from the end."""
    result = np.empty(shape, a.dtype)
    size, threads = result.shape[axis], thread_count()
    bounds = block_bounds(size, -(-size // (_PIECES * threads)), threads)

    def work(index: int) -> None:
        start, stop = bounds[index], bounds[index + 1]
        x, y, target = (_piece(stack, axis, start, stop) for stack in (a, b, result))
        blas_product(np.matmul, x, y, out=target)

    products_in_parallel(len(bounds) - 1, work)
    return result


def _piece(stack: Any, axis: int, start: int, stop: int) -> Any:
    """Returns a piece of a stack along an axis; the whole stack where it is repeated along that axis."""
    if stack.ndim < -axis or stack.shape[axis] == 1:
        return stack
    return stack[(..., slice(start, stop), *[slice(None)] * (-axis - 1))]

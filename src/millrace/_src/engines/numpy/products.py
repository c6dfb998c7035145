"""Products of matrices of any dtype.

Problem: NumPy converts floats of 16 bits one by one, and multiplies them one by one.

Idea: the operands are widened to float32 in blocks and the product is rounded once; large products of bfloat16 are left
to oneDNN where the processor has instructions for them (`util/product_kernels.py`).
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.util.blas_stacks import multiply_stacks
from millrace._src.util.blas_threads import SINGLE, large_product
from millrace._src.util.half_floats import narrow, widen

_WORTH_CHOOSING = 1 << 20
"""The multiplications from which oneDNN may pay for bfloat16: some tens of microseconds."""


def multiply(a: Array, b: Array) -> Array:
    """Returns `numpy.matmul(a, b)` of arrays of one dtype that NumPy accumulates well."""
    product: Array
    if a.size * b.size <= SINGLE:
        product = np.matmul(a, b)
    else:
        product = multiply_stacks(a, b) if a.ndim > 2 or b.ndim > 2 else large_product(np.matmul, a, b)
    return product


def multiply_small_floats(a: Array, b: Array) -> Array:
    """Returns the product of arrays of floats of at most 16 bits: accumulated in float32, and rounded once."""
    if a.dtype.name == "bfloat16" and min(a.ndim, b.ndim) > 1 and a.size * b.shape[-1] >= _WORTH_CHOOSING:
        from millrace._src.util.product_kernels import choose_bfloat16_product  # only large products need it

        product: Array = choose_bfloat16_product(_multiply_in_single, a, b)
        return product
    return _multiply_in_single(a, b)


def _multiply_in_single(a: Array, b: Array) -> Array:
    if a.dtype == np.float16:
        return narrow(np.asarray(multiply(widen(a), widen(b))))
    return multiply(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)

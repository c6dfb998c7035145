"""Which library computes a large product of float32 or bfloat16 matrices: NumPy's BLAS, or oneDNN where it is found.

Which one is faster depends on the processor and the build of NumPy; a trial finds it for each pair of shapes and memory
layouts. A product inside of work that threads share is another case than the same product alone: it runs on one thread.

Where oneDNN can share a product among threads, BLAS computes on one: two libraries with threads that wait in busy loops
take the cores from each other.

BLAS has no products of bfloat16: they are made of float32 copies. oneDNN uses the processor's instructions for them, in
half the time; these take numbers below the normal ones as zeros, as TensorFlow's product does, which is the same one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.util.autotuning import Autotuner
from millrace._src.util.blas_stacks import multiply_stacks_by_blas
from millrace._src.util.blas_threads import blas_product, product_on_one_thread
from millrace._src.util.onednn.library import is_loaded
from millrace._src.util.onednn.products import Product, is_possible, multiplication
from millrace._src.util.onednn.threads import has_threads
from millrace._src.util.thread_pool import is_inside

Key = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], bool]
"""The fields of a `Product`, and whether the product is inside of shared work."""


def _by_blas(key: Key) -> Callable[..., Any]:
    is_inside_work = key[-1]
    if max(len(key[0]), len(key[1])) > 2:
        return _multiply_stacks
    is_shared_by_onednn = functools.cache(lambda: is_possible(Product(*key[:4])) and has_threads())

    def multiply(product: Any, a: Any, b: Any, out: object = None) -> Any:
        run = product_on_one_thread if is_loaded() and is_shared_by_onednn() else blas_product
        return run(product, a, b, out)

    return blas_product if is_inside_work else multiply


def _multiply_stacks(product: Any, a: Any, b: Any, out: object = None) -> Any:
    return multiply_stacks_by_blas(a, b) if out is None else blas_product(product, a, b, out)


def _by_onednn(key: Key) -> Callable[..., Any] | None:
    product = Product(*key[:4])
    multiply = multiplication(product)
    return None if multiply is None else functools.partial(_into_new, multiply, product.result)


def _into_new(
    multiply: Callable[..., None], shape: tuple[int, ...], product: object, a: object, b: object, out: Any = None
) -> Any:
    result = out if out is not None and out.flags.c_contiguous else np.empty(shape, np.float32)
    multiply(a, b, result)
    if out is None or out is result:
        return result
    out[...] = result
    return out


PRODUCTS = Autotuner({"onednn": _by_onednn, "blas": _by_blas}, first="blas")


def _by_onednn_in_half(key: Key) -> Callable[..., Any] | None:
    product = Product(*key[:4], dtype="bfloat16")
    multiply = multiplication(product)
    return None if multiply is None else functools.partial(_into_new_half, multiply, product.result)


def _into_new_half(
    multiply: Callable[..., None], shape: tuple[int, ...], wide_product: object, a: Any, b: object
) -> Any:
    result = np.empty(shape, a.dtype)
    multiply(a, b, result)
    return result


def _by_wide_product(key: Key) -> Callable[..., Any]:
    return lambda wide_product, a, b: wide_product(a, b)


BFLOAT16_PRODUCTS = Autotuner({"onednn": _by_onednn_in_half, "blas": _by_wide_product}, first="blas")


def choose_bfloat16_product(wide_product: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Returns the product of arrays of bfloat16, of at least two dimensions, by the faster library.

    Args:
      wide_product: multiplies them as float32, and rounds.
      a: a matrix, or a stack of matrices.
      b: a matrix, or a stack of matrices.
    """
    return BFLOAT16_PRODUCTS((a.shape, b.shape, a.strides, b.strides, is_inside()), wide_product, a, b)


def choose_product(product: Callable[..., Any], a: Any, b: Any, out: Any = None) -> Any:
    """Returns `product(a, b)` of float32 arrays, computed by the faster library.

    Args:
      product: `numpy.dot` for matrices, or `numpy.matmul`.
      a: a matrix, or a stack of matrices.
      b: a matrix, or a stack of matrices.
      out: the array for the result, if there is one.
    """
    return PRODUCTS((a.shape, b.shape, a.strides, b.strides, is_inside()), product, a, b, out)

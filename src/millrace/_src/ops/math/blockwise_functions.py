"""Functions of one float array, block by block.

A function of many steps goes through memory once a step. A block stays in the processor's cache from its first step to
its last. Several threads share the blocks of a large array.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.util.single_floats import large_form
from millrace._src.util.thread_pool import run_in_blocks

FEWEST = 4096
"""The number of elements from which on NumPy's calls for blocks cost less than a loop over all elements."""
BLOCK = 65_536
"""The most elements of a block."""
_STEPS = 0.4
"""The nanoseconds that a few steps take for an element, about."""


def in_blocks(compute: Callable[..., None], *arrays: Array, nanoseconds: float) -> Array:
    """Computes a function of arrays of one shape and dtype, element by element.

    Args:
      compute: takes blocks of the arrays, and the block of the result, which `compute` writes.
      *arrays: the arrays.
      nanoseconds: what `compute` takes for an element, about.
    """
    flat_arrays = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    result = np.empty(arrays[0].shape, arrays[0].dtype)
    results = result.reshape(-1)

    def work(start: int, stop: int) -> None:
        compute(*(array[start:stop] for array in flat_arrays), results[start:stop])

    run_in_blocks(results.size, BLOCK, work, nanoseconds=nanoseconds)
    return result


def singles(numbers: Sequence[float]) -> list[Any]:
    """Makes float32 arrays of no dimensions, which NumPy's functions take more quickly than numbers."""
    return [np.array(number, np.float32) for number in numbers]


def polynomial(coefficients: Sequence[Any], x: Array) -> Array:
    """Computes a polynomial with these coefficients, the constant one first, in a new array."""
    total = np.multiply(x, coefficients[-1])
    for coefficient in coefficients[-2:0:-1]:
        np.add(total, coefficient, out=total)
        np.multiply(total, x, out=total)
    return np.add(total, coefficients[0], out=total)


def many_at_once(function: Callable[[Array], Array], kernel: Callable[..., Array]) -> Callable[..., Any]:
    """Specializes a kernel by a function on many float32 numbers; other numbers and small arrays go to the kernel."""

    def specialize(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
        if dtypes[0].size > 4:
            return None
        np_dtype = dtypes[0].np_dtype

        def run(x: Array) -> Array:
            if x.size < FEWEST:
                return kernel(xp, x)
            return function(x.astype(np.float32, copy=False)).astype(np_dtype, copy=False)

        return run

    return specialize


def in_steps(compute: Callable[..., None], kernel: Callable[..., Array]) -> Callable[..., Any]:
    """Specializes an elementwise kernel for many float32 or float64 numbers; others go to the kernel.

    Args:
      compute: takes blocks of the operands, and the block of the result, in which `compute` takes its steps.
      kernel: the kernel.
    """

    def specialize(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
        if dtypes[0].name not in ("float32", "float64"):
            return None

        def run(*arrays: Array) -> Array:
            shape = arrays[0].shape
            if arrays[0].size < FEWEST or any(array.shape != shape for array in arrays):
                return kernel(xp, *arrays)
            return in_blocks(compute, *arrays, nanoseconds=_STEPS)

        return run

    return specialize


def in_single_floats(
    name: str, kernel: Callable[..., Array], rule: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Specializes a function of one float array: many float32 numbers are computed by `util.single_floats`.

    Args:
      name: the name of the function there.
      kernel: the kernel of the op.
      rule: the specialization rule for all else.
    """

    def specialize(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
        special = None if rule is None else rule(xp, dtypes, attrs)
        if dtypes[0].name != "float32":
            return special
        return large_form(name, (), special or functools.partial(kernel, xp))

    return specialize

"""Arithmetic of many bfloat16 numbers, by NumPy in blocks of float32 or by oneDNN, whichever is faster.

Problem: `ml_dtypes` rounds a float32 to bfloat16 in 0.35 ns. Processors have instructions for it, which NumPy does not
use.

Idea: oneDNN uses them, where it is installed and the processor has them; which way is faster is tried out for each size
(`util.autotuning`). Both kernels give the same bits: oneDNN makes zeros of results below the normal numbers, so that a
block with a zero in its result is computed again by NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from millrace._src.util.autotuning import Autotuner, Work
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.elementwise import Vectors, calculation
from millrace._src.util.onednn.library import load
from millrace._src.util.thread_pool import run_in_blocks

FEWEST = 1 << 16
"""The number of elements from which on a trial pays."""
_NUMPY_BLOCK, _LIBRARY_BLOCK = 1 << 16, 1 << 18
_NUMPY_NANOSECONDS, _LIBRARY_NANOSECONDS = 0.6, 0.1
_Array = np.ndarray[Any, Any]
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_ALL_BUT_SIGN = np.array(0x7FFF, np.int16)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "cast": np.positive,
}


class ComputationKind(NamedTuple):
    """Everything on which it depends which way is the fastest."""

    name: str
    size: int
    second_size: int


def narrow(x: _Array) -> _Array:
    """Rounds an array of float32 to bfloat16."""
    if x.size < FEWEST or not x.flags.c_contiguous:
        return x.astype(_BFLOAT16)
    result = np.empty(x.shape, _BFLOAT16)
    AUTOTUNER(ComputationKind("cast", x.size, 0), [x.reshape(-1)], result.reshape(-1))
    return result


def compute(ufunc: np.ufunc, arrays: Sequence[_Array], result: _Array) -> None:
    """Computes a function of vectors, rounded once, in blocks of float32 or by oneDNN.

    Args:
      ufunc: the function.
      arrays: vectors of bfloat16, as long as the result or of one element.
      result: where the result is written; of the dtype of the function's result.
    """
    is_known = _FUNCTIONS.get(ufunc.__name__) is ufunc and arrays[0].size == result.size
    if result.size < FEWEST or not is_known:
        _by_numpy(ufunc, arrays, result)
    else:
        AUTOTUNER(ComputationKind(ufunc.__name__, result.size, arrays[1].size), arrays, result)


def _by_numpy(function: Callable[..., Any], arrays: Sequence[_Array], result: _Array) -> None:
    with np.errstate(all="ignore"):
        run_in_blocks(
            result.size,
            _NUMPY_BLOCK,
            lambda start, stop: _compute_block(function, _parts(arrays, start, stop), result[start:stop]),
            nanoseconds=_NUMPY_NANOSECONDS,
        )


def _parts(arrays: Sequence[_Array], start: int, stop: int) -> list[_Array]:
    return [array if array.size == 1 else array[start:stop] for array in arrays]


def _compute_block(function: Callable[..., Any], arrays: Sequence[_Array], out: _Array) -> None:
    out[...] = function(*[array.astype(np.float32, copy=False) for array in arrays])


def _by_library(kind: ComputationKind) -> Work | None:
    dtype = "float32" if kind.name == "cast" else "bfloat16"
    vectors = Vectors(kind.name, min(kind.size, _LIBRARY_BLOCK), kind.second_size and 1, dtype, "bfloat16")
    if kind.second_size > 1:
        vectors = vectors._replace(second_size=vectors.size)
    return None if calculation(vectors) is None else functools.partial(_run_library, vectors)


def _run_library(vectors: Vectors, arrays: Sequence[_Array], result: _Array) -> None:
    library = load()
    function = _FUNCTIONS[vectors.name]

    def work(start: int, stop: int) -> None:
        size = stop - start
        run = calculation(vectors._replace(size=size, second_size=min(vectors.second_size, size)))
        parts, out = _parts(arrays, start, stop), result[start:stop]
        if run is not None and library is not None:
            with library.one_thread():
                run(*map(address_of, parts), address_of(out))
        if run is None or np.bitwise_and(out.view(np.int16), _ALL_BUT_SIGN).min() == 0:
            _compute_block(function, parts, out)

    with np.errstate(all="ignore"):
        run_in_blocks(result.size, _LIBRARY_BLOCK, work, nanoseconds=_LIBRARY_NANOSECONDS)


AUTOTUNER = Autotuner(
    {"onednn": _by_library, "numpy": lambda kind: functools.partial(_by_numpy, _FUNCTIONS[kind.name])}, first="numpy"
)
"""How each function of each size is computed."""

"""Functions of many float32 numbers, by NumPy in blocks or by oneDNN, whichever is faster.

Problem: NumPy takes a root in 0.3 ns, bounds numbers in 0.15, and takes the steps of a function one after the other.
oneDNN computes each of the functions here in one step, at the speed of memory.

Idea: which kernel is faster is tried out for each size (`util.autotuning`). Roots, slopes and bounds have the same bits
by both; the logistic function differs by rounding (errors up to 3 and 4 units in the last place).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.util.autotuning import Autotuner, Work
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.elementwise import Vectors, calculation
from millrace._src.util.onednn.library import load
from millrace._src.util.thread_pool import run_in_blocks

FEWEST = 1 << 16
"""The number of elements from which on a trial pays."""
_NUMPY_BLOCK, _LIBRARY_BLOCK = 1 << 16, 1 << 18
_NUMPY_NANOSECONDS, _LIBRARY_NANOSECONDS = 0.4, 0.2
_Array = np.ndarray[Any, Any]
_FLOAT32 = np.dtype(np.float32)
_ONE = np.array(1, np.float32)


class FunctionKind(NamedTuple):
    """Everything on which it depends which way is the fastest.

    Attributes:
      name: the name of the function.
      parameters: the numbers on which the function depends.
      size: the number of elements.
    """

    name: str
    parameters: tuple[float, ...]
    size: int


def large_form(name: str, parameters: tuple[float, ...], small: Callable[[_Array], Any]) -> Callable[[_Array], Any]:
    """Returns a function of float32 arrays whose large arrays are computed here.

    Args:
      name: the name of the function: a key of `_FUNCTIONS`.
      parameters: the numbers on which the function depends.
      small: computes small arrays, and such as do not lie in order in memory.
    """

    def run(x: _Array) -> Any:
        if x.size < FEWEST or not x.flags.c_contiguous:
            return small(x)
        result = np.empty(x.shape, _FLOAT32)
        AUTOTUNER(FunctionKind(name, parameters, x.size), x.reshape(-1), result.reshape(-1))
        return result

    return run


# --- blocks ----------------------------------------------------------------------------------------------------------


def _sqrt(x: _Array, out: _Array) -> None:
    np.sqrt(x, out=out)


def _rsqrt(x: _Array, out: _Array) -> None:
    np.sqrt(x, out=out)
    _invert(out)


def _invert(out: _Array) -> None:
    np.divide(_ONE, out, out=out)  # as exact as `reciprocal`, and quicker


def _sigmoid(x: _Array, out: _Array) -> None:
    np.negative(x, out=out)
    np.exp(out, out=out)
    np.add(out, _ONE, out=out)
    _invert(out)


def _leaky_relu(x: _Array, out: _Array, slope: float) -> None:
    np.multiply(x, np.float32(slope), out=out)
    np.maximum(x, out, out=out)


def _clip(x: _Array, out: _Array, low: float, high: float) -> None:
    np.minimum(x, _full(high)[: x.size], out=out)
    np.maximum(out, _full(low)[: x.size], out=out)


@functools.lru_cache(maxsize=16)
def _full(number: float) -> _Array:
    """Returns a block that holds a number: NumPy bounds an array by an array three times as fast as by a number."""
    return np.full(_NUMPY_BLOCK, number, np.float32)


class _Function(NamedTuple):
    """How a function is computed.

    Attributes:
      by_numpy: computes a block.
      primitive: oneDNN's function.
      finish: what is left to be done with the results of that.
      spoils_nan: whether oneDNN makes a number of a NaN.
    """

    by_numpy: Callable[..., None]
    primitive: str
    finish: Callable[[_Array], None] | None = None
    spoils_nan: bool = False


_FUNCTIONS = {
    "sqrt": _Function(_sqrt, "sqrt"),
    "rsqrt": _Function(_rsqrt, "sqrt", finish=_invert),
    "sigmoid": _Function(_sigmoid, "sigmoid"),
    "leaky_relu": _Function(_leaky_relu, "leaky_relu"),
    "clip": _Function(_clip, "clip", spoils_nan=True),
}


# --- the two kernels -------------------------------------------------------------------------------------------------


def _by_numpy(kind: FunctionKind) -> Work:
    compute = _FUNCTIONS[kind.name].by_numpy

    def run(x: _Array, result: _Array) -> None:
        def work(start: int, stop: int) -> None:
            compute(x[start:stop], result[start:stop], *kind.parameters)

        run_in_blocks(x.size, _NUMPY_BLOCK, work, nanoseconds=_NUMPY_NANOSECONDS)

    return run


def _by_library(kind: FunctionKind) -> Work | None:
    function = _FUNCTIONS[kind.name]
    size = min(kind.size, _LIBRARY_BLOCK)
    vectors = Vectors(function.primitive, size, 0, "float32", "float32", kind.parameters)
    return None if calculation(vectors) is None else functools.partial(_run_library, function, vectors)


def _run_library(function: _Function, vectors: Vectors, x: _Array, result: _Array) -> None:
    library = load()

    def work(start: int, stop: int) -> None:
        part, out = x[start:stop], result[start:stop]
        run = calculation(vectors._replace(size=stop - start))
        if run is None or library is None or (function.spoils_nan and np.isnan(part.max())):
            for at in range(0, stop - start, _NUMPY_BLOCK):
                block = slice(at, at + _NUMPY_BLOCK)
                function.by_numpy(part[block], out[block], *vectors.parameters)
            return
        with library.one_thread():
            run(address_of(part), address_of(out))
        if function.finish is not None:
            function.finish(out)

    run_in_blocks(x.size, _LIBRARY_BLOCK, work, nanoseconds=_LIBRARY_NANOSECONDS)


AUTOTUNER = Autotuner({"onednn": _by_library, "numpy": _by_numpy}, first="numpy")
"""How each function of each size is computed."""

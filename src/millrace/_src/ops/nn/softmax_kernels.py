"""Softmax of many long rows of float32: by NumPy or by oneDNN, whichever is faster for a shape (`util.autotuning`).

oneDNN's softmax is twice as fast as NumPy's steps for rows of a thousand numbers, and slower for rows of ten. Where a
result is NaN, the block of rows is computed by NumPy: then the whole row has to be NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.util.autotuning import Autotuner, Work
from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.library import load
from millrace._src.util.onednn.softmax import softmax
from millrace._src.util.thread_pool import run_in_blocks

FEWEST = 1 << 16
"""The number of elements from which on a trial pays."""
_BLOCK = 1 << 18
_SHORTEST = 32
"""The shortest rows for which the library is tried."""
_NANOSECONDS = 0.4

Form = Callable[[Array, Array], None]
"""Writes the softmax of the rows of a matrix."""


class SoftmaxShape(NamedTuple):
    """The shape of a matrix, on which the choice of the fastest implementation depends."""

    height: int
    width: int


def _by_library(rows: SoftmaxShape) -> Work | None:
    block = max(_BLOCK // rows.width, 1)
    if rows.width < _SHORTEST or softmax(min(rows.height, block), rows.width) is None:
        return None
    return functools.partial(_run_library, block)


def _run_library(block: int, form: Form, rows: Array, result: Array) -> None:
    library = load()

    def work(start: int, stop: int) -> None:
        run = softmax(stop - start, rows.shape[1])
        x, out = rows[start:stop], result[start:stop]
        if run is not None and library is not None:
            with library.one_thread():
                run(address_of(x), address_of(out))
        if run is None or np.isnan(out.max()):
            form(x, out)

    run_in_blocks(len(rows), block, work, nanoseconds=rows.shape[1] * _NANOSECONDS)


def _by_form(form: Form, rows: Array, result: Array) -> None:
    form(rows, result)


SOFTMAX = Autotuner({"onednn": _by_library, "numpy": lambda rows: _by_form}, first="numpy")
"""How the softmax of each shape is computed: functions of NumPy's form, the matrix and the array for the result."""


def write_softmax(form: Form, rows: Array, result: Array) -> Any:
    """Writes the softmax of the rows of a matrix.

    Args:
      form: does so with NumPy.
      rows: a matrix whose memory is one run.
      result: a matrix of the same shape and dtype, whose memory is one run.
    """
    if rows.dtype != np.float32 or rows.size < FEWEST:
        form(rows, result)
    else:
        SOFTMAX(SoftmaxShape(*rows.shape), form, rows, result)

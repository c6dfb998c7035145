"""Cached device arrays: the arrays of XLA's that represent NumPy arrays which are passed again and again.

A NumPy array goes into each call by way of its type's conversion, and is copied if it is not aligned as XLA needs it.
The arrays of tensors never change, nor do those of variables that a weak reference knows. So an input that gets the
same array a second time is converted once: its device array is passed from then on. There is one device array for each
input, and it goes when the array goes.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from millrace._src.core.aligned_memory import copy_aligned
from millrace._src.core.array_namespace import Array


class CachedDeviceArrays:
    """The cached device arrays for the inputs of one program.

    Threads may pass here at the same time: an entry is replaced as a whole.

    Args: count: the most arguments of a call.
    """

    __slots__ = ("_entries",)

    def __init__(self, count: int) -> None:
        self._entries: list[tuple[Any, Any]] = [(_nobody, None)] * count

    def operands(self, arguments: Sequence[Any]) -> list[Any]:
        """Returns arguments with cached device arrays instead of arrays that come again."""
        entries = self._entries
        operands = []
        for position, argument in enumerate(arguments):
            if argument.__class__ is np.ndarray:
                reference, device_array = entries[position]
                if reference() is not argument:
                    entries[position] = weakref.ref(argument), None
                else:
                    argument = self._convert(position, reference, argument) if device_array is None else device_array
            operands.append(argument)
        return operands

    def _convert(self, position: int, reference: weakref.ref[Array], array: Array) -> Any:
        """Makes the device array of an array that came a second time."""
        if array.dtype.kind == "O":
            return array
        with jax.enable_x64(True):
            # JAX may use the memory that it gets, and keeps its owner alive: that must not be the array itself.
            device_array = jax.device_put(copy_aligned(array) if array.base is None else array.view())
        entries = self._entries

        def forget(gone: object) -> None:
            if entries[position][0] is watched:
                entries[position] = _nobody, None

        watched = weakref.ref(array, forget)
        if entries[position][0] is reference:
            entries[position] = watched, device_array
        return device_array


def _nobody() -> None:
    """Replaces a reference to an array."""

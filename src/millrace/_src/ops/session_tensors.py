"""The ops by which a session of TensorFlow 1 keeps tensors from one run to the next, under a name.

A session keeps such tensors in a `TensorStore`; the thread that runs a step of the session finds the store in
`running_store`.

Tests: tests/compat_v1/session/test_tensor_handles.py
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.devices import FIRST_CPU
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, op
from millrace._src.core.scoped_values import ScopedValue
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.shape_rules import no_outputs, scalar
from millrace._src.ops.type_sets import ANY

_FACTS: dict[str, Any] = {
    "effects": Effects.IO,
    "host_only": True,
    "not_differentiable": "what a session keeps has no gradient",
    "not_batched": "a session keeps whole tensors",
}


class TensorStore:
    """The tensors that a session keeps, by their handles."""

    def __init__(self) -> None:
        self._tensors: dict[str, Array] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def keep(self, array: Array) -> str:
        """Keeps a tensor; returns its handle."""
        with self._lock:
            handle = f"GetSessionHandle;{next(self._numbers)};{FIRST_CPU}"
            self._tensors[handle] = array
        return handle

    def get(self, handle: str) -> Array:
        """Returns a tensor.

        Raises: InvalidArgumentError: if the store has it not, or no more.
        """
        array = self._tensors.get(handle)
        if array is None:
            raise errors.InvalidArgumentError(
                None, None, f"The tensor with handle '{handle}' is not in the session store."
            )
        return array

    def delete(self, handle: str) -> None:
        """Lets go of a tensor.

        Raises: InvalidArgumentError: if the store has it not, or no more.
        """
        if self._tensors.pop(handle, None) is None:
            raise errors.InvalidArgumentError(
                None, None, f"Failed to delete a tensor with handle '{handle}' in the session store."
            )

    def discard(self, handle: str) -> None:
        """Lets go of a tensor, if it is still there."""
        self._tensors.pop(handle, None)

    def clear(self) -> None:
        """Lets go of all tensors."""
        self._tensors.clear()


running_store: ScopedValue[TensorStore | None] = ScopedValue(None)
"""The tensors that the session keeps that this thread runs; None where none runs."""


def _store(name: str) -> TensorStore:
    store = running_store.value
    if store is None:
        raise errors.FailedPreconditionError(None, None, f"{name} called on null session state")
    return store


def _text(handle: Array) -> str:
    return bytes(handle[()]).decode()


@op("GetSessionHandle", "value: T -> handle: string", T=ANY, shape=scalar, **_FACTS)
def get_session_handle_op(xp: Xp, value: Array) -> Array:
    """Lets the session keep a tensor; returns the tensor's handle."""
    return np.array(_store("GetSessionHandle").keep(value).encode(), dtype=object)


def _unknown_shape(c: ShapeContext) -> TensorShape:
    return TensorShape(None)


@op("GetSessionTensor", "handle: string -> value: dtype", dtype=ANY, shape=_unknown_shape, **_FACTS)
def get_session_tensor_op(xp: Xp, handle: Array, *, dtype: DType) -> Array:
    """Returns a tensor that the session keeps."""
    array = _store("GetSessionTensor").get(_text(handle))
    if array.dtype != dtype.np_dtype:
        raise errors.InvalidArgumentError(
            None, None, f"The tensor with handle '{_text(handle)}' is not of dtype {dtype.name}."
        )
    return array


@op("DeleteSessionTensor", "handle: string -> ", shape=no_outputs, **_FACTS)
def delete_session_tensor_op(xp: Xp, handle: Array) -> None:
    """Lets the session let go of a tensor."""
    _store("DeleteSessionTensor").delete(_text(handle))

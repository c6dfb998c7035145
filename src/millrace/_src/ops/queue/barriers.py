"""Barriers: elements whose tensors come one after the other, by key, and are taken once they are complete.

Producers insert tensors of some component for many keys; an element is *ready* when it has all components. Consumers
take ready elements, those first whose keys came first. Barriers are of TensorFlow 1's graphs: ops refer to them by
reference.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import ObjectHandle, Referent
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.waiting import wait_for
from millrace._src.ops.array.shape_checks import merge
from millrace._src.ops.kept_objects import keep_by_node
from millrace._src.ops.shape_rules import UNKNOWN, no_outputs, scalar
from millrace._src.ops.type_sets import ANY, TypeList
from millrace._src.util.text import shape_brackets

_HANDLE = ObjectHandle("barrier")
_FIRST_INDEX = -(2**63)
_numbers = itertools.count()


class Barrier(Referent):
    """A barrier.

    Args:
      dtypes: the dtypes of the components of an element.
      shapes: their shapes, fully known.
      name: what messages call the barrier.

    Raises: InvalidArgumentError: if a shape is missing or not fully known.
    """

    def __init__(self, dtypes: Sequence[DType], shapes: Sequence[TensorShape], name: str) -> None:
        if len(shapes) != len(dtypes):
            raise invalid("All of the component shapes must be specified")
        for shape in shapes:
            if not shape.is_fully_defined():
                raise invalid(f"Shape {shape_brackets(shape)} is not fully defined")
        self.dtypes, self.shapes = tuple(dtypes), tuple(shapes)
        self._name = name
        self._changed = threading.Condition()
        self._incomplete: dict[bytes, tuple[int, dict[int, Array]]] = {}
        self._ready: list[tuple[int, int, bytes, dict[int, Array]]] = []
        self._next_index = _FIRST_INDEX
        self._count = itertools.count()
        self._is_closed = self._is_cancelled = False

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of barriers."""
        return _HANDLE

    @property
    def ready_size(self) -> int:
        """The number of elements that can be taken."""
        return len(self._ready)

    @property
    def incomplete_size(self) -> int:
        """The number of elements that lack a component."""
        return len(self._incomplete)

    def insert(self, component: int, keys: list[bytes], values: Array) -> None:
        """Takes one component of several elements.

        Raises:
          InvalidArgumentError: for another dtype or shape, or a component that an element has already.
          CancelledError: for a new key of a closed barrier, and for every key of a cancelled one.
        """
        self._check(component, values)
        with self._changed:
            if self._is_cancelled or self._is_closed and not all(key in self._incomplete for key in keys):
                raise errors.CancelledError(None, None, self._closed_message(keys))
            is_new = False
            try:
                for key, value in zip(keys, values, strict=True):
                    is_new |= key not in self._incomplete
                    self._put(component, key, np.asarray(value))
            finally:  # elements before one that is refused stay, and may be what somebody waits for
                self._next_index += is_new
                self._changed.notify_all()

    def _put(self, component: int, key: bytes, value: Array) -> None:
        """Takes one component of an element."""
        index, parts = self._incomplete.setdefault(key, (self._next_index, {}))
        if component in parts:
            shown = key.decode(errors="backslashreplace")
            raise invalid(f"Key {shown} already has a value for component {component} in barrier {self._name}")
        parts[component] = value
        if len(parts) == len(self.dtypes):
            del self._incomplete[key]
            heapq.heappush(self._ready, (index, next(self._count), key, parts))

    def _check(self, component: int, values: Array) -> None:
        if not 0 <= component < len(self.dtypes):
            raise invalid(f"The component ID is out of range {component} > num_components (= {len(self.dtypes)})")
        dtype, shape = self.dtypes[component], self.shapes[component]
        if values.dtype != dtype.np_dtype:
            have = runtime_name(values.dtype)
            names = f"have: string_ref, string, {have}-> expected: string_ref, string, {runtime_name(dtype)}->"
            raise invalid(f"Signature mismatch, {names}")
        if values.shape[1:] != tuple(shape.as_list()):
            texts = f"Expected {shape_brackets(shape)}, got {shape_brackets(values.shape[1:])}"
            raise invalid(f"Shape mismatch in tuple component {component}. {texts}")

    def _closed_message(self, keys: list[bytes]) -> str:
        if self._is_cancelled:
            return f"Barrier {self._name} is closed.  Number of new insertions: {len(keys)}."
        new_key = next(key for key in keys if key not in self._incomplete).decode(errors="backslashreplace")
        return f"Barrier {self._name} is closed, but attempted to insert a brand new key: {new_key}."

    def take(self, count: int, takes_fewer: bool, waits_for_incomplete: bool) -> tuple[Array, Array, list[Array]]:
        """Gives elements, waiting for as many; returns the indices and keys that they came with, and the components.

        Args:
          count: how many.
          takes_fewer: whether fewer are enough once the barrier is closed.
          waits_for_incomplete: whether elements that lack a component are waited for even then.

        Raises: OutOfRangeError: if the barrier is closed, and there are not so many, nor will be.
        """

        def can_end() -> bool:
            if len(self._ready) >= count:
                return True
            is_final = self._is_cancelled or not self._incomplete
            return self._is_closed and (is_final or takes_fewer and not waits_for_incomplete)

        with self._changed:
            wait_for(self._changed, can_end)
            available = min(count, len(self._ready))
            if available < count and not (takes_fewer and available):
                raise errors.OutOfRangeError(
                    None,
                    None,
                    f"Barrier '{self._name}' is closed and has insufficient elements "
                    f"(requested {count}, total size {len(self._ready)})",
                )
            taken = [heapq.heappop(self._ready) for _ in range(available)]
        return self._stack(taken)

    def _stack(self, taken: list[tuple[int, int, bytes, dict[int, Array]]]) -> tuple[Array, Array, list[Array]]:
        keys = np.empty(len(taken), object)
        keys[:] = [key for _, _, key, _ in taken]
        columns = []
        for component, (dtype, shape) in enumerate(zip(self.dtypes, self.shapes, strict=True)):
            dims = [dim for dim in shape.as_list() if dim is not None]
            column = np.empty((len(taken), *dims), dtype.np_dtype)
            for row, (_, _, _, parts) in enumerate(taken):
                column[row] = parts[component] if parts[component].ndim else parts[component][()]
            columns.append(column)
        return np.array([index for index, *_ in taken], np.int64), keys, columns

    def close(self, cancels: bool) -> None:
        """Lets the barrier take no new keys.

        Args: cancels: whether it takes no components of elements that lack some, either.
        Raises: CancelledError: if the barrier is closed already, and nothing is to be cancelled.
        """
        with self._changed:
            if self._is_closed and not cancels:
                raise errors.CancelledError(None, None, f"Barrier '{self._name}' is already closed.")
            self._is_closed = True
            if cancels:
                self._is_cancelled = True
                self._incomplete.clear()
            self._changed.notify_all()


def _barrier_of(handle: Array) -> Barrier:
    barrier = resource_of(handle)
    if not isinstance(barrier, Barrier):
        raise invalid(f"The handle refers to {type(barrier).__name__}, not to a barrier")
    return barrier


# --- ops ---------------------------------------------------------------------------------------------------------

_COMPONENTS = TypeList(ANY, minimum=1)
_TRAITS: dict[str, Any] = {
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.IO,
    "not_differentiable": "what goes through a barrier is not followed",
    "not_batched": "rows would come in no particular order",
}


@keep_by_node
@op(
    "Barrier",
    "-> handle: Ref(string)",
    component_types=_COMPONENTS,
    shape=lambda c: TensorShape([2]),
    handles=lambda c: _HANDLE,
    makes_shared_object=True,
    cacheable=False,
    **{**_TRAITS, "effects": Effects.RANDOM},
)
def barrier(
    xp: Xp,
    *,
    component_types: list[DType],
    shapes: list[TensorShape] = (),  # type: ignore[assignment]  # an empty list by default
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Array:
    """Makes a barrier."""
    if capacity != -1:
        raise invalid(f"Barrier: the capacity must be -1, got {capacity}")
    name = shared_name or f"_{next(_numbers)}_Barrier"
    handle = np.empty((), object)
    handle[()] = Barrier(component_types, shapes, name)
    return handle


def _inserted_shape(c: ShapeContext) -> list[TensorShape]:
    keys, values = c.shape("keys").with_rank(1), c.shape("values")
    merge(keys, values[:1] if values.rank else UNKNOWN)
    return []


@op("BarrierInsertMany", "handle: Ref(string), keys: string, values: T ->", T=ANY, shape=_inserted_shape, **_TRAITS)
def insert_many(xp: Xp, handle: Array, keys: Array, values: Array, *, component_index: int) -> None:
    """Inserts one component of several elements."""
    if len(keys) != len(values):
        raise invalid(f"BarrierInsertMany: {len(keys)} keys but {len(values)} values")
    _barrier_of(handle).insert(component_index, keys.tolist(), values)


@op(
    "BarrierTakeMany",
    "handle: Ref(string), num_elements: int32 -> indices: int64, keys: string, values: component_types",
    component_types=_COMPONENTS,
    shape=lambda c: [UNKNOWN] * (2 + len(c.attr("component_types"))),
    **_TRAITS,
)
def take_many(
    xp: Xp,
    handle: Array,
    num_elements: Array,
    *,
    component_types: list[DType],
    allow_small_batch: bool = False,
    wait_for_incomplete: bool = False,
    timeout_ms: int = -1,
) -> tuple[Array, Array, list[Array]]:
    """Takes complete elements, waiting for as many."""
    if timeout_ms != -1:
        raise invalid("Timeout not supported yet.")
    if num_elements < 0:
        raise invalid(f"BarrierTakeMany requested {num_elements} < 0 elements")
    taken_from = _barrier_of(handle)
    if tuple(component_types) != taken_from.dtypes:
        names = (", ".join(map(runtime_name, each)) for each in (component_types, taken_from.dtypes))
        raise invalid("Signature mismatch, have: string_ref->{} expected: string_ref->{}".format(*names))
    return taken_from.take(int(num_elements), allow_small_batch, wait_for_incomplete)


@op("BarrierClose", "handle: Ref(string) ->", shape=no_outputs, **_TRAITS)
def close(xp: Xp, handle: Array, *, cancel_pending_enqueues: bool = False) -> None:
    """Lets a barrier take no new keys."""
    _barrier_of(handle).close(cancel_pending_enqueues)


@op("BarrierReadySize", "handle: Ref(string) -> size: int32", shape=scalar, **_TRAITS)
def ready_size(xp: Xp, handle: Array) -> Array:
    """Returns how many elements can be taken."""
    return np.array(_barrier_of(handle).ready_size, np.int32)


@op("BarrierIncompleteSize", "handle: Ref(string) -> size: int32", shape=scalar, **_TRAITS)
def incomplete_size(xp: Xp, handle: Array) -> Array:
    """Returns how many elements lack a component."""
    return np.array(_barrier_of(handle).incomplete_size, np.int32)

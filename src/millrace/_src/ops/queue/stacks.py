"""Stacks of tensors, in which gradients of TensorFlow 1's loops kept their values: `tf.raw_ops.StackV2`."""

from __future__ import annotations

import threading
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import ObjectHandle, Referent
from millrace._src.core.op_def import Effects, op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.ops.shape_rules import no_outputs, scalar, unknown
from millrace._src.ops.type_sets import ANY
from millrace._src.util.text import shape_brackets

_HANDLE = ObjectHandle("stack")


class Stack(Referent):
    """A stack of tensors of one dtype.

    Args:
      dtype: the dtype.
      largest: how many tensors it holds; negative for any number.
      name: the name in messages.
    """

    def __init__(self, dtype: DType, largest: int, name: str) -> None:
        self._dtype = dtype
        self._largest = largest
        self._name = name or "StackV2"
        self._arrays: list[Array] = []
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of stacks."""
        return _HANDLE

    def push(self, array: Array) -> None:
        """Puts a tensor on top.

        Raises: InvalidArgumentError: if the stack is closed or full, or has another dtype.
        """
        if array.dtype != self._dtype.np_dtype:
            given = runtime_name(array.dtype)
            raise invalid(f"Must have type {runtime_name(self._dtype)} but got {given}")
        with self._lock:
            self._check_open()
            if 0 <= self._largest <= len(self._arrays):
                raise invalid(f"Stack[{self._name}] overflowed its max_size ({self._largest})")
            self._arrays.append(array)

    def pop(self, dtype: DType) -> Array:
        """Takes the tensor from the top.

        Raises: InvalidArgumentError: if the stack is closed or empty, or has another dtype.
        """
        with self._lock:
            self._check_open()
            if not self._arrays:
                raise invalid(f"Stack[{self._name}] is empty when calling Pop().")
            if dtype is not self._dtype:
                raise invalid(f"Type mismatch: actual {runtime_name(self._dtype)} vs. expect {runtime_name(dtype)}")
            return self._arrays.pop()

    def close(self) -> None:
        """Lets all tensors go; doing it again is harmless."""
        with self._lock:
            self._is_closed = True
            self._arrays.clear()

    def _check_open(self) -> None:
        if self._is_closed:
            raise invalid(f"Stack[{self._name}] has already been closed.")


def _stack_of(handle: Array) -> Stack:
    stack = resource_of(handle)
    if not isinstance(stack, Stack):
        raise invalid(
            "Trying to access a handle's resource using the wrong type. The handle points to a "
            f"{type(stack).__name__} but you are trying to access the resource as a stack."
        )
    return stack


_TRAITS: dict[str, Any] = {
    "host_only": True,
    "effects": Effects.WRITES,
    "not_differentiable": "what a stack keeps is not followed",
    "not_batched": "rows would come in no particular order",
}


@op(
    "StackV2",
    "max_size: int32 -> handle: resource",
    shape=scalar,
    handles=lambda c: _HANDLE,
    **{**_TRAITS, "effects": Effects.RANDOM, "cacheable": False},
)
def stack(xp: Xp, max_size: Array, *, elem_type: DType, stack_name: str = "") -> Any:
    """Makes an empty stack."""
    if max_size.ndim:
        raise invalid(f"Stack size must be a scalar, but had shape: {shape_brackets(max_size.shape)}")
    return Stack(elem_type, int(max_size), stack_name)


def _pushed_shape(c: ShapeContext) -> Any:
    return c.shape("elem")


@op("StackPushV2", "handle: resource, elem: T -> output: T", T=ANY, shape=_pushed_shape, **_TRAITS)
def push(xp: Xp, handle: Array, elem: Array, *, swap_memory: bool = False) -> Array:
    """Puts a tensor on a stack, and returns the tensor."""
    _stack_of(handle).push(elem)
    return elem


@op("StackPopV2", "handle: resource -> elem: elem_type", elem_type=ANY, shape=unknown, **_TRAITS)
def pop(xp: Xp, handle: Array, *, elem_type: DType) -> Array:
    """Takes the tensor from the top of a stack."""
    return _stack_of(handle).pop(elem_type)


@op("StackCloseV2", "handle: resource ->", shape=no_outputs, **_TRAITS)
def close(xp: Xp, handle: Array) -> None:
    """Closes a stack."""
    _stack_of(handle).close()

"""Resources: the objects that tensors of dtype `resource` refer to.

A resource handle is a 0-d object array around a resource. A kernel takes the resource out with `resource_of`. An engine
that compiles may pass its own stand-in for a variable, with the same `value` attribute, instead of the handle.

This module also says which Python objects count as variables: `is_variable` is the one function that decides.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, resource
from millrace._src.core.handle_types import Referent, VariableHandle
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, new_tensor
from millrace._src.util.class_table import ClassTable

if TYPE_CHECKING:
    from millrace._src.core.argument_types import DTypeLike

VARIABLE_MARK = "_should_act_as_resource_variable"
"""The class attribute by which a class declares that its instances act as variables; the name is TensorFlow's."""


class VariableLike(Protocol):
    """The interface of a class that declares itself a variable.

    `tf.Variable` is such a class. So are classes that hold a `tf.Variable` without deriving from it: Keras's variables,
    variables that cast when they are read, variables with a copy on each device.

    A class may also have a method `__read_variable__(self)`, a quicker way to the value than `__tf_tensor__`.
    """

    _should_act_as_resource_variable: Any

    @property
    def handle(self) -> Any:
        """The resource tensor that represents the variable on tapes and in graphs."""

    @property
    def op(self) -> Any:
        """The operation of the handle; for the result of an assignment in a graph, the operation of the assignment."""

    @property
    def dtype(self) -> Any:
        """The dtype of the value."""

    @property
    def shape(self) -> Any:
        """The static shape of the value."""

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable by themselves."""

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        """Returns the value as a tensor."""


class PartedVariable:
    """Base of objects that represent one variable and consist of several, each a slice, which iteration yields."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


def is_variable(value: object) -> TypeGuard[VariableLike]:
    """Returns whether a value acts as a variable: whether its class declares so, whatever the class derives from.

    >>> from millrace._src.core.resources import is_variable
    >>> is_variable(tf.Variable(1.0)), is_variable(tf.constant(1.0))
    (True, False)

    A class that merely has methods of the same names is not a variable.
    """
    return is_variable_class[type(value)]


is_variable_class: ClassTable[bool] = ClassTable(lambda cls: hasattr(cls, VARIABLE_MARK))
"""Whether instances of a class act as variables; looked up as `is_variable_class[cls]`."""


def _references_of_a_local() -> int:
    array = np.empty(0)
    return sys.getrefcount(array)


_REFERENCES_OF_A_LOCAL = _references_of_a_local()
"""What `sys.getrefcount` says of an array that one local variable holds; it differs between versions of Python."""


class VariableStorage(Referent):
    """The value of a variable; None until the variable is initialized.

    An assignment replaces the array, so tensors that were read keep their values; an array that nothing else holds may
    be changed in place. An engine with memory of its own may keep the value there (`device`); a read brings the value
    to the host.
    """

    __slots__ = ("_host", "_is_changing", "device", "dtype", "shape", "name", "lock", "__weakref__")

    def __init__(self, dtype: DType, shape: TensorShape, name: str) -> None:
        self._host: Array | None = None
        self._is_changing = False
        """Whether the array is gone for as long as it is changed; the thread that changes the array holds the lock."""
        self.device: Any = None
        self.dtype = dtype
        self.shape = shape
        self.name = name
        self.lock = threading.RLock()
        """Held by an engine from taking the array to putting a new one there: the old array may be gone then."""

    @property
    def handle_type(self) -> VariableHandle:
        """The type of the variable."""
        return VariableHandle(self.dtype, self.shape)

    @property
    def value(self) -> Array | None:
        """The value as a NumPy array."""
        host = self._host
        if host is None and (self._is_changing or self.device is not None):
            with self.lock:
                if self._host is None and self.device is not None:
                    self._host = np.asarray(self.device)
                host = self._host
        return host

    @value.setter
    def value(self, array: Array | None) -> None:
        with self.lock:  # or else a thread that changes the old value would put the old array back
            self._host, self.device = array, None

    @property
    def held(self) -> Any:
        """The array as it is, of whatever engine, for a reader of its shape; None without a value."""
        held = self._host
        if held is None:
            held = self.device
        return self.value if held is None else held  # perhaps the array is being changed

    def change_in_place(self, change: Callable[[Array], Any]) -> bool:
        """Lets a function change the array, if nothing else holds the array or its memory; the caller holds the lock.

        A weak reference counts: code that keeps one identifies arrays by it, and takes them for unchanged. No code gets
        hold of the array as long as the function runs: a read waits for the lock, and so does an assignment.

        Returns: Whether the function was called.
        """
        array = self._host
        if type(array) is not np.ndarray or not (array.flags.owndata and array.flags.writeable):
            return False
        self._is_changing, self._host = True, None
        try:
            is_alone = sys.getrefcount(array) == _REFERENCES_OF_A_LOCAL and not weakref.getweakrefcount(array)
            if is_alone:
                change(array)
        finally:
            self._host, self._is_changing = array, False
        return is_alone

    def destroy(self) -> None:
        """Drops the value."""
        self.value = None

    def set_device_value(self, array: object) -> None:
        """Replaces the value by an array of an engine."""
        self.device, self._host = array, None

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}", dtype={self.dtype.name}, shape={self.shape})>'


def resource_of(handle: Array) -> Any:
    """Returns the object behind a resource handle."""
    return handle[()] if type(handle) is np.ndarray else handle


def resource_handle(referent: Referent) -> EagerTensor:
    """Returns an eager handle to an object."""
    array = np.empty((), dtype=object)
    array[()] = referent
    return new_tensor(array, resource)

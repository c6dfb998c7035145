"""Handle types: what a tensor of dtype `resource` or `variant` refers to.

Problem: such a tensor is a scalar whose dtype and shape say nothing of the variable or the list behind it, yet shape
rules, gradients and files need to know.

Idea: a handle type is a small frozen value. The tensor of a graph carries a handle type as `handle_type`; the op that
makes the tensor declares a rule for that type (`handles=`) beside its shape rule. An eager tensor holds the object
itself, a `Referent`, which states its own type. None means "unknown" everywhere. A further kind of referent (a
table, a dataset) is a further dataclass here and a rule on the ops that make such referents.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape

if TYPE_CHECKING:
    from millrace._src.core.shape_context import ShapeContext


class HandleType:
    """The type of the object that a handle refers to; the base class of all kinds, which are frozen dataclasses."""

    __slots__ = ()

    def join(self, other: HandleType | None) -> HandleType | None:
        """Returns the most specific type that holds for referents of both types, None if no type holds for both."""
        return self if self == other else None


@dataclass(frozen=True, slots=True)
class VariableHandle(HandleType):
    """The type of a variable.

    Attributes:
      dtype: the dtype of the variable's value.
      shape: the static shape of the value, in all its assignments.
    """

    dtype: DType
    shape: TensorShape

    def join(self, other: HandleType | None) -> HandleType | None:
        """Returns the variable type that promises what both types promise."""
        if not isinstance(other, VariableHandle) or other.dtype is not self.dtype:
            return None
        return VariableHandle(self.dtype, self.shape.most_specific_compatible_shape(other.shape))


@dataclass(frozen=True, slots=True)
class ListHandle(HandleType):
    """The type of a list of tensors.

    Attributes:
      element_dtype: the dtype of the elements.
      element_shape: the shape that the list declares for its elements, whatever elements are written.
    """

    element_dtype: DType
    element_shape: TensorShape

    def join(self, other: HandleType | None) -> HandleType | None:
        """Returns the list type that promises what both types promise."""
        if not isinstance(other, ListHandle) or other.element_dtype is not self.element_dtype:
            return None
        return ListHandle(self.element_dtype, self.element_shape.most_specific_compatible_shape(other.element_shape))


@dataclass(frozen=True, slots=True)
class MatrixHandle(HandleType):
    """The type of a sparse matrix, or of a batch of sparse matrices.

    Attributes:
      dtype: the dtype of the matrix's values.
      shape: the static shape, of rank 2 or 3 where the rank is known.
    """

    dtype: DType
    shape: TensorShape

    def join(self, other: HandleType | None) -> HandleType | None:
        """Returns the matrix type that promises what both types promise."""
        if not isinstance(other, MatrixHandle) or other.dtype is not self.dtype:
            return None
        return MatrixHandle(self.dtype, self.shape.most_specific_compatible_shape(other.shape))


@dataclass(frozen=True, slots=True)
class ElementsHandle(HandleType):
    """The type of a source of elements, each of which is a fixed number of tensors; the base class of such types.

    Attributes:
      dtypes: the dtypes of the tensors of an element.
      shapes: the static shapes of these tensors, as far as all elements have them.
    """

    dtypes: tuple[DType, ...]
    shapes: tuple[TensorShape, ...]

    def join(self, other: HandleType | None) -> HandleType | None:
        """Returns the type that promises what both types promise."""
        if not isinstance(other, ElementsHandle) or type(other) is not type(self) or other.dtypes != self.dtypes:
            return None
        pairs = zip(self.shapes, other.shapes, strict=True)
        return type(self)(self.dtypes, tuple(a.most_specific_compatible_shape(b) for a, b in pairs))


class DatasetHandle(ElementsHandle):
    """The type of a dataset."""

    __slots__ = ()


class IteratorHandle(ElementsHandle):
    """The type of an iterator over a dataset."""

    __slots__ = ()


class OptionalHandle(ElementsHandle):
    """The type of an optional: an element that may be missing."""

    __slots__ = ()


class QueueHandle(ElementsHandle):
    """The type of a queue."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TableHandle(HandleType):
    """The type of a lookup table.

    Attributes:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
      key_shape: the shape of one key.
      value_shape: the shape of the value of one key.
    """

    key_dtype: DType
    value_dtype: DType
    key_shape: TensorShape
    value_shape: TensorShape


@dataclass(frozen=True, slots=True)
class ObjectHandle(HandleType):
    """The type of an object of which its users need to know only the kind.

    Attributes:
      kind: the name of the kind, such as "seed generator".
    """

    kind: str


def common_type(types: Iterable[HandleType | None]) -> HandleType | None:
    """Returns the most specific type that holds for the referents of all types; at least one type is given."""
    return functools.reduce(lambda first, second: None if first is None else first.join(second), types)


@dataclass(frozen=True, slots=True)
class NotedCall:
    """The op call that made an object, so that the call can be written into a graph again.

    Attributes:
      op: the `OpDef`.
      arrays: the op's inputs, flat.
      attrs: the op's attributes.
    """

    op: Any
    arrays: tuple[Any, ...]
    attrs: dict[str, Any]


class Referent(ABC):
    """An object that a resource or variant tensor can refer to."""

    __slots__ = ()

    call: NotedCall | None = None
    """The op call that made the object, if the object keeps it."""

    def note_call(self, call: NotedCall) -> None:
        """Hears of the call that made the object, if the op has the trait `notes_call`; by default, forgets it."""
        del call

    def destroy(self) -> None:
        """Lets go of what the object holds, before its handles are gone (`tf.raw_ops.DestroyResourceOp`).

        Raises: NotImplementedError: unless the class says how.
        """
        raise NotImplementedError(f"DestroyResourceOp of a {type(self).__name__} is not supported.")

    @property
    @abstractmethod
    def handle_type(self) -> HandleType:
        """The type of the object, as a handle to the object carries it."""


class AbsentObject(Referent):
    """Stands in an op's input for an object that the op makes for itself.

    Args:
      handle_type: the type of such objects.
    """

    __slots__ = ("_handle_type", "call")
    call: NotedCall | None

    def __init__(self, handle_type: ObjectHandle) -> None:
        self._handle_type = handle_type
        self.call = None

    def note_call(self, call: NotedCall) -> None:
        """Keeps the op call that made the object."""
        self.call = call

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of the object that is not there."""
        return self._handle_type


def type_of_referent(array: Any) -> HandleType | None:
    """Returns the type of the object in a 0-d object array, an eager handle's value; None for an object without one."""
    referent = array[()] if array.ndim == 0 else None
    return referent.handle_type if isinstance(referent, Referent) else None


# --- rules -----------------------------------------------------------------------------------------------------------


def first_handle(c: ShapeContext) -> HandleType | None:
    """Returns the handle type of the first input, for ops whose output refers to the same object."""
    handle: HandleType | None = c.inputs[0].handle_type
    return handle


def common_handle(c: ShapeContext) -> HandleType | None:
    """Returns the handle type of the handles among the inputs, for ops whose output refers to a like object."""
    return common_type(t.handle_type for t in c.inputs if t.dtype.is_handle)

"""Lists of arrays for the XLA engine: one dense array with the elements along its first axis.

XLA knows every size while it compiles. A list therefore has a fixed capacity, and the shape of the elements is known
from the list's declaration or from the first element that is written. Before the first write the list is *unset*: there
is no array yet. `settle` and `conform` give unset lists the arrays of a loop's body or of another branch, so that
loops and branches have lists of one type. As in TensorFlow's XLA, an index out of range is moved into the range.

A row that becomes zeros is *cleared*: it is marked, and stays as it is. The gradient of a write reads a row and clears
the row; the rows themselves never change then, and XLA carries the list through the loop of a gradient without copies.

A list is a pytree: JAX carries the list through loops and branches, and an element may itself be a list. Where all
elements are one constant, as the number of iterations of an inner loop often is, the list knows that value, and a read
of an element gives a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.resources import resource_of
from millrace._src.core.shapes import TensorShape
from millrace._src.core.variant_values import VariantValue
from millrace._src.engines.tensor_lists import TensorList, box, from_items, merge, shape_from, vector_of
from millrace._src.engines.xla.compile_time_constants import CompileTimeValue

_NO_SIZE = (
    "XLA compilation requires a fixed tensor list size. Set the max number of elements. This could also happen if "
    "you're using a TensorArray in a while loop that does not have its maximum_iteration set, you can fix this by "
    "setting maximum_iteration to a suitable value."
)


class EmptyListError(errors.InvalidArgumentError):
    """An element is taken from a list that is known to be empty.

    All bodies and branches are compiled, also bodies and branches that never run. A body with this error never runs,
    and neither does a branch with this error.
    """

    def __init__(self) -> None:
        super().__init__(None, None, "Trying to pop from an empty list.")


class DenseList(VariantValue):
    """A list of arrays of one shape.

    Args:
      dtype: the dtype of the elements.
      element: what is known of the shape of every element.
      length: the number of elements: a Python int while the number is known, else a scalar array.
      capacity: the size of `data`.
      is_limited: whether the list cannot grow, because of a declared maximum or because a loop has made all room.
      data: the elements along a first axis, a pytree if the elements are lists; None while the list is unset.
      same: the constant that every element equals; None if elements may differ.
      cleared: for each row whether it is zeros; None if no row does.
    """

    shape: tuple[int, ...] = ()
    """The shape of a list as a tensor: a list is a scalar of dtype variant."""

    __slots__ = ("dtype", "element", "length", "capacity", "is_limited", "data", "same", "cleared")

    def __init__(
        self,
        dtype: DType,
        element: TensorShape,
        length: Any,
        capacity: int,
        is_limited: bool,
        data: Any = None,
        same: CompileTimeValue | None = None,
        cleared: Any = None,
    ) -> None:
        self.dtype = dtype
        self.element = element
        self.length = length
        self.capacity = capacity
        self.is_limited = is_limited
        self.data = data
        self.same = same
        self.cleared = cleared

    @property
    def is_unset(self) -> bool:
        """Whether no element has been written and the shape of the elements is not known."""
        return self.data is None

    @property
    def may_be_empty(self) -> bool:
        """Whether the list, or a list in it, is known to have no elements."""
        is_empty = isinstance(self.length, int) and not self.length
        return is_empty or isinstance(self.data, DenseList) and self.data.may_be_empty

    def check_dtype(self, dtype: DType) -> None:
        """Refuses an op for elements of another dtype."""
        TensorList(self.dtype, self.element).check_dtype(dtype)

    def _with(
        self, data: object, length: object = None, same: CompileTimeValue | None = None, cleared: object = None
    ) -> DenseList:
        length = self.length if length is None else length
        return DenseList(self.dtype, self.element, length, self.capacity, self.is_limited, data, same, cleared)

    # --- elements ------------------------------------------------------------------------------------------------

    def set(self, index: Array, item: Any, *, resize: bool = False) -> DenseList:
        """Returns the list with `item` at an index.

        Raises: UnknownWhileCompilingError: if the list may have to grow, it is unknown by how much while compiling.
        """
        if resize and not _is_host(index):
            raise errors.UnknownWhileCompilingError(
                "XLA compilation requires a fixed tensor list size. A TensorArray with dynamic_size=True is written "
                "at an index that is computed while the program runs; give it its size."
            )
        if resize and index >= self._size():
            return self.resize(int(index) + 1).set(index, item)
        if self.capacity == 0:
            return self
        if isinstance(self.data, jax.Array) and _is_zeros(item) and self.data.shape[1:] == item.shape:
            return self._with(self.data, cleared=_put(self.marks(), np.True_, index))
        data, item = _alike(self._data_for(item), _arrays(item))
        marks = None if self.cleared is None else _put(self.cleared, np.False_, index)
        return self._with(jax.tree.map(lambda rows, new: _put(rows, new, index), data, item), cleared=marks)

    def of_elements(self, element: TensorShape) -> DenseList:
        """Returns the list with more known of the shape of its elements."""
        size, limit = self.capacity, self.is_limited
        return DenseList(self.dtype, element, self.length, size, limit, self.data, self.same, self.cleared)

    def marks(self) -> Any:
        """Returns for each row whether it is cleared."""
        return jnp.zeros((self.capacity,), bool) if self.cleared is None else self.cleared

    def mark(self) -> DenseList:
        """Returns the list with marks for its rows."""
        return self._with(self.data, None, self.same, self.marks())

    def whole(self) -> DenseList:
        """Returns the list with zeros instead of cleared rows."""
        if self.cleared is None or self.data is None:
            return self
        marks = jnp.reshape(self.cleared, (-1, *[1] * (self.data.ndim - 1)))
        return self._with(jnp.where(marks, jnp.zeros((), self.data.dtype), self.data), None, self.same)

    def get(self, index: Array, shape: Any) -> Any:
        """Returns the element at an index."""
        if self.same is not None:
            return self.same.array
        if self.cleared is None:
            return jax.tree.map(lambda rows: _take(rows, index), self._known_rows(shape))
        return jnp.where(_take(self.cleared, index), jnp.zeros((), self.data.dtype), _take(self.data, index))

    def push(self, item: Any) -> DenseList:
        """Returns the list with one more element."""
        is_full = not isinstance(self.length, int) or self.length >= self.capacity
        if is_full and self.is_limited and isinstance(self.length, int):
            raise invalid(
                f"Tried to push item into a full list list size: {self.length} max_num_elements: {self.capacity}"
            )
        room = self.with_capacity(self.capacity + 1) if is_full and not self.is_limited else self
        same_item = self._same_with(item)
        room = room.whole()
        data, item = _alike(room._data_for(item), _arrays(item))
        rows = jax.tree.map(lambda old, new: _put(old, new, self.length), data, item)
        return room._with(rows, self.length + 1, same_item)

    def _same_with(self, item: object) -> CompileTimeValue | None:
        """Returns the constant that every element equals after one more push, or None."""
        if not isinstance(item, (np.ndarray, np.generic)):
            return None
        known_item = CompileTimeValue(np.asarray(item, self.dtype.np_dtype))
        is_empty = isinstance(self.length, int) and not self.length
        return known_item if is_empty or self.same == known_item else None

    def with_capacity(self, capacity: int, *, is_limited: bool = False) -> DenseList:
        """Returns the same elements with room for more or fewer."""
        data, marks = jax.tree.map(lambda rows: _resize(rows, capacity), (self.data, self.cleared))
        return DenseList(self.dtype, self.element, self.length, capacity, is_limited, data, self.same, marks)

    def pop(self, shape: Any) -> tuple[DenseList, Any]:
        """Returns the list without its last element, and the element."""
        if isinstance(self.length, int) and not self.length:
            raise EmptyListError
        last = self.length - 1
        return self._with(self.data, last, self.same, self.cleared), self.get(last, shape)

    def resize(self, size: object) -> DenseList:
        """Returns the list cut off or extended by zeros."""
        size = _static(size)
        trimmed_list = self.with_capacity(self._size()).with_capacity(size)
        return trimmed_list._with(trimmed_list.data, size, None, trimmed_list.cleared)

    def size(self) -> Array:
        """Returns the number of elements as an int32 scalar."""
        return np.asarray(self.length, np.int32) if isinstance(self.length, int) else self.length

    def shape_vector(self) -> Array:
        """Returns the shape of the elements as a vector, -1 for what is unknown."""
        if isinstance(self.data, jax.Array):
            return np.array(self.data.shape[1:], np.int64)
        return vector_of(self.element)

    def _size(self) -> int:
        """Returns the number of elements, which must be known."""
        return _static(self.length)

    # --- all elements --------------------------------------------------------------------------------------------

    def stack(self, shape: ShapeLike, count: int) -> Any:
        """Stacks the elements along a new first axis; `count` is the declared number of elements, or -1."""
        if isinstance(self.length, int) and count not in (-1, self.length):
            raise invalid(
                f"Operation expected a list with {count} elements but got a list with {self.length} elements."
            )
        if count == 0 or self.capacity == 0:
            element = merge(declared_shape(shape), self.element)
            if element.is_fully_defined():
                return jnp.zeros((0, *element.as_list()), self.dtype.np_dtype)
        data = self._known_rows(shape)
        return jax.tree.map(lambda rows: rows[: self._size()], data)

    def gather(self, indices: Array, shape: ShapeLike) -> Any:
        """Stacks the elements at `indices` along a new first axis."""
        return jax.tree.map(lambda rows: jnp.take(rows, indices, axis=0, mode="clip"), self._known_rows(shape))

    def scatter(self, tensor: object, indices: Array) -> DenseList:
        """Returns the list with the rows of `tensor` at `indices`."""
        data = self.whole()._data_for(jax.tree.map(lambda rows: rows[0], _arrays(tensor)))
        return self._with(jax.tree.map(lambda rows, new: rows.at[indices].set(new), data, _arrays(tensor)))

    def concat(self, shape: ShapeLike, leading: object) -> tuple[Array, Array]:
        """Joins the elements along their first axis, and returns the length of each."""
        rows = self._known_rows(shape)[: self._size()]
        if rows.ndim < 2:
            raise invalid("Concat saw a scalar shape at index 0 but requires at least vectors.")
        all_rows = jnp.reshape(rows, (rows.shape[0] * rows.shape[1], *rows.shape[2:]))
        return all_rows, np.full((rows.shape[0],), rows.shape[1], np.int64)

    # --- lists ---------------------------------------------------------------------------------------------------

    def extend(self, items: Sequence[Any]) -> DenseList:
        """Returns the list with further elements at its end."""
        longer_list = self.with_capacity(self._size())
        for item in items:
            longer_list = longer_list.push(item)
        return longer_list

    def items(self) -> list[Any]:
        """Returns the elements one by one."""
        return [] if self.data is None else [self.get(i, -1) for i in range(self._size())]

    def zeros_like(self) -> DenseList:
        """Makes a list of zeros for the elements."""
        return self._with(jax.tree.map(jnp.zeros_like, self.data))

    def __add__(self, other: DenseList) -> DenseList:
        """Adds the elements of two lists."""
        if self.is_unset or other.is_unset:
            return other if self.is_unset else self
        return self._with(jax.tree.map(jnp.add, self.whole().data, other.whole().data))

    # --- shapes --------------------------------------------------------------------------------------------------

    def _data_for(self, item: object) -> Any:
        """Returns the rows to which `item` is to be written, zeros if there are no rows yet."""
        item = _arrays(item)
        if self.data is None:
            return jax.tree.map(lambda new: jnp.zeros((self.capacity, *new.shape), new.dtype), item)
        data, item = _alike(self.data, item)
        for rows, new in zip(jax.tree.leaves(data), jax.tree.leaves(item), strict=True):
            if rows.shape[1:] != new.shape:
                raise errors.InternalError(
                    None,
                    None,
                    f"Invalid TensorList shape: an element of shape {list(new.shape)} in a list of elements of shape "
                    f"{list(rows.shape[1:])}; XLA needs elements of one shape.",
                )
        return data

    def _known_rows(self, shape: ShapeLike) -> Any:
        """Returns the rows of the list; the rows of an unset list are zeros of the declared shape."""
        if self.data is not None:
            return self.whole().data
        element = merge(self.element, declared_shape(shape))
        if not element.is_fully_defined():
            raise invalid("TensorList is not initialized")
        return jnp.zeros((self.capacity, *element.as_list()), self.dtype.np_dtype)

    # --- boundaries ----------------------------------------------------------------------------------------------

    def to_host(self) -> TensorList:
        """Converts the list to the NumPy engine's form."""
        length = int(self.length)
        if self.cleared is not None:
            return self.whole().to_host()
        if self.data is None:
            return TensorList(self.dtype, self.element, length)
        if isinstance(self.data, DenseList):
            nested = [jax.tree.map(lambda rows, i=i: rows[i], self.data) for i in range(length)]
            return from_items([box(one.to_host()) for one in nested], self.element, self.dtype)
        return from_items(list(np.asarray(self.data)[:length]), self.element, self.dtype)


def to_dense(value: object) -> DenseList:
    """Converts a list of the NumPy engine to XLA's form.

    Raises: UnknownWhileCompilingError: if elements differ in shape, or the value is not a list: the function stays on
      the NumPy tier.
    """
    if not isinstance(value, TensorList):
        raise errors.UnknownWhileCompilingError(f"XLA has no form of a {type(value).__name__}.", tensors=[])
    items = value.items()
    dense_list = DenseList(value.dtype, value.element, len(items), len(items), False)
    if value.dtype.name == "variant":
        dense = {i: to_dense(resource_of(item)) for i, item in enumerate(items) if item is not None}
        model = common_type(list(dense.values())) if dense else None
        rows = {i: _arrays(conform(one, model)) for i, one in dense.items()} if model is not None else {}
    else:
        rows = {i: item for i, item in enumerate(items) if item is not None}
    if not rows:
        return dense_list
    first = next(iter(rows.values()))
    if any(np.shape(a) != np.shape(b) for row in rows.values() for a, b in _leaves(row, first)):
        raise errors.UnknownWhileCompilingError("XLA takes only lists whose elements have one shape.", tensors=[])
    empty_row = jax.tree.map(np.zeros_like, first)
    dense_list.data = jax.tree.map(lambda *parts: np.stack(parts), *[rows.get(i, empty_row) for i in range(len(items))])
    return dense_list


def _leaves(a: object, b: object) -> zip[tuple[Any, Any]]:
    return zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)


def reserve(dtype: DType, element: TensorShape, length: int, limit: int | None) -> DenseList:
    """Makes a list of unset elements that may grow to `limit`; None for any number."""
    dense_list = DenseList(dtype, element, length, length if limit is None else limit, limit is not None)
    if element.is_fully_defined() and dtype.name != "variant":
        dense_list.data = jnp.zeros((dense_list.capacity, *element.as_list()), dtype.np_dtype)
    return dense_list


def from_rows(tensor: Array, element: TensorShape, dtype: DType) -> DenseList:
    """Makes a list of the rows of an array."""
    return DenseList(dtype, element, tensor.shape[0], tensor.shape[0], False, jnp.asarray(tensor))


# --- loops and branches ------------------------------------------------------------------------------------------


def settle(before: Any, after: Any, trips: int | None) -> Any:
    """Returns the first value of a loop variable in the type of `after`, the result of one iteration.

    Args:
      before: the first value as it is before the loop.
      after: the abstract value after an iteration.
      trips: the number of iterations, or None if the number is not known.
    """
    if not isinstance(before, DenseList) or not isinstance(after, DenseList):
        return before
    settled = before if after.cleared is None or before.cleared is not None else before.mark()
    last = length_after(before, after, trips)
    if after.capacity > before.capacity:
        room = _room(before, after, trips) if last is None else max(before.capacity, last)
        settled = settled.with_capacity(room, is_limited=True)
    elif last is not None and before.length < last <= before.capacity and not before.is_limited:
        settled = settled.with_capacity(before.capacity, is_limited=True)
    if after.same != before.same:
        is_empty = isinstance(before.length, int) and not before.length
        same_item = after.same if is_empty and before.same is None else None
        settled = settled._with(settled.data, None, same_item, settled.cleared)
    if isinstance(before.length, int) and not (isinstance(after.length, int) and after.length == before.length):
        settled = settled._with(settled.data, jnp.int32(before.length), settled.same, settled.cleared)
    if settled.data is None and after.data is not None:
        size = settled.capacity
        empty_data = jax.tree.map(lambda rows: jnp.zeros((size, *rows.shape[1:]), rows.dtype), after.data)
        settled = settled._with(empty_data, None, settled.same, settled.cleared)
    elif isinstance(settled.data, DenseList) and settled.data.same != after.data.same:
        settled = settled._with(_alike(settled.data, after.data)[0], same=settled.same)
    if after.element.is_subtype_of(before.element) and after.element != before.element:
        settled = settled.of_elements(after.element)
    return settled


def length_after(before: Any, after: Any, trips: int | None) -> int | None:
    """Returns the length of a list after a loop whose iterations each add, or take, the same number of elements."""
    lists = isinstance(before, DenseList) and isinstance(after, DenseList)
    if not lists or trips is None or not isinstance(before.length, int) or not isinstance(after.length, int):
        return None
    return before.length + trips * (after.length - before.length)


def _room(before: DenseList, after: DenseList, trips: int | None) -> int:
    """Returns the capacity that a list needs before a loop that makes it longer by the same amount each time."""
    if trips is None:
        raise no_size()
    return before.capacity + max(trips, 1) * (
        after.capacity - before.capacity
    )  # a body that never runs is also compiled


def release(value: Any, before: Any, length: int | None) -> Any:
    """Returns a loop variable after the loop: a list gets the limit from before the loop back, and a known length."""
    if not isinstance(value, DenseList):
        return value
    size = value.length if length is None else length
    limit, marks = before.is_limited, value.cleared
    return DenseList(value.dtype, value.element, size, value.capacity, limit, value.data, value.same, marks)


def common_type(lists: Sequence[DenseList]) -> DenseList:
    """Returns the type of lists from different branches; the length is None where the lists' lengths differ."""
    model = next((one for one in lists if one.data is not None), lists[0])
    is_known = all(isinstance(one.length, int) and one.length == model.length for one in lists)
    length, capacity = model.length if is_known else None, max(one.capacity for one in lists)
    same_item = model.same if all(one.same == model.same for one in lists) else None
    data = model.data
    for one in lists:
        if one.data is not None:
            data = _alike(data, one.data)[0]
    marks = next((one.cleared for one in lists if one.cleared is not None), None)
    return DenseList(model.dtype, model.element, length, capacity, model.is_limited, data, same_item, marks)


def conform(value: DenseList, model: DenseList) -> DenseList:
    """Converts a list to the type of `model`: an unset list gets rows of zeros."""
    size, value = model.capacity, value.with_capacity(model.capacity)
    data = value.data
    if data is None and model.data is not None:
        data = jax.tree.map(lambda rows: jnp.zeros((size, *rows.shape[1:]), rows.dtype), model.data)
    elif data is not None:
        data = _alike(data, model.data)[0]
    length = jnp.int32(value.length) if model.length is None else value.length
    marks = None if model.cleared is None else value.marks()
    return DenseList(model.dtype, model.element, length, size, model.is_limited, data, model.same, marks)


def _alike(rows: object, new: object) -> tuple[Any, Any]:
    """Returns the elements of a list and a new element as values of one type.

    Elements that are lists forget their common constant if the constants differ, and carry their lengths as data if the
    lengths differ.
    """
    if not isinstance(rows, DenseList) or not isinstance(new, DenseList):
        return rows, new
    if rows.same != new.same:
        rows, new = rows._with(rows.data), new._with(new.data)
    if isinstance(rows.length, int) and rows.length == new.length:
        return rows, new
    if isinstance(rows.length, int):
        rows = rows._with(rows.data, jnp.full(_count_of_rows(rows), rows.length, jnp.int32), rows.same)
    length = jnp.int32(new.length) if isinstance(new.length, int) else new.length
    return rows, new._with(new.data, length, new.same)


def _count_of_rows(rows: DenseList) -> int:
    return int(jax.tree.leaves(rows.data)[0].shape[0])


def _flatten(value: DenseList) -> tuple[tuple[Any, ...], Any]:
    is_known = isinstance(value.length, int)
    static_parts = (
        value.dtype,
        value.element,
        value.capacity,
        value.is_limited,
        value.length if is_known else None,
        value.same,
    )
    return (value.data, None if is_known else value.length, value.cleared), static_parts


def _unflatten(fixed: Any, children: Iterable[Any]) -> DenseList:
    dtype, element, capacity, is_limited, length, same = fixed
    data, traced_length, marks = children
    known_length = traced_length if length is None else length
    return DenseList(dtype, element, known_length, capacity, is_limited, data, same, marks)


jax.tree_util.register_pytree_node(DenseList, _flatten, _unflatten)


# --- arrays ------------------------------------------------------------------------------------------------------


def _arrays(item: object) -> Any:
    """Returns an element whose leaves are arrays of the engine; a nested list has no more room than needed."""
    if isinstance(item, DenseList):
        return item.with_capacity(item.length) if isinstance(item.length, int) else item
    return jnp.asarray(item)


def _is_zeros(item: object) -> bool:
    """Returns whether an element is known to be zeros, none of them negative."""
    return isinstance(item, np.ndarray) and not item.tobytes().strip(b"\0")


def _put(rows: Any, new: Any, index: object) -> Any:
    new = new.astype(rows.dtype)
    return jax.lax.dynamic_update_index_in_dim(rows, new, index, 0, allow_negative_indices=False)


def _take(rows: Any, index: object) -> Any:
    if not rows.shape[0]:  # in the body of a loop that never runs
        return jnp.zeros(rows.shape[1:], rows.dtype)
    return jax.lax.dynamic_index_in_dim(rows, index, 0, keepdims=False, allow_negative_indices=False)


def _resize(rows: Any, size: int) -> Any:
    have = rows.shape[0]
    if have >= size:
        return rows[:size]
    return jnp.concatenate([rows, jnp.zeros((size - have, *rows.shape[1:]), rows.dtype)])


def declared_shape(shape: ShapeLike) -> TensorShape:
    """Returns a shape that an op declares, if the value is known."""
    return shape_from(shape) if isinstance(shape, TensorShape) or _is_host(shape) else TensorShape(None)


def _is_host(value: object) -> bool:
    return isinstance(value, (int, np.ndarray, np.generic))


def _static(value: Any) -> int:
    if isinstance(value, jax.core.Tracer):
        raise no_size()
    return int(value)


def no_size() -> errors.UnknownWhileCompilingError:
    """Makes the error for a list whose size is not known while compiling."""
    return errors.UnknownWhileCompilingError(_NO_SIZE)

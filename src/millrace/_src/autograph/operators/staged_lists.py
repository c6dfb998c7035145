"""Python lists that a loop of the graph makes longer or shorter.

The loop cannot carry a list that grows. The loop carries a `tf.TensorArray` instead, and the variable is a `StagedList`
around the array, which has the methods of a list. A trial run of the body, with a `TrialList` instead of the list,
finds out the dtype and shape of the elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.operators.missing_values import zeros_like
from millrace._src.autograph.operators.tensorflow_refusals import AS_BOOL
from millrace._src.control_flow.cond import cond
from millrace._src.control_flow.tensor_array import TensorArray
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.errors import OperatorNotAllowedInGraphError
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that


class StagedList(CompositeTensor):
    """A list of tensors whose length is only known when the graph runs.

    Args: array: The elements; methods that change the list put another array here.
    """

    __slots__ = ("array",)
    __hash__ = object.__hash__

    def __init__(self, array: TensorArray) -> None:
        self.array = array

    @property
    def _type_spec(self) -> Any:
        return self.array._type_spec

    def _nest_components(self) -> Any:
        return self.array._nest_components()

    def _nest_rebuild(self, components: Any) -> StagedList:
        return StagedList(self.array._nest_rebuild(components))

    def copy(self) -> StagedList:
        """Returns another list with the same elements."""
        return StagedList(self.array)

    # --- reading -----------------------------------------------------------------------------------------------------

    def __getitem__(self, index: object) -> Any:
        if isinstance(index, slice):
            return self._with([self._tensor()[index]])
        return self.array.read(self._position(index))

    def _position(self, index: Any) -> Any:
        """Converts an index that may count from the end to an index from the start."""
        position = convert_to_tensor(index)
        from_end = raw.AddV2(x=position, y=self.array.size())
        return raw.SelectV2(condition=raw.Less(x=position, y=0), t=from_end, e=position)

    def _validate_index(self, index: object) -> Any:
        """Converts an index to one from the start; the graph checks that there is an element."""
        position = self._position(index)
        is_there = raw.LogicalAnd(x=raw.GreaterEqual(x=position, y=0), y=raw.Less(x=position, y=self.array.size()))
        assert_that(is_there, [convert_to_tensor("list index out of range")])
        return position

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "Python cannot iterate over a list that a loop of the graph builds: its length is only known when the "
            "graph runs. Use a `for` loop, tf.map_fn or tf.stack.",
            tensor=self,
        )

    __reversed__ = __iter__

    def __array__(self, dtype: DTypeLike | None = None, copy: object = None) -> Any:
        raise NotImplementedError(
            "Cannot convert a list that a loop of the graph builds to a numpy array: its elements are only known when "
            "the graph runs. Use tf.stack."
        )

    def __len__(self) -> int:
        raise TypeError(
            "len() of a list that a loop over a Tensor appends to is only known when the graph runs; in converted code "
            "it is a Tensor."
        )

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(AS_BOOL, tensor=self)

    def length(self) -> Any:
        """Returns the number of elements, a tensor."""
        return self.array.size()

    def __contains__(self, item: Any) -> bool:
        raise OperatorNotAllowedInGraphError(AS_BOOL, tensor=self)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (list, StagedList)):
            return NotImplemented
        if isinstance(other, list) and not other:
            return raw.Equal(x=self.length(), y=0)
        other_elements = convert_to_tensor(other, dtype=self.array.dtype)
        same_length = raw.Equal(x=self.length(), y=raw.Shape(input=other_elements)[0])
        return cond(same_length, lambda: _all(raw.Equal(x=self._tensor(), y=other_elements)), lambda: same_length)

    def __ne__(self, other: object) -> Any:
        is_equal = self == other
        return True if is_equal is NotImplemented else raw.LogicalNot(x=is_equal)

    def index(self, value: object, start: object = 0) -> Any:
        """Returns the index of the first element, from `start` on, that equals a value.

        The graph asserts that there is such an element.
        """
        indices = self._positions(value)
        indices = indices[raw.Size(input=raw.Where(condition=raw.Less(x=indices, y=self._position(start)))) :]
        assert_that(raw.Greater(x=raw.Size(input=indices), y=0), [convert_to_tensor("the value is not in the list")])
        return indices[0]

    def count(self, value: object) -> Any:
        """Counts the elements that equal a value."""
        return raw.Size(input=self._positions(value))

    def _positions(self, value: Any) -> Any:
        equal = raw.Equal(x=self._tensor(), y=convert_to_tensor(value, dtype=self.array.dtype))
        if equal.shape.rank not in (1, None):
            shape = self.array.element_shape
            raise TypeError(f"Only scalars are looked up in a list of the graph; its elements have shape {shape}.")
        return raw.Reshape(tensor=raw.Cast(x=raw.Where(condition=equal), DstT="int32"), shape=[-1])

    def _tensor(self) -> Any:
        return convert_to_tensor(self)

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return convert_to_tensor(self.array.stack(), dtype=dtype, name=name)

    def __repr__(self) -> str:
        return f"<list of {self.array.dtype.name} tensors that a loop of the graph appends to>"

    # --- changing ----------------------------------------------------------------------------------------------------

    def append(self, value: object) -> None:
        """Adds an element at the end."""
        self.array = self.array.write(self.array.size(), self._element(value))

    def _element(self, value: Any) -> Any:
        """Returns a value as an element.

        Raises: TypeError: if the value has another dtype than the list; a Python number gets the dtype of the list.
        """
        dtype = getattr(value, "dtype", None)
        if dtype is not None and as_dtype(dtype) is not self.array.dtype:
            raise TypeError(
                f"The list has elements of dtype {self.array.dtype.name}; received {as_dtype(dtype).name}. A list that "
                "a loop of the graph builds has elements of one dtype."
            )
        return convert_to_tensor(value, dtype=self.array.dtype)

    def extend(self, values: Any) -> None:
        """Adds the elements of a Python iterable, a tensor or another such list."""
        if isinstance(values, (Tensor, StagedList)):
            self._refill([self._tensor(), convert_to_tensor(values, dtype=self.array.dtype)])
            return
        for value in values:
            self.append(value)

    def __setitem__(self, index: object, value: object) -> None:
        if isinstance(index, slice):
            raise TypeError("A part of a list that a loop of the graph builds cannot be replaced; assign one element.")
        self.array = self.array.write(self._validate_index(index), self._element(value))

    def __delitem__(self, index: object) -> None:
        if not isinstance(index, slice):
            self.pop(index)
            return
        size = self.length()
        removed = raw.ExpandDims(input=raw.Range(start=0, limit=size, delta=1)[index], dim=1)
        is_kept = raw.TensorScatterUpdate(
            tensor=raw.Fill(dims=raw.ExpandDims(input=size, dim=0), value=True),
            indices=removed,
            updates=raw.Fill(dims=raw.Shape(input=removed)[:1], value=False),
        )
        positions = raw.Reshape(tensor=raw.Where(condition=is_kept), shape=[-1])
        self._refill([raw.GatherV2(params=self._tensor(), indices=positions, axis=0)])

    def pop(self, index: object = -1) -> Any:
        """Takes an element out, and returns the element."""
        position = self._validate_index(index)
        value, elements = self.array.read(position), self._tensor()
        after = raw.AddV2(x=position, y=1)
        self._refill([elements[:position], elements[after:]])
        return value

    def insert(self, index: object, value: object) -> None:
        """Puts an element before the one at an index."""
        elements, size = self._tensor(), self.length()
        position = raw.Minimum(x=raw.Maximum(x=self._position(index), y=0), y=size)
        new = raw.ExpandDims(input=self._element(value), dim=0)
        self._refill([elements[:position], new, elements[position:]])

    def remove(self, value: object) -> None:
        """Takes out the first element that equals a value."""
        self.pop(self.index(value))

    def clear(self) -> None:
        """Takes out all elements."""
        self._refill([self._tensor()[:0]])

    def reverse(self) -> None:
        """Puts the elements in the opposite order."""
        self._refill([self._tensor()[::-1]])

    def sort(self, *, key: object = None, reverse: bool = False) -> None:
        """Puts the elements, which are numbers, in order.

        Raises: TypeError: if there is a key function.
        """
        if key is not None:
            raise TypeError("A list that a loop of the graph builds is sorted by its elements; key is not supported.")
        elements = self._tensor()
        ordered = raw.TopKV2(input=elements, k=self.length(), sorted=True)[0]
        self._refill([ordered if reverse else ordered[::-1]])

    def __iadd__(self, values: object) -> StagedList:
        self.extend(values)
        return self

    def __imul__(self, times: Any) -> StagedList:
        self.array = (self * times).array
        return self

    def __add__(self, values: object) -> StagedList:
        new = self.copy()
        new.extend(values)
        return new

    def __radd__(self, values: Any) -> StagedList:
        if isinstance(values, list) and not values:
            return self.copy()
        return self._with([convert_to_tensor(values, dtype=self.array.dtype), self._tensor()])

    def __mul__(self, times: Any) -> StagedList:
        elements, times = self._tensor(), convert_to_tensor(times)
        ones = raw.Fill(dims=[raw.Sub(x=raw.Rank(input=elements), y=1)], value=1)
        multiples = raw.ConcatV2(values=[raw.ExpandDims(input=times, dim=0), ones], axis=0)
        return self._with([raw.Tile(input=elements, multiples=multiples)])

    __rmul__ = __mul__

    def _with(self, parts: Sequence[Any]) -> StagedList:
        """Makes another list, of the elements of tensors."""
        new = self.copy()
        new._refill(parts)
        return new

    def _refill(self, parts: Sequence[Any]) -> None:
        """Makes the list hold the elements of tensors, one tensor after the other."""
        elements = parts[0] if len(parts) == 1 else raw.ConcatV2(values=list(parts), axis=0)
        shape = self.array.element_shape
        elements.set_shape([None, *shape.as_list()] if shape.rank is not None else None)
        self.array = new_array(self.array.dtype, shape).unstack(elements)


def _all(tensor: object) -> Any:
    return raw.All(input=raw.Reshape(tensor=tensor, shape=[-1]), reduction_indices=[0])


class MovedList:
    """A mark in a Python list whose elements a loop of the graph has taken over; other names of the list see the mark.

    Args: name: The variable that has the elements.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        raise TypeError(
            f"The list was appended to, as '{self.name}', by a loop that depends on a Tensor; only that variable has "
            f"its elements now. Use '{self.name}' after the loop, and return it from the function that holds the loop."
        )

    def __repr__(self) -> str:
        return f"<the elements are in '{self.name}'>"


class TrialList:
    """A stand-in for a list while the body of a loop is tried out; notes what is put into the list.

    A method that only reads is answered by a list of the graph with elements of the same dtype and shape.

    Args: items: The elements of the list before the loop.

    Attributes:
      examples: The values that were put in.
      is_changed: Whether the length was changed.
    """

    __hash__ = object.__hash__

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = list(items)
        self.examples: list[Any] = []
        self.is_changed = False

    def stage(self) -> StagedList:
        """Makes a list of the graph like this list."""
        new_list = make_staged_list(
            [zeros_like(tensor) for tensor in map(convert_to_tensor, self.items)], self, always=True
        )
        return self._validate(new_list)

    @staticmethod
    def _validate(elements: object) -> Any:
        if elements is None:
            raise TypeError(
                "A list that a loop over a Tensor appends to is read before anything is in it, so its dtype is not "
                "known. Start with an element, or append before reading."
            )
        return elements

    def __getattr__(self, name: str) -> Any:
        """Returns a method of a list of the graph: `copy`, `count`, `index` ..."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.stage(), name)

    def append(self, value: object) -> None:
        """Notes the dtype and shape of an element."""
        self.extend([value])

    def extend(self, values: Any) -> None:
        """Notes the dtypes and shapes of several elements."""
        self.is_changed = True
        if isinstance(values, TrialList):
            values = [*values.items, *values.examples]
        if isinstance(values, (Tensor, StagedList)):
            values = [convert_to_tensor(values)[0]]
        self.examples += [value if isinstance(value, Tensor) else convert_to_tensor(value) for value in values]

    def insert(self, index: object, value: object) -> None:
        """Notes the dtype and shape of an element, wherever the element is put."""
        self.append(value)

    def pop(self, index: object = -1) -> Any:
        """Returns an element, which stays: whether there is another element, only the graph knows."""
        self.is_changed = True
        return self[index]

    def _shorten(self, *args: object) -> None:
        """Notes that the list gets shorter."""
        self.is_changed = True

    remove = clear = __delitem__ = _shorten

    def _reorder(self, *args: object, **kwargs: object) -> None:
        """Notes nothing: neither the length nor the dtype changes."""

    reverse = sort = __setitem__ = _reorder

    def __getitem__(self, index: object) -> Any:
        """Returns an element of the right dtype and shape, wherever it is; for a slice, a list of the graph."""
        if isinstance(index, slice):
            return self.stage()
        elements = [*self.items, *map(zeros_like, self.examples)]
        self._validate(elements or None)
        return elements[index] if isinstance(index, int) and -len(elements) <= index < len(elements) else elements[0]

    def __len__(self) -> int:
        return len(self.items) + len(self.examples)

    def __iadd__(self, values: object) -> TrialList:
        self.extend(values)
        return self

    def __imul__(self, times: object) -> TrialList:
        self.is_changed = True
        return self

    def __add__(self, values: object) -> StagedList:
        return self.stage() + values

    def __radd__(self, values: object) -> StagedList:
        return values + self.stage()

    def __mul__(self, times: object) -> StagedList:
        return self.stage() * times

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        return self.stage() == other

    def __ne__(self, other: object) -> Any:
        return self.stage() != other

    def __iter__(self) -> Any:
        return iter(self.stage())

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(AS_BOOL, tensor=self)

    def __contains__(self, item: object) -> bool:
        return item in self.stage()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self.stage(), dtype=dtype, name=name)


def graph_list(value: object) -> StagedList | None:
    """Returns a list whose length only the graph knows, made from a `TrialList` if need be; None for anything else."""
    if value.__class__ is TrialList:
        staged: StagedList = value.stage()
        return staged
    return value if value.__class__ is StagedList else None


def make_staged_list(before: Sequence[Any], trial: TrialList, always: bool = False) -> StagedList | None:
    """Makes the list that a loop starts with, from what the loop's body puts in; None if the length stays.

    Args:
      before: The elements before the loop.
      trial: What was put in.
      always: Whether to make a list also if the length stays.

    Raises: TypeError: if the elements have different dtypes.
    """
    if not trial.is_changed and not always:
        return None
    tensors = [item if isinstance(item, Tensor) else convert_to_tensor(item) for item in before]
    examples = [*tensors, *trial.examples]
    dtypes = {tensor.dtype for tensor in examples}
    if len(dtypes) > 1:
        names = " and ".join(sorted(dtype.name for dtype in dtypes))
        raise TypeError(f"A list that a loop over a Tensor appends to must have elements of one dtype, not {names}.")
    if not examples:
        return None
    shape = examples[0].shape
    for tensor in examples[1:]:
        shape = shape.most_specific_compatible_shape(tensor.shape)
    array = new_array(examples[0].dtype, shape, len(tensors))
    for index, tensor in enumerate(tensors):
        array = array.write(index, tensor)
    return StagedList(array)


def new_array(dtype: DTypeLike, shape: Any, size: int = 0) -> TensorArray:
    """Makes an array for the elements of a list."""
    return TensorArray(
        dtype,
        size=size,
        dynamic_size=True,
        infer_shape=shape.is_fully_defined(),
        element_shape=shape,
        clear_after_read=False,
    )

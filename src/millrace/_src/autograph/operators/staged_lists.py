"""Python lists that a loop of the graph appends to.

The loop cannot carry a list that grows; it carries a `tf.TensorArray`, and the variable is a `StagedList` around it,
which can be appended to, indexed, iterated over and stacked. What the elements are is found out by a trial run of the
body with a `TrialList` in place of the list, which notes what is appended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.control_flow.tensor_array import TensorArray
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw


class StagedList(CompositeTensor):
    """A list of tensors whose length is only known when the graph runs.

    Args: array: The elements.
    """

    __slots__ = ("array",)

    def __init__(self, array: TensorArray) -> None:
        self.array = array

    @property
    def _type_spec(self) -> Any:
        return self.array._type_spec

    def _nest_components(self) -> Any:
        return self.array._nest_components()

    def _nest_rebuild(self, components: Any) -> StagedList:
        return StagedList(self.array._nest_rebuild(components))

    def appended(self, value: Any) -> StagedList:
        """The list with one more element."""
        tensor = convert_to_tensor(value, dtype=self.array.dtype)
        return StagedList(self.array.write(self.array.size(), tensor))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return convert_to_tensor(self)[index]
        position = convert_to_tensor(index)
        size = self.array.size()
        from_end = raw.AddV2(x=position, y=size)
        return self.array.read(raw.SelectV2(condition=raw.Less(x=position, y=0), t=from_end, e=position))

    def __len__(self) -> int:
        raise TypeError(
            "len() of a list that a loop over a Tensor appends to is only known when the graph runs; in converted code "
            "it is a Tensor."
        )

    def length(self) -> Any:
        """The number of elements, a tensor."""
        return self.array.size()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self.array.stack(), dtype=dtype, name=name)

    def __repr__(self) -> str:
        return f"<list of {self.array.dtype.name} tensors that a loop of the graph appends to>"


class MovedList:
    """Stands in a Python list whose elements a loop of the graph has taken over; other names of the list see it.

    Args: name: The variable that has the elements.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise TypeError(
            f"The list was appended to, as '{self.name}', by a loop that depends on a Tensor; only that variable has "
            "its "
            f"elements now. Use '{self.name}' after the loop, and return it from the function that holds the loop."
        )

    def __repr__(self) -> str:
        return f"<the elements are in '{self.name}'>"


class TrialList:
    """Stands for a list while the body of a loop is tried out; notes what is appended."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = list(items)

    def noted(self, value: Any) -> TrialList:
        """The list itself, with the dtype and shape of an appended value noted."""
        self.items.append(value if isinstance(value, Tensor) else convert_to_tensor(value))
        return self

    def __getitem__(self, index: Any) -> Any:
        return self.items[index if isinstance(index, (int, slice)) else 0]

    def __len__(self) -> int:
        return len(self.items)


def staged_list(before: Sequence[Any], trial: TrialList) -> StagedList | None:
    """The list that a loop starts with, given what its body appends; None if it appends nothing.

    Raises: TypeError: if the elements have different dtypes.
    """
    if len(trial.items) == len(before):
        return None
    tensors = [item if isinstance(item, Tensor) else convert_to_tensor(item) for item in before]
    examples = [*tensors, *trial.items[len(before) :]]
    dtypes = {tensor.dtype for tensor in examples}
    if len(dtypes) > 1:
        names = " and ".join(sorted(dtype.name for dtype in dtypes))
        raise TypeError(f"A list that a loop over a Tensor appends to must have elements of one dtype, not {names}.")
    shape = examples[0].shape
    for tensor in examples[1:]:
        shape = shape.most_specific_compatible_shape(tensor.shape)
    array = TensorArray(
        examples[0].dtype,
        size=len(tensors),
        dynamic_size=True,
        infer_shape=shape.is_fully_defined(),
        element_shape=shape,
        clear_after_read=False,
    )
    for index, tensor in enumerate(tensors):
        array = array.write(index, tensor)
    return StagedList(array)

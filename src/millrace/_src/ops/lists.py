"""Tensor lists: values of dtype `variant` that grow inside loops.

The backward pass of a loop needs the intermediates of every iteration. The forward
loop pushes them on lists, the backward loop pops them. A list is never changed once
somebody holds it: pushing shares the storage with the longer list as long as nobody
pushed something else at that place.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int32
from millrace._src.core.op_def import op
from millrace._src.core.resources import resource_of
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.shape_rules import SCALAR, scalar
from millrace._src.ops.type_sets import ANY, INDEX


class TensorList:
    """A list of arrays of one dtype; immutable, with cheap push and pop at the end."""

    __slots__ = ("_storage", "_length")

    def __init__(self, storage: list[Array] | None = None, length: int = 0) -> None:
        self._storage = [] if storage is None else storage
        self._length = length

    def __len__(self) -> int:
        return self._length

    def items(self) -> list[Array]:
        """The arrays."""
        return self._storage[: self._length]

    def push(self, item: Array) -> TensorList:
        """The list with one more array."""
        if len(self._storage) == self._length:
            self._storage.append(item)
            return TensorList(self._storage, self._length + 1)
        return TensorList([*self.items(), item], self._length + 1)

    def pop(self) -> tuple[TensorList, Array]:
        """The list without its last array, and that array.

        Raises: InvalidArgumentError: if the list is empty.
        """
        if not self._length:
            raise errors.InvalidArgumentError(None, None, "Trying to pop from an empty list.")
        return TensorList(self._storage, self._length - 1), self._storage[self._length - 1]

    def __repr__(self) -> str:
        return f"TensorList({self._length} tensors)"


@op(
    "EmptyTensorList",
    "element_shape: shape_type, max_num_elements: int32 -> handle: variant",
    shape_type=INDEX.with_default(int32),
    shape=scalar,
    host_only=True,
    not_differentiable="an empty list depends on no values",
)
def empty_tensor_list(xp: Xp, element_shape: Array, max_num_elements: Array, *, element_dtype: DType) -> Any:
    """A list without tensors."""
    return TensorList()


@op(
    "TensorListPushBack",
    "input_handle: variant, tensor: element_dtype -> output_handle: variant",
    element_dtype=ANY,
    shape=scalar,
    host_only=True,
)
def tensor_list_push_back(xp: Xp, input_handle: Array, tensor: Array) -> Any:
    """The list with `tensor` at its end."""
    return resource_of(input_handle).push(tensor)


@tensor_list_push_back.gradient
def tensor_list_push_back_gradient(dlist: Any, tensor: Any, element_dtype: DType) -> tuple[Any, Any]:
    """The last element's gradient is popped off the gradient list."""
    return tuple(raw.TensorListPopBack(input_handle=dlist, element_shape=-1, element_dtype=element_dtype))


def _popped_shapes(c: ShapeContext) -> list[TensorShape]:
    return [SCALAR, c.value_as_shape("element_shape")]


@op(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    element_dtype=ANY,
    shape=_popped_shapes,
    host_only=True,
)
def tensor_list_pop_back(xp: Xp, input_handle: Array, element_shape: Array) -> tuple[Any, Array]:
    """The list without its last tensor, and that tensor."""
    return resource_of(input_handle).pop()


@tensor_list_pop_back.gradient
def tensor_list_pop_back_gradient(dlist: Any, dtensor: Any, tensor: Any) -> tuple[Any, None]:
    """The gradient of the popped tensor is pushed on the gradient list."""
    if dlist is None:
        dlist = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tensor.dtype)
    return raw.TensorListPushBack(input_handle=dlist, tensor=dtensor), None


@op(
    "TensorListLength",
    "input_handle: variant -> length: int32",
    shape=scalar,
    host_only=True,
    not_differentiable="a length is an integer",
)
def tensor_list_length(xp: Xp, input_handle: Array) -> Array:
    """The number of tensors in a list."""
    return xp.asarray(len(resource_of(input_handle)), "int32")

"""The form of a `tf.TensorArray` in eager mode: a Python list of tensors, which writes change in place.

Tests: tests/control_flow/test_tensor_array.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor
from millrace._src.ops import raw
from millrace._src.util.text import shape_parentheses


class EagerArray:
    """The elements of an eager TensorArray; None where nothing was written.

    Args:
      dtype: the dtype of the elements.
      size: the number of elements.
      dynamic_size: whether writing past the end makes the array longer.
      clear_after_read: whether an element can be read only once.
      infer_shape: whether all elements have the shape of the first one.
      element_shape: what is known of that shape.
    """

    handle = None

    def __init__(
        self,
        dtype: DType,
        size: Any,
        dynamic_size: bool,
        clear_after_read: bool,
        infer_shape: bool,
        element_shape: TensorShape,
    ) -> None:
        self.dtype = dtype
        self.dynamic_size = dynamic_size
        self.clear_after_read = clear_after_read
        self.infer_shape = infer_shape
        self.element_shape = element_shape
        self.tensors: list[Any] = [None for _ in range(size)]
        self._cleared: set[int] = set()

    @property
    def flow(self) -> Any:
        """A constant: nothing flows in eager mode."""
        return convert_to_tensor(0, dtype="int32")

    # --- one element ---------------------------------------------------------------------------------------------

    def write(self, index: Any, value: Any, name: str | None) -> EagerArray:
        index = _number(index)
        size = len(self.tensors)
        if index < 0:
            raise errors.OutOfRangeError(None, None, f"Writing to negative indices (index {index}) is not allowed.")
        if index >= size:
            if not self.dynamic_size:
                raise errors.OutOfRangeError(
                    None, None, f"Tried to write to index {index} but array is not resizeable and size is: {size} "
                )
            self.tensors.extend([None] * (index - size + 1))
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {tensor.dtype.name} ",
            )
        if not self.element_shape.is_compatible_with(tensor.shape):
            shape_texts = [shape_parentheses(s) for s in (tensor.shape, self.element_shape)]
            raise ValueError(f"Incompatible shape for value ({shape_texts[0]}), expected ({shape_texts[1]})")
        if self.infer_shape:
            self.element_shape = self.element_shape.merge_with(tensor.shape)
        self.tensors[index] = tensor
        return self

    def read(self, index: Any, name: str | None) -> Any:
        index = _number(index)
        if index < 0:
            raise errors.OutOfRangeError(None, None, f"Reading from negative indices (index {index}) is not allowed.")
        if index >= len(self.tensors):
            raise errors.OutOfRangeError(
                None, None, f"Tried to read from index {index} but array size is: {len(self.tensors)} "
            )
        if self.tensors[index] is None and index in self._cleared:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Could not read index {index} twice because it was cleared after a previous read (perhaps try "
                "setting clear_after_read = false?)",
            )
        tensor = self._element(index)
        if self.clear_after_read:
            self.tensors[index] = None
            self._cleared.add(index)
        return tensor

    def _element(self, index: int) -> Any:
        """Returns the element at an index, zeros if nothing was written."""
        if self.tensors[index] is None:
            self.tensors[index] = self._zeros(self.element_shape)
        return self.tensors[index]

    def _zeros(self, shape: TensorShape) -> EagerTensor:
        if not shape.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
        dims: list[Any] = shape.as_list()
        array = np.zeros(dims, self.dtype.np_dtype)
        if self.dtype.np_dtype.kind == "O":
            array.fill(b"")
        return EagerTensor(array, self.dtype)

    # --- all elements --------------------------------------------------------------------------------------------

    def _elements(self, indices: Sequence[int]) -> list[Any]:
        return [self._element(i) for i in indices]

    def stack(self, name: str | None) -> Any:
        if not self.tensors:
            known_shape = self.element_shape if self.element_shape.is_fully_defined() else TensorShape([])
            return self._zeros(TensorShape([0]).concatenate(known_shape))
        return raw.Pack(values=self._elements(range(len(self.tensors))), axis=0)

    def gather(self, indices: Any, name: str | None) -> Any:
        positions = [int(i) for i in np.asarray(convert_to_tensor(indices)).reshape(-1)]
        if not positions:
            known_shape = self.element_shape if self.element_shape.is_fully_defined() else TensorShape([])
            return self._zeros(TensorShape([0]).concatenate(known_shape))
        return raw.Pack(values=self._elements(positions), axis=0)

    def concat(self, name: str | None) -> Any:
        parts = self._elements(range(len(self.tensors)))
        if not parts:
            raise errors.InvalidArgumentError(
                None,
                None,
                "OpKernel 'ConcatV2' has constraint on attr 'T' not in NodeDef '[N=0, Tidx=DT_INT32]': a TensorArray "
                "without elements has nothing to concatenate. ",
            )
        for index, part in enumerate(parts):
            if not part.shape.rank:
                raise errors.InvalidArgumentError(
                    None, None, f"Concat saw a scalar shape at index {index} but requires at least vectors."
                )
        return raw.ConcatV2(values=parts, axis=0)

    def unstack(self, value: Any, name: str | None) -> EagerArray:
        tensors = _rows(convert_to_tensor(value, dtype_hint=self.dtype))
        if len(tensors) > len(self.tensors) and not self.dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(tensors)} tensors into a TensorArray of static size {len(self.tensors)} "
            )
        self.tensors = tensors
        return self

    def scatter(self, indices: Any, value: Any, name: str | None) -> EagerArray:
        rows = _rows(convert_to_tensor(value, dtype_hint=self.dtype))
        for index, row in zip(np.asarray(convert_to_tensor(indices)).reshape(-1), rows, strict=False):
            self.write(int(index), row, None)
        return self

    def split(self, value: Any, lengths: Any, name: str | None) -> EagerArray:
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        sizes = [int(n) for n in np.asarray(convert_to_tensor(lengths)).reshape(-1)]
        if sum(sizes) != tensor.shape[0]:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(sizes)} and "
                f"value's shape is: {tensor.shape.as_list()} ",
            )
        if not self.dynamic_size and len(sizes) != len(self.tensors):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TensorArray's size is not equal to the size of lengths ({len(self.tensors)} vs. {len(sizes)}), and "
                "the TensorArray is not marked as dynamically resizeable.",
            )
        self.tensors = list(raw.SplitV(value=tensor, size_splits=sizes, split_dim=0, num_split=len(sizes)))
        return self

    def size(self, name: str | None) -> Any:
        return convert_to_tensor(len(self.tensors), dtype="int32")

    def identity(self) -> EagerArray:
        return self

    def close(self, name: str | None) -> None:
        del self.tensors[:]

    def grad(self, source: str, flow: object, name: str | None) -> Any:
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient implementation does not "
            "use/need this function to compute gradients of operations that use TensorArrays."
        )

    def as_list(self) -> Any:
        """Makes a list tensor, of dtype variant, of the elements."""
        list_tensor = raw.TensorListReserve(
            element_shape=shape_input(self.element_shape),
            num_elements=len(self.tensors),
            element_dtype=self.dtype,
        )
        for index, tensor in enumerate(self.tensors):
            if tensor is not None:
                list_tensor = raw.TensorListSetItem(input_handle=list_tensor, index=index, item=tensor)
        return list_tensor


def _number(index: Any) -> Any:
    """Returns an index as an int; refuses anything that cannot index."""
    if isinstance(index, EagerTensor):
        index = index.numpy()
    if isinstance(index, (float, np.floating)):
        raise TypeError(f"list indices must be integers or slices, not {type(index).__name__}")
    return int(index)


def _rows(tensor: Any) -> list[Any]:
    if not tensor.shape.rank:
        raise ValueError("Argument `axis` = 0 not in range [0, 0)")
    return list(raw.Unpack(value=tensor, num=tensor.shape[0], axis=0))


def shape_input(shape: TensorShape) -> Any:
    """Returns a static shape as ops on lists take shapes: -1 where nothing is known."""
    if shape.rank is None:
        return -1
    dims = [-1 if n is None else n for n in shape.as_list()]
    return dims or convert_to_tensor([], dtype="int32", name="Const")

"""The form of a `tf.TensorArray` in a graph: a list tensor that flows from op to op.

Each write returns the array after the write. Whatever is learned of the shape of the elements holds for the array
before and after a write, and before and after a loop that writes, so all of these arrays share the shape.

Tests: tests/control_flow/test_tensor_array.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.control_flow.eager_array import shape_input
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.util.logger import get_logger
from millrace._src.util.text import shape_parentheses


class GraphArray:
    """A TensorArray around a tensor of dtype variant.

    Args:
      dtype: the dtype of the elements.
      flow: the list tensor.
      size: the number of elements as a Python number or tensor if the number is known, else None.
      dynamic_size: whether writing past the end makes the array longer; None for no.
      infer_shape: whether all elements have the shape of the first one.
      shapes: a list with what is known of that shape; shared by the arrays that are made of one another.
    """

    handle = None
    clear_after_read = False

    def __init__(
        self,
        dtype: DType,
        flow: Any,
        size: Any,
        dynamic_size: bool | None,
        infer_shape: bool,
        shapes: list[TensorShape],
    ) -> None:
        self.dtype = dtype
        self.flow = flow
        self.known_size = size
        self.dynamic_size = dynamic_size
        self.infer_shape = infer_shape
        self.shapes = shapes

    @classmethod
    def reserve(
        cls,
        dtype: DType,
        size: object,
        dynamic_size: bool | None,
        infer_shape: bool,
        element_shape: TensorShape,
        name: str | None,
    ) -> GraphArray:
        """Makes a new array of unset elements."""
        with name_scope(name, "TensorArrayV2") as scope:
            flow = raw.TensorListReserve(
                element_shape=shape_input(element_shape), num_elements=size, element_dtype=dtype, name=scope
            )
        return cls(dtype, flow, size, dynamic_size, infer_shape, [element_shape])

    def with_flow(self, flow: object) -> GraphArray:
        """Returns the array after another op, or inside a loop."""
        return GraphArray(self.dtype, flow, self.known_size, self.dynamic_size, self.infer_shape, self.shapes)

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        return self.shapes[0]

    def _learn(self, shape: TensorShape) -> None:
        """Takes note of the shape of an element.

        Raises: ValueError: if the shape does not fit.
        """
        if not shape.is_compatible_with(self.element_shape):
            shape_texts = [shape_parentheses(s) for s in (shape, self.element_shape)]
            raise ValueError(f"Inconsistent shapes: saw {shape_texts[0]} but expected {shape_texts[1]} ")
        if self.infer_shape:
            self.shapes[0] = self.element_shape.merge_with(shape)

    def _value(self, value: Any) -> Any:
        tensor = convert_to_tensor(value, dtype_hint=self.dtype, name="value")
        if tensor.dtype is not self.dtype:
            get_logger().error(
                "Error: Input value %s has dtype %s, but expected dtype %s.  This leads to undefined behavior and "
                "will be an error in future versions of TensorFlow.",
                tensor,
                tensor.dtype,
                self.dtype,
            )
        return tensor

    # --- one element ---------------------------------------------------------------------------------------------

    def write(self, index: Any, value: Any, name: str | None) -> GraphArray:
        with name_scope(name, "TensorArrayV2Write"):
            tensor = self._value(value)
            self._learn(tensor.shape)
            flow = raw.TensorListSetItem(
                input_handle=self.flow,
                index=index,
                item=tensor,
                resize_if_index_out_of_bounds=bool(self.dynamic_size),
                name=name,
            )
        return self.with_flow(flow)

    def read(self, index: object, name: str | None) -> Any:
        with name_scope(name, "TensorArrayV2Read"):
            return raw.TensorListGetItem(
                input_handle=self.flow,
                index=index,
                element_shape=shape_input(self.element_shape),
                element_dtype=self.dtype,
                name=name,
            )

    # --- all elements --------------------------------------------------------------------------------------------

    def stack(self, name: str | None) -> Any:
        with name_scope(name, "TensorArrayV2Stack"):
            return raw.TensorListStack(
                input_handle=self.flow,
                element_shape=shape_input(self.element_shape),
                element_dtype=self.dtype,
                num_elements=self._static_size(),
            )

    def _static_size(self) -> int:
        """Returns the number of elements if it is known while tracing, else -1."""
        if self.dynamic_size or self.known_size is None:
            return -1
        known_size = static_value(self.known_size) if isinstance(self.known_size, Tensor) else self.known_size
        return -1 if known_size is None else int(known_size)

    def gather(self, indices: object, name: str | None) -> Any:
        return raw.TensorListGather(
            input_handle=self.flow,
            indices=indices,
            element_shape=shape_input(self.element_shape),
            element_dtype=self.dtype,
            name=name,
        )

    def concat(self, name: str | None) -> Any:
        shape = self.element_shape
        if shape.rank == 0:
            raise ValueError("Shapes must be equal rank, but are 1 and 0")
        if shape.rank:
            shape = TensorShape([None]).concatenate(shape[1:])
        leading = convert_to_tensor([], dtype="int64", name="Const")
        return raw.TensorListConcatV2(
            input_handle=self.flow,
            element_shape=shape_input(shape),
            leading_dims=leading,
            element_dtype=self.dtype,
            name=name,
        )[0]

    def unstack(self, value: object, name: str | None) -> GraphArray:
        with name_scope(name, "TensorArrayUnstack"):
            tensor = self._value(value)
            rows = tensor.shape[1:] if tensor.shape.rank != 0 else TensorShape([])
            self._learn(rows)
            flow = raw.TensorListFromTensor(tensor=tensor, element_shape=shape_input(rows))
        return self.with_flow(flow)

    def scatter(self, indices: object, value: object, name: str | None) -> GraphArray:
        with name_scope(name, "TensorArrayScatter"):
            tensor = self._value(value)
            self._learn(tensor.shape[1:])
            flow = raw.TensorListScatterIntoExistingList(input_handle=self.flow, tensor=tensor, indices=indices)
        return self.with_flow(flow)

    def split(self, value: object, lengths: Any, name: str | None) -> GraphArray:
        with name_scope(name, "TensorArraySplit"):
            tensor = self._value(value)
            sizes = cast(lengths, "int64")
            known_sizes = static_value(sizes)
            if (
                tensor.shape.rank
                and known_sizes is not None
                and known_sizes.ndim == 1
                and len(set(known_sizes.tolist())) == 1
            ):
                self._learn(TensorShape([int(known_sizes[0])]).concatenate(tensor.shape[1:]))
            flow = raw.TensorListSplit(
                tensor=tensor, element_shape=shape_input(self.element_shape), lengths=sizes, name=name
            )
        return self.with_flow(flow)

    def size(self, name: str | None) -> Any:
        if not self.dynamic_size and self.known_size is not None:
            return convert_to_tensor(self.known_size, dtype="int32")
        return raw.TensorListLength(input_handle=self.flow, name=name)

    def identity(self) -> GraphArray:
        return self.with_flow(raw.Identity(input=self.flow))

    def close(self, name: str | None) -> Any:
        return None if state.graph is None else raw.NoOp(name=name)

    def grad(self, source: str, flow: object, name: str | None) -> Any:
        raise NotImplementedError

    def as_list(self) -> Any:
        """Returns the list tensor."""
        return self.flow

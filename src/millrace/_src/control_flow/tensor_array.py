"""`tf.TensorArray`: an array of tensors that a loop writes element by element.

In eager mode the array holds Python's references to its elements (`eager_array`); in a graph the array represents a
list tensor (`graph_array`). In both modes the array is a composite tensor with that list as its one component, so that
arrays pass through loops, branches and functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.control_flow.eager_array import EagerArray
from millrace._src.control_flow.graph_array import GraphArray
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, as_dtype, variant
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_spec_registry import register
from millrace._src.core.type_specs import TypeSpec
from millrace._src.core.wire_forms import wire_form
from millrace._src.util.export import export


@export("TensorArray")
class TensorArray(CompositeTensor):
    """An array of tensors, written and read by index, also inside loops.

    >>> ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    >>> ta = ta.write(0, 10.).write(1, 20.).write(2, 30.)
    >>> ta.read(1).numpy().item(), ta.stack().numpy().tolist()
    (20.0, [10.0, 20.0, 30.0])

    Use what `write`, `unstack`, `scatter` and `split` return: in a graph they do not change the array itself.
    """

    __slots__ = ("_implementation", "__weakref__")
    _implementation: Any

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        """Creates an array, or one around a list tensor.

        Args:
          dtype: the dtype of the elements.
          size: the number of elements; an int or a scalar int32 Tensor.
          dynamic_size: whether writing past the end makes the array longer.
          clear_after_read: whether an element can be read only once; True by default, in eager mode only.
          tensor_array_name: accepted for compatibility.
          handle: not supported: the handle of the array of an old graph.
          flow: a scalar Tensor of dtype variant to make the array of.
          infer_shape: whether all elements must have the shape of the first one.
          element_shape: the static shape of the elements, as far as it is known.
          colocate_with_first_write_call: accepted for compatibility.
          name: name of the operation in a graph.

        Raises:
          ValueError: if neither `size` nor `flow` is given, or `handle` is in eager mode.
          TypeError: if `flow` is not a Tensor of dtype variant.
        """
        dtype, shape = as_dtype(dtype), as_shape(element_shape)
        is_list = isinstance(flow, Tensor) and flow.dtype is variant
        if state.graph is None and not is_list:
            if handle is not None:
                raise ValueError("TensorArray handles are not supported when eager execution is enabled.")
            if size is None:
                raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
            clear = True if clear_after_read is None else clear_after_read
            self._implementation = EagerArray(dtype, size, bool(dynamic_size), clear, infer_shape, shape)
            return
        assert handle is None
        if flow is None:
            if size is None:
                raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
            self._implementation = GraphArray.reserve(dtype, size, dynamic_size, infer_shape, shape, name)
            return
        assert size is None
        if not is_list:
            found = flow.dtype if isinstance(flow, Tensor) else type(flow)
            raise TypeError(f"Expected `flow` to be a variant tensor, but received `{found!s}` instead.")
        self._implementation = GraphArray(dtype, flow, None, dynamic_size, infer_shape, [shape])

    # --- what is known -------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        dtype: DType = self._implementation.dtype
        return dtype

    @property
    def flow(self) -> Any:
        """The list tensor in a graph; a constant in eager mode."""
        return self._implementation.flow

    @property
    def handle(self) -> None:
        """None: the handle of the arrays of old graphs."""
        return None

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of the elements."""
        shape: TensorShape = self._implementation.element_shape
        return shape

    @property
    def dynamic_size(self) -> Any:
        """Whether writing past the end makes the array longer."""
        return self._implementation.dynamic_size

    @property
    def _infer_shape(self) -> bool:
        return bool(self._implementation.infer_shape)

    # --- elements ------------------------------------------------------------------------------------------------

    def _after(self, implementation: object) -> TensorArray:
        """Returns the array with another implementation, or this array if the implementation is the same."""
        if implementation is self._implementation:
            return self
        return _around(implementation)

    def write(self, index: object, value: object, name: str | None = None) -> TensorArray:
        """Writes an element.

        Args:
          index: an int or int32 scalar.
          value: the element, of the array's dtype.
          name: name of the operation in a graph.

        Returns: The array with that element.
        Raises:
          ValueError: if the shape of `value` is not that of the elements.
          tf.errors.OutOfRangeError: if `index` is out of range, in eager mode; InvalidArgumentError in a graph.
        """
        return self._after(self._implementation.write(index, value, name))

    def read(self, index: object, name: str | None = None) -> Tensor:
        """Reads the element at an index; zeros if nothing was written and the shape is known.

        Args:
          index: an int or int32 scalar.
          name: name of the operation in a graph.

        Raises:
          tf.errors.InvalidArgumentError: in eager mode if the element was read before and `clear_after_read`.
          tf.errors.OutOfRangeError: if `index` is out of range, in eager mode; InvalidArgumentError in a graph.
        """
        element: Tensor = self._implementation.read(index, name)
        return element

    def stack(self, name: str | None = None) -> Tensor:
        """Stacks the elements along a new first axis.

        >>> tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]]).stack().numpy().tolist()
        [[1, 2], [3, 4]]
        """
        elements: Tensor = self._implementation.stack(name)
        return elements

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Stacks the elements at `indices`, an int32 vector, along a new first axis."""
        elements: Tensor = self._implementation.gather(indices, name)
        return elements

    def concat(self, name: str | None = None) -> Tensor:
        """Joins the elements along their first axis."""
        elements: Tensor = self._implementation.concat(name)
        return elements

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Makes an array of the rows of `value`.

        Raises: ValueError: if there are more rows than the array has elements, in eager mode.
        """
        return self._after(self._implementation.unstack(value, name))

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Returns the array with the rows of `value` at `indices`."""
        return self._after(self._implementation.scatter(indices, value, name))

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Makes an array of consecutive pieces of `value`, of the given lengths along the first axis."""
        return self._after(self._implementation.split(value, lengths, name))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements as an int32 scalar."""
        count: Tensor = self._implementation.size(name)
        return count

    def identity(self) -> TensorArray:
        """Returns the same array; in a graph, after the control dependencies of the current scope."""
        return self._after(self._implementation.identity())

    def close(self, name: str | None = None) -> Any:
        """Drops the elements in eager mode."""
        return self._implementation.close(name)

    def grad(self, source: str, flow: TensorLike | None = None, name: str | None = None) -> Any:
        """Refuses: gradients flow through the array's operations.

        Raises: NotImplementedError: always.
        """
        return self._implementation.grad(source, flow, name)

    def mark_used(self) -> None:
        """Does nothing: an unused result is not reported."""

    # --- as a composite ------------------------------------------------------------------------------------------

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec.from_value(self)

    def _nest_components(self) -> list[Any]:
        return [self._implementation.as_list()]

    def _nest_rebuild(self, components: Any) -> TensorArray:
        """Returns the array around another list; in a graph the facts about size and shape stay."""
        if isinstance(self._implementation, GraphArray):
            return _around(self._implementation.with_flow(components[0]))
        rebuilt: TensorArray = self._type_spec._from_components(components)
        return rebuilt


def _around(implementation: object) -> TensorArray:
    array = TensorArray.__new__(TensorArray)
    array._implementation = implementation
    return array


@register("tf.TensorArraySpec")
@wire_form("TENSOR_ARRAY_SPEC")
@export("TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """Describes a `tf.TensorArray`.

    >>> tf.TensorArraySpec([None, 2], tf.int32)
    TensorArraySpec(TensorShape([None, 2]), tf.int32, False, True)
    """

    __slots__ = ("_element_shape", "_dtype", "_dynamic_size", "_infer_shape")

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = "float32",
        dynamic_size: bool | None = False,
        infer_shape: bool = True,
    ) -> None:
        """Creates the spec.

        Args:
          element_shape: the static shape of the elements, as far as it is known.
          dtype: the dtype of the elements.
          dynamic_size: whether writing past the end makes the array longer.
          infer_shape: whether all elements have the shape of the first one.
        """
        self._element_shape = as_shape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type[TensorArray]:
        """`tf.TensorArray`."""
        return TensorArray

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """Returns the spec of an array.

        Raises: TypeError: if the value is none.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Returns whether an array could be described by both this spec and `spec_or_value`."""
        other = spec_or_value._type_spec if isinstance(spec_or_value, TensorArray) else spec_or_value
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype is other._dtype
            and bool(self._dynamic_size) == bool(other._dynamic_size)
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], variant)]

    def _to_components(self, value: TensorArray) -> list[Any]:
        return value._nest_components()

    def _from_components(self, components: Sequence[Any]) -> TensorArray:
        shapes = [self._element_shape]
        return _around(GraphArray(self._dtype, components[0], None, self._dynamic_size, self._infer_shape, shapes))

"""`VariableSpec`: the trace type of a `tf.Variable` argument.

A trace serves any variables of the same dtype and shape in the same pattern of identity. `f(v, v)` is another trace
than `f(v, w)`, since in `f(v, v)` an assignment to one argument is seen through the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import register_type_spec_from_value_converter
from millrace._src.core.wire_forms import wire_form


def tell_of_variable(variable: Any) -> None:
    """Notifies tapes and the function being traced that a variable is used."""
    if variable.trainable:
        for tape in state.tapes:
            tape.variable_accessed(variable)
    if state.graph is not None and state.graph.building_function:
        state.graph.watch_variable(variable)


@wire_form("VARIABLE_SPEC")
class VariableSpec(TypeSpec):
    """Dtype, shape, trainability, and the variable's number among the different variables of the call."""

    __slots__ = ("shape", "dtype", "trainable", "alias_id")

    def __init__(
        self, shape: object, dtype: object = "float32", trainable: bool = True, alias_id: int | None = None
    ) -> None:
        self.shape: TensorShape = as_shape(shape)
        self.dtype: DType = as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    _variable_class: ClassVar[Any] = None
    _make: ClassVar[Callable[[Any, VariableSpec], Any]]

    @classmethod
    def describes(cls, variable_class: type, make: Callable[[Any, VariableSpec], Any]) -> None:
        """Makes this class the spec of the values of another class; said once, by the module of `tf.Variable`.

        Args:
          variable_class: The class of variables.
          make: Makes a variable of a handle and a spec.
        """
        cls._variable_class = variable_class
        cls._make = staticmethod(make)
        register_type_spec_from_value_converter(variable_class, cls.of)

    @classmethod
    def of(cls, variable: Any, context: Any = None) -> VariableSpec:
        """Returns the spec of a variable; `context` numbers the variables of a call."""
        alias = None if context is None else context.alias_global_id(id(variable.handle))
        return cls(variable.shape, variable.dtype, bool(variable.trainable), alias)

    @classmethod
    def from_value(cls, value: object) -> VariableSpec:
        """Returns the spec of a variable.

        Raises: TypeError: if the value is not a variable.
        """
        if not is_variable(value):
            raise TypeError(f"VariableSpec.from_value needs a tf.Variable; received {value!r}.")
        return cls.of(value)

    @property
    def value_type(self) -> Any:
        """`tf.Variable`."""
        return self._variable_class

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(TensorShape.of(()), as_dtype("resource"))

    def _to_components(self, value: Any) -> Any:
        return value.handle

    def _from_components(self, components: object) -> Any:
        is_handle = isinstance(components, Tensor) and components.dtype.is_resource
        return VariableSpec._make(components, self) if is_handle else components

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether a variable or spec has the same dtype, trainability and a compatible shape."""
        return (
            self.shape.is_compatible_with(spec_or_value.shape)
            and self.dtype is spec_or_value.dtype
            and self.trainable == spec_or_value.trainable
        )

    def is_subtype_of(self, other: object) -> bool:
        return isinstance(other, VariableSpec) and self._key() == other._key() and self.shape.is_subtype_of(other.shape)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        if not all(isinstance(other, VariableSpec) and self._key() == other._key() for other in others):
            return None
        shape = self.shape.most_specific_common_supertype([other.shape for other in others])
        return None if shape is None else VariableSpec(shape, self.dtype, self.trainable, self.alias_id)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        if placeholder_context.has_placeholder(self.alias_id):
            return placeholder_context.get_placeholder(self.alias_id)
        return self

    def to_tensors(self, value: Any) -> list[Any]:
        tell_of_variable(value)
        return [value.handle]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return self._from_components(next(tensors))

    def flatten(self) -> list[Any]:
        return [TensorSpec(TensorShape.of(()), as_dtype("resource"))]

    def cast(self, value: object, cast_context: object) -> Any:
        if not is_variable(value):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        mine = VariableSpec(value.shape, value.dtype, bool(value.trainable), self.alias_id)
        if not mine.is_subtype_of(self):
            raise TypeError(f"Can not cast {mine!r} to {self!r}")
        return value

    def _key(self) -> tuple[Any, ...]:
        return self.dtype, self.trainable, self.alias_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariableSpec) and self._key() == other._key() and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape, self.trainable, self.alias_id))

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )

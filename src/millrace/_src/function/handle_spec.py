"""`HandleSpec`: the trace type of a handle in a graph whose referent's type is known.

Problem: a list or the handle of a variable that one function passes to another is a scalar to `TensorSpec`. The trace
of the callee would not know the shapes of the values that it reads through the handle.

Idea: the handle's type is part of the trace type, so each type of referent has its own trace, whose placeholder carries
the handle type. Eager handles keep a `TensorSpec`, as in TensorFlow: one trace serves all eager handles.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.handle_types import HandleType
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.core.type_specs import TypeSpec


class HandleSpec(TypeSpec):
    """The spec of a handle, and the type of what the handle refers to."""

    __slots__ = ("tensor", "handle_type")

    def __init__(self, tensor: TensorSpec, handle_type: HandleType) -> None:
        self.tensor = tensor
        self.handle_type = handle_type

    @property
    def value_type(self) -> Any:
        """`tf.Tensor`."""
        return Tensor

    def _serialize(self) -> tuple[Any, ...]:
        return self.tensor, self.handle_type

    @property
    def _component_specs(self) -> TensorSpec:
        return self.tensor

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: object) -> Any:
        """Returns the handle; a placeholder, which refers to nothing yet, is told the type of its referent."""
        if isinstance(components, SymbolicTensor):
            components.handle_type = self.handle_type
        return components

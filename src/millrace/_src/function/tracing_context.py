"""`TracingContext`: the state that the trace types of one call share while they are made.

The context numbers the objects of the call, so that `f(v, v)` and `f(v, w)` differ, and makes the types of tensors and
variables for the `__tf_tracing_type__` of other objects.

Tests: tests/function/test_tracing.py
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.function.handle_spec import HandleSpec
from millrace._src.state.variable_spec import VariableSpec
from millrace._src.util.export import export


@export("types.experimental.TracingContext")
class TracingContext:
    """The context in which one call's trace types are made; numbers the objects of the call.

    Two calls `f(v, v)` and `f(v, w)` with equal variables are told apart by these numbers.
    """

    def __init__(self, is_legacy_signature: bool = False, of_arguments: bool = False) -> None:
        self._local_ids: dict[Hashable, int] = {}
        self._values: dict[Hashable, Any] = {}
        self.is_legacy_signature = is_legacy_signature
        self._of_arguments = of_arguments

    def alias_global_id(self, global_id: Hashable) -> int:
        """Returns the number of the object `global_id` within this call: 0 for the first object, and so on."""
        return self._local_ids.setdefault(global_id, len(self._local_ids))

    def add_placeholder(self, alias_id: Hashable, value: TensorLike) -> None:
        """Notes the object that represents `alias_id` while tracing."""
        self._values[alias_id] = value

    def get_placeholder_mapping(self) -> dict[Hashable, Any]:
        """Returns the objects noted by `add_placeholder`."""
        return self._values

    def make_tensor_type(self, tensor: TensorLike) -> Any:
        """Returns the trace type of a tensor; for a handle in a graph that is an argument, with its handle type."""
        spec = tensor_type(tensor)
        if not self._of_arguments or not isinstance(tensor, SymbolicTensor) or tensor.handle_type is None:
            return spec
        return HandleSpec(spec, tensor.handle_type)

    def make_variable_type(self, variable: object) -> VariableSpec:
        """Returns the trace type of a variable."""
        return VariableSpec.of(variable, self)


def tensor_type(tensor: Any) -> Any:
    """Returns the `TensorSpec` of a tensor, without the tensor's name."""
    return TensorSpec(tensor.shape, tensor.dtype)

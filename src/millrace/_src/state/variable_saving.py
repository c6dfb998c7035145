"""How a checkpoint saves and restores a variable: one tensor, under the name "VARIABLE_VALUE"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.restoration import VARIABLE_VALUE_KEY


class VariableSaving(Trackable):
    """The part of `tf.Variable` that checkpoints use."""

    shape: Any
    name: Any
    read_value: Any
    assign: Any

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: self}

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {VARIABLE_VALUE_KEY: self.read_value()}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        """Assigns the saved value.

        Raises: ValueError: if the value has a shape that the variable cannot have.
        """
        tensor = restored_tensors[VARIABLE_VALUE_KEY]
        shape: TensorShape = self.shape
        if not shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {tensor.shape} when attempting to restore variable with "
                f"shape {shape} and name {self.name}."
            )
        if not isinstance(tensor, EagerTensor):
            return self.assign(tensor, read_value=False)  # the restoration is itself a part of the graph
        with init_scope():  # a variable may meet its saved value while a function is traced
            return self.assign(tensor, read_value=False)

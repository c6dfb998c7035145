"""How files hold a variable.

In a checkpoint a variable is one tensor, under the name "VARIABLE_VALUE". In a SavedModel it is that, a message with
what is known of the variable, and a variable without a value in the graph.

Tests: tests/compat_v1/test_imported_variables.py, tests/checkpoint/test_checkpoint.py
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.state.graph_variables import make_uninitialized_in_graph
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.deferred_restoration import VARIABLE_VALUE_KEY


class VariableSaving(Trackable):
    """The part of `tf.Variable` that checkpoints use."""

    aggregation: Any
    assign: Any
    device: Any
    dtype: Any
    handle: Any
    name: Any
    read_value: Any
    shape: Any
    synchronization: Any
    trainable: Any
    _shared_name: Any

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

    # --- SavedModels -------------------------------------------------------------------------------------------

    def _export_to_saved_model_graph(
        self, object_map: Any, tensor_map: Any, options: Any, **kwargs: object
    ) -> list[Any]:
        """Adds a variable without a value to the graph of a SavedModel."""
        del kwargs
        saves_device = options.experimental_variable_policy.saves_devices
        with state.graph.device(self.device) if saves_device else contextlib.nullcontext():
            duplicate = make_uninitialized_in_graph(self)
        object_map[self] = duplicate
        tensor_map[self.handle] = duplicate.handle
        return [self.handle]

    def _write_object_proto(self, proto: Any, options: Any) -> None:
        """States dtype, shape, name and traits."""
        message = proto.variable
        message.name = self._shared_name
        message.dtype = self.dtype.as_datatype_enum
        message.shape.CopyFrom(self.shape.as_proto())
        message.trainable = self.trainable
        message.synchronization = self.synchronization.value
        message.aggregation = self.aggregation.value
        if options.experimental_variable_policy.saves_devices:
            message.device = self.device

    def _copy_trackable_to_cpu(self, object_map: Any) -> None:
        """Puts a variable with the same value into `object_map`, or assigns the value to the variable there."""
        if self in object_map:
            object_map[self].assign(self.read_value())
        else:
            object_map[self] = copy.deepcopy(self)

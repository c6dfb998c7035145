"""The Python objects of a SavedModel that are loaded: what replaces objects whose class is unknown here.

A user object is a plain object with its children as attributes, and can be called if `__call__` was saved. A resource
is made, filled and let go of by functions that were saved. Tables of older files hold functions that hand out and take
their contents.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.errors import DataLossError
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.message_bytes import dtype_of_number
from millrace._src.graph.scopes import device
from millrace._src.state.asset import Asset
from millrace._src.state.resource import CapturableResource, TrackableResource
from millrace._src.state.variable import Variable, make_uninitialized_variable
from millrace._src.state.variable_traits import VariableAggregation, VariableSynchronization
from millrace._src.trackable.auto import AutoTrackable
from millrace._src.trackable.saveable_object import SaveableObject, SaveSpec

ALL_TENSORS = ".TENSORS"
"""The name of the part of an object that gives all its tensors by name."""


class SavedBySavedFunctions(AutoTrackable):
    """An object whose contents functions of the SavedModel hand out and take back."""

    _saving_functions: Mapping[str, tuple[Any, Any]] = {}
    """By the name of the saved part, the functions that save and restore it."""

    def set_saving_functions(self, functions: Mapping[str, tuple[Any, Any]]) -> None:
        """Says which functions save and restore each part."""
        object.__setattr__(self, "_saving_functions", functions)  # not as children

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            part: functools.partial(RestoredSaveable, self, save, restore)
            for part, (save, restore) in self._saving_functions.items()
        }


class RestoredSaveable(SaveableObject):
    """The contents of an object, handed out and taken back by functions of the SavedModel.

    Args:
      owner: the object.
      save: from the key of the contents to a list of dicts with `name`, `slice_spec` and `tensor`.
      restore: takes the tensors.
      name: the key.
    """

    def __init__(self, owner: Any, save: Callable[..., Any], restore: Callable[..., Any], name: str) -> None:
        specs = [
            SaveSpec(part["tensor"], _text_of(part["slice_spec"]), _text_of(part["name"]), part["tensor"].dtype)
            for part in save(convert_to_tensor(name, string))
        ]
        super().__init__(owner, specs, name)
        self._restore = restore

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Takes over the saved tensors, one for each spec."""
        del restored_shapes
        return self._restore(*restored_tensors)


def _text_of(tensor: Any) -> str:
    return str(tensor.numpy().decode())


class _UserObject(SavedBySavedFunctions):
    """An object with its saved children as attributes; its name is TensorFlow's."""


class _Callable:
    """What an object has that was saved with a function `__call__`."""

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.__dict__["__call__"](*args, **kwargs)


class GivesTensorsByName(SavedBySavedFunctions):
    """What an object has that gave its tensors by name: one function returns them all, another takes them back."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return dict(self._saving_functions[ALL_TENSORS][0]())

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        return self._saving_functions[ALL_TENSORS][1](dict(restored_tensors))


@functools.cache  # finite: two facts
def user_object_class(is_callable: bool, gives_tensors_by_name: bool) -> type[_UserObject]:
    """Returns the class of user objects that can do what was saved."""
    bases = (_Callable,) * is_callable + (GivesTensorsByName,) * gives_tensors_by_name + (_UserObject,)
    return _UserObject if bases == (_UserObject,) else type("_UserObject", bases, {})


class RestoredOptimizer(_UserObject):
    """An optimizer as a plain object, with the variables that it has for each variable of a model."""

    _slots: dict[str, dict[int, Any]]

    def __init__(self) -> None:
        object.__setattr__(self, "_slots", {})  # not as children

    def add_slot(self, variable: object, slot_name: str, slot: object) -> None:
        """Notes the optimizer's variable of a kind, such as "momentum", for a variable of the model."""
        self._slots.setdefault(slot_name, {})[id(variable)] = slot

    def get_slot(self, variable: object, slot_name: str) -> Any:
        """Returns the optimizer's variable of a kind for a variable of the model; None if there is none."""
        return self._slots.get(slot_name, {}).get(id(variable))

    def get_slot_names(self) -> list[str]:
        """Returns the kinds of variables that the optimizer has."""
        return list(self._slots)


class RestoredResource(TrackableResource, SavedBySavedFunctions):
    """A resource, such as a table, that functions of the SavedModel make, fill and let go of.

    The three functions are attributes of the object, by the names of the methods that they were.
    """

    def _create_resource(self) -> Any:
        raise DataLossError(None, None, "A resource of the SavedModel came without a function `_create_resource`.")


@dataclass(frozen=True)
class CapturedTensor:
    """A tensor of one function's graph that another function reads: what the gradient of a call reads of the call.

    Attributes:
      name: the name of the tensor.
      function: the name of the function in the file.
    """

    name: str
    function: str


def make_variable(proto: Any, keeps_device: bool) -> Variable:
    """Makes a variable without value.

    Args:
      proto: the `SavedVariable` message.
      keeps_device: whether the variable is made on the device that the message names.

    Raises: ValueError: if the message names no dtype, or unknown traits.
    """
    with device(proto.device if keeps_device and proto.device else None):
        return make_uninitialized_variable(
            TensorShape(proto.shape),
            dtype_of_number(proto.dtype, f"The variable {proto.name!r}"),
            proto.name or None,
            trainable=proto.trainable,
            synchronization=VariableSynchronization(proto.synchronization),
            aggregation=VariableAggregation(proto.aggregation),
        )


def captured_tensor(captured: object) -> Tensor:
    """Returns the tensor that functions get for an object of the SavedModel.

    Raises: ValueError: if functions cannot capture an object of its class.
    """
    if isinstance(captured, Tensor):
        return captured
    if is_variable(captured):
        return cast(Tensor, captured.handle)
    if isinstance(captured, Asset):
        return cast(Tensor, captured.asset_path)
    if isinstance(captured, CapturableResource):
        return cast(Tensor, captured.resource_handle)
    raise ValueError(f"A function of the SavedModel captures a {type(captured).__name__}, which has no tensor.")

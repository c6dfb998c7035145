"""What a `Saver` saves: variables, parts of variables, and objects that say themselves what there is to save.

Each is a `SaveableObject`: tensors with their keys, and a method that takes the tensors back.

Tests: tests/compat_v1/train/test_saver.py
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from millrace._src.compat_v1.variables.collections import get_collection
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.partitioned_variable import PartitionedVariable
from millrace._src.core import context
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.scopes import device
from millrace._src.ops import raw
from millrace._src.state.variable import Variable
from millrace._src.trackable.saveable_object import SaveableObject, SaveSpec

_CPU = "/device:CPU:0"


class VariableSaveable(SaveableObject):
    """A variable, or a part of one.

    Args:
      variable: The variable.
      name: The key.
      slice_spec: The part as text; "" for a variable that is a whole.
    """

    def __init__(self, variable: Any, name: str, slice_spec: str = "") -> None:
        read = functools.partial(_value_of, variable, bool(slice_spec))
        super().__init__(variable, [SaveSpec(read, slice_spec, name, variable.dtype, variable.device)], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Assigns the saved value; returns the operation."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = raw.Reshape(tensor=value, shape=restored_shapes[0])
        with device(self.op.device or None):
            return raw.AssignVariableOp(resource=self.op.handle, value=raw.Identity(input=value))


def _value_of(variable: Any, is_part: bool) -> Any:
    """Returns the value to save: in a graph the variable's own read, and of a part another one."""
    if context.executing_eagerly():
        return variable.read_value()
    if not is_part and variable._graph_element is not None:
        return variable._graph_element
    with context.name_scope("Read"):
        raw.DisableCopyOnRead(resource=variable.handle)
        value = raw.ReadVariableOp(resource=variable.handle, dtype=variable.dtype)
    value = raw.Identity(input=value)
    with device(_CPU):
        return raw.Identity(input=value)


def all_saveables() -> list[Any]:
    """Lists what the default graph has to save: global variables, and other objects that say so."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES) + get_collection(GraphKeys.SAVEABLE_OBJECTS)


def saveables_of(var_list: object) -> list[SaveableObject]:
    """Returns what is saved, in the order of the names.

    Args: var_list: Variables and other objects in a list, or a dictionary of them by name.
    Raises:
      TypeError: If something cannot be saved.
      ValueError: If two objects have one name, or one object two names.
    """
    named = dict(var_list) if isinstance(var_list, Mapping) else _by_name(var_list)
    found: list[SaveableObject] = []
    owners: set[int] = set()
    for name in sorted(named):
        for saveable in _saveables(name, named[name]):
            if id(saveable.op) in owners:
                raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
            owners.add(id(saveable.op))
            found.append(saveable)
    return found


def _by_name(items: object) -> dict[str, Any]:
    """Returns objects by their names.

    Raises:
      TypeError: If something cannot be saved.
      ValueError: If two have one name.
    """
    if not isinstance(items, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {items}")
    named: dict[str, Any] = {}
    parts: dict[str, list[Any]] = {}
    for item in _sort(items):
        name = _name_of(item)
        if isinstance(item, Variable) and item._save_slice_info is not None:
            parts.setdefault(item._save_slice_info.full_name, []).append(item)
            continue
        if name in named:
            raise ValueError(f"At least two variables have the same name: {name}")
        named[name] = item
    for name in parts:
        if name in named:
            raise ValueError(f"At least two variables have the same name: {name}")
    return {**named, **parts}


def _sort(items: Iterable[Any]) -> list[Any]:
    return sorted(items, key=_name_of)


def _name_of(item: object) -> str:
    """Returns the key of an object.

    Raises: TypeError: for what cannot be saved.
    """
    if isinstance(item, (PartitionedVariable, SaveableObject)):
        return item.name
    if isinstance(item, Variable):
        return str(item._shared_name)
    raise TypeError(f"Variable to save is not a Variable: {item}")


def _saveables(name: str, item: object) -> list[SaveableObject]:
    """Returns what is saved under a name.

    Raises: TypeError: if it cannot be saved.
    """
    if isinstance(item, SaveableObject):
        return [item]
    if isinstance(item, (PartitionedVariable, list, tuple)):
        return [VariableSaveable(part, name, part._save_slice_info.spec) for part in item]
    if isinstance(item, Variable):
        return [VariableSaveable(item, name, "" if item._save_slice_info is None else item._save_slice_info.spec)]
    if isinstance(item, (SymbolicTensor, Operation)):
        raise TypeError(
            f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {item}"
        )
    raise TypeError(f"Variable to save is not a Variable: {item}")

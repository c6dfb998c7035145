"""Which tensors a checkpoint takes of one object, and under which keys.

Problem: classes say so by three protocols. `_serialize_to_tensors` gives tensors by name; tables and iterators have
names that belong to one attribute; old classes hand out `SaveableObject`s.

Idea: all three become `SavedAttribute`s: a name, a key, and the tensors whose keys begin with that key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from millrace._src.core.resources import is_variable
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.deferred_restoration import VARIABLE_VALUE_KEY
from millrace._src.trackable.saveable_object import SaveableObject, SaveSpec
from millrace._src.util.class_table import ClassTable


@dataclass(frozen=True, slots=True)
class KeyedTensor:
    """A tensor, or a function that returns it, with its key and the part of a larger tensor that it is."""

    key: str
    value: Any
    slice_spec: str = ""


@dataclass(frozen=True, slots=True)
class SavedAttribute:
    """An entry of an object in the message of a checkpoint, and the tensors that belong to the entry."""

    name: str
    key: str
    tensors: list[KeyedTensor]


def attributes_of(trackable: Any, key_of: Callable[[str], str]) -> Iterator[SavedAttribute]:
    """Yields what a checkpoint takes of an object itself.

    Args:
      trackable: the object.
      key_of: gives the key for the name of an attribute.
    """
    if serializes_to_tensors[type(trackable)]:
        yield from _from_tensors(trackable, key_of)
        return
    for name, part in trackable._gather_saveables_for_checkpoint().items():
        yield _from_saveable(trackable, name, part, key_of(name))


def has_values(trackable: Any) -> bool:
    """Returns whether a checkpoint takes anything of an object itself."""
    if serializes_to_tensors[type(trackable)]:
        return is_variable(trackable) or bool(trackable._serialize_to_tensors())
    return bool(trackable._gather_saveables_for_checkpoint())


def _from_tensors(trackable: Any, key_of: Callable[[str], str]) -> Iterator[SavedAttribute]:
    values = trackable._serialize_to_tensors()
    together = trackable._saved_together
    if together is None:
        for name, value in values.items():
            key = key_of(name)
            yield SavedAttribute(name, key, list(_parts(key, value)))
    else:
        key = key_of(together.name)
        yield SavedAttribute(together.name, key, [KeyedTensor(key + name, value) for name, value in values.items()])


def _parts(key: str, value: object) -> Iterator[KeyedTensor]:
    """Yields the tensor of a name, or several that are parts of a larger one: `{"4 0,2": first, "4 2,2": second}`."""
    if isinstance(value, Mapping):
        for slice_spec, part in value.items():
            yield KeyedTensor(key, part, slice_spec)
    elif isinstance(value, SaveSpec):
        yield KeyedTensor(key, value.tensor, value.slice_spec)
    else:
        yield KeyedTensor(key, value)


def saveable_of(trackable: object, name: str, part: object, key: str) -> SaveableObject | Any:
    """Returns what `_gather_saveables_for_checkpoint` names as a `SaveableObject` for a key, or as a variable.

    Raises: AssertionError: if the saveable object was made for another key.
    """
    saveable = part(name=key) if callable(part) and not is_variable(part) else part
    if isinstance(saveable, SaveableObject) and key not in saveable.name:
        raise AssertionError(
            f"The object {trackable} produced a SaveableObject with name '{saveable.name}' for attribute '{name}'. "
            f"Expected a name containing '{key}'."
        )
    return saveable


def _from_saveable(trackable: object, name: str, part: object, key: str) -> SavedAttribute:
    saveable = saveable_of(trackable, name, part, key)
    if isinstance(saveable, SaveableObject):
        tensors = [KeyedTensor(spec.name, spec.tensor, spec.slice_spec) for spec in saveable.specs]
        return SavedAttribute(name, key, tensors)
    return SavedAttribute(name, key, [KeyedTensor(key, _value_of(trackable, saveable))])


def _value_of(trackable: object, value: object) -> Any:
    variable: Any = value
    return variable._serialize_to_tensors()[VARIABLE_VALUE_KEY] if is_variable(value) else value


def _overrides(name: str) -> Callable[[type], bool]:
    """Returns a function that returns whether a class, or one between it and `Trackable`, defines a method."""
    original = getattr(Trackable, name)
    return lambda cls: getattr(cls, name, original) is not original


serializes_to_tensors: ClassTable[bool] = ClassTable(_overrides("_serialize_to_tensors"))
"""Whether instances of a class give their tensors by `_serialize_to_tensors`."""

has_slots: ClassTable[bool] = ClassTable(_overrides("_create_or_restore_slot_variable"))
"""Whether instances of a class keep slot variables for other variables."""

"""What an object wants of a checkpoint, and how it takes what it wants.

Problem: the names that the object's class knows and the attributes that the checkpoint has need not be the same.

Idea: a `RestoreSpec` lists the keys to read for one object. Attributes that the class does not know are listed as
unused; a name that the checkpoint lacks becomes a key that is not in the file, which the reader reports.

Tests: tests/checkpoint/test_saved_attributes.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from millrace._src.checkpoint.saved_attributes import saveable_of, serializes_to_tensors
from millrace._src.checkpoint.value_reading import Want
from millrace._src.core.resources import is_variable
from millrace._src.trackable.deferred_restoration import VARIABLE_VALUE_KEY
from millrace._src.trackable.deferred_storage import deferred_storage
from millrace._src.trackable.saveable_object import SaveableObject


@dataclass(slots=True)
class RestoreSpec:
    """An object that takes values.

    Attributes:
      trackable: the object.
      wants: the tensors to read for the object.
      take: takes the tensors, in the order of `wants`; returns what does so in a graph.
      unused: the names of the saved attributes that the object does not know.
    """

    trackable: Any
    wants: list[Want] = field(default_factory=list)
    take: Callable[[Sequence[Any]], Any] = len
    unused: list[str] = field(default_factory=list)


def restore_spec_of(trackable: Any, attributes: Mapping[str, str]) -> RestoreSpec:
    """Returns the restore spec of an object.

    Args:
      trackable: the object.
      attributes: the keys of the saved attributes, by name.
    """
    if not attributes:
        return RestoreSpec(trackable)
    if not serializes_to_tensors[type(trackable)]:
        return _spec_of_saveables(trackable, attributes)
    if trackable._saved_together is not None:
        return _spec_of_together(trackable, attributes)
    return _spec_of_tensors(trackable, attributes)


def _spec_of_tensors(trackable: Any, attributes: Mapping[str, str]) -> RestoreSpec:
    names, slices = _names_and_slices(trackable)
    path = next(iter(attributes.values())).rpartition("/")[0]
    keys = [attributes.get(name, f"{path}/{name}") for name in names]
    wants = [Want(key, slice_spec) for key, name in zip(keys, names) for slice_spec in slices.get(name, ("",))]

    def take(values: Sequence[Any]) -> Any:
        remaining = iter(values)
        storage = deferred_storage(trackable)
        if storage is not None:
            return storage.set_initial_value(trackable, next(remaining))
        tensors = {
            name: {slice_spec: next(remaining) for slice_spec in slices[name]} if name in slices else next(remaining)
            for name in names
        }
        return trackable._restore_from_tensors(tensors)

    return RestoreSpec(trackable, wants, take, [name for name in attributes if name not in names])


def _names_and_slices(trackable: Any) -> tuple[Sequence[str], dict[str, Sequence[str]]]:
    """Returns the names of an object's tensors, and the parts that those names have which are saved in parts."""
    if is_variable(trackable):
        return (VARIABLE_VALUE_KEY,), {}
    tensors = trackable._serialize_to_tensors()
    slices: dict[str, Sequence[str]] = {n: list(parts) for n, parts in tensors.items() if isinstance(parts, Mapping)}
    return list(tensors), slices


def _spec_of_together(trackable: Any, attributes: Mapping[str, str]) -> RestoreSpec:
    name, endings = trackable._saved_together.name, trackable._saved_together.endings
    key = attributes.get(name, next(iter(attributes.values())).rpartition("/")[0] + "/" + name)
    return RestoreSpec(
        trackable,
        [Want(key + ending) for ending in endings],
        lambda values: trackable._restore_from_tensors(dict(zip(endings, values))),
        [other for other in attributes if other != name],
    )


def _spec_of_saveables(trackable: Any, attributes: Mapping[str, str]) -> RestoreSpec:
    parts = trackable._gather_saveables_for_checkpoint()
    restore_spec = RestoreSpec(trackable, unused=[name for name in attributes if name not in parts])
    takes: list[tuple[int, Callable[[Sequence[Any]], Any]]] = []
    for name, key in attributes.items():
        if name in parts:
            wants, take = _of_saveable(trackable, name, parts[name], key)
            restore_spec.wants += wants
            takes.append((len(wants), take))

    def take_all(values: Sequence[Any]) -> list[Any]:
        remaining = iter(values)
        return [take([next(remaining) for _ in range(count)]) for count, take in takes]

    restore_spec.take = take_all
    return restore_spec


def _of_saveable(
    trackable: object, name: str, part: object, key: str
) -> tuple[list[Want], Callable[[Sequence[Any]], Any]]:
    saveable = saveable_of(trackable, name, part, key)
    if isinstance(saveable, SaveableObject):
        wants = [Want(spec.name, spec.slice_spec) for spec in saveable.specs]
        return wants, lambda values: saveable.restore(values, restored_shapes=None)
    return [Want(key)], lambda values: saveable._restore_from_tensors({VARIABLE_VALUE_KEY: values[0]})

"""The functions by which a SavedModel saves and restores an object that is not a variable.

Problem: a loaded table has no Python code that says what a checkpoint takes of it.

Idea: the SavedModel holds two functions of the object, one that gives its tensors and one that takes them. They are
traced with the object's own methods. TensorFlow has two forms: for an attribute with a key (a table) the first function
gets the key and gives tensors with their keys; for an object with tensors by name both work with a dictionary.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from millrace._src.checkpoint.object_graph import checkpoint_key
from millrace._src.checkpoint.saved_attributes import SavedAttribute, attributes_of, saveable_of, serializes_to_tensors
from millrace._src.core.context import eager_mode
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.specs import TensorSpec
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.ops import raw
from millrace._src.saved_model.loaded_objects import ALL_TENSORS, SavedBySavedFunctions


class SaveableFunctions:
    """A pair of functions.

    Args:
      name: the name of the attribute that the two are for.
      save: gives the tensors.
      restore: takes the tensors.
      key: the key of the attribute in the checkpoint; "" where the functions work with a dictionary.
      names: the keys of that dictionary, in the order of the checkpoint.
    """

    def __init__(
        self,
        name: str,
        save: ConcreteFunction,
        restore: ConcreteFunction,
        key: str = "",
        names: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.save = save
        self.restore = restore
        self._key = key
        self._names = names
        self.tensor_count = len(self.tensors(save.structured_outputs))

    def save_arguments(self) -> list[Any]:
        """Returns the flat arguments of a call of the first function."""
        return [convert_to_tensor(self._key)] if self._key else []

    def tensors(self, result: Any) -> list[Any]:
        """Returns the tensors of a result of the first function, in the order of the checkpoint."""
        return [part["tensor"] for part in result] if self._key else [result[name] for name in self._names]

    def restore_arguments(self, tensors: Sequence[Any]) -> list[Any]:
        """Returns the flat arguments of a call of the second function, for tensors in the order of the checkpoint."""
        return list(tensors) if self._key else self.restore.tensors_of([dict(zip(self._names, tensors, strict=True))])


def saveable_functions(trackable: Any, path: str) -> list[SaveableFunctions]:
    """Returns the pairs of functions of an object at a path, in the order of what the checkpoint takes of it."""
    if isinstance(trackable, SavedBySavedFunctions):
        functions = trackable._saving_functions.items()
        return [_functions_of_loaded(name, save, restore, path) for name, (save, restore) in functions]
    with eager_mode():
        if serializes_to_tensors[type(trackable)]:
            if trackable._saved_together is None:
                return [_by_name(trackable)]
            (attribute,) = attributes_of(trackable, lambda name: checkpoint_key(path, name))
            return [_by_key(trackable, attribute, functools.partial(_restore_together, trackable))]
        parts = trackable._gather_saveables_for_checkpoint()
        return [_of_saveable(trackable, name, part, checkpoint_key(path, name)) for name, part in parts.items()]


def _functions_of_loaded(name: str, save: ConcreteFunction, restore: ConcreteFunction, path: str) -> SaveableFunctions:
    """Returns the pair of an object that was loaded: the functions of the SavedModel that it comes from."""
    if name == ALL_TENSORS:
        return SaveableFunctions(name, save, restore, names=list(save.structured_outputs))
    return SaveableFunctions(name, save, restore, key=checkpoint_key(path, name))


def _restore_together(trackable: Any, tensors: Sequence[Any]) -> None:
    trackable._restore_from_tensors(dict(zip(trackable._saved_together.endings, tensors, strict=True)))


def _by_name(trackable: Any) -> SaveableFunctions:
    """Returns the pair of an object that gives its tensors by name."""

    def save_fn() -> dict[str, Any]:
        return dict(trackable._serialize_to_tensors())

    def restore_fn(restored_tensors: dict[str, Any]) -> None:
        trackable._restore_from_tensors(dict(restored_tensors))

    save = _function(save_fn, "save_fn")
    specs = {name: TensorSpec(tensor.shape, tensor.dtype) for name, tensor in save.structured_outputs.items()}
    names = [attribute.name for attribute in attributes_of(trackable, lambda name: "")]
    return SaveableFunctions(ALL_TENSORS, save, _function(restore_fn, "restore_fn", specs), names=names)


def _by_key(trackable: Any, attribute: SavedAttribute, take: Any) -> SaveableFunctions:
    """Returns the pair of an attribute; `take` is called with the restored tensors."""

    def save_fn(checkpoint_key: object) -> list[dict[str, Any]]:
        (current,) = (a for a in attributes_of(trackable, lambda name: attribute.key) if a.name == attribute.name)
        return [_with_key(checkpoint_key, part, attribute.key) for part in current.tensors]

    save = _function(save_fn, "save_fn", TensorSpec([], string, name="checkpoint_key"))
    specs = [
        TensorSpec(None, part["tensor"].dtype, name=f"restored_tensors_{number}")
        for number, part in enumerate(save.structured_outputs)
    ]

    def restore_fn(*restored_tensors: Any) -> int:
        take(restored_tensors)
        return 1

    return SaveableFunctions(attribute.name, save, _function(restore_fn, "restore_fn", *specs), key=attribute.key)


def _with_key(key: Any, part: Any, prefix: str) -> dict[str, Any]:
    value = part.value() if callable(part.value) else part.value
    name = raw.Add(x=key, y=convert_to_tensor(part.key.removeprefix(prefix)))
    return {"name": name, "slice_spec": convert_to_tensor(part.slice_spec), "tensor": value}


def _of_saveable(trackable: object, name: str, part: object, key: str) -> SaveableFunctions:
    """Returns the pair of an attribute that an old class hands out as `SaveableObject`."""
    (attribute,) = (a for a in attributes_of(trackable, lambda _: key) if a.name == name)

    def take(tensors: Sequence[Any]) -> Any:
        return saveable_of(trackable, name, part, key).restore(list(tensors), None)

    return _by_key(trackable, attribute, take)


def _function(body: Any, name: str, *specs: Any) -> ConcreteFunction:
    return Function(body, name, FunctionOptions(autograph=False)).get_concrete_function(*specs)

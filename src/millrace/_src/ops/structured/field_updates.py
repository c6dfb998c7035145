"""`StructuredTensor.with_updates`: which fields to set, to compute anew, and to leave out, by paths of names.

Updates of fields within fields are collected by the first name of their paths, and passed to the structured tensor of
that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Path = tuple[str, ...]
_CALL = "`StructuredTensor.with_updates`"


def update_fields(structured: object, updates: Mapping[Any, Any], validate: bool) -> dict[str, Any]:
    """Returns the fields of a structured tensor after updates.

    Args:
      structured: the structured tensor.
      updates: values, functions and None, by name or path.
      validate: whether shapes are checked in graphs, too.

    Raises: ValueError: if a path is empty, does not exist, or lies within another.
    """
    by_path = {_path(name): update for name, update in updates.items()}
    _check_paths(by_path)
    return _update_fields(structured, by_path, (), validate)


def _path(name: object) -> Path:
    if isinstance(name, (list, tuple)) and all(isinstance(part, str) for part in name):
        return tuple(name)
    if not isinstance(name, str):
        raise TypeError(f"{_CALL} takes names and tuples of names as keys. Received {name!r}.")
    return (name,)


def _check_paths(updates: Mapping[Path, Any]) -> None:
    for path in updates:
        if not path:
            raise ValueError(f"{_CALL} does not allow empty names ({path},).")
    for path in sorted(updates):
        for length in range(1, len(path)):
            if path[:length] in updates:
                raise ValueError(
                    f"{_CALL} does not allow both parent and child nodes to be updated: parent={path[:length]}, "
                    f"child={path}. If needed you can update child nodes in the parent update value."
                )


def _update_fields(structured: Any, updates: Mapping[Path, Any], prefix: Path, validate: bool) -> dict[str, Any]:
    fields = dict(structured._fields)
    nested: dict[str, dict[Path, Any]] = {}
    for path in sorted(updates):
        if len(path) > 1:
            nested.setdefault(path[0], {})[path[1:]] = updates[path]
        else:
            _update(fields, path[0], updates[path], (*prefix, path[0]))
    for name, inner_updates in nested.items():
        parent = _parent(fields, name, prefix, next(iter(inner_updates)), type(structured))
        inner_fields = _update_fields(parent, inner_updates, (*prefix, name), validate)
        rebuilt = type(structured).from_fields(
            inner_fields, parent.shape, parent.nrows(), parent.row_partitions, validate
        )
        _put_last(fields, name, rebuilt)
    return fields


def _update(fields: dict[str, Any], name: str, update: object, path: Path) -> None:
    """Runs one update on a dictionary of fields."""
    if update is None:
        if name not in fields:
            raise ValueError(f"{_CALL} cannot delete field {path} because it is not present.")
        del fields[name]
    elif callable(update):
        _put_last(fields, name, _call(fields, name, update, path))
    else:
        _put_last(fields, name, update)


def _call(fields: dict[str, Any], name: str, function: Callable[[Any], Any], path: Path) -> Any:
    if name not in fields:
        raise ValueError(
            f"{_CALL} cannot update the field {path} because a transforming function was given, but that field does "
            "not already exist."
        )
    return function(fields[name])


def _put_last(fields: dict[str, Any], name: str, value: object) -> None:
    fields.pop(name, None)
    fields[name] = value


def _parent(fields: Mapping[str, Any], name: str, prefix: Path, rest: Path, structured: type) -> Any:
    """Returns the structured field that updates lead into."""
    path, full_path = (*prefix, name), (*prefix, name, *rest)
    if name not in fields:
        raise ValueError(f"{_CALL} cannot create new sub-field {full_path} if parent field {path} is not set.")
    if not isinstance(fields[name], structured):
        raise ValueError(
            f"{_CALL} cannot create new sub-field {full_path} if parent structure {path} is not a `StructuredTensor` "
            f"that can contain sub-structures -- it is a `{type(fields[name])}`."
        )
    return fields[name]

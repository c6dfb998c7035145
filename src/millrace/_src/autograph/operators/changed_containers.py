"""Lists, dictionaries and sets that code of the graph changes in place.

Both branches of a tensor's `if` are traced, so both would change the same object. What a branch does to a container is
undone and kept aside. Afterwards the object gets, element by element, what either branch left in it. Such a merge needs
the same structure at both ends: a list that grows in one branch only, or a set, is refused. The body of a loop is
traced once; a container that the body changes and the loop does not carry is refused.

Watched are the containers in the variables that a block assigns, changes by a known method or passes to a call, and
the containers inside of those. The attributes of objects, and containers from outside of the function, are not watched.
"""

from __future__ import annotations

import ast
import collections
import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any

from millrace._src.autograph.operators.staged_lists import StagedList
from millrace._src.trackable.dict_wrapper import DictWrapper
from millrace._src.trackable.list_wrapper import ListWrapper
from millrace._src.util import nest

_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
_UNMERGED = (set, collections.deque)
_KINDS = frozenset({*_MAPPINGS, *_UNMERGED, list, StagedList, ListWrapper, DictWrapper})
_NOTHING = object()
_CURE = "Make a new {kind} there ({name} = ...), or use Tensors: tf.where, tf.TensorArray, tf.tensor_scatter_nd_update."


def is_container(value: object) -> bool:
    """Returns whether a value is an object that is watched for changes."""
    return type(value) in _KINDS


def plain(container: Any) -> Any:
    """Returns the user's list or dict behind a wrapper, an attribute that tracks its elements; else the container."""
    return container._plain if type(container) in (ListWrapper, DictWrapper) else container


def refill(container: Any, contents: Any) -> None:
    """Puts what another container of the same kind holds into a container."""
    if type(container) in (ListWrapper, DictWrapper):
        container._replace(plain(contents))
        return
    if type(container) is StagedList:
        container.array = contents.array
        return
    contents = contents.copy()
    container.clear()
    if type(container) in (list, collections.deque):
        container.extend(contents)
    elif type(container) is set:
        container.update(contents)
    else:
        dict.update(container, contents)  # not the method of Counter, which adds


def _parts(container: Any) -> Any:
    """Returns the parts of a container or tuple."""
    if type(container) is StagedList:
        return ()
    return container.values() if type(plain(container)) in _MAPPINGS else container


def _inside(value: object, name: str = "", seen: set[int] | None = None) -> Iterator[tuple[Any, str]]:
    """Yields the containers found from a value, each once, with its name in code: `x`, `x[0]`, `x[0]['k']`."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    if is_container(value):
        seen.add(id(value))
        yield value, name
    if isinstance(value, tuple) or is_container(value) and type(value) is not StagedList:
        for key, part in _items(value):
            yield from _inside(part, f"{name}[{key!r}]", seen)


def _items(container: Any) -> Any:
    return container.items() if type(plain(container)) in _MAPPINGS else enumerate(container)


def _changeable_part(value: object) -> Any:
    """Returns what a call can change of an argument, or of the function that it calls: `x` of `x.append`."""
    if type(value) is types.BuiltinMethodType:
        return value.__self__
    if type(value) is functools.partial:
        return (_changeable_part(value.func), *value.args, *value.keywords.values())
    return value


class _ContainerContents:
    """A container and a copy of its contents.

    Args:
      container: The container.
      name: The expression by which code names the container.
    """

    def __init__(self, container: Any, name: str) -> None:
        self.container = container
        self.copy = plain(container).copy()
        self.name = name

    def is_unchanged(self, names: Sequence[str], values: Sequence[Any]) -> bool:
        """Returns whether the container holds the same as before, but for items that are variables of their own."""
        container, contents = plain(self.container), self.copy
        if type(container) is StagedList:
            return bool(container.array is contents.array)
        if len(container) != len(contents) and type(container) not in _MAPPINGS:
            return False
        if type(container) is set:
            return bool(container == contents)
        new, old = dict(_items(container)), dict(_items(contents))
        own = _OwnItems(self.name, names, values)
        return old.keys() <= new.keys() and all(
            value is old.get(key, _NOTHING) or own.is_at(key, value) for key, value in new.items()
        )


class _OwnItems:
    """The items of a container that are variables of their own: `d['a']`, `x[0]`, `x[i]`."""

    def __init__(self, container: str, names: Sequence[str], values: Sequence[Any]) -> None:
        self.container = container
        self.at = dict(zip(names, values))
        self.anywhere = {id(value) for name, value in zip(names, values) if _has_key_variable(name)}

    def is_at(self, key: object, value: object) -> bool:
        """Returns whether the item at a key is a variable of its own that has this value."""
        return self.at.get(f"{self.container}[{key!r}]", _NOTHING) is value or id(value) in self.anywhere


@functools.lru_cache(maxsize=4096)
def _has_key_variable(name: str) -> bool:
    """Returns whether a variable is an item at a key that is a variable itself: `x[i]`."""
    if "[" not in name:
        return False
    parts = ast.walk(ast.parse(name, mode="eval"))
    return any(isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Constant) for part in parts)


class Containers:
    """The containers among variables, as they are before code of the graph is traced.

    Args:
      names: The variables; `x[0]` counts as a variable too.
      values: The variables' values.
      passed: Further variables by name, which the code passes to calls.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any], passed: Sequence[tuple[str, Any]] = ()) -> None:
        self.names = names
        self.values = values
        self.before: dict[int, _ContainerContents] = {}
        """The containers' contents, by the id of the container."""
        self.changed: set[int] = set()
        """The ids of the containers that were changed."""
        self.passed = [(name, _changeable_part(value)) for name, value in passed]
        seen: set[int] = set()
        for name, value in (*zip(names, values), *self.passed):
            for container, path in _inside(value, name, seen):
                self.before[id(container)] = _ContainerContents(container, path)

    def undo(self, after: Sequence[Any]) -> Left:
        """Undoes the changes of traced code; `after` holds the values of the variables at the end of that code."""
        for number, contents in self.before.items():
            if not contents.is_unchanged(self.names, after):
                self.changed.add(number)
        left = Left(self, after)
        for contents in self.before.values():
            refill(contents.container, contents.copy)
        return left

    def is_changed(self, value: object) -> bool:
        """Returns whether a value is, or holds, a container that was changed."""
        return bool(self.changed) and any(id(c) in self.changed for c, _ in _inside(value))

    def refusal(self, name: str, value: object) -> TypeError:
        """Builds the error for a container that cannot be merged."""
        kind = _kind(value)
        return TypeError(
            f"'{name}' is a {kind} that a branch changes in place, and the condition depends on a Tensor, so both "
            f"branches are traced; they must leave a {kind} of one structure. {_CURE.format(name=name, kind=kind)}"
        )

    def check_not_changed(self, carried: Sequence[int], after: Sequence[Any]) -> None:
        """Checks that the body of a loop changes no container but those the loop carries.

        Args:
          carried: The indices of the variables that the loop carries.
          after: The values at the end of the body.

        Raises: TypeError: if the body changes another container.
        """
        own = {id(c) for i in carried for c, _ in _inside(self.values[i])}
        for number, contents in self.before.items():
            if number not in own and not contents.is_unchanged(self.names, after):
                name, kind = contents.name, _kind(contents.container)
                raise TypeError(
                    f"'{name}' is a {kind} that the body of a loop changes in place, and the loop depends on a Tensor, "
                    f"so the body is traced once. {_CURE.format(name=name, kind=kind)}"
                )


def _kind(container: object) -> str:
    return "list of the graph" if type(container) is StagedList else type(plain(container)).__name__


class Left:
    """The values that traced code has left in variables, recorded before the changes are undone.

    Attributes:
      values: The values, with copies instead of the containers from before; the values of the variables that were
        passed to calls come last.
    """

    def __init__(self, containers: Containers, after: Sequence[Any]) -> None:
        self.before = containers.before
        self.copies: dict[int, Any] = {}
        """The copies, by the id of the container."""
        self.origins: dict[int, Any] = {}
        """The containers, by the id of the copy."""
        self.values = [self._copy_container(value) for value in (*after, *(value for _, value in containers.passed))]

    def _copy_container(self, value: Any) -> Any:
        if id(value) in self.copies:
            return self.copies[id(value)]
        if isinstance(value, tuple) and any(True for _ in _inside(value)):
            return _tuple_like(value, [self._copy_container(part) for part in value])
        contents = self.before.get(id(value)) if is_container(value) else None
        if contents is None or type(value) in _UNMERGED and contents.is_unchanged((), ()):
            return value
        copy = self.copies[id(value)] = plain(value).copy()
        self.origins[id(copy)] = value
        if type(copy) in _MAPPINGS:
            dict.update(copy, {key: self._copy_container(part) for key, part in value.items()})
        elif type(copy) is list:
            copy[:] = [self._copy_container(part) for part in value]
        return copy


def _tuple_like(value: Any, parts: Sequence[Any]) -> Any:
    """Makes a tuple, or named tuple, of the same class with other parts."""
    return value.__class__(*parts) if hasattr(value, "_fields") else value.__class__(parts)


def can_be_merged(a: object, b: object) -> bool:
    """Returns whether what two branches left is alike down to the leaves, with the keys of dictionaries in one order.

    Args: a, b: Values as a `Left` holds them.
    """
    try:
        nest.assert_same_structure(a, b, expand_composites=True)
    except (TypeError, ValueError):
        return False
    return _is_mergeable(a, b)


def _is_mergeable(a: Any, b: Any) -> bool:
    if type(a) in _UNMERGED:
        return a is b
    if type(a) in _MAPPINGS and list(a) != list(b):
        return False
    return not (is_container(a) or isinstance(a, tuple)) or all(map(_is_mergeable, _parts(a), _parts(b)))


def rebuild(main: Any, other: Any, lefts: Sequence[Left], leaves: Iterator[Any]) -> Any:
    """Merges a value after two branches: containers from before hold the new leaves, other containers are made anew.

    Args:
      main, other: What the branches left; copies replace containers from before.
      lefts: The records of both branches, which tell the copies from other containers.
      leaves: The leaves of both values, merged, in the order of `nest.flatten`.
    """
    contents: Any
    if type(main) in _MAPPINGS:
        contents = main.copy()
        dict.update(contents, {key: rebuild(main[key], other[key], lefts, leaves) for key in sorted(main)})
    elif type(main) is list or isinstance(main, tuple):
        parts = [rebuild(a, b, lefts, leaves) for a, b in zip(main, other, strict=True)]
        contents = parts if type(main) is list else _tuple_like(main, parts)
    else:
        count = len(nest.flatten(main, expand_composites=True))
        contents = nest.pack_sequence_as(main, [next(leaves) for _ in range(count)], expand_composites=True)
    origin = lefts[0].origins.get(id(main))
    if origin is None or origin is not lefts[1].origins.get(id(other)):
        return contents
    refill(origin, contents)
    return origin


__all__ = ["Containers", "Left", "can_be_merged", "is_container", "plain", "rebuild", "refill"]

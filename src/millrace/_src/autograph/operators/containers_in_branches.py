"""Lists, dictionaries and sets that code of the graph changes in place.

Both branches of a tensor's `if` are traced, so both would change the same object. What a branch does to a list or a
dictionary is undone and kept aside; afterwards the object gets, element by element, what either branch left in it. That
needs the same structure at both ends: a list that grows in one branch only, or a set, is refused. The body of a loop is
traced once; a container that it changes and the loop does not carry is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.operators.staged_lists import StagedList
from millrace._src.util import nest

_KINDS = (list, dict, set, StagedList)
_NOTHING = object()
_CURE = "Make a new {kind} there ({name} = ...), or use Tensors: tf.where, tf.TensorArray, tf.tensor_scatter_nd_update."


def refill(container: Any, contents: Any) -> None:
    """Puts other contents into a list, dictionary or set."""
    if type(container) is list:
        container[:] = contents
        return
    if type(container) is StagedList:
        container.array = contents.array
        return
    contents = contents.copy()
    container.clear()
    container.update(contents)


class _Contents:
    """What a container holds, down to the containers in it."""

    def __init__(self, container: Any) -> None:
        self.container = container
        self.copy = container.copy()
        self.inner = [_Contents(value) for value in _parts(container) if type(value) in _KINDS]

    def is_unchanged(self, items: set[int]) -> bool:
        """Whether the container still holds this, but for new objects whose ids are `items`."""
        return _holds(self.container, self.copy, items) and all(part.is_unchanged(items) for part in self.inner)

    def restore(self) -> None:
        """Puts it back, in the containers inside too."""
        refill(self.container, self.copy)
        for part in self.inner:
            part.restore()


class Containers:
    """The containers among variables, as they are before code of the graph is traced.

    Args:
      names: The variables; `x[0]` is one too.
      values: Their values.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names = names
        self.values = values
        self.before = {i: _Contents(value) for i, value in enumerate(values) if type(value) in _KINDS}
        self.changed: set[int] = set()

    def undo(self, after: Sequence[Any]) -> list[Any]:
        """Undoes what was traced.

        Args: after: The values at its end.
        Returns: The values, with a copy of what was left in a container in place of the container.
        """
        held = list(after)
        for index, before in self.before.items():
            if not before.is_unchanged(self._items(index, after)):
                self.changed.add(index)
            if after[index] is before.container:
                held[index] = _copy(before.container)
        for before in self.before.values():
            before.restore()
        return held

    def _items(self, index: int, values: Sequence[Any]) -> set[int]:
        """The items of a container that are variables of their own."""
        name = self.names[index]
        return {id(item) for other, item in zip(self.names, values) if other.startswith(f"{name}[")}

    def is_changed_in_place(self, index: int, ends: Sequence[Any]) -> bool:
        """Whether a variable that has the values `ends` after the branches is a container that one has changed."""
        return index in self.changed and any(end is self.values[index] for end in ends)

    def can_be_merged(self, ends: Sequence[Any], held: Sequence[Any]) -> bool:
        """Whether both branches end with the same container, no set, and leave one structure in it.

        Args:
          ends: The values of the variable at the ends of the branches.
          held: The same as `undo` gave them.
        """
        main, other = ends
        return main is other and type(main) is not set and _is_same_structure(*held)

    def refusal(self, index: int) -> TypeError:
        """What to raise for a container that cannot be merged."""
        name, kind = self.names[index], type(self.values[index]).__name__
        return TypeError(
            f"'{name}' is a {kind} that a branch changes in place, and the condition depends on a Tensor, so both "
            f"branches are traced; they must leave a {kind} of one structure. {_CURE.format(name=name, kind=kind)}"
        )

    def check_not_changed(self, index: int, after: Sequence[Any]) -> None:
        """Refuses a container that the body of a loop changes, and the loop does not carry.

        Raises: TypeError: in that case.
        """
        before = self.before.get(index)
        if before is not None and not before.is_unchanged(self._items(index, after)):
            name, kind = self.names[index], type(before.container).__name__
            raise TypeError(
                f"'{name}' is a {kind} that the body of a loop changes in place, and the loop depends on a Tensor, so "
                f"the body is traced once. {_CURE.format(name=name, kind=kind)}"
            )


def _parts(container: Any) -> Any:
    if type(container) is StagedList:
        return ()
    return container.values() if type(container) is dict else container


def _copy(value: Any) -> Any:
    """A list or dictionary with copies of those in it."""
    if type(value) is list:
        return [_copy(item) for item in value]
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    if type(value) is StagedList:
        return value.copy()
    return value


def _holds(container: Any, contents: Any, items: set[int]) -> bool:
    """Whether a container holds what it held, but for new objects whose ids are `items`."""
    if type(container) is set:
        return bool(container == contents)
    if type(container) is StagedList:
        return bool(container.array is contents.array)
    if type(container) is list:
        is_kept, pairs = len(container) == len(contents), [*zip(container, contents)]
    else:
        is_kept = all(key in container for key in contents)
        pairs = [(new, contents.get(key, _NOTHING)) for key, new in container.items()]
    return is_kept and all(new is old or id(new) in items for new, old in pairs)


def _is_same_structure(a: Any, b: Any) -> bool:
    try:
        nest.assert_same_structure(a, b, expand_composites=True)
    except (TypeError, ValueError):
        return False
    return not isinstance(a, dict) or a.keys() == b.keys()


__all__ = ["Containers", "refill"]

"""Lists, dictionaries and sets that a branch changes in place.

Both branches of a tensor's `if` are traced, so both would change the same object. Items that the converter can see are
variables of their own; any other change is undone and refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_NOTHING = object()


class Containers:
    """The containers among variables, as they were before a branch.

    Args:
      names: The variables; `x[0]` is one too.
      values: Their values.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names = names
        self.values = values
        self.before = {i: value.copy() for i, value in enumerate(values) if type(value) in (list, dict, set)}
        self.changed: set[int] = set()

    def undo(self, after: Sequence[Any]) -> None:
        """Notes what a branch has changed, and changes it back; `after` holds the values at its end."""
        for index, before in self.before.items():
            value, name = self.values[index], self.names[index]
            items = {id(item) for other, item in zip(self.names, after) if other.startswith(f"{name}[")}
            if not _is_unchanged(value, before, items):
                self.changed.add(index)
            value.clear()
            value.extend(before) if type(value) is list else value.update(before)

    def check(self, index: int, main: Any, other: Any) -> None:
        """Refuses a variable that is the same container after both branches, and was changed in one.

        Raises: TypeError: in that case.
        """
        if index in self.changed and (main is self.values[index] or other is self.values[index]):
            name, kind = self.names[index], type(self.values[index]).__name__
            raise TypeError(
                f"'{name}' is a {kind} that a branch changes in place, and the condition depends on a Tensor, so both "
                f"branches are traced. Make a new {kind} in the branch ({name} = ...), or use Tensors: tf.where, "
                "tf.TensorArray, tf.tensor_scatter_nd_update."
            )


def _is_unchanged(value: Any, before: Any, items: set[int]) -> bool:
    """Whether a container holds what it held, but for items that are variables of their own."""
    if type(value) is set:
        return bool(value == before)
    if type(value) is dict:
        kept = all(key in value for key in before)
        return kept and all(new is before.get(key, _NOTHING) or id(new) in items for key, new in value.items())
    return len(value) == len(before) and all(new is old or id(new) in items for new, old in zip(value, before))

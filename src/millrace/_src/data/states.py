"""Functions that carry a state from element to element: those of `reduce` and `scan`.

The state after an element must be one that the function takes: of the same dtypes, and of shapes that hold before and
after. Where an element changes a shape, the function is traced again with a shape that allows both.

Tests: tests/data/transforms/test_reduce_elements.py, tests/data/transforms/test_scan_elements.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.specs import TensorSpec
from millrace._src.data.structure import ElementStructure
from millrace._src.data.traced_functions import TracedFunction, check_callable
from millrace._src.util import nest


class StatefulFunction:
    """A user's function of a state and an element, traced with shapes that hold for all states.

    Args:
      function: takes the state and the element's arguments.
      state: the structure of the initial state.
      elements: the specs of the other arguments.
      caller: the caller in messages and names, such as "Dataset.scan()".
      state_of: returns the structure of the next state, given that of the result.
      complaint: what messages begin with; empty for `reduce`, whose messages are TensorFlow's.

    Attributes:
      traced: the function as a graph.
      state: the structure of the states.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        state: ElementStructure,
        elements: Sequence[Any],
        caller: str,
        state_of: Callable[[ElementStructure], ElementStructure],
        complaint: str = "",
    ) -> None:
        check_callable(function)
        while True:
            self.traced = TracedFunction(function, (state.spec, *elements), caller)
            after = state_of(self.traced.output)
            check_same_types(state, after, complaint)
            if all(_takes(old, new) for old, new in zip(state.leaves, after.leaves, strict=True)):
                self.state = state
                return
            state = _wider(state, after)


def _takes(old: Any, new: Any) -> bool:
    """Returns whether the function takes what it returns; names of tensors do not count."""
    if isinstance(old, TensorSpec):
        return bool(new.shape.is_subtype_of(old.shape))
    return bool(new.is_subtype_of(old))


def _wider(state: ElementStructure, after: ElementStructure) -> ElementStructure:
    """Returns the structure of the states before and after an element."""
    pairs = zip(state.leaves, after.leaves, strict=True)
    common = [old.most_specific_compatible_type(new) for old, new in pairs]
    return ElementStructure(nest.pack_sequence_as(state.spec, common))


def check_same_types(before: ElementStructure, after: ElementStructure, complaint: str = "") -> None:
    """Refuses a next state whose leaves differ from those of the state before in more than shapes.

    Raises:
      InvalidArgumentError, TypeError: if the states have different numbers of leaves.
      TypeError: if classes or dtypes differ.
    """
    old_count, new_count = len(before.leaves), len(after.leaves)
    if old_count != new_count and complaint:
        raise TypeError(f"{complaint}The initial state has {old_count} components, the new state {new_count}.")
    if old_count != new_count:
        raise InvalidArgumentError(
            None,
            None,
            "The number of components of the initial state and the reduce function output does not match. "
            f"(initial_state={old_count}, output={new_count}). [Op:ReduceDataset] name: ",
        )
    for old, new in zip(before.leaves, after.leaves, strict=True):
        if old.value_type is not new.value_type:
            raise TypeError(
                f"{complaint}The element classes for the new state must match the initial state. Expected "
                f"{old.value_type} but got {new.value_type}."
            )
    if before.dtypes != after.dtypes:
        raise TypeError(
            f"{complaint}The element types for the new state must match the initial state. Expected "
            f"{_dtypes_in(before)}{',' if complaint else ' but'} got {_dtypes_in(after)}."
        )


def _dtypes_in(structure: ElementStructure) -> Any:
    """Returns the nest of the dtypes of a state."""
    dtypes = iter(structure.dtypes)
    return nest.map_structure(lambda leaf: next(dtypes) if leaf._flat_tensor_specs else None, structure.spec)

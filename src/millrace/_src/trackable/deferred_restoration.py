"""Values that arrive before the objects they belong to.

Problem: a program restores a checkpoint as soon as it has the root object. Layers make their variables later, at the
first call, and must have the saved values then.

Idea: a checkpoint is seen as positions, one for each saved object: its values, and the positions of its children by
name. `restore` walks objects and positions side by side. The position of a child that does not exist yet is left with
the parent; `Trackable._track_trackable` takes it up when the child appears. Where the values come from is the
position's business: a reader of checkpoints implements `RestorePosition`. It is given all objects that were reached at
once, so that it can look at all of them before it changes one.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import DTypeLike, ShapeLike

VARIABLE_VALUE_KEY = "VARIABLE_VALUE"
"""The name under which a variable's value is saved."""

_MAX_NAMES = 10

_BUILD_ADVICE = (
    "The checkpoint knows them only as elements of a list that was made just now. Build what has the list before you "
    "restore: `model.build(input_shape)` or a call of the model, then `optimizer.build(model.trainable_variables)`."
)

ANY_CHILD = "*"
"""The name under which a position waits that any future child of an object takes."""


class RestorePosition(Protocol):
    """Where an object stands in a checkpoint that is being restored."""

    @property
    def restore_uid(self) -> int:
        """The number of the restoration; a later one has a larger number, and its values win."""

    def bind(self, trackable: object) -> bool:
        """Notes that an object takes this position; returns whether to go on with its values and children."""

    def values(self) -> Mapping[str, Any]:
        """Returns the saved tensors of the object itself by their names, such as "VARIABLE_VALUE"."""

    def children(self, trackable: object = None) -> Mapping[str, RestorePosition]:
        """Returns the positions of the object's children by their names; `trackable` is the object, if there is one."""

    def give_values(self, reached: Sequence[Reached]) -> None:
        """Gives objects that were reached from here their saved values: all of them, or none where one does not fit."""

    def explain_lateness(self) -> str:
        """Returns why values may reach objects only long after `restore`: children that have other names; or ""."""
        return ""


@dataclass(frozen=True, slots=True)
class Reached:
    """An object, and the position in a checkpoint that it takes."""

    trackable: Any
    position: RestorePosition

    @property
    def is_older(self) -> bool:
        """Whether the object has no values of this restoration or a later one."""
        return bool(self.position.restore_uid > self.trackable._update_uid)


def restore(trackable: object, position: RestorePosition) -> None:
    """Gives an object and all objects below it their saved values; leaves positions for missing children.

    Raises: ValueError: if a container below has another structure than the saved one, or its elements have moved.
    """
    restore_all([Reached(trackable, position)])


def restore_all(starts: Sequence[Reached]) -> None:
    """Does as `restore` for several objects of one checkpoint, of which all are given values or none."""
    starts[0].position.give_values(list(walk(starts)))


def walk(starts: Sequence[Reached]) -> Iterator[Reached]:
    """Yields objects and the positions that they take, breadth first; leaves positions for missing children."""
    waiting = deque(starts)
    while waiting:
        reached = waiting.popleft()
        target, position = reached.trackable, reached.position
        if not position.bind(target):
            continue
        yield reached
        saved_children = position.children(target)
        children = target._trackable_children() if saved_children else {}
        supplements = None
        for name, child_position in saved_children.items():
            child = target._lookup_dependency(name, children)
            if child is None:
                supplements = target._supplementary_children() if supplements is None else supplements
                child = supplements.get(name)
            if child is None:
                target._defer(name, child_position)
            else:
                waiting.append(Reached(child, child_position))


def transfer_positions(replaced: Any, successor: Any) -> None:
    """Gives an object that replaces another one in its parent the positions that wait for children of the other one.

    So a list that was empty when a checkpoint was restored may be replaced by a full one. An object that has children
    has begun to take values of its own, and keeps its positions; so does one of another class.

    Warns: UserWarning: if children of the successor take values: a program may have used them before.
    """
    waiting = replaced._self_unconditional_deferred_dependencies
    if not waiting or replaced._self_unconditional_dependency_names or type(replaced) is not type(successor):
        return
    children = successor._trackable_children()
    late: list[Any] = []
    explanation = ""
    for name, positions in waiting.items():
        child = successor._lookup_dependency(name, children)
        for position in positions:
            if child is None:
                successor._defer(name, position)
                continue
            before = child._update_uid
            restore(child, position)
            if child._update_uid != before:
                late.append(child)
                explanation = explanation or position.explain_lateness()
    if late:
        warn_of_late_values(late, explanation)


def warn_of_late_values(late: Sequence[Any], explanation: str) -> None:
    """Warns that objects existed before values reached them.

    Args:
      late: the objects.
      explanation: why that is so, and what would help; "" for what to build.
    """
    names = ", ".join(str(getattr(child, "name", type(child).__name__)) for child in late[:_MAX_NAMES])
    warnings.warn(
        f"{len(late)} objects existed before the values of a checkpoint reached them; what was computed with them "
        f"since `restore` used other values: {names}{', ...' if len(late) > _MAX_NAMES else ''}. "
        + (explanation or _BUILD_ADVICE),
        stacklevel=2,
    )


@export("__internal__.tracking.CheckpointInitialValue", v1=["__internal__.tracking.CheckpointInitialValue"])
class CheckpointInitialValue:
    """The saved value of a variable, given to it as initial value; the variable then needs no second assignment."""

    def __init__(self, checkpoint_position: RestorePosition, shape: object = None, shard_info: object = None) -> None:
        self.checkpoint_position = checkpoint_position
        self.wrapped_value = checkpoint_position.values()[VARIABLE_VALUE_KEY]
        if shape is not None:
            self.wrapped_value.set_shape(shape)

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return self.wrapped_value


@export(
    "__internal__.tracking.CheckpointInitialValueCallable",
    v1=["__internal__.tracking.CheckpointInitialValueCallable"],
)
class CheckpointInitialValueCallable:
    """An initializer that gives the saved value of a variable whatever shape it is asked for."""

    def __init__(self, checkpoint_position: RestorePosition) -> None:
        self._checkpoint_position = checkpoint_position

    @property
    def checkpoint_position(self) -> RestorePosition:
        """The position that the value comes from."""
        return self._checkpoint_position

    @property
    def restore_uid(self) -> int:
        """The number of the restoration that the value comes from."""
        return self._checkpoint_position.restore_uid

    def __call__(
        self, shape: ShapeLike | None = None, dtype: DTypeLike | None = None, shard_info: object = None
    ) -> CheckpointInitialValue:
        return CheckpointInitialValue(self._checkpoint_position, shape, shard_info)

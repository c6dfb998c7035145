"""`Trackable`: an object that a checkpoint can walk.

Problem: the names of variables say little about which variable is meant, and two copies of a model have the same
ones. A checkpoint therefore stores a value under the path that leads to it from a root: `model/layers/0/kernel`.

Idea: an object names its children, and says which tensors it has itself. Saving follows the names. Restoring follows
them too; a child that does not exist yet takes its value when it is tracked under its name (`deferred_restoration.py`).
Names of attributes that hold this bookkeeping begin with `_self_`, as in TensorFlow; they exist on an instance only
once needed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, cast

from millrace._src.trackable.deferred_restoration import (
    ANY_CHILD,
    VARIABLE_VALUE_KEY,
    CheckpointInitialValueCallable,
    RestorePosition,
    restore,
    transfer_positions,
)
from millrace._src.trackable.parts import parts_of
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

OBJECT_GRAPH_PROTO_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
OBJECT_CONFIG_JSON_KEY = "OBJECT_CONFIG_JSON"


class SaveType(enum.StrEnum):
    """Says whose children are asked for: those of a checkpoint or those of a SavedModel."""

    CHECKPOINT = "checkpoint"
    SAVEDMODEL = "savedmodel"


@dataclass(frozen=True, slots=True)
class SavedTogether:
    """Says that all tensors of an object are one attribute of it in a checkpoint.

    Attributes:
      name: the name of the attribute.
      endings: what follows the key of the attribute in the key of each tensor; the names in `_serialize_to_tensors`.
    """

    name: str
    endings: tuple[str, ...]


@export("__internal__.tracking.TrackableReference", v1=["__internal__.tracking.TrackableReference"])
class TrackableReference:
    """A child with its name; unpacks as `name, ref`.

    >>> name, child = tf.__internal__.tracking.TrackableReference("v", tf.Variable(1.0))
    >>> name
    'v'
    """

    __slots__ = ("_name", "_ref")

    def __init__(self, name: str, ref: Trackable) -> None:
        self._name = name
        self._ref = ref

    @property
    def name(self) -> str:
        """The name of the child."""
        return self._name

    @property
    def ref(self) -> Trackable:
        """The child."""
        return self._ref

    def __iter__(self) -> Any:
        return iter((self._name, self._ref))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self._name}, ref={self._ref})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrackableReference) and self._name == other._name and self._ref is other._ref

    def __hash__(self) -> int:
        return hash((self._name, id(self._ref)))


@export("__internal__.tracking.Trackable", v1=["__internal__.tracking.Trackable"])
class Trackable:
    """Base of all objects that checkpoints and SavedModels hold.

    A class that has values of its own defines `_serialize_to_tensors` and `_restore_from_tensors`. A class with other
    trackable objects in it calls `_track_trackable` for each, or derives from `AutoTrackable`, which does so for
    attributes.

    >>> class Counter(tf.__internal__.tracking.Trackable):
    ...     def __init__(self):
    ...         self.count = self._track_trackable(tf.Variable(0), "count")
    >>> list(Counter()._trackable_children())
    ['count']
    """

    _saved_together: ClassVar[SavedTogether | None] = None
    """Set where the tensors of `_serialize_to_tensors` are one attribute in a checkpoint, not an attribute each."""

    _self_setattr_tracking: bool = True
    _self_update_uid: int = -1
    _self_unconditional_dependency_names: Mapping[str, Trackable] = MappingProxyType({})
    _self_unconditional_deferred_dependencies: Mapping[str, list[RestorePosition]] = MappingProxyType({})
    _self_stand_ins: Mapping[str, StandIn] = MappingProxyType({})

    # --- bookkeeping -------------------------------------------------------------------------------------------

    @property
    def _setattr_tracking(self) -> bool:
        """Whether attributes that are set become children, where the class tracks attributes."""
        return self._self_setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._self_setattr_tracking = value

    @property
    def _update_uid(self) -> int:
        """The number of the restoration that the object's values come from; -1 before any."""
        return self._self_update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        object.__setattr__(self, "_self_update_uid", value)

    @property
    def _object_identifier(self) -> str:
        """The name of the kind of object in a SavedModel."""
        return "_generic_user_object"

    def _own_dict(self, attribute: str) -> dict[str, Any]:
        """Returns a dict of the bookkeeping, of this instance alone from now on."""
        own: Any = getattr(self, attribute)
        if type(own) is not dict:
            own = {}
            object.__setattr__(self, attribute, own)  # not through a class that tracks attributes
        return cast("dict[str, Any]", own)

    # --- children ----------------------------------------------------------------------------------------------

    @property
    def _unconditional_dependency_names(self) -> dict[str, Trackable]:
        return self._own_dict("_self_unconditional_dependency_names")

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        children = self._self_unconditional_dependency_names
        return [TrackableReference(name, child) for name, child in children.items()]

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._unconditional_checkpoint_dependencies

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        """Returns the children by name, in the order in which the names were first tracked."""
        return dict(self._self_unconditional_dependency_names)

    def _lookup_dependency(self, name: str, cached_dependencies: Mapping[str, Any] | None = None) -> Any:
        """Returns the child of a name, or None."""
        children = self._self_unconditional_dependency_names if cached_dependencies is None else cached_dependencies
        return children.get(name)

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
        """Makes an object a child, and gives it the values that wait for a child of that name.

        Args:
          trackable: the child.
          name: its name, unique among the children of this object.
          overwrite: whether the child may replace another one of that name.

        Returns: The child.
        Raises:
          TypeError: if the child is not a Trackable.
          ValueError: if there is another child of that name.
        """
        if not isinstance(trackable, Trackable):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of type Trackable. "
                f"Got type {type(trackable)}."
            )
        children = self._own_dict("_self_unconditional_dependency_names")
        present = children.get(name)
        if present is not None and present is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        children[name] = trackable
        if present is not None and present is not trackable:
            transfer_positions(present, trackable)
        if self._self_unconditional_deferred_dependencies:
            self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _supplementary_children(self) -> dict[str, Trackable]:
        """Returns by name what belongs to the object, though it is not tracked: TensorFlow's checkpoints lack it.

        A part that is not trackable has a `StandIn`, kept with this object, under which saved values can wait.
        """
        return self._supplementary_children_of(self)

    def _supplementary_children_of(self, whole: object) -> dict[str, Trackable]:
        parts = parts_of[type(whole)]
        return {} if parts is None else {name: self._as_child(name, part) for name, part in parts(whole).items()}

    def _as_child(self, name: str, part: object) -> Trackable:
        """Returns a part of this object if it is trackable, else its stand-in, the same for all that take the name."""
        if isinstance(part, Trackable):
            return part
        stand_in: StandIn = self._own_dict("_self_stand_ins").setdefault(name, StandIn(part))
        stand_in.target = part
        return stand_in

    def _no_dependency(self, value: TensorLike) -> Any:
        """Returns what to set as an attribute so that it does not become a child: here, where none does, the value."""
        return value

    # --- values ------------------------------------------------------------------------------------------------

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """Returns what a checkpoint takes of the object itself, by names such as "VARIABLE_VALUE"."""
        return {}

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """Returns the tensors to save, by name.

        Raises: NotImplementedError: where the class has no values of its own.
        """
        raise NotImplementedError(f"{type(self).__name__} has no values of its own to save")

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        """Takes over the tensors that `_serialize_to_tensors` gave.

        Raises: NotImplementedError: where the class has no values of its own.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no values of its own, but the checkpoint has {sorted(restored_tensors)} for it"
        )

    def _create_or_restore_slot_variable(self, slot_variable_position: object, slot_name: str, variable: object) -> Any:
        """Gives the slot variable that an optimizer keeps for a variable its saved value; makes it where it is missing.

        A class that defines the method has `get_slot_names()` and `get_slot(variable, slot_name)` too.

        Raises: NotImplementedError: where the class keeps no slot variables.
        """
        raise NotImplementedError(
            f"{type(self).__name__} keeps no slot variables, but the checkpoint has a slot {slot_name!r} of it for "
            f"{variable}."
        )

    # --- SavedModels -------------------------------------------------------------------------------------------

    _registered_name: ClassVar[str] = ""
    """The name under which a SavedModel refers to the class itself; "" where only the kind of object is stated."""

    _default_save_signature: Any = None
    """The function that is the signature of a SavedModel of this object, where the caller names none."""

    @property
    def _tracking_metadata(self) -> str:
        """What a SavedModel says of the object besides its kind."""
        return ""

    def _export_to_saved_model_graph(
        self, object_map: object, tensor_map: object, options: object, **kwargs: object
    ) -> list[Any]:
        """Adds what represents the object in the graph of a SavedModel to the current graph.

        Args:
          object_map: takes the object that represents this one in the graph.
          tensor_map: takes for each tensor by which functions capture this object the tensor of the graph.
          options: the `tf.saved_model.SaveOptions`.
          **kwargs: for later.

        Returns: The tensors by which functions capture this object.
        """
        return []

    def _write_object_proto(self, proto: Any, options: object) -> None:
        """Says in a `SavedObject` message what kind of object this is."""
        proto.user_object.identifier = self._object_identifier
        proto.user_object.version.producer = proto.user_object.version.min_consumer = 1
        proto.user_object.metadata = self._tracking_metadata

    def _deserialization_dependencies(self, children: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the children that must be loaded before the object is."""
        return {}

    def _copy_trackable_to_cpu(self, object_map: object) -> None:
        """Puts a copy of the object's values into `object_map`.

        Raises: NotImplementedError: where the class has no values of its own.
        """
        raise NotImplementedError(f"{type(self).__name__} has no values of its own to copy")

    def _add_trackable_child(self, name: str, value: TensorLike) -> None:
        """Makes an object that was loaded a child of this one."""
        self._track_trackable(value, name, overwrite=True)

    # --- deferred restoration ----------------------------------------------------------------------------------

    @property
    def _deferred_dependencies(self) -> dict[str, list[RestorePosition]]:
        return self._own_dict("_self_unconditional_deferred_dependencies")

    def _defer(self, name: str, position: RestorePosition) -> None:
        """Keeps the position of a child that does not exist yet."""
        self._deferred_dependencies.setdefault(name, []).append(position)

    def _handle_deferred_dependencies(self, name: str, trackable: Trackable) -> None:
        """Gives a new child the values that wait for it; those of the latest restoration win.

        Values that do not fit go on waiting: the caller may make the child anew.
        """
        waiting = self._deferred_dependencies
        for position in _latest_first([*waiting.get(name, ()), *waiting.get(ANY_CHILD, ())]):
            restore(trackable, position)
        waiting.pop(name, None)

    def _preload_simple_restoration(self, name: str) -> CheckpointInitialValueCallable | None:
        """Returns the initializer of a variable that a checkpoint has a value for, else None."""
        for position in _latest_first(self._self_unconditional_deferred_dependencies.get(name, [])):
            is_simple = list(position.values()) == [VARIABLE_VALUE_KEY] and not position.children()
            return CheckpointInitialValueCallable(position) if is_simple else None
        return None

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = "float32",
        initializer: Any = None,
        getter: Callable[..., Any] | None = None,
        overwrite: bool = False,
        **kwargs_for_getter: Any,
    ) -> Any:
        """Makes a variable with `getter` and tracks it; a saved value that waits for the name replaces the initializer.

        Raises: ValueError: if there is no getter, or a child of that name and `overwrite` is false.
        """
        if getter is None:
            raise ValueError(f"_add_variable_with_custom_getter({name!r}) needs a `getter` that makes the variable.")
        saved = self._preload_simple_restoration(name)
        made = getter(name=name, shape=shape, dtype=dtype, initializer=saved or initializer, **kwargs_for_getter)
        return self._track_trackable(made, name, overwrite) if isinstance(made, Trackable) else made


class StandIn(Trackable):
    """Represents an object that is not trackable, within checkpoints.

    Args: target: the object.
    """

    def __init__(self, target: Any) -> None:
        self.target = target

    def _supplementary_children(self) -> dict[str, Trackable]:
        return self._supplementary_children_of(self.target)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.target!r})"


class TrackableFunction(Trackable):
    """A function that SavedModels hold, also where it is an attribute of the class rather than of the object."""


def _latest_first(positions: list[RestorePosition]) -> list[RestorePosition]:
    return sorted(positions, key=lambda position: position.restore_uid, reverse=True)

"""What lists, dicts and tuples that track their elements have in common, and which containers become such.

Problem: `self.layers = [a, b]` must make `a` and `b` children of the model, but only for plain containers: a class of
the user's own that derives from `list` may mean something else by its methods.

Idea: a table from class to wrapper, by exact class but for tuples, whose subclasses cannot change what is in them. The
wrappers register themselves (`data_structures.py`); all of them track an element by `_track_value`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from millrace._src.core.resources import is_variable
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.parts import parts_of
from millrace._src.trackable.supplements import take_up_supplements
from millrace._src.util.class_table import ClassTable
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike


class NoDependency:
    """Holds a value that is to be stored as an attribute or element as it is, and not to become a child.

    >>> from millrace._src.trackable.data_structures import NoDependency
    >>> module = tf.Module()
    >>> module.names = NoDependency(["a"])
    >>> type(module.names)
    <class 'list'>
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class _UntrackableError(ValueError):
    """A value that is not a Trackable was put where only those may be."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self._value = value

    def __str__(self) -> str:
        return (
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. "
            f"Got {self._value}, which does not inherit from Trackable."
        )


@export("__internal__.tracking.wrap", v1=["__internal__.tracking.wrap"])
def wrap_or_unwrap(value: TensorLike) -> Any:
    """Returns a container as one that tracks its elements, what `NoDependency` holds, and anything else as it is.

    >>> tf.__internal__.tracking.wrap([1, {"a": 2}]), tf.__internal__.tracking.wrap(3)
    (ListWrapper([1, DictWrapper({'a': 2})]), 3)
    """
    wrap = wrapper_of[type(value)]
    return value if wrap is None else wrap(value)


def has_nothing_to_track(values: Iterable[Any]) -> bool:
    """Returns, by the classes alone, whether all values are stored as they are and are not children."""
    return not any(map(wrapper_of.__getitem__, map(type, values)))


def register_wrapper(wrap: Callable[[Any], Any], *classes: type) -> None:
    """Makes `wrap` what containers of the given classes become."""
    _registered.update(dict.fromkeys(classes, wrap))
    wrapper_of.clear()


def _itself(value: object) -> Any:
    return value


def _find_wrapper(cls: type) -> Callable[[Any], Any] | None:
    if issubclass(cls, Trackable):
        return _itself
    registered = _registered.get(tuple if issubclass(cls, tuple) else cls)
    return _itself if registered is None and parts_of[cls] is not None else registered


_registered: dict[type, Callable[[Any], Any]] = {NoDependency: lambda held: held.value}

wrapper_of: ClassTable[Callable[[Any], Any] | None] = ClassTable(_find_wrapper)
"""What is stored instead of a value, by the class of the value; None where there is nothing to track."""


@export("__internal__.tracking.sticky_attribute_assignment", v1=["__internal__.tracking.sticky_attribute_assignment"])
def sticky_attribute_assignment(trackable: Trackable, name: str, value: TensorLike) -> Any:
    """Makes a value that is being set as attribute a child, if it can be one.

    >>> module = tf.Module()
    >>> stored = tf.__internal__.tracking.sticky_attribute_assignment(module, "layers", [])
    >>> stored, module._lookup_dependency("layers") is stored
    (ListWrapper([]), True)

    Returns: The value to store: the wrapper of a container, the content of a `NoDependency`, or the value itself.
    """
    if isinstance(value, NoDependency):
        return value.value
    value = wrap_or_unwrap(value)
    if isinstance(value, Trackable):
        trackable._track_trackable(value, name, overwrite=True)
    elif parts_of[type(value)] is not None:
        take_up_supplements(trackable, name, value)
    return value


@export("__internal__.tracking.TrackableDataStructure", v1=["__internal__.tracking.TrackableDataStructure"])
class TrackableDataStructure(Trackable):
    """Base of the containers that track their elements.

    >>> module = tf.Module()
    >>> module.weights = [tf.Variable(1.0), tf.Variable(2.0, trainable=False)]
    >>> len(module.weights.variables), len(module.weights.trainable_variables)
    (2, 1)
    """

    trainable = True

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def _values(self) -> Iterable[Any]:
        """The elements."""
        raise NotImplementedError(f"{type(self).__name__}._values")

    @property
    def _plain(self) -> Any:
        """The container without its bookkeeping, as the user would write it."""
        raise NotImplementedError(f"{type(self).__name__}._plain")

    def _track_value(self, value: Any, name: Any) -> Any:
        """Tracks an element under a name, and returns what to store.

        Raises: _UntrackableError: if the element is not a Trackable; containers that take others store it all the same.
        """
        value = sticky_attribute_assignment(self, name, value)
        if not isinstance(value, Trackable):
            raise _UntrackableError(value)
        return value

    def _track_if_trackable(self, value: Any, name: Any) -> Any:
        """Tracks an element that can be tracked, and returns what to store."""
        return sticky_attribute_assignment(self, name, value)

    def _holds_trackables(self) -> bool:
        values = self._values
        return not has_nothing_to_track(values) and any(isinstance(value, Trackable) for value in values)

    def _cannot_restore(self, name: str) -> ValueError:
        return ValueError(
            f"The checkpoint has an element {name!r} for {self!r}, which cannot have one: it was saved from a "
            "container of another structure."
        )

    # --- variables ---------------------------------------------------------------------------------------------

    @property
    def layers(self) -> list[Any]:
        """The elements that are layers; none, as in TensorFlow: Keras finds its layers itself."""
        return []

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of all elements that optimizers change."""
        return [v for v in self.weights if v.trainable] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of all elements that optimizers leave alone."""
        return [v for v in self.weights if not v.trainable] if self.trainable else self.weights

    @property
    def weights(self) -> list[Any]:
        """The variables of all elements: those in containers first, then the elements that are variables themselves."""
        nested = [v for value in self._values if isinstance(value, TrackableDataStructure) for v in value.weights]
        return [*nested, *[value for value in self._values if is_variable(value)]]

    @property
    def trainable_variables(self) -> list[Any]:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self.weights

"""`AutoTrackable`: an object whose attributes are its children.

Problem: users write `self.kernel = tf.Variable(...)` and `self.layers = [...]`, and expect checkpoints to find both.

Idea: setting an attribute tracks the value under the attribute's name. Lists, dicts and tuples become wrappers that
track what is in them (`data_structures.py`). Plain values, the great majority, are told by their class before
anything else is asked.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from millrace._src.trackable.base import SaveType, Trackable, TrackableFunction
from millrace._src.trackable.data_structures import NoDependency, sticky_attribute_assignment, wrapper_of
from millrace._src.util.export import export

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

_Method = TypeVar("_Method", bound=Callable[..., Any])


@export("__internal__.tracking.AutoTrackable", v1=["__internal__.tracking.AutoTrackable"])
class AutoTrackable(Trackable):
    """Base of objects whose attributes a checkpoint finds.

    >>> class Model(tf.__internal__.tracking.AutoTrackable):
    ...     def __init__(self):
    ...         self.scale = tf.Variable(1.0)
    ...         self.stages = [tf.Variable(2.0)]
    >>> model = Model()
    >>> list(model._trackable_children()), list(model.stages._trackable_children())
    (['scale', 'stages'], ['0'])
    """

    def __setattr__(self, name: str, value: TensorLike) -> None:
        if wrapper_of[type(value)] is not None and self._self_setattr_tracking:
            if getattr(self, name, _ABSENT) is value:
                return  # `self.layers += [layer]` sets what is there already
            value = sticky_attribute_assignment(self, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _delete_tracking(self, name: str) -> None:
        """Makes the child of a name no child any more."""
        if name in self._self_unconditional_dependency_names:
            del self._unconditional_dependency_names[name]

    def _no_dependency(self, value: TensorLike) -> NoDependency:
        """Returns what to set as an attribute so that the value does not become a child."""
        return NoDependency(value)

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        """Returns the children by name; for a SavedModel the functions among attributes and methods too."""
        children = super()._trackable_children(save_type, **kwargs)
        if save_type != SaveType.SAVEDMODEL:
            return children
        others = {name: child for name, child in children.items() if not isinstance(child, TrackableFunction)}
        functions = {name: getattr(self, name) for name in _function_names(self)}
        with contextlib.suppress(Exception):  # a property in Keras, which fails for models that are not built
            signature = getattr(self, _SIGNATURE, None)
            if isinstance(signature, TrackableFunction):
                functions[_SIGNATURE] = signature
        return others | dict(sorted(functions.items()))


_ABSENT = object()
_SIGNATURE = "_default_save_signature"


def _function_names(instance: object) -> list[str]:
    """Returns the names of attributes that are functions for SavedModels, without evaluating a property."""
    found = {name for cls in type(instance).__mro__ for name, value in vars(cls).items() if _is_function(value)}
    found.update(name for name, value in vars(instance).items() if _is_function(value))
    return sorted(found)


def _is_function(value: object) -> bool:
    """Returns whether an attribute, as it stands in a class or an instance, is a function or a static method of one."""
    return isinstance(value.__func__ if isinstance(value, staticmethod) else value, TrackableFunction)


@export(
    "__internal__.tracking.no_automatic_dependency_tracking",
    v1=["__internal__.tracking.no_automatic_dependency_tracking"],
)
def no_automatic_dependency_tracking(method: _Method) -> _Method:
    """Decorates a method so that the attributes it sets are stored as they are and become no children.

    >>> class Cache(tf.Module):
    ...     @tf.__internal__.tracking.no_automatic_dependency_tracking
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.seen = []
    >>> type(Cache().seen)
    <class 'list'>
    """

    @functools.wraps(method)
    def without_tracking(self: Any, *args: object, **kwargs: object) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return without_tracking  # type: ignore[return-value]  # functools.wraps keeps the signature, not the type


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Stores attributes that are set on `obj` within the scope as they are; they become no children."""
    previous = obj._self_setattr_tracking
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = previous

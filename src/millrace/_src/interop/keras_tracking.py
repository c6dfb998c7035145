"""What checkpoints must know of Keras: variables without storage, and state that Keras does not make trackable.

Keras's variables that are made while Keras traces a model have no storage before the outermost trace has ended; it then
begins with what the variable's initializer returns. Keras's lists and dicts of layers, its metrics and its generators
of seeds are not trackable, so TensorFlow's checkpoints have neither layers in lists nor the state of dropout.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from millrace._src.trackable.base import Trackable
from millrace._src.trackable.deferred_storage import DeferredStorage, register_deferred_storage
from millrace._src.trackable.parts import PartsOf, parts_of, register_parts

_VARIABLES = "keras.src.backend.tensorflow.core"
_CONTAINERS = "keras.src.utils.tracking"


def register_keras_state() -> None:
    """Lets checkpoints find the state of Keras's objects, and give values to variables that have no storage yet."""
    register_deferred_storage(_find_storage)
    register_parts(_find_parts)


class _KerasStorage:
    """The `DeferredStorage` of Keras's variables."""

    def is_missing(self, variable: Any) -> bool:
        """Returns whether a variable was made in a trace that has not ended."""
        return variable._value is None

    def set_initial_value(self, variable: Any, value: Any) -> None:
        """Makes a tensor the value that the storage of a variable begins with."""
        variable._initializer = lambda shape, dtype=None: value


_KERAS_STORAGE = _KerasStorage()


def _derives_from(cls: type, home: str, *names: str) -> bool:
    """Returns whether a class derives from one of Keras; none does before Keras's module was imported."""
    module = sys.modules.get(home)
    return module is not None and issubclass(cls, tuple(vars(module)[name] for name in names if name in vars(module)))


def _find_storage(cls: type) -> DeferredStorage | None:
    return _KERAS_STORAGE if _derives_from(cls, _VARIABLES, "Variable") else None


def _find_parts(cls: type) -> PartsOf | None:
    if _derives_from(cls, _CONTAINERS, "TrackedList"):
        return _elements
    if _derives_from(cls, _CONTAINERS, "TrackedDict", "TrackedOrderedDict"):
        return _values
    if _derives_from(cls, "keras.src.models.sequential", "Sequential"):
        return _parts_of_sequential
    if _derives_from(cls, "keras.src.backend.tensorflow.layer", "TFLayer"):
        return _attributes
    if _derives_from(cls, "keras.src.metrics.metric", "Metric"):
        return _state
    if _derives_from(cls, "keras.src.random.seed_generator", "SeedGenerator"):
        return _state
    return None


def _elements(container: Any) -> Mapping[str, Any]:
    return {str(index): part for index, part in enumerate(container) if _is_part(part)}


def _values(container: Any) -> Mapping[str, Any]:
    return {str(key): part for key, part in container.items() if _is_part(part)}


def _attributes(layer: object) -> Mapping[str, Any]:
    """Returns the attributes of a layer that have state and are not trackable."""
    return {
        name: part
        for name, part in vars(layer).items()
        if not isinstance(part, Trackable) and parts_of[type(part)] is not None
    }


def _parts_of_sequential(model: Any) -> Mapping[str, Any]:
    """Returns the parts of a sequential model: its layers only where no functional model leads to them.

    The list of layers begins with another one once the model is built, so that their indices say little.
    """
    parts = {name: part for name, part in _attributes(model).items() if name != "_layers"}
    layers = model.layers if model._functional is None else ()
    return parts | {f"layer_{index}": layer for index, layer in enumerate(layers)}


def _state(owner: object) -> Mapping[str, Any]:
    """Returns the attributes of a metric or a generator of seeds that are variables or have variables."""
    return {name: part for name, part in vars(owner).items() if _is_part(part)}


def _is_part(value: object) -> bool:
    return isinstance(value, Trackable) or parts_of[type(value)] is not None

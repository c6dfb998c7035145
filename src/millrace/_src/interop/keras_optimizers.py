"""What checkpoints must know of Keras's optimizers: which children tell nothing, and when the slots are made.

Keras appends each variable of an optimizer to `_variables` before it becomes an element of `_momentums` or the like.
The slots are complete when the outermost `build` returns, so an optimizer that waits for slots gets a `build` of its
own, for one call. The kind of a saved optimizer is known by the names of its variables, which begin with the name of
the optimizer: Keras makes that of the class's name unless a program gives another one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

from millrace._src.trackable.slot_owners import SlotOwner, register_slot_owner

_OPTIMIZERS = "keras.src.optimizers.base_optimizer"
_NAMING = "keras.src.utils.naming"
_COUNTER = re.compile(r"_\d+$")


def register_keras_optimizers() -> None:
    """Lets checkpoints match the slots of Keras's optimizers."""
    register_slot_owner(_find)


class _KerasOptimizers:
    """The `SlotOwner` of Keras's optimizers."""

    flat_list = "_variables"
    trained_list = "_trainable_variables"
    common: tuple[str, ...] = ("_iterations", "_learning_rate")

    def own_settings(self, owner: object, kind: str) -> frozenset[str]:
        """Returns the learning rate where one of both scales losses for another optimizer, which has the rate."""
        return _RATE if (self.kind(owner) in _WRAPPERS) != (kind in _WRAPPERS) else frozenset()

    def is_built(self, owner: Any) -> bool:
        """Returns whether an optimizer has its slots."""
        return bool(owner.built)

    def call_when_built(self, owner: object, action: Callable[[Any], None]) -> None:
        """Calls a function with an optimizer after the next call of `build` that succeeds."""

        def build(self: Any, *args: object, **kwargs: object) -> Any:
            built = type(self).build(self, *args, **kwargs)
            vars(self).pop("build", None)
            action(self)
            return built

        vars(owner)["build"] = MethodType(build, owner)  # a method, so that a copy of the optimizer has its own

    def kind(self, owner: Any) -> str:
        """Returns the name of an optimizer without a counter."""
        return _normalize(owner.name)

    def kind_in_name(self, variable_name: str) -> str:
        """Returns the name of the optimizer that is a part of a variable's name: "adam_1/iteration" -> "adam"."""
        return _normalize(variable_name.rpartition("/")[0].rpartition("/")[2])

    def is_related(self, owner: object, kind: str) -> bool | None:
        """Returns whether a class of that name is the optimizer's, a base or a subclass of it; None if there is none.

        `AdamW` has the same slots as `Adam`, from which it derives.
        """
        cls = type(owner)
        known = [other for other in _subclasses(_base()) if _normalize(other.__name__) == kind]
        return any(issubclass(cls, other) or issubclass(other, cls) for other in known) if known else None


_RATE = frozenset({"_learning_rate"})

_WRAPPERS = frozenset({"loss_scale_optimizer"})
"""The kinds of optimizers whose own learning rate, zero, is never used."""

_KERAS_OPTIMIZERS = _KerasOptimizers()


def _base() -> Any:
    module = sys.modules.get(_OPTIMIZERS)
    return None if module is None else module.BaseOptimizer


def _find(cls: type) -> SlotOwner | None:
    base = _base()
    return _KERAS_OPTIMIZERS if base is not None and issubclass(cls, base) else None


def _subclasses(cls: type) -> Iterator[type]:
    """Yields the classes that derive from Keras's base of optimizers and have a public name."""
    subclasses: list[type] = cls.__subclasses__()
    for subclass in subclasses:
        if subclass.__module__ not in _PLUMBING:
            yield subclass
        yield from _subclasses(subclass)


_PLUMBING = ("keras.src.backend.tensorflow.optimizer", "keras.src.optimizers.optimizer")
"""The modules of classes between Keras's base of optimizers and the optimizers: each optimizer derives from them."""


def _normalize(name: str) -> str:
    snake_case: str = sys.modules[_NAMING].to_snake_case(name)
    return _COUNTER.sub("", snake_case)

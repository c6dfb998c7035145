"""Which functions stand for Python's builtins in converted code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_REPLACEMENTS: dict[Any, Callable[..., Any]] = {}


def replacement(function: Any) -> Any:
    """What runs in place of a builtin function or class: itself, or a function that also takes tensors of the graph."""
    try:
        return _REPLACEMENTS.get(function, function)
    except TypeError:  # a class whose metaclass is not hashable
        return function


def replaces(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes the decorated function stand for a builtin; it must do the same where no tensor is met."""

    def register(new: Callable[..., Any]) -> Callable[..., Any]:
        _REPLACEMENTS[function] = new
        return new

    return register

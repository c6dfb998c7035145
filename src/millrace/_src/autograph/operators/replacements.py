"""The table of functions that replace Python's builtins in converted code.

A builtin such as `len` or `range` knows no tensor of a graph. The module of a replacement enters it with `replaces`,
and calls in converted code look every builtin up in the table.

Tests: tests/autograph/operators/test_builtins_over_tensors.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.tensorflow_refusals import is_strict

_REPLACEMENTS: dict[Any, Callable[..., Any]] = {}


def replacement(function: object) -> Any:
    """Returns what runs instead of a builtin function or class: itself, or a function that also takes tensors."""
    try:
        return _REPLACEMENTS.get(function, function)
    except TypeError:  # a class whose metaclass is not hashable
        return function


def replaces(function: Any, beyond_tensorflow: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes the decorated function replace a builtin; it must do the same where no tensor is met.

    Args:
      function: The builtin.
      beyond_tensorflow: Whether TensorFlow leaves the builtin alone. For users who ask for TensorFlow's refusals the
        builtin then stays, and refuses tensors of a graph.
    """

    def register(new: Callable[..., Any]) -> Callable[..., Any]:
        def unless_strict(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs) if is_strict() else new(*args, **kwargs)

        _REPLACEMENTS[function] = unless_strict if beyond_tensorflow else new
        return new

    return register


def replaces_for(
    function: object, takes: Callable[[tuple[Any, ...]], bool]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes the decorated function replace a builtin where its arguments are of a kind of a higher layer.

    Args:
      function: The builtin.
      takes: Returns, given the positional arguments, whether they are of that kind.
    """

    def register(new: Callable[..., Any]) -> Callable[..., Any]:
        otherwise = replacement(function)

        def chosen(*args: object, **kwargs: object) -> Any:
            return new(*args, **kwargs) if takes(args) else otherwise(*args, **kwargs)

        _REPLACEMENTS[function] = chosen
        return new

    return register

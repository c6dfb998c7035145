"""Public names, stated where the object is defined.

Problem: a public interface of five thousand names must not cost import time, and a name must be found next to the
thing it names, not in a list far away.

Idea: `@export("math.tanh", "tanh")` only notes the names. `tools/gen_api.py` reads these calls from the *source*,
without importing it, and writes `_api/table.py`, from which `_api/lazy.py` serves the names on first use. For the tool
to read them, names are string literals and the calls stand at module level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, TypeVar

T = TypeVar("T")

ROOT = "millrace"
"""The package whose namespaces serve the public names."""

# id of the object -> its public names, the canonical one first. Exported objects live as long as their module.
_noted: dict[int, tuple[str, ...]] = {}
_exported: dict[str, Any] = {}  # public name -> object, of the modules imported so far
_elementwise: dict[str, list[Any]] = {"unary": [], "binary": [], "binary_assert": []}
_listeners: list[Callable[[Any], None]] = []


def export(*names: str, v1: Sequence[str] | None = None, elementwise: str | None = None) -> Callable[[T], T]:
    """Gives a function, class or op its public names; returns the object itself.

    A function takes the canonical name as its `__module__` and `__name__`.

    >>> from millrace._src.util.export import export, public_name
    >>> @export("math.twice", "twice")
    ... def twice(x):
    ...     return x + x
    >>> public_name(twice)
    'math.twice'

    Args:
        *names: Dotted names below `tf`, the canonical one first.
        v1: Names below `tf.compat.v1`. None means the same names as in `tf`; an empty list means none.
        elementwise: "unary", "binary" or "binary_assert" for a function that treats the elements of its first argument,
            or of its first two, one by one: overloads for such functions are made by kind.

    Returns:
        A decorator.
    """

    def note(thing: T) -> T:
        known_names = names or tuple(f"compat.v1.{name}" for name in v1 or ())
        _noted[id(thing)] = known_names
        if known_names and isinstance(thing, FunctionType):
            name_publicly(thing, known_names[0])
        for name in known_names:
            _exported[name] = thing
        if elementwise is not None:
            _elementwise[elementwise].append(thing)
        for listener in _listeners:
            listener(thing)
        return thing

    return note


def name_publicly(function: Any, name: str) -> None:
    """Lets a function state, and be pickled by, its public name rather than the module of its source.

    Args:
        function: The function.
        name: Its canonical name below `tf`.
    """
    namespace, _, function.__name__ = name.rpartition(".")
    function.__qualname__ = function.__name__
    function.__module__ = f"{ROOT}.{namespace}" if namespace else ROOT


def export_constant(module: str, variable: str, *names: str, v1: Sequence[str] | None = None) -> None:
    """Gives a variable of a module public names: `export_constant(__name__, "float32", "dtypes.float32")`.

    For values that no decorator can stand on.

    Args:
        module: `__name__`.
        variable: The name in this module.
        *names: Its public names, as in `export`.
        v1: As in `export`.
    """


def export_all(module: str, prefix: str | Sequence[str], variables: Sequence[str], v1: str | None = None) -> None:
    """Exports several variables under one namespace: `export_all(__name__, "errors", ["OpError", ...])`.

    Args:
        module: `__name__`.
        prefix: Namespace below `tf`, or several, the canonical one first; the empty string is `tf` itself.
        variables: A literal list or tuple of module-level names.
        v1: Namespace below `tf.compat.v1`; None means the same one.
    """


def public_name(thing: object) -> str | None:
    """Returns the canonical public name of an exported object, without the leading `tf.`; None for other objects."""
    names = _noted.get(id(thing))
    return names[0] if names else None


def public_names(thing: object) -> tuple[str, ...]:
    """Returns the public names of an exported object, the canonical one first; no names for other objects."""
    return _noted.get(id(thing), ())


def find_exported(name: str) -> Any:
    """Returns the object with a public name, or None where the object's module has not been imported."""
    return _exported.get(name)


def elementwise_functions(kind: str) -> list[Any]:
    """Lists the element-wise functions of a kind among the modules imported so far."""
    return list(_elementwise[kind])


def elementwise_kind(thing: object) -> str | None:
    """Returns the kind of an element-wise function, None for other objects."""
    return next((kind for kind, things in _elementwise.items() if any(thing is other for other in things)), None)


def listen_to_exports(listener: Callable[[Any], None]) -> None:
    """Calls a function with each object that is exported from now on.

    Args:
        listener: Takes the object.
    """
    _listeners.append(listener)

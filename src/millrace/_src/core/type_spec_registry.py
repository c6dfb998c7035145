"""The names under which files know the user's classes of specs.

Problem: a file names the class of a spec, and code that reads the file must find the class; its position in Python's
modules may have changed meanwhile.

Idea: two dicts, from name to class and back, that `register` fills once for each class.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from millrace._src.core.type_specs import TypeSpec

_NAME = re.compile(r"^(\w+\.)+\w+$")
_classes: dict[str, type[TypeSpec]] = {}
_names: dict[type[TypeSpec], str] = {}
S = TypeVar("S", bound=type[TypeSpec])


def register(name: str) -> Callable[[S], S]:
    """Registers a class of specs under a name.

    Args:
        name: such as `"my_project.MyTypeSpec"`.

    Returns:
        A decorator of the class.

    Raises:
        TypeError: if the name is not a string or the class no class of specs.
        ValueError: if the name is of another form, or the name or the class is registered already.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.match(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' "
            f"(e.g. 'my_project.MyTypeSpec'); got {name!r}."
        )

    def note(cls: S) -> S:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in _names:
            raise ValueError(f"Class {_path(cls)} has already been registered with name {_names[cls]}.")
        if name in _classes:
            raise ValueError(f"Name {name} has already been registered for class {_path(_classes[name])}.")
        _classes[name] = cls
        _names[cls] = name
        return cls

    return note


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__name__}"


def lookup(name: str) -> type[TypeSpec]:
    """Returns the class registered under a name.

    Raises:
        TypeError: if the name is not a string.
        ValueError: if nothing is registered under it.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _classes:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _classes[name]


def get_name(cls: object) -> str:
    """Returns the name of a registered class.

    Raises:
        TypeError: if `cls` is not a class of specs.
        ValueError: if it is not registered.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls not in _names:
        raise ValueError(f"TypeSpec {_path(cls)} has not been registered.")
    return _names[cls]


def is_known(name: str) -> bool:
    """Returns whether a class is registered under a name."""
    return name in _classes


def is_registered(cls: type) -> bool:
    """Returns whether a class of specs has a registered name."""
    return cls in _names

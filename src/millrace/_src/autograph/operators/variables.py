"""Variables without a value, and the reads that complain about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RESULT = "retval_"
"""How the variables that hold a function's result are called."""


class Undefined:
    """What a variable holds that has no value yet."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


def is_defined(value: Any) -> bool:
    """Whether a variable has a value."""
    return value.__class__ is not Undefined


def ld(value: Any) -> Any:
    """The value of a variable.

    Raises: UnboundLocalError: if it has none.
    """
    if value.__class__ is Undefined:
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


def ldu(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute or item, or `Undefined` if there is none."""
    try:
        return read()
    except (UnboundLocalError, AttributeError, KeyError, IndexError):
        return Undefined(name)


def ret(returned: Any, result: Any) -> Any:
    """What a function returns: None if it came to its end."""
    return None if result.__class__ is Undefined else result

"""Variables without a value, and the reads that complain about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.staged_lists import StagedList
from millrace._src.autograph.operators.staging import is_tensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.util import nest

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
    except (UnboundLocalError, AttributeError, LookupError):
        return Undefined(name)


def local_variables(*variables: tuple[str, Callable[[], Any]]) -> dict[str, Any]:
    """What `locals()` gives: the variables that have a value; of each, its name and a function that reads it."""
    found = {}
    for name, read in variables:
        try:
            value = read()
        except NameError:
            continue
        if value.__class__ is not Undefined:
            found[name] = value
    return found


def container(value: Any) -> Any:
    """An object whose items count as variables.

    Raises: LookupError: if it is a tensor, which is a variable as a whole.
    """
    if is_tensor(value):
        raise LookupError
    return value


def _as_returned(part: Any) -> Any:
    return convert_to_tensor(part) if part.__class__ is StagedList else part


def ret(returned: Any, result: Any) -> Any:
    """What a function returns: None if it came to its end.

    A list whose length only the graph knows is returned as the tensor of its elements, in a structure too.
    """
    if result.__class__ is Undefined:
        return None
    if any(part.__class__ is StagedList for part in nest.flatten(result)):
        return nest.map_structure(_as_returned, result)
    return result

"""Variables without a value, and the reads that raise an error for such variables.

In the compact form blocks are functions, which pass their variables to operators, with or without a value. A variable
without a value holds an `Undefined`; converted code reads a doubtful variable by `ld`, which raises Python's own error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.staged_lists import StagedList
from millrace._src.autograph.operators.staged_values import is_tensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.util import nest

RESULT = "retval_"
"""The beginning of the names of the variables that hold a function's result."""


class Undefined:
    """The value of a variable that has no value yet in the user's program."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


def is_defined(value: object) -> bool:
    """Returns whether a variable has a value."""
    return value.__class__ is not Undefined


def ld(value: object) -> Any:
    """Returns the value of a variable.

    Raises: UnboundLocalError: if the variable has none.
    """
    if value.__class__ is Undefined:
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


def ldu(read: Callable[[], Any], name: str) -> Any:
    """Returns the value of an attribute or item, or `Undefined` if there is none."""
    try:
        return read()
    except (UnboundLocalError, AttributeError, LookupError):
        return Undefined(name)


def local_variables(*variables: tuple[str, Callable[[], Any]]) -> dict[str, Any]:
    """Returns what `locals()` gives: the variables that have a value.

    Args: *variables: For each variable, its name and a function that reads it.
    """
    values = {}
    for name, read in variables:
        try:
            value = read()
        except NameError:
            continue
        if value.__class__ is not Undefined:
            values[name] = value
    return values


def container(value: object) -> Any:
    """Returns an object whose items count as variables.

    Raises: LookupError: if the object is a tensor, which is a variable as a whole.
    """
    if is_tensor(value):
        raise LookupError
    return value


def _as_returned(part: Any) -> Any:
    return convert_to_tensor(part) if part.__class__ is StagedList else part


def ret(returned: object, result: object) -> Any:
    """Returns the value that a function returns: None if the function came to its end.

    A list whose length only the graph knows is returned as the tensor of its elements, in a structure too.
    """
    if result.__class__ is Undefined:
        return None
    if any(part.__class__ is StagedList for part in nest.flatten(result)):
        return nest.map_structure(_as_returned, result)
    return result

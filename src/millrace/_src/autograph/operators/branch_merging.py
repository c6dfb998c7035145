"""One value from the values that a variable has at the ends of two branches.

A graph traces both branches of an `if`. Afterwards a variable holds the Python value that both branches share, or
tensors from the branch that ran; anything else is an error with advice.

Tests: tests/autograph/operators/test_if_statements.py, tests/autograph/test_messages.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.autograph.operators.staged_lists import TrialList
from millrace._src.autograph.operators.staged_values import is_tensor
from millrace._src.autograph.operators.undefined_variables import RESULT, Undefined
from millrace._src.core.composite import common_structure
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.util import nest

_LITERALS = (bool, int, float, complex, str, bytes, type(None))


def name_of(name: str) -> str:
    """Returns the words by which messages name a variable."""
    return "the return value" if name.startswith(RESULT) else f"'{name}'"


class Merged:
    """A variable after a branch: a Python value that both branches share, or tensors from either.

    Attributes:
      structure: The value in the main branch; None where the value is static.
      main, other: The value's leaves as tensors, one list from each branch; None means zeros like the other
        list's.
      static: The value, if it is not a tensor.
    """

    def __init__(
        self, static: Any = None, structure: Any = None, main: list[Any] | None = None, other: Any = None
    ) -> None:
        self.static = static
        self.structure = structure
        self.main = main
        self.other = other


def is_same_value(a: object, b: object) -> bool:
    """Returns whether two values are the same Python value, and no tensors."""
    if a is b:
        return a.__class__ is TrialList or not is_tensor(a)
    if type(a) is type(b) and isinstance(a, _LITERALS):
        return repr(a) == repr(b)  # -0.0 is another value than 0.0
    return False


def has_same_values(a: object, b: object) -> bool:
    """Returns whether two values are alike down to the leaves, and the leaves are the same objects or Python values."""
    try:
        nest.assert_same_structure(a, b, expand_composites=True)
    except (TypeError, ValueError):
        return False
    return all(x is y or is_same_value(x, y) for x, y in zip(flatten(a), flatten(b), strict=True))


def flatten(value: object) -> list[Any]:
    """Returns the leaves of a structure, and the component tensors of composite tensors in the structure."""
    return nest.flatten(value, expand_composites=True)


def to_tensor(leaf: Any) -> Any:
    """Returns a leaf as a tensor; None if it cannot be one, or is a list whose elements are not known yet."""
    if leaf.__class__ is TrialList:
        return None
    try:
        return leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf)
    except (TypeError, ValueError):
        return None


def to_tensors(value: Any) -> list[Any] | None:
    """Returns the leaves of a value as tensors; None if one of the leaves cannot be a tensor."""
    tensors = [to_tensor(leaf) for leaf in flatten(value)]
    return None if any(tensor is None for tensor in tensors) else tensors


def merge(
    name: str, main: Any, other: Any, tensors: tuple[list[Any] | None, list[Any] | None], is_certain: bool
) -> Merged:
    """Merges the values of a variable at the ends of two branches.

    Args:
      name: The variable.
      main, other: The variable's values at the ends of the branches.
      tensors: The leaves of both values as tensors, made in the graphs of the branches.
      is_certain: Whether the variable has a value wherever it is read, so that a value missing here is never used.

    Raises:
      ValueError: if the variable has a value in one branch only, or is None in one.
      TypeError: if the values differ in structure or dtype, or are not tensors.
    """
    if is_same_value(main, other) or (main.__class__ is Undefined and other.__class__ is Undefined):
        return Merged(static=main)
    for value, branch in ((main, "main"), (other, "else")):
        if value.__class__ is Undefined:
            if is_certain:
                return _merge_half(main, other, tensors)
            raise ValueError(_missing(name, branch))
    for value, branch in ((main, "main"), (other, "else")):
        if value is None:
            raise ValueError(
                f"{name_of(name)} is None at the end of the {branch} branch. What is None in one branch has no dtype "
                "there; give it a Tensor in both."
            )
    _check_structures(name, main, other)
    for value, leaves, branch in ((main, tensors[0], "main"), (other, tensors[1], "else")):
        if leaves is None:
            opposite = "else" if branch == "main" else "main"
            raise TypeError(
                f"{name_of(name)} is a {type(value).__name__} object at the end of the {branch} branch, and another "
                f"one at the end of the {opposite} branch. Only values that can be Tensors may differ between branches "
                "that depend on a Tensor; use the same object in both, or choose between Tensors."
            )
    for a, b in zip(tensors[0] or (), tensors[1] or (), strict=True):
        if a.dtype is not b.dtype:
            cure = conversion(b.dtype, a.dtype)
            raise TypeError(
                f"{name_of(name)} has dtype {a.dtype.name} in the main branch, but dtype {b.dtype.name} in the else "
                f"branch. Use {cure.partition('(')[0]} in one of them: {cure}."
            )
    return Merged(structure=common_structure(main, [other]), main=tensors[0], other=tensors[1])


def conversion(dtype: Any, target: Any, value: str = "value") -> str:
    """Returns the text of the call that converts a value of a dtype to another dtype."""
    if target.name == "string":
        return f"tf.strings.as_string({value})"
    if dtype.name == "string":
        return f"tf.strings.to_number({value}, tf.{target.name})"
    return f"tf.cast({value}, tf.{target.name})"


def _merge_half(main: object, other: object, tensors: tuple[list[Any] | None, list[Any] | None]) -> Merged:
    """Merges a result that only one branch sets: the other branch gives zeros, which no code reads."""
    is_main = main.__class__ is not Undefined
    value, leaves = (main, tensors[0]) if is_main else (other, tensors[1])
    if value is None or leaves is None:
        return Merged(static=value)
    return Merged(structure=value, main=leaves if is_main else None, other=None if is_main else leaves)


def _missing(name: str, branch: str) -> str:
    if name.startswith(RESULT):
        return (
            f"the {branch} branch must also have a return statement. Both branches of a condition that depends on a "
            "Tensor must return a value, or neither."
        )
    return (
        f"'{name}' must also be initialized in the {branch} branch. Assign it before the `if`, or in both branches: "
        "the condition depends on a Tensor, so both are traced."
    )


def _check_structures(name: str, main: object, other: object) -> None:
    try:
        nest.assert_same_structure(main, other, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name_of(name)} must have the same nested structure in the main and else branches:\n\n{error}"
        ) from None

"""Which classes represent the kinds of specs in files, found by the kind.

Problem: a file says "a ragged tensor spec", and the class of that kind is in a module that may not be loaded yet, of a
layer above. A function that makes a dataset has the same problem: the class has the functions as its methods.

Idea: a class states its kind where it is defined. `tools/gen_api.py` collects the modules, as those of ops, and a kind
that is asked for loads the module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from millrace._src.core.op_homes import WIRE_FORM_HOMES
from millrace._src.core.op_registry import import_home

C = TypeVar("C", bound=type)

CODEC = "CODEC"
"""The kind of the class that turns specs into messages and back: `graph.structured_values.SpecCodec`."""

_forms: dict[str, type] = {}
_kinds: dict[type, str] = {}


def wire_form(kind: str) -> Callable[[C], C]:
    """States the kind that a class has in files.

    Args:
        kind: a name of the enumeration `TypeSpecProto.TypeSpecClass`, such as `"RAGGED_TENSOR_SPEC"`.

    Returns:
        A decorator of the class.
    """

    def note(cls: C) -> C:
        _forms[kind] = cls
        _kinds[cls] = kind
        return cls

    return note


def class_of_kind(kind: str) -> Any:
    """Returns the class of a kind; None if no class states it."""
    import_home(WIRE_FORM_HOMES.get(kind))
    return _forms.get(kind)


def kind_of_class(cls: type) -> str | None:
    """Returns the kind that a class states; None if it states none."""
    return _kinds.get(cls)

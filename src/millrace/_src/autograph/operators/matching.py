"""The tests of `match`, which tell whether a subject fits a pattern.

The structure of a subject is tested in Python, by Python's rules: the class of a subject determines whether the subject
is a sequence, and text, arrays and tensors are not sequences. Values are compared with `==`, whose result for a tensor
is a tensor.

Tests: tests/autograph/transform/test_match_statements.py
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from millrace._src.autograph.operators.builtin_iterators import in_python
from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.if_statements import if_exp
from millrace._src.autograph.operators.staged_values import belongs_into_graph
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw

sequences = frozenset({tuple, list})
"""The classes whose objects are sequences of their own items."""
_MATCHES_ITSELF = 1 << 22
"""The flag (_Py_TPFLAGS_MATCH_SELF) of classes such as `int` whose one positional part is the object itself."""
_MISSING = object()


# --- sequences -------------------------------------------------------------------------------------------------------


def _length(subject: object) -> int | None:
    """Returns the length of a sequence; None for anything else."""
    if subject.__class__ is tuple or subject.__class__ is list:
        return len(subject)
    match subject:
        case [*_]:
            return len(subject)
    return None


def match_items(subject: object, count: int) -> Sequence[Any] | None:
    """Returns the items of a sequence of a certain length; None for anything else."""
    if _length(subject) != count:
        return None
    return _items(subject)


def match_ends(subject: Any, before: int, after: int) -> Sequence[Any] | None:
    """Returns the first and the last items of a sequence that has so many, else None; other items are not touched."""
    length = _length(subject)
    if length is None or length < before + after:
        return None
    return [subject[index] for index in (*range(before), *range(length - after, length))]


def match_with_rest(subject: object, before: int, after: int) -> Sequence[Any] | None:
    """Returns the first items, the list of those between, and the last items; None if there are too few items."""
    length = _length(subject)
    if length is None or length < before + after:
        return None
    items = _items(subject)
    return [*items[:before], items[before : length - after], *items[length - after :]]


def _items(subject: object) -> list[Any]:
    return [*in_python(subject)]


# --- mappings and classes --------------------------------------------------------------------------------------------


def match_mapping(subject: object, keys: Sequence[Any]) -> Sequence[Any] | None:
    """Returns the values of keys of a mapping; None for another subject or if a key is missing.

    Raises: ValueError: if a key stands in the pattern twice.
    """
    match subject:
        case {}:
            pass
        case _:
            return None
    if not keys:
        return ()
    if len(subject) < len(keys):
        return None
    values: list[Any] = []
    seen: set[Any] = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        value = subject.get(key, _MISSING)
        if value is _MISSING:
            return None
        values.append(value)
    return values


def mapping_rest(subject: Any, keys: Sequence[Any]) -> dict[Any, Any]:
    """Returns a mapping without some of its keys."""
    rest = dict(subject)
    for key in keys:
        del rest[key]
    return rest


def match_class(subject: Any, kind: Any, count: int, names: Sequence[str]) -> Sequence[Any] | None:
    """Returns the parts of an object of a class: those that `__match_args__` names, then attributes.

    Args:
      subject: The object.
      kind: The class.
      count: The number of positional parts.
      names: The attributes.

    Returns: The parts; None if the object is of another class or lacks an attribute.
    Raises: TypeError: if `kind` is not a class, or has no such positional parts, or a part is named twice.
    """
    match subject:
        case kind():  # Python's own error if `kind` is not a class
            pass
        case _:
            return None
    attributes, values = _positional_names(kind, count), []
    if attributes is None:
        attributes, values = (), [subject]
    seen: set[str] = set()
    for name in (*attributes, *names):
        if name in seen:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
        seen.add(name)
        try:
            values.append(getattr(subject, name))
        except AttributeError:
            return None
    return values


def _positional_names(kind: Any, count: int) -> Sequence[str] | None:
    """Returns the attributes of the positional parts of a class; None if the part is the object itself."""
    if not count:
        return ()
    arguments = getattr(kind, "__match_args__", None)
    if arguments is None and kind.__flags__ & _MATCHES_ITSELF:
        allowed = 1
    else:
        arguments = () if arguments is None else arguments
        if not isinstance(arguments, tuple):
            type_name = type(arguments).__name__
            raise TypeError(f"{kind.__name__}.__match_args__ must be a tuple (got {type_name})")
        allowed = len(arguments)
    if count > allowed:
        parts = "sub-pattern" if allowed == 1 else "sub-patterns"
        raise TypeError(f"{kind.__name__}() accepts {allowed} positional {parts} ({count} given)")
    if arguments is None:
        return None
    for name in arguments[:count]:
        if not isinstance(name, str):
            raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
    return arguments[:count]


# --- values ----------------------------------------------------------------------------------------------------------


def matches_value(subject: object, value: object) -> Any:
    """Returns whether a subject equals a value: a bool, or a tensor."""
    if belongs_into_graph(subject) or belongs_into_graph(value):
        try:
            equal = _equal(subject, value)
        except (TypeError, ValueError):
            return False  # values of kinds that no tensor can hold together are unequal in Python
    else:
        equal = subject == value
    return condition_tensor(equal, "case") if belongs_into_graph(equal) else bool(equal)


def _equal(subject: Any, value: Any) -> Any:
    tensor = subject if belongs_into_graph(subject) else value
    dtype = convert_to_tensor(tensor).dtype
    return raw.Equal(x=convert_to_tensor(subject, dtype=dtype), y=convert_to_tensor(value, dtype=dtype))


def matches_any(subject: object, values: Sequence[Any]) -> Any:
    """Returns whether a subject equals one of some values: a bool, or a tensor."""
    matches: Any = False
    for value in values:
        matches = either(matches, matches_value(subject, value))
        if matches is True:
            break
    return matches


def either(first: object, second: object) -> Any:
    """Returns whether one of two tests holds, each False, True or a tensor."""
    if first is False or second is True:
        return second
    return first if second is False or first is True else raw.LogicalOr(x=first, y=second)


def both(tests: Sequence[Any]) -> Any:
    """Returns whether all tests hold that are True or a tensor."""
    tensors = [test for test in tests if test is not True]
    return functools.reduce(lambda x, y: raw.LogicalAnd(x=x, y=y), tensors) if tensors else True


def chosen(alternatives: Sequence[tuple[Any, Any]]) -> Any:
    """Returns the values that belong to the first alternative that fits.

    Args: alternatives: With each alternative whether it fits: False, True, a tensor, or None if it was not asked.
    """
    possible = [(fits, values) for fits, values in alternatives if fits is not False and fits is not None]
    (fits, values), *others = possible
    if fits is True or not others:
        return values
    return if_exp(fits, lambda: values, lambda: chosen(others), "case")

"""Which graph of a loaded function fits a call; and where none fits, what is wrong with the nearest.

Problem: a loaded function cannot trace its Python code for other arguments, so a call fits one of the graphs or fails.
"No graph fits" does not help a user who has ten graphs and one wrong dtype.

Idea: one walk over a trace type and a value lists the `Difference`s. A graph without differences fits; the graph with
the fewest is the nearest. Python numbers and lists count as tensors only where no graph fits as the values are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import Tensor
from millrace._src.function.function_type import FunctionType
from millrace._src.function.handle_spec import HandleSpec
from millrace._src.function.trace_builder import from_value, is_array
from millrace._src.function.trace_structures import DictType, ListType, NamedTupleType, NestedType, TupleType
from millrace._src.function.trace_types import Literal, TraceType, literal_key_or_none
from millrace._src.state.variable_spec import VariableSpec
from millrace._src.util import nest

_MAX_OPTIONS = 20
"""The graphs that an error lists at most."""


@dataclass(frozen=True)
class Difference:
    """One argument, or part of an argument, that does not fit.

    Attributes:
      path: the argument, as `x` or `x['a'][0]`.
      expected: what the graph takes.
      found: what the call gives.
    """

    path: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"`{self.path}` should be {self.expected}, but is {self.found}"


def fits(types: Sequence[Any], values: Sequence[Any], *, converts: bool) -> bool:
    """Returns whether arguments fit a graph.

    Args:
      types: the trace types of the graph's parameters.
      values: the arguments in the order of the parameters.
      converts: whether Python numbers and lists count as tensors.
    """
    if len(types) != len(values):
        return False
    return not any(_has_difference(kind, value, converts) for kind, value in zip(types, values, strict=True))


def _has_difference(kind: object, value: object, converts: bool) -> bool:
    return next(differences(kind, value, "", converts), None) is not None


def differences(kind: object, value: object, path: str, converts: bool = True) -> Iterator[Difference]:
    """Yields where a value does not fit a trace type."""
    if isinstance(kind, HandleSpec):
        kind = kind.tensor
    if type(kind) is TensorSpec:
        difference = _tensor_difference(kind, value, path, converts)
    elif isinstance(kind, Literal):
        difference = _literal_difference(kind, value, path)
    elif isinstance(kind, NestedType):
        yield from _structure_differences(kind, value, path, converts)
        return
    else:
        difference = None if _fits_spec(kind, value) else Difference(path, repr(kind), describe(value))
    if difference is not None:
        yield difference


def _tensor_difference(kind: TensorSpec, value: object, path: str, converts: bool) -> Difference | None:
    spec = _tensor_spec(kind, value, converts)
    if spec is None or spec.dtype is not kind.dtype or not kind.shape.is_compatible_with(spec.shape):
        return Difference(path, _tensor_text(kind), describe(value) if spec is None else _tensor_text(spec))
    return None


def _tensor_spec(kind: TensorSpec, value: Any, converts: bool) -> TensorSpec | None:
    """Returns the spec of a value that counts as a tensor, else None."""
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, Tensor) or is_variable(value):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return TensorSpec(TensorShape.of(value.shape), as_dtype(value.dtype))
    if is_array(value):
        value = np.asarray(value)
    elif not converts or value is None or isinstance(value, (TypeSpec, TraceType)):
        return None
    try:
        tensor = convert_to_tensor(value, dtype=kind.dtype)
    except (TypeError, ValueError):
        return None
    return TensorSpec(tensor.shape, tensor.dtype)


def _literal_difference(kind: Literal, value: object, path: str) -> Difference | None:
    if isinstance(value, Literal):
        value = value.value
    if isinstance(value, np.generic):
        value = value.item()
    if literal_key_or_none(value) == literal_key_or_none(kind.value) or _are_equal_numbers(value, kind.value):
        return None
    return Difference(path, repr(kind.value), describe(value))


def _are_equal_numbers(value: object, literal: object) -> bool:
    """Returns whether two Python numbers are equal; truth values are not numbers here."""
    return all(type(number) in (int, float, complex) for number in (value, literal)) and bool(value == literal)


def _structure_differences(kind: NestedType, value: object, path: str, converts: bool) -> Iterator[Difference]:
    if not _is_alike(kind, value):
        yield Difference(path, repr(kind), describe(value))
        return
    items = value.components if isinstance(value, NestedType) else kind.unpack(value)
    for part, accessor, item in zip(kind.components, kind.accessors, items, strict=True):
        yield from differences(part, item, path + accessor, converts)


def _is_alike(kind: NestedType, value: Any) -> bool:
    """Returns whether a value is a container of the kind; a class that is saved by its name is known by its name."""
    if isinstance(value, NestedType):
        return value.container_key() == kind.container_key()
    if isinstance(kind, NamedTupleType):
        return nest.named_tuple_fields(value) == tuple(kind.fields)
    if isinstance(kind, TupleType):
        is_plain = isinstance(value, tuple) and nest.named_tuple_fields(value) is None
        return is_plain and len(value) == len(kind.components)
    if isinstance(kind, ListType):
        return isinstance(value, list) and len(value) == len(kind.components)
    if isinstance(kind, DictType):
        return isinstance(value, Mapping) and set(value) == set(kind.keys)
    try:
        return bool(from_value(value).container_key() == kind.container_key())
    except (AttributeError, TypeError):
        return False


def _fits_spec(kind: Any, value: Any) -> bool:
    """Returns whether a value, or a spec of it, fits the spec of a composite, a variable or a user's type."""
    if isinstance(kind, VariableSpec):
        return (is_variable(value) or isinstance(value, VariableSpec)) and kind.is_compatible_with(value)
    if isinstance(kind, TypeSpec):
        return isinstance(value, (TypeSpec, kind.value_type)) and bool(kind.is_compatible_with(value))
    try:
        return bool(from_value(value).is_subtype_of(kind))
    except TypeError:
        return False


# --- words -----------------------------------------------------------------------------------------------------------


def _tensor_text(spec: TensorSpec) -> str:
    return f"a tensor of dtype {spec.dtype.name} and shape {spec.shape}"


def describe(value: object) -> str:
    """Returns a value of a call in words: a tensor by its dtype and shape, anything else as Python shows it."""
    if isinstance(value, TensorSpec):
        return _tensor_text(value)
    if isinstance(value, Tensor) or is_variable(value) or isinstance(value, np.ndarray):
        return _tensor_text(TensorSpec(value.shape, as_dtype(value.dtype)))
    text = repr(value)
    return f"{text if len(text) <= 200 else text[:197] + '...'} ({type(value).__name__})"


def no_match_message(values: Sequence[Any], options: Sequence[FunctionType], keywords: Sequence[str] = ()) -> str:
    """Returns the words for a call that fits no graph.

    Args:
      values: the bound arguments.
      options: the types of the graphs, one at least.
      keywords: the keywords of the call beyond the parameters, whose values come last.
    """
    differences_of = [_all_differences(option, values, keywords) for option in options]
    ranked = sorted(range(len(options)), key=lambda number: len(differences_of[number]))
    first, *others = differences_of[ranked[0]]
    further = f" (and {len(others)} more)" if others else ""
    listed = [f"Option {number + 1}:\n{_option_text(options[number])}" for number in sorted(ranked[:_MAX_OPTIONS])]
    hidden = [f"... and {len(options) - _MAX_OPTIONS} more."] if len(options) > _MAX_OPTIONS else []
    return "\n\n".join(
        [
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            + _values_text(list(options[0].parameters), values),
            f" Nearest is option {ranked[0] + 1}: {first}{further}.",
            f" Expected these arguments to match one of the following {len(options)} option(s):",
            *listed,
            *hidden,
        ]
    )


def _all_differences(option: FunctionType, values: Sequence[Any], keywords: Sequence[str]) -> list[Difference]:
    unknown = [keyword for keyword in keywords if keyword not in option.parameters]
    if unknown:
        return [Difference(keyword, "left out", "given") for keyword in unknown]
    parameters = list(option.parameters.values())
    all_differences = [
        difference
        for parameter, value in zip(parameters, values, strict=False)
        for difference in differences(parameter.annotation, value, parameter.name)
    ]
    if len(parameters) != len(values):
        counts = (f"{len(numbered)} arguments" for numbered in (parameters, values))
        all_differences.append(Difference("the call", *counts))
    return all_differences


def _values_text(names: Iterable[str], values: Sequence[Any]) -> str:
    named = dict(zip(names, values, strict=False))
    lines = [f"    * {name}: {describe(value)}" for name, value in named.items()]
    lines += [f"    * {describe(value)}" for value in values[len(named) :]]
    return "\n".join([f"  Arguments ({len(values)} total):", *lines])


def _option_text(option: FunctionType) -> str:
    lines = [f"    * {parameter.name}: {_type_text(parameter.annotation)}" for parameter in option.parameters.values()]
    return "\n".join([f"  Arguments ({len(lines)} total):", *lines])


def _type_text(kind: object) -> str:
    return repr(kind.value) if isinstance(kind, Literal) else repr(kind)

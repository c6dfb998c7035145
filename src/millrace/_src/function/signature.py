"""From a call's arguments to the parameters of a trace.

Problem: `f(x)`, `f(a=x)` and `f(x, 2)` with default 2 are the same call. Binding must take a microsecond or two, and a
call that does not fit must get Python's own complaint in TensorFlow's words.

Idea: a `CallSignature` compiles the function's parameters once into a table of names, positions and defaults. `bind`
gives the argument values in one fixed order plus a small hashable `ArgumentLayout` (how many went into `*args`, which
names into `**kwargs`); values and layout together decide the trace. `inspect` is asked only to word an error.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from millrace._src.core.errors import OpError
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.function.function_type import CAPTURED_DEFAULT_VALUE, FunctionType, Parameter
from millrace._src.function.handle_spec import HandleSpec
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_structures import NestedType
from millrace._src.function.trace_types import CastContext, Literal, PlaceholderContext, TraceType, Weakref
from millrace._src.util import nest

_POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
_VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
_POSITIONAL = (_POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class ArgumentLayout(NamedTuple):
    """How the arguments of a call are spread over the parameters."""

    var_positional: int
    var_keyword: tuple[str, ...]


_PLAIN_LAYOUT = ArgumentLayout(0, ())


class CallSignature:
    """The parameters of a Python function, prepared for binding calls.

    Attributes:
        function_type: The parameters, with the types of `input_signature` if there is one.
        defaults: Default values by name.
        is_constrained: Whether `input_signature` was given.
    """

    def __init__(self, function_type: FunctionType, defaults: Mapping[str, Any], is_constrained: bool = False) -> None:
        self.function_type = function_type
        self.defaults = dict(defaults)
        self.is_constrained = is_constrained
        parameters = list(function_type.parameters.values())
        self._positional = [p.name for p in parameters if p.kind in _POSITIONAL]
        self._keyword_only = [p.name for p in parameters if p.kind is _KEYWORD_ONLY]
        self._by_keyword = {
            p.name: i for i, p in enumerate(parameters) if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        }
        self._has_var_positional = any(p.kind is _VAR_POSITIONAL for p in parameters)
        self._has_var_keyword = any(p.kind is _VAR_KEYWORD for p in parameters)
        self._fixed = len(self._positional)
        self._is_simple = not self._keyword_only
        self.order = {name: i for i, name in enumerate([*self._positional, *self._keyword_only])}
        """The position of each named parameter among a call's values."""

    # --- binding -------------------------------------------------------------------------------------------------

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], ArgumentLayout]:
        """Returns the argument values in parameter order, defaults filled in, and the layout.

        Raises: TypeError: when the arguments do not fit the signature.
        """
        count = len(args)
        if not kwargs and self._is_simple and count == self._fixed:
            return list(args), _PLAIN_LAYOUT
        if count > self._fixed and not self._has_var_positional:
            raise self.binding_error(self._complaint(args, kwargs), args, kwargs)
        values = list(args[: self._fixed])
        extra = args[self._fixed :]
        remaining_arguments = dict(kwargs)
        for name in self._positional[count:]:
            values.append(self._take(name, remaining_arguments, name in self._by_keyword, args, kwargs))
        values.extend(extra)
        values.extend(self._take(name, remaining_arguments, True, args, kwargs) for name in self._keyword_only)
        if remaining_arguments and (not self._has_var_keyword or self._names_positional(remaining_arguments, count)):
            raise self.binding_error(self._complaint(args, kwargs), args, kwargs)
        names = tuple(sorted(remaining_arguments))
        values.extend(remaining_arguments[name] for name in names)
        return values, ArgumentLayout(len(extra), names)

    def _take(self, name: str, remaining: dict[str, Any], by_keyword: bool, args: Any, kwargs: Any) -> Any:
        if by_keyword and name in remaining:
            return remaining.pop(name)
        try:
            return self.defaults[name]
        except KeyError:
            raise self.binding_error(self._complaint(args, kwargs), args, kwargs) from None

    def _names_positional(self, names: Mapping[str, Any], count: int) -> bool:
        """Returns whether a keyword repeats an argument that was already given by position."""
        return any(self._by_keyword.get(name, count) < count for name in names)

    def _complaint(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Returns Python's message about a call that does not fit the parameters."""
        try:
            self.function_type.bind(*args, **kwargs)
        except TypeError as error:
            return str(error)
        missing_name = next((p for p in self._positional + self._keyword_only if p not in self.defaults), None)
        return f"missing a required argument: '{missing_name}'"

    def binding_error(self, reason: object, args: Sequence[Any], kwargs: Mapping[str, Any]) -> TypeError:
        """Makes the error of a call whose arguments do not fit."""
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. "
            f"Received args: {tuple(args)} and kwargs: {dict(kwargs)} for signature: {self.function_type}."
        )

    # --- types ---------------------------------------------------------------------------------------------------

    @property
    def has_unconstrained(self) -> bool:
        """Whether `input_signature` leaves a parameter (`self`) without a type."""
        return any(p.annotation is inspect.Parameter.empty for p in self.function_type.parameters.values())

    def cast(
        self, values: list[Any], args: Sequence[Any], kwargs: Mapping[str, Any], allow_specs: bool = False
    ) -> list[Any]:
        """Casts the values to the types of `input_signature`; specs may represent values if `allow_specs`.

        Raises: TypeError: naming the first value that cannot be cast.
        """
        context = CastContext(allow_specs)
        constraints = [p.annotation for p in self.function_type.parameters.values()]
        cast = []
        for constraint, value in zip(constraints, values):
            if constraint is inspect.Parameter.empty:
                cast.append(value)
                continue
            try:
                cast.append(constraint.cast(value, context))
            except OpError:
                raise  # the words are those of an op of TensorFlow, which finds the mismatch when the function runs
            except Exception as error:
                raise self.binding_error(error, args, kwargs) from error
        return cast

    def monomorphic(self, types: Sequence[Any], layout: ArgumentLayout) -> FunctionType:
        """Returns the function type of a trace for arguments of these types."""
        if self.is_constrained:
            return FunctionType(
                Parameter(p.name, p.kind, p.default is not inspect.Parameter.empty, t)
                for p, t in zip(self.function_type.parameters.values(), types)
            )
        return FunctionType(
            Parameter(name, kind, False, kind_of_value)
            for (name, kind), kind_of_value in zip(self._parameters_of(layout), types)
        )

    def _parameters_of(self, layout: ArgumentLayout) -> list[tuple[str, Any]]:
        result: list[tuple[str, Any]] = []
        for parameter in self.function_type.parameters.values():
            if parameter.kind in _POSITIONAL:
                result.append((parameter.name, _POSITIONAL_ONLY if self._has_var_positional else parameter.kind))
            elif parameter.kind is _VAR_POSITIONAL:
                result += [(f"{parameter.name}_{i}", _POSITIONAL_ONLY) for i in range(layout.var_positional)]
            elif parameter.kind is _KEYWORD_ONLY:
                result.append((parameter.name, _KEYWORD_ONLY))
        result += [(name, _KEYWORD_ONLY) for name in layout.var_keyword]
        return result

    def call_python(self, function: Callable[..., Any], values: Sequence[Any], layout: ArgumentLayout) -> Any:
        """Calls `function` with values that `bind` (or a trace) put in order."""
        positional = self._fixed + layout.var_positional
        names = (*self._keyword_only, *layout.var_keyword)
        return function(*values[:positional], **dict(zip(names, values[positional:])))


# --- making signatures -------------------------------------------------------------------------------------------


def make_signature(
    function: Callable[..., Any], input_signature: object = None, is_method: bool = False
) -> CallSignature:
    """Makes the signature of a Python callable, constrained by `input_signature` if given.

    Raises: TypeError: if `input_signature` does not fit the function's parameters.
    """
    function_type = FunctionType.from_callable(function)
    defaults = FunctionType.get_default_values(function)
    if input_signature is None:
        return CallSignature(function_type, defaults)
    specs = check_input_signature(input_signature)
    return CallSignature(constrain(function_type, specs, defaults), defaults, is_constrained=True)


def check_input_signature(input_signature: object) -> tuple[Any, ...]:
    """Returns `input_signature` as a tuple of trace types.

    Raises: TypeError: if `input_signature` is not a possibly nested list or tuple of specs.
    """
    if not isinstance(input_signature, (tuple, list)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
    leaves = nest.flatten(tuple(input_signature))
    invalid = [leaf for leaf in leaves if not isinstance(leaf, (TypeSpec, TraceType))]
    if invalid:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, "
            f"got invalid args {invalid} with types {[type(leaf) for leaf in invalid]}."
        )
    return tuple(input_signature)


def constrain(function_type: FunctionType, specs: Sequence[Any], defaults: Mapping[str, Any]) -> FunctionType:
    """Returns `function_type` with the types of `specs`; `*args` takes the surplus, `**kwargs` goes.

    Raises: TypeError: if `specs` do not fit the parameters.
    """
    remaining_specs = list(specs)
    has_var_positional = any(p.kind is _VAR_POSITIONAL for p in function_type.parameters.values())
    result: list[Parameter] = []
    for index, parameter in enumerate(function_type.parameters.values()):
        if parameter.kind in _POSITIONAL:
            kind = _POSITIONAL_ONLY if has_var_positional else parameter.kind
            result.append(_constrain_positional(parameter, kind, index, remaining_specs, defaults))
        elif parameter.kind is _VAR_POSITIONAL:
            result += [
                Parameter(f"{parameter.name}_{i}", _POSITIONAL_ONLY, False, from_value(spec))
                for i, spec in enumerate(remaining_specs)
            ]
            remaining_specs = []
        elif parameter.kind is _KEYWORD_ONLY:
            if parameter.name not in defaults:
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{parameter.name}` must have a default "
                    "value"
                )
            result.append(Parameter(parameter.name, _KEYWORD_ONLY, True, from_value(defaults[parameter.name])))
    if remaining_specs:
        raise TypeError(f"input_signature contains {len(remaining_specs)} extra type constraints.")
    return FunctionType(result)


def _constrain_positional(
    parameter: inspect.Parameter, kind: object, index: int, remaining: list[Any], defaults: Mapping[str, Any]
) -> Parameter:
    if index == 0 and parameter.name == "self":
        return Parameter(parameter.name, kind, parameter.name in defaults, None)
    if remaining:
        return Parameter(parameter.name, kind, parameter.name in defaults, from_value(remaining.pop(0)))
    if parameter.name in defaults:
        return Parameter(parameter.name, kind, True, from_value(defaults[parameter.name]))
    raise TypeError(f"input_signature missing type constraint for {parameter.name}")


# --- descriptions ------------------------------------------------------------------------------------------------


def structured_signature(function_type: FunctionType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments of a trace as `(args, kwargs)`: specs named after positions, Python values unchanged."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in function_type.parameters.items():
        description = _describe(parameter.annotation, _tensor_name(name))
        if parameter.kind is _KEYWORD_ONLY:
            kwargs[name] = description
        else:
            args.append(description)
    return tuple(args), kwargs


def _tensor_name(path: str) -> str:
    """Turns a path to an argument's part into a name of a tensor."""
    name = re.sub(r"\W", "_", path)
    return name if name[:1].isalnum() else f"tensor_{name}"


def _describe(kind: Any, name: str) -> Any:
    if isinstance(kind, TensorSpec):
        return type(kind)(kind.shape, kind.dtype, name=kind.name or name) if type(kind) is TensorSpec else kind
    if isinstance(kind, HandleSpec):
        return _describe(kind.tensor, name)
    if isinstance(kind, (Literal, Weakref)):
        return kind.value
    if isinstance(kind, NestedType):
        labels = getattr(kind, "keys", None) or getattr(kind, "fields", None) or range(len(kind.components))
        return kind.pack(
            [_describe(part, _tensor_name(f"{name}_{label}")) for part, label in zip(kind.components, labels)]
        )
    if isinstance(kind, TypeSpec):
        return kind
    return kind.placeholder_value(PlaceholderContext())


__all__ = [
    "CAPTURED_DEFAULT_VALUE",
    "ArgumentLayout",
    "CallSignature",
    "check_input_signature",
    "constrain",
    "make_signature",
    "structured_signature",
]

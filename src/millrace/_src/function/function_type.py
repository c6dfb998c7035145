"""FunctionType: the signature of a `tf.function` or of one of its traces.

A function type is an `inspect.Signature` whose annotations are trace types. The signature of a polymorphic function has
parameters without types (or with the types of `input_signature`). The signature of a trace has one typed parameter for
each argument, no `*args` and no `**kwargs`, the type of the output, and the types of the captures.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from millrace._src.function.trace_types import PlaceholderContext
from millrace._src.util.export import export


class _CapturedDefault:
    """A mark for a default value, which the function holds apart from its type."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<captured_default_value>"

    def __str__(self) -> str:
        return "<captured_default_value>"


CAPTURED_DEFAULT_VALUE = _CapturedDefault()


class Parameter(inspect.Parameter):
    """One parameter: name, kind, whether a call may leave the parameter out, and the trace type (None: any)."""

    __slots__ = ()

    def __init__(self, name: str, kind: Any, optional: bool, type_constraint: Any) -> None:
        super().__init__(
            name,
            kind,
            default=CAPTURED_DEFAULT_VALUE if optional else inspect.Parameter.empty,
            annotation=inspect.Parameter.empty if type_constraint is None else type_constraint,
        )

    @property
    def optional(self) -> bool:
        """Whether the function has a default value for the parameter."""
        return self.default is not inspect.Parameter.empty

    @property
    def type_constraint(self) -> Any:
        """The trace type that arguments are cast to, or None."""
        return None if self.annotation is inspect.Parameter.empty else self.annotation

    def is_subtype_of(self, other: Parameter) -> bool:
        """Returns whether a trace made for `other` accepts this parameter."""
        if not self.type_constraint or not other.type_constraint:
            raise TypeError("Can not determine relationship between partially specified types.")
        if (self.name, self.kind, self.optional) != (other.name, other.kind, other.optional):
            return False
        return bool(self.type_constraint.is_subtype_of(other.type_constraint))

    def most_specific_common_supertype(self, others: Sequence[Parameter]) -> Parameter | None:
        """Returns the narrowest parameter that generalizes `self` and all `others`, or None."""
        for other in others:
            if (self.name, self.kind, self.optional) != (other.name, other.kind, other.optional):
                return None
        common_type = self.type_constraint.most_specific_common_supertype([other.type_constraint for other in others])
        return None if common_type is None else Parameter(self.name, self.kind, self.optional, common_type)

    def replace(self, **changes: object) -> Parameter:
        """Returns a copy with other `name`, `kind`, `optional` or `type_constraint`."""
        fields = {
            "name": self.name,
            "kind": self.kind,
            "optional": self.optional,
            "type_constraint": self.type_constraint,
        }
        return Parameter(**(fields | changes))

    def __reduce__(self) -> Any:
        return Parameter, (self.name, self.kind, self.optional, self.type_constraint)

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind.name}, optional={self.optional!r}, "
            f"type_constraint={self.type_constraint!r})"
        )


@export("types.experimental.FunctionType")
class FunctionType(inspect.Signature):
    """The signature of a `tf.function`: parameters with trace types, captures and the output's type.

    >>> f = tf.function(lambda x, y=2: x + y)
    >>> print(f.function_type)
    (x, y=<captured_default_value>)
    """

    __slots__ = ("captures",)

    def __init__(
        self,
        parameters: Iterable[inspect.Parameter],
        captures: Mapping[Any, Any] | None = None,
        return_annotation: Any = inspect.Signature.empty,
    ) -> None:
        super().__init__(list(parameters), return_annotation=return_annotation)
        self.captures: OrderedDict[Any, Any] = OrderedDict(captures or {})

    @classmethod
    def from_callable(  # type: ignore[override]  # evaluating annotations makes no sense here
        cls, obj: Callable[..., Any], *, follow_wrapped: bool = True
    ) -> FunctionType:
        """Makes the signature of a Python callable, without types."""
        signature = inspect.signature(obj, follow_wrapped=follow_wrapped)
        return cls(
            Parameter(p.name, p.kind, p.default is not inspect.Parameter.empty, None)
            for p in signature.parameters.values()
        )

    @classmethod
    def get_default_values(cls, obj: Callable[..., Any], *, follow_wrapped: bool = True) -> dict[str, Any]:
        """Returns the default values of a Python callable's parameters."""
        parameters = inspect.signature(obj, follow_wrapped=follow_wrapped).parameters.values()
        return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}

    def _typed_parameters(self) -> list[Parameter]:
        return [cast(Parameter, parameter) for parameter in self.parameters.values()]

    @property
    def output(self) -> Any:
        """The trace type of the output, or None when the type is not known."""
        return None if self.return_annotation is inspect.Signature.empty else self.return_annotation

    @property
    def flat_inputs(self) -> list[Any]:
        """The types of the tensors that a call passes."""
        return [leaf for p in self.parameters.values() for leaf in p.annotation.flatten()]

    @property
    def flat_captures(self) -> list[Any]:
        """The types of the tensors that the trace captures."""
        return [leaf for kind in self.captures.values() for leaf in kind.flatten()]

    @property
    def flat_outputs(self) -> list[Any]:
        """The types of the tensors that a call returns."""
        return [] if self.output is None else list(self.output.flatten())

    def bind_with_defaults(self, args: Sequence[Any], kwargs: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
        """Binds arguments and fills in default values from `defaults`."""
        bound = self.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if value is CAPTURED_DEFAULT_VALUE:
                bound.arguments[name] = defaults[name]
        return bound

    def is_supertype_of(self, other: FunctionType) -> bool:
        """Returns whether a trace of this type serves every call of type `other`."""
        mine, theirs = self._typed_parameters(), other._typed_parameters()
        if len(mine) != len(theirs):
            return False
        return all(their.is_subtype_of(my) for my, their in zip(mine, theirs)) and all(
            name in other.captures and other.captures[name].is_subtype_of(kind) for name, kind in self.captures.items()
        )

    def most_specific_common_subtype(self, others: Sequence[FunctionType]) -> FunctionType | None:
        """Returns the narrowest function type that accepts what `self` and all `others` accept, or None."""
        mine = self._typed_parameters()
        rows = [other._typed_parameters() for other in others]
        if any(len(row) != len(mine) for row in rows):
            return None
        wider = []
        for index, parameter in enumerate(mine):
            common_parameter = parameter.most_specific_common_supertype([row[index] for row in rows])
            if common_parameter is None:
                return None
            wider.append(common_parameter)
        return FunctionType(wider, self.captures)

    def placeholder_arguments(self, placeholder_context: PlaceholderContext) -> inspect.BoundArguments:
        """Makes the arguments with which the Python function is called while it is traced."""
        arguments = OrderedDict()
        for name, parameter in self.parameters.items():
            placeholder_context.update_naming_scope(name)
            arguments[name] = parameter.annotation.placeholder_value(placeholder_context)
        return inspect.BoundArguments(self, arguments)

    def unpack_inputs(self, bound: inspect.BoundArguments) -> list[Any]:
        """Returns the tensors of a call's arguments, in the order of `flat_inputs`."""
        return [
            tensor
            for name, parameter in self.parameters.items()
            for tensor in parameter.annotation.to_tensors(bound.arguments[name])
        ]

    def unpack_captures(self, captures: Mapping[Any, Any]) -> list[Any]:
        """Returns the tensors of the captured values, in the order of `flat_captures`."""
        return [tensor for name, kind in self.captures.items() for tensor in kind.to_tensors(captures[name])]

    def pack_output(self, flat_values: Sequence[Any]) -> Any:
        """Makes the structured output of the tensors that a call returned."""
        if self.output is None:
            raise ValueError("Can not pack outputs for undefined output type.")
        return self.output.from_tensors(iter(flat_values))

    def with_output(self, output: object, captures: Mapping[Any, Any]) -> FunctionType:
        """Returns a type with the same parameters, and with an output type and captures."""
        return FunctionType(self.parameters.values(), captures, output)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionType):
            return NotImplemented
        return super().__eq__(other) and self.captures == other.captures

    def __hash__(self) -> int:
        return hash((tuple(self.parameters.values()), tuple(self.captures)))

    def __reduce__(self) -> Any:
        return FunctionType, (list(self.parameters.values()), self.captures, self.return_annotation)

    def __str__(self) -> str:
        return super().__str__()

    def __repr__(self) -> str:
        return describe(self)


def describe(function_type: FunctionType) -> str:
    """Writes the signature in several lines, as `pretty_printed_concrete_signatures` shows signatures."""
    lines = ["Input Parameters:"]
    for name, parameter in function_type.parameters.items():
        constraint = None if parameter.annotation is inspect.Parameter.empty else parameter.annotation
        lines.append(f"  {name} ({parameter.kind.name}): {constraint}")
    lines += ["Output Type:", f"  {function_type.output}", "Captures:"]
    lines += [f"  {key}: {kind}" for key, kind in function_type.captures.items()] or ["  None"]
    return "\n".join(lines)

"""What a SavedModel says of a function besides its graphs: parameters, and the arguments and results of each graph.

Problem: a loaded function has no Python code, yet a call must bind its arguments as the code did, find the graph that
was traced for such arguments, and give the results their structure back.

Idea: a `FunctionSpec` has what Python's `inspect.FullArgSpec` has, which is what TensorFlow writes, and becomes a
`CallSignature` again, which binds calls. The arguments of one graph are written as the pair `(args, kwargs)` of specs
and Python values, and become the parameters of a `FunctionType` again.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.signature import CallSignature, constrain
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_structures import NestedType
from millrace._src.function.trace_types import Literal, PlaceholderContext, Weakref
from millrace._src.graph.structured_values import decode_structure, encode_structure
from millrace._src.proto import saved_object_graph_pb2

_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
_VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
_POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
_POSITIONAL = (_POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class FunctionSpec:
    """The parameters of a function, as a SavedModel states them.

    Attributes:
      names: the parameters that can be given by position.
      var_positional: the name of `*args`, or None.
      var_keyword: the name of `**kwargs`, or None.
      keyword_only: the parameters that can be given by keyword only.
      defaults: default values by name.
      input_signature: the specs of the positional arguments, or None.
      jit_compile: as for `tf.function`.
    """

    names: tuple[str, ...] = ()
    var_positional: str | None = None
    var_keyword: str | None = None
    keyword_only: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    input_signature: tuple[Any, ...] | None = None
    jit_compile: bool | None = None

    @classmethod
    def of_type(
        cls,
        function_type: FunctionType,
        defaults: Mapping[str, Any] | None = None,
        input_signature: Any = None,
        jit_compile: bool | None = None,
    ) -> FunctionSpec:
        """Returns the spec of a function with the parameters of `function_type`."""
        parameters = function_type.parameters.values()
        return cls(
            tuple(p.name for p in parameters if p.kind in _POSITIONAL),
            next((p.name for p in parameters if p.kind is _VAR_POSITIONAL), None),
            next((p.name for p in parameters if p.kind is _VAR_KEYWORD), None),
            tuple(p.name for p in parameters if p.kind is _KEYWORD_ONLY),
            dict(defaults or {}),
            None if input_signature is None else tuple(input_signature),
            jit_compile,
        )

    def signature(self) -> CallSignature:
        """Returns what binds the arguments of a call to the parameters, constrained by the input signature if any.

        Raises:
          TypeError: if the input signature does not fit the parameters.
          ValueError: if the names are not names of parameters.
        """
        function_type = FunctionType(self._parameters())
        if self.input_signature is None:
            return CallSignature(function_type, self.defaults)
        return CallSignature(constrain(function_type, self.input_signature, self.defaults), self.defaults, True)

    def _parameters(self) -> Iterator[Parameter]:
        for name in self.names:
            yield Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, name in self.defaults, None)
        if self.var_positional is not None:
            yield Parameter(self.var_positional, _VAR_POSITIONAL, False, None)
        for name in self.keyword_only:
            yield Parameter(name, _KEYWORD_ONLY, name in self.defaults, None)
        if self.var_keyword is not None:
            yield Parameter(self.var_keyword, _VAR_KEYWORD, False, None)


# --- writing ---------------------------------------------------------------------------------------------------------

_JIT = saved_object_graph_pb2.FunctionSpec
_NUMBER_OF_JIT = {None: _JIT.DEFAULT, True: _JIT.ON, False: _JIT.OFF}


def encode_function_spec(spec: FunctionSpec) -> saved_object_graph_pb2.FunctionSpec:
    """Writes the parameters of a function.

    Raises: NotEncodableError: if a default value has no form in files.
    """
    positional_defaults = tuple(spec.defaults[name] for name in spec.names if name in spec.defaults)
    keyword_defaults = {name: spec.defaults[name] for name in spec.keyword_only if name in spec.defaults}
    arguments = inspect.FullArgSpec(
        args=list(spec.names),
        varargs=spec.var_positional,
        varkw=spec.var_keyword,
        defaults=positional_defaults or None,
        kwonlyargs=list(spec.keyword_only),
        kwonlydefaults=keyword_defaults or None,
        annotations={},
    )
    return saved_object_graph_pb2.FunctionSpec(
        fullargspec=encode_structure(arguments),
        input_signature=encode_structure(spec.input_signature),
        jit_compile=_NUMBER_OF_JIT[spec.jit_compile],
    )


def function_spec_of(function: Any) -> saved_object_graph_pb2.FunctionSpec:
    """Writes the parameters of a `tf.function`.

    Raises: NotEncodableError: if a default value has no form in files.
    """
    return encode_function_spec(
        FunctionSpec.of_type(
            function.function_type, function.default_values, function.input_signature, function.jit_compile
        )
    )


def concrete_function_spec_of(concrete: Any) -> saved_object_graph_pb2.FunctionSpec:
    """Writes the parameters of one graph, as a bare concrete function states them."""
    input_signature = None if concrete.function_type.parameters else ()
    return encode_function_spec(FunctionSpec.of_type(concrete.function_type, input_signature=input_signature))


def encode_concrete_function(
    concrete: Any, bound_inputs: Sequence[int]
) -> saved_object_graph_pb2.SavedConcreteFunction:
    """Writes the arguments and results of one graph.

    Args:
      concrete: a `ConcreteFunction`.
      bound_inputs: the numbers of the objects that are captured.

    Raises: NotEncodableError: if an argument has no form in files, as an object that only Python knows.
    """
    return saved_object_graph_pb2.SavedConcreteFunction(
        bound_inputs=bound_inputs,
        canonicalized_input_signature=encode_structure(concrete.structured_input_signature),
        output_signature=encode_structure(output_specs(concrete.function_type.output)),
    )


def output_specs(kind: Any, path: str = "") -> Any:
    """Returns the specs of results of trace type `kind`, each tensor's named after its path in the structure."""
    if type(kind) is TensorSpec:
        return TensorSpec(kind.shape, kind.dtype, _output_name(path))
    if kind is None or isinstance(kind, TypeSpec):
        return kind
    if isinstance(kind, (Literal, Weakref)):
        return kind.value
    if isinstance(kind, NestedType):
        parts = zip(kind.components, kind.labels, strict=True)
        return kind.pack([output_specs(part, f"{path}_{label}" if path else str(label)) for part, label in parts])
    return kind.placeholder_value(PlaceholderContext())


def _output_name(path: str) -> str:
    name = re.sub(r"\W", "_", path.lower())
    if not name:
        return "unknown"
    return name if name[0].isalpha() else f"tensor_{name}"


# --- reading ---------------------------------------------------------------------------------------------------------


def decode_function_spec(proto: Any) -> FunctionSpec:
    """Reads the parameters of a function.

    Raises: ValueError: if the message is not an argument specification.
    """
    arguments = decode_structure(proto.fullargspec)
    try:
        names, keyword_only = list(arguments.args), tuple(arguments.kwonlyargs or ())
        positional_defaults = tuple(arguments.defaults or ())
        defaults = dict(zip(names[len(names) - len(positional_defaults) :], positional_defaults, strict=True))
        defaults.update(arguments.kwonlydefaults or {})
        var_positional, var_keyword = arguments.varargs, arguments.varkw
    except (AttributeError, TypeError, ValueError):
        raise ValueError(f"The SavedModel states no parameters of a function: {arguments!r}.") from None
    if not all(isinstance(name, str) for name in (*names, *keyword_only, var_positional or "", var_keyword or "")):
        raise ValueError(f"The SavedModel states parameters of a function whose names are not texts: {arguments!r}.")
    if proto.is_method and names:  # before TensorFlow 2.13 a method's parameters began with `self`
        defaults.pop(names.pop(0), None)
    input_signature = decode_structure(proto.input_signature)
    jit_compile = {number: value for value, number in _NUMBER_OF_JIT.items()}.get(proto.jit_compile)
    if not isinstance(input_signature, (tuple, list, type(None))):
        raise ValueError(f"The SavedModel states no input signature of a function: {input_signature!r}.")
    specs = None if input_signature is None else tuple(input_signature)
    return FunctionSpec(tuple(names), var_positional, var_keyword, keyword_only, defaults, specs, jit_compile)


def concrete_function_type(spec: FunctionSpec, arguments: Any, output: Any) -> FunctionType:
    """Returns the type of one graph.

    Args:
      spec: the parameters of the function that was traced, or of the trace.
      arguments: the pair `(args, kwargs)` of specs and Python values.
      output: the specs of the results.

    Raises: ValueError: if there are more arguments than parameters, or `arguments` is no such pair.
    """
    if not _is_call(arguments):
        raise ValueError(f"The SavedModel states no arguments of a function: {arguments!r}.")
    args, kwargs = arguments
    surplus = len(args) - len(spec.names)
    if surplus > 0 and spec.var_positional is None:
        raise ValueError(f"The SavedModel states {len(args)} arguments for the parameters {', '.join(spec.names)}.")
    names = [*spec.names[: len(args)], *(f"{spec.var_positional}_{number}" for number in range(surplus))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if spec.var_positional is None else _POSITIONAL_ONLY
    parameters = [Parameter(name, kind, False, from_value(value)) for name, value in zip(names, args, strict=True)]
    keywords = [*(name for name in spec.keyword_only if name in kwargs), *sorted(set(kwargs) - set(spec.keyword_only))]
    parameters += [Parameter(name, _KEYWORD_ONLY, False, from_value(kwargs[name])) for name in keywords]
    return FunctionType(parameters, None, from_value(output))


def _is_call(arguments: Any) -> bool:
    is_pair = isinstance(arguments, tuple) and len(arguments) == 2
    return is_pair and isinstance(arguments[0], (tuple, list)) and isinstance(arguments[1], Mapping)


def call_arguments(arguments: object, function: str) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Returns the pair `(args, kwargs)` of what a graph was traced for.

    Args:
      arguments: what the file says.
      function: the name of the graph, for the message of the error.

    Raises: ValueError: if the file says something else.
    """
    if not _is_call(arguments):
        raise ValueError(f"The SavedModel states no arguments of the function {function!r}: {arguments!r}.")
    return cast(tuple[Sequence[Any], Mapping[str, Any]], arguments)

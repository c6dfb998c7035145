"""Functions of a SavedModel: graphs without Python code, callable as the functions that were saved.

Problem: a model may hold hundreds of graphs of which a program calls one or two. To make them all when the model is
loaded would take most of the time of loading.

Idea: a `RestoredConcreteFunction` knows from the start its name, arguments and captures; its graph is made when
something asks for more. A `RestoredFunction` is a `tf.function` whose traces are such graphs and that cannot trace: it
looks among its graphs for one that fits the call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.core.resources import is_variable
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.function_type import FunctionType
from millrace._src.function.methods import InstanceCaches
from millrace._src.function.polymorphic_function import Function, FunctionOptions
from millrace._src.function.signature import ArgumentLayout, CallSignature
from millrace._src.function.trace_cache import CachedTrace, TraceKey
from millrace._src.function.tracing import FunctionTrace
from millrace._src.graph.attr_value import decode_attr
from millrace._src.graph.function_def import FunctionLibrary, function_def_to_func_graph
from millrace._src.graph.function_factory import jit_compile_of
from millrace._src.graph.op_policy import OpPolicy
from millrace._src.graph.structured_values import decode_structure
from millrace._src.saved_model.function_spec import (
    FunctionSpec,
    call_arguments,
    concrete_function_type,
    decode_function_spec,
)
from millrace._src.saved_model.lazy_functions import LazyConcreteFunction, fresh_name, python_name
from millrace._src.saved_model.loaded_objects import CapturedTensor, captured_tensor
from millrace._src.saved_model.signature_matching import fits, no_match_message

_NOT_KEPT = frozenset(("_construction_context", "_input_shapes"))


class LoadedLibrary:
    """The graphs of one SavedModel, each made when it is first needed.

    Args:
      functions: the `FunctionDef` messages.
      concrete_functions: the `SavedConcreteFunction` messages by the names of the graphs.
      policy: what the ops of the graphs may reach.
      where: the SavedModel, for messages.
    """

    def __init__(
        self, functions: Sequence[Any], concrete_functions: Mapping[str, Any], policy: OpPolicy, where: str
    ) -> None:
        self.where = where
        self.policy = policy
        self.definitions = {function.signature.name: function for function in functions}
        self.functions = FunctionLibrary(functions, policy=policy, rename=fresh_name)
        self._messages = concrete_functions
        self.concrete_functions: dict[str, RestoredConcreteFunction] = {}
        """The concrete functions by the names of the graphs."""

    def tensor_of(self, captured: object) -> Any:
        """Returns the tensor that functions get for a captured object."""
        if not isinstance(captured, CapturedTensor):
            return captured_tensor(captured)
        owner = self.concrete_functions.get(captured.function)
        graph = owner.graph if owner is not None else self.functions[captured.function].graph
        return graph.get_tensor_by_name(captured.name)

    def arguments_of(self, name: str) -> Any:
        """Returns the pair `(args, kwargs)` of specs and Python values that a graph was traced for.

        Raises: ValueError: if the file says no such pair.
        """
        return call_arguments(decode_structure(self._messages[name].canonicalized_input_signature), name)

    def type_of(self, name: str, spec: FunctionSpec) -> FunctionType:
        """Returns the type of a graph, whose parameters have the names that `spec` states."""
        output = decode_structure(self._messages[name].output_signature)
        return concrete_function_type(spec, self.arguments_of(name), output)


class RestoredConcreteFunction(LazyConcreteFunction):
    """A graph of a SavedModel, called as a concrete function; what is not said below is made on first use.

    Args:
      library: the graphs of the SavedModel.
      name: the name of the graph in the file.
      spec: returns the parameters, whose names the arguments get.
    """

    def __init__(self, library: LoadedLibrary, name: str, spec: Callable[[], FunctionSpec]) -> None:
        self._library = library
        self._saved_name = name
        self._spec = spec
        self.captured_objects: list[Any] = []
        """What the captures are: variables, assets, resources or tensors."""
        self._keywords: tuple[Sequence[str], int] | None = None

    def state_keywords(self, names: Sequence[str], positional: int) -> None:
        """Says by which names a flat list of tensors can be given, and how many of these by position."""
        self._keywords = names, positional

    @functools.cached_property
    def _restored_type(self) -> FunctionType:
        return self._library.type_of(self._saved_name, self._spec())

    @property
    def function_type(self) -> FunctionType:
        """The signature of the graph: parameters, captures and output with their trace types."""
        return self._function_type if self._is_made else self._restored_type

    @property
    def structured_input_signature(self) -> Any:
        """The arguments as `(args, kwargs)`: specs instead of tensors, Python values unchanged."""
        return self._library.arguments_of(self._saved_name)

    @property
    def _origin(self) -> str:
        return f"function '{self._saved_name}' of the SavedModel at {self._library.where}"

    def _fill(self) -> None:
        proto = self._library.definitions[self._saved_name]
        tensors = [self._library.tensor_of(captured) for captured in self.captured_objects]
        handle_types = [tensor.handle_type if tensor.dtype.is_handle else None for tensor in tensors]
        graph = function_def_to_func_graph(proto, self._library.functions, self._library.policy, handle_types)
        graph.name = python_name(self._saved_name)
        argument_count = len(graph.inputs) - len(tensors)
        self._check(graph, tensors)
        for captured, tensor, placeholder in zip(self.captured_objects, tensors, graph.inputs[argument_count:]):
            graph.replace_capture(tensor, placeholder)
            if is_variable(captured):
                graph.watch_variable(captured)
        graph.structured_input_signature = self.structured_input_signature
        graph.structured_outputs = decode_structure(self._library._messages[self._saved_name].output_signature)
        trace = FunctionTrace(graph, self._restored_type, argument_count, tensors)
        attributes = {key: decode_attr(value) for key, value in proto.attr.items() if key not in _NOT_KEPT}
        ConcreteFunction.__init__(self, trace, attributes, jit_compile_of(attributes), fresh_name(self._saved_name))
        if self._keywords is not None:
            self._arg_keywords, self._num_positional_args = list(self._keywords[0]), self._keywords[1]
            if self._num_positional_args < argument_count:
                self._plain_dtypes = None  # a call by position needs binding, to be refused

    def _check(self, graph: Any, captures: Sequence[Any]) -> None:
        """Raises ValueError if the object graph and the function's own signature contradict each other."""
        flat_inputs, flat_outputs = self._restored_type.flat_inputs, self._restored_type.flat_outputs
        stated = [*(spec.dtype for spec in flat_inputs), *(tensor.dtype for tensor in captures)]
        for what, expected, stated_dtypes in (
            ("inputs", [tensor.dtype for tensor in graph.inputs], stated),
            ("outputs", [tensor.dtype for tensor in graph.outputs], [spec.dtype for spec in flat_outputs]),
        ):
            if [dtype.base_dtype for dtype in expected] != [dtype.base_dtype for dtype in stated_dtypes]:
                raise ValueError(
                    f"Function '{self._saved_name}' has the {what} {[d.name for d in expected]}, but the SavedModel "
                    f"states {[d.name for d in stated_dtypes]} for it."
                )


class RestoredFunction(Function):
    """A `tf.function` of a SavedModel: its graphs are those that were saved, and it makes no others.

    Args:
      library: the graphs of the SavedModel.
      proto: the `SavedFunction` message.
    """

    def __init__(self, library: LoadedLibrary, proto: Any) -> None:
        self._library = library
        self._proto = proto
        names = proto.concrete_functions
        name = python_name(names[0]) if names else "restored_function"

        def restored_function_body(*args: object, **kwargs: object) -> Any:
            """Calls one of the graphs of a SavedModel."""
            return self._call_bound(args, kwargs, None, ())

        self._instance: Any = None
        self._function = restored_function_body
        self._name = self.__name__ = self.__qualname__ = name
        self._instances = InstanceCaches()
        self._start()

    # --- what the file says, read when asked for -------------------------------------------------------------------

    @functools.cached_property
    def function_spec(self) -> FunctionSpec:
        """The parameters."""
        return decode_function_spec(self._proto.function_spec)

    @functools.cached_property
    def _signature(self) -> CallSignature:  # type: ignore[override]  # an attribute of functions with Python code
        return self.function_spec.signature()

    @functools.cached_property
    def _options(self) -> FunctionOptions:  # type: ignore[override]  # as above
        spec = self.function_spec
        return FunctionOptions(spec.input_signature, autograph=False, jit_compile=spec.jit_compile)

    @property
    def __signature__(self) -> FunctionType:  # type: ignore[override]  # as above
        return self._signature.function_type

    @property
    def concrete_functions(self) -> list[RestoredConcreteFunction]:
        """The graphs, in the order of the file."""
        return [self._library.concrete_functions[name] for name in self._proto.concrete_functions]

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return list(self.concrete_functions)

    @functools.cached_property
    def _entries(self) -> list[CachedTrace]:
        """The graphs with the types of their parameters."""
        return [
            CachedTrace(number, TraceKey(None, ArgumentLayout(0, ()), _parameter_types(concrete)), concrete, 0, 0)
            for number, concrete in enumerate(self.concrete_functions)
        ]

    # --- finding a graph -------------------------------------------------------------------------------------------

    def _entry_for(
        self, values: Sequence[Any], layout: ArgumentLayout, types: Sequence[Any] | None = None, is_call: bool = False
    ) -> CachedTrace:
        """Returns the first graph that fits bound arguments.

        Raises: ValueError: if none fits.
        """
        given = list(values) if types is None else list(types)
        for converts in (False, True):
            for entry in self._entries:
                if _takes(entry.trace, layout) and fits(entry.key.types, given, converts=converts):
                    return entry
        options = [concrete.function_type for concrete in self.concrete_functions]
        if not options:
            raise ValueError(
                "Found zero restored functions for caller function. This function had not been called when the "
                "SavedModel was made: call it once, or give it an `input_signature`, before saving."
            )
        raise ValueError(no_match_message(given, options, layout.var_keyword))

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures of all graphs as text, in several lines each if `verbose`."""
        texts = [concrete.pretty_printed_signature(verbose) for concrete in self.concrete_functions]
        return ("\n\n" if verbose else "\n").join(texts)

    def get_initialization_function(self, /, *args: object, **kwargs: object) -> ConcreteFunction:
        """Raises RuntimeError: a loaded function creates no variables."""
        raise RuntimeError("A function of a SavedModel creates no variables, so it has no initialization function.")

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: object) -> dict[str, Any]:
        """Returns the graphs for a SavedModel."""
        if save_type != "savedmodel":
            return {}
        return {f"trace_{number}": concrete for number, concrete in enumerate(self.concrete_functions)}


def _parameter_types(concrete: RestoredConcreteFunction) -> tuple[Any, ...]:
    return tuple(parameter.annotation for parameter in concrete.function_type.parameters.values())


def _takes(concrete: RestoredConcreteFunction, layout: ArgumentLayout) -> bool:
    """Returns whether a graph has the keyword arguments of a call beyond those that the function declares."""
    return set(layout.var_keyword) <= set(concrete.function_type.parameters)

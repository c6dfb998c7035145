"""`ConcreteFunction`: one trace, callable like the Python function or with a flat list of tensors.

A call first binds its arguments by the trace's own signature and casts each argument to its type. Where that fails,
plain tensors are taken in the order of the graph's inputs or by their names. The result is a flat list of tensors, to
which the captures are added. `graph_function.py: GraphFunction` runs the list, in eager mode, in a graph, or under a
tape.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from millrace._src.control_flow.derivative import derivative_of
from millrace._src.core import errors
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import state, unique_id
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.engines.tiers import Tier
from millrace._src.function import callables, noted_calls
from millrace._src.function.argument_tensors import collect, make_packer
from millrace._src.function.captures import TypedCapture, call_time_tensors
from millrace._src.function.fast_calls import PreparedCall
from millrace._src.function.function_type import FunctionType, describe
from millrace._src.function.graph_function import GraphFunction
from millrace._src.function.placeholders import argument_names
from millrace._src.function.signature import CallSignature
from millrace._src.function.tracing import FunctionTrace
from millrace._src.graph.deferred_captures import DeferredCapture
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.graph import Graph
from millrace._src.state.variable_spec import tell_of_variable
from millrace._src.trackable.base import TrackableFunction
from millrace._src.util import nest
from millrace._src.util.export import export


@export("types.experimental.ConcreteFunction")
class ConcreteFunction(callables.Callable, TrackableFunction):
    """One trace of a `tf.function`; made by `get_concrete_function`.

    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> c = double.get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> c(tf.constant(2.0)).numpy(), c(x=tf.constant(3.0)).numpy()
    (np.float32(4.0), np.float32(6.0))

    Args:
      trace: The graph and its types.
      attributes: Attributes of the function in a GraphDef.
      jit_compile: As for `tf.function`.
      name: The function's name in a GraphDef; made up from the graph's name by default.
    """

    def __init__(
        self,
        trace: FunctionTrace,
        attributes: Mapping[str, Any] | None = None,
        jit_compile: bool | None = None,
        name: str | None = None,
    ) -> None:
        self.graph: FuncGraph = trace.graph
        self._trace = trace
        self._function_type = trace.function_type
        self._sources = trace.captures
        self._name = name or f"__inference_{trace.graph.name}_{unique_id()}"
        self._attrs = dict(attributes or {})
        self.graph_function = GraphFunction(trace.graph, self._name, jit_compile=jit_compile, attributes=self._attrs)
        parameters = self._function_type.parameters.values()
        self._kinds = [p.annotation for p in parameters]
        self._signature = CallSignature(self._function_type, {}, is_constrained=True)
        self._arg_keywords = argument_names(trace.graph, trace.argument_count)
        self._num_positional_args = trace.argument_count
        self.pack = make_packer(self._function_type.output)
        self._external: list[Any] | None = None
        only_tensors = all(type(kind) is TensorSpec for kind in self._kinds)
        self._plain_dtypes = [kind.dtype for kind in self._kinds] if only_tensors else None
        self.captured_arrays = _arrays(self._sources)

    @classmethod
    def from_func_graph(
        cls,
        graph: Graph,
        function_type: FunctionType,
        attrs: Mapping[str, Any] | None = None,
        shared_func_graph: bool = True,
    ) -> ConcreteFunction:
        """Makes a concrete function of a finished graph, whose first inputs are the parameters' tensors."""
        del shared_func_graph
        return cls(FunctionTrace(graph, function_type, len(function_type.flat_inputs)), attrs)

    # --- properties ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> bytes:
        """The function's name in a GraphDef."""
        return self._name.encode()

    @property
    def function_type(self) -> FunctionType:
        """The signature of the trace: parameters, captures and output with their trace types."""
        return self._function_type

    @property
    def inference_fn(self) -> Any:
        """The function without a gradient, as a `tf.types.experimental.AtomicFunction`."""
        return AtomicFunction(self)

    @property
    def inputs(self) -> list[Any]:
        """The graph's input tensors: arguments first, then captures."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Any]:
        """The graph's output tensors, flat."""
        return list(self.graph.outputs)

    @property
    def structured_input_signature(self) -> Any:
        """The arguments as `(args, kwargs)`: specs instead of tensors, Python values unchanged."""
        return self.graph.structured_input_signature

    @property
    def structured_outputs(self) -> Any:
        """The output tensors in the structure that the Python function returned."""
        return self.graph.structured_outputs

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the outputs, in the structure of the outputs; a composite shows its components."""
        return nest.map_structure(
            lambda t: getattr(t, "shape", TensorShape(None)), _components(self.structured_outputs)
        )

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the outputs, in the structure of the outputs; a composite shows its components."""
        return nest.map_structure(lambda t: getattr(t, "dtype", None), _components(self.structured_outputs))

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function uses."""
        return tuple(self.graph.variables)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable variables among `variables`."""
        return tuple(self.graph.trainable_variables)

    @property
    def function_def(self) -> Any:
        """The `FunctionDef` proto."""
        from millrace._src.graph.function_def import function_to_function_def  # protobuf loads only when asked for

        return function_to_function_def(self.graph_function)

    @property
    def tier(self) -> Tier:
        """The engine that runs the function, and why: "numpy", "xla", or "clusters" where parts of it are compiled.

        >>> c = tf.function(lambda x: x + x).get_concrete_function(tf.constant(1.0))
        >>> c.tier.name
        'numpy'

        A function without `jit_compile=True` starts on the NumPy tier. When its calls have taken as long as
        compiling is expected to take, it is compiled in the background, and then calls take turns until the fastest is
        known. The reason says how far that has come, and what was measured; each set of argument shapes is measured on
        its own. The environment variable `MILLRACE_TIER` ("numpy", "xla" or "auto"), `tf.config.optimizer.set_jit` and
        `tf.config.experimental.enable_op_determinism` fix the choice for functions that are first called afterwards.

        Calls of a function with `jit_compile=True` run on the NumPy tier until it is compiled, unless the
        variable `MILLRACE_TIER_WAIT` is "1". Such a function stays on the NumPy tier where the compiler would have to
        know a size that only the running program computes, as the size of the lists for the gradient of a loop without
        a bound.
        """
        return self.tiers()[self._name]

    def tiers(self) -> dict[str, Tier]:
        """Returns `tier` by function name: of this function, of the functions that gradient tapes made of the function,
        and of the functions with `jit_compile=True` that the function calls.
        """
        return self.graph_function.tiers()

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the signature as text, in several lines if `verbose`."""
        return describe(self._function_type) if verbose else str(self._function_type)

    # --- captures ------------------------------------------------------------------------------------------------

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors that are passed for the captures, at this moment."""
        if self._external is not None:
            return list(self._external)
        tensors: list[Any] = []
        for source in self._sources:
            tensors += call_time_tensors(source) if isinstance(source, DeferredCapture) else [source]
        return tensors

    @property
    def saved_captures(self) -> list[Any]:
        """The tensors for the captures in a SavedModel: those of the default value for a deferred capture.

        Raises: KeyError: for a deferred capture without a default value.
        """
        if self._external is not None:
            return list(self._external)
        tensors: list[Any] = []
        for source in self._sources:
            tensors += source.saved_tensors() if isinstance(source, DeferredCapture) else [source]
        return tensors

    @property
    def captures_are_fixed(self) -> bool:
        """Whether every call passes the same eager tensors for the captures."""
        return self.captured_arrays is not None

    def set_external_captures(self, captures: Sequence[Any]) -> None:
        """Replaces the tensors that are passed for the captures."""
        self._external = list(captures)
        self.captured_arrays = _arrays(self._external)

    def replace_capture_with_deferred_capture(
        self,
        tensor: object,
        closure: Callable[[], Any],
        spec: object,
        placeholder: object = None,
        default_value: object = None,
    ) -> None:
        """Replaces the captured value of `tensor` by the result of `closure()` at each call.

        Raises: ValueError: if the function does not capture `tensor`.
        """
        del placeholder
        for index, source in enumerate(self._sources):
            if source is tensor:
                self._sources[index] = TypedCapture(closure, spec, None, (), default_value)
                self.captured_arrays = _arrays(self._sources)
                return
        raise ValueError(f"Did not find {tensor!r} among the captures of {self._name}.")

    def take_keywords_only(self) -> None:
        """Refuses arguments by position from now on."""
        self._num_positional_args = 0
        self._plain_dtypes = None

    def set_variables(self, variables: Sequence[Any]) -> None:
        """Declares which variables the function uses."""
        for variable in variables:
            self.graph.watch_variable(variable)

    # --- calls ---------------------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: object) -> Any:
        """Runs the trace.

        Raises:
          TypeError: if the arguments fit neither the Python signature nor the flat list of tensors.
          tf.errors.InvalidArgumentError: if a tensor has the wrong dtype.
        """
        if not kwargs and state.run is not None and not state.needs_slow_path and self._takes_plain(args):
            return self._plain_call.run([arg._eager_array for arg in args])
        try:
            tensors = self._bind_structured(args, kwargs)
        except TypeError as structured_error:
            try:
                tensors = self._flat_inputs(args, kwargs)
            except TypeError as flat_error:
                raise TypeError(
                    f"{structured_error}\nFallback to flat signature also failed due to: {flat_error}"
                ) from structured_error
        return self.call_flat(tensors)

    def _takes_plain(self, args: Sequence[Any]) -> bool:
        """Returns whether the arguments are just the eager tensors of the graph, so that nothing needs binding."""
        if self._plain_dtypes is None or self.captured_arrays is None or len(args) != len(self._plain_dtypes):
            return False
        for arg, dtype in zip(args, self._plain_dtypes):
            if arg.__class__ is not EagerTensor or arg.dtype is not dtype:
                return False
        return True

    @functools.cached_property
    def _plain_call(self) -> PreparedCall:
        return PreparedCall(self)

    def _bind_structured(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        values, _ = self._signature.bind(args, kwargs)
        values = self._signature.cast(values, args, kwargs)
        return self.tensors_of(values)

    def tensors_of(self, values: Sequence[Any]) -> list[Any]:
        """Returns the tensors of arguments in parameter order."""
        tensors: list[Any] = []
        for kind, value in zip(self._kinds, values):
            collect(kind, value, tensors)
        return tensors

    def _flat_inputs(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        names = self._arg_keywords
        if len(args) > self._num_positional_args:
            self._flat_error(f" takes {self._num_positional_args} positional arguments, got {len(args)}.")
        given_values = list(args)
        remaining_arguments = dict(kwargs)
        missing_names = []
        for name in names[len(args) :]:
            if name in remaining_arguments:
                given_values.append(remaining_arguments.pop(name))
            else:
                missing_names.append(name)
        if missing_names:
            self._flat_error(f" missing required arguments: {', '.join(missing_names)}.")
        if remaining_arguments:
            repeated_names = [name for name in remaining_arguments if name in names]
            if repeated_names:
                self._flat_error(f" got two values for '{repeated_names[0]}'.")
            self._flat_error(f" got unexpected keyword arguments: {', '.join(sorted(remaining_arguments))}.")
        return [self._flat_tensor(index, value) for index, value in enumerate(given_values)]

    def _flat_tensor(self, index: int, value: Any) -> Any:
        if isinstance(value, Tensor):
            return value
        if is_variable(value):
            return value.handle if self.graph.inputs[index].dtype.is_resource else convert_to_tensor(value)
        kind = type(value).__name__
        return self._flat_error(f": expected argument #{index}(zero-based) to be a Tensor; got {kind} ({value}).")

    def _flat_error(self, complaint: str) -> NoReturn:
        raise TypeError(f"{self.graph.name}({', '.join(self._arg_keywords)}){complaint}")

    def call_flat(self, tensors: Sequence[Any], captures: Sequence[Any] | None = None) -> Any:
        """Runs the trace on tensors in the order of the graph's inputs, and packs the results."""
        self._check_dtypes(tensors)
        if state.calls_are_noted and state.graph is None:
            noted_calls.note(self)
        self._notify_watchers()
        captured_tensors = self.captured_inputs if captures is None else list(captures)
        flat_inputs = [*tensors, *captured_tensors]
        if state.graph is None:
            flat_inputs = [t if isinstance(t, EagerTensor) else _eager_tensor(t) for t in flat_inputs]
        return self.pack(self.graph_function(flat_inputs))

    def _check_dtypes(self, tensors: Sequence[Any]) -> None:
        for index, (tensor, placeholder) in enumerate(zip(tensors, self.graph.inputs)):
            if tensor.dtype is not placeholder.dtype:
                expected_name, actual_name = (runtime_name(t.dtype) for t in (placeholder, tensor))
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {self._name} as input #{index}(zero-based) was expected to be a {expected_name} "
                    f"tensor but is a {actual_name} tensor [Op:{self._name}]",
                )

    def _notify_watchers(self) -> None:
        """Notifies tapes and the graph being built of the variables that the call reads."""
        if state.tapes or state.graph is not None:
            for variable in live_variables(self.graph):
                tell_of_variable(variable)

    # --- the rest ------------------------------------------------------------------------------------------------

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Registers the function in a graph, by default the graph being built."""
        target = state.graph if g is None else g
        if target is not None and (overwrite or self._name not in target.functions):
            target.functions[self._name] = self.graph_function

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Registers the function's forward and backward functions in a graph."""
        target = state.graph if g is None else g
        if target is not None:
            derivative = derivative_of(self.graph_function, closed=True)
            for function in (derivative.forward, derivative.backward):
                target.functions.setdefault(function.name, function)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._function_type} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {describe(self._function_type)}"

    def __reduce__(self) -> NoReturn:
        raise TypeError("cannot pickle 'FuncGraph' object")


def _arrays(captures: Sequence[Any]) -> tuple[Any, ...] | None:
    """Returns the arrays of captures if all captures are eager tensors; prepared calls pass these arrays directly."""
    if all(isinstance(capture, EagerTensor) for capture in captures):
        return tuple(capture._eager_array for capture in captures)
    return None


def live_variables(graph: Any) -> Iterator[Any]:
    """Yields the variables that a graph uses and that still exist."""
    for reference in list(graph._watched_variables.values()):
        variable = reference() if isinstance(reference, weakref.ref) else reference
        if variable is not None:
            yield variable


def _eager_tensor(tensor: Any) -> Any:
    """Returns `tensor` in eager mode, where a tensor of a graph has no value."""
    if isinstance(tensor, SymbolicTensor):
        where = f"\n\n{tensor!r} was defined here:\n    {tensor.op.source}\n" if tensor.op.source is not None else ""
        raise TypeError(
            f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python locals or "
            "TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/guide/"
            f"function#all_outputs_of_a_tffunction_must_be_return_values for more information.{where}"
        )
    return convert_to_tensor(tensor)


@export("types.experimental.AtomicFunction")
class AtomicFunction(callables.Callable):
    """The graph of a concrete function as a callable without gradient."""

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    @property
    def function_type(self) -> FunctionType:
        """The signature of the trace."""
        return self._concrete.function_type

    @property
    def name(self) -> bytes:
        """The function's name in a GraphDef."""
        return self._concrete.name

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._concrete.graph

    @property
    def attributes(self) -> dict[str, Any]:
        """The function's attributes in a GraphDef."""
        return self._concrete._attrs

    @property
    def definition(self) -> Any:
        """The `FunctionDef` proto."""
        return self._concrete.function_def

    cached_definition = definition

    @property
    def children(self) -> list[Any]:
        """The functions that the graph calls."""
        return list(self._concrete.graph.functions.values())

    def __call__(self, /, *args: object, **kwargs: object) -> Any:
        """Runs the graph; no tape records it."""
        return self.call_with_captures(args, kwargs, self._concrete.captured_inputs)

    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Runs the graph on arguments and on values for its captures."""
        values, _ = self._concrete._signature.bind(args, kwargs)
        tensors = self._concrete.tensors_of(self._concrete._signature.cast(values, args, kwargs))
        return self._concrete.pack(self.call_flat(*tensors, *captures))

    def call_flat(self, *tensors: object) -> list[Any]:
        """Runs the graph on one tensor for each graph input; returns the flat outputs."""
        return self._concrete.graph_function.call_unrecorded(list(tensors))

    call_preflattened = call_flat

    def __str__(self) -> str:
        return f"<AtomicFunction> {self._concrete._name}{self.function_type}"

    def __repr__(self) -> str:
        return f"AtomicFunction(name={self.name!r}, function_type={describe(self.function_type)})"


__all__ = ["AtomicFunction", "ConcreteFunction"]


def _components(structure: object) -> Any:
    """Returns a structure with the components of composites instead of the composites."""
    return nest.map_structure(
        lambda leaf: _components(leaf._nest_components()) if isinstance(leaf, CompositeTensor) else leaf, structure
    )

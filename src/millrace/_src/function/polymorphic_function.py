"""`Function`: the callable that `tf.function` returns.

A call takes the fast path when its flat key is known: look up the plan, run it. Otherwise the arguments are bound to
the parameters, their trace types are made, and the trace that fits best is looked up in the cache, or made under the
function's lock. `tracing` makes graphs, `variable_lifting` gives first values to variables that a first call creates,
`retracing` explains a new trace.
"""

from __future__ import annotations

import functools
import inspect
import pickle
import threading
import time
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from millrace._src.autograph.api import for_tracing, tracing_with
from millrace._src.autograph.operators.unrolling import warn_of_unrolled_loops
from millrace._src.core.context import executing_eagerly, outermost_context, state
from millrace._src.core.source_trace import user_frame
from millrace._src.core.tensor import EagerTensor
from millrace._src.core.traceback_filtering import filter_traceback
from millrace._src.core.watching import note_span
from millrace._src.engines.tiers import Tier
from millrace._src.function import callables, fast_calls
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.function_type import FunctionType, describe
from millrace._src.function.graph_size import graph_bytes
from millrace._src.function.methods import InstanceCaches, instance_cache_for
from millrace._src.function.retracing import COMPARED_TRACES, Retrace, causes_of, stats_for
from millrace._src.function.signature import ArgumentLayout, CallSignature, make_signature
from millrace._src.function.trace_builder import from_value
from millrace._src.function.trace_cache import CachedTrace, CacheInfo, TraceCache, TraceKey
from millrace._src.function.trace_types import TraceType
from millrace._src.function.tracing import FunctionTrace, trace
from millrace._src.function.tracing_context import TracingContext
from millrace._src.function.variable_lifting import (
    NON_FIRST_CALL_MESSAGE,
    SINGLETON_MESSAGE,
    LiftedInitializer,
    collecting,
    initialize,
    refusing,
    salvaging,
)
from millrace._src.trackable.base import SaveType, TrackableFunction
from millrace._src.util.logger import get_logger

_MAX_PLANS = 4096
_HISTORY = 100
_CROSS_REPLICA = "cross-replica"


class FunctionOptions:
    """The arguments of `tf.function`, shared by all functions cloned from one."""

    __slots__ = ("input_signature", "autograph", "jit_compile", "reduce_retracing", "autograph_options", "attributes")

    def __init__(
        self,
        input_signature: Any = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        autograph_options: Any = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.input_signature = input_signature
        self.autograph = autograph
        self.jit_compile = jit_compile
        self.reduce_retracing = reduce_retracing
        self.autograph_options = autograph_options
        self.attributes = dict(attributes or {})


class Function(callables.PolymorphicFunction, TrackableFunction):
    """A Python function that runs as graphs, one for each kind of arguments; made by `tf.function`."""

    __slots__ = ("_instance",)

    def __init__(self, python_function: Callable[..., Any], name: str, options: FunctionOptions) -> None:
        self._instance: Any = None
        self._function = python_function
        self._name = name
        self._options = options
        self._signature = make_signature(python_function, options.input_signature)
        self._instances = InstanceCaches()
        self._start()
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
            if hasattr(python_function, attribute):
                setattr(self, attribute, getattr(python_function, attribute))
        self.__signature__ = inspect.signature(python_function)

    def _start(self) -> None:
        """Makes the parts that no two functions share."""
        self._lock = threading.RLock()
        self._traces_in_progress = 0
        self._is_recursive = False
        """Whether the function has called itself while it was traced."""
        self._plans: dict[Any, fast_calls.PreparedCall] = {}
        self._cache = TraceCache(functools.partial(_forget_plans, self._plans))
        innermost = inspect.unwrap(self._function)  # a decorator's wrapper is one code for all that it decorates
        self._stats = stats_for(getattr(innermost, "__code__", innermost))
        self._calls = 0
        self._is_initialized = False
        self._created_variables: list[weakref.ref[Any]] = []
        self._trace_count = 0
        self._retraces: list[Retrace] = []

    # --- calls ---------------------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the function: traces it if arguments of this kind are new, then runs the trace."""
        self._stats.calls += 1
        self._calls = tick = self._calls + 1
        if state.run is not None and not state.needs_slow_path:
            if not kwargs:
                key = []
                arrays = []
                for arg in args:
                    if arg.__class__ is not EagerTensor:
                        break
                    array = arg._eager_array
                    arrays.append(array)
                    key.append((arg.dtype.enum, array.shape))
                else:
                    plan = self._plans.get(tuple(key))
                    if plan is not None:
                        plan.entry.tick = tick
                        return plan.run(arrays)
                    return self._call(args, kwargs, tuple(key), arrays)
            try:
                flat, arrays = fast_calls.flat_key(args, kwargs, self._signature.order)
                plan = self._plans.get(flat)
            except (fast_calls.NoFastCallError, TypeError):
                return self._call(args, kwargs)
            if plan is not None:
                plan.entry.tick = tick
                return plan.run(arrays)
            return self._call(args, kwargs, flat, arrays)
        if state.functions_run_eagerly:
            return self.python_function(*args, **kwargs)
        if state.run is None or state.calls_are_noted:
            return self._call(args, kwargs)
        return self._call_cross_replica(args, kwargs)

    def _call_cross_replica(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls the function by a plan of its own: traces made while no replica runs are kept apart."""
        try:
            flat, arrays = fast_calls.flat_key(args, kwargs, self._signature.order)
            key = (_CROSS_REPLICA, flat)
            plan = self._plans.get(key)
        except (fast_calls.NoFastCallError, TypeError):
            return self._call(args, kwargs)
        if plan is None:
            return self._call(args, kwargs, key, arrays)
        plan.entry.tick = self._calls
        return plan.run(arrays)

    def _call(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], flat_key: object = None, arrays: Sequence[Any] = ()
    ) -> Any:
        """Calls the function along the slow path; leaves a plan for the fast path if the call has a key and passes its
        arrays unchanged.
        """
        try:
            return self._call_bound(args, kwargs, flat_key, arrays)
        except Exception as error:
            filter_traceback(error)
            raise

    def _call_bound(self, args: Sequence[Any], kwargs: Mapping[str, Any], flat_key: Any, arrays: Sequence[Any]) -> Any:
        values, layout = self._signature.bind(args, kwargs)
        if self._signature.is_constrained:
            values = self._signature.cast(values, args, kwargs)
        entry = self._entry_for(values, layout, is_call=True)
        concrete: ConcreteFunction = entry.trace
        entry.tick = self._calls
        tensors = concrete.tensors_of(values)
        if flat_key is not None and concrete.captures_are_fixed and fast_calls.are_passed_unchanged(arrays, tensors):
            self._add_plan(flat_key, entry, arrays)
        return concrete.call_flat(tensors)

    def _add_plan(self, flat_key: Any, entry: CachedTrace, arrays: Sequence[Any]) -> None:
        if len(self._plans) >= _MAX_PLANS:
            for plan in list(self._plans.values()):
                plan.entry.plan_keys.clear()
            self._plans.clear()
        self._plans[flat_key] = fast_calls.PreparedCall(entry.trace, arrays, entry)
        entry.plan_keys.add(flat_key)

    # --- finding and making traces -------------------------------------------------------------------------------

    def _entry_for(
        self, values: Sequence[Any], layout: ArgumentLayout, types: Sequence[Any] | None = None, is_call: bool = False
    ) -> CachedTrace:
        """Returns the trace for bound arguments, made if there is none; `is_call` distinguishes a call from a request
        for a trace.
        """
        key = TraceKey(_trace_context(), layout, tuple(self._types_of(values) if types is None else types))
        entry = self._cache.lookup(key)
        if entry is not None:
            return entry
        with self._lock:
            entry = self._cache.lookup(key)
            return entry if entry is not None else self._add_trace(key, values, is_call)

    def _types_of(self, values: Sequence[Any]) -> list[Any]:
        """Returns the trace types of bound arguments; `input_signature` decides where it gives a type."""
        context = TracingContext(of_arguments=True)
        if not self._signature.is_constrained:
            return [from_value(value, context) for value in values]
        constraints = (p.annotation for p in self._signature.function_type.parameters.values())
        return [
            from_value(value, context) if kind is inspect.Parameter.empty else kind
            for kind, value in zip(constraints, values)
        ]

    def _add_trace(self, key: TraceKey, values: Sequence[Any], is_call: bool) -> CachedTrace:
        start = time.perf_counter()
        key = self._generalize(key)
        new_trace = self._trace_unless_endless(key, values)
        end = time.perf_counter()
        milliseconds = (end - start) * 1000
        note_span("trace", self._name, start, end)
        # Only now: a recursive body has added traces of its own.
        earlier = [entry.key for entry in self._cache.newest(COMPARED_TRACES)]
        concrete = ConcreteFunction(new_trace, self._options.attributes, self._options.jit_compile)
        self._cache.misses += 1
        entry = self._cache.add(key, concrete, graph_bytes(new_trace.graph), self._calls)
        self._explain(key, earlier, milliseconds, is_call)
        return entry

    def _generalize(self, key: TraceKey) -> TraceKey:
        """Widens the types, with `reduce_retracing`, to cover an earlier trace that differs only in shapes."""
        if not self._options.reduce_retracing or self._signature.is_constrained:
            return key
        for other in [entry.key for entry in self._cache.alike(key)]:
            if other.context == key.context and other.layout == key.layout:
                common_types = [
                    mine.most_specific_common_supertype([theirs]) for mine, theirs in zip(key.types, other.types)
                ]
                if all(kind is not None for kind in common_types):
                    return TraceKey(key.context, key.layout, tuple(common_types))
        return key

    def _trace_unless_endless(self, key: TraceKey, values: Sequence[Any]) -> FunctionTrace:
        """Traces the body.

        Raises: RecursionError: if the function calls itself while it is traced, without end; the error says which.
        """
        if self._traces_in_progress:
            self._is_recursive = True
        self._traces_in_progress += 1
        try:
            return self._trace(key, values)
        except RecursionError:
            if self._traces_in_progress > 1 or not self._is_recursive:
                raise
            raise RecursionError(
                f"the tf.function {self._name!r} calls itself without end while it is traced: both branches of a "
                "condition that is a Tensor are traced, so that a Tensor cannot end the recursion. Use a loop, or let "
                "a Python value, which is not part of an input_signature, end it."
            ) from None
        finally:
            self._traces_in_progress -= 1

    def _trace(self, key: TraceKey, values: Sequence[Any]) -> FunctionTrace:
        """Traces the body; the first time, variables may be created."""
        if self._is_initialized:
            with refusing(SINGLETON_MESSAGE if self._created_variables else NON_FIRST_CALL_MESSAGE):
                return self._trace_once(key, values)
        initializers: list[LiftedInitializer] = []
        with salvaging(initializers), collecting(initializers):
            new_trace = self._trace_once(key, values)
        self._is_initialized = True
        if not initializers:
            return new_trace
        self._created_variables = [weakref.ref(i.variable) for i in initializers]
        initialize(initializers, _feeds(new_trace, key.types, values))
        with refusing(SINGLETON_MESSAGE):
            return self._trace_once(key, values)

    def _trace_once(self, key: TraceKey, values: Sequence[Any]) -> FunctionTrace:
        original = self.python_function
        function = for_tracing(original) if self._options.autograph else original
        with tracing_with(self._options.autograph_options):
            new_trace = trace(
                function,
                self._name,
                self._signature,
                key.layout,
                key.types,
                values,
                inline_integers=bool(self._options.jit_compile),
                original=original,
            )
        if self._options.autograph:
            warn_of_unrolled_loops(new_trace.graph)
        self._trace_count += 1
        return new_trace

    def _explain(self, key: TraceKey, earlier: Sequence[TraceKey], milliseconds: float, is_call: bool) -> None:
        """Notes why a trace was made; warns when too many calls had to make a trace."""
        stats = self._stats
        is_call = is_call and executing_eagerly()  # a call inside of a trace is made once for each trace
        stats.note_trace(milliseconds, is_call)
        if not earlier and stats.traces == 1:
            return
        names = list(self._signature.monomorphic(key.types, key.layout).parameters)
        causes = causes_of(key, earlier, names, instance=self._instance)
        retrace = Retrace(causes, user_frame(), milliseconds)
        self._retraces = [*self._retraces[-_HISTORY + 1 :], retrace]
        if is_call and stats.should_warn():
            get_logger().warning(stats.report(self.python_function, retrace))

    # --- what users ask ------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the function's graphs."""
        return self._name

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function that is traced; bound to the instance if the function is a method."""
        if self._instance is None:
            return self._function
        return types.MethodType(self._function, self._instance)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.python_function

    @property
    def input_signature(self) -> Any:
        """The `input_signature` given, or None."""
        return self._options.input_signature

    @property
    def jit_compile(self) -> bool | None:
        """The `jit_compile` given."""
        return self._options.jit_compile

    @property
    def default_values(self) -> Mapping[str, Any]:
        """The default values of the parameters by name."""
        return self._signature.defaults

    @property
    def function_type(self) -> FunctionType:
        """The signature: parameters, with types where `input_signature` gives them."""
        return self._signature.function_type

    @property
    def retraces(self) -> tuple[Retrace, ...]:
        """Why the function was traced again, for the last traces."""
        return tuple(self._retraces)

    @property
    def tier(self) -> Tier:
        """The engine that runs the trace that was used last, and why: see `ConcreteFunction.tier`.

        >>> f = tf.function(lambda x: x + x)
        >>> f.tier
        Tier(name='numpy', reason='the function has not been called')
        >>> f(tf.constant(1.0)).numpy(), f.tier.name
        (np.float32(2.0), 'numpy')
        """
        entries = list(self._cache)
        if not entries:
            return Tier("numpy", "the function has not been called")
        last_used: ConcreteFunction = max(entries, key=lambda entry: entry.tick).trace
        return last_used.tier

    def tiers(self) -> dict[str, Tier]:
        """Returns `tier` for all traces, by their names, and for the functions that belong to them: see
        `ConcreteFunction.tiers`.
        """
        return {name: tier for entry in self._cache for name, tier in entry.trace.tiers().items()}

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the trace for arguments like these; makes the trace if there is none, even while functions run
        eagerly.

        Args:
          *args: Tensors or specs instead of tensors, variables, and Python values, which stay fixed in the trace.
          **kwargs: As `*args`; all may be left out if there is an `input_signature`.

        Returns: A `tf.types.experimental.ConcreteFunction`.
        Raises: TypeError: if the arguments do not fit the function's parameters.
        """
        signature = self._signature
        if signature.is_constrained and not args and not kwargs and not signature.has_unconstrained:
            types = [p.annotation for p in signature.function_type.parameters.values()]
            concrete: ConcreteFunction = self._entry_for([None] * len(types), ArgumentLayout(0, ()), types).trace
            return concrete
        values, layout = signature.bind(args, kwargs)
        if signature.is_constrained:
            values = signature.cast(values, args, kwargs, allow_specs=True)
        entry = self._entry_for(values, layout)
        entry.tick = self._calls
        return entry.trace

    def get_initialization_function(self, /, *args: object, **kwargs: object) -> ConcreteFunction:
        """Returns a function that gives first values to the variables that this function creates; traces without
        running.

        Raises: RuntimeError: if the function was used before.
        """
        with self._lock:
            if self._is_initialized:
                raise RuntimeError("get_initialization_function cannot be called after the function has been used")
            values, layout = self._signature.bind(args, kwargs)
            initializers: list[LiftedInitializer] = []
            key = TraceKey(_trace_context(), layout, tuple(self._types_of(values)))
            with collecting(initializers):
                new_trace = self._trace_once(key, values)
            self._is_initialized = True
            self._created_variables = [weakref.ref(i.variable) for i in initializers]
            feeds = _feeds(new_trace, key.types, values)

        def body() -> None:
            initialize(initializers, feeds, in_graph=True)

        return Function(body, "initialize_variables", FunctionOptions(autograph=False)).get_concrete_function()

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures of all traces as text, in several lines each if `verbose`."""
        types = [entry.trace.function_type for entry in self._cache]
        return "\n\n".join(map(describe, types)) if verbose else "\n".join(map(str, types))

    def experimental_get_tracing_count(self) -> int:
        """Returns how many times the function was traced."""
        return self._trace_count

    def experimental_get_compiler_ir(self, /, *args: object, **kwargs: object) -> Callable[..., Any]:
        """Returns the compiler's form of the function for these arguments, as a function of the stage.

        Returns: `f(stage="hlo", device_name=None, platform_name=None)`, which gives text or bytes. The stages: "hlo",
          "hlo_no_metadata", "hlo_serialized", "stablehlo", "stablehlo_serialized", "optimized_hlo",
          "optimized_hlo_serialized", "optimized_hlo_proto_serialized", "optimized_hlo_dot".
        Raises: ValueError: if the function is not made with `jit_compile=True`, or a shape is unknown.
        """
        if not self._options.jit_compile:
            raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
        from millrace._src.function.compiler_ir import compiler_ir  # loads JAX, an optional dependency

        concrete = self.get_concrete_function(*args, **kwargs)
        return compiler_ir(concrete)

    def cache_info(self) -> CacheInfo:
        """Returns hits, misses, evictions, number and estimated bytes of the traces, and the limits."""
        return self._cache.info(self._calls)

    def clear_cache(self) -> None:
        """Forgets all traces. Concrete functions that are held elsewhere keep working."""
        with self._lock:
            self._cache.clear()
            self._plans.clear()

    def set_cache_limits(self, max_traces: int | None = None, max_bytes: int | None = None) -> None:
        """Bounds the number and the estimated bytes of the traces kept; None leaves a limit unchanged."""
        self._cache.set_limits(max_traces, max_bytes)

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return [entry.trace for entry in self._cache]

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        """Returns the traces that a SavedModel holds; with an input signature there is always one."""
        if save_type == SaveType.CHECKPOINT:  # Keras also asks for "saved_model"
            return {}
        if self.input_signature is not None:
            self.get_concrete_function()
        return {f"trace_{number}": trace for number, trace in enumerate(self._list_all_concrete_functions())}

    # --- methods, copies -----------------------------------------------------------------------------------------

    def __get__(self, instance: object, owner: object = None) -> Any:
        """Binds the function to an instance; each instance has traces of its own, for as long as the instance lives."""
        if instance is None:
            return self
        cache = instance_cache_for(self._instances, instance)
        bound = cache.bound() if cache.bound is not None else None
        if bound is None:
            bound = object.__new__(type(self))
            bound._instance = instance
            if not cache.fields:
                self._bind_fields(bound, instance)
                cache.fields = bound.__dict__
            else:
                bound.__dict__ = cache.fields
            cache.bound = weakref.ref(bound)
        return bound

    def _bind_fields(self, bound: Any, instance: object) -> None:
        """Fills a function for the method of one instance."""
        method = types.MethodType(self._function, instance)
        bound._function, bound._name, bound._options = self._function, self._name, self._options
        bound._signature = make_signature(method, self._options.input_signature)
        bound._instances = InstanceCaches()
        bound._start()
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
            if attribute in self.__dict__:
                bound.__dict__[attribute] = self.__dict__[attribute]
        bound.__signature__ = inspect.signature(method)

    def _clone(self, python_function: Callable[..., Any] | None = None) -> Function:
        """Makes a function of another Python function (by default the same) with the same options and no traces."""
        return Function(python_function or self.python_function, self._name, self._options)

    def _decorate(self, decorator: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the Python function by the result of `decorator`; only before the first call."""
        if len(self._cache):
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self._function = decorator(self._function)
        self._signature = make_signature(self._function, self._options.input_signature)

    def __copy__(self) -> Function:
        return self._clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        if len(self._cache):
            raise TypeError("cannot pickle 'FuncGraph' object")
        copy = self._clone()
        memo[id(self)] = copy
        return copy

    def __reduce__(self) -> NoReturn:
        raise pickle.PicklingError(f"cannot pickle the tf.function {self._name!r}: its graphs belong to this process")


def _forget_plans(plans: dict[Any, fast_calls.PreparedCall], entry: CachedTrace) -> None:
    """Drops the plans of a trace that leaves the cache."""
    for key in entry.plan_keys:
        plans.pop(key, None)


def _trace_context() -> Any:
    """Returns the context on which a trace depends besides arguments: a reference to the outer plain graph, or None;
    and whether no replica of a strategy runs.
    """
    graph = outermost_context()
    graph_reference = None if graph is None else weakref.ref(graph)
    return (_CROSS_REPLICA, graph_reference) if state.is_between_replicas else graph_reference


def _feeds(traced: FunctionTrace, types: Sequence[Any], values: Sequence[Any]) -> dict[int, Any]:
    """Returns the values of a trace's placeholders in this call, as far as known, by the ids of the placeholders."""
    if any(isinstance(value, TraceType) for value in values):
        return {}
    try:
        tensors = [tensor for kind, value in zip(types, values) for tensor in kind.to_tensors(value)]
    except (TypeError, ValueError, AttributeError):
        return {}
    pairs = zip(traced.graph.inputs, tensors)
    return {id(placeholder): tensor for placeholder, tensor in pairs if isinstance(tensor, EagerTensor)}


__all__ = ["Function", "FunctionOptions", "CallSignature"]

"""Calling a graph: `GraphFunction`, the call ops, and the gradient through a call.

A `GraphFunction` is a finished `FuncGraph` that can be called with flat tensors. In
eager mode the call runs the graph's program; in a graph it becomes a
`PartitionedCall` (or `StatefulPartitionedCall`) node whose attribute is the function.

A call is differentiated by the pair of functions in `derivative.py`. Under several tapes, or a persistent one (which
may record its own gradient), the intermediates count as outputs too: the gradient of the gradient flows back through
the intermediates. Lists that a loop fills are the exception. A gradient flows into such a list only through a further
derivative, that of the forward function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.autodiff.accumulator import mark_constants
from millrace._src.autodiff.backprop import zeros
from millrace._src.autodiff.recording import is_trainable
from millrace._src.autodiff.tape import output_specs
from millrace._src.control_flow.derivative import (
    Derivative,
    all_inputs,
    build_derivative,
    filled_gradient,
    reaching,
)
from millrace._src.control_flow.forward_graph import forward_graph
from millrace._src.core import context
from millrace._src.core.array_namespace import Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.devices import check_placement
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Program, Run
from millrace._src.core.execute import scalar_array
from millrace._src.core.handle_types import HandleType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import get_op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, held, note_places
from millrace._src.engines.tiers import Tier, compiled, tier_of, tier_of_call
from millrace._src.graph import rewriting
from millrace._src.graph.control_deps import body_effects, body_writes, called_functions
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of, jit_compile_of, must_compile, set_function_factory
from millrace._src.ops import raw
from millrace._src.ops.batching import scatter_results
from millrace._src.ops.type_sets import ANY
from millrace._src.util.collector import without_collector

_CONFIG = b"\n\x07\n\x03CPU\x10\x01\n\x07\n\x03GPU\x10\x002\x02J\x008\x01\x82\x01\x00\x92\x01\x02J\x00".decode(
    "utf-8", "surrogateescape"
)
"""The serialized `ConfigProto` that TensorFlow puts on every call: one CPU, no GPU, default optimizer options."""


class GraphFunction:
    """A finished function graph, callable with one flat tensor per graph input.

    Args:
      graph: the body; its inputs include the placeholders of its captures.
      name: the function's name in a GraphDef.
      jit_compile: True: always through XLA; False: never; None: the tiers decide.
      attributes: further attributes of the function in a GraphDef.
    """

    def __init__(
        self, graph: FuncGraph, name: str, *, jit_compile: bool | None = None, attributes: dict[str, Any] | None = None
    ) -> None:
        self.graph = graph
        self.name = name
        self.jit_compile = jit_compile
        self.attributes = attributes or {}
        self._derivatives: dict[tuple[Any, ...], Derivative] = {}
        self._forward_modes: dict[tuple[Any, ...], tuple[GraphFunction, list[bool]]] = {}
        self._program: Program | None = None
        self._way: tuple[Run, Callable[[Any, DType], EagerTensor], bool] | None = None
        self.lock = graph.lock

    @property
    def effects(self) -> Effects:
        """What running the body does besides computing."""
        return body_effects([self.graph])

    def program(self) -> Program:
        """Returns the program of the graph, from arrays to arrays, which is compiled on first use."""
        if self._program is None:
            self._check_devices()
            with self.lock, without_collector():
                program = compiled(self.graph, self.jit_compile)
                self.use(program if program.tiering is None else program.tiering.hold(self))
                self._program = program
        return self._program

    def _check_devices(self) -> None:
        """Checks that there are the devices for which nodes ask; operations before constants.

        Raises: InvalidArgumentError: if there is no such device, and no other device may stand in.
        """
        placed = [operation for operation in self.graph.get_operations() if operation.device]
        for operation in sorted(placed, key=lambda one: not one.inputs):
            check_placement(operation.device, operation.name, self.name)

    def use(self, program: Program) -> None:
        """Runs eager calls by a program from now on."""
        self._way = program.quiet_run(pending=True), program.make_tensor, program.takes_pending

    def array_runner(self) -> Run:
        """Returns the run of the program with NumPy arrays as results, whatever its tensors can hold."""
        return self.program().quiet_run()

    def tiers(self) -> dict[str, Tier]:
        """Returns the tier of this function, of the forward and backward functions of its gradients, and of the
        compiled functions that the function calls, by name.
        """
        tiers = {self.name: tier_of(self.program(), self.jit_compile)}
        for derivative in self._derivatives.values():
            for function in (derivative.forward, derivative.backward):
                if function._program is not None:
                    tiers.update(function.tiers())
        if not self.jit_compile:
            tiers.update((function.name, tier_of_call(function.graph)) for function in _clusters(self.graph, set()))
        return tiers

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function with flat tensors; returns its flat outputs."""
        if state.tapes and any(getattr(t, "_tape_id", 0) in tape.watched for tape in state.tapes for t in inputs):
            return self._call_recorded(inputs)
        return self._call_plain(inputs)

    def _call_plain(self, inputs: Sequence[Any]) -> list[Any]:
        if state.graph is None:
            if self._way is None:
                self.program()
            assert self._way is not None  # made with the program
            run, make, takes_pending = self._way
            results = run(*[held(t) if takes_pending else t._eager_array for t in inputs])
            if make is EagerTensor:
                outputs = [
                    EagerTensor(r if type(r) is np.ndarray else scalar_array(r, t.dtype), t.dtype)
                    for r, t in zip(results, self.graph.outputs, strict=True)
                ]
            else:
                outputs = [make(r, t.dtype) for r, t in zip(results, self.graph.outputs, strict=True)]
            note_places(outputs)
            return outputs
        tensors = [convert_to_tensor(t) for t in inputs]
        return list(self.add_to_graph(tensors).outputs)

    def add_to_graph(self, tensors: Sequence[Any]) -> Any:
        """Adds a call node for tensors of the current graph."""
        stateful = self.effects is not Effects.NONE
        name = "StatefulPartitionedCall" if stateful else "PartitionedCall"
        attrs = get_op(name).normalize_attrs(
            {
                "f": self,
                "Tin": [t.dtype for t in tensors],
                "Tout": [t.dtype for t in self.graph.outputs],
                **self._node_attrs(),
            }
        )
        graph = state.graph
        tensors = [t if getattr(t, "graph", None) is graph else graph.capture(t) for t in tensors]
        return graph.add_operation(get_op(name), tensors, attrs, graph.unique_name(name))

    def _node_attrs(self) -> dict[str, Any]:
        """Returns the attributes that TensorFlow's runtime reads on a call node."""
        graph = self.graph
        attrs: dict[str, Any] = {
            "_collective_manager_ids": (),
            "_read_only_resource_inputs": tuple(
                i for i, t in enumerate(graph.inputs) if t.dtype.name == "resource" and not body_writes(graph, i)
            ),
            "config_proto": _CONFIG,
        }
        return {**attrs, "_XlaMustCompile": True} if self.jit_compile else attrs

    def _call_recorded(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function that the innermost recorders need; the recorders around them see that call.

        Tapes need the forward function, which also returns intermediates; an accumulator needs the forward derivative.
        """
        recorders = state.tapes
        count = len(recorders)
        while count and not recorders[count - 1].is_forward:
            count -= 1
        tapes = recorders[count:]
        if not tapes:
            return self._call_forward(recorders[-1], recorders[:-1], inputs)
        if not any(getattr(t, "_tape_id", 0) in tape.watched for tape in tapes for t in inputs):
            with context.tapes_scope(recorders[:count]):
                return self(inputs)
        return self._call_taped(tapes, recorders[:count], inputs)

    def _call_forward(self, accumulator: Any, outer: tuple[Any, ...], inputs: Sequence[Any]) -> list[Any]:
        """Calls the forward derivative and tells the accumulator of the tangents."""
        tangents = [accumulator.differentiable_tangent(t) for t in inputs]
        input_tangents = [t for t in tangents if t is not None]
        with context.tapes_scope(outer):
            if not input_tangents:
                return self(inputs)
            function, has = self.forward_mode(tuple(t is not None for t in tangents))
            results = function([*inputs, *input_tangents])
            mark_constants(outer, [*inputs, *input_tangents], results[len(has) :])
            has_zeros = self._also_changed(tangents, has)
        output_tangents = iter(results[len(has) :])
        for index, tensor in enumerate(results[: len(has)]):
            if has[index]:
                accumulator.set_tangent(tensor, next(output_tangents))
            elif has_zeros[index]:
                accumulator.set_tangent(tensor, raw.ZerosLike(x=tensor))
        return results[: len(has)]

    def _also_changed(self, tangents: Sequence[Any], has: Sequence[bool]) -> Sequence[bool]:
        """Tells which outputs would have tangents if all inputs had tangents.

        TensorFlow takes the missing tangents of these outputs to be zeros.
        """
        outputs = self.graph.outputs
        numbers = [t.dtype.is_floating or t.dtype.is_complex for t in outputs]
        if all(one or not number for one, number in zip(has, numbers, strict=True)):
            return has
        pairs = zip(self.graph.inputs, tangents, strict=True)
        everything = tuple(t is not None or x.dtype.is_floating or x.dtype.is_complex for x, t in pairs)
        return [one and number for one, number in zip(self.forward_mode(everything)[1], numbers, strict=True)]

    def forward_mode(
        self, has_tangent: tuple[bool, ...], wanted: tuple[bool, ...] | None = None
    ) -> tuple[GraphFunction, list[bool]]:
        """Returns the forward derivative: from inputs and tangents to outputs and tangents.

        Args:
          has_tangent: for each input whether its tangent is given.
          wanted: for each output whether its tangent must be returned; None: only the tangents that there are.

        Returns: The function, and for each output whether it returns a tangent.
        """
        with self.lock:
            outputs = self.graph.outputs
            key = (has_tangent, wanted, len(outputs))
            if key not in self._forward_modes:
                name = f"__jvp_{self.name}"
                graph, has = forward_graph(self.graph, has_tangent, wanted or (False,) * len(outputs), name)
                self._forward_modes[key] = GraphFunction(graph, name, jit_compile=self.jit_compile), has
            return self._forward_modes[key]

    def _call_taped(self, tapes: Sequence[Any], outer: tuple[Any, ...], inputs: Sequence[Any]) -> list[Any]:
        """Calls the forward function and tells the tapes how to go back; the tapes keep what that needs, no more."""
        order = max(len(tapes), 2 if tapes[0].persistent else 1)
        # As in TensorFlow, a higher order also differentiates by all arguments of the gradient's own call.
        wanted = _watched_positions(inputs, tapes) if order == 1 else all_inputs(self)
        is_closed = order > 1 or any(r.is_forward for r in outer)
        orders = self._derivatives_of_orders(order, wanted, closed=is_closed)
        with context.tapes_scope(outer):
            results = orders[-1].forward(inputs) if outer else orders[-1].forward._call_plain(inputs)
        backward = _recorded_backward(orders, inputs, results)
        call_op = get_op("PartitionedCall")
        for tape in tapes:
            tape.record_function(call_op, inputs, results, backward, takes_none=True)
        return results[: len(self.graph.outputs)]

    def _derivatives_of_orders(self, order: int, wanted: frozenset[int], *, closed: bool) -> list[Derivative]:
        """Returns the derivatives for the first, second ... order.

        A function without loops has one derivative for all orders: gradients flow into the function's intermediates as
        into its outputs. The intermediates of a loop are lists. A gradient that flows into a list takes a derivative
        of its own.
        """
        derivatives = [self.derivative(closed=closed, wanted=wanted, copies_constants=not closed)]
        while len(derivatives) < order and derivatives[-1].keeps_lists:
            derivatives.append(derivatives[-1].forward.derivative(closed=True, wanted=wanted, copies_constants=False))
        return derivatives

    def derivative(
        self,
        *,
        closed: bool,
        targets: frozenset[int] | None = None,
        wanted: frozenset[int] | None = None,
        copies_constants: bool = True,
    ) -> Derivative:
        """Returns the forward and backward functions, built on first use.

        Args:
          closed: whether gradients flow into the intermediates too, but for lists.
          targets: the positions of the outputs to differentiate; None for all outputs that are numbers or lists.
          wanted: the positions of the inputs that need a gradient; None for all inputs that can have a gradient.
          copies_constants: whether the backward pass copies the constants of the forward pass. False: gradients flow
            into constant numbers as into other intermediates.
        """
        wanted = all_inputs(self) if wanted is None else wanted
        with self.lock:
            key = (closed, targets, wanted, copies_constants, len(self.graph.outputs))
            if key not in self._derivatives:
                self._derivatives[key] = build_derivative(
                    self, closed=closed, targets=targets, wanted=wanted, copies_constants=copies_constants
                )
            return self._derivatives[key]


def _clusters(graph: FuncGraph, seen_graphs: set[int]) -> Iterator[Any]:
    """Yields the functions called in a graph that XLA compiles, each once."""
    for function in [f for operation in graph.get_operations() for f in called_functions(operation)]:
        inner = body_of(function)
        if id(inner) not in seen_graphs:
            seen_graphs.add(id(inner))
            if must_compile(function):
                yield function
            else:
                yield from _clusters(inner, seen_graphs)


def _watched_positions(inputs: Sequence[Any], tapes: Sequence[Any]) -> frozenset[int]:
    """Returns the positions of the inputs that a tape follows."""
    numbers = [getattr(t, "_tape_id", 0) if is_trainable(t.dtype) else 0 for t in inputs]
    return frozenset(i for i, n in enumerate(numbers) if n and any(n in tape.watched for tape in tapes))


def _recorded_backward(orders: Sequence[Derivative], inputs: Sequence[Any], results: Sequence[Any]) -> Any:
    """Makes the backward function of one call, which holds the values that it reads.

    Which outputs have a gradient tells the order: the intermediates of one order are outputs of the next order.
    """
    forward_outputs = orders[-1].forward.graph.outputs
    saved_values = [derivative.saved(inputs, results) for derivative in orders]
    specs = output_specs(results)
    lists = {i: t for i, t in enumerate(results) if t.dtype.name == "variant"}

    def backward(*dys: Any) -> list[Any]:
        derivative = reaching(orders, dys, forward_outputs, frozenset())
        if derivative is None:
            raise LookupError(
                "No gradient defined for the gradient of a tf.while_loop: this derivative through a loop is of a "
                f"higher order than the {len(orders)} that the tapes asked for when the function was called."
            )
        places = derivative.gradient_positions
        gradients = [filled_gradient(_zeros_if_missing(dys[p], specs[p]), lists.get(p)) for p in places]
        input_gradients: list[Any] = derivative.call_backward(gradients, saved_values[orders.index(derivative)])
        return input_gradients

    return backward


# --- ops ---------------------------------------------------------------------------------------------------------


def _call_shape(c: ShapeContext) -> Sequence[TensorShape]:
    return [t.shape for t in c.attr("f").graph.outputs]


def _call_handles(c: ShapeContext) -> list[HandleType | None]:
    return [t.handle_type for t in c.attr("f").graph.outputs]


def _call_effects(attrs: dict[str, Any]) -> Effects:
    return body_effects([attrs["f"]])


@op(
    "PartitionedCall",
    "args: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    shape=_call_shape,
    handles=_call_handles,
    effects=_call_effects,
    control="call",
)
def partitioned_call(
    xp: Xp, args: list[Any], *, f: FunctionAttr, config: str = "", config_proto: str = "", executor_type: str = ""
) -> Any:
    """Calls a function without effects."""
    return list(f(*args))


@op(
    "StatefulPartitionedCall",
    "args: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    shape=_call_shape,
    handles=_call_handles,
    effects=_call_effects,
    control="call",
)
def stateful_partitioned_call(
    xp: Xp, args: list[Any], *, f: FunctionAttr, config: str = "", config_proto: str = "", executor_type: str = ""
) -> Any:
    """Calls a function that may read or write variables, draw random numbers or print."""
    return list(f(*args))


@partitioned_call.operation_gradient
@stateful_partitioned_call.operation_gradient
def call_gradient(operation: Any, output_gradients: Sequence[Any], wanted: frozenset[int]) -> Sequence[Any]:
    """Makes the call node return the intermediates, then calls the backward function."""
    derivative = reaching(operation.gradient_plans, output_gradients, operation.outputs, wanted)
    if derivative is None:
        derivative = prepare_call(operation, wanted)
    dys = [*output_gradients, *[None] * (len(operation.outputs) - len(output_gradients))]
    gradients = [_zeros_if_missing(dys[p], operation.outputs[p]) for p in range(len(derivative.forward.graph.outputs))]
    return derivative.input_gradients(gradients, operation.inputs, operation.outputs)


def prepare_call(operation: Any, wanted: frozenset[int] | None = None) -> Any:
    """Makes a call node return the intermediates of its function; returns how to go back to the wanted inputs."""
    derivative: Derivative = operation.attrs["f"].derivative(closed=True, wanted=wanted, copies_constants=False)
    further = further_outputs(operation, derivative.forward.graph)
    rewriting.extend(operation, {"f": derivative.forward}, outputs=further)
    rewriting.keep_plan(operation, derivative)
    return derivative


def further_outputs(operation: Any, graph: FuncGraph) -> list[tuple[DType, TensorShape]]:
    """Returns dtypes and shapes of the outputs that a graph has beyond the outputs of the operation that runs it."""
    return [(t.dtype, t.shape) for t in graph.outputs[len(operation.outputs) :]]


def _zeros_if_missing(gradient: Any, like: Any) -> Any:
    """Returns an output's gradient, zeros if a number has none; `like` is the output, or its shape and dtype."""
    if gradient is not None or like is None:
        return gradient
    shape, dtype = like if isinstance(like, tuple) else (None, like.dtype)
    if not (dtype.is_floating or dtype.is_complex):
        return None
    return raw.ZerosLike(x=like) if shape is None else zeros(shape.as_list(), dtype)


def _imported_function(graph: FuncGraph, attributes: dict[str, Any]) -> GraphFunction:
    return GraphFunction(graph, graph.name, jit_compile=jit_compile_of(attributes), attributes=attributes)


@partitioned_call.batching
@stateful_partitioned_call.batching
def _call_batching(operation: Any, arguments: Sequence[Any], rows: Any) -> Any:
    """Runs the function's graph on all rows."""
    graph, used_outputs = operation.attrs["f"].graph, rows.used_outputs(operation)
    return scatter_results(
        rows.carry(graph, arguments, [graph.outputs[i] for i in used_outputs]), used_outputs, operation
    )


set_function_factory(_imported_function)

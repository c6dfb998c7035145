"""Calling a graph: `GraphFunction`, the call ops, and the gradient through a call.

A `GraphFunction` is a finished `FuncGraph` that can be called with flat tensors. In
eager mode the call runs the graph's program; in a graph it becomes a
`PartitionedCall` (or `StatefulPartitionedCall`) node whose attribute is the function.

Differentiating a call needs values from inside the graph. A `Derivative` is a pair:
a forward function that also returns those intermediates, and a backward function
from output gradients and intermediates to input gradients. It is built once. Where
a second tape watches, or a persistent one (which may record its own gradient), the
intermediates count as outputs too, so that the gradient of the gradient flows back
through them. Intermediates that are lists (of a loop) are left out of that: gradients
flow into these only through a further derivative, of the forward function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autodiff.accumulator import mark_constants
from millrace._src.autodiff.graph_gradients import graph_gradients
from millrace._src.control_flow.forward_graph import forward_graph
from millrace._src.core import context
from millrace._src.core.array_namespace import Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dispatch import wrap_outputs
from millrace._src.core.dtypes import DType
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_def import Effects, FunctionAttr, get_op, op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.operators import late_function
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor
from millrace._src.engines.tiers import engine_for
from millrace._src.graph.control_deps import add_automatic_control_dependencies, body_effects, body_writes
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import set_function_factory
from millrace._src.ops import raw
from millrace._src.ops.type_sets import ANY

_CONFIG = b"\n\x07\n\x03CPU\x10\x01\n\x07\n\x03GPU\x10\x002\x02J\x008\x01\x82\x01\x00\x92\x01\x02J\x00".decode(
    "utf-8", "surrogateescape"
)
"""A serialized `ConfigProto`, as TensorFlow puts on every call: one CPU, no GPU, default optimizer options."""


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
        self._derivatives: dict[tuple[bool, frozenset[int] | None, int], Derivative] = {}
        self._forward_modes: dict[tuple[Any, ...], tuple[GraphFunction, list[bool]]] = {}
        self._runner: Any = None
        self.tensor_class: type[EagerTensor] = EagerTensor
        """The kind of tensor that holds what the runner returns."""

    @property
    def effects(self) -> Effects:
        """What running the body does besides computing."""
        return body_effects([self.graph])

    def runner(self) -> Any:
        """Takes and returns a flat sequence of arrays; compiled on first use by the engine in charge."""
        if self._runner is None:
            program = _compile(self)
            self.tensor_class = getattr(program, "tensor_class", EagerTensor)
            self._runner = _quieted(program)
        return self._runner

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Calls the function with flat tensors; returns its flat outputs."""
        if state.tapes and any(getattr(t, "_tape_id", 0) in tape.watched for tape in state.tapes for t in inputs):
            return self._call_recorded(inputs)
        return self._call_plain(inputs)

    def _call_plain(self, inputs: Sequence[Any]) -> list[Any]:
        if state.graph is None:
            run = self.runner()
            results = run(*[t._value for t in inputs])
            if self.tensor_class is not EagerTensor:
                return [self.tensor_class(r, t.dtype) for r, t in zip(results, self.graph.outputs, strict=True)]
            return [
                EagerTensor(r if type(r).__name__ == "ndarray" else _level(r, t.dtype), t.dtype)
                for r, t in zip(results, self.graph.outputs, strict=True)
            ]
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
        operation = graph.add_operation(get_op(name), tensors, attrs, graph.unique_name(name))
        copy_handle_data(self.graph.outputs, operation.outputs)
        return operation

    def _node_attrs(self) -> dict[str, Any]:
        """The attributes TensorFlow's runtime reads on a call node."""
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
        """Calls what the innermost recorders need; those around them see that call.

        Tapes need the forward function, whose intermediates they go back with; an accumulator the forward derivative.
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
        given = [t for t in tangents if t is not None]
        with context.tapes_scope(outer):
            if not given:
                return self(inputs)
            function, has = self.forward_mode(tuple(t is not None for t in tangents))
            results = function([*inputs, *given])
            mark_constants(outer, [*inputs, *given], results[len(has) :])
        found = iter(results[len(has) :])
        for tensor, one in zip(results, has, strict=False):
            if one:
                accumulator.set_tangent(tensor, next(found))
        return results[: len(has)]

    def forward_mode(
        self, has_tangent: tuple[bool, ...], wanted: tuple[bool, ...] | None = None
    ) -> tuple[GraphFunction, list[bool]]:
        """The forward derivative: from inputs and tangents to outputs and tangents.

        Args:
          has_tangent: for each input whether its tangent is given.
          wanted: for each output whether its tangent must be returned; None: only where there is one.

        Returns: The function, and for each output whether it returns a tangent.
        """
        outputs = self.graph.outputs
        key = (has_tangent, wanted, len(outputs))
        if key not in self._forward_modes:
            name = f"__jvp_{self.name}"
            graph, has = forward_graph(self.graph, has_tangent, wanted or (False,) * len(outputs), name)
            self._forward_modes[key] = GraphFunction(graph, name, jit_compile=self.jit_compile), has
        return self._forward_modes[key]

    def _call_taped(self, tapes: Sequence[Any], outer: tuple[Any, ...], inputs: Sequence[Any]) -> list[Any]:
        """Calls the forward function and tells the tapes how to go back."""
        orders = self._derivatives_of_orders(max(len(tapes), 2 if tapes[0].persistent else 1))
        with context.tapes_scope(outer):
            results = orders[-1].forward(inputs) if outer else orders[-1].forward._call_plain(inputs)

        def backward(*dys: Any) -> list[Any]:
            derivative = reaching(orders, dys, results)
            if derivative is None:
                raise LookupError(
                    "No gradient defined for the gradient of a tf.while_loop: this derivative through a loop is of a "
                    f"higher order than the {len(orders)} that the tapes asked for when the function was called."
                )
            return derivative.input_gradients(dys, inputs, results)

        call_op = get_op("PartitionedCall")
        for tape in tapes:
            tape.record_function(call_op, inputs, results, backward)
        return results[: len(self.graph.outputs)]

    def _derivatives_of_orders(self, order: int) -> list[Derivative]:
        """The derivatives for the first, second ... order.

        Of a function without loops one serves all orders: gradients flow into its intermediates as into its outputs.
        The intermediates of a loop are lists; a gradient that flows into these takes a derivative of its own.
        """
        found = [self.derivative(closed=order > 1)]
        while len(found) < order and found[-1].keeps_lists:
            found.append(found[-1].forward.derivative(closed=True))
        return found

    def derivative(self, *, closed: bool, lists: frozenset[int] | None = None) -> Derivative:
        """The forward and backward functions.

        Args:
          closed: whether gradients flow into the intermediates too, but for lists.
          lists: the positions of the outputs of dtype variant to differentiate; None for all.
        """
        key = (closed, lists, len(self.graph.outputs))
        if key not in self._derivatives:
            self._derivatives[key] = build_derivative(self, closed=closed, lists=lists)
        return self._derivatives[key]


def _level(value: Any, dtype: Any) -> Any:
    return wrap_outputs(get_op("StopGradient"), value, [dtype])[0]._value


def _compile(function: GraphFunction) -> Any:
    """The program of the engine in charge."""
    graph = function.graph
    return engine_for(function.jit_compile).compile(graph, graph.inputs, graph.outputs)


def _quieted(program: Any) -> Any:
    """A program that runs with NumPy's warnings off."""
    if getattr(program, "runs_python", False):
        return program  # it keeps NumPy quiet by itself, outside our context

    def run(*arrays: Any) -> Any:
        try:
            return state.runner()(program, *arrays)
        except RuntimeError as error:
            if "cannot enter context" not in str(error):
                raise
            return program(*arrays)

    return run


def copy_handle_data(sources: Sequence[Any], targets: Sequence[Any]) -> None:
    """Carries what is known of a resource (the shape and dtype of its variable) over to other handles."""
    for source, target in zip(sources, targets, strict=True):
        data = getattr(source, "_handle_data", None)
        if data is not None:
            target._handle_data = data


# --- derivatives -------------------------------------------------------------------------------------------------


class Derivative:
    """A function's forward pass with intermediates, and its backward pass.

    `backward` takes the gradients of the differentiable outputs (of `forward`, if closed) and the intermediates.
    """

    def __init__(
        self,
        forward: GraphFunction,
        backward: GraphFunction,
        gradient_positions: Sequence[int],
        intermediate_positions: Sequence[tuple[str, int]],
        layout: Sequence[Any],
        base_count: int,
        constants: Sequence[Any] = (),
    ) -> None:
        self.base_count = base_count
        self.constants = constants
        """Tensors from outside of the function that only the backward pass uses."""
        self.forward = forward
        self.backward = backward
        self.gradient_positions = gradient_positions
        self.intermediate_positions = intermediate_positions
        self.layout = layout

    @property
    def keeps_lists(self) -> bool:
        """Whether intermediates are lists, into which no gradient flows."""
        return any(t.dtype.name == "variant" for t in self.forward.graph.outputs[self.base_count :])

    def reaches(self, position: int, dtype: DType) -> bool:
        """Whether the gradient of an output of the forward function is taken into account."""
        return position < self.base_count or (position < len(self.forward.graph.outputs) and dtype.name != "variant")

    def input_gradients(
        self, output_gradients: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> list[Any]:
        """The gradients of the inputs, None where there is none."""
        sources = {"input": inputs, "output": outputs, "constant": self.constants}
        saved = [sources[kind][position] for kind, position in self.intermediate_positions]
        return self.call_backward([_filled(output_gradients[p], outputs[p]) for p in self.gradient_positions], saved)

    def call_backward(self, output_gradients: Sequence[Any], saved: Sequence[Any]) -> list[Any]:
        """The gradients of the inputs from those of the differentiable outputs and the saved values."""
        results = iter(self.backward([*output_gradients, *saved]))
        return [_rebuild(item, results) for item in self.layout]


def reaching(derivatives: Sequence[Derivative], gradients: Sequence[Any], outputs: Sequence[Any]) -> Any:
    """The first of some derivatives that takes every given gradient into account, or None."""
    given = [(p, t.dtype) for p, (g, t) in enumerate(zip(gradients, outputs, strict=False)) if g is not None]
    return next((d for d in derivatives if all(d.reaches(p, dtype) for p, dtype in given)), None)


def _filled(gradient: Any, output: Any) -> Any:
    """The gradient of an output as a tensor: a list of zeros for one that has none."""
    if gradient is None and output.dtype.name == "variant":
        return raw.ZerosLike(x=output)
    return convert_to_tensor(gradient)


def _rebuild(layout: Any, results: Any) -> Any:
    if layout is None:
        return None
    if layout == 1:
        return next(results)
    return IndexedSlices(*[next(results) for _ in range(layout)])


def build_derivative(function: GraphFunction, *, closed: bool, lists: frozenset[int] | None) -> Derivative:
    """Differentiates the body of a function once."""
    graph = function.graph
    outputs = list(graph.outputs)
    if lists is None:
        lists = frozenset(i for i, t in enumerate(outputs) if t.dtype.name == "variant")
    while True:
        backward, positions, layout = _backward_graph(function, outputs, lists)
        known = {id(t) for t in (*outputs, *graph.inputs)}
        new = [t for t in backward.external_captures if id(t) not in known and _is_inside(t, graph)]
        outputs += new
        if not closed or not new:
            break
    forward_graph = with_outputs(graph, outputs)
    inputs = {id(t): ("input", i) for i, t in enumerate(graph.inputs)}
    made = {id(t): ("output", i) for i, t in enumerate(outputs)}
    constants = [t for t in backward.external_captures if not _is_inside(t, graph)]
    made.update((id(t), ("constant", i)) for i, t in enumerate(constants))
    intermediates = [inputs.get(id(t)) or made[id(t)] for t in backward.external_captures]
    return Derivative(
        GraphFunction(forward_graph, f"__forward_{function.name}", jit_compile=function.jit_compile),
        GraphFunction(backward, f"__backward_{function.name}", jit_compile=function.jit_compile),
        positions,
        intermediates,
        layout,
        len(graph.outputs),
        constants,
    )


def _is_inside(tensor: Any, graph: FuncGraph) -> bool:
    """Whether a tensor is of a graph (a view of one has the same operations) rather than of eager mode or around it."""
    return not isinstance(tensor, EagerTensor) and tensor.graph._operations is graph._operations


class _BackwardGraph(FuncGraph):
    """The graph of a backward pass: what the forward graph captured stays an input of the function."""

    def capture(self, tensor: Any, name: str | None = None) -> Any:
        """The tensor of this graph that stands for `tensor`, made on first use."""
        captured = self.outer_graph._captures.get(id(tensor))
        return super().capture(tensor if captured is None else captured[1], name)


def _backward_graph(
    function: GraphFunction, outputs: Sequence[Any], lists: frozenset[int]
) -> tuple[FuncGraph, list[int], list[Any]]:
    """The graph from output gradients (and captured intermediates) to input gradients."""
    graph = function.graph
    backward = _BackwardGraph(f"__backward_{function.name}", outer_graph=graph)
    backward.copies_constants = True
    positions = [i for i, t in enumerate(outputs) if t.dtype.is_floating or t.dtype.is_complex or i in lists]
    with backward.as_default(), context.tapes_scope(()):
        dys = []
        for position in positions:
            tensor = outputs[position]
            dys.append(backward.add_placeholder(tensor.dtype, tensor.shape, f"grad_{position}"))
        backward.inputs.extend(dys)
        found = graph_gradients(graph.get_operations(), [outputs[p] for p in positions], dys, graph.inputs)
        layout: list[Any] = []
        for gradient in found:
            parts = _components(gradient)
            layout.append(len(parts) if isinstance(gradient, IndexedSlices) else 1 if parts else None)
            backward.outputs.extend(p if getattr(p, "graph", None) is backward else backward.capture(p) for p in parts)
    add_automatic_control_dependencies(backward)
    return backward, positions, layout


def _components(gradient: Any) -> list[Any]:
    if gradient is None:
        return []
    if isinstance(gradient, IndexedSlices):
        parts = [gradient.values, gradient.indices]
        return parts if gradient.dense_shape is None else [*parts, gradient.dense_shape]
    return [gradient]


def with_outputs(graph: FuncGraph, outputs: Sequence[Any]) -> FuncGraph:
    """The same body seen with other outputs: the operations are shared, not copied."""
    view = FuncGraph.__new__(FuncGraph)
    view.__dict__.update(graph.__dict__)
    view.outputs = list(outputs)
    view.programs = {}
    view.outer_graph = graph
    return view


# --- ops ---------------------------------------------------------------------------------------------------------


def _call_shape(c: ShapeContext) -> Sequence[TensorShape]:
    return [t.shape for t in c.attr("f").graph.outputs]


def _call_effects(attrs: dict[str, Any]) -> Effects:
    return body_effects([attrs["f"]])


@op(
    "PartitionedCall",
    "args: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    shape=_call_shape,
    effects=_call_effects,
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
    effects=_call_effects,
)
def stateful_partitioned_call(
    xp: Xp, args: list[Any], *, f: FunctionAttr, config: str = "", config_proto: str = "", executor_type: str = ""
) -> Any:
    """Calls a function that may read or write variables, draw random numbers or print."""
    return list(f(*args))


@partitioned_call.operation_gradient
@stateful_partitioned_call.operation_gradient
def call_gradient(operation: Any, output_gradients: Sequence[Any]) -> Sequence[Any]:
    """Makes the call node return the intermediates, then calls the backward function."""
    plans = operation.gradient_plan = operation.gradient_plan or []
    derivative = reaching(plans, output_gradients, operation.outputs)
    if derivative is None:
        derivative = prepare_call(operation)
    dys = [*output_gradients, *[None] * (len(operation.outputs) - len(output_gradients))]
    filled = [_zeros_if_missing(dys[p], operation.outputs[p]) for p in range(len(derivative.forward.graph.outputs))]
    return derivative.input_gradients(filled, operation.inputs, operation.outputs)


def prepare_call(operation: Any) -> Any:
    """Makes a call node return the intermediates of its function; returns how to go back from them."""
    derivative: Derivative = operation.attrs["f"].derivative(closed=True)
    extend_outputs(operation, "f", derivative.forward)
    return planned(operation, derivative)


def planned(operation: Any, plan: Any) -> Any:
    """Notes what differentiating an operation found out; accumulators give the added outputs their tangents."""
    operation.gradient_plan = [*(operation.gradient_plan or ()), plan]
    for recorder, _ in operation.recordings[:]:
        if recorder.is_forward and not recorder.is_finished:
            operation.op_def.operation_tangents(operation, recorder)
    return plan


def extend_outputs(
    operation: Any, attr: str, function: GraphFunction, shapes: Sequence[TensorShape] | None = None
) -> None:
    """Replaces the function of a call node by one with more outputs, and tells the tapes."""
    known = len(operation.outputs)
    add_outputs(operation, attr, function, shapes)
    for recorder, entry in operation.recordings:
        if not recorder.is_forward:
            recorder.follow_added_outputs(entry, operation.outputs[known:])


def add_outputs(
    operation: Any, attr: str, function: GraphFunction, shapes: Sequence[TensorShape] | None = None
) -> None:
    """Replaces the function of a call node by one with more outputs; their shapes are the function's, if not given."""
    from millrace._src.core.tensor import SymbolicTensor  # only here is an operation changed after creation

    operation.attrs[attr] = function
    known = len(operation.outputs)
    shapes = [t.shape for t in function.graph.outputs] if shapes is None else shapes
    for tensor, shape in zip(function.graph.outputs[known:], shapes[known:], strict=True):
        operation.outputs.append(SymbolicTensor(operation, len(operation.outputs), tensor.dtype, shape))
    operation.attrs["Tout"] = tuple(t.dtype for t in operation.outputs)
    copy_handle_data(function.graph.outputs, operation.outputs)


def _zeros_if_missing(gradient: Any, tensor: Any) -> Any:
    is_number = tensor.dtype.is_floating or tensor.dtype.is_complex
    return raw.ZerosLike(x=tensor) if gradient is None and is_number else gradient


def _imported_function(graph: FuncGraph, attributes: dict[str, Any]) -> GraphFunction:
    return GraphFunction(graph, graph.name, jit_compile=attributes.get("_XlaMustCompile"), attributes=attributes)


@partitioned_call.operation_tangents
@stateful_partitioned_call.operation_tangents
def _call_tangents(operation: Any, accumulator: Any) -> None:
    """The rule stands beside those of the other operations that hold graphs."""
    late_function("control_flow.forward_operations.call_tangents")(operation, accumulator)


set_function_factory(_imported_function)

"""The derivative of a function: a forward pass that keeps intermediates, and a backward pass that uses them.

Differentiating the body of a function needs values from inside of it. A `Derivative` is a pair: a forward function
that also returns those intermediates, and a backward function from output gradients and intermediates to input
gradients. Both are built once for the inputs that need a gradient, and shared by all calls.

Little leaves the forward pass: what the finished backward graph reads, nothing else. A result that is cheap to compute
again from an argument (a cast, a reshape) is computed again.

For higher orders (a *closed* derivative, and loops) it matters which values TensorFlow passes from the forward to the
backward function: the gradient of the gradient is zeros, not None, for an input behind such a value. The closed
derivative of a call therefore also passes constants, and numbers that no gradient flows through. For a loop,
`phantoms` lists the numbers that TensorFlow would keep in lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autodiff.backprop import zeros
from millrace._src.autodiff.graph_gradients import find_reached, graph_gradients
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Verdict
from millrace._src.core.indexed_slices import IndexedSlices, gradient_tensors
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, tape_id
from millrace._src.graph.captured_tensors import capture_into
from millrace._src.graph.control_deps import add_automatic_control_dependencies
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import CallableFunction, make_function
from millrace._src.graph.replay import call
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops import raw

_MAX_CHEAP = 4
"""The number of cheap operations in a row that the backward pass repeats; the result of more is kept."""


class Derivative:
    """A function's forward pass with intermediates, and its backward pass.

    `backward` takes the gradients of the differentiable outputs (of `forward`, if closed) and the intermediates.

    Attributes:
      wanted: the positions of the inputs whose gradients `backward` returns.
      gradient_positions: the outputs of `forward` whose gradients `backward` takes.
      intermediate_positions: where `backward` finds its other arguments: kind (input, output or constant), number.
      layout: for each input how many tensors its gradient is made of, None for no gradient.
      base_count: the number of outputs of the function itself.
      constants: tensors from outside of the function that only the backward pass uses.
      phantoms: numbers of the forward pass that TensorFlow passes to a backward pass that does not need them.
    """

    def __init__(
        self,
        forward: CallableFunction,
        backward: CallableFunction,
        wanted: frozenset[int],
        gradient_positions: Sequence[int],
        intermediate_positions: Sequence[tuple[str, int]],
        layout: Sequence[Any],
        base_count: int,
        constants: Sequence[Any] = (),
        phantoms: Sequence[Any] = (),
    ) -> None:
        self.forward = forward
        self.backward = backward
        self.wanted = wanted
        self.gradient_positions = gradient_positions
        self.intermediate_positions = intermediate_positions
        self.layout = layout
        self.base_count = base_count
        self.constants = constants
        self.phantoms = phantoms

    @property
    def keeps_lists(self) -> bool:
        """Whether intermediates are lists, into which no gradient flows."""
        return any(t.dtype.name == "variant" for t in self.forward.graph.outputs[self.base_count :])

    def reaches(self, position: int, dtype: DType) -> bool:
        """Returns whether the backward function takes the gradient of an output of the forward function."""
        return position < self.base_count or (position < len(self.forward.graph.outputs) and dtype.name != "variant")

    def gather_saved(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
        """Returns the values of one call that the backward pass needs."""
        sources = {"input": inputs, "output": outputs, "constant": self.constants}
        return [sources[kind][position] for kind, position in self.intermediate_positions]

    def input_gradients(
        self, output_gradients: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> list[Any]:
        """Returns the gradients of the inputs, None for an input without a gradient."""
        gradients = [fill_gradient(output_gradients[p], outputs[p]) for p in self.gradient_positions]
        return self.call_backward(gradients, self.gather_saved(inputs, outputs))

    def call_backward(self, output_gradients: Sequence[Any], saved: Sequence[Any]) -> list[Any]:
        """Computes the gradients of the inputs from those of the differentiable outputs and the saved values."""
        results = iter(self.backward([*output_gradients, *saved]))
        return [_rebuild(item, results) for item in self.layout]


def reaching(
    derivatives: Sequence[Any], gradients: Sequence[Any], outputs: Sequence[Any], wanted: frozenset[int]
) -> Any:
    """Finds the first derivative for the wanted inputs that takes every given gradient into account, or None."""
    dtypes = [(p, t.dtype) for p, (g, t) in enumerate(zip(gradients, outputs, strict=False)) if g is not None]
    return next(
        (d for d in derivatives if wanted <= d.wanted and all(d.reaches(p, dtype) for p, dtype in dtypes)), None
    )


def fill_gradient(gradient: Any, output: Any) -> Any:
    """Returns the gradient of an output as a tensor: a list of zeros for a list that has no gradient."""
    if gradient is None and output.dtype.name == "variant":
        return raw.ZerosLike(x=output)
    return convert_to_tensor(gradient)


def zeros_if_missing(gradient: Any, like: Any) -> Any:
    """Returns an output's gradient, zeros if a number has none; `like` is the output, or its shape and dtype."""
    if gradient is not None or like is None:
        return gradient
    shape, dtype = like if isinstance(like, tuple) else (None, like.dtype)
    if not (dtype.is_floating or dtype.is_complex):
        return None
    return raw.ZerosLike(x=like) if shape is None else zeros(shape.as_list(), dtype)


def _rebuild(layout: Any, results: Any) -> Any:
    if layout is None:
        return None
    if layout == 1:
        return next(results)
    return IndexedSlices(*[next(results) for _ in range(layout)])


def derivative_of(
    function: CallableFunction,
    *,
    closed: bool,
    targets: frozenset[int] | None = None,
    wanted: frozenset[int] | None = None,
    copies_constants: bool = True,
) -> Derivative:
    """Returns the forward and backward functions of a function, built on first use.

    Args:
      function: the function to differentiate.
      closed: whether gradients flow into the intermediates too, but for lists.
      targets: the positions of the outputs to differentiate; None for all outputs that are numbers or lists.
      wanted: the positions of the inputs that need a gradient; None for all inputs that can have a gradient.
      copies_constants: whether the backward pass copies the constants of the forward pass. False: gradients flow
        into constant numbers as into other intermediates.
    """
    wanted = all_inputs(function) if wanted is None else wanted
    with function.lock:
        key = (closed, targets, wanted, copies_constants, len(function.graph.outputs))
        derivative: Derivative | None = function.derivatives.get(key)
        if derivative is None:
            derivative = build_derivative(
                function, closed=closed, targets=targets, wanted=wanted, copies_constants=copies_constants
            )
            function.derivatives[key] = derivative
        return derivative


def build_derivative(
    function: CallableFunction,
    *,
    closed: bool,
    targets: frozenset[int] | None,
    wanted: frozenset[int],
    copies_constants: bool,
) -> Derivative:
    """Differentiates the body of a function once; see `derivative_of`."""
    graph = function.graph
    outputs = list(graph.outputs)
    if targets is None:
        targets = frozenset(i for i, t in enumerate(outputs) if _is_number(t) or t.dtype.name == "variant")
    while True:
        backward, positions, layout = _backward_graph(
            function, outputs, targets, wanted, closed=closed, copies_constants=copies_constants
        )
        if not closed:
            backward.phantoms += _drop_unused_captures(backward)
        boundary = {id(t) for t in (*outputs, *graph.inputs)}
        new_outputs = [t for t in backward.external_captures if id(t) not in boundary and _is_inside(t, graph)]
        numbers = {i for i, t in enumerate(new_outputs, start=len(outputs)) if _is_number(t)}
        outputs += new_outputs
        if not closed or not new_outputs:
            break
        targets |= numbers
    inputs = {id(t): ("input", i) for i, t in enumerate(graph.inputs)}
    sources = {id(t): ("output", i) for i, t in enumerate(outputs)}
    constants = [t for t in backward.external_captures if not _is_inside(t, graph)]
    sources.update((id(t), ("constant", i)) for i, t in enumerate(constants))
    jit_compile = function.jit_compile
    forward = make_function(with_outputs(graph, outputs), f"__forward_{function.name}", jit_compile=jit_compile)
    backward.verdict.source = forward.graph.verdict
    return Derivative(
        forward,
        make_function(backward, f"__backward_{function.name}", jit_compile=jit_compile),
        wanted,
        positions,
        [inputs.get(id(t)) or sources[id(t)] for t in backward.external_captures],
        layout,
        len(graph.outputs),
        constants,
        [t for t in backward.phantoms if _is_number(t) and _is_inside(t, graph)],
    )


def _is_inside(tensor: Any, graph: FuncGraph) -> bool:
    """Returns whether a tensor belongs to a graph or to a view of the graph; an eager tensor does not."""
    return not isinstance(tensor, EagerTensor) and tensor.graph._operations is graph._operations


def with_outputs(graph: FuncGraph, outputs: Sequence[Any]) -> FuncGraph:
    """Returns the same body seen with other outputs: the operations are shared, not copied."""
    view = FuncGraph.__new__(FuncGraph)
    view.__dict__.update(graph.__dict__)
    view.outputs = list(outputs)
    view.programs = {}
    view.verdict = Verdict(source=graph.verdict.source)
    view.outer_graph = graph
    return view


# --- the backward pass -------------------------------------------------------------------------------------------


class _BackwardGraph(FuncGraph):
    """The graph of a backward pass: what the forward graph captured stays an input of the function."""

    def __init__(self, name: str, outer_graph: FuncGraph, *, closed: bool, copies_constants: bool) -> None:
        super().__init__(name, outer_graph=outer_graph)
        self.is_closed = closed
        self.copies_constants = copies_constants
        self.phantoms: list[Any] = []

    def capture(self, tensor: Any, name: str | None = None) -> Any:
        """Returns the tensor of this graph that represents `tensor`, made on first use."""
        capture = self.outer_graph._captures.get(id(tensor))
        if capture is not None:
            tensor = capture[1]
        if isinstance(tensor, SymbolicTensor) and id(tensor) not in self._captures and tensor.graph is not self:
            again = self._recompute(tensor)
            if again is not None:
                return again
        return super().capture(tensor, name)

    def copies_constant(self, dtype: DType) -> bool:
        """Returns whether a constant of the forward pass is copied: a constant that has no gradient always is."""
        return self.copies_constants or not is_trainable(dtype)

    def _recompute(self, tensor: SymbolicTensor) -> Any:
        """Computes a value of the forward pass again from its arguments; returns None if that is not cheap."""
        copy = self._constants.get(id(tensor))
        if copy is not None:
            return copy[1]
        arguments = {id(t) for t in self.outer_graph.inputs}
        if not _is_cheap(tensor, arguments, _MAX_CHEAP):
            return None
        if is_trainable(tensor.dtype) and _is_cut_off(tensor, arguments):
            if self.is_closed:
                return None
            self.phantoms.append(tensor)
        with self.as_default(), self.control_dependencies(None), context.tapes_scope(()):
            again = call(tensor.op, [self.capture(t) for t in tensor.op.inputs])[tensor.value_index]
        again._tape_id = tape_id(tensor)
        self._constants[id(tensor)] = (tensor, again)
        return again


def _is_cheap(tensor: SymbolicTensor, arguments: set[int], most: int) -> bool:
    """Returns whether at most `most` cheap operations make a tensor from arguments of the graph and constants."""
    operation = tensor.op
    if id(tensor) in arguments or not operation.op_def.traits.is_cheap or not most:
        return False
    return all(id(t) in arguments or t.op.static_values or _is_cheap(t, arguments, most - 1) for t in operation.inputs)


def _is_cut_off(tensor: SymbolicTensor, arguments: set[int]) -> bool:
    """Returns whether no gradient flows through the cheap operations behind a tensor."""
    operation = tensor.op
    if id(tensor) in arguments:
        return not is_trainable(tensor.dtype)
    return operation.op_def.rules.gradient is None or all(_is_cut_off(t, arguments) for t in operation.inputs)


def _backward_graph(
    function: CallableFunction,
    outputs: Sequence[Any],
    targets: frozenset[int],
    wanted: frozenset[int],
    *,
    closed: bool,
    copies_constants: bool,
) -> tuple[_BackwardGraph, list[int], list[Any]]:
    """Builds the graph from output gradients (and captured intermediates) to input gradients."""
    graph = function.graph
    operations = graph.get_operations()
    sources = [t for i, t in enumerate(graph.inputs) if i in wanted]
    reached_numbers = find_reached(operations, sources)
    backward = _BackwardGraph(f"__backward_{function.name}", graph, closed=closed, copies_constants=copies_constants)
    positions = [i for i, t in enumerate(outputs) if i in targets and tape_id(t) in reached_numbers]
    with backward.as_default(), context.tapes_scope(()):
        dys = []
        for position in positions:
            tensor = outputs[position]
            dys.append(backward.add_placeholder(tensor.dtype, tensor.shape, f"grad_{position}"))
        backward.inputs.extend(dys)
        gradients = iter(graph_gradients(operations, [outputs[p] for p in positions], dys, sources))
        layout: list[Any] = []
        numbers: set[int] = set()
        for index, source in enumerate(graph.inputs):
            gradient = next(gradients) if index in wanted else None
            if index in wanted and tape_id(source) in numbers:
                gradient = None  # another input is the same tensor, and has the whole gradient
            elif index in wanted:
                numbers.add(tape_id(source))
            parts = gradient_tensors(gradient)
            layout.append(len(parts) if isinstance(gradient, IndexedSlices) else 1 if parts else None)
            backward.outputs.extend(capture_into(backward, p) for p in parts)
    add_automatic_control_dependencies(backward)
    return backward, positions, layout


def _is_number(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _drop_unused_captures(graph: FuncGraph) -> list[Any]:
    """Drops the captures that only unneeded operations read; returns the tensors that were captured."""
    needed_operations = set(find_required_operations(graph.get_operations(), [t.op for t in graph.outputs]))
    unused_placeholders = {id(s): p for s, p in graph.captures if p.op not in needed_operations}
    graph.inputs = [t for t in graph.inputs if all(t is not p for p in unused_placeholders.values())]
    return [graph._captures.pop(key)[0] for key in unused_placeholders]


def all_inputs(function: CallableFunction) -> frozenset[int]:
    """Returns the positions of the inputs that can have a gradient."""
    return frozenset(i for i, t in enumerate(function.graph.inputs) if is_trainable(t.dtype))

"""The gradient of a loop: forwards with lists of intermediates, then backwards through them.

The body is differentiated like any function; its backward function needs values from inside each iteration. The forward
loop gets one list for each such value and pushes the value in every iteration. The loop of the gradient runs as many
iterations as the forward loop ran, pops the values in reverse order, and carries the gradients of the loop variables.
The gradient of a capture, which the body only reads, is summed over all iterations.

The lists are then loop variables like others. A gradient that flows into a list (a second derivative) makes a further
plan, which differentiates the body that fills the list.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from millrace._src.autodiff.graph_gradients import find_reached
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.control_flow.call import further_outputs
from millrace._src.control_flow.derivative import Derivative, derivative_of
from millrace._src.control_flow.while_loop import build_bounded_loop, iteration_bound, stateless_while, while_
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Effects
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import tape_id
from millrace._src.graph import rewriting
from millrace._src.graph.control_deps import add_automatic_control_dependencies, body_writes, function_attrs
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import CallableFunction, make_function
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.state import fill_like_variable, variable_shape_of

_MAX_OPERATIONS = 32
"""The most operations that compute a value outside of the loop; a value that takes more is saved in every iteration."""


@while_.operation_gradient
@stateless_while.operation_gradient
def while_gradient(operation: Any, output_gradients: Sequence[Any], wanted: frozenset[int]) -> Sequence[Any]:
    """Builds a loop that runs the backward function of the body once per iteration, last iteration first."""
    dys = [*output_gradients, *[None] * (len(operation.outputs) - len(output_gradients))]
    positions = {i for i, g in enumerate(dys) if g is not None}
    loop = next((plan for plan in operation.gradient_plans if plan.serves(positions, wanted)), None)
    return (loop or prepare_while(operation, positions, wanted)).build(dys)


def prepare_while(operation: Any, given: Container[int] | None = None, wanted: frozenset[int] | None = None) -> Any:
    """Makes a loop return lists of intermediates; returns the gradient that reads these lists.

    Args:
      operation: the loop.
      given: the positions of the outputs that have a gradient; None for any.
      wanted: the positions of the inputs that need a gradient; None for all inputs that can have a gradient.
    """
    lists = {i for i, t in enumerate(operation.outputs) if t.dtype.name == "variant" and (given is None or i in given)}
    if wanted is None:
        wanted = frozenset(i for i, t in enumerate(operation.inputs) if is_trainable(t.dtype))
    plan = _LoopGradient(operation, lists, wanted)
    rewriting.keep_plan(operation, plan)
    return plan


class _LoopGradient:
    """The gradient of one While operation while it is built.

    Args:
      operation: the forward loop, which is changed to return the intermediates.
      lists: the positions of the loop's lists that have a gradient.
      wanted: the positions of the loop's inputs that need a gradient.
    """

    def __init__(self, operation: Any, lists: set[int], wanted: frozenset[int]) -> None:
        self.operation = operation
        self.body: CallableFunction = operation.attrs["body"]
        self.cond: CallableFunction = operation.attrs["cond"]
        self.count = len(operation.inputs)
        self.wanted = wanted
        graph = self.body.graph
        self.is_invariant = [graph.outputs[i] is graph.inputs[i] for i in range(self.count)]
        self.flowing = self._flowing()
        self.derivative, self.list_positions = self._differentiate(lists & self.flowing)
        varying = [position for position in self.derivative.intermediate_positions if not self._is_constant(position)]
        self.slots = [position for position in varying if self._is_made_of_captures(position)]
        """The positions of saved values that are the same in every iteration: one value is kept, not a list."""
        self.is_counted = iteration_bound(operation) is not None
        self.lists = [position for position in varying if position not in self.slots]
        if not self.lists and not self.is_counted:
            self.lists = [("input", 0)]  # its length is the number of iterations
        self.sizes: dict[tuple[str, int], Any] = {}
        """Intermediates that depend on captures alone, computed once before the loop of the gradient."""
        self.read = self._read_before()
        """Saved values of variables, read before the loop."""
        self._return_lists()

    def serves(self, given: set[int], wanted: frozenset[int]) -> bool:
        """Returns whether this plan serves gradients of the outputs `given` with respect to the inputs `wanted`."""
        lists = {i for i in given if self.operation.outputs[i].dtype.name == "variant"}
        counted = {i for i in lists if i in self.flowing or i >= self.count}  # the later ones came with another plan
        return wanted <= self.wanted and counted <= self.list_positions and all(i < self.count for i in given - lists)

    def _flowing(self) -> frozenset[int]:
        """Returns the loop variables whose gradients the loop needs: those that depend on the wanted inputs.

        An iteration may compute one loop variable from another, so the set grows until no variable joins. A variable
        that a body computes from constants, or from captures that no gradient is asked for, has no gradient.
        """
        graph = self.body.graph
        flowing = set(self.wanted)
        frontier = sorted(flowing)
        while frontier:
            numbers = find_reached(graph.get_operations(), [graph.inputs[i] for i in frontier])
            reached_outputs = {i for i, t in enumerate(graph.outputs[: self.count]) if tape_id(t) in numbers}
            frontier = sorted(reached_outputs - flowing)
            flowing |= reached_outputs
        return frozenset(flowing)

    def _differentiate(self, lists: set[int]) -> tuple[Derivative, set[int]]:
        """Returns the derivative of the body, and the positions of the lists among its variables that have a gradient.

        A list that the body only passes on has a gradient if the body reads from the list. A list that the body changes
        has a gradient if that is asked for or comes back from an iteration.
        """
        outputs = self.body.graph.outputs[: self.count]
        numbers = {i for i, t in enumerate(outputs) if t.dtype.is_floating or t.dtype.is_complex}
        while True:
            targets = frozenset(i for i in numbers | lists if not self.is_invariant[i])
            derivative = derivative_of(self.body, closed=False, targets=targets, wanted=self.flowing)
            reached_inputs = {i for i in range(self.count) if derivative.layout[i] is not None and self._is_list(i)}
            if reached_inputs <= lists:
                return derivative, lists
            lists = lists | reached_inputs

    def _is_list(self, index: int) -> bool:
        return bool(self.operation.inputs[index].dtype.name == "variant")

    def _is_constant(self, position: tuple[str, int]) -> bool:
        """Returns whether the gradient's loop knows an intermediate beforehand: a capture, a size, a variable."""
        kind, index = position
        if kind == "output":
            tensor = self._value_of(position)
            return self._is_read_before(tensor) or tensor.dtype.is_integer and self._depends_on_captures(tensor)
        return kind == "constant" or self.is_invariant[index]

    def _is_made_of_captures(self, position: tuple[str, int]) -> bool:
        """Returns whether a saved value is the same in every iteration."""
        return position[0] == "output" and self._depends_on_captures(self._value_of(position), reading=True)

    def _is_read_before(self, tensor: Any) -> bool:
        """Returns whether a tensor of the body is the value of a variable that the loop does not change."""
        operation = tensor.op
        return operation.effects is Effects.READS and self._can_be_read_once(operation)

    def _can_be_read_once(self, operation: Any) -> bool:
        """Returns whether an operation of the body reads nothing but variables that the loop does not change."""
        positions = {id(t): i for i, t in enumerate(self.body.graph.inputs)}
        if function_attrs(operation):
            return False
        for tensor in operation.inputs:
            index = positions.get(id(tensor), self.count)
            if index >= self.count or not self.is_invariant[index] or not tensor.dtype.is_resource:
                return False
            if any(body_writes(f.graph, index) for f in (self.body, self.cond)):
                return False
        return True

    def _depends_on_captures(self, tensor: Any, *, reading: bool = False) -> bool:
        """Returns whether a few operations compute a tensor of the body from captures alone.

        The operations have no effects or, if `reading`, read variables that the loop does not change.
        """
        inputs = {id(t): self.is_invariant[i] for i, t in enumerate(self.body.graph.inputs)}
        pending: list[Any] = [tensor]
        seen: set[Any] = set()
        while pending and len(seen) <= _MAX_OPERATIONS:
            current = pending.pop()
            operation = current.op
            if id(current) in inputs:
                if not inputs[id(current)]:
                    return False
            elif operation not in seen and not operation.static_values:
                seen.add(operation)
                is_read = reading and operation.effects is Effects.READS and self._can_be_read_once(operation)
                if not operation.inputs or function_attrs(operation):
                    return False
                if operation.effects is not Effects.NONE and not is_read:
                    return False
                pending += operation.inputs
        return not pending

    def _outside(self, tensor: Any, known: dict[Any, Any]) -> Any:
        """Computes outside of the loop a tensor of the body that depends on captures."""
        key = (id(tensor.op), tensor.value_index)
        if key not in known:
            operation = tensor.op
            if operation.static_values:
                value = operation.static_values[tensor.value_index]
                known[key] = convert_to_tensor(value, dtype=tensor.dtype)
            else:
                results = call(operation, [self._outside(t, known) for t in operation.inputs])
                known.update({(id(operation), i): r for i, r in enumerate(results)})
        return known[key]

    def build(self, output_gradients: Sequence[Any]) -> list[Any]:
        positions = [i for i in range(self.count) if self._flows(i)]
        first_gradients = [self._first_gradient(i, output_gradients[i]) for i in positions]
        values = self.operation.outputs[self.count :]
        full_lists, slots = (
            values[: len(self.lists)],
            values[len(self.lists) : len(self.lists) + len(self.slots)],
        )
        iterations = self.operation.outputs[0] if self.is_counted else raw.TensorListLength(input_handle=full_lists[0])
        outside_values = {
            (id(p.op), p.value_index): t for p, t in zip(self.body.graph.inputs, self.operation.inputs, strict=False)
        }
        elsewhere = (*self.lists, *self.slots, *self.read)
        self.sizes = {
            position: self._outside(self._value_of(position), outside_values)
            for position in self.derivative.intermediate_positions
            if position[0] == "output" and position not in elsewhere
        }

        def body(left: Any, gradients: Any, lists: Any) -> Any:
            saved_values, shorter_lists = self._pop(lists)
            saved_values.update(
                {position: self._slot_value(position, slot) for position, slot in zip(self.slots, slots, strict=True)}
            )
            for tensor in self._phantoms():
                context.state.graph.capture(tensor)
            return [left - 1, self._step(positions, gradients, saved_values), shorter_lists]

        shapes = [self._gradient_shape(i) for i in positions]
        invariants = [TensorShape([]), shapes, [TensorShape([])] * len(full_lists)]
        loop_vars = [iterations, first_gradients, list(full_lists)]
        _, results, _ = build_bounded_loop(
            lambda left, *_: left > 0, body, loop_vars, invariants, self._maximum(), f"{self.operation.name}_grad"
        )
        by_input = dict(zip(positions, results, strict=True))
        return [by_input.get(i) for i in range(len(self.operation.inputs))]

    def _is_idle(self, index: int) -> bool:
        """Returns whether the body only passes an input on and gets no gradient: the input's gradient is zeros."""
        return self.is_invariant[index] and self.derivative.layout[index] is None

    def _phantoms(self) -> list[Any]:
        """Returns the inputs of the forward loop that the gradient's loop captures without using them.

        TensorFlow keeps every number that its gradient nodes name, needed or not. The next gradient flows into the kept
        numbers, if only as zeros, so that the inputs behind the numbers have zeros as gradient instead of None. Here
        the loop of the gradient captures those inputs themselves.
        """
        saved_tensors = [self._value_of(position) for position in (*self.lists, *self.slots)]
        numbers = [t for t in saved_tensors if t.dtype.is_floating or t.dtype.is_complex]
        positions = {id(t): i for i, t in enumerate(self.body.graph.inputs[: self.count])}
        named_inputs = [positions.get(id(t)) for t in (*self.derivative.phantoms, *numbers)]
        idle = {i for i in self.wanted if self._is_idle(i)}
        named_captures = {i for i in named_inputs if i is not None and self.is_invariant[i]}
        is_varying = any(i not in named_captures for i in named_inputs)
        return [self.operation.inputs[i] for i in sorted(self.wanted if is_varying else named_captures | idle)]

    def _flows(self, index: int) -> bool:
        """Returns whether the gradient of an input of the loop is to be computed."""
        dtype = self.operation.inputs[index].dtype
        if index not in self.flowing:
            return False
        if dtype.is_resource:
            return self.derivative.layout[index] is not None
        if dtype.name == "variant":
            return index in self.list_positions or self._is_idle(index)
        return is_trainable(dtype)

    def _gradient_shape(self, index: int) -> TensorShape:
        tensor = self.body.graph.inputs[index]
        return variable_shape_of(tensor) if tensor.dtype.is_resource else tensor.shape

    def _first_gradient(self, index: int, gradient: Any) -> Any:
        """Returns the value with which a gradient enters the backward loop: the output's gradient, or zeros."""
        tensor = self.operation.inputs[index]
        if tensor.dtype.is_resource:
            return fill_like_variable(tensor, 0)
        if gradient is not None:
            return convert_to_tensor(gradient)
        return raw.ZerosLike(x=self.operation.outputs[index] if not self.is_invariant[index] else tensor)

    def _step(
        self, positions: Sequence[int], gradients: Sequence[Any], saved_values: dict[tuple[str, int], Any]
    ) -> list[Any]:
        """Computes the gradients before one iteration from the gradients after it, for the variables at `positions`."""
        current = dict(zip(positions, gradients, strict=True))
        outputs = self.body.graph.outputs
        dys = [current.get(i) if not self.is_invariant[i] else None for i in range(self.count)]
        arguments = [
            dys[p] if dys[p] is not None else self._zeros(outputs[p], p, current)
            for p in self.derivative.gradient_positions
        ]
        sources = {"input": self.operation.inputs, "constant": self.derivative.constants}
        known_values = {**saved_values, **self.sizes, **self.read}
        values = [
            known_values[p] if p in known_values else sources[p[0]][p[1]]
            for p in self.derivative.intermediate_positions
        ]
        body_gradients = self.derivative.call_backward(arguments, values)
        result = []
        for index in positions:
            gradient = None if body_gradients[index] is None else convert_to_tensor(body_gradients[index])
            if self.is_invariant[index]:
                value = current[index] if gradient is None else _sum(current[index], gradient)
            else:
                value = raw.ZerosLike(x=current[index]) if gradient is None else gradient
            value.set_shape(self._gradient_shape(index))
            result.append(value)
        return result

    def _zeros(self, tensor: Any, index: int, current: dict[int, Any]) -> Any:
        """Makes zeros for the gradient of an output of the body that the loop only passes on."""
        if index in current:
            return raw.ZerosLike(x=current[index])
        return raw.ZerosLike(x=self.operation.inputs[index])

    # --- lists -------------------------------------------------------------------------------------------------

    def _read_before(self) -> dict[tuple[str, int], Any]:
        """Reads the variables whose values the gradient needs, right before the forward loop.

        The tapes that watch see these reads: the gradient of the gradient flows to the variable.
        """
        operation = self.operation
        positions = {id(t): i for i, t in enumerate(self.body.graph.inputs)}
        values: dict[tuple[str, int], Any] = {}
        with rewriting.inserting_before(operation, tapes=context.state.tapes) as readings:
            for position in self.derivative.intermediate_positions:
                if position[0] == "output" and self._is_read_before(self._value_of(position)):
                    tensor = self._value_of(position)
                    handles = [operation.inputs[positions[id(t)]] for t in tensor.op.inputs]
                    values[position] = call(tensor.op, handles)[tensor.value_index]
        for reading in readings:
            rewriting.wait_for(reading, operation.control_inputs)
        rewriting.wait_for(operation, [t.op for t in values.values()])
        return values

    def _return_lists(self) -> None:
        """Rewrites the forward loop so that it also returns the lists of saved values."""
        operation = self.operation
        with rewriting.inserting_before(operation):
            empty_lists = [*map(self._empty_list, self.lists), *map(self._empty_slot, self.slots)]
        body = make_function(self._extend_graph("body", self._run_body, empty_lists))
        attrs = {
            "cond": make_function(self._extend_graph("cond", self._run_cond, empty_lists)),
            "body": body,
            "output_shapes": (*operation.attrs["output_shapes"], *[TensorShape([])] * len(empty_lists)),
        }
        rewriting.extend(operation, attrs, empty_lists, further_outputs(operation, body.graph))

    def _value_of(self, position: tuple[str, int]) -> Any:
        kind, index = position
        graph = self.derivative.forward.graph
        return graph.inputs[index] if kind == "input" else graph.outputs[index]

    def _empty_list(self, position: tuple[str, int]) -> Any:
        value = self._value_of(position)
        return raw.EmptyTensorList(
            element_shape=_shape_vector(value.shape), max_num_elements=self._maximum(), element_dtype=value.dtype
        )

    def _empty_slot(self, position: tuple[str, int]) -> Any:
        value = self._value_of(position)
        return raw.TensorListReserve(
            element_shape=_shape_vector(value.shape), num_elements=1, element_dtype=value.dtype
        )

    def _slot_value(self, position: tuple[str, int], slot: Any) -> Any:
        value = self._value_of(position)
        shape = _shape_vector(value.shape)
        return raw.TensorListGetItem(input_handle=slot, index=0, element_shape=shape, element_dtype=value.dtype)

    def _maximum(self) -> Any:
        """Returns the bound on the number of iterations, -1 for a loop without a bound."""
        bound = iteration_bound(self.operation)
        return -1 if bound is None else bound

    def _extend_graph(self, kind: str, run: Any, lists: Sequence[Any]) -> FuncGraph:
        """Builds a graph that takes the loop's state and the lists."""
        original = getattr(self, kind).graph
        graph = FuncGraph(f"{original.name}_{context.unique_id()}", outer_graph=original.outer_graph)
        with graph.as_default(), context.tapes_scope(()):
            for tensor in original.inputs:
                graph.inputs.append(graph.placeholder_like(tensor, tensor.shape, tensor.op.name))
            for index, handle in enumerate(lists):
                graph.inputs.append(graph.placeholder_like(handle, [], f"list_{index}"))
            graph.outputs = run(graph.inputs[: self.count], graph.inputs[self.count :])
        add_automatic_control_dependencies(graph)
        return graph

    def _run_cond(self, inputs: list[Any], lists: list[Any]) -> list[Any]:
        return self.cond(inputs)

    def _run_body(self, inputs: list[Any], lists: list[Any]) -> list[Any]:
        outputs = self.derivative.forward(inputs)
        values = [inputs[i] if kind == "input" else outputs[i] for kind, i in (*self.lists, *self.slots)]
        longer_lists = [
            raw.TensorListPushBack(input_handle=h, tensor=v)
            if number < len(self.lists)
            else raw.TensorListSetItem(input_handle=h, index=0, item=v)
            for number, (h, v) in enumerate(zip(lists, values, strict=True))
        ]
        results = outputs[: self.count]
        state = [inputs[i] if self.is_invariant[i] else results[i] for i in range(self.count)]
        return [*state, *longer_lists]

    def _pop(self, lists: Sequence[Any]) -> tuple[dict[tuple[str, int], Any], list[Any]]:
        values: dict[tuple[str, int], Any] = {}
        shorter_lists = []
        for position, handle in zip(self.lists, lists, strict=True):
            original = self._value_of(position)
            shorter_list, value = raw.TensorListPopBack(
                input_handle=handle, element_shape=_shape_vector(original.shape), element_dtype=original.dtype
            )
            values[position] = value
            shorter_lists.append(shorter_list)
        return values, shorter_lists


def _shape_vector(shape: TensorShape) -> Any:
    """Returns a shape as list ops take shapes: a vector, with -1 for an unknown dimension or -1 for an unknown rank."""
    dims = -1 if shape.rank is None else [-1 if d is None else d for d in shape.as_list()]
    return convert_to_tensor(dims, dtype="int32")


def _sum(a: Any, b: Any) -> Any:
    """Adds two gradients; lists, element by element."""
    return raw.AddN(inputs=[a, b]) if a.dtype.name == "variant" else a + b

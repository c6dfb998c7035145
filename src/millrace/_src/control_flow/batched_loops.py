"""`while` on many rows at once.

First the body is run again and again, until no more of the loop's state differs from row to row. If the
condition is then still the same for all rows, the loop goes on with a body for all rows. Otherwise the loop goes on
until all rows are done. A row that is done keeps its state, and is in the body replaced by a row that is not done. So
the body sees no state that it would not see in a loop of the row's own.

A list that grows in every iteration (the gradient of a loop needs such lists) grows for all rows, and each row's length
is kept beside the list. A loop that shrinks such a list (the gradient is such a loop) lets each row wait for its turn:
until the list is as long as that of the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.control_flow.batched_branches import has_effects, keeps_lists, select_rows, standing_in
from millrace._src.control_flow.while_loop import build_bounded_loop, iteration_bound, stateless_while, while_
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.captured_tensors import capture_here
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue
from millrace._src.ops.lists.element_access import tensor_list_pop_back, tensor_list_push_back
from millrace._src.ops.lists.making import empty_tensor_list


@while_.batching
@stateless_while.batching
def while_batching(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Runs a While on all rows: the batching rule of While."""
    loop = _RowsLoop(operation, arguments, rows)
    if not loop.find_batched():
        return None
    return loop.together() if not loop.is_condition_batched else loop.until_all_are_done()


class _RowsLoop:
    """One loop while it is made one for all rows.

    Args:
      operation: the While of one row.
      arguments: the state with which the loop starts.
      rows: the rows.
    """

    def __init__(self, operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> None:
        self.operation, self.arguments, self.rows = operation, list(arguments), rows
        self.cond, self.body = (operation.attrs[name].graph for name in ("cond", "body"))
        self.count = len(arguments)
        self.varying = self._find_needed(rows.used_outputs(operation))
        """The positions of the state that iterations change, but for what only they themselves need."""
        self.made = [self.body.outputs[i] for i in self.varying]
        self.batched = [a.is_batched for a in arguments]
        self.is_condition_batched = False

    def _find_needed(self, used: Sequence[int]) -> list[int]:
        """Returns the loop variables that change and are needed: after the loop, by the condition, or by needed
        variables.
        """
        outputs, inputs = self.body.outputs, self.body.inputs
        needed_variables: set[int] = set()
        found_variables = {*used, *_inputs_read(self.cond, self.cond.outputs)}
        while not found_variables <= needed_variables:
            needed_variables |= found_variables
            found_variables = _inputs_read(self.body, [outputs[i] for i in needed_variables])
        return [i for i in sorted(needed_variables) if outputs[i] is not inputs[i]]

    # --- what differs from row to row ----------------------------------------------------------------------------

    def find_batched(self) -> bool:
        """Finds what of the state is batched; False if the rows must go one by one."""
        while True:
            results = self._try_once(self.body, self.made)
            if any(v.is_uneven for v in results):
                return False
            pairs = zip(self.varying, results, strict=True)
            grown_variables = [i for i, v in pairs if v.is_batched and not self.batched[i]]
            if not grown_variables:
                self.is_condition_batched = self._try_once(self.cond, self.cond.outputs)[0].is_batched
                if not self.is_condition_batched:
                    return not any(a.is_uneven for a in self.arguments)
                if has_effects(self.body) or has_effects(self.cond) or not self._sees_to_lists():
                    return False
                grown_variables = [i for i in self.varying if not self.batched[i]]
                if not grown_variables:
                    return True
            for i in grown_variables:
                self.batched[i] = True

    def _sees_to_lists(self) -> bool:
        """Returns whether rows may end at different times, given all that the loop does to its lists."""
        lists = [i for i in range(self.count) if self._is_list(i)]
        changes = {i: self._change(i) if i in self.varying else "kept" for i in lists}
        if None in changes.values() or {"grows", "shrinks"} <= set(changes.values()):
            return False
        shrinking = [i for i in lists if changes[i] == "shrinks"]
        if any(self.arguments[i].is_uneven for i in lists if i not in shrinking):
            return False
        is_used = set(shrinking) & set(self.rows.used_outputs(self.operation))
        return not is_used and len({id(self.arguments[i].lengths) for i in shrinking}) <= 1

    def _is_list(self, index: int) -> bool:
        return bool(self.arguments[index].tensor.dtype.name == "variant")

    def _change(self, index: int) -> str | None:
        """Returns what an iteration does to the length of a list: "grows" or "shrinks" by one, or "kept"."""
        result, start = _without_identities(self.body.outputs[index]), self.body.inputs[index]
        operation = result.op
        if keeps_lists(result, self.body):
            return "kept"
        if not operation.inputs or _without_identities(operation.inputs[0]) is not start or result.value_index:
            return None
        if operation.op_def is tensor_list_push_back.op_def:
            return "grows"
        return "shrinks" if operation.op_def is tensor_list_pop_back.op_def else None

    def _try_once(self, graph: FuncGraph, outputs: Sequence[Any]) -> list[BatchedValue]:
        """Returns results of condition or body in a graph that is thrown away."""
        scratch = FuncGraph(f"{graph.name}_tried_{context.unique_id()}")

        def loop(operation: Operation, arguments: Sequence[BatchedValue], count: object) -> list[BatchedValue]:
            inside: Any = state.graph
            return [
                BatchedValue(inside.add_placeholder(t.dtype, None, "rows"), True, t.dtype.name == "variant")
                for t in operation.outputs
            ]

        rows = self.rows.trial(loop)
        with scratch.as_default(), context.tapes_scope(()):
            given = []
            for index, tensor in enumerate(graph.inputs):
                is_batched, shape = self.batched[index], self._shape(index, tensor.shape)
                if is_batched:
                    given.append(BatchedValue(rows.stand_in(tensor, shape), True))
                else:
                    given.append(BatchedValue(scratch.placeholder_like(tensor, shape, "state"), False))
            return rows.carry(graph, given, outputs)

    def _shape(self, index: int, shape: TensorShape) -> TensorShape:
        """Returns the shape of a part of the state, with the rows where the part is batched."""
        if not self.batched[index] or self._is_list(index):
            return shape
        count = self.rows.count
        return TensorShape([count if isinstance(count, int) else None]).concatenate(shape)

    # --- the loop ------------------------------------------------------------------------------------------------

    def together(self) -> list[BatchedValue]:
        """Builds a loop whose condition is the same for all rows."""
        first = [self._first(i) for i in self.varying]

        def body(*variables: object) -> list[Any]:
            return self._spread(self.rows.carry(self.body, self._state(variables), self.made))

        def cond(*variables: object) -> Any:
            return self.rows.carry(self.cond, self._state(variables), self.cond.outputs)[0].tensor

        return self._results(self._loop(cond, body, first, self._invariants()))

    def until_all_are_done(self) -> list[BatchedValue]:
        """Builds a loop that goes on while the condition of some row holds."""
        first = [self._first(i) for i in self.varying]
        changes = [self._change(i) if self._is_list(i) else None for i in self.varying]

        def holds(variables: Sequence[Any]) -> Any:
            return self.rows.spread(self.rows.carry(self.cond, self._state(variables), self.cond.outputs)[0])

        def merged(turn: object, new: object, old: object, change: str | None) -> Any:
            return new if change in ("grows", "shrinks") else select_rows(turn, new, old)

        def body(active: object, done: object, *variables: object) -> list[Any]:
            turn = self._turn(active, variables, changes)
            given = self._standing_in(turn, self._state(variables))
            results = self._spread(self.rows.carry(self.body, given, self.made))
            kept = [merged(turn, *parts) for parts in zip(results, variables, changes, strict=True)]
            done = raw.AddV2(x=done, y=raw.Cast(x=turn, DstT="int32"))
            return [raw.LogicalAnd(x=active, y=holds(kept)), done, *kept]

        def cond(active: object, *variables: object) -> Any:
            return raw.Any(input=active, reduction_indices=[0])

        count = self.rows.count
        rows = TensorShape([count if isinstance(count, int) else None])
        none_done = raw.ZerosLike(x=self.rows.numbers())
        last_values = self._loop(cond, body, [holds(first), none_done, *first], [rows, rows, *self._invariants()])
        results = dict(zip(self.varying, self._uneven(first, last_values[2:], last_values[1], changes), strict=True))
        return [results.get(i, a) for i, a in enumerate(self.arguments)]

    def _turn(self, active: object, variables: Sequence[Any], changes: Sequence[str | None]) -> Any:
        """Returns the rows that go on now: rows that are not done and have elements in the list that shrinks."""
        if "shrinks" not in changes:
            return active
        index = changes.index("shrinks")
        lengths = self.arguments[self.varying[index]].lengths
        if lengths is None:
            return active
        present_length = raw.TensorListLength(input_handle=variables[index])
        return raw.LogicalAnd(x=active, y=raw.GreaterEqual(x=capture_here(lengths), y=present_length))

    def _uneven(
        self, first: Sequence[Any], found: Sequence[Any], done: object, changes: Sequence[str | None]
    ) -> list[BatchedValue]:
        """Returns the results, with the lengths of the lists that grew: one tensor for all lists that were empty."""
        results = []
        for start, tensor, change in zip(first, found, changes, strict=True):
            lengths = None
            if change == "grows":
                lengths = done if _is_empty(start) else raw.AddV2(x=raw.TensorListLength(input_handle=start), y=done)
            results.append(BatchedValue(tensor, True, False, lengths))
        return results

    def _standing_in(self, active: object, given: list[BatchedValue]) -> list[BatchedValue]:
        """Replaces rows that are done by a row that is not; lists stay, for no operation writes to lists there."""
        numbers = [i for i, v in enumerate(given) if v.is_batched and v.tensor.dtype.name != "variant"]
        stand_ins = standing_in(active, [given[i] for i in numbers], self.rows)
        for i, tensor in zip(numbers, stand_ins, strict=True):
            given[i] = BatchedValue(tensor, True)
        return given

    def _loop(self, cond: Any, body: Any, first: list[Any], invariants: list[TensorShape]) -> list[Any]:
        is_bounded = iteration_bound(self.operation) is not None and not self.arguments[1].is_batched
        maximum = self.arguments[1].tensor if is_bounded else -1
        name = f"{self.operation.name.rpartition('/')[2]}_rows"
        return list(build_bounded_loop(cond, body, first, invariants, maximum, name)) if first else []

    def _first(self, index: int) -> Any:
        """Returns the first value of a part of the state."""
        argument = self.arguments[index]
        return self.rows.spread(argument) if self.batched[index] else argument.tensor

    def _spread(self, results: Sequence[BatchedValue]) -> list[Any]:
        pairs = zip(self.varying, results, strict=True)
        return [self.rows.spread(v) if self.batched[i] else v.tensor for i, v in pairs]

    def _state(self, variables: Sequence[Any]) -> list[BatchedValue]:
        """Returns the whole state as values of the current graph: the variables, and what the loop only reads."""
        values = dict(zip(self.varying, variables, strict=True))
        return [
            BatchedValue(values[i], self.batched[i])
            if i in values
            else BatchedValue(capture_here(a.tensor), a.is_batched)
            for i, a in enumerate(self.arguments)
        ]

    def _invariants(self) -> list[TensorShape]:
        declared_shapes = self.operation.attrs["output_shapes"]
        shapes = [
            declared_shapes[i] if declared_shapes else self.body.inputs[i].shape.most_specific_compatible_shape(t.shape)
            for i, t in enumerate(self.body.outputs)
        ]
        return [self._shape(i, shapes[i]) for i in self.varying]

    def _results(self, found: Sequence[Any]) -> list[BatchedValue]:
        values = dict(zip(self.varying, found, strict=True))
        return [BatchedValue(values[i], self.batched[i]) if i in values else a for i, a in enumerate(self.arguments)]


def _without_identities(tensor: Any) -> Any:
    while tensor.op.op_def is not None and tensor.op.op_def.traits.returns_input:
        tensor = tensor.op.inputs[0]
    return tensor


def _is_empty(handle: Any) -> bool:
    """Returns whether a list is known to have no elements yet."""
    return handle.op.op_def is empty_tensor_list.op_def


def _inputs_read(graph: FuncGraph, outputs: Sequence[Any]) -> set[int]:
    """Returns the positions of the inputs of a graph on which some outputs, and the effects, depend."""
    operations = find_required_operations(graph.get_operations(), [t.op for t in outputs], [t.op for t in graph.inputs])
    read_tensors = {id(t) for t in (*outputs, *(t for op in operations for t in op.inputs))}
    return {i for i, t in enumerate(graph.inputs) if id(t) in read_tensors}

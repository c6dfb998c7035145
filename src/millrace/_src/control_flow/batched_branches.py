"""Conditionals on many rows at once.

A predicate that is the same for all rows chooses a branch for all rows. A predicate that differs from row to row is
first asked whether all rows take one branch; then all rows do. Otherwise both branches run on all rows, and each row
takes the results of its own branch. In the other branch, a row is replaced by a row that belongs there. So a branch
sees no value that it would not see in a loop over the rows: nothing fails or fails to end, and no gradient of a result
that is not taken turns the others into NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autodiff.tape import VariableWatcher
from millrace._src.control_flow.cond import build_branches, case_, cond, if_, stateless_case, stateless_if
from millrace._src.control_flow.traced_branches import Branch, finish_branch
from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.control_deps import function_attrs
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import make_function
from millrace._src.ops import raw
from millrace._src.ops.batching import (
    BatchedRows,
    BatchedValue,
    dimensions,
    join,
    reshape_rows,
    scatter_results,
    stack,
    unstack,
)
from millrace._src.ops.batching_rules import rule_of

Function = Callable[[Sequence[Any]], list[Any]]
"""From the tensors of the arguments to results with the rows first."""


@if_.batching
@stateless_if.batching
def if_batching(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Runs an If on all rows: the batching rule of If."""
    graphs = [operation.attrs[name].graph for name in ("then_branch", "else_branch")]
    used_outputs = rows.used_outputs(operation)
    if not arguments[0].is_batched:
        results = _run_one_branch(arguments[0].tensor, graphs, used_outputs, arguments[1:], rows, is_case=False)
        return None if results is None else scatter_results(results, used_outputs, operation)
    if operation.inputs[0].shape.rank != 0 or operation.inputs[0].dtype.name == "string":
        return None
    predicate = arguments[0].tensor
    if predicate.dtype.name != "bool":
        predicate = raw.NotEqual(x=predicate, y=convert_to_tensor(0, dtype=predicate.dtype))
    if not _may_run_for_others(used_outputs, graphs):
        return None
    then, otherwise = (make_batched_function(g, used_outputs, arguments[1:], rows) for g in graphs)
    tensors = _run_all_branches(predicate, then, otherwise, arguments[1:], rows)
    return scatter_results([BatchedValue(t, True) for t in tensors], used_outputs, operation)


@case_.batching
@stateless_case.batching
def case_batching(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Runs a Case on all rows; where the rows differ, separates one branch after the other from the rest."""
    graphs = [f.graph for f in operation.attrs["branches"]]
    used_outputs = rows.used_outputs(operation)
    if not arguments[0].is_batched:
        results = _run_one_branch(arguments[0].tensor, graphs, used_outputs, arguments[1:], rows, is_case=True)
        return None if results is None else scatter_results(results, used_outputs, operation)
    if operation.inputs[0].shape.rank != 0 or not _may_run_for_others(used_outputs, graphs):
        return None
    functions = [make_batched_function(g, used_outputs, arguments[1:], rows) for g in graphs]
    choice: Function = lambda tensors: functions[-1](tensors[1:])  # noqa: E731  (a function of one line)
    for number in reversed(range(len(functions) - 1)):
        choice = _or_else(number, functions[number], choice, arguments, rows)
    tensors = choice([a.tensor for a in arguments])
    return scatter_results([BatchedValue(t, True) for t in tensors], used_outputs, operation)


def _or_else(
    number: int, function: Function, rest: Function, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Function:
    """Makes a function of `[index, ...]`: `function` where the index is `number`, `rest` elsewhere."""

    def run(tensors: Sequence[Any]) -> list[Any]:
        here = [BatchedValue(t, *a[1:]) for t, a in zip(tensors, arguments, strict=True)]
        predicate = raw.Equal(x=tensors[0], y=convert_to_tensor(number, dtype="int32"))
        return _run_all_branches(predicate, lambda given: function(given[1:]), rest, here, rows)

    return run


# --- one branch ------------------------------------------------------------------------------------------------------


def _run_one_branch(
    selector: Any,
    graphs: Sequence[FuncGraph],
    used: Sequence[int],
    arguments: Sequence[BatchedValue],
    rows: BatchedRows,
    *,
    is_case: bool,
) -> list[BatchedValue] | None:
    """Builds the conditional itself, with branches on all rows; batches a result if one of the branches batches it."""
    with context.name_scope(None, "vectorized_cond") as scope:
        traced_branches = [trace_graph(g, used, arguments, rows, scope) for g in graphs]
        kinds = [list(column) for column in zip(*(values for _, values in traced_branches), strict=True)]
        if any(v.is_uneven for column in kinds for v in column):
            return None
        is_batched = [any(v.is_batched for v in column) for column in kinds]
        if any(
            b and not all(v.is_batched for v in c) and _is_list(c[0]) for b, c in zip(is_batched, kinds, strict=True)
        ):
            spread = spread_lists(arguments, rows)
            if spread is not None:
                return _run_one_branch(selector, graphs, used, spread, rows, is_case=is_case)
        branches = [_finish_branch(graph, values, is_batched, rows) for graph, values in traced_branches]
        results = build_branches(selector, branches, scope, is_case=is_case)
    return [BatchedValue(t, b) for t, b in zip(results, is_batched, strict=True)]


def _is_list(value: BatchedValue) -> bool:
    return bool(value.tensor.dtype.name == "variant")


def spread_lists(arguments: Sequence[BatchedValue], rows: BatchedRows) -> list[BatchedValue] | None:
    """Spreads the lists among the arguments that are the same for all rows; None if there are none."""
    if all(a.is_batched or not _is_list(a) for a in arguments):
        return None
    return [BatchedValue(rows.spread(a), True) if _is_list(a) and not a.is_batched else a for a in arguments]


def trace_graph(
    graph: FuncGraph, used: Sequence[int], arguments: Sequence[BatchedValue], rows: BatchedRows, scope: str
) -> tuple[FuncGraph, list[BatchedValue]]:
    """Makes a graph that runs `graph` on all rows and captures the arguments; returns the results, too."""
    rows_graph = FuncGraph(f"{graph.name}_rows_{context.unique_id()}")
    with _inside(rows_graph), context.name_scope(scope):
        pairs = zip(graph.inputs, arguments, strict=True)
        inner_arguments = [
            BatchedValue(_with_declared_sizes(rows_graph.capture(a.tensor), t, a), *a[1:]) for t, a in pairs
        ]
        return rows_graph, rows.carry(graph, inner_arguments, [graph.outputs[i] for i in used])


def _with_declared_sizes(tensor: Any, placeholder: Any, argument: BatchedValue) -> Any:
    """Returns a captured argument of a branch, without sizes of zero that the branch's own graph does not know.

    A branch that did not run left empty tensors instead of its intermediates. In the graph of the gradient of that
    branch their sizes contradict each other, which does not matter, since the gradient does not run either.
    """
    if argument.is_uneven or placeholder.shape.rank is None or tensor.dtype.is_handle:
        return tensor
    declared = [None] * argument.is_batched + placeholder.shape.as_list()
    known = tensor.shape.as_list() if tensor.shape.rank == len(declared) else []
    if not any(size == 0 and wanted is None for size, wanted in zip(known, declared)):
        return tensor
    shape = [None if size == 0 and wanted is None else size for size, wanted in zip(known, declared, strict=True)]
    return raw.PlaceholderWithDefault(input=tensor, shape=shape)


def _inside(graph: FuncGraph) -> Any:
    """Lets operations go to `graph`, while the tapes hear only of the variables that are read."""
    return _Inside(graph)


class _Inside:
    """The context that `_inside` returns."""

    def __init__(self, graph: FuncGraph) -> None:
        tapes = state.tapes
        self.parts = [graph.as_default(), context.tapes_scope((VariableWatcher(tapes),) if tapes else ())]

    def __enter__(self) -> None:
        for part in self.parts:
            part.__enter__()

    def __exit__(self, *details: Any) -> None:
        for part in reversed(self.parts):
            part.__exit__(*details)


def _finish_branch(
    graph: FuncGraph, values: Sequence[BatchedValue], batched: Sequence[bool], rows: BatchedRows
) -> Branch:
    with _inside(graph):
        branch = Branch(graph, [rows.spread(v) if b else v.tensor for v, b in zip(values, batched, strict=True)])
        finish_branch(branch)
    return branch


# --- each row its own branch -----------------------------------------------------------------------------------------


def make_batched_function(
    graph: FuncGraph, used: Sequence[int], arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Function:
    """Makes a function that runs a graph on all rows; all its results have the rows first."""
    rows_graph = FuncGraph(f"{graph.name}_rows_{context.unique_id()}")
    with _inside(rows_graph):
        inner_arguments = []
        for argument in arguments:
            placeholder = rows_graph.placeholder_like(argument.tensor, argument.tensor.shape, "argument")
            rows_graph.inputs.append(placeholder)
            inner_arguments.append(BatchedValue(placeholder, *argument[1:]))
        results = [rows.spread(v) for v in rows.carry(graph, inner_arguments, [graph.outputs[i] for i in used])]
        finish_branch(Branch(rows_graph, results))
    function = make_function(rows_graph)
    return lambda tensors: function([*tensors, *rows_graph.external_captures])


def _run_all_branches(
    predicate: Any, then: Function, otherwise: Function, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> list[Any]:
    """Computes, for each row, the results of one function or of the other."""
    tensors = [a.tensor for a in arguments]

    def mixed() -> list[Any]:
        first = then(standing_in(predicate, arguments, rows))
        second = otherwise(standing_in(raw.LogicalNot(x=predicate), arguments, rows))
        return [select_rows(predicate, a, b) for a, b in zip(first, second, strict=True)]

    def not_all() -> Any:
        return cond(raw.Any(input=predicate, reduction_indices=[0]), mixed, lambda: otherwise(tensors))

    results: list[Any] = cond(raw.All(input=predicate, reduction_indices=[0]), lambda: then(tensors), not_all)
    return results


def standing_in(predicate: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> list[Any]:
    """Replaces rows for which the predicate is false by the first row for which the predicate is true."""
    first = raw.Cast(x=raw.ArgMax(input=raw.Cast(x=predicate, DstT="int32"), dimension=0), DstT="int32")
    indices = raw.SelectV2(condition=predicate, t=rows.numbers(), e=first)
    return [_gather_rows(a, indices) for a in arguments]


def _gather_rows(value: BatchedValue, indices: Any) -> Any:
    if not value.is_batched:
        return value.tensor
    if not _is_list(value):
        return raw.GatherV2(params=value.tensor, indices=indices, axis=0)
    return unstack(raw.GatherV2(params=stack(value.tensor), indices=indices, axis=1))


def select_rows(predicate: Any, first: Any, second: Any) -> Any:
    """Takes, for each row, the first or the second value; of lists, element by element."""
    if first.dtype.name == "variant":
        return unstack(_select_value(predicate, stack(first), stack(second), 1))
    return _select_value(predicate, first, second, 0)


def _select_value(predicate: Any, first: Any, second: Any, axis: int) -> Any:
    rank = first.shape.rank if first.shape.rank is not None else second.shape.rank
    if rank is None:
        ones = raw.Fill(dims=raw.Reshape(tensor=raw.Rank(input=first) - axis - 1, shape=[1]), value=1)
    else:
        ones = [1] * (rank - axis - 1)
    shape = join([1] * axis, dimensions(predicate), ones)
    return raw.SelectV2(condition=reshape_rows(predicate, shape), t=first, e=second)


# --- what cannot be done for others ----------------------------------------------------------------------------------


def _may_run_for_others(used: Sequence[int], graphs: Sequence[FuncGraph]) -> bool:
    """Returns whether branches have no effects but checks, and change no list's length."""
    lists = [(g.outputs[i], g) for g in graphs for i in used if g.outputs[i].dtype.name == "variant"]
    return not any(map(has_effects, graphs)) and all(keeps_lists(t, g) for t, g in lists)


def has_effects(graph: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Returns whether a graph does what must happen once for each row."""
    if id(graph) in seen:
        return False
    for operation in graph.get_operations():
        bodies = function_attrs(operation)
        if any(has_effects(body, seen | {id(graph)}) for body in bodies):
            return True
        if operation.effects.must_run and not bodies and rule_of(operation.op_def) is None:
            return True
    return False


def keeps_lists(tensor: Any, graph: FuncGraph) -> bool:
    """Returns whether a list is an input of the graph with some elements set, and so has the same length."""
    return _list_source(tensor, graph) is not None


def _list_source(tensor: Any, graph: FuncGraph) -> int | None:
    """Returns the position of the input that a list is, with some elements set; None if the list is something else."""
    while True:
        index = next((i for i, t in enumerate(graph.inputs) if t is tensor), None)
        if index is not None:
            return index
        operation = tensor.op
        bodies = function_attrs(operation)
        if bodies:
            if operation.op_def.traits.control == "loop":
                bodies = bodies[1:]
            sources = {_list_source(b.outputs[tensor.value_index], b) for b in bodies}
            index = sources.pop()
            if sources or index is None:
                return None
            tensor = operation.inputs[len(operation.inputs) - len(bodies[0].inputs) + index]
        elif operation.op_def.traits.returns_input or operation.attrs.get("resize_if_index_out_of_bounds") is False:
            tensor = operation.inputs[0]
        else:
            return None

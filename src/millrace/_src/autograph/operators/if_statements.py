"""`if`: Python's where the condition is a Python value, a `cond` of the graph where it is a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.containers_in_branches import Containers
from millrace._src.autograph.operators.merging import Merged, merge, to_tensors, zeros_like
from millrace._src.autograph.operators.refusals import is_strict
from millrace._src.autograph.operators.staging import belongs_into_graph
from millrace._src.control_flow.branches import Branch, trace_branch
from millrace._src.control_flow.cond import build_branches
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.util import nest

GetState = Callable[[], Sequence[Any]]
SetState = Callable[[Sequence[Any]], None]


def if_stmt(
    test: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    outputs: Sequence[str],
    certain: Sequence[str],
) -> None:
    """An `if` statement.

    Args:
      test: The condition.
      body, orelse: The branches.
      get_state, set_state: Read and set the variables `names` that the branches assign.
      names: Variables; `a.b` and `a[0]` count as such.
      outputs: Those that are read later.
      certain: Those that have a value wherever they are read: a branch that leaves one without is not read from.
    """
    if not belongs_into_graph(test):
        body() if test else orelse()
        return
    predicate = condition_tensor(test, "if statement")
    before = get_state()
    containers = Containers(names, before)
    ends: list[Sequence[Any]] = []
    leaves: list[list[list[Any] | None]] = []
    kept = [name in outputs for name in names]

    def branch(run: Callable[[], None]) -> Callable[[], list[Any]]:
        def trace() -> list[Any]:
            set_state(before)
            run()
            end = get_state()
            containers.undo(end)
            converted = [to_tensors(value) if keep else None for value, keep in zip(end, kept)]
            ends.append(end)
            leaves.append(converted)
            return [tensor for tensors in converted if tensors is not None for tensor in tensors]

        return trace

    with context.name_scope(None, "cond") as scope:
        label = scope[:-1].replace("/", "_")
        try:
            main = trace_branch(branch(body), f"{label}_true", scope, predicate)
            other = trace_branch(branch(orelse), f"{label}_false", scope, predicate)
        finally:
            set_state(before)
        for index, keep in enumerate(kept):
            if keep:
                containers.check(index, ends[0][index], ends[1][index])
        merged = [
            merge(name, a, b, (x, y), name in certain and not is_strict()) if keep else None
            for name, a, b, x, y, keep in zip(names, *ends, *leaves, kept)
        ]
        _keep_outputs(main, leaves[0], [m and m.main for m in merged], [m and m.other for m in merged])
        _keep_outputs(other, leaves[1], [m and m.other for m in merged], [m and m.main for m in merged])
        results = iter(build_branches(predicate, [main, other], scope, is_case=False))
    set_state([old if m is None else _value(m, results) for old, m in zip(before, merged)])


def _value(merged: Merged, results: Any) -> Any:
    """The value of a variable after the branches."""
    if merged.main is None and merged.other is None:
        return merged.static
    count = len(merged.main if merged.main is not None else merged.other)
    return nest.pack_sequence_as(merged.structure, [next(results) for _ in range(count)], expand_composites=True)


def _keep_outputs(branch: Branch, leaves: Any, mine: Sequence[Any], others: Sequence[Any]) -> None:
    """Leaves a branch the outputs of merged variables; zeros where only the other branch has a value."""
    graph = branch.graph
    remaining = iter(graph.outputs)
    by_variable = [None if tensors is None else [next(remaining) for _ in tensors] for tensors in leaves]
    outputs: list[Any] = []
    with graph.as_default():
        for made, own, other in zip(by_variable, mine, others, strict=True):
            if own is not None:
                outputs += made or []
            elif other is not None:
                outputs += [raw.Identity(input=zeros_like(t, convert_to_tensor)) for t in other]
    graph.outputs = outputs


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any], text: str) -> Any:
    """`body() if test else orelse()`; `text` is the condition as the user wrote it, for messages."""
    if not belongs_into_graph(test):
        return body() if test else orelse()
    value: list[Any] = [None]

    def run(function: Callable[[], Any]) -> Callable[[], None]:
        def branch() -> None:
            value[0] = function()

        return branch

    def get_state() -> tuple[Any]:
        return (value[0],)

    def set_state(new: Sequence[Any]) -> None:
        value[0] = new[0]

    if_stmt(test, run(body), run(orelse), get_state, set_state, (text,), (text,), ())
    return value[0]


__all__ = ["if_exp", "if_stmt"]

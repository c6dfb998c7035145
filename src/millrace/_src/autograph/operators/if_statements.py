"""`if`: Python's where the condition is a Python value, a `cond` of the graph where the condition is a tensor.

For a tensor both branches are traced, each from the state before the statement. What a branch has changed, in variables
and in containers, is read at its end and undone. The two ends of each variable are merged (`branch_merging`): the
tensors become outputs of the `cond`, and the Python values must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.autograph.operators.branch_merging import Merged, flatten, merge, to_tensor
from millrace._src.autograph.operators.changed_containers import Containers, Left, can_be_merged, rebuild
from millrace._src.autograph.operators.conditions import condition_tensor
from millrace._src.autograph.operators.missing_values import zeros_like
from millrace._src.autograph.operators.staged_values import belongs_into_graph
from millrace._src.autograph.operators.tensorflow_refusals import is_strict
from millrace._src.control_flow.cond import build_branches
from millrace._src.control_flow.traced_branches import Branch, trace_branch
from millrace._src.core import context
from millrace._src.ops import raw
from millrace._src.util import nest

GetState = Callable[[], Sequence[Any]]
SetState = Callable[[Sequence[Any]], None]


def if_stmt(
    test: object,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    outputs: Sequence[str],
    certain: Sequence[str],
    passed: Callable[[], Mapping[str, Any]] | None = None,
) -> None:
    """Runs an `if` statement.

    Args:
      test: The condition.
      body, orelse: The branches.
      get_state, set_state: Read and set the variables `names` that the branches assign.
      names: Variables; `a.b` and `a[0]` count as such.
      outputs: The variables that are read later.
      certain: The variables that have a value wherever they are read. If a branch leaves such a variable without a
        value, the variable is not read after that branch.
      passed: Gives further variables, which the branches pass to calls.
    """
    if not belongs_into_graph(test):
        body() if test else orelse()
        return
    predicate = condition_tensor(test, "if statement")
    before = get_state()
    containers = Containers(names, before, list(passed().items()) if passed is not None else ())
    ends: list[_End] = []

    def branch(run: Callable[[], None]) -> Callable[[], list[Any]]:
        def trace() -> list[Any]:
            set_state(before)
            run()
            values = get_state()
            ends.append(_End(names, values, containers, outputs))
            return ends[-1].outputs()

        return trace

    with context.name_scope(None, "cond") as scope:
        label = scope[:-1].replace("/", "_")
        try:
            main = trace_branch(branch(body), f"{label}_true", scope, predicate)
            other = trace_branch(branch(orelse), f"{label}_false", scope, predicate)
        finally:
            set_state(before)
        lenient = () if is_strict() else certain
        variables = [
            _merge_variable(index, name, containers, ends, name in outputs, name in lenient)
            for index, name in enumerate(ends[0].names)
        ]
        parts = [part for variable in variables if variable is not None for part in variable.parts]
        _keep_outputs(main, ends[0], variables, [part.main for part in parts], [part.other for part in parts])
        _keep_outputs(other, ends[1], variables, [part.other for part in parts], [part.main for part in parts])
        results = iter(build_branches(predicate, [main, other], scope, is_case=False))
    after = [m and m.value(results) for m in variables]
    set_state([old if m is None else value for old, m, value in zip(before, variables, after)])


class _End:
    """The variables at the end of a branch, whose changes are undone.

    Args:
      names: The variables.
      values: The variables' values.
      containers: The containers in the variables.
      outputs: The variables that are read later.

    Attributes:
      names, values: The variables; those that the branch passes to calls come last.
      left: The values, with copies of the contents of containers.
      leaves: By variable, the leaves of its value; none if it is neither read later nor holds a container.
      tensors: The leaves as tensors; None where a leaf cannot be one.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any], containers: Containers, outputs: Any) -> None:
        self.names = [*names, *(name for name, _ in containers.passed)]
        self.values = [*values, *(value for _, value in containers.passed)]
        self.left = containers.undo(values)
        kept = [
            name in outputs or held is not value for name, value, held in zip(self.names, self.values, self.left.values)
        ]
        self.leaves = [flatten(held) if keep else [] for held, keep in zip(self.left.values, kept)]
        self.tensors = [[to_tensor(leaf) for leaf in leaves] for leaves in self.leaves]

    def outputs(self) -> list[Any]:
        """Returns the outputs of the branch's graph."""
        return [tensor for tensors in self.tensors for tensor in tensors if tensor is not None]

    def all_tensors(self, index: int) -> list[Any] | None:
        """Returns the leaves of a variable as tensors; None if one of the leaves cannot be a tensor."""
        tensors = self.tensors[index]
        return None if any(tensor is None for tensor in tensors) else [*tensors]


class _Variable:
    """A variable after the branches.

    Args:
      parts: The variable's merged value; one part for each leaf if a branch has changed a container in the variable.
      held: In that case, what the branches left in the variable.
      lefts: In that case, what the branches left in all variables.
    """

    def __init__(self, parts: Sequence[Merged], held: Sequence[Any] = (), lefts: Sequence[Left] = ()) -> None:
        self.parts = parts
        self.held = held
        self.lefts = lefts

    def value(self, results: Iterator[Any]) -> Any:
        """Returns the variable's value, with tensors taken from `results`."""
        if not self.lefts:
            return _value(self.parts[0], results)
        main, other = self.held
        return rebuild(main, other, self.lefts, iter([_value(part, results) for part in self.parts]))


def _merge_variable(
    index: int, name: str, containers: Containers, ends: Sequence[_End], is_read: bool, is_certain: bool
) -> _Variable | None:
    """Merges one variable after the branches; returns None if the variable keeps its value from before."""
    main, other = ends
    a, b = main.values[index], other.values[index]
    if not containers.is_changed(a) and not containers.is_changed(b):
        tensors = (main.all_tensors(index), other.all_tensors(index))
        return _Variable([merge(name, a, b, tensors, is_certain)]) if is_read else None
    contents = main.left.values[index], other.left.values[index]
    if not can_be_merged(*contents):
        if is_read or index >= len(containers.names):
            raise containers.refusal(name, a)
        return None
    leaves = zip(main.leaves[index], other.leaves[index], main.tensors[index], other.tensors[index], strict=True)
    parts = [merge(f"{name}[...]", a, b, (_single(x), _single(y)), is_certain) for a, b, x, y in leaves]
    return _Variable(parts, contents, (main.left, other.left))


def _single(tensor: object) -> list[Any] | None:
    return None if tensor is None else [tensor]


def _value(merged: Merged, results: Iterator[Any]) -> Any:
    """Returns the value of a variable, or of a leaf, after the branches."""
    if merged.main is None and merged.other is None:
        return merged.static
    count = len(merged.main if merged.main is not None else merged.other)
    return nest.pack_sequence_as(merged.structure, [next(results) for _ in range(count)], expand_composites=True)


def _keep_outputs(
    branch: Branch, end: _End, merged: Sequence[_Variable | None], mine: Sequence[Any], others: Sequence[Any]
) -> None:
    """Leaves a branch the outputs of merged variables; zeros where only the other branch has a value.

    Args:
      branch: The branch.
      end: The variables at the branch's end.
      merged: The variables after the branches.
      mine, others: By part of a merged variable, its leaves in this branch and in the other.
    """
    graph = branch.graph
    remaining = iter(graph.outputs)
    branch_outputs = [[None if tensor is None else next(remaining) for tensor in tensors] for tensors in end.tensors]
    by_part: list[Any] = []
    for leaves, variable in zip(branch_outputs, merged, strict=True):
        if variable is not None:
            by_part += [[leaf] for leaf in leaves] if variable.lefts else [leaves]
    outputs: list[Any] = []
    with graph.as_default():
        for leaves, own, other in zip(by_part, mine, others, strict=True):
            if own is not None:
                outputs += leaves
            elif other is not None:
                outputs += [raw.Identity(input=zeros_like(t)) for t in other]
    graph.outputs = outputs


def if_exp(test: object, body: Callable[[], Any], orelse: Callable[[], Any], text: str) -> Any:
    """Runs `body() if test else orelse()`; `text` is the condition as the user wrote it, for messages."""
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

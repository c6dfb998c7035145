"""Functionalization: a graph with control flow by `Switch` and `Merge` is played again while a function is traced.

Problem: the parts of such a graph that a signature needs are to become a function, with branches and loops that are
operations, variables that are resources, and arrays that are lists.

Idea: a `Replay` makes the tensors that are asked for, each from those that its node takes. What `Switch` and `Merge`
say becomes a `tf.cond`, what `Enter` and `Exit` say becomes a `tf.while_loop`, whose functions play the nodes of the
branch or the loop. A `Scope` is one such function: where its nodes go, and the tensors that are there already.

Tests: tests/formats/test_v1_graphs_of_tensorflow.py
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from millrace._src.control_flow.cond import cond
from millrace._src.control_flow.while_loop import while_loop
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import InvalidArgumentError, UnimplementedError
from millrace._src.core.shapes import TensorShape
from millrace._src.function.control_flow_v1.dataflow_nodes import (
    BranchStep,
    Path,
    TensorRef,
    V1Node,
    branch_of,
    effectful_nodes,
    find_needed_nodes,
    is_of_loop,
    paths_of,
    ranks_of_merges,
)
from millrace._src.function.control_flow_v1.reference_variables import V1Variable
from millrace._src.function.control_flow_v1.translations import TRANSLATIONS
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.node_import import InputReference, NodeImport
from millrace._src.graph.op_policy import OpPolicy
from millrace._src.graph.opaque_ops import find_op


@dataclass(slots=True)
class Scope:
    """A function that is being traced: the graph, a branch, or a loop's condition or body.

    Attributes:
      path: the path of the nodes that belong there.
      graph: where their operations go.
      outer: the scope around it.
      outputs: the outputs of the nodes that were played, by name.
      operations: their operations, as far as they have any.
    """

    path: Path
    graph: Any
    outer: Scope | None = None
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    operations: dict[str, Any] = field(default_factory=dict)


class Shared(Protocol):
    """The objects that the nodes of a graph make."""

    def makes(self, node: V1Node) -> bool:
        """Returns whether a node makes an object."""

    def get(self, node: V1Node) -> Any:
        """Returns the handle of the object that a node makes; of a reference variable, a `V1Variable`."""


class Replay:
    """One function made of a graph.

    A subclass may set `_prefix`, which comes before the names of all operations.

    Args:
      nodes: the nodes of the graph.
      shared: the variables and tables of the graph.
      library: the functions that nodes call.
      policy: what nodes may reach.
      feeds: the tensors that replace those of the graph.
      targets: the nodes that will be asked for.
    """

    _prefix = ""

    def __init__(
        self,
        nodes: Mapping[str, V1Node],
        shared: Shared,
        library: Mapping[str, Any],
        policy: OpPolicy,
        feeds: Mapping[TensorRef, Any],
        targets: Iterable[str],
    ) -> None:
        self._nodes = nodes
        self._shared = shared
        self._feeds = feeds
        self._library, self._policy = library, policy
        needed = find_needed_nodes(nodes, targets, feeds)
        self._paths = paths_of(nodes, needed, feeds)
        self._effectful = effectful_nodes(nodes, needed)
        self._scope = Scope((), state.graph)
        self._ranks = ranks_of_merges(nodes, self._paths, feeds)

    def tensor(self, ref: TensorRef) -> Any:
        """Returns the tensor of the new function for a tensor of the graph.

        Raises:
          InvalidArgumentError: if the tensor depends on a placeholder that is not fed.
          UnimplementedError: if control flow or an op between has no counterpart.
        """
        if ref not in self._feeds:
            self.play(ref[0])
        return self._input(ref)

    def play(self, name: str) -> None:
        """Plays a node, and before it the nodes that it needs."""
        stack = [name]
        waiting: set[str] = set()
        while stack:
            node = self._nodes[stack[-1]]
            missing = () if self._is_played(node.name) else self._missing_sources(node)
            if missing:
                if not waiting.isdisjoint((*missing, node.name)):
                    raise InvalidArgumentError(None, None, f"Node '{node.name}' of the graph needs itself.")
                waiting.add(node.name)
                stack.extend(missing)
                continue
            if not self._is_played(node.name):
                self._play_one(node)
            waiting.discard(stack.pop())

    # --- what is there already -------------------------------------------------------------------------------------

    def _scope_of(self, name: str) -> Scope:
        """Returns the scope to which a node belongs: the present one, or one around it."""
        path = self._paths[name]
        scope: Scope | None = self._scope
        while scope is not None and scope.path != path:
            scope = scope.outer
        if scope is None:
            raise UnimplementedError(
                None, None, f"Node '{name}' stands in a branch or loop of the graph, and is needed outside of it."
            )
        return scope

    def _is_played(self, name: str) -> bool:
        return name in self._scope_of(name).outputs

    def _missing_sources(self, node: V1Node) -> list[str]:
        return [source for source in self._sources(node) if not self._is_played(source)]

    def _sources(self, node: V1Node) -> list[str]:
        """Returns the nodes that come before a node; of control inputs, those that change something."""
        if node.op == "Merge":
            predicate = self._ranks[node.name][1]
            return [] if predicate in self._feeds else [predicate[0]]
        if node.op == "Exit":
            enters = [self._enter_of(merge) for merge in self._merges_of_loop(node)]
            return [enter.inputs[0][0] for enter in enters if enter.inputs[0] not in self._feeds]
        data = node.inputs[:1] if node.op in ("Switch", "Enter") else node.inputs
        controls = [name for name in node.controls if name in self._effectful]
        return [*(name for name, index in data if (name, index) not in self._feeds), *controls]

    def _input(self, ref: TensorRef) -> Any:
        """Returns a tensor for the present graph; a variable is read."""
        value = self._raw_input(ref)
        return value.read() if isinstance(value, V1Variable) else value

    def _raw_input(self, ref: TensorRef) -> Any:
        if ref in self._feeds:
            return _in_graph(self._feeds[ref])
        name, index = ref
        outputs = self._scope_of(name).outputs[name]
        if not 0 <= index < len(outputs):
            raise InvalidArgumentError(None, None, f"Node '{name}' has no output {index}; it has {len(outputs)}.")
        value = outputs[index]
        return value if isinstance(value, V1Variable) else _in_graph(value)

    # --- one node --------------------------------------------------------------------------------------------------

    def _play_one(self, node: V1Node) -> None:
        scope = self._scope_of(node.name)
        with self._within(scope):
            if node.op in ("Merge", "Exit"):
                self._play_control_flow(node)
            elif node.op == "Switch":
                scope.outputs[node.name] = [self._raw_input(node.inputs[0])] * 2
            elif node.op in ("Enter", "LoopCond"):
                scope.outputs[node.name] = [self._raw_input(node.inputs[0])]
            else:
                scope.outputs[node.name] = self._outputs_of(node, scope)

    def _play_control_flow(self, node: V1Node) -> None:
        try:
            self._play_branches(node) if node.op == "Merge" else self._play_loop(node)
        except (KeyError, IndexError, StopIteration) as error:
            what = f"Node '{node.name}': the branch or loop that ends here lacks a node ({error!r})."
            raise InvalidArgumentError(None, None, what) from error

    @contextlib.contextmanager
    def _within(self, scope: Scope) -> Iterator[None]:
        """Makes a scope the present one, and its graph the one to which operations go."""
        previous, self._scope = self._scope, scope
        try:
            with contextlib.nullcontext() if state.graph is scope.graph else scope.graph.as_default():
                yield
        finally:
            self._scope = previous

    def _outputs_of(self, node: V1Node, scope: Scope) -> list[Any]:
        """Plays a node that is not a control flow."""
        if self._shared.makes(node):
            return [self._shared.get(node)]
        translation = TRANSLATIONS.get(node.op)
        if translation is not None:
            expected_count = len(find_op(node.op).signature.inputs)
            if len(node.inputs) != expected_count:
                what = f"Node '{node.name}' ({node.op}) has {len(node.inputs)} inputs; {expected_count} are needed."
                raise InvalidArgumentError(None, None, what)
            results = translation(node.proto, [self._raw_input(ref) for ref in node.inputs])
            if results is not None:
                return results
        self._check_placeholder(node)
        inputs = [self._input(ref) for ref in node.inputs]
        operation = self._importer(scope).add(node.proto, inputs, self._waits(node, scope))
        scope.operations[node.name] = operation
        return list(operation.outputs)

    def _check_placeholder(self, node: V1Node) -> None:
        """Refuses a placeholder without a value.

        Raises: InvalidArgumentError: in TensorFlow's words.
        """
        if node.op == "Placeholder":
            raise InvalidArgumentError(
                None, None, f"You must feed a value for placeholder tensor '{node.name}': the results depend on it."
            )

    def _waits(self, node: V1Node, scope: Scope) -> list[Any]:
        """Returns the operations with effects that a node waits for, as far as they are in the same graph."""
        controls = [self._operation_of(name) for name in node.controls if name in self._effectful]
        return [operation for operation in controls if operation is not None and operation.graph is scope.graph]

    def _operation_of(self, name: str) -> Any:
        """Returns an operation that runs when a played node has run: its own, or one that gives an output of it."""
        scope = self._scope_of(name)
        operation = scope.operations.get(name)
        if operation is not None or self._nodes[name].op not in ("Merge", "Exit"):
            return operation
        return scope.outputs[name][0].op

    def _importer(self, scope: Scope) -> NodeImport:
        graph = scope.graph

        def free_name(name: str) -> str:
            full_name = self._prefix + name
            return full_name if full_name not in graph._by_name else str(graph.unique_name(full_name))

        parse: Callable[[str], InputReference] = InputReference
        return NodeImport(graph, self._library, parse, free_name, policy=self._policy, is_function=True)

    # --- branches --------------------------------------------------------------------------------------------------

    def _play_branches(self, merge: V1Node) -> None:
        """Makes the choice between two branches, and plays all `Merge` nodes that join them."""
        rank = self._ranks[merge.name]
        merges = [self._nodes[name] for name, other in self._ranks.items() if other == rank]
        scope = self._scope
        results = cond(self._input(rank[1]), self._branch(merges, 1), self._branch(merges, 0))
        for node, result in zip(merges, results, strict=True):
            scope.outputs[node.name] = list(result)

    def _branch(self, merges: Sequence[V1Node], side: int) -> Callable[[], list[list[Any]]]:
        """Returns the function of one branch: what arrives at each `Merge`, and the number of the input."""
        outer = self._scope
        step = BranchStep(self._ranks[merges[0].name][1], side)

        def function() -> list[list[Any]]:
            with self._within(Scope((*outer.path, step), state.graph, outer)):
                numbers = [self._arriving(merge, side) for merge in merges]
                pairs = zip(merges, numbers, strict=True)
                return [[self.tensor(merge.inputs[number]), convert_to_tensor(number)] for merge, number in pairs]

        return function

    def _arriving(self, merge: V1Node, side: int) -> int:
        """Returns the number of the input of a `Merge` that arrives from a branch."""
        step, number = branch_of(self._nodes, merge, self._paths)
        return number if step.branch == side else 1 - number

    # --- loops -----------------------------------------------------------------------------------------------------

    def _loop_of(self, leave: V1Node) -> Path:
        """Returns the path of the nodes of the loop that an `Exit` leaves."""
        return self._paths[leave.inputs[0][0]]

    def _merges_of_loop(self, leave: V1Node) -> list[V1Node]:
        """Returns the loop variables, as the `Merge` nodes of their first and later values."""
        path = self._loop_of(leave)
        return [
            node
            for name, node in self._nodes.items()
            if node.op == "Merge" and self._paths.get(name) == path and is_of_loop(self._nodes, node)
        ]

    def _enter_of(self, merge: V1Node) -> V1Node:
        return next(node for node in self._inputs_of(merge) if node.op != "NextIteration")

    def _next_of(self, merge: V1Node) -> V1Node:
        return next(node for node in self._inputs_of(merge) if node.op == "NextIteration")

    def _inputs_of(self, node: V1Node) -> list[V1Node]:
        return [self._nodes[name] for name, _ in node.inputs]

    def _play_loop(self, leave: V1Node) -> None:
        """Makes the loop that an `Exit` leaves, and plays all its `Exit` nodes."""
        scope, path = self._scope, self._loop_of(leave)
        merges = self._merges_of_loop(leave)
        first_values = [self._input(self._enter_of(merge).inputs[0]) for merge in merges]
        switches = {
            name: node
            for name, node in self._nodes.items()
            if node.op == "Switch" and self._paths.get(name) == path and is_of_loop(self._nodes, node)
        }
        (condition,) = {node.inputs[1] for node in switches.values()}

        steps = [self._next_of(merge) for merge in merges]
        changes = [name for step in steps for name in step.controls if name in self._effectful]

        def inside(values: Sequence[Any], refs: Sequence[TensorRef], effects: Sequence[str] = ()) -> list[Any]:
            outputs = {merge.name: [value] for merge, value in zip(merges, values, strict=True)}
            with self._within(Scope(path, state.graph, scope, outputs)):
                for name in effects:
                    self.play(name)
                return [self.tensor(ref) for ref in refs]

        def body(*values: object) -> list[Any]:
            return inside(values, [step.inputs[0] for step in steps], changes)

        results = while_loop(
            lambda *values: inside(values, [condition])[0],
            body,
            first_values,
            shape_invariants=_invariants(merges, first_values, body),
        )
        finals = {merge.name: result for merge, result in zip(merges, results, strict=True)}
        for name, node in self._nodes.items():
            if node.op == "Exit" and name in self._paths and self._loop_of(node) == path:
                scope.outputs[name] = [finals[switches[node.inputs[0][0]].inputs[0][0]]]


def _invariants(
    merges: Sequence[V1Node], first_values: Sequence[Any], body: Callable[..., list[Any]]
) -> list[TensorShape]:
    """Returns the shapes that loop variables have in all iterations: as the nodes state, or as the body leaves them."""
    stated = [_stated_shape(merge, value) for merge, value in zip(merges, first_values, strict=True)]
    shapes = [v.shape if shape is None else shape for v, shape in zip(first_values, stated, strict=True)]
    is_fixpoint = None not in stated
    while not is_fixpoint:
        trial = FuncGraph("shapes_of_loop")
        with trial.as_default():
            pairs = zip(first_values, shapes, strict=True)
            results = body(*[trial.placeholder_like(value, shape, "variable") for value, shape in pairs])
        found = [
            shape.most_specific_compatible_shape(result.shape) if given is None else given
            for given, shape, result in zip(stated, shapes, results, strict=True)
        ]
        is_fixpoint = found == shapes
        shapes = found
    return shapes


def _stated_shape(merge: V1Node, first_value: Any) -> TensorShape | None:
    """Returns the shape of a loop variable as its node states it; None where it does not."""
    if first_value.dtype.name == "variant":
        return TensorShape(first_value.shape)
    shapes = merge.proto.attr["_output_shapes"].list.shape if "_output_shapes" in merge.proto.attr else ()
    return TensorShape(shapes[0]) if shapes else None


def _in_graph(value: Any) -> Any:
    """Returns a tensor for the graph that is being built, which may stand in a graph around it."""
    graph = state.graph
    if getattr(value, "graph", None) is graph or not isinstance(graph, FuncGraph):
        return value
    return graph.capture(convert_to_tensor(value))

"""The nodes of a graph of TensorFlow 1, and where each stands in its control flow.

Problem: in such a graph a branch or a loop is not an operation. `Switch` lets a tensor into one of two branches,
`Merge` takes the one that arrives; `Enter`, `NextIteration` and `Exit` carry tensors into a loop, round and out. Which
nodes make up a branch is said nowhere.

Idea: the *path* of a node says in which loops and branches it stands, outermost first. It follows from the paths of the
node's inputs: `Enter` and `Switch` add a step, `Exit` and `Merge` take one away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from millrace._src.core.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from millrace._src.core.op_def import Effects
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.replaced_ops import DATAFLOW_CONTROL, SUCCESSORS

TensorRef: TypeAlias = tuple[str, int]
"""A tensor by the name of its node and its number among the node's outputs."""


@dataclass(frozen=True, slots=True)
class LoopStep:
    """Says that a node stands in a loop."""

    frame: str


@dataclass(frozen=True, slots=True)
class BranchStep:
    """Says that a node stands in a branch: 1 where the predicate is true, 0 where it is false."""

    predicate: TensorRef
    branch: int


Path: TypeAlias = tuple[LoopStep | BranchStep, ...]


@dataclass(slots=True)
class V1Node:
    """A node, its inputs parsed.

    Attributes:
      proto: the `NodeDef` message.
      op: the op; `Switch` for `RefSwitch` too, and so on.
      inputs: the tensors that go in.
      controls: the nodes that it waits for.
    """

    proto: Any
    op: str
    inputs: list[TensorRef] = field(default_factory=list)
    controls: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The node's name."""
        return str(self.proto.name)


_WITHOUT_COUNTERPART = {"TensorArrayGradV3": "gradients of tensor arrays in loops of TensorFlow 1"}
"""Ops that become no operation, and what they are for."""

_INPUTS_OF_CONTROL_FLOW = {"Enter": 1, "Exit": 1, "LoopCond": 1, "NextIteration": 1, "Switch": 2}
"""How many inputs these ops take; a `Merge` takes one for each way to it."""


def parse_ref(text: str) -> TensorRef:
    """Returns the tensor of a name such as `node:1` or `node`."""
    name, colon, index = text.rpartition(":")
    return (name, int(index)) if colon and index.isdigit() else (text, 0)


def parse_nodes(protos: Iterable[Any]) -> dict[str, V1Node]:
    """Returns the nodes of a `GraphDef` by name.

    Raises: InvalidArgumentError: if two nodes have one name, an input is not a node, or a node of the control flow has
      more inputs or fewer than its op takes.
    """
    nodes: dict[str, V1Node] = {}
    for proto in protos:
        op = proto.op.removeprefix("Ref")
        if proto.op in SUCCESSORS:
            renamed = type(proto)()
            renamed.CopyFrom(proto)
            renamed.op = SUCCESSORS[proto.op]
            proto = renamed
        node = V1Node(proto, op if op in DATAFLOW_CONTROL else proto.op)
        for text in proto.input:
            if text.startswith("^"):
                node.controls.append(text[1:])
            else:
                node.inputs.append(parse_ref(text))
        if node.name in nodes:
            raise InvalidArgumentError(None, None, f"Node '{node.name}' is not unique.")
        if len(node.inputs) != _INPUTS_OF_CONTROL_FLOW.get(node.op, len(node.inputs)):
            raise InvalidArgumentError(None, None, f"Node '{node.name}' ({node.op}) has {len(node.inputs)} inputs.")
        nodes[node.name] = node
    for node in nodes.values():
        for source in _sources(node):
            if source not in nodes:
                raise InvalidArgumentError(None, None, f"Node '{node.name}': Unknown input node '{source}'.")
    return nodes


def _sources(node: V1Node) -> list[str]:
    return [*(name for name, _ in node.inputs), *node.controls]


def find_needed_nodes(nodes: Mapping[str, V1Node], targets: Iterable[str], fed: Iterable[TensorRef]) -> set[str]:
    """Returns the nodes on which targets depend, without those that are behind fed tensors only."""
    known_tensors = set(fed)
    needed: set[str] = set()
    waiting = deque(targets)
    while waiting:
        name = waiting.popleft()
        if name in needed:
            continue
        needed.add(name)
        waiting.extend(ref[0] for ref in nodes[name].inputs if ref not in known_tensors)
        waiting.extend(nodes[name].controls)
    return needed


def effectful_nodes(nodes: Mapping[str, V1Node], needed: Iterable[str]) -> set[str]:
    """Returns the nodes that change something, and those that wait for such nodes."""
    consumers: dict[str, list[str]] = {}
    effectful: deque[str] = deque()
    for name in needed:
        for source in _sources(nodes[name]):
            consumers.setdefault(source, []).append(name)
        if _has_effect(nodes[name]):
            effectful.append(name)
    reached: set[str] = set()
    while effectful:
        name = effectful.popleft()
        if name not in reached:
            reached.add(name)
            effectful.extend(consumers.get(name, ()))
    return reached


def _has_effect(node: V1Node) -> bool:
    """Returns whether running a node changes something; of an op that holds graphs, this is not known yet."""
    if node.op in DATAFLOW_CONTROL:
        return False
    try:
        effects = find_op(node.op).traits.effects
    except NotFoundError:  # a function, or an op that has no declaration
        return True
    return not isinstance(effects, Effects) or effects.must_run


# --- paths -----------------------------------------------------------------------------------------------------------


def paths_of(nodes: Mapping[str, V1Node], needed: Iterable[str], fed: Iterable[TensorRef]) -> dict[str, Path]:
    """Returns the path of each needed node; that of an `Enter` has the loop, that of an `Exit` or `Merge` has not.

    Raises: UnimplementedError: for control flow that neither `cond` nor `while_loop` of TensorFlow 1 makes, and for
      gradients of tensor arrays.
    """
    known_tensors = set(fed)
    paths: dict[str, Path] = {}
    for name in needed:
        purpose = _WITHOUT_COUNTERPART.get(nodes[name].op)
        if purpose is not None:
            what = f"Node '{name}' (op: {nodes[name].op}): Millrace has no {purpose}."
            raise UnimplementedError(None, None, what)
    for name in _in_order(nodes, set(needed), known_tensors):
        node = nodes[name]
        arriving = [
            _outgoing(nodes, ref, paths)
            for ref in node.inputs
            if ref not in known_tensors and nodes[ref[0]].op != "NextIteration"
        ]
        arriving += [paths[control] for control in node.controls if nodes[control].op != "NextIteration"]
        paths[name] = _own_path(node, arriving, is_of_loop(nodes, node))
    return paths


def predicate_of(nodes: Mapping[str, V1Node], switch: V1Node) -> TensorRef:
    """Returns the tensor that decides a `Switch`: what the graph names `pred_id` only hands it on."""
    ref = switch.inputs[1]
    while nodes[ref[0]].op == "Identity":
        ref = nodes[ref[0]].inputs[0]
    return ref


def branch_of(nodes: Mapping[str, V1Node], merge: V1Node, paths: Mapping[str, Path]) -> tuple[BranchStep, int]:
    """Returns the branch that one input of a `Merge` comes from, and the number of the input.

    Raises: UnimplementedError: if no input comes from a branch.
    """
    depth = len(paths[merge.name])
    for number, ref in enumerate(merge.inputs):
        path = _outgoing(nodes, ref, paths)
        if len(path) > depth and isinstance(step := path[depth], BranchStep):
            return step, number
    raise _unknown_control_flow(merge)


def ranks_of_merges(
    nodes: Mapping[str, V1Node], paths: Mapping[str, Path], fed: Iterable[TensorRef]
) -> dict[str, tuple[Path, TensorRef, int]]:
    """Returns for each `Merge` of branches its path, its predicate, and its rank.

    The rank counts the `Merge` nodes of the same path and predicate, one behind the other, on which it depends. Those
    of equal path, predicate and rank do not need each other, so that one operation can represent all of them.
    """
    ranks: dict[str, tuple[Path, TensorRef, int]] = {}
    behind: dict[str, dict[tuple[Path, TensorRef], int]] = {}
    for name in _in_order(nodes, set(paths), set(fed)):
        node = nodes[name]
        seen: dict[tuple[Path, TensorRef], int] = {}
        for source in _sources(node):
            for key, rank in behind.get(source, {}).items():
                seen[key] = max(rank, seen.get(key, 0))
        if node.op == "Merge" and not is_of_loop(nodes, node):
            key = (paths[name], branch_of(nodes, node, paths)[0].predicate)
            seen[key] = seen.get(key, 0) + 1
            ranks[name] = (*key, seen[key])
        behind[name] = seen
    return ranks


def is_of_loop(nodes: Mapping[str, V1Node], node: V1Node) -> bool:
    """Returns whether a `Merge` or `Switch` belongs to a loop rather than to a branch."""
    if node.op == "Merge":
        return any(nodes[name].op == "NextIteration" for name, _ in node.inputs)
    return node.op == "Switch" and nodes[node.inputs[1][0]].op == "LoopCond"


def _in_order(nodes: Mapping[str, V1Node], needed: set[str], fed: set[TensorRef]) -> list[str]:
    """Returns the needed nodes, each after its inputs, but for what comes back from `NextIteration`."""
    consumers: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for name in needed:
        node = nodes[name]
        data = {ref[0] for ref in node.inputs if ref not in fed}
        sources = {source for source in (data | set(node.controls)) if nodes[source].op != "NextIteration"}
        counts[name] = len(sources)
        for source in sources:
            consumers.setdefault(source, []).append(name)
    ready = deque(sorted(name for name, count in counts.items() if not count))
    order = []
    while ready:
        name = ready.popleft()
        order.append(name)
        for consumer in consumers.get(name, ()):
            counts[consumer] -= 1
            if not counts[consumer]:
                ready.append(consumer)
    if len(order) < len(needed):
        raise InvalidArgumentError(None, None, f"{len(needed) - len(order)} nodes of the graph are in a cycle.")
    return order


def _outgoing(nodes: Mapping[str, V1Node], ref: TensorRef, paths: Mapping[str, Path]) -> Path:
    """Returns the path of what takes a tensor: one branch further than the `Switch` that the tensor comes from."""
    name, index = ref
    node = nodes[name]
    if node.op == "Switch" and not is_of_loop(nodes, node):
        return (*paths[name], BranchStep(predicate_of(nodes, node), index))
    return paths[name]


def _own_path(node: V1Node, arriving: Sequence[Path], of_loop: bool) -> Path:
    longest = max(arriving, key=len, default=())
    if node.op == "Merge" and not of_loop:
        return _without_last(node, longest, BranchStep)
    if any(path != longest[: len(path)] for path in arriving):
        raise _unknown_control_flow(node)
    if node.op == "Enter":
        return (*longest, LoopStep(node.proto.attr["frame_name"].s.decode()))
    if node.op == "Exit":
        return _without_last(node, longest, LoopStep)
    return longest


def _without_last(node: V1Node, path: Path, kind: type) -> Path:
    if not path or not isinstance(path[-1], kind):
        raise _unknown_control_flow(node)
    return path[:-1]


def _unknown_control_flow(node: V1Node) -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        f"Node '{node.name}' (op: {node.proto.op}) belongs to control flow of TensorFlow 1 that neither tf.cond nor "
        "tf.while_loop makes; Millrace cannot run it.",
    )

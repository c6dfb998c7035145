"""From a graph to the same graph with clusters: parts that a compiler compiles, while the NumPy program runs the rest.

A graph with a print, a dataset or a string cannot be compiled as a whole, and a graph of matrix products need not be: a
library multiplies matrices as fast as a compiler's code. So the nodes that a compiling engine runs exactly become
*clusters*, calls that hold their nodes as a graph, as large as they can be.

The two sides run in turns (`turns`). What is compiled in one turn is convex, since no node of the host stands in
between. A node whose op refuses values is taken apart: a node of the host makes the op's checks, the rest is compiled.
Reads of variables, and sizes that follow from shapes, are repeated in each cluster: reading costs nothing, and a
compiler must know sizes.
"""

from __future__ import annotations

import bisect
import enum
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op
from millrace._src.core.op_signature import argument_indices
from millrace._src.passes.checks_first import checking_node
from millrace._src.passes.engine_scheduling import Befores, connected_components, in_turns, nodes_before
from millrace._src.passes.exactness import is_exact_after_checks, why_inexact
from millrace._src.passes.fake_params import may_be_stand_in
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, copy_graph, copy_part
from millrace._src.passes.rewrite import substitute
from millrace._src.passes.value_ranges import proven_nodes

_MIN_SECONDS = 40e-6
"""What the nodes of a cluster must take on the NumPy tier, where the shapes tell: about what a call costs."""
_SECONDS_A_NODE, _SECONDS_AN_ELEMENT = 1e-6, 0.4e-9
"""What a node, and an element that a node reads or writes, takes on the NumPy tier."""
_MIN_NODES = 2
"""The nodes that compute something in a cluster without loops; one node alone is what libraries are for."""
_DEEPEST_SIZE = 20
"""The most nodes between a size and the shapes that the size follows from."""


class ClusterStrategy(enum.Enum):
    """What goes into clusters."""

    WIDE = "wide"
    """Whatever a compiling engine runs exactly: few clusters."""
    NARROW = "narrow"
    """What compilers are good at: chains of elements, reductions, loops; no product, convolution or sort."""


def cluster_graph(graph: OptimizedGraph, strategy: ClusterStrategy) -> OptimizedGraph | None:
    """Returns a graph that does the same as `graph`, with clusters; None if no part of the graph is worth a cluster.

    The graph itself stays as it is.
    """
    result = copy_graph(graph)
    return result if _cluster(result, strategy, proven_nodes(result)) else None


def is_made_cluster(node: Node) -> bool:
    """Returns whether a node is a cluster that `cluster_graph` made."""
    return node.calls_function and bool(node.graphs)


def _cluster(graph: OptimizedGraph, strategy: ClusterStrategy, proven: Container[Node]) -> bool:
    """Forms the clusters of a graph, and of the graphs inside of nodes of the host; returns whether it formed any."""
    inexact_nodes = {node for node in graph.nodes if why_inexact(node, proven) is not None}
    compiled_nodes = {n for n in graph.nodes if n not in inexact_nodes and not _is_left_to_host(n, strategy)}
    has_inner = [
        _cluster(body, strategy, proven) for node in graph.nodes if node not in compiled_nodes for body in node.graphs
    ]
    checks = _put_checks_apart(graph, inexact_nodes, strategy)
    compiled_nodes.update(checks.values())
    compiled_nodes -= _near_host(graph, compiled_nodes)
    compiled_nodes -= _find_mere_transport(graph, compiled_nodes)
    compiled_nodes |= _read_for(graph, compiled_nodes) - inexact_nodes
    befores = nodes_before(graph, (inexact_nodes | checks.keys()) - compiled_nodes)
    turns = in_turns(graph, compiled_nodes, befores)
    parts = [p for turn in turns if turn.is_compiled for p in _parts(turn.nodes, strategy, befores)]
    parts = [part for part in parts if _is_worth_a_call(part)]
    members = {node for part in parts for node in part}
    graph.nodes = _with_few_checks([node for turn in turns for node in turn.nodes], checks, members)
    _replace(graph, parts, proven)
    return bool(parts) or any(has_inner)


# --- what a compiling engine runs ------------------------------------------------------------------------------------


def _is_left_to_host(node: Node, strategy: ClusterStrategy) -> bool:
    """Returns whether a node that a compiling engine runs exactly stands outside of clusters all the same.

    A read of a variable goes where the variable is needed: see `_read_for`.
    """
    if _is_mere_read(node) or not _knows_sizes(node) or any(map(may_be_stand_in, node.outputs)):
        return True
    return strategy is ClusterStrategy.NARROW and node.op_def.traits.library_bound


def _is_mere_read(node: Node) -> bool:
    """Returns whether a node only reads a variable; clusters that need the variable read it themselves."""
    return node.effects is Effects.READS and not node.holds_functions and len(node.inputs) == 1


def _knows_sizes(node: Node) -> bool:
    """Returns whether a compiler will know the inputs that it must know: constants, and what follows from shapes."""
    names = node.op_def.traits.constant_inputs
    arguments = argument_indices(node.op_def.signature.inputs, node.attrs) if names else ()
    return all(
        _size_nodes(node.inputs[index]) is not None
        for argument, at in arguments
        if argument.name in names
        for index in at
    )


def _size_nodes(value: Value, depth: int = _DEEPEST_SIZE) -> list[Node] | None:
    """Returns the nodes that compute a value from shapes and constants, in run order; None for another value."""
    node = value.node
    if value.constant is not None:
        return []
    if node is None or not node.is_pure or node.holds_functions or value.dtype.is_handle or not depth:
        return None
    if node.op_def.traits.reads_only_shapes:
        return [node] if value.dtype.is_integer else None
    found_nodes: list[Node] = []
    for source in node.inputs:
        nodes = _size_nodes(source, depth - 1)
        if nodes is None:
            return None
        found_nodes += [n for n in nodes if n not in found_nodes]
    return [*found_nodes, node]


def _put_checks_apart(graph: OptimizedGraph, inexact: Container[Node], strategy: ClusterStrategy) -> dict[Node, Node]:
    """Puts a node that only checks in front of each node that runs exactly once its checks have passed.

    Returns: The nodes that are compiled then, by the nodes that check.
    """
    freed_nodes: dict[Node, Node] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        if node in inexact and is_exact_after_checks(node) and not _is_left_to_host(node, strategy):
            check = checking_node(node)
            freed_nodes[check] = node
            nodes.append(check)
        nodes.append(node)
    graph.nodes = nodes
    return freed_nodes


def _near_host(graph: OptimizedGraph, compiled: Container[Node]) -> set[Node]:
    """Returns nodes that cost nothing, between the host and a check: the check need not wait for a cluster then."""
    checked_values = {value for node in graph.nodes if node.only_checks for value in node.inputs}
    for node in reversed(graph.nodes):
        if _is_free(node) and not checked_values.isdisjoint(node.outputs):
            checked_values.update(node.inputs)
    near_nodes: set[Node] = set()
    for node in graph.nodes:
        makers = {value.node for value in node.inputs} - near_nodes - {None}
        if _is_free(node) and not checked_values.isdisjoint(node.outputs) and not any(m in compiled for m in makers):
            near_nodes.add(node)
    return near_nodes


def _with_few_checks(nodes: Sequence[Node], checks: Mapping[Node, Node], members: Container[Node]) -> list[Node]:
    """Lets a node that the host runs after all make its checks itself, where it could run instead of them.

    Args:
      nodes: the nodes in their new order.
      checks: the nodes that checks were taken from, by the nodes that check.
      members: the nodes to compile.
    """
    position_of = {node: position for position, node in enumerate(nodes)}
    replaced_checks: dict[Node, Node] = {}
    for check, node in checks.items():
        makers = [position_of[value.node] for value in node.inputs if value.node in position_of]
        if node not in members and max(makers, default=-1) < position_of[check] < position_of[node]:
            replaced_checks[check] = node
        else:
            node.is_checked_apart = True
    moved_nodes = set(replaced_checks.values())
    return [replaced_checks.get(node, node) for node in nodes if node not in moved_nodes]


def _find_mere_transport(graph: OptimizedGraph, compiled: Container[Node]) -> set[Node]:
    """Returns nodes that cost nothing anywhere and that no compiled node reads: a cluster would only forward them."""
    read_values: set[Value] = set()
    wasted_nodes: set[Node] = set()
    for node in reversed(graph.nodes):
        if node not in compiled:
            continue
        if _is_free(node) and read_values.isdisjoint(node.outputs):
            wasted_nodes.add(node)
        else:
            read_values.update(node.inputs)
    return wasted_nodes


def _read_for(graph: OptimizedGraph, compiled: Container[Node]) -> set[Node]:
    """Returns the mere reads of variables that compiled nodes alone need."""
    host_values = {*graph.outputs, *[value for node in graph.nodes if node not in compiled for value in node.inputs]}
    read_values = {value for node in graph.nodes if node in compiled for value in node.inputs} - host_values
    return {node for node in graph.nodes if _is_mere_read(node) and not read_values.isdisjoint(node.outputs)}


def _is_free(node: Node) -> bool:
    """Returns whether a node costs nothing worth speaking of: a size, another shape of the same elements."""
    traits = node.op_def.traits
    return traits.reads_only_shapes or traits.returns_input or traits.is_cheap or _computes_sizes(node)


def _computes_sizes(node: Node) -> bool:
    return node.is_pure and bool(node.outputs) and all(_size_nodes(value) is not None for value in node.outputs)


# --- parts -----------------------------------------------------------------------------------------------------------


def _parts(nodes: Sequence[Node], strategy: ClusterStrategy, befores: Befores) -> list[list[Node]]:
    """Returns the parts of a turn that become clusters: the whole turn, or each connected part of the turn."""
    if strategy is ClusterStrategy.WIDE:
        return [list(nodes)]
    members = set(nodes)
    return connected_components(nodes, [(node, before) for node in nodes for before in befores[node] & members])


def _is_worth_a_call(nodes: Sequence[Node]) -> bool:
    """Returns whether some nodes may take longer on the NumPy tier than calling a cluster, as far as shapes tell."""
    if any(node.op_def.traits.control == "loop" for node in nodes):
        return True
    working_nodes = [node for node in nodes if not _is_free(node)]
    return len(working_nodes) >= _MIN_NODES and sum(map(_seconds, working_nodes)) >= _MIN_SECONDS


def _seconds(node: Node) -> float:
    """Estimates what a node takes on the NumPy tier; much where a shape is unknown."""
    inner_seconds = sum(_seconds(inner) for body in node.graphs for inner in body.nodes)
    sizes = [value.shape.num_elements() for value in (*node.inputs, *node.outputs) if not value.dtype.is_handle]
    elements = sum(float("inf") if size is None else size for size in sizes)
    return inner_seconds + _SECONDS_A_NODE + _SECONDS_AN_ELEMENT * elements


class _ClusterPart(NamedTuple):
    """The nodes of a cluster, and what they read of the rest of the graph.

    Attributes:
      members: the nodes that the cluster takes out of the graph.
      nodes: the members, and before them copies of what stays outside and costs nothing: reads and sizes.
      inputs: the values that the nodes read and do not compute.
    """

    members: Sequence[Node]
    nodes: list[Node]
    inputs: list[Value]


def _replace(graph: OptimizedGraph, member_lists: Sequence[Sequence[Node]], proven: Container[Node]) -> None:
    """Replaces each list of nodes by a cluster."""
    position_of = {node: position for position, node in enumerate(graph.nodes)}
    changes = [position for position, node in enumerate(graph.nodes) if _may_change_variables(node)]
    parts = [_with_repeated_nodes(members, position_of, changes, proven) for members in member_lists]
    part_of = {node: part for part in parts for node in part.members}
    outside_values = {*graph.outputs, *[value for part in parts for value in part.inputs]}
    outside_values.update(value for node in graph.nodes if node not in part_of for value in node.inputs)
    new_values: dict[Value, Value] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        part = part_of.get(node)
        if part is None:
            nodes.append(node)
        elif node is part.members[-1]:
            nodes.append(_cluster_node(graph.name, part, outside_values, new_values))
    graph.nodes = nodes
    substitute(graph, new_values)
    read_values = {*graph.outputs, *[value for node in nodes for value in node.inputs]}
    graph.nodes = [n for n in nodes if n.must_run or not _costs_nothing(n) or not read_values.isdisjoint(n.outputs)]


def _with_repeated_nodes(
    members: Sequence[Node], position_of: Mapping[Node, int], changes: Sequence[int], proven: Container[Node]
) -> _ClusterPart:
    """Returns a part with the nodes outside of it that it runs anew.

    Args:
      members: the nodes of the part.
      position_of: the position of each node of the graph.
      changes: the positions of the nodes that may change variables.
      proven: the nodes that refuse nothing, of those that look as if they could.
    """

    def repeatable(value: Value) -> Sequence[Node]:
        node = value.node
        if node is None or node in inside_nodes:
            return []
        nodes = [node] if _is_mere_read(node) else _size_nodes(value) if value.dtype.is_integer else None
        reads = [position_of[n] for n in nodes or () if n.effects is Effects.READS]
        end = position_of[members[0]]
        is_old = any(bisect.bisect(changes, position) < bisect.bisect_left(changes, end) for position in reads)
        return [] if nodes is None or is_old or not all(why_inexact(n, proven) is None for n in nodes) else nodes

    inside_nodes = set(members)
    repeated_nodes: list[Node] = []
    for value in _values_read(members):
        for node in repeatable(value):
            if node not in inside_nodes:
                inside_nodes.add(node)
                repeated_nodes.append(node)
    nodes = [*repeated_nodes, *members]
    made_values = {value for node in nodes for value in node.outputs}
    return _ClusterPart(members, nodes, [v for v in _values_read(nodes) if v not in made_values and v.constant is None])


def _values_read(nodes: Sequence[Node]) -> list[Value]:
    return list(dict.fromkeys([value for node in nodes for value in node.inputs]))


def _may_change_variables(node: Node) -> bool:
    if node.effects is Effects.IO:
        return node.op_def.traits.calls_python or node.holds_functions
    return node.effects is Effects.WRITES


def _costs_nothing(node: Node) -> bool:
    """Returns whether a node is one that clusters repeat; where nothing else reads it, the node is gone."""
    return _is_mere_read(node) or _computes_sizes(node)


def _cluster_node(name: str, part: _ClusterPart, outside: Container[Value], new_values: dict[Value, Value]) -> Node:
    """Returns the call that replaces a part; adds the values that it returns to `new_values`."""
    results = [value for node in part.members for value in node.outputs if value in outside]
    body = copy_part(part.nodes, part.inputs, results, name)
    effects = _strongest({node.effects for node in part.nodes})
    op = get_op("PartitionedCall" if effects is Effects.NONE else "StatefulPartitionedCall")
    attrs = {"f": body, **op.signature.list_types(part.inputs, results)}
    cluster = Node(op, attrs, tuple(part.inputs), effects, _namesake(part.members).origin, holds_functions=True)
    cluster.outputs = tuple([Value(v.dtype, v.shape, cluster, i) for i, v in enumerate(results)])
    cluster.must_run = any(node.must_run for node in part.nodes)
    new_values.update(zip(results, cluster.outputs, strict=True))
    return cluster


def _strongest(effects: Container[Effects]) -> Effects:
    return next((one for one in (Effects.WRITES, Effects.READS) if one in effects), Effects.NONE)


def _namesake(nodes: Sequence[Node]) -> Node:
    """Returns the node whose name messages give: the first that does more than move elements."""
    return next((node for node in nodes if not _is_free(node)), nodes[0])

"""The order of a graph whose nodes run on two engines in turn.

Some nodes are run by the host, others by a compiler. Each change of sides costs, so the nodes are sorted into few
*turns*: in turn 0 what the host can run at once, in turn 1 what the compiler can run then, and so on. A node of the
host runs as early as it can. A node of the compiler runs as late as the nodes that wait for it allow, so that what
nothing waits for ends in one last turn. Within a turn the nodes keep their order.

Effects keep theirs: a change of a variable, a print, the first error. Nodes that pass a list to each other run in one
turn of the compiler, or on the host: the two sides have different forms of lists.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from millrace._src.core.op_def import Effects
from millrace._src.passes.optimized_graph import Node, OptimizedGraph

Member = TypeVar("Member", bound=Hashable)
Befores = dict[Node, set[Node]]
"""The nodes that must have run before each node."""


class Turn(NamedTuple):
    """Nodes that one side runs in a row."""

    is_compiled: bool
    nodes: list[Node]


def in_turns(graph: OptimizedGraph, compiled: set[Node], befores: Befores) -> list[Turn]:
    """Returns the nodes of a graph in turns, the host's first.

    Args:
      graph: the graph.
      compiled: the nodes that the compiler may run. Nodes that turn out to belong to the host are taken out.
      befores: the nodes that must have run before each node, by `nodes_before`.
    """
    groups = _groups(graph, compiled)
    while True:
        numbers = _numbers(graph.nodes, befores, compiled, groups)
        misplaced_nodes = _find_misplaced(graph.nodes, befores, compiled, numbers)
        if not misplaced_nodes:
            break
        compiled.difference_update(misplaced_nodes)  # also a node of no group, so that the loop ends
        for group in groups:
            if not misplaced_nodes.isdisjoint(group):
                compiled.difference_update(group)
        groups = [group for group in groups if misplaced_nodes.isdisjoint(group)]
    members: dict[int, list[Node]] = {}
    for node in graph.nodes:
        members.setdefault(numbers[node], []).append(node)
    return [Turn(bool(number % 2), members[number]) for number in sorted(members)]


def nodes_before(graph: OptimizedGraph, refusing: Container[Node]) -> Befores:
    """Returns the nodes that must have run before each node: those that the node reads, and earlier effects.

    Args:
      graph: the graph.
      refusing: the nodes that may raise an error. The first of them to fail must be the first to run.
    """
    befores: Befores = {}
    last_change: Node | None = None
    last_refusal: Node | None = None
    since_change: list[Node] = []
    for node in graph.nodes:
        changes, refuses = node.effects in (Effects.WRITES, Effects.IO), node in refusing
        before = befores[node] = {value.node for value in node.inputs if value.node is not None}
        if changes or refuses or node.must_run or node.effects is Effects.READS:
            before.update([last_change] if last_change is not None else ())
            before.update([last_refusal] if last_refusal is not None and refuses else ())
            before.update(since_change if changes else ())
            last_change, since_change = (node, []) if changes else (last_change, [*since_change, node])
            last_refusal = node if refuses else last_refusal
    return befores


def connected_components(nodes: Iterable[Member], links: Iterable[tuple[Member, Member]]) -> list[list[Member]]:
    """Returns the members of each connected part, in the order of `nodes`."""
    roots = {node: node for node in nodes}

    def root_of(node: Member) -> Member:
        while roots[node] is not node:
            roots[node] = node = roots[roots[node]]
        return node

    for one, other in links:
        roots[root_of(one)] = root_of(other)
    parts: dict[Member, list[Member]] = {}
    for node in roots:
        parts.setdefault(root_of(node), []).append(node)
    return list(parts.values())


def _groups(graph: OptimizedGraph, compiled: set[Node]) -> list[list[Node]]:
    """Returns the nodes that pass lists to each other; takes those out of `compiled` that pass lists to the host."""
    given_values = {*graph.inputs, *graph.outputs}
    links: list[tuple[Node, Node]] = []
    host_nodes: set[Node] = set()
    for node in graph.nodes:
        for value in [v for v in node.inputs if v.dtype.name == "variant"]:
            if value.node is None:
                host_nodes.add(node)
            else:
                links.append((value.node, node))
        if any(v.dtype.name == "variant" and v in given_values for v in node.outputs):
            host_nodes.add(node)
    groups = [part for part in connected_components(graph.nodes, links) if len(part) > 1 or part[0] in host_nodes]
    split_groups = [g for g in groups if not compiled.issuperset(g) or not host_nodes.isdisjoint(g)]
    for group in split_groups:
        compiled.difference_update(group)
    return [group for group in groups if group not in split_groups]


def _numbers(
    nodes: Sequence[Node], befores: Befores, compiled: set[Node], groups: Sequence[Sequence[Node]]
) -> dict[Node, int]:
    """Returns the number of the turn of each node: even for the host, odd for the compiler."""
    earliest = {node: 1 if node in compiled else 0 for node in nodes}
    for _ in range(len(groups) + 1):
        for node in nodes:
            earliest[node] = max([earliest[node], *[_after(earliest[b], node in compiled) for b in befores[node]]])
        raised_groups = [group for group in groups if len({earliest[node] for node in group}) > 1]
        if not raised_groups:
            break
        for group in raised_groups:
            earliest.update(dict.fromkeys(group, max(earliest[node] for node in group)))
    return _as_late_as_possible(nodes, befores, compiled, groups, earliest)


def _after(number: int, is_compiled: bool) -> int:
    """Returns the first turn of a side that is not before a turn."""
    return number if number % 2 == is_compiled else number + 1


def _as_late_as_possible(
    nodes: Sequence[Node],
    befores: Befores,
    compiled: set[Node],
    groups: Sequence[Sequence[Node]],
    earliest: dict[Node, int],
) -> dict[Node, int]:
    """Returns the turns with the compiler's nodes in the last turn that is early enough for all that wait."""
    end = max(earliest.values(), default=0) | 1
    latest = {node: end if node in compiled else number for node, number in earliest.items()}
    for _ in range(len(groups) + 1):
        for node in reversed(nodes):
            for before in befores[node]:
                if before in compiled:
                    limit = latest[node] if node in compiled else latest[node] - 1
                    latest[before] = min(latest[before], limit)
        split_groups = [group for group in groups if len({latest[node] for node in group}) > 1]
        if not split_groups:
            break
        for group in split_groups:
            latest.update(dict.fromkeys(group, min(latest[node] for node in group)))
    return latest


def _find_misplaced(
    nodes: Sequence[Node], befores: Befores, compiled: set[Node], numbers: dict[Node, int]
) -> set[Node]:
    """Returns nodes of the compiler that ran too early or late: a node of the host stands inside of their group."""
    edges = [(before, node) for node in nodes for before in befores[node] if numbers[before] > numbers[node]]
    return compiled.intersection(itertools.chain(*edges))

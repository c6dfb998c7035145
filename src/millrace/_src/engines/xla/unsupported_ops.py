"""What XLA cannot run: the operations that it refuses, and those that leave a graph to the NumPy tier.

Strings, Python and output are refused, by names of op and node. Shapes that depend on data, and random numbers inside
of loops, are not a fault of the user's: such a graph runs on NumPy, with the reason.

Tests: tests/engines/xla/test_engine.py
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.core import errors
from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Program
from millrace._src.core.op_def import Effects
from millrace._src.passes.optimized_graph import Node, OptimizedGraph
from millrace._src.passes.pipeline import optimize_held_graphs
from millrace._src.util.logger import get_logger


def reason_to_refuse(graph: OptimizedGraph) -> str | None:
    """Returns the reason to leave a graph to the NumPy engine; None if XLA can run the graph.

    Raises: InvalidArgumentError: if the graph holds operations that XLA must refuse.
    """
    blocked, dynamic_nodes = unsupported_nodes(graph)
    strings = string_ends(graph)
    if blocked or strings:
        raise unsupported_error(graph, blocked, strings)
    if dynamic_nodes:
        graph.verdict.own_reason = needs_numpy(dynamic_nodes)
    return graph.verdict.reason


def leave_to_numpy(program: Program, graph: OptimizedGraph, reason: str) -> None:
    """Notes that the NumPy engine runs a graph, and logs the reason."""
    program.leave_to(eager_engine().name, reason)
    get_logger().info("%s runs on the NumPy tier: %s", graph.name, reason)


def unsupported_nodes(graph: OptimizedGraph) -> tuple[list[Node], list[Node]]:
    """Returns the nodes that XLA must refuse (strings, Python, datasets, output), and those that need NumPy.

    A node that needs NumPy has data-dependent shapes, draws random numbers inside a loop body, or is a loop whose
    condition writes to a variable.
    """
    blocked: list[Node] = []
    dynamic_nodes: list[Node] = []
    for node in graph.nodes:
        bodies = [] if node.op_def.traits.keeps_functions else optimize_held_graphs(node)
        if node.effects is Effects.IO and "xla" in node.op_def.rules.kernels:
            continue  # an assertion: compiled programs pass over assertions, as in TensorFlow
        if (
            node.effects is Effects.IO
            and not bodies
            or _touches_strings(node)
            or node.op_def.traits.refused_when_compiled
        ):
            blocked.append(node)
        elif node.op_def.traits.host_only or is_draw(node) and _needs_state(node) or _writes_in_condition(node):
            dynamic_nodes.append(node)
        for body in bodies:
            more_blocked, more_dynamic = unsupported_nodes(body)
            blocked += more_blocked
            dynamic_nodes += [*more_dynamic, *filter(is_draw, body.nodes)]
    return blocked, dynamic_nodes


def _needs_state(node: Node) -> bool:
    """Returns whether the arguments of a random op depend on a variable or another effect: no drawing ahead then."""
    stack, seen_nodes = [value.node for value in node.inputs], set()
    while stack:
        current = stack.pop()
        if current is None or current in seen_nodes:
            continue
        seen_nodes.add(current)
        if current.effects not in (Effects.NONE, Effects.RANDOM):
            return True
        if any(value.dtype.is_resource for value in (*current.inputs, *current.outputs)):
            return True
        stack.extend(value.node for value in current.inputs)
    return False


def _writes_in_condition(node: Node) -> bool:
    """Returns whether a node is a loop whose condition writes to a variable; XLA keeps only the iterations' state."""
    if node.op_def.traits.control != "loop":
        return False
    condition, _ = optimize_held_graphs(node)
    return any(inner.effects is Effects.WRITES for inner in condition.nodes)


def _touches_strings(node: Node) -> bool:
    return any(value.dtype.name == "string" for value in (*node.inputs, *node.outputs))


def string_ends(graph: OptimizedGraph) -> list[str]:
    """Lists the kinds of ends, arguments and results, that are strings, by TensorFlow's names."""
    ends = {"_Arg": graph.inputs, "_Retval": graph.outputs}
    return [kind for kind, values in ends.items() if any(value.dtype.name == "string" for value in values)]


def unsupported_error(graph: OptimizedGraph, nodes: Sequence[Node], ends: Sequence[str]) -> errors.InvalidArgumentError:
    listed = "".join(f"\n\t{end} of dtype string" for end in ends) + "".join(
        f"\n\t{node.type} (node {{{{node {node.name}}}}}){f' defined at {node.source}' if node.source else ''}"
        for node in nodes
    )
    return errors.InvalidArgumentError(
        None,
        None,
        f"Detected unsupported operations when trying to compile graph {graph.name}[_XlaMustCompile=true] "
        "on XLA_CPU_JIT: "
        f"{', '.join([*dict.fromkeys(node.type for node in nodes), *ends])}{listed}\n"
        "These operations work on the host only. Call them outside the function, or remove jit_compile=True.",
    )


def needs_numpy(nodes: Sequence[Node]) -> str:
    """Returns the reason why a graph with some nodes runs on NumPy although XLA does not refuse the nodes."""
    listed = ", ".join(dict.fromkeys(f"{node.type} {{{{node {node.name}}}}}" for node in nodes))
    return (
        "XLA needs every shape before it runs, random numbers drawn outside of loops and branches, and conditions of "
        f"loops that write to no variable; these operations do otherwise: {listed}."
    )


def is_draw(node: Node) -> bool:
    """Returns whether a node draws from a hidden random stream."""
    return node.effects is Effects.RANDOM and not node.holds_functions

"""Which nodes a compiling engine runs exactly as the NumPy tier does.

A function with `jit_compile=True` loses what compilers leave out: assertions, refusals of an index out of range, errors
of a division by zero. The user asked for that. A graph that is compiled because it then runs faster may lose nothing.
So a node qualifies if its op only computes or keeps variables, if no value of the node's inputs could be refused, and
if compiled values differ by rounding at most. What an op refuses and how its values differ, the op declares (`Traits`).

A check whose inputs are constants is made here, once. A loop qualifies if its bodies do.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from millrace._src.core import errors
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.op_checks import checks_of_op
from millrace._src.core.op_def import Effects
from millrace._src.core.op_signature import argument_indices
from millrace._src.passes.abstract_arrays import known_forms
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.value_ranges import proven_nodes


def inexact_nodes(graph: OptimizedGraph) -> dict[Node, str]:
    """Returns the nodes of a graph that a compiling engine would not run exactly, and why not.

    For a loop or a choice the nodes inside are named.
    """
    return dict(_inexact(graph, proven_nodes(graph)))


def lossy_nodes(graph: OptimizedGraph) -> dict[Node, str]:
    """Returns the nodes for whose sake a graph must not be compiled as a whole unless the user asks, and why not.

    Random draws of the graph itself are none of them: compiled programs get the numbers from the host.
    """
    return {
        node: reason for node, reason in inexact_nodes(graph).items() if not is_draw(node) or node not in graph.nodes
    }


def refuses_only(node: Node) -> bool:
    """Returns whether all that compiling a node loses is the refusal of values: an assertion, an index out of range."""
    if node.effects is Effects.IO:
        return bool(node.op_def.rules.kernels)  # an assertion, which engines that compile pass over
    return _why_not_but_for_checks(node) is None


def is_draw(node: Node) -> bool:
    """Returns whether a node draws from a hidden random stream."""
    return node.effects is Effects.RANDOM and not node.holds_functions


def why_inexact(node: Node, proven: Container[Node] = ()) -> str | None:
    """Returns why a compiling engine would not run a node exactly; None if it would.

    Args:
      node: the node.
      proven: nodes that refuse nothing, by `value_ranges.proven_nodes` of the graph around.
    """
    reason = _why_not_but_for_checks(node, proven)
    if reason is not None or node.holds_functions or node.only_checks:
        return reason
    return "it may refuse values" if any(_may_refuse(part, proven) for part in (node, *node.added)) else None


def _may_refuse(node: Node, proven: Container[Node]) -> bool:
    refused_values = refused_inputs(node)
    return bool(refused_values) and node not in proven and not _passes_now(node, refused_values)


def is_exact_after_checks(node: Node) -> bool:
    """Returns whether a compiling engine would run a node exactly once the op's `checks` have passed."""
    return node.op_def.rules.checks is not None and _why_not_but_for_checks(node) is None


def is_exact_where_it_passes(node: Node) -> bool:
    """Returns whether a compiling engine would run a node exactly for values that pass the rules of its op."""
    rules = node.op_def.rules
    if rules.exact_when is None or node.holds_functions:
        return is_exact_after_checks(node)
    return (_reason_to_exclude(node) or _why_not_pure(node)) is None


def _why_not_but_for_checks(node: Node, proven: Container[Node] = ()) -> str | None:
    """Returns why a compiling engine would not run a node exactly, if no value is refused."""
    if node.holds_functions:
        return _why_not_with_bodies(node, proven)
    return _reason_to_exclude(node) or _why_not_pure(node) or _how_different(node)


def refused_inputs(node: Node) -> list[Value]:
    """Returns the inputs of a node whose values the node may refuse on the host alone."""
    op = node.op_def
    if op.traits.refuses_integers_alone and not node.inputs[0].dtype.is_integer:
        return []
    if not op.traits.refuses:
        return list(node.inputs) if op.rules.checks is not None else []
    return [
        node.inputs[index]
        for argument, at in argument_indices(op.signature.inputs, node.attrs)
        for index in at
        if argument.name in op.traits.refuses
    ]


def _inexact(graph: OptimizedGraph, proven: Container[Node]) -> Iterator[tuple[Node, str]]:
    for node in graph.nodes:
        reason = why_inexact(node, proven)
        if reason is not None:
            inner = [pair for body in node.graphs for pair in _inexact(body, proven)]
            yield from inner or [(node, reason)]


def _why_not_with_bodies(node: Node, proven: Container[Node]) -> str | None:
    bodies = node.graphs
    if len(bodies) != len(node.functions):
        return "it calls a function that is a program of its own"
    if node.op_def.traits.keeps_functions or node.op_def.traits.host_only:
        return "it runs on the host only"
    if node.op_def.traits.control == "loop" and any(n.effects is Effects.WRITES for n in bodies[0].nodes):
        return "the condition of the loop writes to a variable"
    reasons = [reason for body in bodies for _, reason in _inexact(body, proven)]
    return reasons[0] if reasons else None


def _reason_to_exclude(node: Node) -> str | None:
    traits = node.op_def.traits
    if traits.host_only or traits.refused_when_compiled or traits.is_placeholder:
        return "it runs on the host only"
    if any(value.dtype.name == "string" for value in (*node.inputs, *node.outputs)):
        return "it takes or returns strings"
    return None


def _why_not_pure(node: Node) -> str | None:
    if node.effects is Effects.IO:
        return "it acts on the world"
    if node.effects is Effects.RANDOM:
        return "it draws random numbers from a hidden stream"
    if any(value.dtype.is_resource for value in node.outputs):
        return "it makes a handle"
    if not all(map(_is_variable, node.origin.inputs)) and node.effects is not Effects.NONE:
        return "it uses an object of the host"
    return None


def _is_variable(tensor: Any) -> bool:
    """Returns whether a tensor is the handle of a variable, or no handle at all."""
    return not tensor.dtype.is_resource or isinstance(tensor.handle_type, VariableHandle)


def _how_different(node: Node) -> str | None:
    """Returns how compiled values differ from the host's beyond rounding."""
    differs = node.op_def.traits.values_differ_when_compiled
    return differs(node.attrs) if callable(differs) else differs


def _passes_now(node: Node, refused_values: Sequence[Value]) -> bool:
    """Returns whether a node can refuse nothing at a call, because all that it could refuse is constant."""
    if any(value.constant is None for value in refused_values):
        return False
    return _check_passes(node)


def _check_passes(node: Node) -> bool:
    """Runs the checks of a node on its constants, and on stand-ins of the right shapes for its other inputs."""
    check = checks_of_op(node.op_def, node.attrs)
    arrays = known_forms(node)
    if check is None or any(array is None for array in arrays):
        return False  # a kernel that refuses values itself: only `value_ranges` can tell
    arguments = [
        [arrays[index] for index in at] if argument.is_list else arrays[at.start]
        for argument, at in argument_indices(node.op_def.signature.inputs, node.attrs)
    ]
    try:
        check(*arguments)
    except errors.OpError:
        return False
    return True

"""The checks of a graph, as a graph of their own that runs before.

A compiled program refuses no value, so a graph that may refuse some (a label out of range, an assertion) must not be
compiled as a whole. Nor must one in which an op makes something else of some values (a float that the integers cannot
hold), unless a rule of the op tells these values. Most such checks depend on the arguments of a call alone: labels and
indices come from the caller. `checks_first` makes a small graph of them, for the NumPy tier. Where that graph passes,
the whole graph would refuse and change nothing either, and any engine may run it. Where it fails, the NumPy tier has to
run the call, with the right values, effects and errors.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from millrace._src.core.op_def import Effects
from millrace._src.core.op_signature import argument_indices
from millrace._src.core.shapes import SCALAR
from millrace._src.passes.abstract_arrays import known_forms, stand_in
from millrace._src.passes.exactness import is_exact_where_it_passes, refused_inputs, refuses_only
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, all_nodes, copy_part


def checking_node(node: Node) -> Node:
    """Returns a node that makes the checks of another one, and computes nothing."""
    check = Node(node.op_def, node.attrs, _inputs_to_check(node), Effects.NONE, node.origin, holds_functions=False)
    check.only_checks = check.must_run = True
    return check


def checks_first(graph: OptimizedGraph, losses: Collection[Node]) -> OptimizedGraph | None:
    """Returns a graph with the inputs of `graph` that fails if one of some nodes would refuse a value.

    Args:
      graph: the graph, which stays as it is.
      losses: the nodes that a compiling engine would not run exactly: see `exactness.lossy_nodes`.

    Returns: A graph without outputs; None if some node does more than refuse values, or refuses values that do not
      follow from the arguments alone.
    """
    judges: dict[Node, Node] = {}
    for node in graph.nodes:
        inner_losses = [inner for body in node.graphs for inner in all_nodes(body) if inner in losses]
        if node in losses or inner_losses:
            judge = _judge(node)
            if judge is None:
                return None
            judges[node] = judge
    judged_values = [value for judge in judges.values() for value in judge.inputs]
    makers = _makers(graph, judged_values)
    if makers is None or any(value.dtype.is_resource for value in judged_values if value.constant is None):
        return None
    nodes: list[Node] = []
    for node in graph.nodes:
        nodes += [node] if node in makers else []
        nodes += [judges[node]] if node in judges else []
    return copy_part(nodes, graph.inputs, [], f"checks of {graph.name}")


def _judge(node: Node) -> Node | None:
    """Returns a node that fails where another one does, and does nothing else; None if there is no such node."""
    if node.added or node.op_def.traits.library_bound:
        return None
    if is_exact_where_it_passes(node):
        return checking_node(node)
    if node.holds_functions:
        inputs = node.inputs if _is_choice_of_checks(node) else None
    else:
        inputs = _inputs_to_check(node) if refuses_only(node) else None
    if inputs is None:
        return None
    judge = Node(node.op_def, node.attrs, inputs, node.effects, node.origin, node.holds_functions)
    judge.outputs = tuple([Value(v.dtype, v.shape, judge, v.value_index) for v in node.outputs])
    judge.must_run = True
    return judge


def _is_choice_of_checks(node: Node) -> bool:
    """Returns whether a node is a choice between branches that only compute and refuse values, as an assertion is."""
    inner_nodes = [inner for body in node.graphs for inner in all_nodes(body)]
    return node.op_def.traits.control == "choice" and all(
        (inner.is_pure or refuses_only(inner)) and not inner.op_def.traits.library_bound for inner in inner_nodes
    )


def _inputs_to_check(node: Node) -> tuple[Value, ...]:
    """Returns the inputs of a node, with zeros instead of those whose values are never refused.

    Of such an input the op reads the shape at most, so an input of unknown shape stays where the shape counts.
    """
    any_shape = node.op_def.traits.checks_any_shape_of
    refused_values = set(refused_inputs(node) or node.inputs)  # of an op that says nothing, every input may count
    inputs, forms = list(node.inputs), known_forms(node)
    for argument, at in argument_indices(node.op_def.signature.inputs, node.attrs):
        for index in at:
            value, form = inputs[index], forms[index]
            if value.constant is not None or value in refused_values:
                continue
            if argument.name in any_shape:
                inputs[index] = Value(value.dtype, SCALAR, constant=stand_in((), value.dtype.np_dtype))
            elif form is not None:
                inputs[index] = Value(value.dtype, value.shape, constant=form)
    return tuple(inputs)


def _makers(graph: OptimizedGraph, values: Sequence[Value]) -> set[Node] | None:
    """Returns the nodes that compute some values from the inputs of a graph; None unless they do that alone."""
    needed_values = set(values)
    makers: set[Node] = set()
    for node in reversed(graph.nodes):
        if needed_values.isdisjoint(node.outputs):
            continue
        if not node.is_pure or node.holds_functions or node.added or node.op_def.traits.library_bound:
            return None
        makers.add(node)
        needed_values.update(node.inputs)
    return makers

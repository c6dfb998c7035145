"""Applies the gradient of a rectifier before that of a pool, to an array of a quarter of the size.

A rectifier's gradient keeps or drops each element by the rectified array `x`. Behind a pool of largest elements, all
that is not zero stands where an element of `x` was selected, and the selected elements are the pool's result `y`.

    relu_grad(max_pool_grad(x, y, dy), x)    ->    max_pool_grad(x, y, relu_grad(dy, y))        where y = max_pool(x)

Ops declare that they are masks (`Traits.is_gradient_mask`), and whose selections they spread
(`Traits.spreads_to_selected_of`). The bits are the same, but for the sign of zeros.
"""

from __future__ import annotations

from collections import Counter

from millrace._src.core.op_def import Effects
from millrace._src.passes import dead_code_elimination
from millrace._src.passes.insertions import Insertions
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph with masks of gradients where the gradients are small."""
    for node in graph.nodes:
        for inner in node.graphs if node.holds_functions else ():
            run(inner)
    masks = [node for node in graph.nodes if node.op_def.traits.is_gradient_mask]
    if not masks:
        return graph
    read_counts = Counter(graph.outputs)
    read_counts.update(v for node in graph.nodes for part in (node, *node.added) for v in part.inputs)
    insertions = Insertions(graph)
    for mask in masks:
        spread = _spread_of(mask)
        if spread is not None and read_counts[mask.inputs[0]] == 1:
            _exchange(mask, spread, insertions)
    insertions.apply()
    return dead_code_elimination.run(graph)


def _spread_of(mask: Node) -> Node | None:
    """Returns the node whose result a mask takes, if that spreads a gradient to elements selected from the features."""
    gradient, features = mask.inputs
    spread = gradient.node
    if spread is None or spread.op_def.traits.spreads_to_selected_of is None or spread.must_run:
        return None
    source, selected, _ = spread.inputs
    is_selection = (
        selected.node is not None
        and selected.node.op_def.name == spread.op_def.traits.spreads_to_selected_of
        and selected.node.inputs[0] is source
        and _attrs(selected.node) == _attrs(spread)
    )
    return spread if source is features and is_selection else None


def _attrs(node: Node) -> dict[str, object]:
    """Returns the attributes of a node but for dtypes, which follow from the inputs."""
    return {name: value for name, value in node.attrs.items() if node.op_def.attr_kinds.get(name) != "type"}


def _exchange(mask: Node, spread: Node, insertions: Insertions) -> None:
    """Plans a mask of the small gradient, and a spread of the result."""
    source, selected, gradient = spread.inputs
    early = Node(mask.op_def, mask.attrs, (gradient, selected), Effects.NONE, mask.origin, False)
    early.outputs = (Value(gradient.dtype, gradient.shape, early),)
    inputs = (source, selected, early.outputs[0])
    late = Node(spread.op_def, spread.attrs, inputs, Effects.NONE, spread.origin, False)
    late.outputs = (Value(mask.outputs[0].dtype, mask.outputs[0].shape, late),)
    insertions.add(early, {})
    insertions.add(late, {mask.outputs[0]: late.outputs[0]})

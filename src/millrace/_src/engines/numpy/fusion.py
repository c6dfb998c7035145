"""Which nodes of a graph form a chain: element-wise nodes whose large arrays go through block by block.

Problem: each element-wise operation on a large array reads its operands from memory and writes its result to memory;
the arithmetic is a fraction of that.

Idea: nodes that read each other's results become one *chain*. A block of elements, small enough for a cache, goes
through all of them before the next block does, and only what others read is written whole (see `cache_blocking`). A
chain runs where its last node stands in the order of the graph. So a node can join the chains whose results it reads as
long as no node outside of those chains has read a result of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Elementwise
from millrace._src.core.shapes import TensorShape
from millrace._src.engines.numpy import cache_blocking
from millrace._src.passes.exactness import refused_inputs
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

_MAX_NODES = 100
_VERY_LARGE = 1 << 20
"""The number of elements from which on a single node is a chain."""


@dataclass(eq=False)
class Chain:
    """Element-wise nodes that run one after the other; their results have one shape, as far as shapes are known.

    Args:
      nodes: the nodes, in run order.
      shape: what is known about the shape of the results.
      outputs: the results that are read outside of the chain.
      is_open: whether nothing outside of the chain has read a result yet.
    """

    nodes: list[Node]
    shape: TensorShape
    outputs: list[Value] = field(default_factory=list)
    is_open: bool = True

    def inputs(self) -> list[Value]:
        """Returns the values that the chain reads, each once."""
        made_values = {node.outputs[0] for node in self.nodes}
        return list(dict.fromkeys(v for node in self.nodes for v in node.inputs if v not in made_values))


Step: TypeAlias = Node | Chain


def form_chains(graph: OptimizedGraph) -> Sequence[Step]:
    """Returns the nodes of a graph in run order, with chains instead of the nodes that form chains."""
    if not any(map(_can_be_large, graph.nodes)):
        return graph.nodes
    chain_of: dict[Node, Chain] = {}
    for node in graph.nodes:
        read_chains = _chains_read(node, chain_of)
        own_chain = _join(node, read_chains, chain_of) if _can_be_large(node) else None
        for chain in read_chains:
            if chain is not own_chain:
                chain.is_open = False
    _note_outputs(graph, chain_of)
    return _in_order(graph.nodes, chain_of)


def _can_be_large(node: Node) -> bool:
    """Returns whether a node can be in a chain: whether it computes numbers by themselves, and perhaps many of them.

    A node that may refuse values keeps its position among the effects.
    """
    if node.op_def.elementwise is Elementwise.NO or node.must_run or node.added or node.op_def.traits.returns_input:
        return False
    size = node.outputs[0].shape.num_elements()
    if size is not None and size < cache_blocking.FEWEST:  # first of all: most nodes are through here
        return False
    return all(_are_numbers(value.dtype) for value in (*node.inputs, *node.outputs)) and not refused_inputs(node)


def _is_very_large(node: Node) -> bool:
    """Returns whether it is known that a node alone is worth being shared among threads."""
    size = node.outputs[0].shape.num_elements()
    return size is not None and size >= _VERY_LARGE


def _are_numbers(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_bool


def _chains_read(node: Node, chain_of: dict[Node, Chain]) -> list[Chain]:
    """Returns the chains that make values which a node reads."""
    makers = [value.node for value in node.inputs if value.node is not None]
    makers += [value.node for part in node.added for value in part.inputs if value.node is not None]
    return list(dict.fromkeys(chain_of[maker] for maker in makers if maker in chain_of))


def _join(node: Node, read_chains: Iterable[Chain], chain_of: dict[Node, Chain]) -> Chain:
    """Puts a node into the chain that the node continues, merged from chains that are read, or into a new chain."""
    own_chain = Chain([], node.outputs[0].shape)
    for chain in read_chains:
        fits = chain.is_open and chain.shape.is_compatible_with(own_chain.shape)
        if fits and len(chain.nodes) + len(own_chain.nodes) < _MAX_NODES:
            own_chain.shape = own_chain.shape.merge_with(chain.shape)
            own_chain.nodes += chain.nodes
            for member in chain.nodes:
                chain_of[member] = own_chain
            chain.is_open = False
    own_chain.nodes.append(node)
    chain_of[node] = own_chain
    return own_chain


def _note_outputs(graph: OptimizedGraph, chain_of: dict[Node, Chain]) -> None:
    """Notes the results of chains that other nodes read, or that are outputs of the graph."""
    outputs: dict[Value, None] = {}
    for node in graph.nodes:
        own_chain = chain_of.get(node)
        parts = [node, *node.added]
        for value in [v for part in parts for v in part.inputs]:
            if value.node is not None and chain_of.get(value.node) is not own_chain:
                outputs[value] = None
    outputs.update(dict.fromkeys(graph.outputs))
    for value in outputs:
        if value.node is not None and value.node in chain_of:
            chain_of[value.node].outputs.append(value)


def _in_order(nodes: Iterable[Node], chain_of: dict[Node, Chain]) -> list[Step]:
    """Returns nodes and chains in run order; a chain stands where its last node stood."""
    positions = {node: position for position, node in enumerate(nodes)}
    steps: list[Step] = []
    for node in positions:
        chain = chain_of.get(node)
        if chain is None or not chain.outputs or (len(chain.nodes) == 1 and not _is_very_large(node)):
            steps.append(node)
        elif chain.nodes[-1] is node:
            chain.nodes.sort(key=positions.__getitem__)
            steps.append(chain)
    return steps

"""Adds nodes from the wire to a graph, for whole graphs and for function bodies alike.

Problem: nodes may come in any order, refer to each other by name, and be wrong in every way that a file can be wrong.

Idea: three passes, each over plain data. Parse: names and references, checked against each other. Order: a node is
ready once its inputs are made; among the ready ones the first in the file goes first, so a sorted file keeps its order.
Build: decode attributes, check input types, add the operation. The two modules where graphs and functions differ, how a
reference names a tensor and what a node is called in the new graph, are parameters.

Tests: tests/graph/test_import_graph_def.py, tests/graph/test_function_def.py
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape
from millrace._src.graph import rewriting
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of
from millrace._src.graph.node_checks import check_constant, check_node
from millrace._src.graph.node_def import canonical_device, decode_attrs
from millrace._src.graph.op_policy import TRUSTING, OpPolicy
from millrace._src.graph.operation import Operation

_VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


@dataclass(frozen=True, slots=True)
class InputReference:
    """An input of a node: output `index` of argument `arg` (None: of all outputs) of `node`, or a given tensor."""

    node: str
    index: int = 0
    arg: str | None = None
    given: Any = None


@dataclass(slots=True)
class NodeImport:
    """One run of the three passes into `graph`."""

    graph: Any
    library: Mapping[str, Any]
    parse: Callable[[str], InputReference]
    """Reads a reference such as `node:1`; raises ValueError for other text."""
    rename: Callable[[str], str] = lambda name: name
    """The name a node gets in the graph."""
    controls: Sequence[Operation] = ()
    """The operations that every new operation must wait for."""
    policy: OpPolicy = TRUSTING
    """What the new operations may reach."""
    is_function: bool = False
    """Whether the nodes are a function's body, which may ask to be placed with nodes of other graphs."""
    index: Mapping[str, int] = field(default_factory=dict)
    """The positions of the nodes by their names in the file."""
    made: dict[str, Operation] = field(default_factory=dict)
    """The new operations by their names in the file."""
    results: dict[str, Sequence[str]] = field(default_factory=dict)
    """The names of the results of the nodes whose op is a function, by the nodes' names in the file."""

    def run(self, nodes: Sequence[Any]) -> dict[str, Operation]:
        """Adds all `nodes` and returns the new operations by the nodes' own names.

        Raises:
          ValueError: if names, references, attributes, types or shapes do not fit.
          NotFoundError: if an op is unknown.
        """
        index = self.index = _index_by_name(nodes)
        references = [self._references(node, index) for node in nodes]
        for position in _order(nodes, references, index):
            self._build(nodes[position], *references[position])
        return self.made

    # --- parse -------------------------------------------------------------------------------------------------

    def _references(self, node: Any, index: Mapping[str, int]) -> tuple[list[InputReference], list[str]]:
        """Returns the tensors and the operations for which a node waits."""
        data: list[InputReference] = []
        controls: list[str] = []
        for text in node.input:
            if text.startswith("^"):
                if text[1:] not in index:
                    raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                controls.append(text[1:])
                continue
            if controls:
                raise ValueError(f"Node '{node.name}': Control dependencies must come after regular dependencies")
            reference = self.parse(text)
            if reference.given is None and reference.node not in index:
                raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
            data.append(reference)
        return data, controls

    # --- build -------------------------------------------------------------------------------------------------

    def _build(self, node: Any, references: Sequence[InputReference], controls: Sequence[str]) -> None:
        inputs = [self._tensor(node.name, reference) for reference in references]
        waits = dict.fromkeys([*(self.made[control] for control in controls), *self.controls])
        self.made[node.name] = self.add(node, inputs, list(waits))

    def add(self, node: Any, inputs: Sequence[Any], controls: Sequence[Operation]) -> Operation:
        """Adds the operation of one node, for given tensors of the graph.

        Args:
          node: the `NodeDef` message, whose own inputs are not looked at.
          inputs: the tensors to use instead.
          controls: the operations that the new one waits for.

        Raises:
          ValueError: if attributes, types or shapes do not fit.
          NotFoundError: if the op is unknown.
        """
        name = self.rename(node.name)
        function = self.library.get(node.op)
        op_def = self.policy.op_of(node.op) if function is None else _call_op(function)
        attrs = decode_attrs(node, op_def, name, self.library) if function is None else _call_attrs(function, inputs)
        check_node(op_def, attrs, inputs, name)
        op_def = self.policy.admit(op_def, inputs, attrs, self._location(name))
        self._rename_colocations(node.name, attrs)
        if function is not None:
            self.results[node.name] = _result_names(function)
        operation: Operation = self.graph.add_operation(op_def, inputs, attrs, name, control_inputs=controls)
        if node.device:
            rewriting.set_device(operation, canonical_device(node.device))
        if node.HasField("experimental_type"):
            operation.wire_full_type = node.experimental_type.SerializeToString()
        self.policy.settle_gradient(operation)
        self.graph.reserve_name(name)
        _merge_shapes(operation, node)
        if node.op == "Const":
            check_constant(attrs, name)
            operation.note_values((_share_value(attrs["value"]),))
        return operation

    def _location(self, name: str) -> str:
        """Returns a node's name and that of its function, for messages."""
        return (
            f"node '{name}' of function '{self.graph.name}'" if isinstance(self.graph, FuncGraph) else f"node '{name}'"
        )

    def _tensor(self, consumer: str, reference: InputReference) -> Any:
        if reference.given is not None:
            return reference.given
        source = self.made[reference.node]
        results = self.results.get(reference.node, ())
        if reference.arg in results and reference.index == 0:
            return source.outputs[results.index(reference.arg)]
        index = reference.index if reference.arg is None else _flat_index(source, reference, consumer)
        if index >= len(source.outputs):
            raise ValueError(
                f"Node '{consumer}': Connecting to invalid output {index} of source node {reference.node} which has "
                f"{len(source.outputs)} outputs."
            )
        return source.outputs[index]

    def _new_name(self, node_name: str) -> str:
        """Returns the name of an operation that is not made yet; a node of another graph keeps its name."""
        return self.rename(node_name) if node_name in self.index else node_name

    def _rename_colocations(self, node_name: str, attrs: dict[str, Any]) -> None:
        """Makes `loc:@node` constraints name the new names."""
        groups = attrs.get("_class")
        if groups is None:
            return
        if not (isinstance(groups, tuple) and all(isinstance(group, str) for group in groups)):
            raise ValueError(f"Node '{node_name}': the attribute '_class' is not a list of texts.")
        new_names = []
        for group in groups:
            target = group.removeprefix("loc:@")
            if group.startswith("loc:@"):
                if target not in self.index and not self.is_function:
                    raise ValueError(f"Node '{node_name}' expects to be colocated with unknown node '{target}'")
                group = f"loc:@{self.made[target].name if target in self.made else self._new_name(target)}"
            new_names.append(group)
        attrs["_class"] = tuple(new_names)


def _index_by_name(nodes: Sequence[Any]) -> dict[str, int]:
    index: dict[str, int] = {}
    for position, node in enumerate(nodes):
        if not _VALID_NAME.match(node.name):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
        if node.name in index:
            raise ValueError(f"Node '{node.name}' is not unique")
        index[node.name] = position
    return index


def _order(
    nodes: Sequence[Any], references: Sequence[tuple[list[InputReference], list[str]]], index: Mapping[str, int]
) -> Iterable[int]:
    """Returns the positions of the nodes, each after its inputs and controls, and else in the order of the file.

    A node comes after those with which it is placed, unless these need the node, as they may in a function.

    Raises: ValueError: if nodes need each other.
    """
    for respects_colocation in (True, False):
        order = _sort(nodes, references, index, respects_colocation)
        if len(order) == len(nodes):
            return order
    raise ValueError(f"{len(nodes) - len(order)} nodes in a cycle")


def _sort(
    nodes: Sequence[Any],
    references: Sequence[tuple[list[InputReference], list[str]]],
    index: Mapping[str, int],
    respects_colocation: bool,
) -> list[int]:
    """Returns the positions of the nodes that need no node of a cycle."""
    consumers: dict[int, list[int]] = {}
    counts = []
    for position, (data, controls) in enumerate(references):
        sources = {index[r.node] for r in data if r.given is None} | {index[c] for c in controls}
        if respects_colocation:
            sources |= {index[target] for target in _colocations(nodes[position]) if target in index} - {position}
        counts.append(len(sources))
        for source in sources:
            consumers.setdefault(source, []).append(position)
    ready = [position for position, count in enumerate(counts) if not count]
    order = []
    while ready:
        position = heapq.heappop(ready)
        order.append(position)
        for consumer in consumers.get(position, ()):
            counts[consumer] -= 1
            if not counts[consumer]:
                heapq.heappush(ready, consumer)
    return order


def _colocations(node: Any) -> list[str]:
    """Lists the nodes with which a node must be placed."""
    if "_class" not in node.attr:
        return []
    return [s.decode()[5:] for s in node.attr["_class"].list.s if s.startswith(b"loc:@")]


_LARGEST_COPY = 1 << 16
"""The bytes of the largest constant that is stated once in a file and written out for all elements at once."""


def _share_value(value: Any) -> Any:
    """Returns the value of a constant in one piece; a large one that a file states once stays stated once.

    Programs write such a value out when they are made: a file of some bytes must not take gigabytes when it is read.
    """
    return value if value.flags.c_contiguous or value.nbytes > _LARGEST_COPY else np.array(value, order="C")


# --- outputs -----------------------------------------------------------------------------------------------------


def _flat_index(source: Operation, reference: InputReference, consumer: str) -> int:
    """Returns the position among all outputs of element `index` of output argument `arg`."""
    start = 0
    for arg, size in output_sizes(source):
        if arg == reference.arg:
            if reference.index >= size:
                break
            return start + reference.index
        start += size
    raise ValueError(
        f"Node '{consumer}': '{reference.node}:{reference.arg}:{reference.index}' is not an output of "
        f"'{reference.node}' ({source.type}); its outputs are {dict(output_sizes(source))}."
    )


def output_sizes(operation: Operation) -> list[tuple[str, int]]:
    """Returns each output argument of an operation with its number of tensors."""
    return [(arg.name, len(arg.dtypes(operation.attrs))) for arg in operation.op_def.signature.outputs]


def _merge_shapes(operation: Operation, node: Any) -> None:
    """Merges the shapes of an `_output_shapes` attribute into the inferred shapes."""
    if "_output_shapes" not in node.attr:
        return
    stated_shapes = [TensorShape(shape) for shape in node.attr["_output_shapes"].list.shape]
    for position, (tensor, shape) in enumerate(zip(operation.outputs, stated_shapes, strict=False)):
        if tensor.dtype.is_handle:  # TensorFlow states of a stack's handle that it is a vector
            continue
        if not tensor.shape.is_compatible_with(shape):
            raise ValueError(
                f"Node '{operation.name}' has an _output_shapes attribute inconsistent with the GraphDef for output "
                f"#{position}: {_difference(tensor.shape, shape)}"
            )
        tensor.shape = tensor.shape.merge_with(shape)


def _difference(inferred: TensorShape, given: TensorShape) -> str:
    if inferred.rank != given.rank:
        return f"Shapes must be equal rank, but are {inferred.rank} and {given.rank}"
    pairs = zip(inferred.as_list(), given.as_list(), strict=True)
    for position, (a, b) in enumerate(pairs):
        if a is not None and b is not None and a != b:
            shapes_text = f"Shapes are {inferred} and {given}."
            return f"Dimension {position} in both shapes must be equal, but are {a} and {b}. {shapes_text}"
    return f"Shapes are {inferred} and {given}."


# --- nodes whose op is a function of the library ----------------------------------------------------------------


def _call_op(function: object) -> OpDef:
    """Returns the op that calls a function: old files name the function itself as the node's op."""
    body: FuncGraph = body_of(function)
    arguments = {tensor.op for tensor in body.inputs}
    stateful = any(op.effects is not Effects.NONE for op in body.get_operations() if op not in arguments)
    return get_op("StatefulPartitionedCall" if stateful else "PartitionedCall")


def _result_names(function: object) -> Sequence[str]:
    """Returns the names by which nodes refer to the results of a call; none for a function that is not from a file."""
    body: FuncGraph = body_of(function)
    return body.wire_names[0]


def _call_attrs(function: object, inputs: Sequence[Any]) -> dict[str, Any]:
    op_def = _call_op(function)
    dtypes: dict[str, tuple[DType, ...]] = {
        "Tin": tuple(as_dtype(tensor.dtype) for tensor in inputs),
        "Tout": tuple(as_dtype(tensor.dtype) for tensor in body_of(function).outputs),
    }
    return op_def.normalize_attrs({**dtypes, "f": function})

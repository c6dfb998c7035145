"""What `tf.import_graph_def` makes of graphs as TensorFlow 1 built them: reference variables and `Switch`es.

Problem: such a graph has operations that graphs here have not. A variable is a tensor that changes. A branch or a loop
is a pattern of nodes, and a loop is a circle.

Idea: the nodes are played one by one (`functionalization.py`) into the current graph. What has a counterpart of
another form gets the name of the old node all the same: `v:0` reads the variable `v`, `v/Assign` assigns and then
reads. So programs fetch, feed and run by the names that they know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.op_registry import late_bound
from millrace._src.core.shapes import TensorShape
from millrace._src.function.control_flow_v1.dataflow_nodes import TensorRef, V1Node, parse_nodes
from millrace._src.function.control_flow_v1.functionalization import Replay, Scope
from millrace._src.function.control_flow_v1.reference_variables import V1Variable
from millrace._src.graph.function_def import FunctionLibrary
from millrace._src.graph.graph import Graph
from millrace._src.graph.message_bytes import dtype_of_number
from millrace._src.graph.op_policy import TRUSTING
from millrace._src.graph.operation import Operation
from millrace._src.graph.replaced_ops import REFERENCE_VARIABLES
from millrace._src.ops import raw


@late_bound("import_dataflow_nodes")
def import_dataflow_nodes(
    graph: Graph,
    protos: Sequence[Any],
    given: Mapping[TensorRef, Any],
    prefix: str,
    library: FunctionLibrary,
) -> dict[str, Operation]:
    """Adds the nodes of an old graph; returns the operations by the nodes' names."""
    nodes = parse_nodes(protos)
    return GraphReplay(graph, nodes, given, f"{prefix}/" if prefix else "", library).play_all()


class ReferenceInGraph(V1Variable):
    """A reference variable of a plain graph: the handle of a variable, which each reader reads for itself.

    Args:
      handle: the handle.
      dtype: the dtype of the variable.
      changes: the operations that change the variable before it is what the old graph's tensor holds.
    """

    def __init__(self, handle: Any, dtype: Any, changes: Sequence[Operation] = ()) -> None:
        self._handle, self._dtype = handle, dtype
        self.changes = changes

    def after(self, changes: Sequence[Operation]) -> ReferenceInGraph:
        """Returns the variable as it is after some operations."""
        return ReferenceInGraph(self._handle, self._dtype, [*self.changes, *changes])

    def read(self) -> Any:
        """Returns the value in the graph that is being built."""
        with state.graph.control_dependencies([op for op in self.changes if op.graph is state.graph]):
            return raw.ReadVariableOp(resource=self._handle, dtype=self._dtype)

    @property
    def handle(self) -> Any:
        """The handle."""
        return self._handle


class ReferenceVariables:
    """The reference variables of a graph, as variables of the plain graph that is being built."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def makes(self, node: V1Node) -> bool:
        """Returns whether a node is a reference variable."""
        return node.op in REFERENCE_VARIABLES

    def get(self, node: V1Node) -> ReferenceInGraph:
        """Makes the variable of a node."""
        attrs = node.proto.attr
        dtype = dtype_of_number(attrs["dtype"].type, f"Node '{node.name}'")
        shape = TensorShape(attrs["shape"].shape) if "shape" in attrs else TensorShape(None)
        name = attrs["shared_name"].s.decode() if "shared_name" in attrs else ""
        handle = raw.VarHandleOp(
            dtype=dtype,
            shape=shape,
            container=attrs["container"].s.decode() if "container" in attrs else "",
            shared_name=name or self._prefix + node.name,
            debug_name=self._prefix + node.name,
            name=f"{node.name}/handle",
        )
        return ReferenceInGraph(handle, dtype)


class GraphReplay(Replay):
    """An old graph played into a plain graph, where each of its nodes outside of branches and loops gets its name.

    Args:
      graph: the plain graph, which is being built.
      nodes: the nodes of the old graph.
      given: the tensors that replace the old graph's.
      prefix: what comes before the names.
      library: the functions that nodes call.
    """

    def __init__(
        self,
        graph: Any,
        nodes: Mapping[str, V1Node],
        given: Mapping[TensorRef, Any],
        prefix: str,
        library: FunctionLibrary,
    ) -> None:
        super().__init__(nodes, ReferenceVariables(prefix), library, TRUSTING, given, list(nodes))
        self._graph, self._prefix = graph, prefix

    def play_all(self) -> dict[str, Operation]:
        """Plays all nodes outside of branches and loops; returns the operations by the nodes' names."""
        top = self._scope
        names = [name for name, path in self._paths.items() if not path and self._nodes[name].op not in _HIDDEN]
        for name in names:
            self.play(name)
        with self._graph.name_scope(None):
            for name in names:
                if name not in top.operations:
                    top.operations[name] = self._name_operation(name, top.outputs[name], ())
        return dict(top.operations)

    def _check_placeholder(self, node: V1Node) -> None:
        """Lets a placeholder be: a session feeds it."""

    def _outputs_of(self, node: V1Node, scope: Scope) -> list[Any]:
        """Plays a node; where no operation is made of it that has its name, another one is."""
        if scope.graph is not self._graph:
            return super()._outputs_of(node, scope)
        start = len(self._graph.get_operations())
        with self._graph.control_dependencies([*self._waits(node, scope), *self._changes_of_inputs(node)]):
            outputs = super()._outputs_of(node, scope)
        if node.name not in scope.operations:
            effects = [op for op in self._graph.get_operations()[start:] if op.effects.must_run]
            scope.operations[node.name] = self._name_operation(node.name, outputs, effects)
            return [value.after(effects) if isinstance(value, ReferenceInGraph) else value for value in outputs]
        return outputs

    def _changes_of_inputs(self, node: V1Node) -> list[Operation]:
        """Returns the operations after which the variables are what a node takes."""
        inputs = [] if self._shared.makes(node) else [self._raw_input(ref) for ref in node.inputs]
        return [op for value in inputs if isinstance(value, ReferenceInGraph) for op in value.changes]

    def _name_operation(self, name: str, outputs: Sequence[Any], effects: Iterable[Operation]) -> Operation:
        """Returns an operation of a node's name that has the values of its outputs, after effects."""
        full_name = f"{self._prefix}{name}/"  # a name that ends in "/" is taken as it is
        with self._graph.control_dependencies(list(effects)):
            if len(outputs) == 1 and isinstance(outputs[0], ReferenceInGraph):
                read = outputs[0]
                return raw.ReadVariableOp(resource=read.handle, dtype=read._dtype, name=full_name).op
            values = [value.read() if isinstance(value, V1Variable) else value for value in outputs]
            if not values:
                raw.NoOp(name=full_name)
                return self._graph.get_operations()[-1]
            named = raw.IdentityN(input=values, name=full_name) if len(values) > 1 else None
            return (raw.Identity(input=values[0], name=full_name) if named is None else named[0]).op


_HIDDEN = frozenset(("Switch", "Enter", "NextIteration", "LoopCond"))
"""The ops of nodes that are only parts of a branch or loop."""

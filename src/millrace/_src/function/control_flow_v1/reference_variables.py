"""Variables and tables of a graph of TensorFlow 1: made once, and shared by all functions of the graph.

A variable that the graph refers to directly ("reference variable") becomes a `tf.Variable` as well. Ops that change
such a variable take the variable itself (`V1Variable`); any other op reads it.

Tests: tests/compat_v1/saved_model/test_builder_and_loader.py
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from millrace._src.core.context import unique_id
from millrace._src.core.errors import NotFoundError
from millrace._src.core.shapes import TensorShape
from millrace._src.function.control_flow_v1.dataflow_nodes import V1Node
from millrace._src.graph.func_graph import init_scope
from millrace._src.graph.message_bytes import dtype_of_number
from millrace._src.graph.node_def import decode_attrs
from millrace._src.graph.opaque_ops import find_op
from millrace._src.graph.replaced_ops import REFERENCE_VARIABLES
from millrace._src.ops import raw
from millrace._src.state.variable import Variable, make_uninitialized_variable
from millrace._src.state.variable_spec import tell_of_variable


class V1Variable:
    """A reference variable, as it comes out of its node and of the ops that change it."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable

    def read(self) -> Any:
        """Returns the value in the graph that is being built."""
        return raw.ReadVariableOp(resource=self.handle, dtype=self.variable.dtype)

    @property
    def handle(self) -> Any:
        """The handle; tapes and the function being traced are notified of the use."""
        tell_of_variable(self.variable)
        return self.variable.handle


class SharedObjects:
    """The objects that all functions of a graph share.

    Args:
      nodes: the nodes of the graph.
      trainable: the names of the nodes of variables that are trained.
      library: the functions of the graph.
    """

    def __init__(self, nodes: Mapping[str, V1Node], trainable: Iterable[str], library: Mapping[str, Any]) -> None:
        self._library = library
        self._name = f"model_{unique_id()}"
        self._handles: dict[str, Any] = {}
        self._lock = threading.RLock()
        names = set(trainable)
        self.variables = {
            name: _make_variable(node, name in names) for name, node in nodes.items() if _is_variable(node)
        }
        """The variables by the names of their nodes."""

    def makes(self, node: V1Node) -> bool:
        """Returns whether a node makes an object that all functions share."""
        return node.name in self.variables or (not node.inputs and _makes_shared_object(node.op))

    def get(self, node: V1Node) -> Any:
        """Returns the handle of the object that a node makes; of a reference variable, the variable."""
        variable = self.variables.get(node.name)
        if variable is None:
            return self._handle(node)
        if node.op in REFERENCE_VARIABLES:
            return V1Variable(variable)
        tell_of_variable(variable)
        return variable.handle

    def _handle(self, node: V1Node) -> Any:
        with self._lock, init_scope():
            if node.name not in self._handles:
                op_def = find_op(node.op)
                attrs = decode_attrs(node.proto, op_def, node.name, self._library)
                # Two models may give their tables one name; each has its own table all the same.
                own_attrs = {key: attrs[key] for key in op_def.attr_kinds}
                own_attrs["shared_name"] = f"{self._name}/{node.name}"
                self._handles[node.name] = getattr(raw, node.op)(**own_attrs)
            return self._handles[node.name]


def _is_variable(node: V1Node) -> bool:
    return node.op in REFERENCE_VARIABLES or node.op == "VarHandleOp"


def _makes_shared_object(op: str) -> bool:
    try:
        return find_op(op).traits.makes_shared_object
    except NotFoundError:
        return False


def _make_variable(node: V1Node, is_trainable: bool) -> Variable:
    attrs = node.proto.attr
    name = attrs["shared_name"].s.decode() if "shared_name" in attrs and node.op == "VarHandleOp" else ""
    shape = TensorShape(attrs["shape"].shape) if "shape" in attrs else TensorShape(None)
    dtype = dtype_of_number(attrs["dtype"].type, f"Node '{node.name}'")
    return make_uninitialized_variable(shape, dtype, name or node.name, trainable=is_trainable)

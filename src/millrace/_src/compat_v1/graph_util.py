"""`tf.compat.v1.graph_util`: cutting a `GraphDef` down to what its outputs need.

All of these functions work on messages, as files hold them: nodes by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from millrace._src.compat_v1.session.base_session import BaseSession
from millrace._src.core.context import eager_mode
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.shapes import TensorShape
from millrace._src.function.constant_graphs import graph_with_constants
from millrace._src.graph.graph import Graph
from millrace._src.graph.import_graph_def import import_graph_def
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.proto import graph_pb2
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_HANDING_ON = frozenset(("CheckNumerics", "Identity"))
"""The ops whose value is that of their input."""
_HOST_NUMBERS = ("int8", "int16", "int32", "int64", "string")
"""The dtypes of constants that TensorFlow keeps on the host."""


def _own(graph_def: Any, function: str = "graph_def") -> Any:
    """Returns a message of this package.

    Raises: TypeError: if the argument is not a `GraphDef`.
    """
    if getattr(getattr(graph_def, "DESCRIPTOR", None), "name", None) != "GraphDef":
        raise TypeError(f"{function} must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    return graph_pb2.GraphDef.FromString(graph_def.SerializeToString())


def _source(text: str) -> str:
    """Returns the name of the node that an input of a node names."""
    return text.removeprefix("^").partition(":")[0]


@export(v1=["graph_util.extract_sub_graph"])
def extract_sub_graph(graph_def: object, dest_nodes: Iterable[str]) -> Any:
    """Returns the nodes on which some nodes depend.

    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.add(tf.constant(1.0, name="x"), 2.0, name="y")
    ...     z = tf.constant(3.0, name="z")
    >>> part = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    >>> [node.name for node in part.node]
    ['x', 'y/y', 'y']

    Args:
      graph_def: a `GraphDef`, which is not changed.
      dest_nodes: the names of the nodes.

    Returns: A `GraphDef`.
    Raises:
      TypeError: if an argument is of a wrong kind.
      AssertionError: if there is no such node.
    """
    own = _own(graph_def)
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    nodes = {node.name: node for node in own.node}
    waiting = list(dest_nodes)
    for name in waiting:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [_source(text) for text in nodes[name].input]
    part = graph_pb2.GraphDef()
    part.node.extend(node for node in own.node if node.name in needed)
    part.library.CopyFrom(own.library)
    part.versions.CopyFrom(own.versions)
    return part


@export(v1=["graph_util.remove_training_nodes"])
def remove_training_nodes(input_graph: object, protected_nodes: Collection[str] | None = None) -> Any:
    """Returns a graph without the nodes that only training needs: checks of numbers, and identities.

    Args:
      input_graph: a `GraphDef`, which is not changed.
      protected_nodes: the names of nodes that stay.

    Returns: A `GraphDef`. A node that others wait for, or that waits for others, stays.
    Raises: TypeError: if `input_graph` is not a `GraphDef`.
    """
    own = _own(input_graph, "input_graph")
    waited_for = {text[1:] for node in own.node for text in node.input if text.startswith("^")}
    kept_names = {*(protected_nodes or ()), *waited_for}
    replaced: dict[str, str] = {}
    for node in own.node:
        is_free = node.name not in kept_names and not any(text.startswith("^") for text in node.input)
        if is_free and len(node.input) == 1 and node.op in _HANDING_ON:
            replaced[node.name] = node.input[0]
    part = graph_pb2.GraphDef()
    for node in own.node:
        if node.name not in replaced:
            inputs = [_without(text, replaced) for text in node.input]
            del node.input[:]
            node.input.extend(inputs)
            part.node.append(node)
    part.library.CopyFrom(own.library)
    part.versions.CopyFrom(own.versions)
    return part


def _without(text: str, replaced: dict[str, str]) -> str:
    while text.removesuffix(":0") in replaced:
        text = replaced[text.removesuffix(":0")]
    return text


@export(v1=["graph_util.must_run_on_cpu"])
def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Returns whether TensorFlow runs a node on the host whatever devices there are.

    >>> with tf.Graph().as_default():
    ...     text = tf.constant("a")
    >>> tf.compat.v1.graph_util.must_run_on_cpu(text.op)
    True

    Args:
      node: a `NodeDef`, or an Operation.
      pin_variables_on_cpu: whether variables count as such.
    """
    node_def = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and re.fullmatch("Variable(V2)?", node_def.op):
        return True
    if node_def.op == "Const":
        return as_dtype(node_def.attr["dtype"].type).name in _HOST_NUMBERS
    return node_def.op in ("DynamicStitch", "ParallelDynamicStitch")


@export(v1=["graph_util.tensor_shape_from_node_def_name"])
def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """Returns the static shape of a tensor of a graph.

    Args:
      graph: a `tf.Graph`.
      input_name: the name of a tensor, or of its operation.
    """
    name = input_name if ":" in input_name else f"{input_name}:0"
    shape: TensorShape = graph.get_tensor_by_name(name).shape
    return shape


@export(v1=["graph_util.convert_variables_to_constants"])
def convert_variables_to_constants(
    sess: object,
    input_graph_def: object,
    output_node_names: Iterable[str],
    variable_names_whitelist: Collection[str] | None = None,
    variable_names_blacklist: Collection[str] | None = None,
) -> Any:
    """Returns a graph with the variables' values of a session as constants.

    >>> with tf.Graph().as_default() as graph:
    ...     v = tf.Variable(3.0, name="v")
    ...     y = tf.multiply(v, 2.0, name="y")
    ...     with tf.compat.v1.Session() as sess:
    ...         _ = sess.run(v.initializer)
    ...         frozen = tf.compat.v1.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["y"])
    >>> sorted(node.op for node in frozen.node)
    ['Const', 'Const', 'Identity', 'Mul']

    Args:
      sess: the session.
      input_graph_def: the graph as a `GraphDef`, which is not changed.
      output_node_names: the names of the nodes that are needed.
      variable_names_whitelist: the names of the variables that become constants; None for all.
      variable_names_blacklist: the names of variables that stay.

    Returns: A `GraphDef` with what the outputs need.
    Raises:
      TypeError: if an argument is of a wrong kind.
      AssertionError: if there is no such node.
      ValueError: if a variable is changed before the outputs.
      tf.errors.FailedPreconditionError: if a variable has no value yet.
    """
    if not isinstance(sess, BaseSession):
        raise TypeError(f"sess must be a tf.compat.v1.Session, but got type {type(sess)}.")
    names = list(output_node_names) if not isinstance(output_node_names, str) else output_node_names
    part = extract_sub_graph(input_graph_def, names)
    for node in part.node:
        node.device = ""
        node.attr.pop("_class", None)  # which may name a node that is left out
    graph = Graph()
    with graph.as_default():
        import_graph_def(part, name="")
    is_wanted = _choice(variable_names_whitelist, variable_names_blacklist)
    constants = {
        operation: _value_of(sess, operation)
        for operation in graph.get_operations()
        if operation.outputs
        and operation.op_def.traits.makes_shared_object
        and isinstance(operation.outputs[0].handle_type, VariableHandle)
        and is_wanted(operation.name)
    }
    targets = [graph.get_operation_by_name(name) for name in names]
    frozen = graph_with_constants(graph, targets, constants).as_graph_def()
    get_logger().info("Converted %d variables to const ops.", len(constants))
    return frozen


def _choice(wanted: Collection[str] | None, unwanted: Collection[str] | None) -> Callable[[str], bool]:
    return lambda name: (wanted is None or name in wanted) and name not in (unwanted or ())


def _value_of(session: BaseSession, operation: Operation) -> Any:
    """Returns the value of a variable in a session, for the operation of its handle in a graph like the session's."""
    handle = session.handle_of(session.graph.get_operation_by_name(operation.name))
    with eager_mode():
        return raw.ReadVariableOp(resource=handle, dtype=operation.attrs["dtype"])

"""The graphs of functions that were called, as `RunMetadata`: what TensorBoard draws for `tf.summary.trace_export`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from millrace._src.graph.func_graph import FuncGraph
from millrace._src.proto import config_pb2, graph_pb2, node_def_pb2

_NOT_IN_ARGUMENTS = re.compile(r"[^a-z0-9]+")
_ARGUMENT_ATTRS = ("_user_specified_name", "_output_shapes")
"""The attributes of a placeholder that the argument in its place keeps."""


def run_metadata(graphs: Sequence[FuncGraph]) -> Any:
    """Returns a message with the graphs of functions."""
    functions = []
    for graph in graphs:
        body = body_of(graph)
        functions.append(config_pb2.RunMetadata.FunctionGraphs(partition_graphs=[body], pre_optimization_graph=body))
    return config_pb2.RunMetadata(function_graphs=functions)


def body_of(graph: FuncGraph) -> Any:
    """Returns the graph of a function with its arguments and results as nodes, `_Arg` and `_Retval`."""
    message = graph.as_graph_def(add_shapes=True)
    body = graph_pb2.GraphDef(versions=message.versions, library=message.library)
    numbers = {tensor.op.name: number for number, tensor in enumerate(graph.inputs)}
    for node in message.node:
        number = numbers.get(node.name)
        body.node.append(node if number is None else _argument(node, number))
    for number, tensor in enumerate(graph.outputs):
        _add_result(body, tensor, number)
    return body


def _argument(node: Any, number: int) -> Any:
    argument = node_def_pb2.NodeDef(name=node.name, op="_Arg", device=node.device)
    for name in _ARGUMENT_ATTRS:
        if name in node.attr:
            argument.attr[name].CopyFrom(node.attr[name])
    argument.attr["index"].i = number
    argument.attr["T"].CopyFrom(node.attr["dtype"])
    return argument


def _add_result(body: Any, tensor: Any, number: int) -> None:
    name, _, place = tensor.name.partition(":")
    argument_name = _NOT_IN_ARGUMENTS.sub("_", name.lower()).strip("_")
    if place != "0":
        argument_name += f"_{place}"
    result = body.node.add(name=f"{argument_name}_RetVal", op="_Retval", input=[name if place == "0" else tensor.name])
    result.attr["index"].i = number
    result.attr["T"].type = tensor.dtype.as_datatype_enum

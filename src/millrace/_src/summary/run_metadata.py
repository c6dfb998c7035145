"""The graphs of functions that were called, as `RunMetadata`: what TensorBoard draws for `tf.summary.trace_export`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.graph.func_graph import FuncGraph
from millrace._src.proto import config_pb2, graph_pb2, node_def_pb2

_NOT_IN_ARGUMENTS = re.compile(r"[^a-z0-9]+")
_ARGUMENT_ATTRS = ("_user_specified_name", "_output_shapes")
"""The attributes of a placeholder that the argument which replaces it keeps."""


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
    names = {name: _argument_name(name) for name in numbers}
    for node in message.node:
        number = numbers.get(node.name)
        body.node.append(_rename_inputs(node, names) if number is None else _argument(node, names[node.name], number))
    for number, tensor in enumerate(graph.outputs):
        _add_result(body, tensor, names, number)
    return body


def _argument_name(name: str) -> str:
    """Returns the name of an argument, or result, as declarations of functions have it."""
    return _NOT_IN_ARGUMENTS.sub("_", name.lower()).strip("_")


def _rename_inputs(node: Any, names: Mapping[str, str]) -> Any:
    """Returns a node with inputs by their new names."""
    for index, name in enumerate(node.input):
        if name in names:
            node.input[index] = names[name]
    return node


def _argument(node: Any, name: str, number: int) -> Any:
    argument = node_def_pb2.NodeDef(name=name, op="_Arg", device=node.device)
    for attribute in _ARGUMENT_ATTRS:
        if attribute in node.attr:
            argument.attr[attribute].CopyFrom(node.attr[attribute])
    argument.attr["index"].i = number
    argument.attr["T"].CopyFrom(node.attr["dtype"])
    return argument


def _add_result(body: Any, tensor: Any, names: Mapping[str, str], number: int) -> None:
    name, _, index = tensor.name.partition(":")
    argument_name = _argument_name(name)
    if index != "0":
        argument_name += f"_{index}"
    source = names.get(name, name) if index == "0" else tensor.name
    result = body.node.add(name=f"{argument_name}_RetVal", op="_Retval", input=[source])
    result.attr["index"].i = number
    result.attr["T"].type = tensor.dtype.as_datatype_enum

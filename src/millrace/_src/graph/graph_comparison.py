"""Comparing two `GraphDef`s node by node.

Graphs that mean the same may list their nodes in another order, so nodes are matched by name. A difference is told in
the words of TensorFlow: attribute values as its runtime writes them, `Tensor<type: float shape: [2] values: 1 2>`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.dtypes import as_dtype
from millrace._src.graph.tensor_proto import decode_tensor
from millrace._src.proto import types_pb2

_SHOWN = 3
"""How many values of a tensor a message shows."""
_DTYPES = {"float32": "float", "float64": "double", "float16": "half"}
"""The dtypes that TensorFlow's runtime calls by another name than `tf.DType.name`."""
_TEXT = 80
"""From how many characters on a text is shortened."""


def require_graph_def(name: str, graph_def: object) -> None:
    """Raises TypeError for an argument that is not a `GraphDef`."""
    if getattr(getattr(graph_def, "DESCRIPTOR", None), "name", None) != "GraphDef":
        raise TypeError(f"Expected tf.GraphDef for {name}, got {type(graph_def).__name__}")


def describe_difference(expected: Any, actual: Any) -> str:
    """Returns what is different in two graphs, in a sentence; nothing if they are equal."""
    nodes = {node.name: node for node in actual.node}
    for node in expected.node:
        if node.name not in nodes:
            return f"Did not find expected node '{_node_text(node)}'"
        difference = _node_difference(node, nodes.pop(node.name))
        if difference:
            return f"Node named '{node.name}' {difference}"
    return next((f"Found unexpected node '{_node_text(node)}'" for node in nodes.values()), "")


def _node_difference(expected: Any, actual: Any) -> str:
    if expected.op != actual.op:
        return f"has op '{actual.op}' that is not expected '{expected.op}'"
    if expected.device != actual.device:
        return f"has device '{actual.device}' that is not expected '{expected.device}'"
    if len(expected.input) != len(actual.input):
        return f"has inputs '{', '.join(actual.input)}' that don't match expected '{', '.join(expected.input)}'"
    for index, (wanted, found) in enumerate(zip(expected.input, actual.input)):
        if wanted != found:
            return f"has input {index} '{found}' that doesn't match expected '{wanted}'"
    return _attr_difference(expected.attr, actual.attr)


def _attr_difference(expected: Any, actual: Any) -> str:
    for name in sorted(expected):
        if name not in actual:
            return f"missing expected attr '{name}' with value: {attr_text(expected[name])}"
        if expected[name].SerializeToString(deterministic=True) != actual[name].SerializeToString(deterministic=True):
            texts = attr_text(actual[name]), attr_text(expected[name])
            if texts[0] != texts[1] or not _same_tensors(expected[name], actual[name]):
                return f"has attr '{name}' with value: {texts[0]} that does not match expected: {texts[1]}"
    unexpected = sorted(actual.keys() - expected.keys())
    return f"has unexpected attr '{unexpected[0]}' with value: {attr_text(actual[unexpected[0]])}" if unexpected else ""


def _same_tensors(expected: Any, actual: Any) -> bool:
    """Returns whether two attribute values are tensors with the same values, which may be written in several forms."""
    if not (expected.HasField("tensor") and actual.HasField("tensor")):
        return False
    (first, first_dtype), (second, second_dtype) = decode_tensor(expected.tensor), decode_tensor(actual.tensor)
    return first_dtype is second_dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


# --- text -------------------------------------------------------------------------------------------------------------


def _node_text(node: Any) -> str:
    attrs = [f"{name}={attr_text(node.attr[name])}" for name in sorted(node.attr)]
    attrs += [f'_device="{node.device}"'] if node.device else []
    return f"{{{{node {node.name}}}}} = {node.op}[{', '.join(attrs)}]({', '.join(node.input)})"


def attr_text(value: Any) -> str:
    """Returns an attribute value in the short form of TensorFlow's messages."""
    kind = value.WhichOneof("value")
    if kind is None:
        return "<Unknown AttrValue type>"
    return _TEXTS[kind](getattr(value, kind))


def _string_text(value: bytes) -> str:
    text = value.decode("latin-1").encode("unicode_escape").decode().replace('"', '\\"')
    return f'"{text[:10]}...{text[-10:]}"' if len(value) > _TEXT else f'"{text}"'


def _shape_text(shape: Any) -> str:
    if shape.unknown_rank:
        return "<unknown>"
    return f"[{','.join('?' if dim.size < 0 else str(dim.size) for dim in shape.dim)}]"


def _function_text(function: Any) -> str:
    return f"{function.name}[{', '.join(f'{n}={attr_text(function.attr[n])}' for n in sorted(function.attr))}]"


def _list_text(value: Any) -> str:
    fields = value.ListFields()
    if not fields:
        return "[]"
    descriptor, items = fields[0]
    return f"[{', '.join(_TEXTS[descriptor.name](item) for item in items)}]"


def _tensor_text(tensor: Any) -> str:
    array, dtype = decode_tensor(tensor)
    values, left = _values_text(np.asarray(array), _SHOWN)
    more = "..." if array.ndim > 1 and array.size > _SHOWN - left else ""
    name, shape = _DTYPES.get(dtype.name, dtype.name), _shape_text(tensor.tensor_shape)
    return f"Tensor<type: {name} shape: {shape} values: {values}{more}>"


def _values_text(array: Any, left: int) -> tuple[str, int]:
    """Returns the first values of an array, its rows in brackets, and how many more may be shown."""
    if array.ndim == 0:
        return _element_text(array[()]), left - 1
    if array.ndim == 1:
        shown = array[:left]
        return " ".join(map(_element_text, shown)) + ("..." if len(shown) < len(array) else ""), left - len(shown)
    text = ""
    for row in array:
        if left > 0:
            row_text, left = _values_text(row, left)
            text += f"[{row_text}]"
    return text, left


def _element_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if as_dtype(np.asarray(value).dtype).is_bool:
        return str(int(value))
    return f"{value:g}" if isinstance(value, np.floating) else str(value)


_TEXTS: dict[str, Any] = {
    "s": _string_text,
    "i": str,
    "f": lambda value: f"{value:g}",
    "b": lambda value: "true" if value else "false",
    "type": types_pb2.DataType.Name,
    "shape": _shape_text,
    "tensor": _tensor_text,
    "list": _list_text,
    "func": _function_text,
    "placeholder": lambda name: f"${name}",
}

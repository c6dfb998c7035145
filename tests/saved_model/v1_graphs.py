"""Graphs of TensorFlow 1 in few words, for tests."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format

from millrace._src.proto import graph_pb2, meta_graph_pb2

_TYPES = {"float": "DT_FLOAT", "int": "DT_INT32", "bool": "DT_BOOL", "string": "DT_STRING"}


def node(name: str, op: str, *inputs: str, **attrs: Any) -> str:
    """Returns a node as text; an attribute that is text is a dtype of `_TYPES`, or the field of the message itself."""
    fields = "".join(f'attr {{ key: "{key}" value {{ {_attr(value)} }} }} ' for key, value in attrs.items())
    return f'node {{ name: "{name}" op: "{op}" {"".join(f"input: {text!r} " for text in inputs)}{fields}}} '


def _attr(value: Any) -> str:
    if isinstance(value, bool):
        return f"b: {str(value).lower()}"
    if isinstance(value, int):
        return f"i: {value}"
    return f"type: {_TYPES[value]}" if value in _TYPES else str(value)


def const(name: str, value: Any, *controls: str) -> str:
    """Returns a scalar constant."""
    kind, field = {float: ("float", "float_val"), int: ("int", "int_val")}[type(value)]
    tensor = f"tensor {{ dtype: {_TYPES[kind]} tensor_shape {{}} {field}: {value} }}"
    return node(name, "Const", *controls, dtype=kind, value=tensor)


def placeholder(name: str, kind: str = "float") -> str:
    """Returns a scalar placeholder."""
    return node(name, "Placeholder", dtype=kind, shape="shape {}")


def graph_of(*nodes: str) -> graph_pb2.GraphDef:
    """Returns the graph of some nodes."""
    return text_format.Parse("".join(nodes) + " versions { producer: 1000 }", graph_pb2.GraphDef())


def meta_graph_of(*nodes: str, tags: tuple[str, ...] = ("serve",), **signatures: Any) -> meta_graph_pb2.MetaGraphDef:
    """Returns a graph with signatures: for each name the pair of inputs and outputs, keys to (tensor, dtype)."""
    meta_graph = meta_graph_pb2.MetaGraphDef(graph_def=graph_of(*nodes))
    meta_graph.meta_info_def.tags.extend(tags)
    for name, (inputs, outputs) in signatures.items():
        for pairs, infos in ((inputs, "inputs"), (outputs, "outputs")):
            for key, (tensor, kind) in pairs.items():
                text = f'name: "{tensor}" dtype: {_TYPES[kind]} tensor_shape {{}}'
                getattr(meta_graph.signature_def[name], infos)[key].CopyFrom(
                    text_format.Parse(text, meta_graph_pb2.TensorInfo())
                )
    return meta_graph


CONDITION = (
    placeholder("x"),
    const("zero", 0.0),
    node("positive", "Greater", "x", "zero", T="float"),
    node("cond/pivot", "Switch", "positive", "positive", T="bool"),
    node("cond/switch_t", "Identity", "cond/pivot:1", T="bool"),
    node("cond/pred_id", "Identity", "positive", T="bool"),
    const("cond/ten", 10.0, "^cond/switch_t"),
    node("cond/x", "Switch", "x", "cond/pred_id", T="float"),
    node("cond/times", "Mul", "cond/x:1", "cond/ten", T="float"),
    node("cond/neg", "Neg", "cond/x", T="float"),
    node("cond/y", "Merge", "cond/neg", "cond/times", T="float", N=2),
)
"""`y = 10 x if x > 0 else -x`."""

LOOP = (
    placeholder("n", "int"),
    const("start", 0),
    node("loop/i", "Enter", "start", T="int", frame_name='s: "loop"'),
    node("loop/sum", "Enter", "start", T="int", frame_name='s: "loop"'),
    node("loop/n", "Enter", "n", T="int", frame_name='s: "loop"', is_constant=True),
    node("loop/i/merge", "Merge", "loop/i", "loop/i/next", T="int", N=2),
    node("loop/sum/merge", "Merge", "loop/sum", "loop/sum/next", T="int", N=2),
    node("loop/less", "Less", "loop/i/merge", "loop/n", T="int"),
    node("loop/cond", "LoopCond", "loop/less"),
    node("loop/i/switch", "Switch", "loop/i/merge", "loop/cond", T="int"),
    node("loop/sum/switch", "Switch", "loop/sum/merge", "loop/cond", T="int"),
    node("loop/i/body", "Identity", "loop/i/switch:1", T="int"),
    const("loop/one", 1, "^loop/i/body"),
    node("loop/i/add", "AddV2", "loop/i/body", "loop/one", T="int"),
    node("loop/sum/add", "AddV2", "loop/sum/switch:1", "loop/i/add", T="int"),
    node("loop/i/next", "NextIteration", "loop/i/add", T="int"),
    node("loop/sum/next", "NextIteration", "loop/sum/add", T="int"),
    node("loop/i/exit", "Exit", "loop/i/switch", T="int"),
    node("loop/sum/exit", "Exit", "loop/sum/switch", T="int"),
)
"""`sum = 1 + 2 + ... + n`."""

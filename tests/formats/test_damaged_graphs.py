"""A damaged `GraphDef` gives one of the documented errors, whatever is wrong with it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.proto import attr_value_pb2, graph_pb2
from tests.formats.canonical_text import parse_graph_text

_PROGRAMS = (
    "outputs_by_index",
    "conditional",
    "nested_conditionals",
    "loop",
    "switch",
    "call_of_a_function",
    "slicing",
)
_NAMES = ("x", "", "a:0", "^x", "zz", "x:9", "Const:output:0", "mul:z:5", "x:q:1", "a:b:c:d")
_OPS = ("Nope", "", "Const", "Add", "MatMul", "Split", "StatelessIf", "While")
_VALUES = (
    "",
    "i: 3",
    "i: -1",
    "b: true",
    "f: 1.5",
    's: "\\377"',
    "type: DT_INT32",
    "type: DT_INVALID",
    "type: 999",
    "list { i: 1 i: 2 }",
    "list { }",
    "list { type: DT_FLOAT }",
    'placeholder: "T"',
    'func { name: "nope" }',
    "shape { dim { size: -5 } }",
    'tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } tensor_content: "abc" }',
)


def _recorded() -> list[Any]:
    text = (Path(__file__).parent / "recorded" / "graphs.txt").read_text(encoding="utf-8")
    parts = dict(part.split("\n", 1) for part in text.split("== ")[1:])
    return [parse_graph_text(parts[name], graph_pb2.GraphDef()) for name in _PROGRAMS]


def _value(rng: random.Random) -> Any:
    text = rng.choice(_VALUES)
    if text == "type: 999":
        return attr_value_pb2.AttrValue(type=999)
    return text_format.Parse(text, attr_value_pb2.AttrValue())


def _damage(proto: Any, rng: random.Random) -> None:
    nodes = [*proto.node, *(node for function in proto.library.function for node in function.node_def)]
    node, names = rng.choice(nodes), [*_NAMES, *(n.name for n in nodes)]
    match rng.randrange(9):
        case 0 if node.attr:
            del node.attr[rng.choice(sorted(node.attr))]
        case 1 if node.attr:
            node.attr[rng.choice(sorted(node.attr))].CopyFrom(_value(rng))
        case 2 if node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice(names)
        case 3 if node.input:
            del node.input[rng.randrange(len(node.input))]
        case 4:
            node.input.append(rng.choice(names))
        case 5:
            node.name = rng.choice(names)
        case 6:
            node.op = rng.choice([*_OPS, *(n.op for n in nodes)])
        case 7:
            node.attr["_output_shapes"].CopyFrom(_value(rng))
        case _ if proto.library.function:
            _damage_function(rng.choice(proto.library.function), rng)


def _damage_function(function: Any, rng: random.Random) -> None:
    signature = function.signature
    match rng.randrange(6):
        case 0 if function.ret:
            function.ret[rng.choice(sorted(function.ret))] = rng.choice(_NAMES)
        case 1 if signature.input_arg:
            del signature.input_arg[0]
        case 2:
            signature.name = rng.choice(["", "nope"])
        case 3 if signature.output_arg:
            signature.output_arg[0].type = 3
        case 4:
            signature.control_output.append("zz")
        case 5 if signature.input_arg:
            signature.input_arg[0].type = rng.choice([20, 999])


@pytest.mark.parametrize("seed", range(20))
def test_damaged_graph_gives_a_documented_error(seed: int) -> None:
    rng, graphs = random.Random(seed), _recorded()
    outcomes = set()
    for _ in range(60):
        proto = graph_pb2.GraphDef()
        proto.CopyFrom(rng.choice(graphs))
        for _ in range(rng.randint(1, 3)):
            _damage(proto, rng)
        graph = tf.Graph()
        try:
            with graph.as_default():
                tf.import_graph_def(proto, name="")
            graph.as_graph_def(add_shapes=True)
            outcomes.add("read")
        except (ValueError, tf.errors.NotFoundError):
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}

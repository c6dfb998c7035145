"""Declarations of ops as lines: what a line says is what the message said."""

from __future__ import annotations

import pytest
from google.protobuf import text_format

from millrace._src.graph.op_lines import line_of
from millrace._src.graph.opaque_ops import OpaqueOp, opaque_op_of
from millrace._src.proto import op_def_pb2

OP = """
name: "TheirOp"
input_arg { name: "x" type_attr: "T" number_attr: "N" }
input_arg { name: "handle" type: DT_STRING is_ref: true }
output_arg { name: "y" type_list_attr: "Tout" }
attr { name: "T" type: "type" default_value { type: DT_FLOAT }
  allowed_values { list { type: DT_FLOAT type: DT_INT64 } } }
attr { name: "N" type: "int" minimum: 1 has_minimum: true }
attr { name: "Tout" type: "list(type)" minimum: 2 has_minimum: true }
attr { name: "shape" type: "shape" default_value { shape { dim { size: -1 } } } }
attr { name: "words" type: "list(string)" default_value { list { s: "a" s: "b" } } }
attr { name: "start" type: "tensor" default_value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 3 } } }
is_stateful: true
"""
LINE = (
    'TheirOp\tx: N * T, handle: Ref(string) -> y: Tout\tstateful\tT:type in float32|int64 = "float32"\tN:int\t'
    'Tout:list[type] >= 2\tshape:shape = [-1]\twords:list[string] = ["a","b"]\tstart:tensor = ["int32",3]'
)


def test_a_line_has_arguments_facts_and_attributes() -> None:
    assert line_of(text_format.Parse(OP, op_def_pb2.OpDef())) == LINE


def test_a_declaration_is_made_of_a_message_as_of_its_line() -> None:
    made = opaque_op_of(text_format.Parse(OP, op_def_pb2.OpDef()))
    assert isinstance(made, OpaqueOp)
    assert made.signature_text == OpaqueOp(LINE).signature_text and made.attr_kinds == OpaqueOp(LINE).attr_kinds
    assert made.attr_defaults["words"] == ("a", "b") and made.attr_defaults["shape"].as_list() == [None]


def test_a_message_with_an_unknown_dtype_declares_no_op() -> None:
    with pytest.raises(ValueError, match="declares an op 'TheirOp' in no known form"):
        opaque_op_of(text_format.Parse('name: "TheirOp" input_arg { name: "x" type: 99 }', op_def_pb2.OpDef()))

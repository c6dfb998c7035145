"""Declarations of ops on the wire."""

from __future__ import annotations

import millrace as tf
from millrace._src.core.dtypes import runtime_name
from millrace._src.core.op_registry import get_op
from millrace._src.graph.op_def_proto import op_def_to_proto, op_summary, type_constant, value_text


def test_signature_and_attributes_are_written() -> None:
    proto = op_def_to_proto(get_op("MatMul"))
    assert [arg.name for arg in proto.input_arg] == ["a", "b"]
    assert proto.output_arg[0].type_attr == "T"
    attrs = {attr.name: attr for attr in proto.attr}
    assert attrs["transpose_a"].type == "bool" and attrs["transpose_a"].default_value.b is False
    assert attrs["T"].type == "type" and len(attrs["T"].allowed_values.list.type) > 3


def test_list_arguments_are_written() -> None:
    proto = op_def_to_proto(get_op("Pack"))
    assert proto.input_arg[0].number_attr == "N"
    attrs = {attr.name: attr for attr in proto.attr}
    assert attrs["N"].has_minimum and attrs["N"].minimum == 1
    assert attrs["axis"].default_value.i == 0


def test_summary_is_tensorflows() -> None:
    const = "Op<name=Const; signature= -> output:dtype; attr=dtype:type; attr=value:tensor>"
    assert op_summary(get_op("Const")) == const
    assert op_summary(get_op("NoOp")) == "Op<name=NoOp; signature= ->>"
    assert "signature=values:N*T -> output:T; attr=N:int,min=1; attr=T:type; attr=axis:int,default=0" in op_summary(
        get_op("Pack")
    )


def test_words_of_dtypes() -> None:
    words = [runtime_name(dtype) for dtype in (tf.float32, tf.float64, tf.float16, tf.int32)]
    assert words == ["float", "double", "half", "int32"]
    assert type_constant(tf.float32) == "DT_FLOAT"


def test_values_in_messages() -> None:
    assert value_text(True) == "true"
    assert value_text(tf.TensorShape([None, 2])) == "[?,2]"
    assert value_text(tf.TensorShape(None)) == "<unknown>"
    assert value_text([tf.int32, tf.string]) == "[DT_INT32, DT_STRING]"
    assert value_text(b"a") == '"a"'

"""Attributes, both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.graph.attr_value import FunctionName, decode_attr, encode_attr, kind_of, wire_kind
from millrace._src.proto import attr_value_pb2

CASES: list[tuple[Any, str, str]] = [
    (True, "bool", "b: true"),
    (3, "int", "i: 3"),
    (3, "float", "f: 3"),
    (0.1, "float", "f: 0.1"),
    ("é", "string", 's: "\\303\\251"'),
    ("\udcff", "string", 's: "\\377"'),
    (tf.float32, "type", "type: DT_FLOAT"),
    (tf.TensorShape([None, 2]), "shape", "shape { dim { size: -1 } dim { size: 2 } }"),
    (tf.TensorShape(None), "shape", "shape { unknown_rank: true }"),
    ((1, 2), "list[int]", "list { i: 1 i: 2 }"),
    ((), "list[type]", "list { }"),
    ((0.5,), "list[float]", "list { f: 0.5 }"),
    ((True, False), "list[bool]", "list { b: true b: false }"),
    (("a", "b"), "list[string]", 'list { s: "a" s: "b" }'),
    ((tf.int32, tf.string), "list[type]", "list { type: DT_INT32 type: DT_STRING }"),
    ((tf.TensorShape([]),), "list[shape]", "list { shape { } }"),
    (FunctionName("f"), "func", 'func { name: "f" }'),
    ((FunctionName("f"), FunctionName("g")), "list[func]", 'list { func { name: "f" } func { name: "g" } }'),
]


@pytest.mark.parametrize(("value", "kind", "text"), CASES)
def test_attribute_is_written_and_read_back(value: Any, kind: str, text: str) -> None:
    proto = encode_attr(value, kind)
    assert " ".join(str(proto).split()) == text
    decoded = decode_attr(proto)
    assert decoded == (pytest.approx(value) if kind in ("float", "list[float]") else value)
    assert wire_kind(proto) in (kind.replace("list[", "list(").replace("]", ")"), "list")


@pytest.mark.parametrize(("value", "kind", "text"), [case for case in CASES if case[0] not in (3, ())])
def test_kind_of_an_undeclared_attribute_is_told_from_its_value(value: Any, kind: str, text: str) -> None:
    assert kind_of(value) == kind


def test_tensor_attribute() -> None:
    proto = encode_attr(np.array([1, 2], np.int64), "tensor")
    assert decode_attr(proto).tolist() == [1, 2]
    assert wire_kind(proto) == "tensor"


def test_function_is_found_in_the_library() -> None:
    assert decode_attr(encode_attr(FunctionName("f"), "func"), {"f": "found"}) == "found"
    assert decode_attr(encode_attr(FunctionName("g"), "func"), {"f": "found"}) == FunctionName("g")


def test_function_with_attributes_keeps_them() -> None:
    proto = encode_attr(FunctionName("f", {"T": tf.float32}), "func")
    assert decode_attr(proto) == FunctionName("f", {"T": tf.float32})


def test_empty_and_placeholder_attributes_are_refused() -> None:
    with pytest.raises(ValueError, match="missing value"):
        decode_attr(attr_value_pb2.AttrValue())
    with pytest.raises(ValueError, match="placeholder"):
        decode_attr(attr_value_pb2.AttrValue(placeholder="T"))


def test_a_message_passes_as_it_is() -> None:
    proto = attr_value_pb2.AttrValue(i=3)
    assert encode_attr(proto) == proto


def test_value_that_is_no_attribute_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot be an attribute of a node"):
        encode_attr(object())


def test_private_attributes_of_a_function_attribute_do_not_hide_the_function() -> None:
    proto = attr_value_pb2.AttrValue()
    proto.func.name = "f"
    proto.func.attr["_tf_data_function"].b = True
    assert decode_attr(proto, {"f": "the function"}) == "the function"
    proto.func.attr["T"].type = tf.float32.as_datatype_enum
    assert isinstance(decode_attr(proto, {"f": "the function"}), FunctionName)

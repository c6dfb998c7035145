"""The mini-language of op signatures."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.core.op_signature import TypeSet, parse_signature


def test_arguments_have_fixed_types_type_attributes_or_lists() -> None:
    s = parse_signature("values: N * T, axis: int32, rest: Tin -> output: T, more: N * Tout, flag: bool", ["Tin"])
    assert s.input_names == ("values", "axis", "rest")
    values, axis, rest = s.inputs
    assert (values.type_attr, values.number_attr, values.is_list) == ("T", "N", True)
    assert (axis.dtype, axis.is_list) == (tf.int32, False)
    assert (rest.type_list_attr, rest.is_list) == ("Tin", True)
    assert s.inferred_attrs == {"N", "T", "Tin"}
    assert s.output_dtypes({"T": tf.float32, "N": 2, "Tout": tf.int8}) == [tf.float32, tf.int8, tf.int8, tf.bool]


def test_names_of_the_runtime_are_the_same_types() -> None:
    s = parse_signature("a: float, b: double, c: half -> d: string")
    assert [a.dtype for a in s.inputs] == [tf.float32, tf.float64, tf.float16]


def test_an_op_may_have_no_inputs_or_no_outputs() -> None:
    assert parse_signature(" -> ").inputs == ()
    assert parse_signature("x: T -> ").outputs == ()


def test_outputs_are_grouped_by_argument() -> None:
    s = parse_signature("x: T -> a: T, b: N * T, c: Tout", ["Tout"])
    assert s.split_outputs([1, 2, 3, 4], {"N": 2, "Tout": (tf.int8,)}) == [1, [2, 3], [4]]
    assert s.split_outputs([1], {"N": 0, "Tout": ()}) == [1, [], []]


@pytest.mark.parametrize("text", ["x: T", "x T -> y: T", "x: T y: T -> z: T", "x: 3 * * T -> "])
def test_what_is_not_a_signature_raises(text: str) -> None:
    with pytest.raises(ValueError):
        parse_signature(text)


def test_type_sets_keep_their_order_and_default() -> None:
    a = TypeSet((tf.int32, tf.int8, tf.int32), default=tf.int8)
    assert list(a) == [tf.int32, tf.int8]
    assert (len(a), tf.int8 in a, tf.float32 in a) == (2, True, False)
    assert list(a | TypeSet((tf.int8, tf.bool))) == [tf.int32, tf.int8, tf.bool]
    assert list(a - TypeSet((tf.int32,))) == [tf.int8]
    assert (a | TypeSet((), default=tf.bool)).default is tf.int8
    assert a.with_default(tf.int32).default is tf.int32
    assert repr(a) == "TypeSet(int32, int8)"

"""group, tuple, no_op and timestamp."""

from __future__ import annotations

import time

import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal


def test_in_eager_mode_there_is_nothing_to_do() -> None:
    x = tf.constant(1)
    assert tf.group(x, [x]) is None
    assert tf.no_op() is None
    tensors = [x, None]
    assert tf.tuple(tensors) is tensors


def test_a_group_waits_for_its_members() -> None:
    with tf.Graph().as_default():
        a, b, nothing = tf.constant(1, name="a"), tf.constant(2, name="b"), tf.no_op()
        group = tf.group(a, [b, [nothing]])
        named = tf.group({"x": a}, name="named")
        empty = tf.group()
    assert (group.name, group.type) == ("group_deps", "NoOp")
    assert {c.name for c in group.control_inputs} == {"a", "b", "NoOp"}
    assert [c.name for c in named.control_inputs] == ["a"]
    assert (empty.name, empty.control_inputs) == ("group_deps_1", [])


def test_a_tuple_is_available_all_at_once() -> None:
    with tf.Graph().as_default():
        a, b, extra = tf.constant(1, name="a"), tf.constant(2.0, name="b"), tf.no_op("extra")
        first, none, second, operation = tf.tuple([a, None, b, a.op], control_inputs=[extra], name="t")
        old = tf.compat.v1.tuple([a], "old")
    assert none is None
    assert (first.name, second.name) == ("t/control_dependency:0", "t/control_dependency_1:0")
    gate = first.op.control_inputs[0]
    assert gate.name == "t/group_deps"
    assert {c.name for c in gate.control_inputs} == {"a", "b", "extra"}
    assert second.op.control_inputs == [gate]
    assert operation.name == "t/group_deps_1"
    assert first.op.colocation_groups() == [b"loc:@a"]
    assert old[0].name == "old/control_dependency:0"


def test_wrong_members_are_refused() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1)
        words = "'inputs' should be zero or more (nested) Tensors. Received '1' with type '<class 'int'>'."
        check_refusal(lambda: tf.group(1), TypeError, words)
        check_refusal(lambda: tf.group(a, bad=1), ValueError, "Unknown keyword arguments: bad")
        check_refusal(
            lambda: tf.tuple([None]), ValueError, "'tensors' must have at least one Tensor. Received: [None]."
        )
        words = "'control_inputs' must only contain Operation or Tensor. Received: <class 'int'>"
        check_refusal(lambda: tf.tuple([a], control_inputs=[1]), TypeError, words)


def test_timestamp_is_taken_when_it_runs() -> None:
    f = tf.function(lambda: tf.timestamp(), autograph=False)
    before = time.time()
    first, second = f(), f()
    assert first.dtype is tf.float64
    assert first.shape.as_list() == []
    assert before <= first.numpy() <= second.numpy() <= time.time()
    assert tf.timestamp().numpy() == pytest.approx(time.time(), abs=5)


def test_a_group_waits_for_the_assignment_of_which_it_gets_the_variable():
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        assigned = v.assign(2.0)
        assert tf.group(assigned).control_inputs == [assigned.op]
        assert tf.group(v).control_inputs == [v.op]

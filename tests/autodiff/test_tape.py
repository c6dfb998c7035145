"""The tape: it follows what is watched, saves what gradients name, and lets the rest go."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import millrace as tf
from millrace._src.autodiff.gradient_plan import gradient_plan
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import Tape, unpack_entry
from millrace._src.core.context import tapes_scope
from millrace._src.core.op_registry import get_op


def recorded(f: Any, *watched: Any) -> Tape:
    tape = Tape()
    for t in watched:
        tape.watch(t)
    with tapes_scope((tape,)):
        f()
    return tape


def test_only_ops_on_watched_tensors_are_noted() -> None:
    x, y = tf.constant(2.0), tf.constant(3.0)
    tape = recorded(lambda: (y * y, x * y, tf.cast(x, tf.int32), tf.shape(x)), x)
    assert [unpack_entry(e).op.name for e in tape.entries] == ["Mul"]


def test_only_what_the_gradient_names_is_saved() -> None:
    x = tf.constant([1.0, 2.0])
    tape = recorded(lambda: tf.tanh(x), x)
    saved = unpack_entry(tape.entries[0]).saved
    assert set(saved) == set(gradient_plan(get_op("Tanh")).names)
    assert "x" not in saved


def test_an_input_that_no_gradient_needs_is_freed() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        middle = x + 1.0
        y = tf.tanh(middle)
    seen = weakref.ref(middle)
    del middle
    gc.collect()
    assert seen() is None
    assert tape.gradient(y, x) is not None


def test_an_attribute_of_an_op_reaches_its_gradient() -> None:
    x = tf.constant([[1.0, 2.0]])
    tape = recorded(lambda: tf.matmul(x, x, transpose_b=True), x)
    assert unpack_entry(tape.entries[0]).attrs["transpose_b"] is True


def test_gradients_flow_through_floats_complex_numbers_and_handles() -> None:
    names = ["float16", "bfloat16", "float32", "complex128", "resource", "variant"]
    assert all(is_trainable(getattr(tf, n)) for n in names)
    assert not any(is_trainable(getattr(tf, n)) for n in ("int32", "bool", "string", "uint8"))


def test_a_variable_is_noted_only_if_it_trains_and_only_if_the_tape_asks() -> None:
    v, fixed = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    tape = recorded(lambda: v * fixed)
    assert list(tape.variables.values()) == [v] or [x is v for x in tape.variables.values()] == [True]
    blind = Tape(watch_accessed_variables=False)
    with tapes_scope((blind,)):
        v * 2.0
    assert not blind.variables
    assert not blind.entries


@pytest.mark.parametrize("name", ["Mul", "MatMul", "Tanh", "Pack", "ConcatV2", "ReadVariableOp"])
def test_a_gradient_names_inputs_outputs_or_attributes_of_its_op(name: str) -> None:
    op = get_op(name)
    plan = gradient_plan(op)
    known = {a.name for a in (*op.signature.inputs, *op.signature.outputs)} | set(op.attr_kinds)
    assert set(plan.names) <= known


def test_an_op_without_a_gradient_has_no_plan() -> None:
    assert gradient_plan(get_op("Shape")) is None

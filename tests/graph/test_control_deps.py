"""Automatic control dependencies: program order of effects, no order where none is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.op_def import Effects
from millrace._src.graph import control_deps
from millrace._src.graph.control_deps import body_effects, body_writes


def traced(f: Any) -> Any:
    return tf.function(f, autograph=False).get_concrete_function().graph


def waits(op: Any) -> set[str]:
    """The types of all operations that must have run before `op`."""
    found: set[Any] = set()
    stack = [op]
    while stack:
        for before in (*(t.op for t in stack[-1].inputs), *stack.pop().control_inputs):
            if before not in found:
                found.add(before)
                stack.append(before)
    return {o.type for o in found}


def test_a_read_waits_for_the_write_before_it_and_a_write_for_the_reads() -> None:
    v = tf.Variable(1.0)

    def f():
        a = v.read_value()
        v.assign(5.0)
        return a, v.read_value()

    ops = [op for op in traced(f).get_operations() if op.type in ("ReadVariableOp", "AssignVariableOp")]
    assert [op.type for op in ops] == ["ReadVariableOp", "AssignVariableOp", "ReadVariableOp"]
    assert ops[1].control_inputs == [ops[0]]
    assert ops[2].control_inputs == [ops[1]]


def test_two_reads_and_two_variables_have_no_order() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    def f():
        v.assign_add(1.0)
        w.assign_add(1.0)
        return v + w

    ops = {op.type + str(i): op for i, op in enumerate(traced(f).get_operations()) if "VariableOp" in op.type}
    writes = [op for op in ops.values() if op.type == "AssignAddVariableOp"]
    assert [w.control_inputs for w in writes] == [[], []]


def test_the_outputs_wait_for_every_effect() -> None:
    v = tf.Variable(1.0)

    def f():
        v.assign(2.0)
        return tf.constant(3.0)

    graph = traced(f)
    assert "AssignVariableOp" in waits(graph.outputs[0].op)


def test_prints_and_writes_keep_the_order_of_the_program(capfd: Any) -> None:
    v = tf.Variable(1)

    @tf.function(autograph=False)
    def f():
        tf.print("a", v)
        v.assign_add(1)
        tf.print("b", v)
        v.assign_add(1)
        tf.print("c", v)

    f()
    assert capfd.readouterr().err.split() == ["a", "1", "b", "2", "c", "3"]


@given(st.lists(st.tuples(st.sampled_from(["read", "set", "add", "call", "cond"]), st.integers(0, 1)), max_size=8))
def test_any_program_of_reads_and_writes_does_what_python_does(program: list[tuple[str, int]]) -> None:
    variables = [tf.Variable(1.0), tf.Variable(2.0)]
    model, expected = [1.0, 2.0], []
    results = []

    def run():
        results.clear()
        for kind, i in program:
            v = variables[i]
            if kind == "read":
                results.append(v.read_value())
            elif kind == "set":
                v.assign(variables[1 - i] * 2.0)
            elif kind == "add":
                v.assign_add(1.0)
            elif kind == "call":
                tf.function(lambda v=v: v.assign_add(10.0), autograph=False)()
            else:
                tf.cond(v > 3.0, lambda v=v: v.assign_sub(3.0).read_value(), lambda v=v: v.assign_add(0.5).read_value())
        return list(results)

    for kind, i in program:
        if kind == "read":
            expected.append(model[i])
        elif kind == "set":
            model[i] = model[1 - i] * 2.0
        elif kind == "add":
            model[i] += 1.0
        elif kind == "call":
            model[i] += 10.0
        else:
            model[i] += -3.0 if model[i] > 3.0 else 0.5
    got = tf.function(run, autograph=False)()
    assert [float(np.asarray(t)) for t in got] == expected
    assert [float(v) for v in variables] == model


def test_an_aliased_variable_keeps_program_order() -> None:
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(a, b):
        a.assign(5.0)
        x = b.read_value()
        b.assign_add(1.0)
        return x, a.read_value()

    assert [float(t) for t in f(v, v)] == [5.0, 6.0]


@pytest.mark.parametrize(
    ("body", "effects"),
    [
        (lambda v: v + 1.0, Effects.READS),
        (lambda v: v.assign(1.0).read_value(), Effects.WRITES),
        (lambda v: tf.constant(1.0) * 2.0, Effects.NONE),
        (lambda v: tf.random.uniform([]), Effects.RANDOM),
    ],
    ids=["reads", "writes", "none", "random"],
)
def test_the_effects_of_a_body(body: Any, effects: Effects) -> None:
    v = tf.Variable(1.0)
    graph = traced(lambda: body(v))
    assert body_effects([graph]) is effects
    assert [body_writes(graph, i) for i in range(len(graph.inputs))] == (
        [] if not graph.inputs else [effects is Effects.WRITES]
    )
    assert body_writes(graph, 99) is False


def test_each_graph_is_asked_once_which_resources_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = [tf.Variable(float(n)) for n in range(8)]
    asked: list[str] = []

    def f() -> Any:
        for v in variables:
            v.assign_add(1.0)
        return variables[0].read_value()

    function = tf.function(f, autograph=False)
    for _ in range(10):
        function = tf.function(lambda inner=function: inner(), autograph=False)
    original = control_deps.resource_uses
    monkeypatch.setattr(control_deps, "resource_uses", lambda o: (asked.append(o.graph.name), original(o))[1])
    function.get_concrete_function()
    assert len(asked) < 400  # twice an operation; a walk into the functions from each of them took 8 ** 10


def test_a_graph_that_grows_writes_more() -> None:
    v = tf.Variable(1.0)
    graph = traced(lambda: v.read_value())
    assert not body_writes(graph, 0)
    with graph.as_default():
        tf.raw_ops.AssignAddVariableOp(resource=graph.inputs[0], value=1.0)
    assert body_writes(graph, 0)

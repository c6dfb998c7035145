"""The conformance suite of engines: what a graph must do, whichever engine runs it.

A new engine is one entry in ENGINES; everything below then applies to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf

ENGINES = [pytest.param(None, id="numpy"), pytest.param(True, id="xla", marks=pytest.mark.xla)]
every_engine = pytest.mark.parametrize("jit_compile", ENGINES)


def function(f: Any, jit_compile: bool | None) -> Any:
    return tf.function(f, autograph=False, jit_compile=jit_compile)


@every_engine
def test_a_value_used_twice_is_computed_once_and_kept(jit_compile: bool | None) -> None:
    def f(x):
        y = x * 2.0
        return y + y, y

    total, y = function(f, jit_compile)(tf.constant([1.0, 2.0]))
    assert total.numpy().tolist() == [4.0, 8.0]
    assert y.numpy().tolist() == [2.0, 4.0]


@every_engine
def test_inputs_may_be_outputs_and_may_be_unused(jit_compile: bool | None) -> None:
    f = function(lambda x, y: (x, x, 3), jit_compile)
    first, second, third = f(tf.constant(1.0), tf.constant("unused") if jit_compile is None else tf.constant(0))
    assert (float(first), float(second), int(third)) == (1.0, 1.0, 3)


@every_engine
def test_effects_happen_in_program_order(jit_compile: bool | None) -> None:
    v = tf.Variable(1.0)

    def f(x):
        before = v.read_value()
        v.assign_add(x)
        between = v.read_value()
        v.assign(v * 10.0)
        return before, between, v.read_value()

    results = function(f, jit_compile)(tf.constant(4.0))
    assert [float(r) for r in results] == [1.0, 5.0, 50.0]
    assert float(v) == 50.0


@every_engine
def test_an_unused_failing_op_does_not_run(jit_compile: bool | None) -> None:
    def f(x):
        tf.gather(x, [7])
        return x + 1.0

    assert function(f, jit_compile)(tf.constant([1.0])).numpy().tolist() == [2.0]


@every_engine
def test_a_variable_keeps_its_value_when_a_function_fails_before_the_assignment(jit_compile: bool | None) -> None:
    v = tf.Variable([1.0, 2.0])

    def f(x):
        v.assign_add(tf.reshape(x, [2]))
        return v

    step = function(f, jit_compile)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        step(tf.constant([1.0, 2.0, 3.0]))
    assert v.numpy().tolist() == [1.0, 2.0]


@every_engine
def test_a_value_read_before_an_assignment_stays_what_it_was(jit_compile: bool | None) -> None:
    v = tf.Variable([1.0, 1.0])
    step = function(lambda: v.assign_add([1.0, 1.0]), jit_compile)
    step()
    kept = v.numpy(), v.read_value()
    view = np.asarray(v.value())
    step()
    step()
    assert kept[0].tolist() == kept[1].numpy().tolist() == view.tolist() == [2.0, 2.0]
    assert v.numpy().tolist() == [4.0, 4.0]


@every_engine
def test_conditionals_take_one_branch_with_its_effects(jit_compile: bool | None) -> None:
    v = tf.Variable(0.0)
    f = function(lambda x: tf.cond(x > 0.0, lambda: v.assign_add(x), lambda: v.assign_sub(1.0)), jit_compile)
    assert float(f(tf.constant(2.0))) == 2.0
    assert float(f(tf.constant(-5.0))) == 1.0
    assert float(v) == 1.0


@every_engine
def test_loops_carry_state_and_variables(jit_compile: bool | None) -> None:
    v = tf.Variable(0)

    def f(n):
        def body(i, total):
            v.assign_add(1)
            return i + 1, total + i

        return tf.while_loop(lambda i, total: i < n, body, (tf.constant(0), tf.constant(0)))

    i, total = function(f, jit_compile)(tf.constant(10))
    assert (int(i), int(total), int(v)) == (10, 45, 10)


@every_engine
def test_nested_functions_share_variables(jit_compile: bool | None) -> None:
    v = tf.Variable(2.0)
    inner = function(lambda x: v.assign_add(x), jit_compile)
    outer = function(lambda x: (inner(x) + inner(x), v.read_value()), jit_compile)
    total, last = outer(tf.constant(1.0))
    assert (float(total), float(last), float(v)) == (7.0, 4.0, 4.0)


@every_engine
@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8", "bool", "complex128", "bfloat16", "float16"])
def test_dtypes_pass_unchanged(jit_compile: bool | None, dtype: str) -> None:
    x = tf.cast(tf.constant([0, 1, 1]), dtype)
    y = function(lambda t: tf.concat([t, t], 0), jit_compile)(x)
    assert y.dtype is x.dtype
    assert np.array_equal(y.numpy(), np.concatenate([x.numpy(), x.numpy()]))


@every_engine
def test_the_same_seed_gives_the_same_bits(jit_compile: bool | None) -> None:
    def draw(engine):
        tf.random.set_seed(7)
        f = function(lambda: (tf.random.uniform([3]), tf.random.normal([2])), engine)
        return [r.numpy().tolist() for call in (f(), f()) for r in call]

    assert draw(jit_compile) == draw(None)


@every_engine
def test_a_failing_op_names_itself_and_the_users_line(jit_compile: bool | None) -> None:
    def f(x, i):
        return tf.gather(x, i)

    if jit_compile:
        pytest.skip("XLA clamps indices: index checks are the host's")
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function(f, jit_compile)(tf.constant([1.0]), tf.constant([3]))
    assert "GatherV2" in str(caught.value)
    assert __file__ in str(caught.value)


@every_engine
def test_the_users_numpy_settings_are_left_alone(jit_compile: bool | None) -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        result = function(lambda x: 1.0 / x, jit_compile)(tf.constant([0.0]))
        assert np.geterr() == before
    assert np.isinf(result.numpy()).all()


_UNARY = ["tanh", "abs", "square", "sigmoid", "negative", "sin"]
_BINARY = ["add", "subtract", "multiply", "maximum"]


@st.composite
def programs(draw: Any) -> list[tuple[Any, ...]]:
    """Straight-line programs over float32 matrices: each step names an op and earlier values."""
    steps: list[tuple[Any, ...]] = []
    for index in range(draw(st.integers(1, 8))):
        earlier = st.integers(0, index)
        kind = draw(st.sampled_from(["unary", "binary", "matmul", "reduce", "transpose"]))
        if kind == "unary":
            steps.append((draw(st.sampled_from(_UNARY)), draw(earlier)))
        elif kind == "binary":
            steps.append((draw(st.sampled_from(_BINARY)), draw(earlier), draw(earlier)))
        else:
            steps.append((kind, draw(earlier)))
    return steps


def run(steps: list[tuple[Any, ...]], x: Any) -> Any:
    values = [x]
    for name, *operands in steps:
        arguments = [values[i] for i in operands]
        if name == "matmul":
            values.append(tf.matmul(arguments[0], arguments[0]) * 0.1)
        elif name == "reduce":
            values.append(arguments[0] - tf.reduce_mean(arguments[0], axis=1, keepdims=True))
        elif name == "transpose":
            values.append(tf.transpose(arguments[0]))
        else:
            values.append(getattr(tf, name)(*arguments))
    return values[-1]


@given(programs(), st.integers(0, 100))
def test_the_numpy_tier_gives_what_eager_gives(steps: list[tuple[Any, ...]], seed: int) -> None:
    x = tf.constant(np.random.default_rng(seed).normal(size=(3, 3)).astype(np.float32))
    eager = run(steps, x)
    graph = tf.function(lambda t: run(steps, t), autograph=False)(x)
    np.testing.assert_array_equal(graph.numpy(), eager.numpy())


@pytest.mark.xla
@given(programs(), st.integers(0, 100))
def test_xla_gives_what_eager_gives(steps: list[tuple[Any, ...]], seed: int) -> None:
    x = tf.constant(np.random.default_rng(seed).normal(size=(3, 3)).astype(np.float32))
    compiled = tf.function(lambda t: run(steps, t), autograph=False, jit_compile=True)(x)
    np.testing.assert_allclose(compiled.numpy(), run(steps, x).numpy(), rtol=2e-4, atol=2e-4)

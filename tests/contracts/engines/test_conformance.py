"""The conformance suite of engines: what a graph must do, whichever engine runs it.

A new engine is one entry in `engines.engine_table.ENGINES`; everything below then applies to it, as it applies to the
toy engine of Python lists.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.engine import Engine, Program
from millrace._src.core.op_registry import get_op
from millrace._src.core.tensor import EagerTensor
from millrace._src.passes.pipeline import optimize
from tests.contracts.engines.all_engines import NAMES, running_on


def function(f: Any) -> Any:
    return tf.function(f, autograph=False)


def test_a_value_used_twice_is_computed_once_and_kept(engine: Engine) -> None:
    def f(x):
        y = x * 2.0
        return y + y, y

    total, y = function(f)(tf.constant([1.0, 2.0]))
    assert total.numpy().tolist() == [4.0, 8.0]
    assert y.numpy().tolist() == [2.0, 4.0]


def test_inputs_may_be_outputs_and_may_be_unused(engine: Engine) -> None:
    f = function(lambda x, y: (x, x, 3))
    first, second, third = f(tf.constant(1.0), tf.constant(0))
    assert (float(first), float(second), int(third)) == (1.0, 1.0, 3)


def test_effects_happen_in_program_order(engine: Engine) -> None:
    v = tf.Variable(1.0)

    def f(x):
        before = v.read_value()
        v.assign_add(x)
        between = v.read_value()
        v.assign(v * 10.0)
        return before, between, v.read_value()

    results = function(f)(tf.constant(4.0))
    assert [float(r) for r in results] == [1.0, 5.0, 50.0]
    assert float(v) == 50.0


def test_an_unused_failing_op_does_not_run(engine: Engine) -> None:
    def f(x):
        tf.gather(x, [7])
        return x + 1.0

    assert function(f)(tf.constant([1.0])).numpy().tolist() == [2.0]


def test_a_variable_keeps_its_value_when_a_function_fails_before_the_assignment(engine: Engine) -> None:
    v = tf.Variable([1.0, 2.0])

    def f(x):
        v.assign_add(tf.reshape(x, [2]))
        return v

    step = function(f)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        step(tf.constant([1.0, 2.0, 3.0]))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_value_read_before_an_assignment_stays_what_it_was(engine: Engine) -> None:
    v = tf.Variable([1.0, 1.0])
    step = function(lambda: v.assign_add([1.0, 1.0]))
    step()
    kept = v.numpy(), v.read_value()
    view = np.asarray(v.value())
    step()
    step()
    assert kept[0].tolist() == kept[1].numpy().tolist() == view.tolist() == [2.0, 2.0]
    assert v.numpy().tolist() == [4.0, 4.0]


def test_conditionals_take_one_branch_with_its_effects(engine: Engine) -> None:
    v = tf.Variable(0.0)
    f = function(lambda x: tf.cond(x > 0.0, lambda: v.assign_add(x), lambda: v.assign_sub(1.0)))
    assert float(f(tf.constant(2.0))) == 2.0
    assert float(f(tf.constant(-5.0))) == 1.0
    assert float(v) == 1.0


def test_loops_carry_state_and_variables(engine: Engine) -> None:
    v = tf.Variable(0)

    def f(n):
        def body(i, total):
            v.assign_add(1)
            return i + 1, total + i

        return tf.while_loop(lambda i, total: i < n, body, (tf.constant(0), tf.constant(0)))

    i, total = function(f)(tf.constant(10))
    assert (int(i), int(total), int(v)) == (10, 45, 10)


def test_nested_functions_share_variables(engine: Engine) -> None:
    v = tf.Variable(2.0)
    inner = function(lambda x: v.assign_add(x))
    outer = function(lambda x: (inner(x) + inner(x), v.read_value()))
    total, last = outer(tf.constant(1.0))
    assert (float(total), float(last), float(v)) == (7.0, 4.0, 4.0)


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8", "bool", "complex128", "bfloat16", "float16"])
def test_dtypes_pass_unchanged(engine: Engine, dtype: str) -> None:
    x = tf.cast(tf.constant([0, 1, 1]), dtype)
    y = function(lambda t: tf.concat([t, t], 0))(x)
    assert y.dtype is x.dtype
    assert np.array_equal(y.numpy(), np.concatenate([x.numpy(), x.numpy()]))


def test_the_same_seed_gives_the_same_bits_as_in_eager_mode(engine: Engine) -> None:
    def draw() -> tuple[Any, Any]:
        return tf.random.stateless_uniform([3], [1, 2]), tf.random.stateless_normal([2], [3, 4])

    def draws(f: Any) -> list[Any]:
        return [r.numpy().tolist() for r in f()]

    assert draws(function(draw)) == draws(draw)


def test_hidden_random_streams_are_the_same_on_every_engine(engine: Engine) -> None:
    def draws() -> list[Any]:
        tf.random.set_seed(7)
        f = function(lambda: (tf.random.uniform([3]), tf.random.normal([2])))
        return [r.numpy().tolist() for results in (f(), f()) for r in results]

    found = draws()
    with running_on("numpy"):
        assert draws() == found


def test_a_failing_op_names_itself_and_the_users_line(engine: Engine) -> None:
    f = function(lambda x, shape: tf.reshape(x, shape))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf.constant([1.0]), tf.constant([3]))
    assert "Reshape" in str(caught.value)
    assert __file__ in str(caught.value)


def test_checks_refuse_values_wherever_arrays_have_values(engine: Engine) -> None:
    f = function(lambda x, i: tf.gather(x, i))
    if engine.name == "xla":  # it compiles before there are values, and clamps as TensorFlow's XLA does
        assert f(tf.constant([1.0, 2.0]), tf.constant([3])).numpy().tolist() == [2.0]
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 3 is not in \[0, 1\)") as caught:
        f(tf.constant([1.0]), tf.constant([3]))
    assert "GatherV2" in str(caught.value)
    assert __file__ in str(caught.value)


def test_the_users_numpy_settings_are_left_alone(engine: Engine) -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        result = function(lambda x: 1.0 / x)(tf.constant([0.0]))
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


@pytest.mark.parametrize("name", NAMES)
@given(programs(), st.integers(0, 100))
def test_random_programs_give_what_eager_mode_gives(name: str, steps: list[tuple[Any, ...]], seed: int) -> None:
    x = tf.constant(np.random.default_rng(seed).normal(size=(3, 3)).astype(np.float32))
    expected = run(steps, x).numpy()
    with running_on(name):
        found = function(lambda t: run(steps, t))(x).numpy()
    if name == "numpy":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)


def test_gradients_run_on_the_engine_too(engine: Engine) -> None:
    f = function(lambda x, w: tf.reduce_sum(tf.tanh(tf.matmul(x, w)) ** 2.0))
    x, w = tf.constant([[1.0, -2.0]]), tf.constant([[0.5, 1.0], [0.25, -1.0]])
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = f(x, w)
    found = tape.gradient(y, [x, w])
    t = np.tanh(x.numpy() @ w.numpy())
    back = 2.0 * t * (1.0 - t * t)
    np.testing.assert_allclose(found[0].numpy(), back @ w.numpy().T, rtol=1e-4)
    np.testing.assert_allclose(found[1].numpy(), x.numpy().T @ back, rtol=1e-4)


def test_a_function_that_is_not_written_out_is_called(engine: Engine) -> None:
    inner = function(lambda x: x * 2.0)
    branches = [lambda: inner(tf.constant(1.0)), lambda: inner(tf.constant(2.0)), lambda: tf.constant(0.0)]
    f = function(lambda i: tf.switch_case(i, branches))
    assert [float(f(tf.constant(i))) for i in (0, 1, 2, 9)] == [2.0, 4.0, 0.0, 0.0]


# --- programs --------------------------------------------------------------------------------------------------------


def optimized(f: Any, *specs: Any) -> Any:
    return optimize(function(f).get_concrete_function(*specs).graph)


ROW = tf.TensorSpec([2], tf.float32)


def test_a_program_says_what_callers_ask(engine: Engine) -> None:
    program = engine.compile(optimized(lambda x: (x + 1.0, tf.size(x)), ROW))
    assert isinstance(program, Program)
    assert program.engine == engine.name
    assert program.left_because is None
    assert issubclass(program.tensor_class, EagerTensor)
    assert program.source is None or "def program(a0):" in program.source


def test_a_program_takes_and_gives_arrays(engine: Engine) -> None:
    program = engine.compile(optimized(lambda x: (x + 1.0, tf.reduce_sum(x)), ROW))
    for run_program in (program.run, program.quiet_run()):
        given = np.array([1.0, 2.0], np.float32)
        total, scalar = (np.asarray(r) for r in run_program(given))
        assert (total.tolist(), scalar.tolist(), scalar.shape) == ([2.0, 3.0], 3.0, ())
        assert total.dtype == scalar.dtype == np.float32
        assert given.tolist() == [1.0, 2.0]


def test_programs_of_one_graph_are_independent(engine: Engine) -> None:
    graph = optimized(lambda x: x * 3.0, ROW)
    first, second = engine.compile(graph), engine.compile(graph)
    assert first is not second
    first.leave_to("elsewhere", "the test says so.")
    assert second.left_because is None


def test_a_bound_kernel_runs_on_arrays_of_the_engine(engine: Engine) -> None:
    kernel = engine.bind(get_op("AddV2"), (tf.float32, tf.float32), {"T": tf.float32})
    one = engine.xp.asarray(np.array([1.0, 2.0], np.float32))
    assert np.asarray(kernel(one, one)).tolist() == [2.0, 4.0]


def test_a_graph_that_an_engine_leaves_to_another_says_why(engine: Engine) -> None:
    program = engine.compile(optimized(lambda x: tf.boolean_mask(x, x > 0.0), ROW)) if engine.name != "lists" else None
    if engine.name == "numpy":
        assert program is not None and program.left_because is None
    elif engine.name == "xla":
        assert program is not None and program.engine == "numpy"
        assert re.search(r"Where \{\{node .*\}\}", str(program.left_because))


def test_what_an_engine_cannot_run_it_refuses_by_the_name_of_the_op_and_the_node(engine: Engine) -> None:
    graph = optimized(lambda x: tf.strings.length(tf.strings.as_string(x), name="counted"), ROW)
    if engine.name == "numpy":
        (lengths,) = engine.compile(graph).run(np.array([1.0, 2.0], np.float32))
        assert lengths.tolist() == [8, 8]
        return
    with pytest.raises(tf.errors.OpError, match=r"AsString.*\{\{node AsString\}\}") as caught:
        engine.compile(graph).run(np.array([1.0, 2.0], np.float32))
    assert isinstance(caught.value, (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError))

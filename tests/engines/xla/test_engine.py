"""The XLA engine: variables as values, donation, aliasing, random numbers, refusals, the user's JAX settings."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import millrace as tf

pytestmark = pytest.mark.xla


def compiled(f: Any) -> Any:
    return tf.function(f, autograph=False, jit_compile=True)


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def test_a_value_read_before_a_donating_call_keeps_its_value() -> None:
    v = tf.Variable(tf.ones([1000]))
    f = compiled(lambda: v.assign_add(tf.ones([1000])).read_value())
    first = f()
    before = v.read_value()
    view = np.asarray(v)
    second = f()
    assert (value(first)[0], value(before)[0], view[0], value(second)[0], value(v)[0]) == (2.0, 2.0, 2.0, 3.0, 3.0)


def test_the_same_variable_twice_is_one_value() -> None:
    v = tf.Variable(1.0)

    @compiled
    def f(a, b):
        a.assign_add(1.0)
        b.assign_add(10.0)
        return a + b

    assert value(f(v, v)) == 24.0
    assert value(v) == 12.0
    w = tf.Variable(0.0)
    assert value(f(v, w)) == 23.0
    assert (value(v), value(w)) == (13.0, 10.0)


def test_a_variable_that_is_only_read_is_not_donated() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    f = compiled(lambda: w.assign(v * 2.0).read_value())
    for _ in range(3):
        f()
    assert (value(v), value(w)) == ([1.0, 2.0], [2.0, 4.0])


def test_eager_and_compiled_updates_alternate() -> None:
    v = tf.Variable([1.0])
    f = compiled(lambda: v.assign(v * 2.0).read_value())
    for expected in (2.0, 6.0, 14.0):
        f()
        assert value(v) == [expected]
        v.assign_add([1.0])


def test_a_function_that_fails_leaves_the_variables() -> None:
    v = tf.Variable([1.0, 2.0])

    def f(x):
        v.assign_add(x)
        return tf.reshape(x, [3])

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        compiled(f)(tf.constant([1.0, 2.0]))
    assert value(v) == [1.0, 2.0]
    assert value(v + 1.0) == [2.0, 3.0]


def test_an_uninitialized_read_and_a_wrong_shape_are_clear_errors() -> None:
    v = tf.Variable([1.0], shape=[None])
    f = compiled(lambda x: v + x)
    assert value(f(tf.constant([1.0]))) == [2.0]
    v.assign([1.0, 2.0, 3.0])
    assert value(f(tf.constant([1.0]))) == [2.0, 3.0, 4.0]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        f(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize(
    "body",
    [
        lambda x: tf.strings.as_string(x),
        lambda x: (tf.print(x), x)[1],
        lambda x: tf.py_function(lambda y: y, [x], tf.float32),
        lambda x: tf.cond(x > 0.0, lambda: (tf.print(x), x)[1], lambda: x),
    ],
    ids=["strings", "print", "python", "in a branch"],
)
def test_what_xla_cannot_do_is_refused_by_name(body: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="unsupported operations"):
        compiled(body)(tf.constant(1.0))


WIDTHS = [tf.int64, tf.float64, tf.uint64, tf.complex128, tf.int8, tf.bfloat16, tf.float16, tf.bool]


@pytest.mark.parametrize("dtype", WIDTHS)
def test_every_width_goes_in_and_out_unchanged(dtype: Any) -> None:
    x = tf.cast([0, 1, 1], dtype)
    y = compiled(lambda x: tf.reverse(x, [0]))(x)
    assert y.dtype == dtype
    assert value(y == tf.reverse(x, [0])) == [True] * 3
    v = tf.Variable(x)
    compiled(lambda: v.assign(tf.reverse(v, [0])).read_value())()
    assert v.numpy().dtype == dtype.as_numpy_dtype


def test_large_integers_keep_their_64_bits() -> None:
    x = tf.constant([2**62 + 1, -(2**62)], tf.int64)
    assert value(compiled(lambda x: x - 1)(x)) == [2**62, -(2**62) - 1]


def test_the_users_jax_settings_do_not_change() -> None:
    import jax

    before = jax.config.jax_enable_x64
    compiled(lambda x: x * 2.0)(tf.constant(1.0, tf.float64))
    assert jax.config.jax_enable_x64 == before
    assert jax.numpy.asarray(np.float64(1.0)).dtype == (np.float64 if before else np.float32)


def test_random_numbers_are_those_of_the_other_engine() -> None:
    def f():
        return tf.random.normal([3]), tf.random.stateless_uniform([2], [1, 2])

    results = []
    for jit in (None, True):
        tf.random.set_seed(7)
        results.append([value(t) for t in tf.function(f, autograph=False, jit_compile=jit)()])
    assert results[0] == results[1]


def test_shapes_of_any_size_are_compiled_one_by_one() -> None:
    f = tf.function(
        lambda x: tf.reduce_sum(x) + tf.cast(tf.shape(x)[0], tf.float32),
        autograph=False,
        jit_compile=True,
        input_signature=[tf.TensorSpec([None], tf.float32)],
    )
    assert [value(f(tf.ones([n]))) for n in (3, 0, 5, 3)] == [6.0, 0.0, 10.0, 6.0]
    assert f.experimental_get_tracing_count() == 1


def test_threads_call_one_compiled_function() -> None:
    f = compiled(lambda x: x * 2.0 + 1.0)
    results: dict[int, Any] = {}

    def work(n: int) -> None:
        results[n] = [value(f(tf.constant(float(n)))) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {n: [n * 2.0 + 1.0] * 20 for n in range(4)}


def test_gradients_of_a_compiled_function_of_every_order() -> None:
    f = compiled(lambda x: tf.sin(x) * x)
    x = tf.constant(0.7, tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tape.gradient(f(x), x)
    np.testing.assert_allclose(value(first), np.sin(0.7) + 0.7 * np.cos(0.7))
    np.testing.assert_allclose(value(tape.gradient(first, x)), 2 * np.cos(0.7) - 0.7 * np.sin(0.7))


def test_scatters_and_slices_of_variables() -> None:
    def f():
        v.scatter_add(tf.IndexedSlices([[1.0, 1.0], [2.0, 2.0]], [1, 1]))
        v.scatter_nd_update([[0, 0]], [9.0])
        v[2].assign([7.0, 8.0])
        return v.read_value()

    results = []
    for jit in (None, True):
        v = tf.Variable(tf.zeros([3, 2]))
        results.append(value(tf.function(f, autograph=False, jit_compile=jit)()))
        assert value(v) == results[-1]
    assert results[0] == results[1] == [[9.0, 0.0], [3.0, 3.0], [7.0, 8.0]]


def test_a_compiled_function_inside_a_plain_one_and_the_reverse() -> None:
    v = tf.Variable(1.0)
    inner = compiled(lambda x: v.assign_add(x).read_value())
    outer = tf.function(lambda x: inner(x) * 2.0, autograph=False)
    assert value(outer(tf.constant(3.0))) == 8.0
    plain = tf.function(lambda x: v.assign_add(x).read_value(), autograph=False)
    assert value(compiled(lambda x: plain(x) * 2.0)(tf.constant(1.0))) == 10.0
    assert value(v) == 5.0


def test_a_loop_whose_condition_writes_to_a_variable_runs_on_the_numpy_tier() -> None:
    count = tf.Variable(0)

    @tf.function(jit_compile=True)
    def f() -> Any:
        return tf.while_loop(lambda i: count.assign_add(1) < 5, lambda i: [i + 1], [tf.constant(0)])[0]

    assert (f().numpy(), count.numpy()) == (4, 5)
    assert "loops that write to no variable" in f.get_concrete_function().tier.reason


@pytest.mark.parametrize("nested", [False, True])
def test_threads_that_change_a_variable_at_once_lose_no_change(nested: bool) -> None:
    v, w = tf.Variable(tf.zeros([2000])), tf.Variable(tf.ones([2000]))
    step = compiled(lambda: v.assign_add(w).read_value()[0])
    other = compiled(lambda: (w.assign(w * 1.0), v + w)[1])
    outer = tf.function(lambda: step(), autograph=False) if nested else step
    outer(), other()
    failures: list[Exception] = []

    def run() -> None:
        try:
            for _ in range(200):
                outer()
                assert v.numpy()[-1] > 0.0
                other()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert v.numpy().tolist() == [801.0] * 2000


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("from_variable", [False, True], ids=["a constant after all", "left to the NumPy tier"])
def test_a_call_that_learns_of_a_size_draws_once(from_variable: bool, nested: bool) -> None:
    v = tf.Variable(3)

    def f(n: Any) -> Any:
        return tf.random.uniform([2], seed=1), tf.range(v if from_variable else n)

    drawn = []
    for jit in (None, True):
        tf.random.set_seed(3)
        inner = tf.function(f, autograph=False, jit_compile=jit)
        g = tf.function(lambda n, inner=inner: inner(n), autograph=False) if nested else inner
        drawn.append([value(g(tf.constant(n))[0]) for n in (3, 3, 4)])
    assert drawn[0] == drawn[1]


def _branches_in_a_branch(x: Any, n: Any, scale: Any) -> Any:
    """A branch that does not run leaves values of another shape than the branch that runs."""
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 0.5, lambda: tf.exp(-x * x))
    return tf.cond(tf.size(x) > 0, lambda: tf.exp(y * scale())[:n], lambda: y)


def test_a_gradient_runs_where_the_forward_function_ran() -> None:
    specs = [tf.TensorSpec([None, 3], tf.float32)]
    x = tf.constant([[-1.0, 0.25, 1.5]])
    n, drawn = tf.Variable(1), lambda: tf.random.uniform([3], 0.5, 1.5, seed=5)
    found = {}
    for name, size, scale in (("drawn in a branch", 1, drawn), ("size of a variable", n, lambda: 2.0)):
        compiled, plain = (
            tf.function(
                lambda x, size=size, scale=scale: _branches_in_a_branch(x, size, scale),
                jit_compile=jit_compile,
                autograph=False,
                input_signature=specs,
            )
            for jit_compile in (True, False)
        )
        gradients = []
        for function in (compiled, plain):
            tf.random.set_seed(3)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            gradients.append(tape.gradient(y, x).numpy())
        np.testing.assert_allclose(*gradients, rtol=1e-6)
        tiers = compiled.get_concrete_function().tiers()
        found[name] = {tier.name for made, tier in tiers.items() if made.startswith(("__forward", "__backward"))}
    assert found == {"drawn in a branch": {"numpy"}, "size of a variable": {"numpy"}}

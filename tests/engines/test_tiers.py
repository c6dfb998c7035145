"""Where functions run, and how a user sees and pins that."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.traced_functions import TracedFunction
from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.compilations import compilation_count
from millrace._src.engines.engine_table import ENGINES
from millrace._src.engines.tier_settings import Pin, TierChoice, settings
from millrace._src.engines.tiers import Tier

pytestmark = pytest.mark.xla


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    compiler.wait()


@pytest.fixture
def automatic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that leave the engine open are tried on all engines, in turn, from their second call on."""
    for name, value in {"pin": Pin.AUTO, "waits": True, "threshold": 0.0, "choice": TierChoice.ALTERNATE}.items():
        monkeypatch.setattr(settings, name, value)


@pytest.fixture
def not_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "waits", False)


def _tier(f, *args):
    return f.get_concrete_function(*args).tier


# --- pins --------------------------------------------------------------------------------------------------------


def test_jit_compile_false_asks_for_no_compiler_and_forbids_none(automatic):
    x = tf.reshape(tf.range(20000.0), [100, 200])
    f = tf.function(lambda x: tf.tanh(x) * 2.0, jit_compile=False)
    for _ in range(3):
        f(x)
    assert f.jit_compile is False
    assert "trying" in _tier(f, x).reason


def test_a_function_of_a_dataset_stays_on_the_host(automatic):
    made = TracedFunction(lambda x: tf.tanh(x) * 2.0, [tf.TensorSpec([100])], "Dataset.map()")
    assert made.graph_function.program().tiering is None
    assert made.graph_function.program().engine == "numpy"


def test_the_environment_pins_functions_to_numpy(monkeypatch):
    monkeypatch.setattr(settings, "pin", Pin.NUMPY)
    f = tf.function(lambda x: x + x)
    assert _tier(f, tf.constant(1.0)).name == "numpy"
    assert "MILLRACE_TIER" in _tier(f, tf.constant(1.0)).reason


@pytest.mark.parametrize("enabled", [True, "autoclustering"])
def test_set_jit_runs_functions_on_xla_from_the_first_call(enabled):
    before = compilation_count()
    tf.config.optimizer.set_jit(enabled)
    try:
        f = tf.function(lambda x: tf.tanh(x) * 2.0)
        assert f(tf.constant(0.0)).numpy() == 0.0
    finally:
        tf.config.optimizer.set_jit("")
    assert compilation_count() - before == 1
    assert _tier(f, tf.constant(0.0)) == Tier("xla", "pinned")


def test_what_would_lose_a_check_stays_on_numpy_even_if_pinned(monkeypatch):
    monkeypatch.setattr(settings, "pin", Pin.COMPILED)
    f = tf.function(lambda x, i: tf.gather(x, tf.cast(tf.reduce_sum(x @ x), tf.int32) + i))
    x = tf.zeros([2, 2])
    assert f(x, tf.constant([1])).numpy().tolist() == [[0.0, 0.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
        f(x, tf.constant([5]))
    assert _tier(f, x, tf.constant([5])).name == "numpy"


def test_what_the_arguments_decide_is_checked_before_xla_runs(monkeypatch):
    monkeypatch.setattr(settings, "pin", Pin.COMPILED)
    v, w = tf.Variable(0.0), tf.Variable([1.0, 2.0])

    @tf.function
    def f(x, i):
        v.assign_add(1.0)
        picked = tf.gather(tf.tanh(x), i) + tf.gather(w, i)
        v.assign_add(10.0)
        return picked

    x = tf.constant([0.0, 0.0])
    assert f(x, tf.constant([1])).numpy().tolist() == [2.0]
    assert _tier(f, x, tf.constant([1])) == Tier("xla", "pinned")
    assert v.numpy() == 11.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 5 is not in \[0, 2\)"):
        f(x, tf.constant([5]))
    assert v.numpy() == 12.0, "what comes before the failing operation has happened, and nothing twice"


def test_determinism_fixes_the_choice_up_front(monkeypatch):
    from millrace._src.core.runtime_options import disable_op_determinism

    monkeypatch.setattr(settings, "pin", Pin.AUTO)
    tf.config.experimental.enable_op_determinism()
    try:
        f = tf.function(lambda x: x + x)
        f(tf.constant(1.0))
        assert "enable_op_determinism" in _tier(f, tf.constant(1.0)).reason
    finally:
        disable_op_determinism()


def test_without_jax_functions_stay_on_numpy_silently(automatic, monkeypatch, caplog):
    monkeypatch.setitem(ENGINES, "xla", dataclasses.replace(ENGINES["xla"], is_installed=lambda: False))
    f = tf.function(lambda x: x + x)
    for _ in range(3):
        f(tf.constant(1.0))
    assert f.tier == Tier("numpy", "xla: JAX, which brings XLA, is not installed")
    assert not caplog.records


# --- automatic tiers -----------------------------------------------------------------------------------------------


def _outcomes(f, calls, *args):
    return [f(*args) for _ in range(calls)]


def test_results_agree_before_during_and_after_the_swap(automatic):
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x) * tf.exp(-x)))
    results = [float(r) for r in _outcomes(f, 8, tf.linspace(0.0, 1.0, 1000))]
    np.testing.assert_allclose(results, results[0], rtol=1e-5)
    assert "xla" in _tier(f, tf.linspace(0.0, 1.0, 1000)).reason


def test_random_bits_go_on_in_one_stream_whichever_engine_draws(automatic, monkeypatch):
    def draws():
        tf.random.set_seed(7)
        f = tf.function(lambda: tf.random.uniform([3]) + tf.random.normal([3], seed=5))
        return [r.numpy().tolist() for r in _outcomes(f, 8)]

    mixed = draws()
    monkeypatch.setattr(settings, "pin", Pin.NUMPY)
    assert np.allclose(mixed, draws(), rtol=1e-6, atol=1e-7)


def test_variables_keep_their_values_across_the_swap(automatic):
    v = tf.Variable(0.0)

    @tf.function
    def step(x):
        v.assign_add(tf.reduce_sum(x))
        return v * 2.0

    results = [float(step(tf.ones([4]))) for _ in range(9)]
    assert results == [8.0 * i for i in range(1, 10)]
    assert float(v) == 36.0


def test_a_function_that_only_updates_variables_crosses_the_swap(automatic):
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def step(x):
        v.assign_add(x)

    for _ in range(9):
        step(tf.constant([1.0, 2.0]))
    assert v.numpy().tolist() == [9.0, 18.0]


def test_gradients_of_both_functions_of_a_tape_agree_across_the_swap(automatic):
    w = tf.Variable([[0.5, -0.25], [0.1, 0.2]])
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x @ w) ** 2))
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    gradients = []
    for _ in range(9):
        with tf.GradientTape() as tape:
            y = f(x)
        gradients.append(tape.gradient(y, w).numpy())
    np.testing.assert_allclose(gradients, [gradients[0]] * 9, rtol=1e-5)
    names = {name.split("_")[2]: tier for name, tier in f.get_concrete_function(x).tiers().items()}
    assert {"forward", "backward"} <= set(names)


def test_branches_with_stand_ins_keep_forward_and_backward_on_one_engine(automatic):
    @tf.function
    def f(x, flag):
        return tf.cond(flag, lambda: tf.reduce_sum(tf.tanh(x) ** 2), lambda: tf.reduce_sum(x) * 3.0)

    x = tf.constant([1.0, 2.0])
    gradients = []
    for i in range(8):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(i % 2 == 0))
        gradients.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(gradients, gradients[:2] * 4, rtol=1e-5)


def test_checks_are_kept_before_during_and_after_the_swap(automatic):
    f = tf.function(lambda x, n: tf.reduce_sum(tf.tanh(x)) + tf.cast(tf.constant(7) // n, tf.float32))
    x = tf.ones([10])
    for _ in range(8):
        f(x, tf.constant(2))
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            f(x, tf.constant(0))


def test_each_shape_of_a_signature_moves_on_its_own(automatic):
    f = tf.function(lambda x: tf.tanh(x) * 2.0, input_signature=[tf.TensorSpec([None])])
    for size in (1, 2, 3):
        for _ in range(5):
            np.testing.assert_allclose(f(tf.ones([size])), 2 * np.tanh(np.ones(size, "f")), rtol=1e-6)


def test_pending_results_go_on_into_functions_on_any_tier(automatic):
    f = tf.function(lambda x: tf.tanh(x) + 1.0)
    g = tf.function(lambda x: x * 0.5)
    x = tf.ones([5])
    for _ in range(12):
        x = g(f(x))
    expected = np.ones(5, np.float32)
    for _ in range(12):
        expected = (np.tanh(expected) + 1) * 0.5
    np.testing.assert_allclose(x, expected, rtol=1e-5)


def test_sizes_that_depend_on_values_never_compile_for_each_value(automatic):
    before = compilation_count()
    f = tf.function(lambda x, n: tf.reduce_sum(tf.tanh(x[:n])))
    x = tf.ones([200])
    for n in range(1, 60):
        np.testing.assert_allclose(f(x, tf.constant(n)), n * np.tanh(1), rtol=1e-4)
    assert compilation_count() - before <= 20


def test_threads_call_one_function_while_it_is_tried_and_swapped(automatic, monkeypatch):
    monkeypatch.setattr(settings, "waits", False)
    f = tf.function(lambda x: tf.tanh(x) * 2.0 + 1.0)
    failures = []

    def work(seed):
        try:
            for i in range(40):
                x = np.full(50, (seed + i) % 7 / 7, np.float32)
                np.testing.assert_allclose(f(tf.constant(x)), np.tanh(x) * 2 + 1, rtol=1e-5)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# --- jit_compile=True ------------------------------------------------------------------------------------------------


def test_a_compiled_function_does_not_wait_for_the_compiler(not_waiting):
    gate = threading.Event()

    def busy():
        gate.wait()
        yield

    compiler.submit(busy)
    f = tf.function(lambda x: tf.tanh(x) * 2.0, jit_compile=True)
    x = tf.constant([0.5])
    results = [float(f(x)[0]) for _ in range(3)]
    assert _tier(f, x).name == "numpy"
    gate.set()
    for _ in range(3):
        compiler.wait()
        results.append(float(f(x)[0]))
    assert _tier(f, x) == Tier("xla", "jit_compile is True.")
    np.testing.assert_allclose(results, 2 * np.tanh(0.5), rtol=1e-6)


def test_what_xla_refuses_is_refused_at_the_first_call(not_waiting):
    f = tf.function(lambda x: tf.strings.length(tf.strings.as_string(x)), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected unsupported operations"):
        f(tf.constant(1.0))


def test_an_index_out_of_range_is_moved_into_the_range_by_the_first_call_too(not_waiting):
    f = tf.function(lambda x, i: tf.gather(x, i), jit_compile=True)
    x = tf.constant([1.0, 2.0, 3.0])
    first = f(x, tf.constant([7])).numpy().tolist()
    compiler.wait()
    assert f(x, tf.constant([7])).numpy().tolist() == first


def test_an_assertion_is_dropped_by_the_first_call_too(not_waiting):
    v = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def f(x):
        v.assign_add(1.0)
        tf.debugging.assert_positive(x)
        return x * v

    assert [float(f(tf.constant(-1.0))) for _ in range(3)] == [-2.0, -3.0, -4.0]


def test_a_call_that_numpy_would_refuse_draws_once(not_waiting):
    def drawn(start):
        tf.random.set_seed(5)

        @tf.function(jit_compile=True)
        def f(x):
            numbers = tf.random.normal([3])
            tf.debugging.assert_less(tf.reduce_sum(x), 1.0)  # XLA drops the assertion
            return numbers + x * 0.0

        return [f(tf.fill([3], start)).numpy().tolist() for _ in range(3)]

    assert drawn(1.0) == drawn(0.0)


def test_a_list_among_the_arguments_is_no_variable(not_waiting):
    @tf.function(jit_compile=True)
    def f(x, i):
        rows = tf.TensorArray(tf.float32, 3)
        for n in tf.range(3):
            rows = rows.write(n, tf.gather(x, i) * tf.cast(n, tf.float32))
        return tf.reduce_sum(rows.stack() ** 2)

    x = tf.constant([1.0, 2.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(1))
        assert tape.gradient(y, x).numpy().tolist() == [0.0, 20.0]
        compiler.wait()


def test_a_function_that_is_compiled_already_runs_on_xla_for_its_next_caller(not_waiting):
    inner = tf.function(lambda x: tf.tanh(x) * 2.0, jit_compile=True)
    x = tf.constant([0.5])
    for _ in range(3):
        inner(x)
        compiler.wait()
    outer = tf.function(lambda x: inner(x) + inner(x * 0.5))
    before = compilation_count()
    np.testing.assert_allclose(outer(x), 2 * np.tanh([0.5]) + 2 * np.tanh([0.25]), rtol=1e-6)
    assert [tier.name for tier in outer.tiers().values()] == ["numpy", "xla"]
    assert compilation_count() == before


def test_a_pass_over_a_dataset_draws_from_its_own_streams_whoever_runs_a_compiled_function(not_waiting):
    inner = tf.function(lambda x: x + tf.random.uniform([], seed=3), jit_compile=True)
    dataset = tf.data.Dataset.range(6).map(lambda x: inner(tf.cast(x, tf.float32)))
    passes = []
    for _ in range(3):
        passes.append([float(x) for x in dataset])
        compiler.wait()
    assert passes[0] == passes[1] == passes[2]


# --- what users ask --------------------------------------------------------------------------------------------------


def test_a_function_tells_the_tier_of_the_trace_that_was_used_last():
    f = tf.function(lambda x: x + x)
    assert f.tier == Tier("numpy", "the function has not been called")
    f(tf.constant(1.0))
    assert "pinned to NumPy" in f.tier.reason
    f(tf.constant(1))
    assert len(f.tiers()) == 2


def test_a_function_shows_how_far_it_has_come(automatic, monkeypatch):
    monkeypatch.setattr(settings, "threshold", 1e6)
    f = tf.function(lambda x: tf.tanh(x))
    monkeypatch.setattr(settings, "call_seconds", 0.0)
    f(tf.constant(1.0))
    assert f.tier.name == "numpy" and f.tier.reason.startswith("calls have taken ")
    monkeypatch.setattr(settings, "threshold", 0.0)
    for _ in range(12):
        f(tf.constant(1.0))
    assert f.tier.reason.startswith("trying numpy, xla: numpy ")


def test_a_call_with_floats_that_integers_cannot_hold_is_run_by_numpy_on_all_tiers(automatic):
    f = tf.function(lambda x, labels: tf.tanh(x) * tf.cast(tf.cast(labels, tf.int32), tf.float32), autograph=False)
    x = tf.ones([3])
    for labels in ([1.0, 2.0, 3.9], [np.nan, 1e12, -1e12], [1.0, 2.0, 3.9]):
        expected = np.tanh(1.0) * tf.cast(tf.cast(tf.constant(labels, tf.float32), tf.int32), tf.float32).numpy()
        for _ in range(4):
            np.testing.assert_allclose(f(x, tf.constant(labels, tf.float32)).numpy(), expected, rtol=1e-6)
    assert "xla" in _tier(f, x, x).reason

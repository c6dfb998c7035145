"""Calls of compiled graphs: prepared ahead, in any thread, and run with what is prepared."""

from __future__ import annotations

import itertools
import signal
import sys
import threading
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.compilations import compilation_count
from millrace._src.engines.xla.executables import Executable
from tests.engines.xla.programs import prepare, program_of

pytestmark = pytest.mark.xla


def test_a_prepared_call_compiles_no_more() -> None:
    program, arguments = program_of(lambda x: x * 2.0, tf.TensorSpec([None], tf.float32))
    before = compilation_count()
    for size in (3, 4, 3):
        prepare(program, arguments(np.zeros(size, np.float32)))
    assert compilation_count() - before == 2
    for size in (3, 4):
        assert program.ready(arguments(np.ones(size, np.float32)))
        assert np.asarray(program.run(*arguments(np.ones(size, np.float32)))[0]).tolist() == [2.0] * size
    assert not program.ready(arguments(np.ones(5, np.float32)))
    assert compilation_count() - before == 2


def test_preparing_changes_no_variable_and_keeps_nothing_alive() -> None:
    variable = tf.Variable([1.0, 2.0])
    program, arguments = program_of(lambda x: variable.assign_add(x), tf.TensorSpec([2], tf.float32))
    prepare(program, arguments(np.ones(2, np.float32)))
    assert variable.numpy().tolist() == [1.0, 2.0]
    before = compilation_count()
    program.run(*arguments(np.ones(2, np.float32)))
    assert variable.numpy().tolist() == [2.0, 3.0] and compilation_count() == before


def test_a_call_of_a_variable_without_a_value_cannot_be_prepared() -> None:
    variable = tf.Variable([1.0])
    program, arguments = program_of(lambda x: variable + x, tf.TensorSpec([1], tf.float32))
    call = arguments(np.ones(1, np.float32))
    call[-1][()].destroy()
    assert program.prepare is not None
    with pytest.raises(tf.errors.FailedPreconditionError, match="never initialized"):
        program.prepare(call)


def test_preparing_finds_out_which_arguments_decide_sizes() -> None:
    program, arguments = program_of(
        lambda x, n: x[:n] * 2.0, tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)
    )
    x, n = np.arange(5, dtype=np.float32), np.array(2, np.int32)
    prepare(program, arguments(x, n))
    before = compilation_count()
    assert program.ready(arguments(x, n)) and not program.ready(arguments(x, np.array(3, np.int32)))
    assert np.asarray(program.run(*arguments(x, n))[0]).tolist() == [0.0, 2.0]
    assert compilation_count() == before


def test_preparing_finds_out_that_a_graph_stays_on_the_numpy_tier() -> None:
    program, arguments = program_of(lambda x: tf.range(tf.reduce_sum(x)), tf.TensorSpec([1000], tf.int32))
    prepare(program, arguments(np.ones(1000, np.int32)))
    assert program.left_because is not None and program.engine == "numpy"
    assert np.asarray(program.run(*arguments(np.ones(1000, np.int32)))[0]).size == 1000


def test_a_call_waits_for_the_thread_that_compiles() -> None:
    program, arguments = program_of(lambda x: tf.nn.softmax(tf.exp(x) * 3.0), tf.TensorSpec([8], tf.float32))
    call, before = arguments(np.zeros(8, np.float32)), compilation_count()
    assert program.prepare is not None
    work = program.prepare(call)
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    result = np.asarray(program.run(*call)[0])
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(result, np.full(8, 0.125), rtol=1e-6)
    assert compilation_count() - before == 1


def test_a_call_with_lists_can_be_prepared() -> None:
    def total(handle: Any) -> Any:
        return tf.reduce_sum(
            tf.raw_ops.TensorListStack(input_handle=handle, element_shape=[2], element_dtype="float32")
        )

    program, arguments = program_of(total, tf.TensorSpec([], tf.variant))
    rows = tf.raw_ops.TensorListFromTensor(tensor=tf.ones([3, 2]), element_shape=[2])
    prepare(program, arguments(rows._eager_array))
    before = compilation_count()
    assert float(program.run(*arguments(rows._eager_array))[0]) == 6.0 and compilation_count() == before


def test_a_variable_that_changes_its_shape_gets_an_executable_of_its_own() -> None:
    variable = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    total = tf.function(lambda: tf.reduce_sum(variable), jit_compile=True, autograph=False)
    assert float(total()) == 3.0
    variable.assign([[5.0], [6.0], [7.0]])
    assert float(total()) == 18.0
    variable.assign([4.0, 5.0])
    assert float(total()) == 9.0


def test_an_attempt_compiles_nothing_and_runs_what_is_prepared() -> None:
    program, arguments = program_of(lambda x: x * 3.0, tf.TensorSpec([None], tf.float32))
    call, before = arguments(np.ones(2, np.float32)), compilation_count()
    assert program.attempt is not None
    assert program.attempt(*call) is None and compilation_count() == before
    prepare(program, call)
    for _ in range(2):
        results = program.attempt(*call)
        assert results is not None and np.asarray(results[0]).tolist() == [3.0, 3.0]
    assert program.attempt(*arguments(np.ones(3, np.float32))) is None
    assert compilation_count() - before == 1


def test_an_attempt_that_is_in_vain_draws_nothing_and_changes_no_variable() -> None:
    variable = tf.Variable([0.0, 0.0])

    def noisy(x: Any) -> Any:
        return variable.assign_add(x + tf.random.uniform([2], seed=3))

    def values(attempts: int) -> list[Any]:
        tf.random.set_seed(5)
        variable.assign([0.0, 0.0])
        program, arguments = program_of(noisy, tf.TensorSpec([2], tf.float32))
        call = arguments(np.ones(2, np.float32))
        assert program.attempt is not None
        for _ in range(attempts):
            assert program.attempt(*call) is None
        assert variable.numpy().tolist() == [0.0, 0.0]
        program.run(*call)
        assert program.attempt(*call) is not None
        return variable.numpy().tolist()

    assert values(0) == values(3)


def test_an_attempt_asks_for_the_arguments_that_decide_sizes() -> None:
    program, arguments = program_of(
        lambda x, n: x[:n] * 2.0, tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)
    )
    x = np.arange(5, dtype=np.float32)
    program.run(*arguments(x, np.array(2, np.int32)))
    assert program.attempt is not None
    assert program.attempt(*arguments(x, np.array(3, np.int32))) is None
    results = program.attempt(*arguments(x, np.array(2, np.int32)))
    assert results is not None and np.asarray(results[0]).tolist() == [0.0, 2.0]


def test_waiting_waits_for_results_and_variables() -> None:
    variable = tf.Variable(tf.ones([300, 300]))
    program, arguments = program_of(
        lambda x: variable.assign(tf.matmul(variable, x)), tf.TensorSpec([300, 300], tf.float32)
    )
    call = arguments(np.eye(300, dtype=np.float32))
    assert program.wait is not None
    results = program.run(*call)
    program.wait(call, results)
    assert all(array.is_ready() for array in (*results, call[-1][()].device) if not isinstance(array, np.ndarray))
    program.wait(call, [np.ones(2)])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the signal may come in a finalizer
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to a thread")
def test_ctrl_c_leaves_each_variable_with_a_value_of_the_same_call() -> None:
    first, second = tf.Variable(np.zeros(16, np.float32)), tf.Variable(np.zeros(16, np.float32))

    @tf.function(jit_compile=True)
    def step() -> Any:
        first.assign_add(first * 0.0 + 1.0)
        return second.assign_add(second * 0.0 + 1.0).read_value()

    for round_number in range(40):
        # Whenever the signal comes, in the first calls as well as later, the assertions hold.
        timer = threading.Timer(0.0005 * (round_number % 7), signal.raise_signal, [signal.SIGINT])
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            for count in itertools.count(1):
                step()
                if count % 2000 == 0:  # the signal came in a finalizer, where Python ignores what is raised
                    signal.raise_signal(signal.SIGINT)
        timer.join()
        np.testing.assert_array_equal(first.numpy(), second.numpy())
        thread = threading.Thread(target=step)  # no lock of a variable is left behind
        thread.start()
        thread.join(60)
        assert not thread.is_alive()


def test_ctrl_c_in_a_first_call_comes_when_variables_have_their_new_values(monkeypatch: pytest.MonkeyPatch) -> None:
    variable = tf.Variable([1.0, 2.0])
    program, arguments = program_of(lambda x: variable.assign_add(x), tf.TensorSpec([2], tf.float32))
    call = arguments(np.ones(2, np.float32))
    prepare(program, call)
    run = Executable._add

    def run_and_interrupt(self: Executable, *arguments: Any) -> None:
        run(self, *arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Executable, "_add", run_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        program.run(*call)
    assert variable.numpy().tolist() == [2.0, 3.0]

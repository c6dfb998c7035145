"""Which nodes of a graph form chains, and that programs with chains give what programs without chains give."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.engines.numpy import cache_blocking, fusion
from millrace._src.engines.numpy.fusion import Chain, form_chains
from millrace._src.passes.pipeline import optimize
from tests.contracts.test_every_pass import imported, outcome
from tests.passes.random_graphs import RandomGraph

ROWS = tf.TensorSpec([None, 64], tf.float32)
LARGE = tf.TensorSpec([1024, 64], tf.float32)
SMALL = tf.TensorSpec([10, 64], tf.float32)


def steps(f: Any, *specs: Any) -> list[str]:
    """The steps of a function as text: a node as its op, a chain as its ops in brackets."""
    graph = optimize(tf.function(f, autograph=False).get_concrete_function(*specs).graph)
    return [
        f"[{' '.join(n.type for n in step.nodes)}]" if isinstance(step, Chain) else step.type
        for step in form_chains(graph)
    ]


@pytest.mark.parametrize("spec", [ROWS, LARGE, tf.TensorSpec(None, tf.float32)])
def test_elementwise_nodes_that_read_each_other_are_a_chain(spec: Any) -> None:
    assert steps(lambda x: tf.tanh(x * 2.0) + x, spec) == ["[Mul Tanh AddV2]"]


def test_small_arrays_are_in_no_chain() -> None:
    assert steps(lambda x: tf.tanh(x * 2.0) + x, SMALL) == ["Mul", "Tanh", "AddV2"]


def test_a_single_node_is_no_chain() -> None:
    assert steps(lambda x: tf.linalg.matvec(tf.tanh(x), x[0]) + 1.0, tf.TensorSpec([300, 300], tf.float32))[0] == "Tanh"


def test_a_single_node_with_a_very_large_result_is_a_chain() -> None:
    assert steps(tf.tanh, tf.TensorSpec([1 << 20], tf.float32)) == ["[Tanh]"]


def test_two_chains_that_meet_are_one() -> None:
    assert steps(lambda x, y: tf.exp(-x) + tf.tanh(y * 2.0), LARGE, LARGE) == ["[Neg Exp Mul Tanh AddV2]"]


def test_a_node_outside_reads_a_whole_result_before_the_next_chain_begins() -> None:
    def f(x: Any) -> Any:
        a = tf.tanh(x * 2.0)
        return tf.exp(a - tf.reduce_max(a)) * 3.0

    assert steps(f, LARGE) == ["[Mul Tanh]", "Max", "[Sub Exp Mul]"]


def test_a_node_outside_that_reads_no_result_interrupts_nothing() -> None:
    def f(x: Any) -> Any:
        a = x * 2.0
        total = tf.reduce_sum(x)
        return tf.tanh(a) * total

    assert steps(f, LARGE) == ["Sum", "[Mul Tanh Mul]"]


def test_results_of_other_shapes_are_in_chains_of_their_own() -> None:
    def f(x: Any, y: Any) -> Any:
        return tf.exp(-x) * tf.exp(-y)

    assert steps(f, LARGE, tf.TensorSpec([5, 1024, 64], tf.float32)) == ["[Neg Exp]", "[Neg Exp Mul]"]
    assert steps(f, LARGE, tf.TensorSpec([64], tf.float32)) == ["Neg", "Exp", "[Neg Exp Mul]"]


def test_effects_strings_and_sums_of_sparse_arrays_are_in_no_chain() -> None:
    v = tf.Variable(np.zeros([1024, 64], np.float32))

    def f(x: Any) -> Any:
        v.assign_add(x * 2.0)
        return tf.strings.as_string(x) + "a", v * 2.0 + 1.0

    types = steps(f, LARGE)
    assert types[-1] == "[Mul AddV2]"
    assert {"AssignAddVariableOp", "AsString", "ReadVariableOp"} <= set(types)


def test_a_long_chain_is_several_chains() -> None:
    def f(x: Any) -> Any:
        for _ in range(250):
            x = tf.tanh(x)
        return x

    lengths = [text.count("Tanh") for text in steps(f, LARGE)]
    assert sum(lengths) == 250
    assert max(lengths) <= fusion._MAX_NODES
    assert len(lengths) == 3


def test_chains_in_loops_and_branches() -> None:
    def f(x: Any) -> Any:
        y = tf.while_loop(lambda x: tf.reduce_sum(x) < 1e3, lambda x: [tf.abs(x) * 2.0 + 1.0], [x])[0]
        return tf.cond(tf.reduce_sum(y) > 0.0, lambda: tf.tanh(y) * 2.0, lambda: y)

    graph = tf.function(f, autograph=False).get_concrete_function(LARGE).graph
    program = eager_engine().compile(optimize(graph))
    assert program.source is not None
    assert program.source.count(".size >= ") == 2
    x = np.linspace(-1, 1, 1 << 16, dtype=np.float32).reshape(1024, 64)
    np.testing.assert_array_equal(program.run(x)[0], np.tanh(np.abs(x) * 2 + 1) * 2)


def run(f: Any, *arrays: Any) -> list[Any]:
    """The results of a function on the NumPy engine."""
    specs = [tf.TensorSpec([None] * a.ndim, a.dtype) for a in arrays]
    graph = optimize(tf.function(f, autograph=False).get_concrete_function(*specs).graph)
    return [*eager_engine().compile(graph).run(*arrays)]


def test_small_and_large_arrays_go_through_the_same_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_blocking, "FEWEST", 1000)
    calls: list[Any] = []
    whole_call = cache_blocking.BlockProgram.__call__
    monkeypatch.setattr(
        cache_blocking.BlockProgram, "__call__", lambda self, *a: calls.append(a[0].size) or whole_call(self, *a)
    )
    graph = optimize(tf.function(lambda x: tf.tanh(x) * x, autograph=False).get_concrete_function(ROWS).graph)
    program = eager_engine().compile(graph)
    for rows in (3, 300, 3, 0):
        x = np.random.RandomState(rows).normal(size=(rows, 64)).astype(np.float32)
        np.testing.assert_array_equal(program.run(x)[0], np.tanh(x) * x)
    assert calls == [300 * 64]


def test_shapes_that_do_not_fit_are_an_error_of_the_operation() -> None:
    x, y = np.ones((1 << 17), np.float32), np.ones(3, np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"node culprit(?s:.*)test_fusion"):
        run(lambda x, y: tf.add(tf.tanh(x) * 2.0, y, name="culprit") * 3.0, x, y)


def test_a_node_that_may_refuse_values_keeps_its_position() -> None:
    numbers = tf.TensorSpec([1024, 64], tf.int32)
    assert steps(lambda x, y: (x + 1) // y + x, numbers, numbers) == ["AddV2", "FloorDiv", "AddV2"]
    assert steps(lambda x, y: (x + 1.0) / y + x, LARGE, LARGE) == ["[AddV2 RealDiv AddV2]"]


def test_a_kernel_that_refuses_values_is_an_error_of_the_operation() -> None:
    x = np.arange(1 << 17, dtype=np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"division by zero(?s:.*)node culprit"):
        run(lambda x: tf.math.floordiv(7, x - 3, name="culprit") + 1, x)


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_programs_in_blocks_give_the_bits_errors_and_effects_of_other_programs(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(start, start + 50):
        random = RandomGraph(seed)
        monkeypatch.setattr(cache_blocking, "FEWEST", 1 << 60)
        wanted = outcome(random, imported(random))
        monkeypatch.setattr(cache_blocking, "FEWEST", 1)
        monkeypatch.setattr(cache_blocking, "_BLOCK_BYTES", 16)
        assert outcome(random, imported(random)) == wanted, f"seed {seed}"


# --- variables that are changed in place -----------------------------------------------------------------------------


def variable_step() -> tuple[Any, Any]:
    """A variable, and a function whose chain reads, at its end, the value from before an assignment in between."""
    v = tf.Variable(np.zeros([1 << 17], np.float32))
    v.assign_add(tf.ones([1 << 17]))

    @tf.function(jit_compile=False)
    def step() -> Any:
        before = v.read_value()
        a = tf.tanh(before) * 0.0
        v.assign_add(tf.ones([1 << 17]))
        return a + before * 1.0, v * 1.0

    return v, step


def test_a_chain_reads_the_value_from_before_an_assignment() -> None:
    _, step = variable_step()
    for number in range(1, 6):
        before, after = step()
        assert set(before.numpy().tolist()) == {float(number)}
        assert set(after.numpy().tolist()) == {number + 1.0}


def test_threads_whose_chains_read_variables_see_whole_values() -> None:
    v, step = variable_step()
    pairs: list[Any] = []

    def run() -> None:
        for _ in range(30):
            before, after = (t.numpy() for t in step())
            pairs.append((before.min(), before.max(), after.min(), after.max()))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(low == high and after_low == after_high for low, high, after_low, after_high in pairs)
    assert set(v.numpy().tolist()) == {91.0}

"""Executables: one for each set of input shapes, never too many, each counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.resources import resource_of
from millrace._src.engines.compilations import compilation_count

pytestmark = pytest.mark.xla


def doubled() -> Any:
    signature = [tf.TensorSpec([None], tf.float32)]
    return tf.function(lambda x: x * 2.0, autograph=False, jit_compile=True, input_signature=signature)


def test_each_executable_is_counted_once() -> None:
    f, before = doubled(), compilation_count()
    for size in (1, 2, 1, 2, 3):
        assert np.asarray(f(tf.ones([size]))).tolist() == [2.0] * size
    assert compilation_count() - before == 3


def test_ever_new_shapes_drop_old_executables(monkeypatch: pytest.MonkeyPatch) -> None:
    from millrace._src.engines.xla import executables

    monkeypatch.setattr(executables, "_MAX_EXECUTABLES", 3)
    f, before = doubled(), compilation_count()
    for size in (1, 2, 3, 4):  # the fourth is one too many
        f(tf.ones([size]))
    assert compilation_count() - before == 4
    for _ in range(2):
        assert np.asarray(f(tf.ones([1]))).tolist() == [2.0]
    assert compilation_count() - before == 5


def test_a_program_for_another_caller_has_the_same_executables() -> None:
    program = doubled().get_concrete_function().graph_function
    program.program()
    before = compilation_count()
    first = program.graph.programs["xla"]
    assert first.for_caller is not None
    second = first.for_caller()
    for run in (first.run, second.run):
        assert np.asarray(run(np.ones(2, np.float32))[0]).tolist() == [2.0, 2.0]
    assert compilation_count() - before == 1


@pytest.mark.parametrize("order", [(0, 0, 1), (0, 1, 0), (1, 0, 0)])
def test_variables_that_inputs_share_are_one_value(order: tuple[int, ...]) -> None:
    def f(a: Any, b: Any, c: Any) -> Any:
        a.assign_add(1.0)
        return b + c.read_value() * 10.0

    expected = [[tf.Variable(3.0), tf.Variable(5.0)] for _ in range(2)]
    compiled = tf.function(f, autograph=False, jit_compile=True)
    found = [compiled(*[expected[0][i] for i in order]) for _ in range(2)]
    wanted = [f(*[expected[1][i] for i in order]) for _ in range(2)]
    assert [float(x) for x in found] == [float(x) for x in wanted]
    assert [float(v) for v in expected[0]] == [float(v) for v in expected[1]]


@pytest.mark.parametrize("size", [10, 1 << 20])
def test_a_variable_that_is_read_stays_with_xla_and_changes_no_tensor(size: int) -> None:
    variable = tf.Variable(tf.ones([size]))
    aligned = empty_array((size,), np.dtype(np.float32))
    aligned[...] = 1
    resource_of(variable.handle._eager_array).value = aligned  # XLA may take such an array without a copy
    earlier_value = variable.read_value()

    @tf.function(jit_compile=True)
    def total() -> Any:
        return tf.reduce_sum(variable)

    @tf.function(jit_compile=True)
    def grow() -> Any:
        return variable.assign_add(tf.ones([size]))

    assert total().numpy() == size
    assert resource_of(variable.handle._eager_array).device is not None
    for _ in range(3):
        grow()  # donates the array
    assert variable.numpy()[0] == 4 and total().numpy() == 4 * size
    assert earlier_value.numpy()[0] == earlier_value.numpy()[-1] == aligned[0] == 1
    variable.assign(tf.zeros([size]))
    assert total().numpy() == 0

"""Sweeps of tapes as programs: which tapes get one, when, and that it is for tapes of that form alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff import sweep_programs
from millrace._src.passes import constant_folding


@pytest.fixture(autouse=True)
def forms(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[Any, Any]]:
    """A table of forms of the test's own, in which a form gets its program the second time."""
    monkeypatch.setattr(sweep_programs, "_SWEEPS_BEFORE", 1)
    fresh: dict[Any, Any] = {}
    monkeypatch.setattr(sweep_programs, "_forms", fresh)
    yield fresh


def gradient(f: Callable[..., Any], *values: Any) -> Any:
    xs = [tf.constant(v, tf.float64) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [None if g is None else tf.convert_to_tensor(g).numpy().tolist() for g in tape.gradient(y, xs)]


def swept(f: Callable[..., Any], *values: Any) -> Any:
    """The gradient without programs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_programs, "_forms", {})
        return gradient(f, *values)


def programs(forms: dict[Any, Any]) -> list[Any]:
    return [found for found in forms.values() if callable(found)]


def test_a_form_gets_a_program_when_it_has_come_back(forms: dict[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_programs, "_SWEEPS_BEFORE", 3)
    for turn in range(6):
        assert gradient(lambda x: x * x, [1.0, turn]) == [[2.0, 2.0 * turn]]
        assert len(programs(forms)) == (turn >= 3)


def test_the_values_of_each_tape_are_its_own(forms: dict[Any, Any]) -> None:
    for turn in range(5):
        assert gradient(lambda x, y: tf.reduce_sum(x * y), [1.0, turn], [turn, 3.0]) == [[turn, 3.0], [1.0, turn]]
    assert len(forms) == len(programs(forms)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda x, y: x * y, lambda x, y: x - y),
        (lambda x, y: x * y, lambda x, y: y * x * x),
        (lambda x, y: x * x * y, lambda x, y: x * y * y),
        (lambda x, y: x[0] * y[1], lambda x, y: x[1] * y[0]),
        (lambda x, y: tf.reduce_mean(tf.stack([x, y]), 0), lambda x, y: tf.reduce_mean(tf.stack([x, y]), 1)),
        (lambda x, y: tf.reshape(x * y, [2, 1]) * [[1.0], [2.0]], lambda x, y: tf.reshape(x * y, [1, 2]) * [[1.0]]),
        (lambda x, y: tf.concat([x, y], 0) ** 2, lambda x, y: tf.concat([y, x], 0) ** 2),
        (lambda x, y: x * tf.stop_gradient(y), lambda x, y: tf.stop_gradient(x) * y),
        (lambda x, y: tf.cumsum(x * y), lambda x, y: tf.cumsum(x * y, reverse=True)),
        (lambda x, y: tf.cast(x, tf.float32) * tf.cast(y, tf.float32), lambda x, y: tf.cast(x * y, tf.float32)),
        (lambda x, y: [x * y, x], lambda x, y: [x * y, y]),
        (lambda x, y: [x * y, x + y], lambda x, y: x * y),
    ],
)  # fmt: skip
def test_tapes_that_differ_have_different_programs(first: Any, second: Any) -> None:
    values = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    for f in (first, second) * 3:
        assert gradient(f, *values) == swept(f, *values)


def test_axes_and_shapes_that_are_tensors_belong_to_the_form(forms: dict[Any, Any]) -> None:
    x = np.arange(6.0).reshape(2, 3)
    for axis in (0, 1, 0, 1, 0, 1):
        f = lambda x: tf.reduce_mean(x, tf.constant([axis])) ** 2  # noqa: B023, E731  (called in this turn)
        assert gradient(f, x) == swept(f, x)


def test_what_is_gathered_may_change_without_a_new_program(forms: dict[Any, Any]) -> None:
    for index in (0, 1, 2, 1, 0):
        found = gradient(lambda x: tf.gather(x, tf.constant([index, index]))[0] ** 2, [1.0, 2.0, 3.0])  # noqa: B023  (this turn's)
        assert found[0][index] == 2.0 * (index + 1)
    assert len(programs(forms)) == 1


def test_another_shape_or_dtype_or_source_is_another_form(forms: dict[Any, Any]) -> None:
    f = lambda x, y: tf.reduce_sum(x * y)  # noqa: E731  (a function of one line)
    for turn in range(2):
        assert gradient(f, [1.0, 2.0], 3.0) == [[3.0, 3.0], 3.0]
        assert gradient(f, [1.0, 2.0, turn], 3.0) == [[3.0] * 3, 3.0 + turn]
        x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = f(x, y)
        (only,) = tape.gradient(z, [y])
        assert (only.dtype, float(only)) == (tf.float32, 3.0)
        assert [g.numpy().tolist() for g in tape.gradient(z, [y, x])] == [3.0, [3.0, 3.0]]
    assert len(programs(forms)) == 4


def test_weights_of_the_target_are_arguments(forms: dict[Any, Any]) -> None:
    x = tf.constant([1.0, 2.0])
    for weight in (1.0, 2.0, 3.0):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert tape.gradient(y, x, tf.constant([weight, 1.0])).numpy().tolist() == [2.0 * weight, 4.0]
    assert len(programs(forms)) == 1


def test_a_missing_gradient_is_missing_in_a_program_too() -> None:
    for _ in range(3):
        assert gradient(lambda x, y: x * 2.0, 1.0, 1.0) == [2.0, None]
        assert gradient(lambda x, y: x * tf.stop_gradient(y), 1.0, 3.0) == [3.0, None]


def test_sparse_gradients_stay_sparse() -> None:
    table = tf.Variable([[1.0], [2.0], [3.0]])
    for row in (0, 2, 1):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(tf.convert_to_tensor(table), [row, row]) ** 2)
        found = tape.gradient(y, table)
        assert isinstance(found, tf.IndexedSlices)
        assert found.indices.numpy().tolist() == [row, row]
        np.testing.assert_array_equal(found.values, [[2.0 * (row + 1)]] * 2)
        assert found.dense_shape.numpy().tolist() == [3, 1]


def test_gradients_of_gradients_are_swept_op_by_op_where_a_tape_watches(forms: dict[Any, Any]) -> None:
    x = tf.constant(2.0)
    for _ in range(4):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            first = inner.gradient(y, x)
        assert (float(first), float(outer.gradient(first, x))) == (12.0, 12.0)
    assert len(programs(forms)) == 1  # that of the outer tape


def test_a_gradient_that_a_program_made_can_be_differentiated_by() -> None:
    x = tf.Variable(3.0)
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, x)
        with tf.GradientTape() as tape:
            tape.watch(g)
            z = g * g * x
        assert [float(d) for d in tape.gradient(z, [g, x])] == [36.0, 36.0]


def test_a_function_with_its_own_gradient_is_swept(forms: dict[Any, Any]) -> None:
    seen = []

    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            seen.append(dy)
            return 2.0 * dy

        return 2.0 * x, grad

    for turn in range(4):
        assert gradient(lambda x: doubled(x) * x, 3.0) == [12.0]
        assert len(seen) == turn + 1
    assert not programs(forms)


def test_a_program_that_fails_leaves_it_to_the_sweep_to_say_why(forms: dict[Any, Any]) -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    for index in (0, 1):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, [index])
        tape.gradient(y, x)

    def fail(*args: Any) -> Any:
        raise ValueError("the program fails")

    (found,) = programs(forms)
    found._program = fail
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [2])
    assert tf.convert_to_tensor(tape.gradient(y, x)).numpy().tolist() == [0.0, 0.0, 1.0]


def test_what_keeps_much_memory_is_swept_so_that_it_is_let_go_of(
    forms: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_programs, "_MAX_BYTES", 100)
    for _ in range(3):
        gradient(lambda x: x * x, [1.0] * 5)
        gradient(lambda x: x * x, [1.0] * 20)
    assert len(forms) == 2
    assert len(programs(forms)) == 1


def test_the_table_of_forms_stays_small(forms: dict[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_programs, "_MAX_FORMS", 8)
    for _ in range(3):
        gradient(lambda x: x * x, [1.0])
    for size in range(2, 30):
        gradient(lambda x: x * x, [1.0] * size)
        assert len(forms) <= 8
    assert len(programs(forms)) == 1
    for size in range(2, 30):
        for _ in range(2):
            gradient(lambda x: x * x, [1.0] * size)
        assert len(forms) <= 9


def test_complex_and_integer_and_repeated_sources() -> None:
    z, n = tf.constant(1.0 + 2.0j, tf.complex128), tf.constant(3)
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch([z, n])
            y = z * z
        a, b, c = tape.gradient(y, [z, n, z])
        assert b is None
        assert a.numpy() == c.numpy() == 2.0 - 4.0j


def test_a_program_keeps_no_large_constants(forms: dict[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constant_folding, "LARGEST", 10)
    for size in (4, 40):
        for _ in range(3):
            assert gradient(lambda x: x + x, [1.0] * size) == [[2.0] * size]
            assert gradient(lambda x: tf.reduce_mean(x), [1.0] * size) == [[pytest.approx(1.0 / size)] * size]
    assert len(programs(forms)) == 4
    for found in programs(forms):
        names = found.program.run.__globals__
        assert all(value.size <= 10 for name, value in names.items() if re.fullmatch(r"c\d+", name))


def test_what_is_done_with_a_gradient_does_not_reach_the_program() -> None:
    bias = tf.Variable([1.0, 2.0])
    kept = tf.Variable([0.0, 0.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = tf.constant([1.0, 1.0]) + bias
        g = tape.gradient(y, bias)
        assert g.numpy().tolist() == [1.0, 1.0]
        kept.assign(g)
        kept.assign_add(g)
        kept.scatter_nd_update([[0]], [7.0])
        assert kept.numpy().tolist() == [7.0, 2.0]

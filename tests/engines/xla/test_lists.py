"""Dense lists under XLA: their types in loops and branches, their way from and to NumPy's lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.tier_settings import Pin, settings

pytest.importorskip("jax")
pytestmark = pytest.mark.xla

from millrace._src.engines.tensor_lists import TensorList, from_items  # noqa: E402
from millrace._src.engines.xla import lists  # noqa: E402
from millrace._src.engines.xla.lists import to_dense  # noqa: E402

UNKNOWN = tf.TensorShape(None)


def test_a_list_survives_the_way_there_and_back() -> None:
    host = from_items([np.ones(2, np.float32), np.zeros(2, np.float32)], UNKNOWN, tf.float32)
    again = to_dense(host).to_host()
    assert [a.tolist() for a in again.items()] == [[1.0, 1.0], [0.0, 0.0]]
    assert to_dense(TensorList(tf.float32, UNKNOWN, 3)).is_unset


def test_elements_of_two_shapes_are_refused() -> None:
    host = from_items([np.ones(2), np.ones(3)], UNKNOWN, tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="elements have one shape"):
        to_dense(host)


def test_a_list_without_bound_grows_outside_of_loops() -> None:
    one = lists.reserve(tf.float32, UNKNOWN, 0, None)
    for i in range(3):
        one = one.push(np.float32(i))
    assert np.asarray(one.stack(-1, -1)).tolist() == [0.0, 1.0, 2.0]
    rest, last = one.pop(-1)
    assert (int(last), int(rest.size())) == (2, 2)


def test_an_index_out_of_range_is_moved_into_it() -> None:
    one = lists.from_rows(np.arange(3.0), UNKNOWN, tf.float64)
    assert float(one.get(7, -1)) == 2.0
    assert np.asarray(one.set(7, 9.0).stack(-1, -1)).tolist() == [0.0, 1.0, 9.0]


def test_a_list_of_another_length_than_declared_is_not_stacked() -> None:
    whole = lists.from_rows(ROWS, UNKNOWN, tf.float32)
    assert np.asarray(whole.stack(-1, 3)).tolist() == ROWS.tolist()
    for count in (0, 2, 4):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"with {count} elements but got a list with 3"):
            whole.stack(-1, count)


def test_lists_of_branches_get_one_type() -> None:
    unset = lists.reserve(tf.float32, UNKNOWN, 2, 2)
    filled = unset.set(0, np.ones(3, np.float32))
    model = lists.common_type([unset, filled])
    assert np.asarray(lists.conform(unset, model).stack(-1, -1)).tolist() == [[0.0] * 3] * 2


ZEROS = np.zeros(2, np.float32)
ROWS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def cleared_list() -> Any:
    return lists.from_rows(ROWS, UNKNOWN, tf.float32).set(1, ZEROS)


def test_a_row_that_becomes_zeros_is_marked_and_not_written() -> None:
    whole = lists.from_rows(ROWS, UNKNOWN, tf.float32)
    cleared = whole.set(1, ZEROS)
    assert cleared.data is whole.data
    assert [np.asarray(cleared.get(i, -1)).tolist() for i in range(3)] == [[1, 2], [0, 0], [5, 6]]
    written = cleared.set(1, ROWS[0])
    assert np.asarray(written.stack(-1, -1)).tolist() == [[1, 2], [1, 2], [5, 6]]
    assert np.signbit(np.asarray(whole.set(1, -ZEROS).get(1, -1))).all()


@pytest.mark.parametrize(
    "read, expected",
    [
        (lambda one: one.stack(-1, -1), [[1, 2], [0, 0], [5, 6]]),
        (lambda one: one.gather(np.array([1, 2]), -1), [[0, 0], [5, 6]]),
        (lambda one: one.push(ROWS[0]).stack(-1, -1), [[1, 2], [0, 0], [5, 6], [1, 2]]),
        (lambda one: one.pop(-1)[0].stack(-1, -1), [[1, 2], [0, 0]]),
        (lambda one: one.set(2, ZEROS).pop(-1)[1], [0, 0]),
        (lambda one: one.resize(2).resize(4).stack(-1, -1), [[1, 2], [0, 0], [0, 0], [0, 0]]),
        (lambda one: one.scatter(ROWS[:1], np.array([2])).stack(-1, -1), [[1, 2], [0, 0], [1, 2]]),
        (lambda one: (one + one).stack(-1, -1), [[2, 4], [0, 0], [10, 12]]),
        (lambda one: one.zeros_like().stack(-1, -1), [[0, 0]] * 3),
        (lambda one: np.stack(one.to_host().items()), [[1, 2], [0, 0], [5, 6]]),
        (lambda one: np.stack(one.items()), [[1, 2], [0, 0], [5, 6]]),
        (lambda one: one.extend([ROWS[0]]).stack(-1, -1), [[1, 2], [0, 0], [5, 6], [1, 2]]),
    ],
)
def test_a_cleared_row_reads_as_zeros_everywhere(read: Any, expected: Any) -> None:
    assert np.asarray(read(cleared_list())).tolist() == expected


def test_branches_with_and_without_cleared_rows_get_one_type() -> None:
    whole, cleared = lists.from_rows(ROWS, UNKNOWN, tf.float32), cleared_list()
    for options in ([whole, cleared], [cleared, whole]):
        model = lists.common_type(options)
        found = [np.asarray(lists.conform(one, model).stack(-1, -1)) for one in options]
        assert [rows[1].tolist() for rows in found] == [[3, 4], [0, 0]] if options[0] is whole else [[0, 0], [3, 4]]


@pytest.mark.parametrize("takes_branch", [True, False])
def test_a_gradient_clears_rows_in_a_loop_and_in_its_branches(takes_branch: bool) -> None:
    def loss(x: Any, order: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=4, clear_after_read=False)
        for i in tf.range(4):
            if tf.equal(i % 2, int(takes_branch)):
                array = array.write(order[i], x[i] * x[i])
            else:
                array = array.write(order[i], x[i])
        return tf.reduce_sum(array.stack() * tf.constant([[1.0], [2.0], [3.0], [4.0]]))

    def gradient(x: Any, order: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(x, order)
        return tape.gradient(value, x)

    x = tf.reshape(tf.range(8.0), [4, 2])
    order = tf.constant([2, 0, 3, 1])
    found = [tf.function(gradient, jit_compile=jit)(x, order).numpy().tolist() for jit in (True, False)]
    assert found[0] == found[1]


def test_the_number_of_iterations_is_counted_ahead() -> None:
    @tf.function(autograph=False, jit_compile=True)
    def f(x: Any) -> Any:
        handle = tf.raw_ops.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.float32)
        push = lambda i, h: (i + 2, tf.raw_ops.TensorListPushBack(input_handle=h, tensor=x))  # noqa: E731
        handle = tf.while_loop(lambda i, _: i < 9, push, (0, handle))[1]
        return tf.raw_ops.TensorListLength(input_handle=handle)

    assert int(f(tf.constant(1.0))) == 5


def test_lists_grow_in_nested_loops_and_in_one_loop_after_the_other(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="tensorflow")

    def push(handle: Any, x: Any) -> Any:
        return tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=x)

    def repeat(n: int, handle: Any, step: Any) -> Any:
        return tf.while_loop(lambda i, _: i < n, lambda i, h: (i + 1, step(i, h)), (0, handle))[1]

    def f(x: Any) -> Any:
        handle = tf.raw_ops.TensorListFromTensor(tensor=[7.0], element_shape=tf.zeros([0], tf.int32))
        number = lambda i: tf.cast(i, tf.float32) + x  # noqa: E731
        handle = repeat(3, handle, lambda i, h: push(repeat(2, h, lambda j, h: push(h, number(10 * i + j))), -x))
        handle = repeat(2, handle, lambda i, h: push(h, number(100 + i)))
        found = []
        for _ in range(12):
            handle, last = tf.raw_ops.TensorListPopBack(
                input_handle=handle, element_shape=tf.zeros([0], tf.int32), element_dtype=tf.float32
            )
            found.append(last)
        return tf.stack(found), tf.raw_ops.TensorListLength(input_handle=handle)

    expected = [[101.0, 100.0, 0.0, 21.0, 20.0, 0.0, 11.0, 10.0, 0.0, 1.0, 0.0, 7.0], 0]
    for jit in (False, True):
        values, size = tf.function(f, autograph=False, jit_compile=jit)(tf.constant(0.0))
        assert [values.numpy().tolist(), int(size)] == expected
    assert not [r for r in caplog.records if "NumPy tier" in r.getMessage()]


def test_a_list_with_a_maximum_is_full_at_some_time() -> None:
    one = lists.reserve(tf.float32, UNKNOWN, 0, 1).push(np.float32(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tried to push item into a full list"):
        one.push(np.float32(2.0))


@pytest.mark.parametrize("order", [1, 2])
def test_a_gradient_through_lists_of_several_lengths_stays_on_the_numpy_tier(order: int) -> None:
    def f(x: Any, n: Any) -> Any:
        def body(i: Any, array: Any) -> Any:
            item = tf.sin(x) * tf.cast(i, tf.float32)
            return i + 1, tf.cond(i % 2 == 0, lambda: array.write(array.size(), item), lambda: array)

        array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
        array = tf.while_loop(lambda i, array: i < n, body, (0, array))[1]
        return tf.reduce_sum(array.stack() ** 2)

    def derivative(f: Any, x: Any, order: int) -> Any:
        if not order:
            return f(x, tf.constant(5))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(f, x, order - 1)
        return tape.gradient(y, x)

    x = tf.constant(0.7)
    compiled = tf.function(f, autograph=False, jit_compile=True)
    expected = 20.0 * (np.sin(1.4) if order == 1 else 2 * np.cos(1.4))  # of 20 sin(x)^2
    assert derivative(compiled, x, order).numpy() == pytest.approx(expected, rel=1e-5)


def _uneven_list() -> Any:
    handle = tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)
    for element in ([1.0, 2.0], [3.0]):
        handle = tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=element)
    return handle


def _no_list() -> Any:
    return tf.raw_ops.OptionalFromValue(components=[tf.constant(1.0)])


@pytest.mark.parametrize("make", [_uneven_list, _no_list])
@pytest.mark.parametrize("pin", [Pin.AUTO, Pin.COMPILED, None])
def test_an_argument_without_a_form_of_xla_leaves_the_function_to_numpy(
    make: Any, pin: Pin | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"pin": pin or Pin.AUTO, "waits": True, "threshold": 0.0}.items():
        monkeypatch.setattr(settings, name, value)
    same = tf.function(lambda handle, x: (handle, tf.tanh(x) * 2.0), autograph=False, jit_compile=pin is None or None)
    for _ in range(4):
        handle, doubled = same(make(), tf.constant(0.5))
        assert handle.dtype is tf.variant and np.isclose(doubled, 2 * np.tanh(0.5))
    assert same.tier.name == "numpy"

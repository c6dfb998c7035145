"""Indices that loops count are proven to be in range; indices that may be out of range are not."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.passes.exactness import inexact_nodes
from millrace._src.passes.pipeline import optimize
from millrace._src.passes.value_ranges import proven_nodes

ROWS = tf.TensorSpec([5, 2], tf.float32)
ANY_ROWS = tf.TensorSpec([None, 2], tf.float32)
NUMBER = tf.TensorSpec([], tf.int32)


def inexact(function: Any, *specs: Any, autograph: bool = False) -> list[str]:
    concrete = tf.function(function, autograph=autograph).get_concrete_function(*specs)
    return [node.type for node in inexact_nodes(optimize(concrete.graph))]


def summed(bound: Any, read: Any, start: int = 0, step: int = 1) -> Any:
    """A loop that adds up what is read at each index."""

    def function(x: Any, n: Any) -> Any:
        limit = bound(x, n) if callable(bound) else bound
        first = [tf.constant(start), tf.zeros([2])]
        return tf.while_loop(lambda i, s: i < limit, lambda i, s: (i + step, s + read(x, i)), first)[1]

    return function


@pytest.mark.parametrize("spec", [ROWS, ANY_ROWS])
def test_the_rows_of_a_tensor_one_after_the_other_are_in_range(spec: Any) -> None:
    def length(x: Any, n: Any) -> Any:
        return tf.shape(x)[0]

    assert inexact(summed(length, lambda x, i: x[i]), spec, NUMBER) == []
    assert inexact(summed(length, lambda x, i: tf.gather(x, i)), spec, NUMBER) == []


def test_a_bound_that_is_a_number_fits_a_known_length_alone() -> None:
    assert inexact(summed(5, lambda x, i: x[i]), ROWS, NUMBER) == []
    assert inexact(summed(6, lambda x, i: x[i]), ROWS, NUMBER) == ["StridedSlice"]
    assert inexact(summed(5, lambda x, i: x[i]), ANY_ROWS, NUMBER) == ["StridedSlice"]


def test_an_index_next_to_the_counter_may_be_out_of_range() -> None:
    assert inexact(summed(4, lambda x, i: x[i + 1]), ROWS, NUMBER) == []
    assert inexact(summed(5, lambda x, i: x[i + 1]), ROWS, NUMBER) == ["StridedSlice"]
    assert inexact(summed(5, lambda x, i: x[i - 1]), ROWS, NUMBER) == ["StridedSlice"]
    assert inexact(summed(5, lambda x, i: x[i - 1], start=1), ROWS, NUMBER) == []


def test_a_counter_that_begins_below_zero_may_be_out_of_range() -> None:
    assert inexact(summed(5, lambda x, i: x[i], start=-1), ROWS, NUMBER) == ["StridedSlice"]


def test_a_counter_with_large_steps_is_in_range() -> None:
    assert inexact(summed(5, lambda x, i: x[i], step=3), ROWS, NUMBER) == []


def test_a_bound_of_the_caller_is_no_length() -> None:
    assert inexact(summed(lambda x, n: n, lambda x, i: x[i]), ANY_ROWS, NUMBER) == ["StridedSlice"]


def test_an_index_of_the_caller_may_be_out_of_range() -> None:
    assert inexact(lambda x, n: x[n], ROWS, NUMBER) == ["StridedSlice"]
    assert inexact(lambda x, n: tf.gather(x, n), ROWS, NUMBER) == ["GatherV2"]


def test_a_list_with_as_many_items_as_the_caller_says_is_filled_in_range() -> None:
    def function(x: Any, n: Any) -> Any:
        rows = tf.TensorArray(tf.float32, n)
        return tf.while_loop(lambda i, r: i < n, lambda i, r: (i + 1, r.write(i, x[0])), [0, rows])[1].stack()

    def too_far(x: Any, n: Any) -> Any:
        rows = tf.TensorArray(tf.float32, n)
        return tf.while_loop(lambda i, r: i <= n, lambda i, r: (i + 1, r.write(i, x[0])), [0, rows])[1].stack()

    assert inexact(function, ROWS, NUMBER) == []
    assert inexact(too_far, ROWS, NUMBER) == ["TensorListSetItem"]


def test_what_maps_and_scans_rows_is_in_range() -> None:
    for spec in (ROWS, ANY_ROWS):
        assert inexact(lambda x: tf.map_fn(lambda r: r * 2.0, x), spec) == []
    assert inexact(lambda x: tf.scan(lambda a, r: a + r, x), ROWS) == []


def test_a_scan_of_no_rows_has_no_first_row() -> None:
    assert "TensorListGetItem" in inexact(lambda x: tf.scan(lambda a, r: a + r, x), ANY_ROWS)


def test_a_step_of_a_recurrent_net_and_its_gradient_are_in_range() -> None:
    w = tf.Variable(tf.ones([2, 2]))

    def rows(x: Any) -> Any:
        with tf.GradientTape() as tape:
            state, states = tf.zeros([1, 2]), tf.TensorArray(tf.float32, 5)
            for t in tf.range(5):
                state = tf.tanh(x[t] @ w + state)
                states = states.write(t, state)
            loss = tf.reduce_sum(states.stack())
        w.assign_sub(tape.gradient(loss, w))
        return loss

    spec = tf.TensorSpec([5, 1, 2], tf.float32)
    assert inexact(rows, spec, autograph=True) == []


def test_a_list_that_more_is_taken_from_than_was_put_in_is_not_proven() -> None:
    def function(n: Any, extra: int) -> Any:
        items = tf.raw_ops.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.float32)

        def fill(i: Any, items: Any) -> Any:
            return i + 1, tf.raw_ops.TensorListPushBack(input_handle=items, tensor=1.0)

        def take(i: Any, items: Any, total: Any) -> Any:
            items, item = tf.raw_ops.TensorListPopBack(
                input_handle=items, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32
            )
            return i - 1, items, total + item

        count, items = tf.while_loop(lambda i, _: i < n, fill, [0, items])
        return tf.while_loop(lambda i, *_: i > 0, take, [count + extra, items, 0.0])[2]

    assert inexact(lambda n: function(n, 0), NUMBER) == []
    assert inexact(lambda n: function(n, 1), NUMBER) == ["TensorListPopBack"]


def test_a_loop_in_a_loop_is_in_range() -> None:
    def function(x: Any) -> Any:
        def outer(i: Any, s: Any) -> Any:
            inner = tf.while_loop(lambda j, s: j < 2, lambda j, s: (j + 1, s + x[i][j]), [0, s])
            return i + 1, inner[1]

        return tf.while_loop(lambda i, s: i < 5, outer, [0, 0.0])[1]

    assert inexact(function, ROWS) == []


BATCH = tf.TensorSpec([None, 5, 3], tf.float32)


@pytest.mark.parametrize(
    "read",
    [
        lambda x, i: x[:, i],
        lambda x, i: x[:, i, 2],
        lambda x, i: x[:, i, -3],
        lambda x, i: x[..., i, :],
        lambda x, i: x[..., i, tf.newaxis, 0],
        lambda x, i: x[:, tf.newaxis, i, ::2],
        lambda x, i: x[1:, tf.cast(i, tf.int64)],
    ],
)
def test_an_index_of_another_axis_is_in_range(read: Any) -> None:
    loop = summed(5, lambda x, i: tf.reduce_sum(read(x, i)))
    assert inexact(loop, BATCH, NUMBER) == []
    loop = summed(6, lambda x, i: tf.reduce_sum(read(x, i)))
    assert inexact(loop, BATCH, NUMBER) == ["StridedSlice"]


def test_an_index_beside_one_in_range_may_be_out_of_range() -> None:
    assert inexact(summed(5, lambda x, i: tf.reduce_sum(x[i, i])), BATCH, NUMBER) == ["StridedSlice"]
    assert inexact(summed(5, lambda x, i: tf.reduce_sum(x[:, i, i])), BATCH, NUMBER) == ["StridedSlice"]
    assert inexact(summed(5, lambda x, i: tf.reduce_sum(x[:, i, -4])), BATCH, NUMBER) == ["StridedSlice"]


@pytest.mark.parametrize("axis_wide", [True, False])
def test_a_loop_over_steps_that_is_vectorized_is_in_range(axis_wide: bool) -> None:
    def of_one(x: Any) -> Any:
        def step(i: Any, s: Any) -> Any:
            return i + 1, s + (tf.reduce_sum(x[i]) if axis_wide else x[i, 1])

        return tf.while_loop(lambda i, s: i < 5, step, [0, 0.0])

    assert inexact(lambda x: tf.vectorized_map(of_one, x), tf.TensorSpec([4, 5, 3], tf.float32)) == []


def test_a_number_of_the_program_is_in_range_of_the_axes_that_are_known() -> None:
    assert inexact(lambda x: x[:, -1], BATCH) == []
    assert inexact(lambda x: x[:, 4, 0], BATCH) == []
    assert inexact(lambda x: x[0], BATCH) == ["StridedSlice"]
    assert inexact(lambda x: x[-1], BATCH) == ["StridedSlice"]
    assert inexact(lambda x: tf.gather(x, -1, axis=1), BATCH) == ["GatherV2"]


def test_a_counter_that_a_narrow_integer_cannot_hold_may_be_out_of_range() -> None:
    def narrow(x: Any, i: Any) -> Any:
        return x[tf.cast(tf.cast(i, tf.int8), tf.int32)]

    assert inexact(summed(5, narrow), ROWS, NUMBER) == []
    assert inexact(summed(200, narrow), tf.TensorSpec([200, 2], tf.float32), NUMBER) == ["StridedSlice"]


@pytest.mark.parametrize(("dtype", "step"), [(tf.int8, 120), (tf.int32, 2**31 - 8), (tf.int64, 2**63 - 8)])
def test_a_counter_that_wraps_around_may_be_out_of_range(dtype: Any, step: int) -> None:
    def function(x: Any, n: Any) -> Any:
        def body(i: Any, k: Any, s: Any) -> Any:
            return i + tf.constant(step, dtype), k + 1, s + tf.gather(x, tf.cast(i, tf.int64))

        start = [tf.constant(9, dtype), tf.constant(0), tf.zeros([2])]
        return tf.while_loop(lambda i, k, s: (i < tf.constant(10, dtype)) & (k < n), body, start)[2]

    assert inexact(function, tf.TensorSpec([120, 2], tf.float32), NUMBER) == ["GatherV2"]


def test_a_number_of_the_caller_plus_one_may_wrap_around() -> None:
    loop = summed(lambda x, n: n + 1, lambda x, i: x[i])
    assert inexact(loop, ROWS, NUMBER) == ["StridedSlice"]


def test_sizes_of_an_iteration_say_nothing_of_the_next_one() -> None:
    raw = tf.raw_ops
    shape = tf.constant([], tf.int32)

    def function(x: Any, lengths: Any) -> Any:
        def body(k: Any, sizes: Any, s: Any) -> Any:
            y = x[: lengths[k]]

            def with_earlier_size() -> Any:
                size = raw.TensorListGetItem(
                    input_handle=sizes, index=k - 1, element_shape=shape, element_dtype=tf.int32
                )
                return tf.while_loop(lambda j, s: j < size, lambda j, s: (j + 1, s + y[j, 0]), [0, s])[1]

            s = tf.cond(k > 0, with_earlier_size, lambda: s)
            return k + 1, raw.TensorListPushBack(input_handle=sizes, tensor=tf.shape(y)[0]), s

        sizes = raw.EmptyTensorList(element_shape=shape, max_num_elements=-1, element_dtype=tf.int32)
        return tf.while_loop(lambda k, sizes, s: k < 2, body, [0, sizes, 0.0])[2]

    concrete = tf.function(function, autograph=False).get_concrete_function(ANY_ROWS, tf.TensorSpec([2], tf.int32))
    inner = [node.name for node in inexact_nodes(optimize(concrete.graph))]
    assert any("while/cond/while/strided_slice" in name for name in inner), inner


def test_graphs_without_indices_take_no_time() -> None:
    concrete = tf.function(lambda x, n: x + tf.cast(n, x.dtype), autograph=False).get_concrete_function(ROWS, NUMBER)
    assert proven_nodes(optimize(concrete.graph)) == set()

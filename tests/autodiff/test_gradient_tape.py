"""`tf.GradientTape`: what is watched, what is recorded, when it is forgotten, and every refusal."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


# --- watching ------------------------------------------------------------------------------------------------------


def test_trainable_variables_are_watched_when_they_are_read_and_others_are_not() -> None:
    v, w, fixed = tf.Variable(2.0, name="v"), tf.Variable(3.0, name="w"), tf.Variable(4.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * fixed
    assert [x.name for x in tape.watched_variables()] == ["v:0"]
    assert [value(g) for g in tape.gradient(y, [v, w, fixed])] == [4.0, None, None]


def test_a_tape_that_does_not_watch_accessed_variables_watches_what_it_is_told() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    assert [value(g) for g in tape.gradient(y, [v, w])] == [3.0, None]
    assert len(tape.watched_variables()) == 1


def test_watching_takes_nested_structures() -> None:
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"a": a, "rest": [b]})
        y = a * b
    assert value(tape.gradient(y, {"a": a, "b": b})["b"]) == 2.0


def test_a_constant_is_not_watched_by_itself() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_ops_before_the_watch_are_not_recorded() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        tape.watch(x)
        z = x * y
    assert tape.gradient(y, x) is None
    assert value(tape.gradient(z, x)) == 9.0


@pytest.mark.parametrize("thing", [3.0, "text", object(), [1.0]])
def test_watching_something_that_is_no_tensor_raises(thing: Any) -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="Passed in object"):
        tape.watch(thing)


def test_watching_a_leaf_none_raises() -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="Passed in object"):
        tape.watch(None)


def test_a_watched_integer_gives_no_gradient() -> None:
    x = tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None


# --- structure of what comes back ------------------------------------------------------------------------------------


def test_the_gradients_have_the_structure_of_the_sources() -> None:
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = a * a * b
    assert value(tape.gradient(y, a)) == 12.0
    found = tape.gradient(y, {"x": [a, b], "y": (a,)})
    assert isinstance(found["x"], list)
    assert isinstance(found["y"], tuple)
    assert [value(g) for g in found["x"]] == [12.0, 4.0]
    assert tape.gradient(y, []) == []


def test_a_source_given_twice_gets_its_whole_gradient_twice() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert [value(g) for g in tape.gradient(y, [x, x])] == [6.0, 6.0]


def test_the_gradients_of_several_targets_are_added() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y, z = x * x, 5.0 * x
    assert value(tape.gradient([y, z], x)) == 11.0
    assert value(tape.gradient({"a": y, "b": [z, z]}, x)) == 16.0


def test_a_target_that_is_the_source_has_gradient_one() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
    assert value(tape.gradient(x, x)) == [1.0, 1.0]


def test_even_one_that_is_not_watched() -> None:
    x, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert [value(tape.gradient(t, t)) for t in (x, y, v)] == [1.0, 1.0, 1.0]
    assert tape.gradient(y, x) is None
    assert value(tape.gradient([x, y], x)) == 1.0


def test_an_intermediate_may_be_target_and_source() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert value(tape.gradient(z, y)) == 8.0
    assert [value(g) for g in tape.gradient([z, y], [x, y])] == [36.0, 9.0]


def test_output_gradients_weigh_the_targets() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert value(tape.gradient(y, x, output_gradients=tf.constant([10.0, 1.0]))) == [20.0, 4.0]
    assert value(tape.gradient([y, y], x, output_gradients=[tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])])) == [
        2.0,
        4.0,
    ]


def test_targets_without_a_weight_count_once() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y, z = v * v, v * 1.0
    assert value(tape.gradient([y, z], v, output_gradients=[tf.constant(1.0)])) == 5.0


def test_a_weight_of_a_larger_shape_than_the_target_raises() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    with pytest.raises(tf.errors.InvalidArgumentError):
        tape.gradient(y, v, output_gradients=tf.constant([5.0, 1.0]))


def test_a_variable_may_be_the_target() -> None:
    v = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        v * v
    assert value(tape.gradient(v, v)) == [1.0, 1.0]


# --- unconnected -----------------------------------------------------------------------------------------------------


def test_an_unconnected_source_gives_none_or_zeros_as_asked() -> None:
    x, other, v = tf.constant(1.0), tf.constant([[1.0, 2.0]]), tf.Variable([3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * 2.0
    assert tape.gradient(y, other) is None
    assert value(tape.gradient(y, other, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == [[0.0, 0.0]]
    assert value(tape.gradient(y, v, unconnected_gradients="zero")) == [0.0]
    assert tape.gradient(y, v, unconnected_gradients="none") is None


def test_an_unknown_way_to_treat_unconnected_gradients_raises() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'nonsense'"):
        tape.gradient(y, x, unconnected_gradients="nonsense")


def test_stop_gradient_cuts_the_path() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x)
    assert value(tape.gradient(y, x)) == 3.0


# --- life of a tape --------------------------------------------------------------------------------------------------


def test_a_second_gradient_of_a_plain_tape_raises() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used to compute one set"):
        tape.gradient(y, x)
    assert [v is x for v in tape.watched_variables()] == [True]


def test_a_tape_whose_gradient_failed_midway_says_so_afterwards() -> None:
    @tf.custom_gradient
    def failing(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise ValueError("no gradient today")

        return 2.0 * x, grad

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(failing(3.0 * x) * 2.0)
    with pytest.raises(ValueError, match="no gradient today"):
        tape.gradient(y, x)
    for _ in range(2):
        with pytest.raises(tf.errors.InternalError, match="Internal state of the gradient tape is invalid"):
            tape.gradient(y, x)


def test_a_persistent_tape_differentiates_as_often_as_asked() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    assert [value(tape.gradient(t, x)) for t in (y, z, y)] == [6.0, 108.0, 6.0]


def test_entering_an_active_tape_again_raises() -> None:
    tape = tf.GradientTape()
    with tape, pytest.raises(ValueError, match="Tape is still recording"):
        tape.__enter__()


def test_a_tape_entered_again_after_its_scope_goes_on_recording() -> None:
    x = tf.Variable(3.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        y = x * x
    unrecorded = x * 5.0
    with tape:
        z = y * x
    assert value(tape.gradient(z, x)) == 27.0
    assert tape.gradient(unrecorded, x) is None


def test_the_gradient_inside_the_scope_ends_the_recording_of_a_plain_tape() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        assert value(tape.gradient(y, x)) == 6.0
        z = x * y
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(z, x)


def test_an_exception_in_the_scope_ends_the_recording() -> None:
    x = tf.Variable(3.0)
    tape = tf.GradientTape(persistent=True)
    with pytest.raises(ZeroDivisionError), tape:
        y = x * x
        raise ZeroDivisionError
    z = y * x
    assert value(tape.gradient(y, x)) == 6.0
    assert tape.gradient(z, x) is None


def test_a_reset_forgets_what_was_recorded_and_watched() -> None:
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
        tape.reset()
        assert tape.watched_variables() == ()
        tape.watch(x)
        z = x + y
    assert value(tape.gradient(z, x)) == 1.0


def test_a_reset_outside_the_scope_raises() -> None:
    tape = tf.GradientTape()
    with pytest.raises(ValueError, match="Tape is not recording"):
        tape.reset()


def test_stop_recording_suspends_and_resumes_even_after_an_exception() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        with pytest.raises(ZeroDivisionError), tape.stop_recording():
            hidden = x * x
            raise ZeroDivisionError
        y = x * hidden
    assert tape.gradient(hidden, x) is None
    assert value(tape.gradient(y, x)) == 9.0


def test_stop_recording_of_a_tape_that_does_not_record_raises() -> None:
    tape = tf.GradientTape()
    with pytest.raises(RuntimeError), tape.stop_recording():
        pass


def test_stop_recording_of_one_tape_leaves_the_other_recording() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        with inner.stop_recording():
            y = x * x
    assert inner.gradient(y, x) is None
    assert value(outer.gradient(y, x)) == 6.0


def test_tapes_may_end_in_another_order_than_they_began() -> None:
    x = tf.Variable(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    second.__enter__()
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    assert value(first.gradient(z, x)) is None
    assert value(second.gradient(z, x)) == 27.0


# --- targets that have no gradient -----------------------------------------------------------------------------------


def test_an_integer_target_gives_none() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.int32)
    assert tape.gradient(y, x) is None


def test_a_string_target_gives_none() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.strings.as_string(x)
    assert tape.gradient(y, x) is None


def test_a_target_none_raises() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x * x
    with pytest.raises(TypeError, match="Argument `target` should be a list or nested structure"):
        tape.gradient(None, x)


def test_a_float_path_through_an_integer_gives_none() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0
    assert tape.gradient(y, x) is None


def test_an_op_without_a_gradient_raises_when_it_is_on_the_path() -> None:
    x = tf.Variable([3.0, 1.0])
    with tf.GradientTape() as tape:
        y = tf.cast(tf.argsort(x), tf.float32) + x
    assert value(tape.gradient(y, x)) == [1.0, 1.0]


# --- variables -------------------------------------------------------------------------------------------------------


def test_an_assignment_does_not_change_what_was_recorded() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(100.0)
    assert value(tape.gradient(y, v)) == 6.0


def test_a_gradient_does_not_flow_through_an_assignment() -> None:
    v, w = tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        w.assign(v * v)
        y = w * 2.0
    assert [value(g) for g in tape.gradient(y, [v, w])] == [None, 2.0]


def test_the_gradient_of_a_gather_from_a_variable_is_sparse() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0, 2]) * 2.0
    found = tape.gradient(y, v)
    assert isinstance(found, tf.IndexedSlices)
    assert value(found.indices) == [2, 0, 2]
    assert value(found.values) == [[2.0, 2.0]] * 3
    assert value(found.dense_shape) == [3, 2]
    assert value(tf.convert_to_tensor(found)) == [[2.0, 2.0], [0.0, 0.0], [4.0, 4.0]]


def test_sparse_gradients_of_several_gathers_stay_sparse() -> None:
    v = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 1])) + 3.0 * tf.reduce_sum(tf.gather(v, [1, 1]))
    found = tape.gradient(y, v)
    assert isinstance(found, tf.IndexedSlices)
    assert value(tf.convert_to_tensor(found)) == [[1.0], [7.0], [0.0]]


def test_a_sparse_and_a_dense_gradient_add_up_to_a_dense_one() -> None:
    v = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 0])) + tf.reduce_sum(v * v)
    found = tf.convert_to_tensor(tape.gradient(y, v))
    assert value(found) == [[4.0], [4.0], [6.0]]


def test_a_sparse_gradient_of_int32_and_int64_indices_adds_up() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, tf.constant([0], tf.int32))) + tf.reduce_sum(
            tf.gather(v, tf.constant([0, 2], tf.int64))
        )
    assert value(tf.convert_to_tensor(tape.gradient(y, v))) == [2.0, 0.0, 1.0]


def test_a_sparse_gradient_flows_on_through_further_ops() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.gather(v * v, [1, 1])
    assert value(tape.gradient(y, v)) == [0.0, 8.0, 0.0]


# --- threads and memory ----------------------------------------------------------------------------------------------


def test_a_tape_records_only_its_own_thread() -> None:
    x = tf.Variable(3.0)
    results: list[Any] = []
    with tf.GradientTape() as tape:
        worker = threading.Thread(target=lambda: results.append(x * x))
        worker.start()
        worker.join()
        y = x * 2.0
    assert [value(g) for g in (tape.gradient([results[0], y], x),)] == [2.0]


def test_many_threads_differentiate_at_once() -> None:
    v = tf.Variable(2.0)
    results: dict[int, Any] = {}

    def work(n: int) -> None:
        for _ in range(20):
            with tf.GradientTape() as tape:
                y = v * float(n) * v
            results[n] = value(tape.gradient(y, v))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {n: 4.0 * n for n in range(6)}


def test_a_dropped_tape_frees_the_tensors_it_held() -> None:
    x = tf.Variable(tf.ones([10]))
    with tf.GradientTape() as tape:
        middle = tf.exp(x)
        y = middle * middle
    seen = weakref.ref(middle)
    del middle, y
    assert seen() is not None
    del tape
    gc.collect()
    assert seen() is None


def test_a_gradient_frees_the_tensors_of_a_plain_tape() -> None:
    x = tf.Variable(tf.ones([10]))
    with tf.GradientTape() as tape:
        middle = tf.exp(x)
        y = middle * middle
    seen = weakref.ref(middle)
    del middle
    tape.gradient(y, x)
    gc.collect()
    assert seen() is None

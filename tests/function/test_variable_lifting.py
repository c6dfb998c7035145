from __future__ import annotations

import gc
from typing import Any

import pytest

import millrace as tf
from millrace._src.function.variable_lifting import UnliftableError

SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created "
    "once or created outside tf.function."
)


def test_a_variable_made_on_every_call_is_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x + tf.Variable(1.0)

    with pytest.raises(ValueError, match=SINGLETON) as caught:
        f(1.0)
    assert "The tf.Variable is created here:" in str(caught.value) and __file__ in str(caught.value)


def test_variables_of_the_first_call_are_made_once_in_two_traces() -> None:
    state: list[Any] = []
    traces = []

    @tf.function
    def f(x: Any) -> Any:
        traces.append(1)
        if not state:
            state.append(tf.Variable(2.0 * x))
            state.append(tf.Variable(state[0] * 3.0))
        return state[0] * x * state[1]

    assert float(f(tf.constant(1.0))) == 12.0
    assert float(f(tf.constant(3.0))) == 36.0
    assert len(traces) == 2 and f.experimental_get_tracing_count() == 2
    assert [float(v) for v in state] == [2.0, 6.0]


def test_the_body_sees_a_variable_without_a_value() -> None:
    seen: list[Any] = []
    state: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(lambda: tf.ones([2]), trainable=False, name="w"))
            seen.append(repr(state[0]))
            state[0].assign_add([1.0, 1.0])
        return state[0] + x

    assert f(1.0).numpy().tolist() == [2.0, 2.0]
    assert seen == ["<tf.Variable 'w:0' shape=(2,) dtype=float32>"]
    assert state[0].numpy().tolist() == [1.0, 1.0] and not state[0].trainable


def test_attributes_of_a_module_made_on_first_call() -> None:
    class Dense(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]), name="w")
            return self.w * x

    dense = Dense()
    assert dense(tf.constant(3.0)).numpy().tolist() == [3.0, 3.0]
    assert dense(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    assert [v.name for v in dense.trainable_variables] == ["w:0"]


def test_creation_on_a_later_call_is_refused() -> None:
    made: list[Any] = []

    @tf.function
    def f(x: Any, make: Any) -> Any:
        if make:
            made.append(tf.Variable(1.0))
        return x

    f(1.0, False)
    with pytest.raises(
        ValueError, match=r"Creating variables on a non-first call to a function decorated with tf.function."
    ):
        f(1.0, True)
    assert made == []


def test_creation_for_a_second_signature_is_refused() -> None:
    state: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(1.0))
        return x + state[0]

    assert float(f(1.0)) == 2.0
    state.clear()
    gc.collect()
    assert float(f(1.0)) == 2.0  # the storage lives with the trace
    with pytest.raises(ValueError, match=SINGLETON):
        f(tf.constant([1.0]))


def test_get_concrete_function_initializes() -> None:
    state: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(2.0))
        return state[0] + x

    c = f.get_concrete_function(tf.TensorSpec([]))
    assert float(state[0]) == 2.0 and float(c(tf.constant(1.0))) == 3.0 and float(f(tf.constant(1.0))) == 3.0


def test_an_initial_value_that_needs_an_unknown_argument_cannot_be_lifted() -> None:
    state: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(x * 2.0))
        return state[0] + x

    with pytest.raises(UnliftableError) as caught:
        f.get_concrete_function(tf.TensorSpec([]))
    assert str(caught.value) == (
        "Unable to lift tensor <tf.Tensor 'mul:0' shape=() dtype=float32> because it depends transitively on "
        "placeholder "
        "<tf.Operation 'x' type=Placeholder> via at least one path, e.g.: mul (Mul) <- x (Placeholder)"
    )


def test_initial_values_may_use_parts_of_arguments() -> None:
    state: list[Any] = []

    @tf.function
    def f(batch: Any, mask: Any = None) -> Any:
        if not state:
            state.append(tf.Variable(batch["x"][0] + 1.0))
        return state[0] * batch["x"][0]

    assert float(f({"x": (tf.constant(2.0), "a")})) == 6.0


def test_initial_values_may_use_captured_tensors() -> None:
    state: list[Any] = []
    k = tf.constant([1.0, 2.0])

    @tf.function
    def f() -> Any:
        if not state:
            state.append(tf.Variable(k * 2.0))
        return state[0] + 1.0

    assert f().numpy().tolist() == [3.0, 5.0]


def test_init_scope_makes_variables_outside() -> None:
    state: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            with tf.init_scope():
                state.append(tf.Variable(2.0))
        return x * state[0]

    assert float(f(3.0)) == 6.0 and f.experimental_get_tracing_count() == 2


def test_a_variable_made_in_init_scope_on_every_trace_is_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.init_scope():
            v = tf.Variable(2.0)
        return x * v

    with pytest.raises(ValueError, match=SINGLETON):
        f(3.0)


def test_the_users_variable_creators_are_asked_first() -> None:
    state: list[Any] = []
    names: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(2.0))
        return x * state[0]

    def creator(next_creator: Any, **kwargs: Any) -> Any:
        names.append(kwargs["initial_value"])
        kwargs["name"] = "mine"
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        assert float(f(3.0)) == 6.0
    assert names == [2.0] and state[0].name == "mine:0"


def test_effects_before_the_second_trace_do_not_happen_twice() -> None:
    state: list[Any] = []
    count = tf.Variable(0)

    @tf.function
    def f() -> Any:
        count.assign_add(1)
        if not state:
            state.append(tf.Variable(count + 0))
        return count.read_value()

    assert int(f()) == 1 and int(count) == 1


def test_a_variable_in_a_nested_function() -> None:
    state: list[Any] = []

    @tf.function
    def inner(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(5.0))
        return x + state[0]

    outer = tf.function(lambda x: inner(x) * 2.0)
    assert float(outer(tf.constant(1.0))) == 12.0
    assert float(inner(tf.constant(1.0))) == 6.0


def test_variables_made_before_a_failure_have_their_values_when_the_call_is_repeated() -> None:
    state: list[Any] = []
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(tf.ones([2]) * 3.0))
        calls.append(1)
        if len(calls) == 1:
            raise KeyError("typo")
        return x * state[0]

    with pytest.raises(KeyError, match="typo"):
        f(2.0)
    assert f(2.0).numpy().tolist() == [6.0, 6.0]


def test_shape_and_dtype_of_a_lifted_variable() -> None:
    state: list[Any] = []

    @tf.function
    def f() -> Any:
        if not state:
            state.append(tf.Variable([1, 2], dtype=tf.float64, shape=[None]))
        return state[0].read_value()

    assert f().dtype is tf.float64 and state[0].shape.as_list() == [None]


def test_the_initialization_function_initializes_when_it_is_called() -> None:
    state: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not state:
            state.append(tf.Variable(3.0))
        return x + state[0]

    initialize = f.get_initialization_function(tf.constant(1.0))
    assert initialize() is None
    assert float(state[0]) == 3.0 and float(f(tf.constant(1.0))) == 4.0
    with pytest.raises(
        RuntimeError, match="get_initialization_function cannot be called after the function has been used"
    ):
        f.get_initialization_function(tf.constant(1.0))

"""For each cause of a new trace: the argument, old and new, the caller's line, and the cure."""

from __future__ import annotations

import gc
import inspect
import logging
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf


class Thing:
    pass


def retrace_of(f: Any) -> Any:
    return f.retraces[-1]


def check(f: Any, kind: str, text: str, cure: str) -> None:
    (cause,) = retrace_of(f).causes
    assert (cause.kind, str(cause)) == (kind, text)
    assert cure in cause.cure


def function() -> Any:
    return tf.function(lambda x, y=None: 1)


def test_dtype() -> None:
    f = function()
    f(tf.constant(1))
    f(tf.constant(1.0))
    check(f, "dtype", "argument `x`: dtype int32 -> dtype float32", "convert `x` to one dtype")


def test_shape() -> None:
    f = function()
    f(tf.ones([3, 2]))
    f(tf.ones([4, 2]))
    check(f, "shape", "argument `x`: shape (3, 2) -> shape (4, 2)", "tf.TensorSpec([None, 2], tf.float32) for `x`")
    assert "reduce_retracing=True" in retrace_of(f).causes[0].cure


def test_rank() -> None:
    f = function()
    f(tf.ones([3]))
    f(tf.ones([]))
    check(f, "shape", "argument `x`: shape (3,) -> shape ()", "tf.TensorSpec(None, tf.float32)")


def test_literal() -> None:
    f = function()
    f({"lr": 0.1})
    f({"lr": 0.2})
    check(f, "literal", "argument `x['lr']`: 0.1 -> 0.2 (Python float)", "tf.constant(0.2)")


def test_literal_of_another_kind() -> None:
    f = function()
    f("a")
    f("b")
    check(f, "literal", "argument `x`: 'a' -> 'b' (Python str)", "needs its own trace")


def test_literal_type() -> None:
    f = function()
    f(1)
    f(1.0)
    check(f, "literal_type", "argument `x`: 1 (Python int) -> 1.0 (Python float)", "tf.constant(1.0)")


def test_tensor_and_python_value() -> None:
    f = function()
    f(tf.constant(1))
    f(2)
    check(
        f, "kind", "argument `x`: tensor of int32 with shape () -> 2 (Python int)", "such as tf.constant(2), each time"
    )


def test_python_value_and_tensor() -> None:
    f = function()
    f(2)
    f(tf.constant(1))
    check(f, "kind", "argument `x`: 2 (Python int) -> tensor of int32 with shape ()", "pass a tensor each time")


def test_variable_and_tensor() -> None:
    f = function()
    f(tf.Variable(1))
    f(tf.constant(1))
    check(
        f,
        "kind",
        "argument `x`: tf.Variable of int32 with shape () -> tensor of int32 with shape ()",
        "same kind of value",
    )


def test_object_identity() -> None:
    f, one, two = function(), Thing(), Thing()
    f(one)
    f(two)
    check(f, "object", "argument `x`: one Thing object -> another Thing object", "pass the same object as `x`")


def test_objects_of_two_classes() -> None:
    f, one, two = function(), Thing(), function()
    f(one)
    f(two)
    check(f, "object", "argument `x`: a Thing object -> a Function object", "`__eq__` and `__hash__`")


def test_dead_object() -> None:
    f, thing = function(), Thing()
    f(thing)
    del thing
    gc.collect()
    f(Thing())
    check(
        f,
        "dead_object",
        "argument `x`: an object that no longer exists -> a new Thing object",
        "keep the object passed as `x` alive",
    )


def test_structure() -> None:
    f = function()
    f([1, 2])
    f([1, 2, 3])
    check(f, "structure", "argument `x`: list of 2 -> list of 3", "one stacked or ragged tensor")
    f({"a": [1]})
    f({"a": {"b": 1}})
    assert "argument `x['a']`: list of 1 -> dict with keys ['b']" in str(retrace_of(f))


def test_deep_paths() -> None:
    f = function()
    f({"a": [tf.ones([1]), (1, 2)]})
    f({"a": [tf.ones([1]), (1, 3)]})
    check(f, "literal", "argument `x['a'][1][1]`: 2 -> 3 (Python int)", "tf.constant(3)")


def test_several_causes_are_all_named() -> None:
    f = function()
    f(1, tf.constant(1))
    f(2, tf.constant(1.0))
    assert [str(cause) for cause in retrace_of(f).causes] == [
        "argument `x`: 1 -> 2 (Python int)",
        "argument `y`: dtype int32 -> dtype float32",
    ]


def test_the_nearest_earlier_trace_is_the_one_compared_with() -> None:
    f = function()
    f(1, 1)
    f("a", "b")
    f(1, 2)
    check(f, "literal", "argument `y`: 1 -> 2 (Python int)", "tf.constant(2)")


def test_alias_pattern_of_variables() -> None:
    f, v, w = function(), tf.Variable(1.0), tf.Variable(2.0)
    f(v, v)
    f(v, w)
    check(
        f, "alias", "argument `y`: variable number 0 of the call -> variable number 1 of the call", "keep that pattern"
    )


def test_variable_spec() -> None:
    f = function()
    f(tf.Variable(1.0))
    f(tf.Variable([1.0]))
    check(f, "shape", "argument `x`: shape () -> shape (1,)", "reduce_retracing")
    f(tf.Variable([1.0], trainable=False))
    check(
        f,
        "trainable",
        "argument `x`: variable with trainable=True -> variable with trainable=False",
        "same `trainable`",
    )


def test_arguments_spread_differently() -> None:
    f = tf.function(lambda *args, **kwargs: 1)
    f(1)
    f(1, 2, k=3)
    check(f, "layout", "1 *args and **kwargs (none) -> 2 *args and **kwargs (k)", "same number of *args")


def test_another_graph() -> None:
    f = function()
    f(1)
    with tf.Graph().as_default():
        f(1)
    check(
        f, "context", "the function was called while another graph was being built", "call the function from eager code"
    )


def test_a_new_function_object() -> None:
    def body(x: Any) -> Any:
        return x

    tf.function(body)(1)
    f = tf.function(body)
    f(1)
    check(f, "new_function", "a new tf.function object was made of the same Python code", "create the tf.function once")


def test_a_new_instance() -> None:
    class Layer:
        @tf.function
        def call(self, x: Any) -> Any:
            return x

    Layer().call(1)
    layer = Layer()
    layer.call(1)
    check(
        layer.call,
        "new_instance",
        "the method was called on another Layer object, and each object has traces of its own",
        "reuse one Layer object",
    )


def test_the_callers_line_and_the_time_are_told() -> None:
    f = function()
    f(1)
    f(2)
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]  # CPython has frames
    retrace = retrace_of(f)
    assert (retrace.caller.filename, retrace.caller.line) == (__file__, line)
    assert retrace.milliseconds > 0
    assert f"{__file__}:{line}" in str(retrace)


def test_nothing_is_noted_when_nothing_is_traced() -> None:
    f = tf.function(lambda x: x)
    for _ in range(5):
        f(1)
    assert f.retraces == ()


# --- the warning --------------------------------------------------------------------------------------------------


def warnings_of(caplog: pytest.LogCaptureFixture, run: Callable[[], None]) -> list[str]:
    with caplog.at_level(logging.WARNING, "tensorflow"):
        run()
    return [record.getMessage() for record in caplog.records if "retracing" in record.getMessage()]


def test_the_warning_begins_as_tensorflows_and_tells_cause_line_and_cure(caplog: pytest.LogCaptureFixture) -> None:
    def body(x: Any) -> Any:
        return x

    f = tf.function(body)

    def run() -> None:
        for i in range(5):
            f(i)

    (message,) = warnings_of(caplog, run)
    assert message.startswith(
        f"5 out of the last 5 calls to {body} triggered tf.function retracing. Tracing is expensive"
    )
    assert "  Cause: argument `x`: 3 -> 4 (Python int)\n" in message
    assert f"  Called from: {__file__}:" in message and ", in run\n" in message
    assert "  Cure: pass `x` as a tensor, such as tf.constant(4)" in message
    assert " ms, the 5 traces so far " in message


def test_traces_that_were_asked_for_do_not_warn(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x: x)
    assert warnings_of(caplog, lambda: [f.get_concrete_function(i) for i in range(10)] and None) == []  # type: ignore[func-returns-value]
    assert len(f.retraces) == 9


def test_there_are_at_most_two_warnings(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x: x)
    assert len(warnings_of(caplog, lambda: [f(i) for i in range(30)] and None)) == 2  # type: ignore[func-returns-value]


def test_five_traces_among_the_last_ten_calls_warn(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x: x)

    def run() -> None:
        for i in range(4):
            f(i)
        for _ in range(20):
            f(0)

    assert warnings_of(caplog, run) == []
    messages = warnings_of(caplog, lambda: [f(i) for i in (10, 0, 11, 0, 12, 0, 13, 0, 14)] and None)  # type: ignore[func-returns-value]
    assert len(messages) == 1 and messages[0].startswith("5 out of the last 10 calls")


def test_functions_below_one_decorator_are_counted_apart(caplog: pytest.LogCaptureFixture) -> None:
    def run() -> None:
        for body in (lambda x: x, lambda x: x + 1, lambda x: x + 2, lambda x: x + 3, lambda x: x + 4, lambda x: x + 5):
            tf.function(tf.autograph.experimental.do_not_convert(body))(tf.constant(1))

    assert warnings_of(caplog, run) == []


def test_calls_inside_of_a_trace_do_not_warn(caplog: pytest.LogCaptureFixture) -> None:
    def run() -> None:
        for _ in range(10):
            inner = tf.function(lambda x: x + 1)
            outer = tf.function(lambda x, inner=inner: inner(x))
            for _ in range(5):
                outer(tf.constant(1))

    assert warnings_of(caplog, run) == []


def test_a_function_made_anew_in_a_loop_warns(caplog: pytest.LogCaptureFixture) -> None:
    def run() -> None:
        for _ in range(5):
            tf.function(lambda x: x)(1)

    (message,) = warnings_of(caplog, run)
    assert "a new tf.function object was made of the same Python code" in message
    assert "create the tf.function once, outside of the loop" in message

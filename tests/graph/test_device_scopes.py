"""Devices by name and by function; what graphs answer is compared with TensorFlow in the oracle's programs."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def test_names_alone_are_merged_when_a_scope_is_entered() -> None:
    graph = tf.Graph()
    with graph.as_default(), graph.device("/job:a"), graph.device("/gpu:1"):
        assert graph._scopes.thread.requests.devices[-1] == "/job:a/device:GPU:1"
        assert tf.constant(1).device == "/job:a/device:GPU:1"


def test_a_function_sees_the_finished_operation_with_the_device_of_inner_scopes() -> None:
    seen: list[Any] = []

    def choose(operation: Any) -> str:
        seen.append((operation.name, operation.type, [t.name for t in operation.outputs], operation.device))
        return "/task:1"

    with tf.Graph().as_default(), tf.compat.v1.device(choose), tf.compat.v1.device("/cpu:0"):
        assert tf.constant(1, name="c").device == "/task:1"
    assert seen == [("c", "Const", ["c:0"], "/device:CPU:0")]


def test_outer_names_complete_what_a_function_answers() -> None:
    with tf.Graph().as_default(), tf.compat.v1.device("/job:a/cpu:0"):
        with tf.compat.v1.device(lambda operation: "/task:1"):
            assert tf.constant(1).device == "/job:a/task:1/device:CPU:0"


def test_a_function_may_answer_a_spec_or_nothing_but_no_number() -> None:
    with tf.Graph().as_default():
        with tf.compat.v1.device(lambda operation: tf.DeviceSpec(job="b")):
            assert tf.constant(1).device == "/job:b"
        with tf.compat.v1.device(lambda operation: None):
            assert tf.constant(1).device == ""
        with tf.compat.v1.device(lambda operation: 3), pytest.raises(TypeError, match="Expected binary or unicode"):
            tf.constant(1)


def test_functions_are_refused_by_the_newer_form_and_in_eager_mode() -> None:
    with pytest.raises(RuntimeError, match=r"tf\.device does not support functions when eager execution is enabled"):
        tf.compat.v1.device(lambda operation: "/cpu:0")
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match=r"^tf\.device does not support functions\.$"):
        tf.device(lambda operation: "/cpu:0")

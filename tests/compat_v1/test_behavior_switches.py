"""Switches between TensorFlow 1 and 2: a program that switches runs in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import millrace as tf


def _run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("switch", ["disable_eager_execution", "disable_v2_behavior"])
def test_ops_at_top_level_go_into_the_default_graph(switch: str) -> None:
    printed = _run(
        f"""
        import threading
        import millrace.compat.v1 as tf
        tf.{switch}()
        x = tf.placeholder(tf.float32, [2])
        y = x * 2.0
        assert not tf.executing_eagerly() and not tf.executing_eagerly_outside_functions()
        assert y.graph is tf.get_default_graph() and (y == y) is True and (y == x) is False
        with tf.Session() as sess:
            print(sess.run(y, {{x: [1, 2]}}).tolist())
        made = []
        thread = threading.Thread(target=lambda: made.append(tf.constant(1).graph))
        thread.start()
        thread.join()
        assert made[0] is not y.graph and type(made[0]) is tf.Graph
        with tf.init_scope():
            assert not tf.executing_eagerly()
        with tf.Graph().as_default() as other:
            assert tf.constant(1).graph is other
        tf.reset_default_graph()
        assert tf.constant(1).graph is not y.graph
        double = tf.function(lambda a: a * 2)
        with tf.Session() as sess:
            print(sess.run(double(tf.constant(4))))
        try:
            tf.enable_eager_execution()
        except ValueError as error:
            print(error)
        """
    )
    assert printed.splitlines() == ["[2.0, 4.0]", "8", "tf.enable_eager_execution must be called at program startup."]


def test_eager_mode_comes_back_before_the_default_graph_is_used() -> None:
    assert _run(
        """
        import millrace as tf
        tf.compat.v1.disable_eager_execution()
        tf.compat.v1.enable_v2_behavior()
        print(int(tf.constant(2) + 3), tf.compat.v1.resource_variables_enabled())
        """
    ).split() == ["5", "True"]


def test_what_was_asked_for_is_remembered() -> None:
    assert _run(
        """
        import millrace.compat.v1 as tf
        tf.disable_resource_variables()
        tf.disable_control_flow_v2()
        print(tf.resource_variables_enabled(), tf.control_flow_v2_enabled())
        tf.enable_resource_variables()
        tf.enable_control_flow_v2()
        print(tf.resource_variables_enabled(), tf.control_flow_v2_enabled())
        """
    ).split() == ["False", "False", "True", "True"]
    assert tf.compat.v1.executing_eagerly_outside_functions()

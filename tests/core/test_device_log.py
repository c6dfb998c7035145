"""The log of placements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import millrace as tf
from millrace._src.core.watching import is_watched

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture(autouse=True)
def log_is_off_afterwards() -> Iterator[None]:
    yield
    tf.debugging.set_log_device_placement(False)


def test_an_eager_op_says_where_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.ones([2])
    tf.debugging.set_log_device_placement(True)
    tf.tanh(x)
    assert capsys.readouterr().err == f"Executing op Tanh in device {CPU}\n"


def test_a_function_says_where_its_nodes_are_and_that_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function(jit_compile=False)
    def f(x: tf.Tensor) -> tf.Tensor:
        with tf.device("/CPU:0"):
            return tf.matmul(x, x, name="product")

    x = tf.ones([2, 2])
    tf.debugging.set_log_device_placement(True)
    f(x)
    lines = capsys.readouterr().err.splitlines()
    assert "product: (MatMul): /device:CPU:0" in lines
    assert lines[0].startswith("Executing op ")


def test_the_log_can_be_switched_off_and_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.ones([2])
    tf.debugging.set_log_device_placement(True)
    tf.debugging.set_log_device_placement(True)
    assert tf.debugging.get_log_device_placement()
    tf.debugging.set_log_device_placement(False)
    assert not tf.debugging.get_log_device_placement()
    assert not is_watched()
    tf.tanh(x)
    assert capsys.readouterr().err == ""

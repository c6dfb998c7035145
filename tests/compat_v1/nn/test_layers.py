"""TensorFlow 1's forms of functions of tf.nn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names
from tests.ops.nn.recorded import wave

nn = tf.compat.v1.nn


def test_they_compute_what_todays_functions_compute() -> None:
    x, filters = wave(1, 4, 4, 2), wave(2, 2, 2, 3)
    pairs = [
        (nn.conv2d(x, filters, [1, 1, 1, 1], "SAME"), tf.nn.conv2d(x, filters, 1, "SAME")),
        (nn.conv2d(x, filters=filters, strides=2, padding="VALID"), tf.nn.conv2d(x, filters, 2, "VALID")),
        (nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), tf.nn.max_pool2d(x, 2, 2, "SAME")),
        (nn.avg_pool(x, 2, 2, "SAME"), tf.nn.avg_pool2d(x, 2, 2, "SAME")),
        (nn.moments(x, [0, 1], keep_dims=True)[1], tf.nn.moments(x, [0, 1], keepdims=True)[1]),
        (nn.xw_plus_b(wave(2, 3), wave(3, 2), wave(2)), wave(2, 3) @ wave(3, 2) + wave(2)),
        (nn.relu_layer(wave(2, 3), wave(3, 2), wave(2)), tf.nn.relu(wave(2, 3) @ wave(3, 2) + wave(2))),
    ]
    for old, new in pairs:
        np.testing.assert_allclose(old.numpy(), new.numpy(), rtol=1e-6)


def test_the_labels_of_the_old_cross_entropy_get_no_gradient() -> None:
    labels, logits = tf.nn.softmax(wave(2, 3)), wave(2, 3, shift=1.0)
    with tf.GradientTape() as tape:
        tape.watch([labels, logits])
        loss = nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    to_labels, to_logits = tape.gradient(loss, [labels, logits])
    assert to_labels is None
    assert to_logits.shape == [2, 3]


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.dropout(wave(2), keep_prob=0.5, rate=0.5),
        lambda: nn.dropout(wave(2)),
        lambda: nn.softmax_cross_entropy_with_logits(labels=[[1.0]]),
        lambda: nn.moments(wave(2), [0], keep_dims=True, keepdims=True),
    ],
)
def test_an_argument_is_given_once(call: Any) -> None:
    with pytest.raises(ValueError, match=r"both|Both|must be provided"):
        call()


NAMES = [
    (lambda x: nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [8, 8, 8, 3], ["MaxPool"]),
    (lambda x: nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [8, 8, 8, 3], ["AvgPool"]),
]


@pytest.mark.parametrize(("build", "shape", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, shape: list[int], names: list[str]) -> None:
    check_graph_names(build, [(tf.float32, shape)], names)


def test_the_labels_are_held_in_the_scope_of_the_loss() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, 8], name="p0")
        nn.softmax_cross_entropy_with_logits(labels=x, logits=x)
    names = [op.name for op in graph.get_operations()]
    scope = "softmax_cross_entropy_with_logits_sg"
    assert names[1:3] == [f"{scope}/labels_stop_gradient", f"{scope}/Rank"]
    assert names[-1] == f"{scope}/Reshape_2"

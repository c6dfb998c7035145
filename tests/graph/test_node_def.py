"""Single nodes: how they are written, and how a wrong one is refused."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.graph.node_def import canonical_device, encode_node, tensor_name


@pytest.mark.parametrize(
    ("device", "canonical"),
    [
        ("", ""),
        ("/cpu:0", "/device:CPU:0"),
        ("CPU:0", "/device:CPU:0"),
        ("/device:cpu:0", "/device:CPU:0"),
        ("/job:w/task:1/cpu:0", "/job:w/task:1/device:CPU:0"),
        ("/gpu:1", "/device:GPU:1"),
        ("/device:GPU:*", "/device:GPU:*"),
        ("/job:a", "/job:a"),
    ],
)
def test_device_is_written_in_full_form(device: str, canonical: str) -> None:
    assert canonical_device(device) == canonical


def test_first_output_needs_no_index() -> None:
    with tf.Graph().as_default():
        first, second = tf.split(tf.constant([1.0, 2.0]), 2)
    assert (tensor_name(first), tensor_name(second)) == ("split", "split:1")


def test_control_inputs_come_last_and_sorted() -> None:
    graph = tf.Graph()
    with graph.as_default():
        z, y, x = (tf.constant(1.0, name=name) for name in "zyx")
        with graph.control_dependencies([z, x]):
            node = encode_node(tf.identity(y, name="i").op)
    assert list(node.input) == ["y", "^x", "^z"]


def test_operation_gives_its_node_def() -> None:
    with tf.Graph().as_default():
        operation = tf.constant(1.0, name="c").op
    assert operation.node_def.name == "c" and operation.node_def.op == "Const"

"""Constants and no-ops, the nodes that give a graph its form."""

from __future__ import annotations

import numpy as np

import millrace as tf
from tests.contracts.sample import Sample

SAMPLES = [
    Sample("Const", attrs={"value": np.array([[1.0, 2.0]], np.float32), "dtype": tf.float32}),
    Sample("Const", attrs={"value": np.array(3), "dtype": tf.int64}),
    Sample("Const", attrs={"value": np.zeros([0, 2], np.int32), "dtype": tf.int32}),
]


def test_a_no_op_gives_nothing_in_eager_mode_and_an_operation_in_a_graph() -> None:
    assert tf.raw_ops.NoOp() is None
    with tf.Graph().as_default():
        assert tf.raw_ops.NoOp().type == "NoOp"


def test_a_constant_node_has_its_value_while_tracing() -> None:
    with tf.Graph().as_default():
        assert tf.get_static_value(tf.raw_ops.Const(value=np.array([1, 2], np.int32), dtype=tf.int32)).tolist() == [
            1,
            2,
        ]

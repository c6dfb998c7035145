"""`replica_device_setter`: a function from operations to devices."""

from __future__ import annotations

import pytest

import millrace.compat.v1 as tf


def test_variables_go_to_the_servers_in_turn() -> None:
    with tf.Graph().as_default():
        variables = [tf.get_variable(name, [], use_resource=True) for name in "abc"]
        device_of = tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:3")
        assert [device_of(v.op) for v in variables] == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
        assert device_of((variables[0] + 1.0).op) == "/job:worker/task:3"


def test_a_strategy_chooses_the_server() -> None:
    with tf.Graph().as_default():
        v = tf.get_variable("v", [], use_resource=True)
        assert tf.train.replica_device_setter(ps_tasks=9, ps_strategy=lambda op: 7)(v.op) == "/job:ps/task:7"
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(ps_tasks=1, ps_strategy=3)


def test_a_cluster_tells_the_number_of_servers() -> None:
    assert tf.train.replica_device_setter(cluster={"worker": ["a:1"]}) is None
    with pytest.raises(TypeError, match="`cluster` must be a dictionary"):
        tf.train.replica_device_setter(cluster=3)

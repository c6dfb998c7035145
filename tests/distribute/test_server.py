"""`tf.distribute.Server`: the only task of a cluster is this process; other clusters are refused."""

from __future__ import annotations

import pytest

import millrace as tf


def test_sessions_run_on_the_server_of_one_task() -> None:
    server = tf.compat.v1.train.Server({"worker": ["localhost:0"]}, start=False)
    with tf.Graph().as_default():
        x = tf.constant(3)
        with tf.compat.v1.Session(server.target) as session:
            assert session.run(x) == 3
    assert (server.server_def.job_name, server.server_def.task_index) == ("worker", 0)
    assert server.start() is None


def test_several_tasks_are_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="in this process alone"):
        tf.distribute.Server({"worker": ["a:1", "b:1"]}, "worker", 0)


def test_which_task_must_be_said() -> None:
    with pytest.raises(ValueError, match="explicit `job_name`"):
        tf.distribute.Server({"a": ["a:1"], "b": ["b:1"]})
    with pytest.raises(ValueError, match="explicit `task_index`"):
        tf.distribute.Server({"a": ["a:1", "b:1"]})
    with pytest.raises(TypeError, match="Could not convert"):
        tf.distribute.Server(3)


def test_waiting_for_ever_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="would wait for ever"):
        tf.distribute.Server.create_local_server().join()

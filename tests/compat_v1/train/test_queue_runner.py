"""Queue runners; their answers are compared in the oracle topic `v1_input_queues`."""

from __future__ import annotations

import pytest

import millrace.compat.v1 as tf


def test_a_runner_may_run_in_several_sessions() -> None:
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
        take = queue.dequeue_many(5)
        for _ in range(2):
            with tf.Session() as session:
                coordinator = tf.train.Coordinator()
                threads = runner.create_threads(session, coordinator, start=True)
                assert session.run(take).tolist() == [1] * 5
                coordinator.request_stop()
                coordinator.join(threads)


def test_a_message_and_a_queue_exclude_each_other() -> None:
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(2, [tf.int32])
        message = tf.train.QueueRunner(queue, [queue.enqueue(1)]).to_proto()
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.train.QueueRunner(queue, queue_runner_def=message)
        with pytest.raises(TypeError, match="must be a QueueRunnerDef"):
            tf.train.QueueRunner(queue_runner_def="message")

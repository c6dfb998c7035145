"""Sparse tensors on their way through queues."""

from __future__ import annotations

import millrace.compat.v1 as tf


def test_elements_that_are_not_kept_leave_nothing_behind() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        (n,) = tf.train.slice_input_producer([tf.constant([1, 2, 3, 4], tf.int64)], num_epochs=1, shuffle=False)
        sparse = tf.SparseTensor([[n - 1]], [n], [4])
        keeps = tf.equal(n % 2, 0)
        batch = tf.train.maybe_batch([sparse, n], keeps, 2)
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found, numbers = session.run(batch)
        coordinator.request_stop()
        coordinator.join(threads)
    assert numbers.tolist() == [2, 4]
    assert (found.indices.tolist(), found.values.tolist()) == ([[0, 1], [1, 3]], [2, 4])


def test_rows_that_are_kept() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0, 1], [1, 0], [2, 1]], [5, 6, 7], [3, 2])
        batch = tf.train.maybe_batch([sparse], tf.constant([True, False, True]), 2, enqueue_many=True)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = session.run(batch)
        coordinator.request_stop()
        coordinator.join(threads)
    assert found.values.tolist() == [5, 7]

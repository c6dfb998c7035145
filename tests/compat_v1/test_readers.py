"""`tf.compat.v1.TextLineReader` and its kin; their answers are compared in the oracle topic `v1_input_queues`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace.compat.v1 as tf


@pytest.mark.parametrize(
    "make",
    [
        tf.WholeFileReader,
        tf.TextLineReader,
        tf.TFRecordReader,
        tf.IdentityReader,
        tf.LMDBReader,
        lambda: tf.FixedLengthRecordReader(3),
        lambda: tf.ReaderBase(None),
    ],
)
def test_eager_mode_is_refused(make: Any) -> None:
    with pytest.raises(RuntimeError, match="Readers are not supported when eager execution is enabled"):
        make()


def test_lmdb_is_refused_in_words() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnimplementedError, match="LMDB support is removed"):
        tf.LMDBReader()


def test_a_reader_takes_the_handle_of_a_queue() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, [tf.string], shapes=[[]])
        value = tf.IdentityReader().read(queue.queue_ref).value
        session.run(queue.enqueue("x"))
        assert session.run(value) == b"x"

"""The programs of the seed documents that run graphs in sessions, and what of TensorFlow 1 is gone from `tf`."""

from __future__ import annotations

import pytest

import millrace as tf


def test_a_graph_joins_strings_in_a_session() -> None:
    graph = tf.compat.v1.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(name="x", shape=[], dtype=tf.string)
        y = tf.compat.v1.placeholder(name="y", shape=[], dtype=tf.string)
        z = tf.strings.join([x, y], name="join", separator=" ")
    with tf.compat.v1.Session(graph=graph) as sess:
        assert sess.run(fetches=z, feed_dict={x: "hello", y: "world"}) == b"hello world"


def test_memory_options_are_taken() -> None:
    config = tf.compat.v1.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.4
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as sess:
        assert sess.run(tf.constant(2)) == 2


@pytest.mark.parametrize("name", ["placeholder", "Session", "string_join", "ConfigProto", "enable_eager_execution"])
def test_names_of_tensorflow_1_are_gone_from_the_root(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(tf, name)

"""Saving the state of an iterator of a graph with a `Saver`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace.compat.v1 as tf


def _shuffled() -> Any:
    return tf.data.make_initializable_iterator(tf.data.Dataset.range(9).shuffle(4, seed=3))


def test_another_program_goes_on_where_the_first_one_saved(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = _shuffled()
        element = iterator.get_next()
        tf.add_to_collection("saveable_objects", tf.data.experimental.make_saveable_from_iterator(iterator))
        v = tf.get_variable("v", initializer=1.0)
        saver = tf.train.Saver()
        session.run([iterator.initializer, v.initializer])
        session.run(element)
        path = saver.save(session, str(tmp_path / "model"), write_meta_graph=False)
        rest = [int(session.run(element)) for _ in range(8)]
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = _shuffled()
        element = iterator.get_next()
        saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
        session.run(iterator.initializer)
        saver.restore(session, path)
        assert [int(session.run(element)) for _ in range(8)] == rest


def test_iterators_of_eager_mode_have_checkpoints_of_their_own() -> None:
    with pytest.raises(TypeError, match=r"takes a tf\.compat\.v1\.data\.Iterator"):
        tf.data.experimental.make_saveable_from_iterator(iter(tf.data.Dataset.range(2)))

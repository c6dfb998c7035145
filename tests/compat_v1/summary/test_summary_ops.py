"""`tf.compat.v1.summary`: where the step of summaries comes from; messages are in the oracle's programs."""

from __future__ import annotations

from pathlib import Path

import millrace as tf

v1 = tf.compat.v1


def test_the_global_step_is_the_step_of_summaries_in_eager_mode(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        pass
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(tf.Variable(7, dtype=tf.int64)):
        text = v1.summary.scalar("loss", 0.5)
    writer.close()
    assert text.numpy() == b""
    (path,) = tmp_path.iterdir()
    events = list(v1.train.summary_iterator(str(path)))
    assert [(event.step, event.summary.value[0].tag) for event in events[1:]] == [(7, "loss")]

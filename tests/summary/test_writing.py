"""`tf.summary.write`: threads, branches, Python side effects; TensorFlow's answers are in the oracle's programs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

import millrace as tf


def _steps(folder: Path) -> list[tuple[str, int]]:
    (path,) = folder.iterdir()
    events = tf.compat.v1.train.summary_iterator(str(path))
    return [(value.tag, event.step) for event in events for value in event.summary.value]


def test_threads_write_to_one_file(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    def write(name: str) -> None:
        with writer.as_default():
            for step in range(200):
                tf.summary.scalar(name, step, step=step)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    found = _steps(tmp_path)
    for name in "abcd":
        assert [step for tag, step in found if tag == name] == list(range(200))


def test_parallel_maps_write_all_elements(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    def note(x: Any) -> Any:
        with writer.as_default():
            tf.summary.scalar("x", x, step=x)
        return x

    dataset = tf.data.Dataset.range(100).map(note, num_parallel_calls=4)
    assert sum(dataset.as_numpy_iterator()) == 4950
    writer.close()
    assert sorted(step for _, step in _steps(tmp_path)) == list(range(100))


def test_a_tensor_that_is_changed_later_was_written_as_it_was(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    v = tf.Variable(np.zeros(3, np.float32))
    with writer.as_default():
        for step in range(3):
            tf.summary.write("v", v, step=step)
            v.assign_add([1.0, 1.0, 1.0])
    writer.close()
    (path,) = tmp_path.iterdir()
    events = list(tf.compat.v1.train.summary_iterator(str(path)))[1:]
    assert [tf.make_ndarray(event.summary.value[0].tensor)[0] for event in events] == [0, 1, 2]


def test_a_while_loop_of_a_session_writes(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default():

            def body(i: Any) -> Any:
                with tf.control_dependencies([tf.summary.write("i", i, step=tf.cast(i, tf.int64))]):
                    return i + 1

            loop = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
        session.run(writer.init())
        session.run(loop)
        session.run(writer.flush())
    assert _steps(tmp_path) == [("i", 0), ("i", 1), ("i", 2)]


def test_a_path_object_names_the_folder(tmp_path: Path) -> None:
    tf.summary.create_file_writer(tmp_path / "logs").close()
    assert len(list((tmp_path / "logs").iterdir())) == 1

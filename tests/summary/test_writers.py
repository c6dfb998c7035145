"""`tf.summary`: what is Millrace's own; TensorFlow's answers are in the oracle's programs."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

import millrace as tf


def _tags(folder: Path) -> list[list[str]]:
    found = []
    for path in sorted(folder.rglob("*tfevents*")):
        records = tf.compat.v1.io.tf_record_iterator(str(path))
        found.append([v.tag for record in records for v in tf.compat.v1.Event.FromString(record).summary.value])
    return found


def test_a_writer_made_in_a_function_lives_as_long_as_the_function(tmp_path: Path) -> None:
    @tf.function
    def f() -> None:
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(1):
            tf.summary.scalar("a", 1.0)

    f()
    gc.collect()
    f()
    assert _tags(tmp_path) == [["a", "a"]]


def test_the_writer_in_force_comes_back_where_the_last_flush_fails(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    def enter() -> None:
        with tf.Graph().as_default(), writer.as_default(3):
            pass

    with pytest.raises(RuntimeError, match="without building a function"):
        enter()
    assert tf.summary.experimental.get_step() is None
    assert not tf.summary.should_record_summaries()


def test_a_writer_without_references_is_written_and_gone(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.set_as_default(1)
    tf.summary.scalar("a", 1.0)
    tf.summary.experimental.set_step(None)
    other = tf.summary.create_file_writer(str(tmp_path / "other"))
    with other.as_default():
        pass
    from millrace._src.summary.recording import recording

    recording.writer = None
    gone = weakref.ref(writer)
    del writer
    gc.collect()
    assert gone() is None
    assert _tags(tmp_path)[0] == ["a"]


def test_a_mesh_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="experimental_mesh"):
        tf.summary.create_file_writer(str(tmp_path), experimental_mesh=1)


def test_summaries_go_to_memory_and_far_away() -> None:
    for folder in ("ram://summaries/run", "memory://summaries/run"):
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default(1):
            tf.summary.scalar("a", 1.0)
        writer.close()
        (name,) = tf.io.gfile.listdir(folder)
        assert len(list(tf.compat.v1.io.tf_record_iterator(f"{folder}/{name}"))) == 2


def test_a_model_with_a_trackable_writer_is_saved_and_loaded(tmp_path: Path) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.writer = tf.summary.create_file_writer(str(tmp_path / "logs"), experimental_trackable=True)

        @tf.function(input_signature=[tf.TensorSpec([])])
        def __call__(self, x: Any) -> Any:
            with self.writer.as_default(1):
                tf.summary.scalar("a", x)
            return x * 2

    model = Model()
    model(tf.constant(1.0))
    tf.saved_model.save(model, str(tmp_path / "model"))
    with pytest.raises(tf.errors.PermissionDeniedError):
        tf.saved_model.load(str(tmp_path / "model"))
    trusting = tf.saved_model.LoadOptions(allow_file_writes=True)
    loaded = tf.saved_model.load(str(tmp_path / "model"), options=trusting)
    assert loaded(tf.constant(2.0)).numpy() == 4
    assert _tags(tmp_path / "logs") == [["a"], ["a"]]

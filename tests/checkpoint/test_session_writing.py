"""Checkpoints of objects in graphs of TensorFlow 1, whose values a session has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf

tf1: Any = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def variables() -> tuple[Any, Any]:
    return tf1.get_variable("v", initializer=[1.0, 2.0]), tf.Variable(3.0, name="w")


def saved(folder: Path) -> str:
    """The path of a checkpoint with v = [5, 6], w = 3."""
    with tf.Graph().as_default(), tf1.Session() as session:
        v, w = variables()
        session.run([v.initializer, w.initializer])
        session.run(v.assign([5.0, 6.0]))
        return str(tf.train.Checkpoint(v=v, w=w).save(str(folder / "saved")))


def test_save_counts_and_notes_the_newest(graph: Any, tmp_path: Path) -> None:
    v, w = variables()
    checkpoint = tf.train.Checkpoint(v=v, w=w)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        paths = [checkpoint.save(str(tmp_path / "c")) for _ in range(2)]
        assert session.run(checkpoint.save_counter) == 2
    assert paths == [str(tmp_path / "c-1"), str(tmp_path / "c-2")]
    assert tf.train.latest_checkpoint(tmp_path) == paths[1]


def test_the_values_are_those_of_the_session(graph: Any, tmp_path: Path) -> None:
    v, w = variables()
    checkpoint = tf.train.Checkpoint(v=v, w=w)
    for value in (4.0, 8.0):
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(w.assign(value))
            path = checkpoint.write(str(tmp_path / f"c{value}"))
        key = "w/.ATTRIBUTES/VARIABLE_VALUE"
        assert tf.train.load_checkpoint(path).get_tensor(key) == value


def test_saving_again_adds_no_operations(graph: Any, tmp_path: Path) -> None:
    v, w = variables()
    checkpoint = tf.train.Checkpoint(v=v)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        checkpoint.save(str(tmp_path / "c"))
        count = len(graph.get_operations())
        checkpoint.save(str(tmp_path / "c"))
        assert len(graph.get_operations()) == count
        checkpoint.w = w
        path = checkpoint.save(str(tmp_path / "c"))
        assert len(graph.get_operations()) > count
    assert "w/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))


def test_a_variable_without_a_value_is_an_error(graph: Any, tmp_path: Path) -> None:
    v, _ = variables()
    with tf1.Session(), pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable v"):
        tf.train.Checkpoint(v=v).write(str(tmp_path / "c"))


def test_restoring_waits_for_the_session(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with tf.Graph().as_default():
        v, w = variables()
        extra = tf.Variable(9.0)
        checkpoint = tf.train.Checkpoint(v=v, w=w, extra=extra)
        status = checkpoint.restore(path)
        with tf1.Session() as session:
            status.initialize_or_restore()
            assert [value.tolist() for value in session.run([v, w, extra])] == [[5.0, 6.0], 3.0, 9.0]
            assert session.run(checkpoint.save_counter) == 1
        session = tf1.Session()
        status.run_restore_ops(session)
        assert session.run(v).tolist() == [5.0, 6.0]
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(extra)
        with pytest.raises(AssertionError, match="1 Python objects that were not bound"):
            status.assert_consumed()
        session.close()


def test_objects_that_are_made_later_are_restored_by_the_next_run(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with tf.Graph().as_default(), tf1.Session() as session:
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.restore(path)
        checkpoint.v = tf.Variable([0.0, 0.0])
        status.initialize_or_restore(session)
        checkpoint.w = tf.Variable(0.0)
        status.assert_consumed().run_restore_ops(session)
        assert session.run(checkpoint.v).tolist() == [5.0, 6.0] and session.run(checkpoint.w) == 3.0


def test_eager_objects_take_the_checkpoint_of_a_session(tmp_path: Path) -> None:
    v, w = tf.Variable([0.0, 0.0]), tf.Variable(0.0)
    status = tf.train.Checkpoint(v=v, w=w).restore(saved(tmp_path)).assert_consumed()
    for act in (status.run_restore_ops, status.initialize_or_restore):
        assert act() is None
    assert v.numpy().tolist() == [5.0, 6.0]


def test_without_a_checkpoint_everything_is_initialized(graph: Any) -> None:
    v, w = variables()
    status = tf.train.Checkpoint(v=v, w=w).restore(None)
    with tf1.Session() as session:
        status.initialize_or_restore(session)
        assert session.run(v).tolist() == [1.0, 2.0]
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            status.run_restore_ops(session)


def test_files_of_a_saver_are_read_by_names_and_the_other_way_round(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        v, w = variables()
        session.run(tf1.global_variables_initializer())
        path = tf1.train.Saver().save(session, str(tmp_path / "names"))
    with tf.Graph().as_default(), tf1.Session() as session:
        v, w = variables()
        extra = tf.Variable(9.0, name="extra")
        status = tf.train.Checkpoint(a=v, b=w, extra=extra).restore(path)
        session.run(tf1.global_variables_initializer())
        session.run([v.assign([0.0, 0.0]), w.assign(0.0)])
        status.initialize_or_restore(session)
        assert session.run(v).tolist() == [1.0, 2.0] and session.run([w, extra]) == [3.0, 9.0]
    path = saved(tmp_path)
    with tf.Graph().as_default(), tf1.Session() as session:
        v, w = variables()
        tf1.train.Saver().restore(session, path)
        assert session.run(v).tolist() == [5.0, 6.0]


def test_the_manager_saves_and_restores_in_a_session(graph: Any, tmp_path: Path) -> None:
    v, w = variables()
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=v), tmp_path / "m", 2, step_counter=w, checkpoint_interval=2
    )
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert manager.restore_or_initialize() is None
        paths = []
        for step in range(5):
            session.run(w.assign(step))
            paths.append(manager.save())
        assert [path is None for path in paths] == [False, True, False, True, False]
        assert manager.checkpoints == [paths[2], paths[4]]
        session.run(v.assign([0.0, 0.0]))
        assert manager.restore_or_initialize() == paths[4]
        assert session.run(v).tolist() == [1.0, 2.0]
        assert manager.save(checkpoint_number=tf.constant(77), check_interval=False) is None  # the step is the same
        session.run(w.assign(9))
        assert str(manager.save(checkpoint_number=tf.constant(77))).endswith("ckpt-77")


def test_checkpoints_of_version_1_take_a_session(graph: Any, tmp_path: Path) -> None:
    v, _ = variables()
    checkpoint = tf1.train.Checkpoint(v=v)
    session = tf1.Session()
    session.run(v.initializer)
    path = checkpoint.save(str(tmp_path / "c"), session=session)
    assert path == str(tmp_path / "c-1")
    assert checkpoint.write(str(tmp_path / "d"), session) == str(tmp_path / "d")
    session.run(v.assign([0.0, 0.0]))
    checkpoint.restore(path).initialize_or_restore(session)
    assert session.run(v).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="without a default session"):
        checkpoint.save(str(tmp_path / "c"))
    session.close()


def test_options_hold_in_a_session(graph: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    v, _ = variables()
    seen: list[str] = []
    with tf1.Session() as session:
        session.run(v.initializer)
        options = tf.train.CheckpointOptions(
            experimental_write_callbacks=[seen.append], experimental_io_device="/cpu:0", enable_async=True
        )
        path = tf.train.Checkpoint(v=v).save(tf.constant(str(tmp_path / "c")), options)
    assert seen == [path] == [str(tmp_path / "c-1")]


def test_the_folder_is_made(graph: Any, tmp_path: Path) -> None:
    v, _ = variables()
    with tf1.Session() as session:
        session.run(v.initializer)
        path = tf.train.Checkpoint(v=v).write(str(tmp_path / "new" / "er" / "c"))
    assert tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1.0, 2.0]

"""`Supervisor`: services and checks; its answers are compared in the oracle topic `v1_monitored`."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace.compat.v1 as tf


def test_services_write_summaries_and_checkpoints(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        train = tf.train.create_global_step().assign_add(1)
        tf.summary.scalar("value", tf.constant(2.0))
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=3600, save_model_secs=3600)
        session = supervisor.prepare_or_wait_for_session(start_standard_services=False)
        session.run(train)
        threads = supervisor.start_standard_services(session)
        assert [type(thread).__name__ for thread in threads] == [
            "SummaryThread",
            "StepCounterThread",
            "CheckpointThread",
        ]
        for thread in threads:
            thread.run_loop()
        supervisor.stop()
        session.close()
    tags = [
        value.tag
        for path in tmp_path.glob("events*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    ]
    assert {"value", "global_step/sec"} <= set(tags)
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-1")


def test_variables_of_workers_need_devices() -> None:
    with tf.Graph().as_default():
        tf.get_variable("v", [])
        with pytest.raises(ValueError, match="all Variables must have their device set"):
            tf.train.Supervisor(is_chief=False)


def test_only_the_chief_starts_services() -> None:
    with tf.Graph().as_default():
        tf.constant(1)
        with pytest.raises(RuntimeError, match="Only chief supervisor"):
            tf.train.Supervisor(is_chief=False).start_standard_services(None)


def test_eager_mode_is_refused() -> None:
    with pytest.raises(RuntimeError, match="incompatible with eager execution"):
        tf.train.Supervisor()

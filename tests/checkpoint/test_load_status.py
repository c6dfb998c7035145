"""What programs assert of a checkpoint that was restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.checkpoint.test_object_graph import Optimizer


def written(tmp_path: Path, **objects: Any) -> str:
    return str(tf.train.Checkpoint(**objects).write(str(tmp_path / "c")))


def test_a_claim_returns_the_status(tmp_path: Path) -> None:
    status = tf.train.Checkpoint(v=tf.Variable(0.0)).read(written(tmp_path, v=tf.Variable(1.0)))
    assert (
        status.assert_consumed()
        is status.assert_existing_objects_matched()
        is status.assert_nontrivial_match()
        is status
    )
    assert status.expect_partial() is status
    assert status.run_restore_ops() is None and status.initialize_or_restore() is None


def test_an_unused_value_is_named(tmp_path: Path) -> None:
    status = tf.train.Checkpoint(a=tf.Variable(0.0)).read(written(tmp_path, a=tf.Variable(1.0), b=[tf.Variable(2.0)]))
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.b\.0: attributes \{"):
        status.assert_consumed()
    status.assert_existing_objects_matched()


def test_an_object_without_a_value_is_named(tmp_path: Path) -> None:
    objects = {"v": tf.Variable(0.0), "other": [tf.Variable(0.0) for _ in range(12)]}
    status = tf.train.Checkpoint(**objects).read(written(tmp_path, v=tf.Variable(1.0)))
    for claim in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match=r"Found 12 Python objects that were not bound.*Showing 10 of 12"):
            claim()
    status.assert_nontrivial_match()


@pytest.mark.parametrize(
    "extra",
    [tf.Module, list, dict, lambda: {"a": 1}, lambda: [tf.Module()], lambda: tf.function(lambda: 1)],
    ids=["module", "list", "dict", "plain", "modules", "function"],
)
def test_objects_without_values_need_no_saved_object(tmp_path: Path, extra: Any) -> None:
    path = written(tmp_path, v=tf.Variable(1.0))
    tf.train.Checkpoint(v=tf.Variable(0.0), extra=extra()).read(path).assert_consumed()


def test_attributes_that_an_object_does_not_know_are_named(tmp_path: Path) -> None:
    status = tf.train.Checkpoint(v=tf.Module()).read(written(tmp_path, v=tf.Variable(1.0)))
    with pytest.raises(AssertionError, match=r"Unused attributes in these objects .*\n\(root\)\.v .*VARIABLE_VALUE"):
        status.assert_consumed()
    assert [row.state for row in status.report().rows] == ["unused in checkpoint"]


def test_a_match_of_the_root_alone_is_trivial(tmp_path: Path) -> None:
    path = written(tmp_path, v=tf.Variable(1.0))
    with pytest.raises(AssertionError, match=r"Nothing to load\. No dependencies have been added to"):
        tf.train.Checkpoint().read(path).assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Nothing except the root object matched a checkpointed value"):
        tf.train.Checkpoint(other=tf.Variable(0.0)).read(path).assert_nontrivial_match()


def test_an_object_that_is_gone_counts_as_missing(tmp_path: Path) -> None:
    path = written(tmp_path, v=tf.Variable(1.0))
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    checkpoint.v = tf.Variable(0.0)
    status.assert_consumed()
    del checkpoint.v
    with pytest.raises(AssertionError, match="Unresolved object"):
        status.assert_consumed()


def test_a_slot_variable_is_called_by_its_optimizer(tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    path = written(tmp_path, v=v, optimizer=Optimizer([v]))
    with pytest.raises(AssertionError, match=r"\(root\)\.optimizer's state 'm' for \(root\)\.v"):
        tf.train.Checkpoint(v=tf.Variable(0.0)).read(path).assert_consumed()


def test_slot_variables_are_restored_in_any_order(tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    optimizer = Optimizer([v])
    optimizer.get_slot(v, "m").assign(5.0)
    path = written(tmp_path, v=v, optimizer=optimizer)
    for order in (["v", "optimizer"], ["optimizer", "v"]):
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.read(path)
        made = {"v": tf.Variable(0.0, name="w"), "optimizer": Optimizer([])}
        for name in order:
            setattr(checkpoint, name, made[name])
        assert made["optimizer"].get_slot(made["v"], "m").numpy() == 5.0
        status.assert_consumed()


def test_slot_variables_may_be_left_alone(tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    path = written(tmp_path, v=v, optimizer=Optimizer([v]))
    fresh = tf.Variable(0.0)
    optimizer = Optimizer([])
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    tf.train.Checkpoint(v=fresh, optimizer=optimizer).read(path, options).assert_consumed()
    assert fresh.numpy() == 1.0 and not optimizer.slots


def test_in_a_graph_of_tensorflow_1_restoring_needs_a_session(tmp_path: Path) -> None:
    path = written(tmp_path, v=tf.Variable(1.0))
    with tf.Graph().as_default():
        status = tf.train.Checkpoint(v=tf.Variable(0.0)).read(path)
        for act in (status.run_restore_ops, status.initialize_or_restore):
            with pytest.raises(RuntimeError, match=r"are run by a session: give one"):
                act()

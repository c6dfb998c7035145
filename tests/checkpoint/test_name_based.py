"""Checkpoints without objects, restored into objects by the names of variables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.writer import BundleWriter


@pytest.fixture
def path(tmp_path: Path) -> str:
    prefix = str(tmp_path / "v1")
    with BundleWriter(prefix) as writer:
        writer.add("a", np.float32(1.0))
        writer.add("scope/b", np.array([1, 2], np.int32))
    return prefix


def test_variables_take_the_values_of_their_names(path: str) -> None:
    a, b = tf.Variable(5.0, name="a"), tf.Variable([5, 5], name="scope/b")
    status = tf.train.Checkpoint(x=a, y=[b]).read(path)
    assert a.numpy() == 1.0 and b.numpy().tolist() == [1, 2]
    assert status.assert_consumed() is status and type(status).__name__ == "NameBasedSaverStatus"
    assert status.report().is_complete


def test_objects_that_are_made_later_take_theirs(path: str) -> None:
    checkpoint = tf.train.Checkpoint(inner=tf.Module())
    checkpoint.read(path)
    checkpoint.inner.deep = tf.Module()
    checkpoint.inner.deep.v = tf.Variable(5.0, name="a")
    assert checkpoint.inner.deep.v.numpy() == 1.0


def test_a_name_that_is_missing_is_told(path: str) -> None:
    status = tf.train.Checkpoint(v=tf.Variable(5.0, name="a"), w=tf.Variable(3, name="zz")).read(path)
    for claim in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match="Some objects had attributes which were not restored"):
            claim()
    report = status.report()
    assert [row.name for row in report.missing] == ["zz"] and [row.name for row in report.unused] == ["scope/b"]


def test_a_table_has_no_name_there(path: str) -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    status = tf.train.Checkpoint(v=tf.Variable(5.0, name="a"), t=table).read(path)
    with pytest.raises(AssertionError, match="MutableHashTable"):
        status.assert_consumed()


def test_the_counter_may_be_missing(path: str) -> None:
    a = tf.Variable(5.0, name="a")
    checkpoint = tf.train.Checkpoint(a=a)
    checkpoint.restore(path).assert_consumed()
    assert a.numpy() == 1.0 and checkpoint.save_counter.numpy() == 0


def test_what_does_not_fit_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"Received incompatible tensor with shape \(\)"):
        tf.train.Checkpoint(v=tf.Variable([1.0], name="a")).read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        tf.train.Checkpoint(v=tf.Variable(1, name="a")).read(path)

"""`tf.train.TrackableView` and `tf.train.CheckpointView`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.writer import BundleWriter


def model() -> Any:
    made = tf.Module()
    made.a = [tf.Variable(1.0), {"k": tf.Variable(2.0)}]
    made.b = tf.Variable(3.0)
    return made


def test_descendants_come_breadth_first_and_once() -> None:
    root = model()
    root.again = root.a
    view = tf.train.TrackableView(root)
    assert view.root is root
    assert [type(one).__name__ for one in view.descendants()] == [
        "Module",
        "ListWrapper",
        "ResourceVariable",
        "ResourceVariable",
        "_DictWrapper",
        "ResourceVariable",
    ]
    assert list(tf.train.TrackableView.children(root)) == ["a", "b", "again"]


def test_a_view_does_not_keep_its_root() -> None:
    view = tf.train.TrackableView(model())
    assert view.root is None
    with pytest.raises(TypeError, match="weak reference"):
        tf.train.TrackableView(3)


@pytest.fixture
def view(tmp_path: Path) -> Any:
    return tf.train.CheckpointView(tf.train.Checkpoint(m=model()).save(str(tmp_path / "c")))


def test_saved_objects_have_numbers(view: Any) -> None:
    assert view.children(0) == {"m": 1, "save_counter": 2} and view.children(1) == {"a": 3, "b": 4}
    assert view.descendants() == [0, 1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(IndexError):
        view.children(99)


def test_objects_of_a_program_are_matched(view: Any) -> None:
    other = tf.Module()
    other.a, other.c = [tf.Variable(1.0)], tf.Variable(9.0)
    root = tf.train.Checkpoint(m=other)
    matches, saved, rest = view.diff(root)
    assert matches == view.match(root) == {0: root, 1: other, 3: other.a, 5: other.a[0]}
    assert saved == [2, 4, 6, 7] and [one.numpy() for one in rest] == [9.0]


def test_what_is_not_trackable_has_no_match(view: Any) -> None:
    for compare in (view.match, view.diff):
        with pytest.raises(ValueError, match="Expected a Trackable, got 3 of type <class 'int'>"):
            compare(3)


def test_a_checkpoint_without_objects_has_no_view(tmp_path: Path) -> None:
    with BundleWriter(str(tmp_path / "v1")) as writer:
        writer.add("a", np.float32(1.0))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(str(tmp_path / "v1"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.CheckpointView(str(tmp_path / "none"))


def test_a_subclass_of_the_view_says_what_the_children_are() -> None:
    class Childless(tf.train.TrackableView):
        @classmethod
        def children(cls, obj: Any, save_type: str = "savedmodel", **kwargs: Any) -> Any:
            return {}

    module = tf.Module()
    module.v = tf.Variable(1.0)
    assert tf.train.TrackableView(module).descendants() == [module, module.v]
    assert Childless(module).descendants() == [module]

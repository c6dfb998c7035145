"""Variables that are tracked before they have storage, shown with a class that makes storage when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.trackable import deferred_storage as module
from millrace._src.trackable.base import Trackable
from millrace._src.trackable.deferred_storage import DeferredStorage, deferred_storage, register_deferred_storage


class LateVariable(Trackable):
    """A variable without storage until `make` is called."""

    _should_act_as_resource_variable = True
    shape, dtype, name = tf.TensorShape([2]), tf.float32, "late"

    @property
    def _shared_name(self) -> Any:
        return self.storage._shared_name

    def __init__(self) -> None:
        self.storage: Any = None
        self.initial_value: Any = [0.0, 0.0]

    def make(self) -> None:
        self.storage = tf.Variable(self.initial_value)

    def _serialize_to_tensors(self) -> Any:
        return self.storage._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: Any) -> Any:
        return self.storage._restore_from_tensors(restored_tensors)


class LateStorage:
    """How a `LateVariable` is given its first value."""

    def is_missing(self, variable: Any) -> bool:
        return variable.storage is None

    def set_initial_value(self, variable: Any, value: Any) -> None:
        variable.initial_value = value


def find(cls: type) -> DeferredStorage | None:
    return LateStorage() if issubclass(cls, LateVariable) else None


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module, "_finders", list(module._finders))
    register_deferred_storage(find)
    yield
    module._deferred_storage_of.clear()


@pytest.fixture
def path(tmp_path: Path) -> str:
    variable = LateVariable()
    variable.initial_value = [3.0, 4.0]
    variable.make()
    return str(tf.train.Checkpoint(v=variable).write(str(tmp_path / "c")))


def test_a_saved_value_becomes_the_initial_value(path: str) -> None:
    variable = LateVariable()
    status = tf.train.Checkpoint(v=variable).read(path)
    variable.make()
    assert variable.storage.numpy().tolist() == [3.0, 4.0]
    status.assert_consumed()


def test_a_variable_that_is_tracked_later_gets_its_value_too(path: str) -> None:
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path)
    checkpoint.v = variable = LateVariable()
    variable.make()
    assert variable.storage.numpy().tolist() == [3.0, 4.0]


def test_a_variable_with_storage_is_assigned(path: str) -> None:
    variable = LateVariable()
    variable.make()
    assert deferred_storage(variable) is None
    tf.train.Checkpoint(v=variable).read(path)
    assert variable.storage.numpy().tolist() == [3.0, 4.0]


def test_the_latest_restoration_wins(path: str, tmp_path: Path) -> None:
    variable = LateVariable()
    checkpoint = tf.train.Checkpoint(v=variable)
    checkpoint.read(path)
    checkpoint.read(tf.train.Checkpoint(v=tf.Variable([5.0, 6.0])).write(str(tmp_path / "d")))
    variable.make()
    assert variable.storage.numpy().tolist() == [5.0, 6.0]


def test_classes_that_are_not_registered_have_storage() -> None:
    assert deferred_storage(tf.Variable(1.0)) is None


def test_a_checkpoint_without_objects_waits_for_the_name(tmp_path: Path) -> None:
    path = str(tmp_path / "names")
    tf.compat.v1.train.Saver([tf.Variable([1.0, 2.0], name="late")]).save(None, path)
    variable = LateVariable()
    status = tf.train.Checkpoint(v=variable).read(path)
    with pytest.raises(AssertionError, match="were not restored"):
        status.assert_consumed()

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_object_graph_pb2
from millrace._src.saved_model.loaded_objects import (
    CapturedTensor,
    RestoredOptimizer,
    RestoredResource,
    captured_tensor,
    make_variable,
    user_object_class,
)


class Halved(tf.__internal__.tracking.Trackable):
    """Gives the half of its value."""

    def __init__(self) -> None:
        self.v = self._track_trackable(tf.Variable([2.0, 4.0]), "v")

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"half": self.v / 2.0, "count": tf.constant(3)}

    def _restore_from_tensors(self, restored_tensors: Any) -> Any:
        return self.v.assign(restored_tensors["half"] * 2.0)


def test_an_object_that_gives_tensors_by_name_does_so_when_it_is_loaded(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.halved = Halved()
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    loaded.halved.v.assign([6.0, 8.0])
    path = tf.train.Checkpoint(halved=loaded.halved).write(str(tmp_path / "ckpt"))
    assert tf.train.load_variable(path, "halved/.ATTRIBUTES/half").tolist() == [3.0, 4.0]
    tf.saved_model.save(loaded, str(tmp_path / "again"))
    assert tf.saved_model.load(str(tmp_path / "again")).halved.v.numpy().tolist() == [6.0, 8.0]
    loaded.halved.v.assign([0.0, 0.0])
    tf.train.Checkpoint(halved=loaded.halved).read(path).assert_consumed()
    assert loaded.halved.v.numpy().tolist() == [6.0, 8.0]


def test_a_table_can_be_checkpointed_after_loading(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.table.insert(tf.constant(["q"]), tf.constant([7], tf.int64))
    module.find = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    put = lambda k, v: module.table.insert(k, v)  # noqa: E731  (traced, not called)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)])
    def insert(keys: Any, values: Any) -> Any:
        put(keys, values)
        return keys

    module.insert = insert
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    path = tf.train.Checkpoint(table=loaded.table).write(str(tmp_path / "ckpt"))
    loaded.insert(["q"], tf.constant([8], tf.int64))
    assert loaded.find(["q"]).numpy().tolist() == [8]
    tf.train.Checkpoint(table=loaded.table).read(path)
    assert loaded.find(["q"]).numpy().tolist() == [7]


def test_user_objects_can_do_what_was_saved() -> None:
    plain, both = user_object_class(False, False), user_object_class(True, True)
    assert not callable(plain()) and callable(both()) and {plain.__name__, both.__name__} == {"_UserObject"}
    assert issubclass(both, plain) and user_object_class(True, True) is both


def test_an_optimizer_has_slots_by_name_and_variable() -> None:
    optimizer, v, m = RestoredOptimizer(), tf.Variable(1.0), tf.Variable(2.0)
    optimizer.add_slot(v, "momentum", m)
    assert optimizer.get_slot(v, "momentum") is m and optimizer.get_slot_names() == ["momentum"]
    assert optimizer.get_slot(m, "momentum") is None and optimizer.get_slot(v, "other") is None
    assert not optimizer._trackable_children()


def test_a_resource_without_functions_says_so() -> None:
    with pytest.raises(tf.errors.DataLossError, match="came without a function `_create_resource`"):
        RestoredResource().resource_handle


def test_a_variable_is_made_as_the_message_says() -> None:
    message = saved_object_graph_pb2.SavedVariable(dtype=1, name="w", trainable=True, synchronization=3, aggregation=1)
    message.shape.dim.add(size=2)
    v = make_variable(message, False)
    assert (v.name, v.dtype, v.shape.as_list(), v.trainable) == ("w:0", tf.float32, [2], True)
    assert v.synchronization is tf.VariableSynchronization.ON_READ
    assert v.aggregation is tf.VariableAggregation.SUM and not v.is_initialized().numpy()


def test_tensors_variables_assets_and_resources_can_be_captured(tmp_path: pathlib.Path) -> None:
    constant, v = tf.constant(1.0), tf.Variable(1.0)
    asset = tf.saved_model.Asset(str(tmp_path))
    assert captured_tensor(constant) is constant and captured_tensor(v) is v.handle
    assert captured_tensor(asset) is asset.asset_path
    for other in (tf.Module(), CapturedTensor("x:0", "f")):
        with pytest.raises(ValueError, match=r"captures a .*, which has no tensor"):
            captured_tensor(other)

"""Supplementary children in the files of checkpoints, shown with Keras's models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.writer import BundleWriter
from millrace._src.checkpoint.supplementary_graph import SUPPLEMENT_KEY, merge_supplement
from millrace._src.proto.trackable_object_graph_pb2 import TrackableObjectGraph


@pytest.fixture
def keras(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Keras, which changes the environment as it is imported."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    pytest.importorskip("keras")
    return tf.keras


def keys(path: str) -> list[str]:
    return [key.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for key, _ in tf.train.list_variables(path)]


def test_plain_objects_have_no_second_message(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=[tf.Variable(1.0)]).write(str(tmp_path / "c"))
    assert keys(path) == ["_CHECKPOINTABLE_OBJECT_GRAPH", "v/0"]


def test_layers_in_lists_have_keys_after_the_attributes_that_lead_to_them(keras: Any, tmp_path: Path) -> None:
    layer = keras.layers.Layer()
    layer.stages = [keras.layers.Dense(1), {"drop": keras.layers.Dropout(0.5, seed=3)}]
    layer.stages[0].build([None, 2])
    path = tf.train.Checkpoint(layer=layer).write(str(tmp_path / "c"))
    assert keys(path) == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        SUPPLEMENT_KEY,
        "layer/stages/0/_kernel",
        "layer/stages/0/bias",
        "layer/stages/1/drop/seed_generator/state",
    ]


def test_objects_that_children_lead_to_have_one_key(keras: Any, tmp_path: Path) -> None:
    layer = keras.layers.Layer()
    layer.first = keras.layers.Dense(1)
    layer.all = [layer.first]
    layer.first.build([None, 2])
    path = tf.train.Checkpoint(layer=layer).write(str(tmp_path / "c"))
    assert [key for key in keys(path) if key.startswith("layer")] == ["layer/first/_kernel", "layer/first/bias"]


def test_asynchronous_and_sharded_checkpoints_have_supplements(keras: Any, tmp_path: Path) -> None:
    saved, fresh = keras.layers.Dropout(0.5, seed=3), keras.layers.Dropout(0.5, seed=4)
    options: Any = tf.train.CheckpointOptions(
        enable_async=True,
        experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(max_shard_size=64),
    )
    checkpoint = tf.train.Checkpoint(layer=saved)
    path = checkpoint.write(str(tmp_path / "c"), options)
    checkpoint.sync()
    tf.train.Checkpoint(layer=fresh).read(path)
    assert fresh.seed_generator.state.numpy().tolist() == [3, 0]


def test_a_damaged_second_message_is_refused(tmp_path: Path) -> None:
    proto = TrackableObjectGraph()
    proto.nodes.add()
    supplement = TrackableObjectGraph()
    supplement.nodes.add().children.add(node_id=7, local_name="away")
    prefix = str(tmp_path / "c")
    with BundleWriter(prefix) as writer:
        for key, message in (("_CHECKPOINTABLE_OBJECT_GRAPH", proto), (SUPPLEMENT_KEY, supplement)):
            writer.add(key, tf.constant(message.SerializeToString())._eager_array, tf.string)
    with pytest.raises(tf.errors.DataLossError, match="refer to objects that are not there"):
        tf.train.Checkpoint().read(prefix)


def test_a_supplement_adds_edges_and_nodes() -> None:
    proto, supplement = TrackableObjectGraph(), TrackableObjectGraph()
    proto.nodes.add().children.add(node_id=1, local_name="a")
    proto.nodes.add()
    supplement.nodes.add().children.add(node_id=2, local_name="b")
    supplement.nodes.add()
    supplement.nodes.add().attributes.add(name="VARIABLE_VALUE")
    merge_supplement(proto, supplement)
    assert [(child.local_name, child.node_id) for child in proto.nodes[0].children] == [("a", 1), ("b", 2)]
    assert len(proto.nodes) == 3 and proto.nodes[2].attributes[0].name == "VARIABLE_VALUE"

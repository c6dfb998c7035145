"""The functions that save and restore objects which are not variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import millrace as tf
from millrace._src.saved_model.saveable_functions import ALL_TENSORS, saveable_functions


def test_a_table_is_saved_under_a_key_and_restored_from_its_tensors() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b"], tf.constant([1, 2], tf.int64))
    (pair,) = saveable_functions(table, "root/table")
    assert (pair.name, pair.tensor_count) == ("table", 2)
    parts = pair.save(tf.constant("KEY"))
    assert [part["name"].numpy() for part in parts] == [b"KEY-keys", b"KEY-values"]
    assert sorted(parts[0]["tensor"].numpy()) == [b"a", b"b"]
    pair.restore(tf.constant(["c"]), tf.constant([3], tf.int64))
    assert table[["a", "c"]].numpy().tolist() == [-1, 3]


class Halved(tf.__internal__.tracking.Trackable):  # type: ignore[misc]  # of the lazy namespace
    def __init__(self) -> None:
        self.v = tf.Variable([2.0, 4.0])

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"half": self.v / 2.0, "count": tf.constant(3)}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        return self.v.assign(restored_tensors["half"] * 2.0)


def test_an_object_with_tensors_of_its_own_is_saved_by_their_names() -> None:
    halved = Halved()
    (pair,) = saveable_functions(halved, "root")
    assert (pair.name, pair.tensor_count) == (ALL_TENSORS, 2)
    result = pair.save()
    assert [tensor.numpy().tolist() for tensor in pair.tensors(result)] == [[1.0, 2.0], 3]
    pair.restore.call_flat(pair.restore_arguments([tf.constant([5.0, 6.0]), tf.constant(0)]))
    assert halved.v.numpy().tolist() == [10.0, 12.0]

"""Objects of every kind, saved and restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.trackable.saveable_object import SaveableObject, SaveSpec

Trackable = tf.__internal__.tracking.Trackable


def saved_and_restored(tmp_path: Path, thing: Any, fresh: Any) -> Any:
    path = tf.train.Checkpoint(thing=thing).write(str(tmp_path / "c"))
    tf.train.Checkpoint(thing=fresh).read(path).assert_consumed()
    return fresh


VALUES = [
    1.5,
    [1, 2],
    "text",
    True,
    1 + 2j,
    np.float16(2),
    np.int8(3),
    tf.bfloat16.as_numpy_dtype(1.5),
    [[]],
    np.uint64(7),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_variables_of_every_dtype(tmp_path: Path, value: Any) -> None:
    v = tf.Variable(value)
    fresh = saved_and_restored(tmp_path, v, tf.Variable(tf.zeros_like(v)))
    assert np.array_equal(fresh.numpy(), v.numpy())


def test_a_variable_of_unknown_shape_takes_any(tmp_path: Path) -> None:
    fresh = tf.Variable(0.0, shape=tf.TensorShape(None))
    assert saved_and_restored(tmp_path, tf.Variable([1.0, 2.0]), fresh).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("is_dense", [False, True])
def test_tables(tmp_path: Path, is_dense: bool) -> None:
    def table() -> Any:
        if is_dense:
            return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -2, -3)
        return tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    full, fresh = table(), table()
    full.insert([1, 2], [10, 20])
    fresh.insert([5], [50])
    saved_and_restored(tmp_path, full, fresh)
    assert fresh.lookup([1, 2, 5]).numpy().tolist() == [10, 20, -1]


def test_iterators_go_on(tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(10).shuffle(5, seed=3).batch(2)
    iterator = iter(dataset)
    next(iterator)
    fresh = saved_and_restored(tmp_path, iterator, iter(dataset))
    assert [batch.numpy().tolist() for batch in iterator] == [batch.numpy().tolist() for batch in fresh]


def test_iterators_and_tables_are_saved_and_restored_in_functions(tmp_path: Path) -> None:
    iterator = iter(tf.data.Dataset.range(9))
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    checkpoint = tf.train.Checkpoint(iterator=iterator, table=table)
    path = str(tmp_path / "c")
    write = tf.function(lambda: checkpoint.write(path))

    @tf.function
    def read() -> Any:
        checkpoint.read(path)
        return table.size()

    for count in (1, 2):
        next(iterator)
        table.insert([count], [count])
        write()
        next(iterator)
        table.insert([100], [100])
        assert read().numpy() == count
        assert next(iterator).numpy() == 2 * count - 1


def test_generators_go_on(tmp_path: Path) -> None:
    generator = tf.random.Generator.from_seed(3)
    generator.normal([2])
    fresh = saved_and_restored(tmp_path, generator, tf.random.Generator.from_seed(7))
    assert (generator.normal([3]).numpy() == fresh.normal([3]).numpy()).all()


class Pair(Trackable):
    """Gives two tensors, one of them in two parts."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def _serialize_to_tensors(self) -> dict[str, Any]:
        first, second = self.values
        return {
            "whole": tf.constant(first),
            "parts": {"4 0,2": tf.constant(second[:2]), "4 2,2": tf.constant(second[2:])},
        }

    def _restore_from_tensors(self, restored_tensors: Any) -> None:
        parts = restored_tensors["parts"]
        self.values = (
            restored_tensors["whole"].numpy(),
            [*parts["4 0,2"].numpy().tolist(), *parts["4 2,2"].numpy().tolist()],
        )


def test_a_class_gives_and_takes_its_own_tensors(tmp_path: Path) -> None:
    assert saved_and_restored(tmp_path, Pair((1, [1, 2, 3, 4])), Pair((0, [0] * 4))).values == (1, [1, 2, 3, 4])


class Named(Trackable):
    def __init__(self, *names: str) -> None:
        self.names, self.restored = names, None

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {name: tf.constant(index) for index, name in enumerate(self.names)}

    def _restore_from_tensors(self, restored_tensors: Any) -> None:
        self.restored = {name: int(tensor) for name, tensor in restored_tensors.items()}


def test_an_object_is_given_the_names_that_it_knows(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(o=Named("a", "b")).write(str(tmp_path / "c"))
    fewer = Named("b")
    tf.train.Checkpoint(o=fewer).read(path)
    assert fewer.restored == {"b": 1}
    more = Named("a", "b", "c")
    with pytest.raises(tf.errors.NotFoundError, match=r"Key o/.ATTRIBUTES/c not found in checkpoint"):
        tf.train.Checkpoint(o=more).read(path)


class Saveable(SaveableObject):
    def __init__(self, variable: Any, name: str) -> None:
        self.variable = variable
        specs = [
            SaveSpec(variable.read_value(), "", name + "-now"),
            SaveSpec(lambda: variable + 1.0, "", name + "-next", dtype=tf.float32),
        ]
        super().__init__(variable, specs, name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        return self.variable.assign(restored_tensors[0] * 10.0 + restored_tensors[1])


class OldStyle(Trackable):
    """Hands out saveable objects, as classes of TensorFlow 1 do."""

    def __init__(self, value: float) -> None:
        self.variable = tf.Variable(value, name="own")

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"state": lambda name="state": Saveable(self.variable, name)}


def test_saveable_objects_are_saved_and_restored(tmp_path: Path) -> None:
    fresh = saved_and_restored(tmp_path, OldStyle(2.0), OldStyle(0.0))
    assert fresh.variable.numpy() == 23.0
    assert [name for name, _ in tf.train.list_variables(str(tmp_path / "c"))][1:] == [
        "thing/.ATTRIBUTES/state-next",
        "thing/.ATTRIBUTES/state-now",
    ]


def test_a_saveable_object_of_another_name_is_refused(tmp_path: Path) -> None:
    class Fixed(OldStyle):
        def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
            return {"state": Saveable(self.variable, "fixed")}

    with pytest.raises(AssertionError, match=r"produced a SaveableObject with name 'fixed' for attribute 'state'"):
        tf.train.Checkpoint(o=Fixed(1.0)).write(str(tmp_path / "c"))


def test_a_class_may_save_variables_under_names(tmp_path: Path) -> None:
    class Holder(OldStyle):
        def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
            return {"first": self.variable}

    assert saved_and_restored(tmp_path, Holder(4.0), Holder(0.0)).variable.numpy() == 4.0

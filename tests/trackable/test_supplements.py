"""Supplementary children, shown with a library whose containers are not trackable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.trackable import data_structures, parts
from millrace._src.trackable.base import StandIn
from millrace._src.trackable.parts import PartsOf, register_parts


class Bag(list[Any]):
    """A list that the library does not make trackable."""


class Dice:
    """An object that has a variable and is not trackable."""

    def __init__(self, seed: int = 0) -> None:
        self.state = tf.Variable(seed)


class Layer(tf.Module):
    """An object with attributes of all kinds."""


def find(cls: type) -> PartsOf | None:
    if issubclass(cls, Bag):
        return lambda bag: {str(index): part for index, part in enumerate(bag) if is_part(part)}
    if issubclass(cls, Dice):
        return lambda dice: {"state": dice.state}
    if issubclass(cls, Layer):
        return lambda layer: {name: part for name, part in vars(layer).items() if isinstance(part, (Bag, Dice))}
    return None


def is_part(value: Any) -> bool:
    return isinstance(value, (tf.Module, tf.Variable, Bag, Dice))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(parts, "_finders", list(parts._finders))
    register_parts(find)
    data_structures.wrapper_of.clear()
    yield
    parts.parts_of.clear()
    data_structures.wrapper_of.clear()


def layer(value: float = 0.0, seed: int = 0) -> Any:
    made: Any = Layer()
    made.bag = Bag([tf.Variable(value), Bag([tf.Variable(value + 1)]), "text"])
    made.dice = Dice(seed)
    return made


def values(made: Any) -> list[float]:
    return [float(v) for v in (made.bag[0], made.bag[1][0], made.dice.state)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tf.train.Checkpoint(root=tf.Module(), layer=layer(5.0, 7)).write(str(tmp_path / "c")))


def restored(path: str, made: Any) -> Any:
    return tf.train.Checkpoint(root=tf.Module(), layer=made).read(path)


def test_parts_are_saved_and_restored(path: str) -> None:
    made = layer()
    restored(path, made).assert_consumed().assert_existing_objects_matched()
    assert values(made) == [5.0, 6.0, 7.0]


def test_attributes_keep_the_objects_that_were_set() -> None:
    made = layer()
    assert type(made.bag) is Bag and type(made.dice) is Dice
    assert list(made._trackable_children()) == []


def test_the_report_names_parts(path: str) -> None:
    rows = {row.name for row in restored(path, layer()).report().loaded}
    assert {"layer/bag/0", "layer/bag/1/0", "layer/dice/state"} <= rows


def test_parts_that_are_set_later_take_the_values_that_wait(path: str) -> None:
    made: Any = Layer()
    restored(path, made)
    made.dice = Dice()
    made.bag = Bag([tf.Variable(0.0), Bag([tf.Variable(0.0)])])
    assert values(made) == [5.0, 6.0, 7.0]


def test_a_container_that_replaces_another_takes_the_values_that_wait(path: str) -> None:
    made: Any = Layer()
    made.bag, made.dice = Bag(), Dice()
    restored(path, made)
    made.bag = Bag([tf.Variable(0.0), Bag([tf.Variable(0.0)])])
    assert values(made) == [5.0, 6.0, 7.0]


def test_a_container_that_grows_takes_values_when_the_owner_gets_another_part(path: str) -> None:
    made: Any = Layer()
    made.bag, made.dice = Bag([tf.Variable(0.0)]), Dice()
    restored(path, made)
    assert float(made.bag[0]) == 5.0
    made.bag.append(Bag([tf.Variable(0.0)]))
    made.built = Bag()
    assert values(made) == [5.0, 6.0, 7.0]


def test_later_values_of_a_variable_are_not_restored_again(path: str) -> None:
    made = layer()
    restored(path, made)
    made.bag[0].assign(1.0)
    made.another = Bag()
    assert float(made.bag[0]) == 1.0


def test_a_checkpoint_without_parts_leaves_them_alone(tmp_path: Path) -> None:
    plain: Any = Layer()
    path = tf.train.Checkpoint(layer=plain).write(str(tmp_path / "d"))
    made = layer(2.0, 3)
    tf.train.Checkpoint(layer=made).read(path).assert_consumed().assert_existing_objects_matched()
    assert values(made) == [2.0, 3.0, 3.0]


def test_a_program_without_parts_passes_the_assertions_of_tensorflow(path: str) -> None:
    status = restored(path, Layer())
    status.assert_consumed().assert_existing_objects_matched()
    assert len(status.report().unused) == 3


def test_a_stand_in_shows_its_object() -> None:
    assert repr(StandIn([1])) == "StandIn([1])"

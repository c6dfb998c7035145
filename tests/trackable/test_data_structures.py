"""What wrappers have in common."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.trackable.data_structures import (
    NoDependency,
    TrackableDataStructure,
    has_nothing_to_track,
    register_wrapper,
    sticky_attribute_assignment,
    wrap_or_unwrap,
)
from millrace._src.trackable.list_wrapper import ListWrapper


def test_what_is_no_container_is_left_alone() -> None:
    for value in (None, 3, "a", {1}, object(), ListWrapper([1])):
        assert wrap_or_unwrap(value) is value
    held: list[int] = []
    assert wrap_or_unwrap(NoDependency(held)) is held


def test_a_class_of_containers_can_be_registered() -> None:
    class Bag(set[Any]):
        pass

    class BagWrapper(TrackableDataStructure):
        def __init__(self, bag: Bag) -> None:
            self.bag = bag

    assert type(wrap_or_unwrap(Bag())) is Bag
    register_wrapper(BagWrapper, Bag)
    module = tf.Module()
    module.bag = Bag()
    assert list(module._trackable_children()) == ["bag"] and type(module.bag) is BagWrapper


def test_setting_an_attribute_tracks_it_and_gives_what_to_store() -> None:
    module = tf.Module()
    stored = sticky_attribute_assignment(module, "x", [1])
    assert type(stored) is ListWrapper and module._lookup_dependency("x") is stored
    assert sticky_attribute_assignment(module, "y", NoDependency([1])) == [1]
    assert list(module._trackable_children()) == ["x"]


def test_data_structures_are_equal_only_to_themselves() -> None:
    one, other = TrackableDataStructure(), TrackableDataStructure()
    assert one == one and one != other and len({one, other}) == 2


def test_variables_of_wrappers_that_declare_themselves_count() -> None:
    class Casting:
        _should_act_as_resource_variable = True
        trainable = True

    variable, casting = tf.Variable(1.0), Casting()
    assert [v is w for v, w in zip(ListWrapper([variable, casting]).variables, [variable, casting], strict=True)]


def test_elements_are_stored_by_the_containers_themselves() -> None:
    with pytest.raises(NotImplementedError, match=r"TrackableDataStructure._values"):
        TrackableDataStructure().variables


def test_values_of_classes_that_nothing_becomes_of_have_nothing_to_track() -> None:
    assert has_nothing_to_track([1, "a", None, {1}, tf.constant(1.0), int]) and has_nothing_to_track([])
    for value in ([], {}, (), NoDependency(1), tf.Module(), tf.Variable(1.0), ListWrapper([])):
        assert not has_nothing_to_track([1, value])

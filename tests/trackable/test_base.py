"""Objects that name their children; what TensorFlow answers is in the oracle programs `trackable_objects`."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import millrace as tf
from millrace._src.trackable.base import SaveType, Trackable, TrackableReference


def test_an_object_without_children_carries_no_bookkeeping() -> None:
    thing = Trackable()
    assert thing._trackable_children() == {} and thing._checkpoint_dependencies == [] and vars(thing) == {}
    assert thing._update_uid == -1 and thing._setattr_tracking


def test_the_bookkeeping_of_one_object_is_not_that_of_another() -> None:
    one, other = Trackable(), Trackable()
    one._track_trackable(tf.Module(), "a")
    one._deferred_dependencies["b"] = []
    one._update_uid = 3
    one._setattr_tracking = False
    assert vars(other) == {} and other._lookup_dependency("a") is None


def test_a_child_can_be_tracked_again_under_its_name() -> None:
    thing, child = Trackable(), tf.Module()
    assert thing._track_trackable(child, "a") is thing._track_trackable(child, "a") is child


def test_children_are_a_copy() -> None:
    thing = Trackable()
    thing._track_trackable(tf.Module(), "a")
    thing._trackable_children().clear()
    assert list(thing._trackable_children()) == ["a"]


def test_a_reference_unpacks_into_name_and_child() -> None:
    child = tf.Module()
    name, ref = reference = TrackableReference("a", child)
    assert (name, ref) == ("a", child) and reference == TrackableReference("a", child)
    assert reference != TrackableReference("a", tf.Module()) and len({reference, TrackableReference("a", child)}) == 1


def test_children_are_looked_up_in_given_ones_first() -> None:
    thing, child = Trackable(), tf.Module()
    assert thing._lookup_dependency("a", {"a": child}) is child


def test_a_variable_needs_a_getter() -> None:
    with pytest.raises(ValueError, match=r"_add_variable_with_custom_getter\('w'\) needs a `getter`"):
        Trackable()._add_variable_with_custom_getter("w")


def test_what_a_getter_makes_need_not_be_trackable() -> None:
    thing = Trackable()
    made = thing._add_variable_with_custom_getter("w", getter=lambda **given: given)
    assert made == {"name": "w", "shape": None, "dtype": "float32", "initializer": None}
    assert thing._trackable_children() == {}


def test_kinds_of_saving_are_strings() -> None:
    assert SaveType.CHECKPOINT == "checkpoint" and SaveType("savedmodel") is SaveType.SAVEDMODEL


def test_a_class_that_sets_attributes_its_own_way_is_not_asked_to_store_bookkeeping() -> None:
    class Frozen(Trackable):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(f"frozen: {name}")

    thing = Frozen()
    thing._track_trackable(tf.Module(), "a")
    assert list(copy.deepcopy(thing)._trackable_children()) == ["a"]

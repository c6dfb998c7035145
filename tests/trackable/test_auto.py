"""Objects whose attributes are children; what TensorFlow answers is in the oracle programs `trackable_objects`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.trackable.auto import AutoTrackable, no_automatic_dependency_tracking_scope
from millrace._src.trackable.list_wrapper import ListWrapper


class Model(AutoTrackable):
    """An object to set attributes on."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


PLAIN = [1, 1.5, 1j, True, None, "a", b"a", {1}, frozenset(), len, lambda: 1, tf.constant(1), np.ones(2), int, object()]


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: type(value).__name__)
def test_plain_values_are_stored_as_they_are(value: Any) -> None:
    model = Model(x=value)
    assert model.x is value and vars(model) == {"x": value}


def test_setting_what_is_there_changes_nothing() -> None:
    model = Model(x=[1])
    wrapped = model.x
    model.x += [2]
    assert model.x is wrapped and wrapped == [1, 2]


def test_no_tracking_within_a_scope_also_when_it_fails() -> None:
    model = Model()
    with pytest.raises(KeyError), no_automatic_dependency_tracking_scope(model):
        model.x = [1]
        raise KeyError
    model.y = [1]
    assert type(model.x) is list and type(model.y) is ListWrapper and list(model._trackable_children()) == ["y"]


def test_scopes_nest() -> None:
    model = Model()
    with no_automatic_dependency_tracking_scope(model):
        with no_automatic_dependency_tracking_scope(model):
            model.x = [1]
        model.y = [1]
    assert type(model.y) is list and model._self_setattr_tracking


def test_a_class_beside_it_in_the_inheritance_sets_attributes_too() -> None:
    class Noting:
        noted: list[str] = []

        def __setattr__(self, name: str, value: Any) -> None:
            self.noted.append(name)
            super().__setattr__(name, value)

    class Both(AutoTrackable, Noting):
        pass

    both = Both()
    both.x = [1]
    assert Noting.noted == ["x"] and type(both.x) is ListWrapper


def test_an_attribute_that_does_not_exist_cannot_be_deleted() -> None:
    with pytest.raises(AttributeError):
        del Model().x


def test_functions_for_a_saved_model_come_last_and_sorted() -> None:
    class Net(tf.Module):
        @tf.function
        def b(self) -> Any:
            return 1

    net = Net()
    net.a = tf.function(lambda: 1)
    net.v = tf.Variable(1.0)
    assert list(net._trackable_children("savedmodel")) == ["v", "a", "b"]
    assert list(net._trackable_children()) == ["a", "v"]
    assert net._trackable_children("savedmodel")["b"] is not Net.__dict__["b"]


def test_keras_layers_way_of_setting_attributes_works() -> None:
    """Keras tracks an attribute by itself and then lets `AutoTrackable` set it."""

    class Layer(AutoTrackable):
        def __setattr__(self, name: str, value: Any) -> None:
            if getattr(self, "_self_setattr_tracking", True) and isinstance(value, tf.Variable):
                self._track_trackable(value, name, overwrite=True)
            super().__setattr__(name, value)

    layer = Layer()
    layer.kernel = tf.Variable(1.0)
    layer._self_setattr_tracking = False
    layer.cache = [tf.Variable(2.0)]
    assert list(layer._trackable_children()) == ["kernel"] and type(layer.cache) is list


def test_a_default_signature_that_fails_is_none() -> None:
    class Unbuilt(AutoTrackable):
        @property
        def _default_save_signature(self) -> Any:
            raise TypeError("not built")

    class Built(AutoTrackable):
        @property
        def _default_save_signature(self) -> Any:
            return signature

    signature = tf.function(lambda x: x)
    assert Unbuilt()._trackable_children("savedmodel") == {}
    assert Built()._trackable_children("savedmodel") == {"_default_save_signature": signature}


@pytest.mark.parametrize(
    ("save_type", "names"), [("savedmodel", ["trace_0"]), ("saved_model", ["trace_0"]), ("checkpoint", [])]
)
def test_the_traces_of_a_function_are_children_but_for_a_checkpoint(save_type: str, names: list[str]) -> None:
    function = tf.function(lambda x: x)
    function(1.0)
    assert list(function._trackable_children(save_type)) == names

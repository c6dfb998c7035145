"""The objects of a SavedModel, their order, and what functions capture."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.saved_model.saved_objects import SavedObjects, TrackableConstant

SCALAR = tf.TensorSpec([], tf.float32)


def kinds(objects: SavedObjects) -> list[str]:
    return [type(node).__name__ for node in objects.nodes()]


def root_with(**attributes: Any) -> Any:
    root = tf.Module()
    for name, value in attributes.items():
        setattr(root, name, value)
    return root


def test_a_function_has_its_traces_as_children_and_these_their_constants() -> None:
    constant = tf.constant([1.0, 2.0])
    root = root_with(f=tf.function(lambda x: x + constant, input_signature=[SCALAR], autograph=False))
    objects = SavedObjects(root)
    assert kinds(objects) == ["Module", "Function", "_SignatureMap", "ConcreteFunction", "TrackableConstant"]
    assert objects.paths[-1] == "f/trace_0/capture_0"


def test_a_constant_of_two_functions_is_one_object() -> None:
    constant = tf.constant(2.0)
    root = root_with(
        f=tf.function(lambda x: x + constant, input_signature=[SCALAR], autograph=False),
        g=tf.function(lambda x: x * constant, input_signature=[SCALAR], autograph=False),
    )
    assert kinds(SavedObjects(root)).count("TrackableConstant") == 1


def test_an_asset_stands_for_its_name() -> None:
    root = root_with(asset=tf.saved_model.Asset("a"))
    root.f = tf.function(lambda: root.asset.asset_path + "", input_signature=[], autograph=False)
    objects = SavedObjects(root)
    assert "TrackableConstant" not in kinds(objects)
    trace = objects.children(root.f)["trace_0"]
    assert objects.children(trace) == {"capture_0": root.asset}


def test_a_table_has_the_functions_that_make_and_fill_it() -> None:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), -1)
    children = SavedObjects(root_with(table=table)).children(table)
    assert list(children) == ["_initializer", "_create_resource", "_initialize", "_destroy_resource"]


def test_tables_of_other_contents_have_other_names() -> None:
    def name_of(value: int) -> str:
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [value]), -1)
        return SavedObjects(root_with(table=table)).resource_names[table]

    assert name_of(1) == name_of(1) != name_of(2)


def test_traces_whose_arguments_no_file_can_hold_are_left_out() -> None:
    f = tf.function(lambda x, thing: x, autograph=False)
    f(tf.constant(1.0), tf.Module())
    f(tf.constant(1.0), 2)
    root = root_with(f=f)
    assert list(SavedObjects(root).children(f)) == ["trace_0"]


def test_objects_come_after_what_they_depend_on() -> None:
    constant = tf.constant(2.0)
    root = root_with(f=tf.function(lambda x: x + constant, input_signature=[SCALAR], autograph=False))
    objects = SavedObjects(root)
    order = [type(objects.nodes()[number]).__name__ for number in objects.in_order_of_dependency()]
    assert sorted(order) == sorted(kinds(objects))
    assert order.index("TrackableConstant") < order.index("ConcreteFunction") < order.index("Function")


def test_a_dataset_is_made_again() -> None:
    root = root_with(numbers=tf.data.Dataset.range(3))
    assert "DatasetResource" in kinds(SavedObjects(root))


def test_a_static_method_that_is_a_function_is_a_child() -> None:
    class Static(tf.Module):
        @staticmethod
        @tf.function(input_signature=[SCALAR], autograph=False)
        def double(x: Any) -> Any:
            return x + x

    root = Static()
    assert list(SavedObjects(root).children(root)) == ["double", "signatures"]


def test_an_attribute_called_signatures_is_refused() -> None:
    with pytest.raises(ValueError, match="which has an attribute named 'signatures'"):
        SavedObjects(root_with(signatures=[tf.Variable(1.0)]))


def test_a_constant_says_which_node_holds_it() -> None:
    constant = TrackableConstant(tf.constant(2.0))
    with tf.Graph().as_default():
        tensor_map: dict[Any, Any] = {}
        (captured,) = constant._export_to_saved_model_graph({}, _ById(tensor_map), None)
    assert captured is constant.captured
    assert constant.operation_name == "Const"


class _ById:
    """A mapping by identity, for tensors."""

    def __init__(self, entries: dict[Any, Any]) -> None:
        self.entries = entries

    def __setitem__(self, key: Any, value: Any) -> None:
        self.entries[id(key)] = value

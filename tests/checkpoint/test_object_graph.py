"""The objects below a root, numbered, and what a checkpoint writes of them."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint.object_graph import ObjectGraphView, checkpoint_key, serialize_object_graph
from millrace._src.trackable.base import TrackableReference


class Optimizer(tf.Module):
    """Keeps slot variables for variables, without making them children."""

    @tf.__internal__.tracking.no_automatic_dependency_tracking
    def __init__(self, variables: Any, slot_names: Any = ("m", "v")) -> None:
        super().__init__()
        self.slot_names = slot_names
        self.slots: dict[Any, Any] = {
            (variable.ref(), name): tf.Variable(variable * 0.0, name=f"{variable.name[:-2]}/{name}")
            for variable in variables
            for name in slot_names
        }

    def get_slot_names(self) -> Any:
        return list(self.slot_names)

    def get_slot(self, variable: Any, name: str) -> Any:
        return self.slots.get((variable.ref(), name))

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> None:
        slot = self.slots.setdefault((variable.ref(), slot_name), tf.Variable(variable * 0.0))
        slot_variable_position.restore(slot)


def model() -> Any:
    module = tf.Module()
    module.w = tf.Variable(1.0, name="w")
    module.stages = [tf.Variable(2), {"k/x": tf.Variable(3), "b.c": module.w}]
    return module


def names_and_numbers(saved: Any, node_id: int) -> dict[str, int]:
    return {child.local_name: child.node_id for child in saved.proto.nodes[node_id].children}


def test_objects_are_numbered_breadth_first_and_once() -> None:
    root = model()
    view = ObjectGraphView(root)
    assert view.nodes()[0] is root and view.nodes()[1] is root.w
    assert view.paths == ["", "w", "stages", "stages/0", "stages/1", "stages/1/k.Sx"]
    assert view.node_ids[id(root.w)] == 1


def test_a_message_names_children_keys_and_variables() -> None:
    saved = serialize_object_graph(ObjectGraphView(model()))
    assert names_and_numbers(saved, 4) == {"k/x": 5, "b.c": 1}
    (attribute,) = saved.proto.nodes[1].attributes
    assert (attribute.name, attribute.full_name) == ("VARIABLE_VALUE", "w")
    assert attribute.checkpoint_key == "w/.ATTRIBUTES/VARIABLE_VALUE"


def test_tensors_come_in_the_order_of_the_objects() -> None:
    saved = serialize_object_graph(ObjectGraphView(model()))
    keys = [tensor.checkpoint_key for tensor in saved.tensors]
    assert keys == [checkpoint_key(path, "VARIABLE_VALUE") for path in ("w", "stages/0", "stages/1/k.Sx")]
    assert [tensor.tensor().numpy() for tensor in saved.tensors] == [1.0, 2, 3]


def test_a_variable_as_root_has_an_empty_path() -> None:
    saved = serialize_object_graph(ObjectGraphView(tf.Variable(1.0)))
    assert saved.tensors[0].checkpoint_key == "/.ATTRIBUTES/VARIABLE_VALUE"


def test_attached_children_belong_to_the_root_alone() -> None:
    root, extra = model(), tf.Variable(4.0)
    saved = serialize_object_graph(ObjectGraphView(root, attached=[TrackableReference("extra", extra)]))
    assert list(names_and_numbers(saved, 0)) == ["w", "stages", "extra"]
    assert "extra" not in root._trackable_children()


def test_objects_without_values_below_them_say_so() -> None:
    root = tf.Module()
    root.empty, root.full = tf.Module(), model()
    saved = serialize_object_graph(ObjectGraphView(root))
    assert [node.has_checkpoint_values.value for node in saved.proto.nodes[:3]] == [True, False, True]


def test_slot_variables_come_after_all_objects_by_slot_then_variable() -> None:
    root = tf.Module()
    root.w, root.b = tf.Variable(1.0, name="w"), tf.Variable(2.0, name="b")
    root.optimizer = Optimizer([root.b, root.w])
    saved = serialize_object_graph(ObjectGraphView(root))
    slots = [
        (slot.original_variable_node_id, slot.slot_name, slot.slot_variable_node_id)
        for slot in saved.proto.nodes[3].slot_variables
    ]
    assert slots == [(1, "m", 4), (2, "m", 5), (1, "v", 6), (2, "v", 7)]
    assert saved.tensors[2].checkpoint_key == "w/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE"
    assert saved.proto.nodes[3].has_checkpoint_values.value


def test_a_slot_variable_that_is_a_child_too_is_refused() -> None:
    root = tf.Module()
    root.w = tf.Variable(1.0)
    root.optimizer = Optimizer([root.w])
    root.extra = root.optimizer.get_slot(root.w, "m")
    with pytest.raises(NotImplementedError, match="A slot variable was re-used as a dependency of a Trackable object"):
        ObjectGraphView(root).nodes()


def test_tables_and_iterators_are_one_attribute_with_several_tensors() -> None:
    root = tf.Module()
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    root.iterator = iter(tf.data.Dataset.range(3))
    saved = serialize_object_graph(ObjectGraphView(root))
    attributes = [(entry.name, entry.checkpoint_key) for node in saved.proto.nodes for entry in node.attributes]
    assert attributes == [("table", "table/.ATTRIBUTES/table"), ("ITERATOR", "iterator/.ATTRIBUTES/ITERATOR")]
    assert [tensor.checkpoint_key.rpartition("/")[2] for tensor in saved.tensors] == [
        "table-keys",
        "table-values",
        "ITERATOR_STATE",
    ]


def test_children_that_are_plain_containers_are_wrapped() -> None:
    class Late(tf.Module):
        def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
            return {"parts": [tf.Variable(1.0)]}

    view = ObjectGraphView(Late())
    assert view.paths == ["", "parts", "parts/0"]


def test_the_kind_of_saving_and_further_arguments_reach_the_objects() -> None:
    asked = []

    class Asked(tf.Module):
        def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
            asked.append((save_type, kwargs))
            return {}

    cache: dict[Any, Any] = {}
    ObjectGraphView(Asked(), "savedmodel", cache=cache).nodes()
    assert asked == [("savedmodel", {"cache": cache})]

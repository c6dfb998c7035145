"""The objects of a SavedModel as a message."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_model_pb2


def objects(root: Any, target: pathlib.Path) -> Any:
    tf.saved_model.save(root, str(target))
    saved = saved_model_pb2.SavedModel.FromString((target / "saved_model.pb").read_bytes())
    return saved.meta_graphs[0].object_graph_def


def test_each_object_states_its_kind_and_children(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.items = [tf.Variable(1.0, name="v"), {"k": tf.Variable(2, trainable=False)}]
    graph = objects(root, tmp_path)
    assert [[child.local_name for child in node.children] for node in graph.nodes[:3]] == [
        ["items", "signatures"],
        ["0", "1"],
        [],
    ]
    assert [node.user_object.identifier for node in graph.nodes[:3]] == [
        "_generic_user_object",
        "trackable_list_wrapper",
        "signature_map",
    ]
    variable = graph.nodes[3].variable
    assert (variable.name, variable.dtype, variable.trainable) == ("v", tf.float32.as_datatype_enum, True)
    assert not graph.nodes[5].variable.trainable


def test_a_function_depends_on_its_traces_and_a_trace_on_what_it_captures(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.v, constant = tf.Variable(1.0), tf.constant(2.0)
    root.f = tf.function(lambda: root.v * constant, input_signature=[], autograph=False)
    graph = objects(root, tmp_path)
    function, trace = graph.nodes[2], graph.nodes[4]
    assert [(d.node_id, d.local_name) for d in function.dependencies] == [(4, "trace_0")]
    assert [d.local_name for d in trace.dependencies] == ["capture_1"]
    (name,) = function.function.concrete_functions
    assert trace.bare_concrete_function.concrete_function_name == name
    bound = list(graph.concrete_functions[name].bound_inputs)
    assert bound[0] == 1 and graph.nodes[bound[1]].constant.operation


def test_a_table_refers_to_the_functions_that_save_and_restore_it(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    graph = objects(root, tmp_path)
    functions = graph.nodes[1].saveable_objects["table"]
    names = [
        graph.nodes[number].bare_concrete_function.concrete_function_name
        for number in (functions.save_function, functions.restore_function)
    ]
    assert [name.rpartition("_")[0] for name in names] == ["__inference_save_fn", "__inference_restore_fn"]


def test_the_class_of_a_table_is_registered(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), -1)
    node = objects(root, tmp_path).nodes[1]
    assert (node.WhichOneof("kind"), node.registered_name) == ("resource", "tf.StaticHashTable")


def test_slots_of_an_optimizer_are_stated(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.average = tf.train.ExponentialMovingAverage(0.9)
    root.v = tf.Variable(1.0)
    root.average.apply([root.v])
    assert objects(root, tmp_path).nodes[0].user_object.identifier == "_generic_user_object"


def keywords(root: tf.Module, target: pathlib.Path) -> list[list[str]]:
    nodes = objects(root, target).nodes
    functions = [n.bare_concrete_function for n in nodes if n.WhichOneof("kind") == "bare_concrete_function"]
    return [list(function.argument_keywords) for function in functions]


@pytest.mark.parametrize(
    "function,arguments,expected",
    [
        (lambda p, q: p, (1.0, 2.0), ["p", "q"]),
        (lambda p: p["b"], ({"b": 1.0, "a": 2.0},), ["p_a", "p_b"]),
        (lambda *items: items[0], (1.0, 2.0), ["items_0", "items_1"]),
        (lambda a, a_0: a_0, ((1.0, 2.0), 3.0), ["a_0", "a_1", "a_0_1"]),
    ],
)
def test_parts_of_arguments_are_named_by_their_positions(
    function: Any, arguments: Any, expected: list[str], tmp_path: pathlib.Path
) -> None:
    root = tf.Module()
    root.function = tf.function(function)
    root.function(*tf.nest.map_structure(tf.constant, arguments))
    assert keywords(root, tmp_path) == [expected]


def test_parts_have_the_argument_s_name_where_a_signature_was_given(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    scalar = tf.TensorSpec([])
    root.function = tf.function(lambda a: a[0], input_signature=[(scalar, tf.TensorSpec([], name="other"))])
    root.function.get_concrete_function()
    assert keywords(root, tmp_path)[0] == ["a", "other"]


def test_parts_of_composites_have_the_argument_s_name(tmp_path: pathlib.Path) -> None:
    root = tf.Module()
    root.function = tf.function(lambda a: a.values)
    root.function(tf.ragged.constant([[1.0]]))
    assert keywords(root, tmp_path) == [["a", "a_1"]]

"""Gradients of `tf.custom_gradient` in SavedModels."""

from __future__ import annotations

import pathlib
from typing import Any

import millrace as tf
from millrace._src.proto import saved_model_pb2

SCALAR = tf.TensorSpec([], tf.float32)


@tf.custom_gradient  # type: ignore[untyped-decorator]  # of the lazy namespace
def square(x: Any) -> Any:
    y = x * x

    def grad(dy: Any) -> Any:
        return dy * y * 10.0

    return y, grad


def saved(body: Any, target: pathlib.Path) -> Any:
    root = tf.Module()
    root.f = tf.function(body, input_signature=[SCALAR], autograph=False)
    tf.saved_model.save(root, str(target))
    return saved_model_pb2.SavedModel.FromString((target / "saved_model.pb").read_bytes()).meta_graphs[0]


def test_a_gradient_is_a_function_that_an_attribute_names(tmp_path: pathlib.Path) -> None:
    meta_graph = saved(lambda x: square(x) + 1.0, tmp_path)
    (gradient,) = meta_graph.graph_def.library.registered_gradients
    functions = {function.signature.name: function for function in meta_graph.graph_def.library.function}
    named = [
        node.attr["_gradient_op_type"].s.decode()
        for function in functions.values()
        for node in function.node_def
        if node.op == "IdentityN"
    ]
    assert named == [gradient.registered_op_type] == ["CustomGradient-1"]
    assert len(functions[gradient.gradient_func].signature.input_arg) == 3  # two gradients of outputs, and `y`


def test_what_a_gradient_uses_of_the_function_is_an_object(tmp_path: pathlib.Path) -> None:
    meta_graph = saved(lambda x: square(x) + 1.0, tmp_path)
    captured = [node.captured_tensor for node in meta_graph.object_graph_def.nodes if node.HasField("captured_tensor")]
    functions = {function.signature.name: function for function in meta_graph.graph_def.library.function}
    assert [tensor.name for tensor in captured] == ["mul:0"]
    assert "mul" in [node.name for node in functions[captured[0].concrete_function].node_def]


def test_a_loaded_function_has_the_gradient(tmp_path: pathlib.Path) -> None:
    saved(lambda x: square(square(x)), tmp_path)
    loaded, x = tf.saved_model.load(str(tmp_path)), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    assert tape.gradient(y, x).numpy() == (16.0 * 10.0) * (4.0 * 10.0)

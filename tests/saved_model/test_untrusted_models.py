"""What an untrusted SavedModel can do, and what it says wrong."""

from __future__ import annotations

import os
import pathlib
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_model_pb2, struct_pb2

Denied = tf.errors.PermissionDeniedError
TEXT = tf.TensorSpec([], tf.string)


def save(folder: pathlib.Path, **children: Any) -> str:
    module = tf.Module()
    for name, child in children.items():
        setattr(module, name, child)
    tf.saved_model.save(module, str(folder))
    return str(folder)


def change(folder: str, edit: Callable[[Any], Any]) -> None:
    """Edits the message in the file of a SavedModel."""
    path = pathlib.Path(folder) / "saved_model.pb"
    message = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    edit(message.meta_graphs[0])
    path.write_bytes(message.SerializeToString())


def load(folder: str, **allowed: bool) -> Any:
    return tf.saved_model.load(folder, options=tf.saved_model.LoadOptions(**allowed))


# --- files -------------------------------------------------------------------------------------------------------


@tf.function(input_signature=[TEXT])
def read(name: Any) -> Any:
    return tf.cond(tf.strings.length(name) > 0, lambda: tf.io.read_file(name), lambda: "")


def model_with_asset(tmp_path: pathlib.Path) -> str:
    (tmp_path / "words.txt").write_text("a\nb\n")
    asset = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    own = tf.function(lambda: read(asset.asset_path), input_signature=[])
    folder = save(tmp_path / "model", asset=asset, read=read, own=own)
    (tmp_path / "words.txt").unlink()
    return folder


def test_functions_read_the_assets_of_the_model_and_nothing_else(tmp_path: pathlib.Path) -> None:
    folder = model_with_asset(tmp_path)
    (tmp_path / "secret").write_text("secret")
    loaded = load(folder)
    assert loaded.own().numpy() == b"a\nb\n"
    assert loaded.read(loaded.asset.asset_path).numpy() == b"a\nb\n"
    with pytest.raises(Denied, match=r"would read '.*secret'.*LoadOptions\(allow_file_reads=True\)") as caught:
        loaded.read(tf.constant(f"{tmp_path}/secret"))
    assert "Op 'ReadFile'" in caught.value.message and "of function" in caught.value.message
    assert load(folder, allow_file_reads=True).read(tf.constant(f"{tmp_path}/secret")).numpy() == b"secret"


@pytest.mark.parametrize("name", ["../words", "/etc/passwd", "a/../../b", "..", "c:\\x", "x\0y", "", "a//b"])
def test_an_asset_is_in_the_folder_of_assets(tmp_path: pathlib.Path, name: str) -> None:
    folder = model_with_asset(tmp_path)
    change(folder, lambda graph: setattr(graph.asset_file_def[0], "filename", name))
    with pytest.raises(tf.errors.DataLossError, match="names a file that is not in its folder of assets"):
        load(folder)


@pytest.mark.parametrize("link", ["assets/words.txt", "assets"])
def test_an_asset_that_is_a_link_to_elsewhere_is_no_asset(tmp_path: pathlib.Path, link: str) -> None:
    folder = pathlib.Path(model_with_asset(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (folder / link).rename(tmp_path / "elsewhere" / "words.txt" if "." in link else tmp_path / "elsewhere" / "assets")
    os.symlink(tmp_path / "elsewhere" / ("words.txt" if "." in link else "assets"), folder / link)
    with pytest.raises(Denied, match="is a link to a file outside"):
        load(str(folder))
    assert load(str(folder), allow_file_reads=True).own().numpy() == b"a\nb\n"


# --- Python ------------------------------------------------------------------------------------------------------


def test_python_functions_of_this_process_are_out_of_reach(tmp_path: pathlib.Path) -> None:
    calls = []
    named = tf.function(lambda: tf.numpy_function(lambda: float(calls.append(1) is None), [], tf.float64))
    token = next(
        op.get_attr("token") for op in named.get_concrete_function().graph.get_operations() if op.type == "PyFunc"
    )
    folder = save(tmp_path / "model", read=read)

    def call_it(meta_graph: Any) -> None:
        for function in meta_graph.graph_def.library.function:
            node = function.node_def.add(name="python", op="PyFunc")
            node.attr["token"].s = token
            node.attr["Tin"].list.SetInParent()
            node.attr["Tout"].list.type.append(tf.float64.as_datatype_enum)
            function.signature.control_output.append("python")
            function.control_ret["python"] = "python"
            function.signature.is_stateful = True

    change(folder, call_it)
    with pytest.raises(Denied, match=r"would call Python functions of this process.*LoadOptions\(allow_python=True\)"):
        load(folder).read(tf.constant(""))
    assert not calls
    load(folder, allow_python=True).read(tf.constant(""))
    assert calls


def test_gradients_of_this_process_are_out_of_reach(tmp_path: pathlib.Path) -> None:
    @tf.RegisterGradient("OfThisProcessForTestUntrustedModels")
    def gradient(op: Any, dy: Any) -> Any:
        raise AssertionError("the file reached Python")

    square = tf.function(tf.square, input_signature=[tf.TensorSpec([], tf.float32)])
    folder = save(tmp_path / "model", square=square)

    def ask_for_it(meta_graph: Any) -> None:
        for function in meta_graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "Square":
                    node.attr["_gradient_op_type"].s = b"OfThisProcessForTestUntrustedModels"

    change(folder, ask_for_it)
    loaded, x = load(folder), tf.constant(3.0)
    assert loaded.square(x).numpy() == 9.0
    with tf.GradientTape() as tape, pytest.raises(LookupError, match="did not come along"):
        tape.watch(x)
        loaded.square(x)


# --- damage ------------------------------------------------------------------------------------------------------


def functions(meta_graph: Any) -> Any:
    return [node.function for node in meta_graph.object_graph_def.nodes if node.WhichOneof("kind") == "function"]


def unknown_dtype(meta_graph: Any) -> None:
    meta_graph.object_graph_def.nodes[1].variable.dtype = 77  # type: ignore[assignment]  # which the message can hold


def dtype_of_references(meta_graph: Any) -> None:
    meta_graph.object_graph_def.nodes[1].variable.dtype = 101


def capture_of_a_function(meta_graph: Any) -> None:
    graph = meta_graph.object_graph_def
    number = next(i for i, node in enumerate(graph.nodes) if node.WhichOneof("kind") == "function")
    for concrete in graph.concrete_functions.values():
        concrete.bound_inputs[:] = [number] * len(concrete.bound_inputs)


def no_arguments(meta_graph: Any) -> None:
    for concrete in meta_graph.object_graph_def.concrete_functions.values():
        concrete.ClearField("canonicalized_input_signature")


def nameless_parameter(meta_graph: Any) -> None:
    for function in functions(meta_graph):
        pairs = function.function_spec.fullargspec.named_tuple_value.values
        args = next(pair for pair in pairs if pair.key == "args")
        args.value.list_value.values.insert(0, struct_pb2.StructuredValue(int64_value=3))


def signature_that_is_none(meta_graph: Any) -> None:
    for function in functions(meta_graph):
        function.function_spec.input_signature.Clear()
        function.function_spec.input_signature.int64_value = 3


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (unknown_dtype, "has the dtype 77, which is not known"),
        (dtype_of_references, "has the dtype float32_ref, which no value has"),
        (capture_of_a_function, "captures a RestoredFunction, which has no tensor"),
        (no_arguments, "states no arguments of the function"),
        (nameless_parameter, "whose names are not texts"),
        (signature_that_is_none, "states no input signature of a function: 3"),
    ],
)
def test_what_a_file_says_wrong_is_said_in_words(
    tmp_path: pathlib.Path, edit: Callable[[Any], None], words: str
) -> None:
    variable = tf.Variable(2.0)
    double = tf.function(lambda x: x * variable, input_signature=[tf.TensorSpec([], tf.float32)])
    folder = save(tmp_path / "model", variable=variable, double=double)
    change(folder, edit)
    with pytest.raises(ValueError, match=words):
        load(folder).double(tf.constant(1.0))


def test_a_resource_is_made_by_functions_without_arguments(tmp_path: pathlib.Path) -> None:
    initializer = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([1], tf.int64))
    table = tf.lookup.StaticHashTable(initializer, -1)
    find = tf.function(table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    folder = save(tmp_path / "model", table=table, find=find)
    assert load(folder).find(tf.constant(["a", "b"])).numpy().tolist() == [1, -1]

    def another_method(name: str, kind: str) -> Callable[[Any], None]:
        def edit(meta_graph: Any) -> None:
            nodes = meta_graph.object_graph_def.nodes
            wrong = next(i for i, node in enumerate(nodes) if node.WhichOneof("kind") == kind)
            for node in nodes:
                for child in node.children if node.WhichOneof("kind") == "resource" else ():
                    if child.local_name == name:
                        child.node_id = wrong

        return edit

    change(folder, another_method("_create_resource", "user_object"))
    with pytest.raises(tf.errors.DataLossError, match=r"the child '_create_resource' of object .* is not a function"):
        load(folder)
    folder = save(tmp_path / "other", table=table, find=find)
    change(folder, another_method("_initialize", "function"))
    with pytest.raises(tf.errors.DataLossError, match="has a resource that cannot be made"):
        load(folder)


# --- graphs of TensorFlow 1 --------------------------------------------------------------------------------------


def recorded(tmp_path: pathlib.Path, name: str) -> str:
    archive = pathlib.Path(__file__).parents[1] / "formats" / "recorded" / "saved_models" / f"{name}.zip"
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / name)
    return str(tmp_path / name)


def switch_without_predicate(meta_graph: Any) -> None:
    node = next(node for node in meta_graph.graph_def.node if node.op == "Switch")
    del node.input[1:]


def array_of_no_inputs(meta_graph: Any) -> None:
    for node in meta_graph.graph_def.node:
        if node.op == "TensorArrayGatherV3":
            del node.input[1:]


def exit_from_nowhere(meta_graph: Any) -> None:
    nodes = meta_graph.graph_def.node
    merge = next(node.name for node in nodes if node.op == "Merge")
    for node in nodes:
        if node.op == "Exit":
            node.input[0] = merge


def restored_by_nothing(meta_graph: Any) -> None:
    meta_graph.saver_def.restore_op_name = "nowhere"


def variable_of_no_dtype(meta_graph: Any) -> None:
    node = next(node for node in meta_graph.graph_def.node if node.op == "VariableV2")
    node.attr["dtype"].type = 0


@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        ("v1-conditions", switch_without_predicate, r"\(Switch\) has 1 inputs"),
        ("v1-tensor_arrays", array_of_no_inputs, r"\(TensorArrayGatherV3\) has 1 inputs; 3 are needed"),
        ("v1-loops", exit_from_nowhere, "the branch or loop that ends here lacks a node"),
        ("v1-reference_variables", restored_by_nothing, "cannot be restored: .*'nowhere'"),
        ("v1-reference_variables", variable_of_no_dtype, "has the dtype 0, which is not known"),
    ],
)
def test_what_a_graph_of_tensorflow_1_says_wrong_is_said_in_words(
    tmp_path: pathlib.Path, name: str, edit: Callable[[Any], None], words: str
) -> None:
    folder = recorded(tmp_path, name)
    change(folder, edit)
    with pytest.raises((ValueError, tf.errors.OpError), match=words):
        function = load(folder).signatures["serving_default"]
        _, arguments = function.structured_input_signature
        function(**tf.nest.map_structure(lambda spec: tf.zeros([2] * spec.shape.rank, spec.dtype), arguments))

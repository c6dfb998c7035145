"""Loading what Millrace saved; files of TensorFlow are read in tests/formats/test_saved_models_of_tensorflow.py."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.proto import saved_model_pb2
from millrace._src.saved_model.load import load_partial

SCALAR = tf.TensorSpec([], tf.float32)


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable(2.0, name="scale")
        self.frozen = tf.Variable([1, 2], trainable=False)
        self.layers = [tf.Variable(3.0), {"a": tf.Variable(4)}]
        self.pair = (tf.Variable(1.0), 2)

    @tf.function
    def __call__(self, x: Any, training: bool = False) -> Any:
        return x * self.v if training else {"y": x + self.v, "z": [x]}

    @tf.function(input_signature=[SCALAR])
    def add(self, x: Any) -> Any:
        return self.v.assign_add(x)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> str:
    model = Model()
    model(tf.constant(1.0))
    model(tf.constant(1.0), training=True)
    tf.saved_model.save(model, str(tmp_path / "model"), signatures={"serving_default": model.add})
    return str(tmp_path / "model")


def change(folder: str, edit: Callable[[Any], Any]) -> None:
    """Edits the message in the file of a SavedModel."""
    path = pathlib.Path(folder) / "saved_model.pb"
    message = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    edit(message.meta_graphs[0])
    path.write_bytes(message.SerializeToString())


# --- what is loaded -------------------------------------------------------------------------------------------------


def test_variables_have_values_names_and_flags(folder: str) -> None:
    loaded = tf.saved_model.load(folder)
    assert (loaded.v.numpy(), loaded.v.name, loaded.v.trainable) == (2.0, "scale:0", True)
    assert loaded.frozen.numpy().tolist() == [1, 2] and not loaded.frozen.trainable


def test_containers_are_containers_again(folder: str) -> None:
    loaded = tf.saved_model.load(folder)
    assert loaded.layers[0].numpy() == 3.0 and loaded.layers[1]["a"].numpy() == 4
    assert [variable.numpy() for variable in loaded.pair] == [1.0]


def test_a_saved_call_makes_the_object_callable(folder: str, tmp_path: pathlib.Path) -> None:
    loaded = tf.saved_model.load(folder)
    assert loaded(tf.constant(3.0))["y"].numpy() == 5.0
    assert loaded(tf.constant(3.0), training=True).numpy() == 6.0
    assert type(loaded).__name__ == "_UserObject"
    tf.saved_model.save(tf.Module(), str(tmp_path / "empty"))
    assert not callable(tf.saved_model.load(str(tmp_path / "empty")))


def test_functions_change_the_loaded_variables(folder: str) -> None:
    loaded = tf.saved_model.load(folder)
    loaded.add(5.0)
    assert loaded.v.numpy() == 7.0
    loaded.v.assign(1.0)
    assert loaded.signatures["serving_default"](x=tf.constant(1.0))["output_0"].numpy() == 2.0
    assert loaded.v.numpy() == 2.0


def test_two_loaded_models_share_nothing(folder: str) -> None:
    first, second = tf.saved_model.load(folder), tf.saved_model.load(folder)
    first.add(5.0)
    assert second.v.numpy() == 2.0

    @tf.function
    def both(x: Any) -> Any:
        return first(x)["y"], second(x)["y"]

    assert [value.numpy() for value in both(tf.constant(0.0))] == [7.0, 2.0]


def test_gradients_flow_through_loaded_functions(folder: str) -> None:
    loaded = tf.saved_model.load(folder)
    with tf.GradientTape() as tape:
        y = loaded(tf.constant(3.0), training=True)
    assert [variable is loaded.v for variable in tape.watched_variables()] == [True]
    assert tape.gradient(y, loaded.v).numpy() == 3.0

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as inner:
            z = loaded(x, training=True) ** 2
        return inner.gradient(z, loaded.v)

    assert slope(tf.constant(3.0)).numpy() == 36.0


def test_what_is_loaded_can_be_saved_again(folder: str, tmp_path: pathlib.Path) -> None:
    loaded = tf.saved_model.load(folder)
    loaded.v.assign(10.0)
    loaded.further = tf.Variable(1.5)
    tf.saved_model.save(loaded, str(tmp_path / "again"), signatures=loaded.signatures)
    again = tf.saved_model.load(str(tmp_path / "again"))
    assert again(tf.constant(1.0))["y"].numpy() == 11.0 and again.further.numpy() == 1.5
    assert again.signatures["serving_default"](x=tf.constant(1.0))["output_0"].numpy() == 11.0


def test_what_is_loaded_can_be_checkpointed(folder: str, tmp_path: pathlib.Path) -> None:
    loaded = tf.saved_model.load(folder)
    loaded.v.assign(10.0)
    path = tf.train.Checkpoint(model=loaded).write(str(tmp_path / "ckpt"))
    fresh = tf.saved_model.load(folder)
    tf.train.Checkpoint(model=fresh).read(path).assert_existing_objects_matched()
    assert fresh.v.numpy() == 10.0


def test_versions_and_debug_information_are_attributes(folder: str) -> None:
    loaded = tf.saved_model.load(folder)
    assert isinstance(loaded.tensorflow_version, str) and isinstance(loaded.tensorflow_git_version, str)
    assert loaded.graph_debug_info.DESCRIPTOR.name == "GraphDebugInfo"


def test_text_may_replace_the_binary_file(folder: str) -> None:
    path = pathlib.Path(folder) / "saved_model.pb"
    path.with_suffix(".pbtxt").write_text(str(saved_model_pb2.SavedModel.FromString(path.read_bytes())))
    path.unlink()
    assert tf.saved_model.load(folder).v.numpy() == 2.0


def test_a_path_object_and_a_trailing_slash_will_do(folder: str) -> None:
    assert tf.saved_model.load(pathlib.Path(folder)).v.numpy() == 2.0
    assert tf.saved_model.load(folder + "/").v.numpy() == 2.0


def test_loading_inside_of_a_function_makes_the_objects_outside(folder: str) -> None:
    made = []

    @tf.function
    def load_once() -> Any:
        made.append(tf.saved_model.load(folder))
        return made[-1](tf.constant(1.0))["y"]

    assert load_once().numpy() == 3.0 and made[0].v.numpy() == 2.0


# --- tables, assets, resources, constants -----------------------------------------------------------------------------


def test_tables_and_assets_come_along(tmp_path: pathlib.Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("a\nb\n")
    module = tf.Module()
    initializer = tf.lookup.TextFileInitializer(
        str(words), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    module.table = tf.lookup.StaticHashTable(initializer, -1)
    module.mutable = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.mutable.insert(tf.constant(["q"]), tf.constant([7], tf.int64))
    module.asset = tf.saved_model.Asset(str(words))
    find = lambda x: (module.table.lookup(x), module.mutable.lookup(x))  # noqa: E731  (traced, not called)
    module.find = tf.function(find, input_signature=[tf.TensorSpec([None], tf.string)])
    module.read = tf.function(lambda: tf.io.read_file(module.asset.asset_path), input_signature=[])
    tf.saved_model.save(module, str(tmp_path / "model"))
    words.unlink()
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    found, others = loaded.find(["b", "q"])
    assert found.numpy().tolist() == [1, -1] and others.numpy().tolist() == [-1, 7]
    assert loaded.read().numpy() == b"a\nb\n"
    assert loaded.asset.asset_path.numpy().decode() == str(tmp_path / "model" / "assets" / "words.txt")


class Counter(tf.saved_model.experimental.TrackableResource):
    def _create_resource(self) -> Any:
        return tf.raw_ops.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.int64)

    def _initialize(self) -> None:
        keys = tf.constant([1], tf.int64)
        tf.raw_ops.LookupTableInsertV2(table_handle=self.resource_handle, keys=keys, values=keys * 11)


def test_a_resource_is_made_filled_and_used(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.counter = Counter()
    module.find = tf.function(
        lambda k: tf.raw_ops.LookupTableFindV2(
            table_handle=module.counter.resource_handle, keys=k, default_value=tf.constant(-1, tf.int64)
        ),
        input_signature=[tf.TensorSpec([None], tf.int64)],
    )
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.find([1, 2]).numpy().tolist() == [11, -1]
    assert isinstance(loaded.counter, tf.saved_model.experimental.TrackableResource)


def test_large_constants_come_along(tmp_path: pathlib.Path) -> None:
    numbers = tf.constant(np.arange(1000, dtype=np.float32))
    module = tf.Module()
    module.at = tf.function(lambda i: tf.gather(numbers, i), input_signature=[tf.TensorSpec([], tf.int32)])
    tf.saved_model.save(module, str(tmp_path / "model"))
    assert tf.saved_model.load(str(tmp_path / "model")).at(7).numpy() == 7.0


def test_custom_gradients_come_along(tmp_path: pathlib.Path) -> None:
    @tf.custom_gradient
    def square(x: Any) -> Any:
        sine = tf.sin(x)
        return x * x, lambda dy: dy * x * 1000.0 + sine

    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.f = tf.function(lambda x: square(x) * module.v, input_signature=[SCALAR])
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    tf.saved_model.save(module, str(tmp_path / "model"), options=options)
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    assert tape.gradient(y, x).numpy() == pytest.approx(6000.0 + np.sin(3.0))


def test_a_gradient_that_did_not_come_along_is_said_to_be_missing(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.f = tf.function(tf.custom_gradient(lambda x: (x, lambda dy: dy)), input_signature=[SCALAR])
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, str(tmp_path / "model"), options=options)
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    x = tf.constant(3.0)
    assert loaded.f(x).numpy() == 3.0
    with pytest.raises(LookupError, match="No gradient defined for operation"), tf.GradientTape() as tape:
        tape.watch(x)
        tape.gradient(loaded.f(x), x)


# --- options ----------------------------------------------------------------------------------------------------------


def test_tags_choose_the_graph(folder: str) -> None:
    assert tf.saved_model.load(folder, tags="serve").v.numpy() == 2.0
    assert tf.saved_model.load(folder, tags=["serve"]).v.numpy() == 2.0
    with pytest.raises(ValueError, match=r"Got an incompatible argument to `tags`: \['train'\]"):
        tf.saved_model.load(folder, tags=["train"])


def test_values_can_be_left_out(folder: str) -> None:
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    loaded = tf.saved_model.load(folder, options=options)
    assert not loaded.v.is_initialized().numpy()
    loaded.v.assign(5.0)
    assert loaded(tf.constant(1.0))["y"].numpy() == 6.0


def test_a_missing_value_is_refused_unless_it_may_be_missing(folder: str) -> None:
    def add_variable(meta_graph: Any) -> None:
        nodes = meta_graph.object_graph_def.nodes
        nodes.add().variable.name = "added"
        nodes[-1].variable.dtype = 1
        nodes[0].children.add(node_id=len(nodes) - 1, local_name="added")

    change(folder, add_variable)
    with pytest.raises(AssertionError, match="has no saved value for 1 of its variables: added:0"):
        tf.saved_model.load(folder)
    options = tf.saved_model.LoadOptions(allow_partial_checkpoint=True)
    assert not tf.saved_model.load(folder, options=options).added.is_initialized().numpy()


def test_function_aliases_are_loaded_on_request(tmp_path: pathlib.Path) -> None:
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[SCALAR])
    options = tf.saved_model.SaveOptions(function_aliases={"plus": module.f})
    tf.saved_model.save(module, str(tmp_path / "model"), options=options)
    load_options = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    aliases = tf.saved_model.load(str(tmp_path / "model"), options=load_options).function_aliases
    assert list(aliases) == ["plus"] and aliases["plus"](1.0).numpy() == 2.0
    assert not hasattr(tf.saved_model.load(str(tmp_path / "model")), "function_aliases")


def test_a_function_cannot_write_files_unless_it_may(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "written.txt"
    module = tf.Module()

    @tf.function(input_signature=[])
    def write() -> Any:
        tf.io.write_file(str(target), "words")
        return 1

    module.write = write
    tf.saved_model.save(module, str(tmp_path / "model"))
    with pytest.raises(tf.errors.PermissionDeniedError, match=r"LoadOptions\(allow_file_writes=True\)"):
        tf.saved_model.load(str(tmp_path / "model")).write()
    assert not target.exists()
    options = tf.saved_model.LoadOptions(allow_file_writes=True)
    tf.saved_model.load(str(tmp_path / "model"), options=options).write()
    assert target.read_text() == "words"


def test_parts_of_a_model_are_not_loaded_yet(folder: str) -> None:
    with pytest.raises(NotImplementedError, match="`filters` is not supported"):
        load_partial(folder, ["root.v"])
    assert list(load_partial(folder, None)) == ["root"]


# --- damaged files ----------------------------------------------------------------------------------------------------


def test_a_missing_checkpoint_is_not_found(folder: str) -> None:
    for name in os.listdir(pathlib.Path(folder) / "variables"):
        (pathlib.Path(folder) / "variables" / name).unlink()
    with pytest.raises(tf.errors.NotFoundError):
        tf.saved_model.load(folder)


def _clear_functions(meta_graph: Any) -> None:
    del meta_graph.graph_def.library.function[:]


def _bad_child(meta_graph: Any) -> None:
    meta_graph.object_graph_def.nodes[0].children.add(node_id=999, local_name="x")


def _bad_name(meta_graph: Any) -> None:
    meta_graph.object_graph_def.nodes[0].children.add(node_id=1, local_name="__class__")


def _no_constant(meta_graph: Any) -> None:
    meta_graph.object_graph_def.nodes.add().constant.operation = "nowhere"


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (_clear_functions, "has no graph"),
        (_bad_child, "the child 'x' of object 0 is object 999"),
        (_bad_name, "a child with the name '__class__'"),
        (_no_constant, "has no constant 'nowhere' in its graph"),
    ],
)
def test_a_damaged_object_graph_is_refused(folder: str, edit: Callable[[Any], Any], words: str) -> None:
    change(folder, edit)
    with pytest.raises(tf.errors.DataLossError, match=words):
        tf.saved_model.load(folder)


def test_a_damaged_graph_is_refused_when_it_is_used_and_named(folder: str) -> None:
    def break_function(meta_graph: Any) -> None:
        for function in meta_graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "AddV2":
                    node.input[0] = "nowhere:z:0"

    change(folder, break_function)
    loaded = tf.saved_model.load(folder)
    assert loaded(tf.constant(3.0), training=True).numpy() == 6.0
    with pytest.raises(ValueError, match="Unknown input node 'nowhere:z:0'") as caught:
        loaded(tf.constant(3.0))
    assert "of the SavedModel at" in caught.value.__notes__[0]


# --- ops that are not known -------------------------------------------------------------------------------------------


def use_unknown_op(folder: str, declares_op: bool) -> None:
    """Replaces the addition by an unknown op."""

    def edit(meta_graph: Any) -> None:
        for function in meta_graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "AddV2":
                    node.op = "TheirOwnAdd"
        ops = meta_graph.meta_info_def.stripped_op_list.op
        (add,) = [op for op in ops if op.name == "AddV2"]
        add.name = "TheirOwnAdd" if declares_op else "Add"

    change(folder, edit)


def test_an_unknown_op_fails_when_it_runs(folder: str) -> None:
    use_unknown_op(folder, declares_op=True)
    loaded = tf.saved_model.load(folder)
    assert loaded.unknown_ops == ("TheirOwnAdd",)
    assert loaded(tf.constant(3.0), training=True).numpy() == 6.0
    assert loaded.__call__.concrete_functions[0].structured_outputs["y"].shape == []
    with pytest.raises(tf.errors.UnimplementedError, match="'TheirOwnAdd'"):
        loaded(tf.constant(3.0))


def test_an_op_that_is_not_even_declared_keeps_only_its_function_from_being_made(folder: str) -> None:
    use_unknown_op(folder, declares_op=False)
    loaded = tf.saved_model.load(folder)
    assert loaded(tf.constant(3.0), training=True).numpy() == 6.0
    with pytest.raises(tf.errors.NotFoundError, match="Op type not registered 'TheirOwnAdd'"):
        loaded(tf.constant(3.0))


def test_a_model_of_known_ops_has_no_unknown_ones(folder: str) -> None:
    assert tf.saved_model.load(folder).unknown_ops == ()


@pytest.mark.parametrize(
    ("device", "error"), [("nonsense", ValueError), ("/job:foo/device:CPU:0", tf.errors.InvalidArgumentError)]
)
def test_values_are_not_read_from_a_device_that_is_none(folder: str, device: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        tf.saved_model.load(folder, options=tf.saved_model.LoadOptions(experimental_io_device=device))
    tf.saved_model.load(folder, options=tf.saved_model.LoadOptions(experimental_io_device="/device:CPU:0"))

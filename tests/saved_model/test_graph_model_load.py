"""Graphs of TensorFlow 1, made of text; those of real TensorFlow are read in tests/formats."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.proto import op_def_pb2, saved_model_pb2
from tests.saved_model.v1_graphs import CONDITION, LOOP, const, meta_graph_of, node, placeholder

X = {"x": ("x:0", "float")}
VECTOR = "shape { dim { size: 2 } }"


def written(folder: pathlib.Path, *meta_graphs: Any) -> str:
    message = saved_model_pb2.SavedModel(saved_model_schema_version=1, meta_graphs=meta_graphs)
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())
    return str(folder)


def loaded(folder: pathlib.Path, *nodes: str, options: Any = None, **signatures: Any) -> Any:
    return tf.saved_model.load(written(folder, meta_graph_of(*nodes, **signatures)), options=options)


def signature(folder: pathlib.Path, inputs: Any, outputs: Any, *nodes: str) -> Any:
    return loaded(folder, *nodes, serving_default=(inputs, outputs)).signatures["serving_default"]


# --- signatures and prune --------------------------------------------------------------------------------------------


def test_a_signature_is_a_function_by_keywords_and_by_position(tmp_path: pathlib.Path) -> None:
    double = signature(tmp_path, X, {"y": ("y:0", "float")}, placeholder("x"), node("y", "AddV2", "x", "x", T="float"))
    assert double(x=tf.constant(2.0))["y"].numpy() == 4.0 and double(tf.constant(3.0))["y"].numpy() == 6.0
    assert double(x=2)["y"].numpy() == 4.0
    assert double.structured_input_signature == ((), {"x": tf.TensorSpec([], tf.float32, "x")})
    assert double.structured_outputs["y"].shape == [] and double.graph.name == "serving_default"
    with pytest.raises(TypeError, match="too many positional arguments"):
        double(tf.constant(1.0), tf.constant(1.0))


def test_a_keyword_need_be_no_name_of_python(tmp_path: pathlib.Path) -> None:
    inputs = {"the input": ("x:0", "float"), "the-input": ("w:0", "float")}
    nodes = placeholder("x"), placeholder("w"), node("y", "Sub", "x", "w", T="float")
    function = signature(tmp_path, inputs, {"y": ("y:0", "float")}, *nodes)
    assert function(**{"the input": tf.constant(5.0), "the-input": tf.constant(3.0)})["y"].numpy() == 2.0


def test_prune_makes_functions_of_any_tensors(tmp_path: pathlib.Path) -> None:
    model = loaded(tmp_path, placeholder("x"), node("y", "Neg", "x", T="float"), node("z", "Square", "y", T="float"))
    assert model.prune("x:0", "z:0")(tf.constant(3.0)).numpy() == 9.0
    assert model.prune("y:0", {"z": "z:0", "same": ["y:0"]})(tf.constant(2.0))["z"].numpy() == 4.0
    assert model.prune([model.graph.get_tensor_by_name("x:0")], "y:0", name="negated").graph.name == "negated"
    assert model.prune("x:0", model.graph.get_operation_by_name("y"))(tf.constant(1.0)) is None
    with pytest.raises(KeyError, match="The operation, 'nothing', does not exist in the graph"):
        model.prune("x:0", "nothing:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value for placeholder tensor 'x'"):
        model.prune([], "z:0")()


def test_gradients_flow_through_signatures(tmp_path: pathlib.Path) -> None:
    square = signature(tmp_path, X, {"y": ("y:0", "float")}, placeholder("x"), node("y", "Square", "x", T="float"))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x=x)["y"]
    assert tape.gradient(y, x).numpy() == 6.0


def test_a_signature_may_take_and_give_sparse_tensors(tmp_path: pathlib.Path) -> None:
    nodes = (
        node("i", "Placeholder", dtype="type: DT_INT64", shape="shape { dim { size: -1 } dim { size: 1 } }"),
        node("v", "Placeholder", dtype="float", shape="shape { dim { size: -1 } }"),
        node("s", "Placeholder", dtype="type: DT_INT64", shape="shape { dim { size: 1 } }"),
        node("w", "Neg", "v", T="float"),
    )
    meta_graph = meta_graph_of(*nodes)
    for kind, values in (("inputs", "v:0"), ("outputs", "w:0")):
        info = getattr(meta_graph.signature_def["negate"], kind)["t"]
        info.coo_sparse.indices_tensor_name, info.coo_sparse.dense_shape_tensor_name = "i:0", "s:0"
        info.coo_sparse.values_tensor_name, info.dtype = values, 1
        info.tensor_shape.dim.add(size=-1)
    negate = tf.saved_model.load(written(tmp_path, meta_graph)).signatures["negate"]
    result = negate(t=tf.sparse.from_dense([0.0, 2.0]))["t"]
    assert isinstance(result, tf.SparseTensor) and result.values.numpy().tolist() == [-2.0]


def test_tags_choose_among_several_graphs(tmp_path: pathlib.Path) -> None:
    graphs = [
        meta_graph_of(const("c", value), tags=tags, f=({}, {"c": ("c:0", "float")}))
        for value, tags in ((1.0, ("serve",)), (2.0, ("serve", "gpu")))
    ]
    folder = written(tmp_path, *graphs)
    assert tf.saved_model.load(folder, tags=["gpu", "serve"]).signatures["f"]()["c"].numpy() == 2.0
    with pytest.raises(ValueError, match=r"requires a `tags=` argument .* there are 2 MetaGraphs"):
        tf.saved_model.load(folder)
    with pytest.raises(RuntimeError, match=r"tags 'x' could not be found in SavedModel, with available tags '\[\{'se"):
        tf.saved_model.load(folder, tags=["x"])


# --- variables -------------------------------------------------------------------------------------------------------


def test_variables_of_both_kinds_are_restored_read_and_changed(tmp_path: pathlib.Path) -> None:
    nodes = (
        placeholder("x"),
        node("w", "VarHandleOp", dtype="float", shape="shape {}", shared_name='s: "w"'),
        node("w/read", "ReadVariableOp", "w", dtype="float"),
        node("b", "VariableV2", dtype="float", shape="shape {}"),
        node("b/read", "Identity", "b", T="float"),
        node("wx", "Mul", "w/read", "x", T="float"),
        node("y", "AddV2", "wx", "b/read", T="float"),
        node("b/more", "AssignAdd", "b", "x", T="float"),
        node("save/name", "Placeholder", dtype="string", shape="shape {}"),
        node("save/w/value", "Const", dtype="float", value="tensor { dtype: DT_FLOAT tensor_shape {} float_val: 3 }"),
        node("save/w", "AssignVariableOp", "w", "save/w/value", dtype="float"),
        node("save/b", "Assign", "b", "save/w/value", T="float"),
        node("save/all", "NoOp", "^save/w", "^save/b"),
    )
    meta_graph = meta_graph_of(*nodes, f=(X, {"y": ("y:0", "float")}), more=(X, {"b": ("b/more:0", "float")}))
    meta_graph.saver_def.filename_tensor_name, meta_graph.saver_def.restore_op_name = "save/name:0", "save/all"
    model = tf.saved_model.load(written(tmp_path, meta_graph))
    assert sorted(variable.name for variable in model.variables) == ["b:0", "w:0"]
    assert model.signatures["f"](x=2.0)["y"].numpy() == 9.0
    assert model.signatures["more"](x=2.0)["b"].numpy() == 5.0
    assert model.signatures["f"](x=2.0)["y"].numpy() == 11.0
    with tf.GradientTape() as tape:
        variable = next(v for v in model.variables if v.name == "w:0")
        tape.watch(variable)
        y = model.signatures["f"](x=2.0)["y"]
    assert tape.gradient(y, variable).numpy() == 2.0


def test_tables_of_two_models_with_one_name_are_two(tmp_path: pathlib.Path) -> None:
    def build(key: str) -> Any:
        seven = "tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 7 }"
        text = 'tensor {{ dtype: DT_STRING tensor_shape {{ dim {{ size: 1 }} }} string_val: "{}" }}'
        nodes = (
            node("table", "HashTableV2", key_dtype="string", value_dtype="int", shared_name='s: "one"'),
            node("keys", "Const", dtype="string", value=text.format(key)),
            node("values", "Const", dtype="int", value=seven),
            node("fill", "InitializeTableV2", "table", "keys", "values", Tkey="string", Tval="int"),
            node("default", "Const", dtype="int", value="tensor { dtype: DT_INT32 tensor_shape {} int_val: -1 }"),
            node("asked", "Const", dtype="string", value=text.format("a")),
            node("found", "LookupTableFindV2", "table", "asked", "default", Tin="string", Tout="int"),
        )
        meta_graph = meta_graph_of(*nodes, find=({}, {"found": ("found:0", "int")}))
        meta_graph.collection_def["saved_model_main_op"].node_list.value.append("fill")
        folder = tmp_path / key
        folder.mkdir()
        return tf.saved_model.load(written(folder, meta_graph)).signatures["find"]

    first, second = build("a"), build("b")
    assert first()["found"].numpy().tolist() == [7] and second()["found"].numpy().tolist() == [-1]


# --- control flow ----------------------------------------------------------------------------------------------------


def test_switch_and_merge_are_a_condition(tmp_path: pathlib.Path) -> None:
    choose = signature(tmp_path, X, {"y": ("cond/y:0", "float"), "which": ("cond/y:1", "int")}, *CONDITION)
    results = [choose(x=value) for value in (3.0, -3.0)]
    assert [r["y"].numpy() for r in results] == [30.0, 3.0] and [r["which"].numpy() for r in results] == [1, 0]
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = choose(x=x)["y"]
    assert tape.gradient(y, x).numpy() == 10.0


def test_conditions_behind_each_other_may_share_their_predicate(tmp_path: pathlib.Path) -> None:
    second = (
        node("again/x", "Switch", "cond/y", "cond/pred_id", T="float"),
        node("again/square", "Square", "again/x:1", T="float"),
        node("again/y", "Merge", "again/x", "again/square", T="float", N=2),
    )
    choose = signature(tmp_path, X, {"y": ("again/y:0", "float")}, *CONDITION, *second)
    assert [choose(x=value)["y"].numpy() for value in (1.0, -1.0)] == [100.0, 1.0]


def test_enter_and_exit_are_a_loop(tmp_path: pathlib.Path) -> None:
    add_up = signature(tmp_path, {"n": ("n:0", "int")}, {"sum": ("loop/sum/exit:0", "int")}, *LOOP)
    assert [add_up(n=count)["sum"].numpy() for count in (0, 1, 4)] == [0, 1, 10]


def test_a_tensor_array_of_a_loop_is_a_list(tmp_path: pathlib.Path) -> None:
    array = (
        node("array", "TensorArrayV3", "n", dtype="int", element_shape="shape {}"),
        node("loop/flow", "Enter", "array:1", T="float", frame_name='s: "loop"'),
        node("loop/handle", "Enter", "array", T="type: DT_RESOURCE", frame_name='s: "loop"', is_constant=True),
        node("loop/flow/merge", "Merge", "loop/flow", "loop/flow/next", T="float", N=2),
        node("loop/flow/switch", "Switch", "loop/flow/merge", "loop/cond", T="float"),
        node("loop/flow/body", "Identity", "loop/flow/switch:1", T="float"),
        node("loop/write", "TensorArrayWriteV3", "loop/handle", "loop/i/body", "loop/i/add", "loop/flow/body", T="int"),
        node("loop/flow/next", "NextIteration", "loop/write", T="float"),
        node("loop/flow/exit", "Exit", "loop/flow/switch", T="float"),
        node("size", "TensorArraySizeV3", "array", "loop/flow/exit"),
        const("one", 1),
        node("at", "TensorArrayReadV3", "array", "one", "loop/flow/exit", dtype="int"),
    )
    outputs = {"size": ("size:0", "int"), "at": ("at:0", "int")}
    result = signature(tmp_path, {"n": ("n:0", "int")}, outputs, *LOOP, *array)(n=3)
    assert (result["size"].numpy(), result["at"].numpy()) == (3, 2)


def test_other_control_flow_is_refused_when_it_is_used(tmp_path: pathlib.Path) -> None:
    nodes = placeholder("x"), node("m", "Merge", "x", "x", T="float", N=2), node("y", "Neg", "x", T="float")
    model = loaded(tmp_path, *nodes, bad=(X, {"m": ("m:0", "float")}), good=(X, {"y": ("y:0", "float")}))
    assert model.signatures["good"](x=1.0)["y"].numpy() == -1.0
    with pytest.raises(tf.errors.UnimplementedError, match="belongs to control flow of TensorFlow 1") as caught:
        model.signatures["bad"](x=1.0)
    assert "in function 'bad' of the SavedModel at" in caught.value.__notes__[0]


# --- the sandbox, old attributes, damage -----------------------------------------------------------------------------


def test_an_op_that_writes_files_is_refused_when_it_runs(tmp_path: pathlib.Path) -> None:
    text = f'tensor {{ dtype: DT_STRING tensor_shape {{}} string_val: "{tmp_path}/new" }}'
    nodes = node("name", "Const", dtype="string", value=text), node("write", "WriteFile", "name", "name")
    model = loaded(tmp_path, *nodes)
    with pytest.raises(tf.errors.PermissionDeniedError, match="allow_file_writes=True"):
        model.prune([], "write")()
    assert not (tmp_path / "new").exists()


def test_unknown_attributes_with_their_default_are_dropped(tmp_path: pathlib.Path) -> None:
    nodes = placeholder("x"), node("y", "Neg", "x", T="float", fresh=1)
    meta_graph = meta_graph_of(*nodes, f=(X, {"y": ("y:0", "float")}))
    declared = op_def_pb2.OpDef(name="Neg")
    declared.attr.add(name="fresh", type="int").default_value.i = 1
    meta_graph.meta_info_def.stripped_op_list.op.append(declared)
    assert tf.saved_model.load(written(tmp_path, meta_graph)).signatures["f"](x=2.0)["y"].numpy() == -2.0


def test_a_graph_for_newer_readers_is_refused(tmp_path: pathlib.Path) -> None:
    meta_graph = meta_graph_of(placeholder("x"))
    meta_graph.graph_def.versions.min_consumer = 99999
    with pytest.raises(ValueError, match="min consumer version 99999 above current version"):
        tf.saved_model.load(written(tmp_path, meta_graph))


def test_a_signature_of_no_node_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match="names 'nothing', which is not a node"):
        loaded(tmp_path, placeholder("x"), f=(X, {"y": ("nothing:0", "float")}))


def test_ops_that_are_replaced_are_not_unknown(tmp_path: pathlib.Path) -> None:
    strange = node("strange", "TheirOwnOp", "n")
    assert loaded(tmp_path, *LOOP, strange).unknown_ops == ("TheirOwnOp",)


def test_arrays_can_be_passed_for_vectors(tmp_path: pathlib.Path) -> None:
    meta_graph = meta_graph_of(node("x", "Placeholder", dtype="float", shape=VECTOR), node("y", "Neg", "x", T="float"))
    tf_model = tf.saved_model.load(written(tmp_path, meta_graph))
    assert tf_model.prune("x:0", "y:0")(tf.constant(np.float32([1, 2]))).numpy().tolist() == [-1.0, -2.0]

"""Function bodies, both ways."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.op_registry import get_op
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_def import (
    FunctionLibrary,
    collect_functions,
    function_def_to_func_graph,
    function_name,
    function_to_function_def,
    normalize_arg_name,
)
from millrace._src.proto import function_pb2, graph_pb2


def _body(name: str = "f", placeholder: str = "x", shape: Any = (None, 2)) -> FuncGraph:
    graph = FuncGraph(name)
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, shape, placeholder, placeholder)
        graph.inputs.append(x)
        parts = tf.split(x * 2.0, 2, axis=1)
        graph.outputs.extend([tf.identity(parts[1]), parts[0], x])
    return graph


def test_function_refers_to_tensors_by_argument() -> None:
    proto = function_to_function_def(_body())
    inputs = {node.name: list(node.input) for node in proto.node_def}
    assert inputs["mul"] == ["x_0", "mul/y:output:0"]
    assert inputs["split_0"] == ["split/split_dim:output:0", "mul:z:0"]
    assert inputs["Identity"] == ["split_0:output:1"]
    assert dict(proto.ret) == {"identity": "Identity:output:0", "split": "split_0:output:0", "x": "x_0"}


def test_function_survives_the_way_back() -> None:
    proto = function_to_function_def(_body())
    graph = function_def_to_func_graph(proto)
    assert graph.name == "f"
    assert [t.name for t in graph.inputs] == ["x_0:0"]
    assert graph.inputs[0].shape.as_list() == [None, 2]
    assert [t.name for t in graph.outputs] == ["Identity:0", "split_0:0", "x_0:0"]
    assert function_to_function_def(graph) == proto


def test_shapes_are_added_on_request() -> None:
    proto = function_to_function_def(_body(), add_shapes=True)
    assert all("_output_shapes" in node.attr for node in proto.node_def)
    assert "_input_shapes" in proto.attr
    assert function_to_function_def(function_def_to_func_graph(proto), add_shapes=True) == proto


@pytest.mark.parametrize(
    ("name", "normal"),
    [("X", "x"), ("a/B-c.d", "a_b_c_d"), ("1", "unknown"), ("12ab", "ab"), ("_x", "x"), ("cond/mul/x", "cond_mul_x")],
)
def test_argument_names_are_lower_case_identifiers(name: str, normal: str) -> None:
    assert normalize_arg_name(name) == normal


def _named_graph() -> FuncGraph:
    graph = FuncGraph("f")
    with graph.as_default():
        x, y, z = (graph.add_placeholder(tf.float32, [], name) for name in ("A/b", "1", "2"))
        graph.inputs.extend([x, y, z])
        graph.outputs.extend([x, tf.identity(x, name="a_b"), x, tf.identity(y, name="3")])
    return graph


def test_results_arguments_and_nodes_take_names_in_this_order() -> None:
    proto = function_to_function_def(_named_graph())
    assert [arg.name for arg in proto.signature.output_arg] == ["a_b", "a_b_0", "a_b_1", "unknown"]
    assert [arg.name for arg in proto.signature.input_arg] == ["a_b_2", "unknown_0", "unknown_1"]
    assert [node.name for node in proto.node_def] == ["a_b_3", "3"]
    assert proto.ret["a_b"] == "a_b_2" and proto.ret["a_b_0"] == "a_b_3:output:0"


def test_names_of_a_file_are_kept() -> None:
    proto = function_to_function_def(_named_graph())
    assert function_to_function_def(function_def_to_func_graph(proto)) == proto


def test_control_results_and_control_inputs() -> None:
    graph = FuncGraph("f")
    with graph.as_default():
        x = graph.add_placeholder(tf.float32, [], "x")
        graph.inputs.append(x)
        y = tf.identity(x, name="y")
        with graph.control_dependencies([y, x]):
            graph.outputs.append(tf.identity(x, name="z"))
        graph.control_outputs.append(y.op)
    proto = function_to_function_def(graph)
    assert list(proto.node_def[1].input) == ["x", "^y"]
    assert list(proto.signature.control_output) == ["y"] and dict(proto.control_ret) == {"y": "y"}
    again = function_def_to_func_graph(proto)
    assert [op.name for op in again.control_outputs] == ["y"]
    assert [op.name for op in again.get_operation_by_name("z_0").control_inputs] == ["y"]


def _text(text: str) -> Any:
    return text_format.Parse(text, function_pb2.FunctionDef())


def test_result_that_no_node_makes_is_refused() -> None:
    with pytest.raises(ValueError, match="result 'y' is not among its `ret` entries"):
        function_def_to_func_graph(_text('signature { name: "f" output_arg { name: "y" type: DT_FLOAT } }'))
    text = 'signature { name: "f" output_arg { name: "y" type: DT_FLOAT } } ret { key: "y" value: "q:z:0" }'
    with pytest.raises(ValueError, match="'q:z:0' refers to no node"):
        function_def_to_func_graph(_text(text))


def test_unknown_output_argument_is_refused() -> None:
    text = """signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "n" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "n:q:0" }"""
    with pytest.raises(ValueError, match=r"'n:q:0' is not an output of 'n' \(Neg\); its outputs are {'y': 1}"):
        function_def_to_func_graph(_text(text))


def test_argument_of_open_type_is_refused() -> None:
    with pytest.raises(ValueError, match="the type of argument 'x' is left open"):
        function_def_to_func_graph(_text('signature { name: "f" input_arg { name: "x" type_attr: "T" } }'))


def test_argument_without_a_shape_has_unknown_rank() -> None:
    graph = function_def_to_func_graph(_text('signature { name: "f" input_arg { name: "x" type: DT_FLOAT } }'))
    assert graph.inputs[0].shape.rank is None


def test_library_builds_functions_on_demand_and_once() -> None:
    library = FunctionLibrary([function_to_function_def(_body("f")), function_to_function_def(_body("g"))])
    assert set(library) == {"f", "g"} and len(library) == 2
    assert library["f"] is library["f"]
    with pytest.raises(KeyError):
        library["h"]


def test_library_gives_functions_other_names_on_request() -> None:
    library = FunctionLibrary([function_to_function_def(_body("f"))], rename=lambda name: f"{name}_of_a_file")
    assert library["f"].name == "f_of_a_file"


def _neg(name: str, tensor: str, target: str) -> str:
    return (
        f'node_def {{ name: "{name}" op: "Neg" input: "{tensor}" attr {{ key: "T" value {{ type: DT_FLOAT }} }} '
        f'attr {{ key: "_class" value {{ list {{ s: "loc:@{target}" }} }} }} }} '
    )


@pytest.mark.parametrize("target", ["x", "second", "of_another_graph"])
def test_a_node_may_be_placed_with_an_argument_a_later_node_or_a_node_of_another_graph(target: str) -> None:
    text = 'signature { name: "f" input_arg { name: "x" type: DT_FLOAT } } '
    graph = function_def_to_func_graph(_text(text + _neg("first", "x", target) + _neg("second", "first:y:0", "first")))
    first = graph.get_operation_by_name("first")
    assert first.colocation_groups() == [f"loc:@{target}".encode()]


def test_captures_are_told_what_they_refer_to() -> None:
    text = """signature { name: "f" input_arg { name: "x" type: DT_FLOAT } input_arg { name: "v" type: DT_RESOURCE } }
    node_def { name: "read" op: "ReadVariableOp" input: "v" attr { key: "dtype" value { type: DT_FLOAT } } }"""
    handle = VariableHandle(tf.float32, tf.TensorShape([2, 3]))
    graph = function_def_to_func_graph(_text(text), handle_types=[handle])
    assert graph.inputs[1].handle_type == handle
    assert graph.get_tensor_by_name("read:0").shape == [2, 3]
    assert function_def_to_func_graph(_text(text), handle_types=[None]).get_tensor_by_name("read:0").shape.rank is None


def test_library_keeps_an_equal_known_function_and_refuses_another_of_its_name() -> None:
    known = _body("f")
    assert FunctionLibrary([function_to_function_def(_body("f"))], {"f": known})["f"] is known
    other = function_to_function_def(_body("f", shape=(3, 2)))
    with pytest.raises(ValueError, match="Cannot add function 'f' because a different function"):
        FunctionLibrary([other], {"f": known})["f"]


def test_functions_are_collected_caller_first() -> None:
    inner, outer, graph = _body("inner"), FuncGraph("outer"), tf.Graph()
    for target, function in ((outer, inner), (graph, outer)):
        with target.as_default():
            x = tf.constant([[1.0, 2.0]])
            attrs = {"f": function, "Tin": (tf.float32,), "Tout": (tf.float32,), "config": "", "config_proto": ""}
            target.add_operation(
                get_op("PartitionedCall"), [x], attrs | {"executor_type": ""}, "call", shapes=[x.shape]
            )
    assert list(collect_functions(graph)) == ["outer", "inner"]


def test_name_of_a_function_may_be_bytes() -> None:
    assert function_name(b"f") == function_name("f") == "f"


def test_variables_behind_arguments_travel_with_the_shapes() -> None:
    v = tf.Variable(tf.zeros([2, 3]), shape=[None, 3])
    body = tf.function(lambda: v + 1.0, autograph=False).get_concrete_function().graph
    with_shapes, without = (function_to_function_def(body, add_shapes=add) for add in (True, False))
    assert not without.signature.input_arg[0].handle_data
    again = function_def_to_func_graph(with_shapes)
    assert again.inputs[0].handle_type == VariableHandle(tf.float32, tf.TensorShape([None, 3]))
    assert again.outputs[0].shape.as_list() == [None, 3]


def test_argument_that_nobody_uses_says_nothing_of_its_variable() -> None:
    v = tf.Variable(1.0)
    body = tf.function(lambda v: 1.0, autograph=False).get_concrete_function(v).graph
    assert body.inputs[0].handle_type is not None
    assert not function_to_function_def(body, add_shapes=True).signature.input_arg[0].handle_data


def nested_calls(depth: int) -> Any:
    """A graph that calls a function, which calls another one, and so on."""
    proto = graph_pb2.GraphDef()
    for number in range(depth):
        function = proto.library.function.add()
        function.signature.name = f"f{number}"
        function.signature.input_arg.add(name="x", type=1)
        function.signature.output_arg.add(name="y", type=1)
        function.ret["y"] = "n:output:0" if number + 1 < depth else "n:y:0"
        node = function.node_def.add(name="n", op="Neg", input=["x"])
        node.attr["T"].type = 1
        if number + 1 < depth:
            _make_call(node, f"f{number + 1}")
    proto.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    _make_call(proto.node.add(name="call", input=["x"]), "f0")
    return proto


def _make_call(node: Any, function: str) -> None:
    node.op = "PartitionedCall"
    node.attr.clear()
    node.attr["f"].func.name = function
    node.attr["Tin"].list.type.append(1)
    node.attr["Tout"].list.type.append(1)


def test_calls_are_nested_as_deep_as_python_can_follow() -> None:
    @tf.function(autograph=False)
    def call(x: Any) -> Any:
        return tf.import_graph_def(nested_calls(60), {"x": x}, ["call:0"])[0]

    assert call(tf.constant(2.0)).numpy() == -2.0
    for depth in (65, 3000):
        with tf.Graph().as_default(), pytest.raises(ValueError, match="nested more than 64 deep"):
            tf.import_graph_def(nested_calls(depth))


def test_a_node_whose_op_is_a_function_has_the_results_of_the_function_by_name() -> None:
    proto = nested_calls(2)
    outer, inner = proto.library.function
    outer.node_def[0].op = inner.signature.name
    outer.node_def[0].attr.clear()
    outer.ret["y"] = "n:y:0"

    @tf.function(autograph=False)
    def call(x: Any) -> Any:
        return tf.import_graph_def(proto, {"x": x}, ["call:0"])[0]

    assert call(tf.constant(2.0)).numpy() == -2.0
    outer.ret["y"] = "n:z:0"
    with tf.Graph().as_default(), pytest.raises(ValueError, match="n:z:0"):
        tf.import_graph_def(proto)

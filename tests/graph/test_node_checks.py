"""What a node from a file must fulfil."""

from __future__ import annotations

import re
from typing import Any

import pytest

import millrace as tf
from millrace._src.graph.import_graph_def import import_under
from millrace._src.graph.op_policy import TRUSTING
from millrace._src.proto import graph_pb2


def graph_def(function: Any, *specs: tf.TensorSpec) -> Any:
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    return graph_pb2.GraphDef.FromString(concrete.graph.as_graph_def().SerializeToString())


def refused(proto: Any, words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        import_under(TRUSTING, proto)


SCALAR = tf.TensorSpec([], tf.float32)


def test_a_constant_has_the_dtype_that_its_node_says() -> None:
    proto = graph_pb2.GraphDef()
    node = proto.node.add(name="c", op="Const")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1.0))
    node.attr["dtype"].type = tf.int32.as_datatype_enum
    refused(proto, r"Node 'import/c': Type mismatch between value \(float\) and dtype \(int32\)")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto("text"))
    node.attr["dtype"].type = tf.resource.as_datatype_enum
    refused(proto, r"value \(.*\) and dtype \(resource\)")


@pytest.mark.parametrize("count", [-1, 1 << 20, 1 << 60])
def test_a_number_of_tensors_is_one_that_can_be_counted(count: int) -> None:
    proto = graph_def(lambda x: tf.split(x, 2), tf.TensorSpec([4], tf.float32))
    (node,) = [node for node in proto.node if node.op == "Split"]
    node.attr["num_split"].i = count
    refused(proto, f"'output' of op Split would be {count} tensors; at most 65536")
    proto = graph_def(lambda x: tf.stack([x, x]), SCALAR)
    (node,) = [node for node in proto.node if node.op == "Pack"]
    node.attr["N"].i = count
    refused(proto, f"'values' of op Pack would be {count} tensors; at most 2")


def conditional(x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: x + 1.0, lambda: x - 1.0)


def loop(x: Any) -> Any:
    return tf.while_loop(lambda i: i < 3.0, lambda i: (i + 1.0,), [x])


def call(x: Any) -> Any:
    return tf.function(lambda y: y * 2.0, autograph=False)(x)


def switch(x: Any) -> Any:
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: -x])


@pytest.mark.parametrize("program", [conditional, loop, call, switch])
@pytest.mark.parametrize("damage", ["argument", "result", "type"])
def test_functions_take_and_give_what_the_op_hands_them(program: Any, damage: str) -> None:
    proto = graph_def(program, SCALAR)
    function = proto.library.function[0]
    if damage == "argument":
        function.signature.input_arg.add(name="more", type=1)
    elif damage == "result":
        del function.signature.output_arg[:]
    else:
        function.signature.input_arg.insert(0, type(function.signature.input_arg[0])(name="first", type=3))
    refused(proto, r"function '.*' of attribute '.*' goes from \(.*\) to \(.*\); .* needs a function from")


def test_a_node_that_runs_a_function_names_one() -> None:
    proto = graph_def(conditional, SCALAR)
    (node,) = [node for node in proto.node if node.op == "StatelessIf"]
    node.attr["then_branch"].func.name = ""
    refused(proto, "attribute 'then_branch' of op StatelessIf names no function")


def test_a_constant_that_a_file_states_once_takes_memory_when_it_is_used() -> None:
    proto = graph_pb2.GraphDef()
    node = proto.node.add(name="c", op="Const")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1.0, shape=[1 << 20]))
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    with tf.Graph().as_default() as graph:
        import_under(TRUSTING, proto, name="")
    (value,) = graph.get_operation_by_name("c").static_values
    assert value.strides == (0,)
    assert len(graph.as_graph_def().SerializeToString()) < 100

    @tf.function(autograph=False)
    def total() -> Any:
        (constant,) = import_under(TRUSTING, proto, return_elements=["c:0"])
        return tf.reduce_sum(constant)

    assert total().numpy() == float(1 << 20)


def test_a_constant_larger_than_any_file_is_refused() -> None:
    proto = graph_pb2.GraphDef()
    node = proto.node.add(name="c", op="Const")
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    for values in ([1.0], [1.0, 2.0]):
        tensor = tf.make_tensor_proto(values)
        tensor.tensor_content = b""
        tensor.float_val[:] = values
        tensor.tensor_shape.dim[0].size = 1 << 40
        node.attr["value"].tensor.CopyFrom(tensor)
        refused(proto, re.escape(f"{len(values)} values for the shape [{1 << 40}]; no tensor of a file is so large"))

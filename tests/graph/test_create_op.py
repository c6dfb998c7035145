"""`tf.Graph.create_op`: operations by the names of their ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf

AttrValue = tf.compat.v1.AttrValue


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as found:
        tf.constant([1.0, 2.0], name="x")
        yield found


def test_an_operation_has_the_name_and_shape_of_its_op(graph: Any) -> None:
    x = graph.get_tensor_by_name("x:0")
    made = [graph.create_op("Neg", [x], name=name).name for name in ("n", "n", None, None)]
    assert made == ["n", "n_1", "Neg", "Neg_1"]
    assert graph.get_operation_by_name("n").outputs[0].shape == (2,)
    assert graph.create_op("Neg", [x], [tf.int32]).outputs[0].dtype is tf.float32


def test_attributes_are_protocol_buffers(graph: Any) -> None:
    x = graph.get_tensor_by_name("x:0")
    total = graph.create_op("Sum", [x, tf.constant(0)], attrs={"keep_dims": AttrValue(b=True)})
    assert total.get_attr("keep_dims") is True and total.outputs[0].shape == (1,)
    shape = AttrValue(shape=tf.TensorShape([None, 2]).as_proto())
    made = graph.create_op("Placeholder", [], attrs={"dtype": AttrValue(type=1), "shape": shape}, name="ph")
    assert made.outputs[0].shape.as_list() == [None, 2]
    number = AttrValue(tensor=tf.make_tensor_proto(3.0))
    assert graph.create_op("Const", [], attrs={"value": number, "dtype": AttrValue(type=1)}).outputs[0].shape == ()
    with pytest.raises(TypeError, match=r"Attribute 'keep_dims' must be a tf.compat.v1.AttrValue; received True"):
        graph.create_op("Sum", [x, x], attrs={"keep_dims": True})


def test_lists_of_inputs_are_given_flat(graph: Any) -> None:
    x = graph.get_tensor_by_name("x:0")
    axis = tf.constant(0)
    joined = graph.create_op("ConcatV2", [x, x, x, axis], attrs={"N": AttrValue(i=3), "T": AttrValue(type=1)})
    assert joined.outputs[0].shape == (6,)
    assert graph.create_op("ConcatV2", [x, x, axis]).outputs[0].shape == (4,)
    assert [t.dtype for t in graph.create_op("IdentityN", [x, axis]).outputs] == [tf.float32, tf.int32]
    assert graph.create_op("NoOp", [], []).outputs == []


def test_what_does_not_fit_is_refused(graph: Any) -> None:
    x = graph.get_tensor_by_name("x:0")
    with pytest.raises(TypeError, match=r"Input #1 is not a tensor: 1.0"):
        graph.create_op("AddV2", [x, 1.0])
    with pytest.raises(RuntimeError, match="Op type not registered 'NoSuchOp'"):
        graph.create_op("NoSuchOp", [x])
    with pytest.raises(ValueError, match=r"Neg has the inputs \(x\); received 2 tensors"):
        graph.create_op("Neg", [x, x])
    graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized"):
        graph.create_op("Neg", [x])


def test_an_operation_of_a_function_captures_its_inputs() -> None:
    y = tf.constant(3.0)

    @tf.function
    def negative(x: Any) -> Any:
        return tf.compat.v1.get_default_graph().create_op("AddN", [x, y, y]).outputs[0]

    assert negative(tf.constant(1.0)).numpy() == 7.0


def test_scopes_hold_for_created_operations(graph: Any) -> None:
    x = graph.get_tensor_by_name("x:0")
    with tf.name_scope("scope"), tf.control_dependencies([x]), tf.device("/cpu:0"):
        made = graph.create_op("NoOp", [], name="made")
    assert (made.name, [op.name for op in made.control_inputs], made.device) == ("scope/made", ["x"], "/device:CPU:0")

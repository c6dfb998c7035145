import re
from typing import Any

import pytest

import millrace as tf
from millrace._src.state.variable_definitions import SaveSliceInfo

v1 = tf.compat.v1


def test_a_message_makes_the_variable_again_in_the_graph_it_is_of():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        with tf.name_scope("a"):
            variable = tf.Variable([1.0, 2.0], name="v", trainable=False)
        message = variable.to_proto()
        assert message.variable_name == "a/v:0"
        assert message.initializer_name == "a/v/Assign"
        assert message.snapshot_name == "a/v/Read/ReadVariableOp:0"
        again = tf.Variable(variable_def=message)
        session.run(again.initializer)
        assert session.run([variable, again])[0].tolist() == [1, 2]
        assert (again.name, again.shape, again.dtype, again.trainable) == ("a/v:0", [2], tf.float32, False)
        inner = variable.to_proto(export_scope="a")
        assert inner.variable_name == "v:0"
        assert tf.Variable.from_proto(inner, import_scope="a").handle is graph.get_tensor_by_name("a/v:0")
        assert variable.to_proto(export_scope="b") is None


def test_a_message_about_something_else_is_refused():
    with tf.Graph().as_default():
        message = tf.Variable(1.0, name="v").to_proto()
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.Variable(1.0, variable_def=message)
        message.variable_name = "v/Initializer/initial_value:0"
        with pytest.raises(ValueError, match="Const 'v/Initializer/initial_value' is not a variable"):
            tf.Variable(variable_def=message)
        message.variable_name = "w:0"
        with pytest.raises(KeyError, match="does not exist"):
            tf.Variable(variable_def=message)
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        tf.Variable(1.0).to_proto()


def test_parts_say_which_part_they_are():
    part = SaveSliceInfo("a/v", [10, 3], [4, 0], [3, 3])
    assert part.spec == "10 3 4,3:0,3"
    message = part.to_proto(export_scope="a")
    again = SaveSliceInfo(save_slice_info_def=message, import_scope="b")
    assert (again.full_name, again.full_shape, again.var_offset, again.var_shape) == ("b/v", [10, 3], [4, 0], [3, 3])
    assert part.to_proto(export_scope="c") is None


def test_values_are_loaded_into_sessions_and_eager_variables():
    with tf.Graph().as_default():
        variable = tf.Variable([1.0])
        with pytest.raises(ValueError, match="Either session argument should be provided"):
            variable.load([1.0])
        session = v1.Session()
        variable.load([5.0], session)
        assert variable.eval(session) == 5
    eager = tf.Variable([1.0])
    eager.load([5.0])
    assert eager.numpy() == 5


@pytest.mark.parametrize("spec", ["10 20 0,5:0,20", "10 0,5", "3 4 5 0,1:1,2:2,3"])
def test_the_text_of_a_part_gives_the_part(spec: str) -> None:
    info = tf.Variable.SaveSliceInfo.from_spec(spec)
    assert info.spec == spec and info.full_name is None
    assert len(info.full_shape) == len(info.var_offset) == len(info.var_shape) == spec.count(",")


@pytest.mark.parametrize("spec", ["", None])
def test_the_text_of_nothing_gives_an_empty_part(spec: Any) -> None:
    info = tf.Variable.SaveSliceInfo.from_spec(spec)
    assert (info.full_shape, info.var_offset, info.var_shape) == (None, None, None)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("10", "Spec string must contain space-separated full_shape info."),
        ("10 20", "Spec string must contain comma-separated pairs of offsets and shapes."),
        ("10 20 0,5:-", "Spec string must contain comma-separated pairs of offsets and shapes."),
        ("a b 0,5", "Spec string full_shape must be a sequence of integers. Found 'a', which is not an integer."),
        ("10 b,5", "Spec string var_offset must be an integer. Found 'b', which is not an integer."),
        ("10 0,c", "Spec string var_shape must be an integer. Found 'c', which is not an integer."),
    ],
)
def test_the_text_of_a_part_is_checked(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        tf.Variable.SaveSliceInfo.from_spec(spec)


def test_a_part_of_which_nothing_is_said_cannot_be_written() -> None:
    part = SaveSliceInfo()
    assert (part.full_name, part.full_shape, part.var_offset, part.var_shape) == (None, None, None, None)
    with pytest.raises(TypeError, match="needs full_shape, var_offset and var_shape"):
        part.spec
    with pytest.raises(TypeError, match="received full_shape=\\[4\\], var_offset=None"):
        SaveSliceInfo("a", [4]).to_proto()

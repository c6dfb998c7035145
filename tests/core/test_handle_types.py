"""Handle types: what handles refer to, in eager mode and in graphs."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.handle_types import ListHandle, VariableHandle, common_type

_MATRIX = VariableHandle(tf.float32, tf.TensorShape([2, 3]))


def _list(shape: Any, dtype: Any = tf.float32) -> Any:
    return tf.raw_ops.EmptyTensorList(element_shape=shape, max_num_elements=-1, element_dtype=dtype)


def _in_graph(build: Any) -> Any:
    """What `build` returns inside of a function's graph."""
    found: list[Any] = []
    tf.function(lambda: found.append(build()), autograph=False).get_concrete_function()
    return found[0]


# --- common types ----------------------------------------------------------------------------------------------------


def test_common_type_of_variables_has_the_dimensions_that_both_have() -> None:
    other = VariableHandle(tf.float32, tf.TensorShape([4, 3]))
    assert _MATRIX.join(other) == VariableHandle(tf.float32, tf.TensorShape([None, 3]))


def test_common_type_of_lists_has_the_dimensions_that_both_have() -> None:
    first, second = (ListHandle(tf.int32, tf.TensorShape(s)) for s in ([2], None))
    assert first.join(second) == ListHandle(tf.int32, tf.TensorShape(None))


@pytest.mark.parametrize(
    "other",
    [None, VariableHandle(tf.float64, tf.TensorShape([2, 3])), ListHandle(tf.float32, tf.TensorShape([2, 3]))],
)
def test_types_without_a_common_one_are_unknown_together(other: Any) -> None:
    assert _MATRIX.join(other) is None
    assert common_type([_MATRIX, other, _MATRIX]) is None


def test_common_type_of_one_type_is_that_type() -> None:
    assert common_type([_MATRIX]) is _MATRIX


# --- eager handles ---------------------------------------------------------------------------------------------------


def test_eager_handle_of_a_variable_knows_the_variable() -> None:
    v = tf.Variable(tf.zeros([2, 3]), shape=[2, None])
    assert v.handle.handle_type == VariableHandle(tf.float32, tf.TensorShape([2, None]))


def test_eager_handle_made_by_the_op_knows_the_variable() -> None:
    handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[5], shared_name="", container="")
    assert handle.handle_type == VariableHandle(tf.int32, tf.TensorShape([5]))


def test_eager_list_knows_its_elements() -> None:
    assert _list([2, -1]).handle_type == ListHandle(tf.float32, tf.TensorShape([2, None]))


def test_tensors_of_other_dtypes_and_vectors_of_lists_have_no_handle_type() -> None:
    assert tf.constant(1.0).handle_type is None
    assert tf.stack([_list([2]), _list([2])]).handle_type is None


# --- handles in graphs -----------------------------------------------------------------------------------------------


def test_capture_and_identity_carry_the_type() -> None:
    v = tf.Variable(1.0)
    found = _in_graph(lambda: tf.identity(tf.compat.v1.get_default_graph().capture(v.handle)))
    assert found.handle_type == VariableHandle(tf.float32, tf.TensorShape([]))


@pytest.mark.parametrize(
    "change",
    [
        lambda a, x: tf.raw_ops.TensorListPushBack(input_handle=a, tensor=x),
        lambda a, x: tf.raw_ops.TensorListPopBack(input_handle=a, element_shape=[2], element_dtype=tf.float32)[0],
        lambda a, x: tf.raw_ops.TensorListSetItem(input_handle=a, index=0, item=x),
        lambda a, x: tf.raw_ops.TensorListResize(input_handle=a, size=3),
        lambda a, x: tf.raw_ops.TensorListScatterIntoExistingList(input_handle=a, tensor=[x], indices=[0]),
        lambda a, x: tf.raw_ops.TensorListConcatLists(input_a=a, input_b=a, element_dtype=tf.float32),
        lambda a, x: tf.raw_ops.ZerosLike(x=a),
        lambda a, x: tf.raw_ops.AddN(inputs=[a, a]),
        lambda a, x: tf.raw_ops.IdentityN(input=[x, a])[1],
        lambda a, x: tf.raw_ops.SelectV2(condition=True, t=a, e=a),
        lambda a, x: tf.stop_gradient(a),
        lambda a, x: tf.cond(x[0] > 0, lambda: a, lambda: tf.identity(a)),
        lambda a, x: tf.switch_case(tf.cast(x[0], tf.int32), [lambda: a, lambda: a]),
        lambda a, x: tf.while_loop(lambda _: False, lambda b: [b], [a])[0],
        lambda a, x: tf.function(lambda: tf.identity(a))(),
    ],
)
def test_what_changes_a_list_or_passes_it_on_keeps_its_type(change: Any) -> None:
    made = _in_graph(lambda: change(_list([2]), tf.zeros([2])))
    assert made.handle_type == ListHandle(tf.float32, tf.TensorShape([2]))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=1, element_dtype=tf.float32),
        lambda x: tf.raw_ops.TensorListFromTensor(tensor=[x], element_shape=[2]),
        lambda x: tf.raw_ops.TensorListScatterV2(tensor=[x], indices=[0], element_shape=[2], num_elements=-1),
        lambda x: tf.raw_ops.TensorListSplit(tensor=x, element_shape=[2], lengths=[2]),
    ],
)
def test_what_makes_a_list_says_its_type(make: Any) -> None:
    assert _in_graph(lambda: make(tf.zeros([2]))).handle_type == ListHandle(tf.float32, tf.TensorShape([2]))


def test_branches_with_different_lists_return_what_both_are() -> None:
    found = _in_graph(lambda: tf.cond(tf.constant(True), lambda: _list([2]), lambda: _list([3])))
    assert found.handle_type == ListHandle(tf.float32, tf.TensorShape([None]))


def test_branches_with_lists_of_different_dtypes_return_something_unknown() -> None:
    found = _in_graph(lambda: tf.cond(tf.constant(True), lambda: _list([2]), lambda: _list([2], tf.int32)))
    assert found.handle_type is None


def test_loop_that_exchanges_its_list_sees_what_holds_in_every_iteration() -> None:
    seen = []

    def body(i: Any, handle: Any) -> Any:
        seen.append(handle.handle_type)
        return [i + 1, _list([3])]

    found = _in_graph(lambda: tf.while_loop(lambda i, _: i < 2, body, [0, _list([2])])[1])
    invariant = ListHandle(tf.float32, tf.TensorShape([None]))
    assert seen[-1] == found.handle_type == invariant


def test_variable_argument_has_the_type_of_its_trace_not_of_the_first_variable() -> None:
    seen = []

    @tf.function(reduce_retracing=True, autograph=False)
    def read(v: Any) -> Any:
        (handle,) = tf.compat.v1.get_default_graph().inputs
        seen.append(handle.handle_type)
        return v + 1.0

    read(tf.Variable([1.0], shape=[None]))
    assert seen == [VariableHandle(tf.float32, tf.TensorShape([None]))]


def test_variable_of_a_plain_graph_has_a_type() -> None:
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        assert v.handle.handle_type == VariableHandle(tf.float32, tf.TensorShape([2]))


# --- who reads handle types ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "shape"),
    [
        (lambda a: tf.raw_ops.TensorListStack(input_handle=a, element_shape=-1, element_dtype=tf.float32), [None, 2]),
        (
            lambda a: tf.raw_ops.TensorListGetItem(input_handle=a, index=0, element_shape=-1, element_dtype=tf.float32),
            [2],
        ),
        (
            lambda a: tf.raw_ops.TensorListGather(
                input_handle=a, indices=[0], element_shape=-1, element_dtype=tf.float32
            ),
            [1, 2],
        ),
        (
            lambda a: tf.raw_ops.TensorListPopBack(input_handle=a, element_shape=-1, element_dtype=tf.float32)[1],
            [2],
        ),
        (lambda a: tf.raw_ops.TensorListConcat(input_handle=a, element_dtype=tf.float32)[0], [None]),
    ],
)
def test_static_shape_of_what_is_read_comes_from_the_list(read: Any, shape: Any) -> None:
    assert _in_graph(lambda: read(_list([2]))).shape.as_list() == shape


def test_list_read_as_another_shape_is_an_error_while_tracing() -> None:
    with pytest.raises(ValueError, match=r"Shapes are \[2\] and \[3\]. for '{{node TensorListStack}}"):
        _in_graph(
            lambda: tf.raw_ops.TensorListStack(input_handle=_list([2]), element_shape=[3], element_dtype=tf.float32)
        )


def test_list_read_as_another_dtype_is_an_error_while_tracing() -> None:
    with pytest.raises(
        ValueError, match="Expected list with element dtype int32 but got list with element dtype float"
    ):
        _in_graph(
            lambda: tf.raw_ops.TensorListGetItem(
                input_handle=_list([2]), index=0, element_shape=[2], element_dtype=tf.int32
            )
        )


def test_element_that_does_not_fit_its_list_is_an_error_while_tracing() -> None:
    with pytest.raises(ValueError, match=r"Shapes must be equal rank, but are 2 and 1 for '{{node TensorListSetItem}}"):
        _in_graph(lambda: tf.raw_ops.TensorListSetItem(input_handle=_list([2]), index=0, item=[[1.0]]))

"""`tf.convert_to_tensor`: dtypes, hints, packed lists, objects that convert themselves, registered functions."""

from __future__ import annotations

import fractions
import sys
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ids import stable_repr


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def test_a_tensor_is_returned_as_it_is() -> None:
    t = tf.constant([1.0])
    assert tf.convert_to_tensor(t) is t
    assert tf.convert_to_tensor(t, tf.float32) is t
    assert tf.convert_to_tensor(t, dtype_hint=tf.int32) is t


def test_a_tensor_of_another_dtype_raises() -> None:
    with pytest.raises(ValueError, match=r"^Tensor conversion requested dtype int32 for Tensor with dtype float32"):
        tf.convert_to_tensor(tf.constant(1.0), tf.int32)


@pytest.mark.parametrize("thing", [None, object(), [None], [1, None], {"a": 1}, lambda: 1, [object()]], ids=stable_repr)
def test_what_has_no_tensor_form_raises(thing: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        tf.convert_to_tensor(thing)


@pytest.mark.parametrize("thing", [[[1, 2], [3]], [[1], 2], [np.ones(2), np.ones(3)]], ids=["lists", "depth", "arrays"])
def test_ragged_lists_raise(thing: Any) -> None:
    with pytest.raises(ValueError):
        tf.convert_to_tensor(thing)


def test_a_hint_applies_where_it_can_and_is_forgotten_where_not() -> None:
    assert tf.convert_to_tensor(1, dtype_hint=tf.float64).dtype == tf.float64
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype == tf.float32
    assert tf.convert_to_tensor("a", dtype_hint=tf.int32).dtype == tf.string


def test_a_list_with_tensors_is_packed_in_their_dtype() -> None:
    x = tf.constant(1.0, tf.float64)
    t = tf.convert_to_tensor([[x, 2.0], [3, x]])
    assert t.dtype == tf.float64
    assert value(t) == [[1.0, 2.0], [3.0, 1.0]]
    assert value(tf.convert_to_tensor((x, x), tf.float64)) == [1.0, 1.0]
    assert value(tf.convert_to_tensor([tf.Variable(1), 2])) == [1, 2]


def test_a_list_with_tensors_of_two_dtypes_raises() -> None:
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(1)])


def test_a_list_with_tensors_of_two_shapes_raises() -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.convert_to_tensor([tf.constant([1.0]), tf.constant([1.0, 2.0])])


def test_a_gradient_flows_through_a_packed_list() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor([x * 1.0, 2.0, x * 1.0]) * [1.0, 1.0, 5.0])
    assert value(tape.gradient(y, x)) == 6.0


def test_strings_take_bytes_and_unicode() -> None:
    assert tf.convert_to_tensor("é").numpy() == "é".encode()
    assert value(tf.convert_to_tensor([b"\xff", "a"])) == [b"\xff", b"a"]


@pytest.mark.parametrize(
    ("thing", "dtype"),
    [
        (np.float32(1), tf.float32), (np.float64(1), tf.float64), (np.int8(1), tf.int8), (np.bool_(True), tf.bool),
        (np.array(["a"]), tf.string), (np.array([b"a"]), tf.string), (range(3), tf.int32), (True, tf.bool),
        (1, tf.int32),
        (2**31, tf.int64), (1.0, tf.float32), (1j, tf.complex128), ([], tf.float32),
        (np.arange(3, dtype=np.uint16), tf.uint16),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_dtypes_of_python_and_numpy_values(thing: Any, dtype: Any) -> None:
    assert tf.convert_to_tensor(thing).dtype == dtype


@pytest.mark.parametrize(
    ("thing", "dtype"),
    [(1.5, tf.int32), ("a", tf.float32), (1, tf.string), (2**70, tf.int64), (1j, tf.float32)],
)
def test_values_that_do_not_fit_a_dtype_raise(thing: Any, dtype: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        tf.convert_to_tensor(thing, dtype)


def test_an_object_converts_itself() -> None:
    class Celsius:
        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            return tf.constant(20.0, dtype)

    assert value(tf.convert_to_tensor(Celsius())) == 20.0
    assert value(tf.constant(1.0) + Celsius()) == 21.0
    assert value(tf.stack([Celsius(), Celsius()])) == [20.0, 20.0]


def test_a_registered_function_converts_its_class() -> None:
    def convert(x: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(float(x), dtype or tf.float32)

    tf.register_tensor_conversion_function(fractions.Fraction, convert)
    half = fractions.Fraction(1, 2)
    assert value(tf.convert_to_tensor(half)) == 0.5
    assert value(tf.constant([1.0]) * half) == [0.5]


@pytest.mark.parametrize(("base", "function"), [("text", lambda: 0), (int, 3), ((int, "x"), lambda: 0)])
def test_a_malformed_registration_raises(base: Any, function: Any) -> None:
    with pytest.raises(TypeError):
        tf.register_tensor_conversion_function(base, function)


def test_in_a_graph_a_value_becomes_a_named_constant() -> None:
    with tf.Graph().as_default() as g:
        assert tf.convert_to_tensor([1.0], name="c").name == "c:0"
        assert tf.convert_to_tensor(1).name == "Const:0"
        x = tf.constant(1.0)
        assert tf.convert_to_tensor([x, 2.0]).op.type == "Pack"
    assert g.get_operation_by_name("c").type == "Const"


def _frames_of(call: Any, file: str) -> int:
    """How many functions of a source file a call enters."""
    entered = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal entered
        entered += event == "call" and frame.f_code.co_filename.endswith(file)

    call()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


def test_an_argument_enters_the_conversion_a_few_times_whatever_its_length() -> None:
    x = tf.ones([2, 2])
    assert _frames_of(lambda: tf.matmul(x, [[1.0, 2.0], [3.0, 4.0]]), "core/convert.py") <= 5
    assert _frames_of(lambda: tf.add(tf.ones([50]), [1.0] * 50), "core/convert.py") <= 5
    assert _frames_of(lambda: tf.convert_to_tensor([float(i) for i in range(50)]), "core/convert.py") <= 3


def test_a_tensor_of_the_graph_enters_no_conversion() -> None:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        frames.append(_frames_of(lambda: tf.raw_ops.MatMul(a=x, b=x), "core/convert.py"))
        return x

    frames: list[int] = []
    f(tf.ones([2, 2]))
    assert frames == [0]


def test_tensors_in_a_list_are_cast_to_the_dtype_that_is_asked_for() -> None:
    packed = tf.convert_to_tensor([tf.constant(3), 2.5, tf.Variable(4)], tf.float32)
    assert packed.dtype == tf.float32
    assert packed.numpy().tolist() == [3, 2.5, 4]
    nested = tf.convert_to_tensor([[tf.constant(1.0), 2], [3, 4]], tf.int64)
    assert nested.dtype == tf.int64
    assert nested.numpy().tolist() == [[1, 2], [3, 4]]


def test_a_list_whose_first_tensor_has_the_dtype_asked_for_is_not_cast() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is a int64 tensor \[Op:Pack\] name: packed$"):
        tf.convert_to_tensor([tf.constant(1), tf.constant(2, tf.int64)], tf.int32)
    with pytest.raises(TypeError, match=r"Cannot convert a list containing a tensor of dtype <dtype: 'int64'>"):
        tf.convert_to_tensor([tf.constant(1), 5, tf.constant(2, tf.int64)], tf.int32)


def test_a_hint_casts_a_list_of_tensors_where_it_can() -> None:
    assert tf.convert_to_tensor([tf.constant(1), 2], dtype_hint=tf.float32).dtype == tf.float32
    assert tf.convert_to_tensor([tf.constant(1), 2], dtype_hint=tf.bool).dtype == tf.int32


def test_objects_that_convert_themselves_are_cast_in_lists() -> None:
    class Length:
        def __tf_tensor__(self, dtype: object = None, name: object = None) -> tf.Tensor:
            return tf.convert_to_tensor(7, dtype=dtype, name=name)

    assert tf.convert_to_tensor([1.5, Length()], tf.float32).numpy().tolist() == [1.5, 7]
    assert tf.convert_to_tensor([Length(), 1]).dtype == tf.int32
    assert tf.zeros([Length(), 1]).shape == [7, 1]


def test_casts_of_lists_in_a_graph_stand_in_the_scope_of_the_operation() -> None:
    with tf.Graph().as_default() as graph:
        size, width = tf.constant(2.0), tf.constant(3)
        tf.reshape(tf.zeros([6]), [size, 3])
        tf.fill([tf.constant(1, tf.int64), width], 0)
        tf.convert_to_tensor([width, 1.5], tf.float32, name="x/y")
    names = [operation.name for operation in graph.get_operations() if operation.type in ("Cast", "Pack")]
    assert names == ["Reshape/shape", "Reshape/Cast", "Reshape/shape_1", "Fill/Cast", "Fill/dims_1", "Cast", "x/y"]

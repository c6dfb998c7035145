"""`execute`: the fast path and the general one agree, errors name the op, and no state of the caller is touched."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import state
from millrace._src.core.execute import execute, execute_binary
from millrace._src.core.op_registry import get_op


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


@pytest.mark.parametrize("times", [1, 3])
def test_a_call_gives_the_same_on_the_first_and_on_later_calls(times: int) -> None:
    for _ in range(times):
        assert value(execute(get_op("MatMul"), ([[1.0, 2.0]], [[3.0, 4.0]]), {"transpose_b": True})) == [[11.0]]
        assert value(execute_binary(get_op("Sub"), tf.constant([3, 4]), 1, "sub")) == [2, 3]
        assert value(execute_binary(get_op("Sub"), 1, tf.constant([3, 4]), "sub")) == [-2, -3]


def test_several_outputs_come_as_a_list() -> None:
    outputs = execute(get_op("Unpack"), (tf.constant([1, 2]),), {"num": 2, "axis": 0})
    assert [value(t) for t in outputs] == [1, 2]
    empty = execute(get_op("Unpack"), (tf.zeros([0]),), {"num": 0, "axis": 0})
    assert list(empty) == []


def test_an_op_without_outputs_returns_none_in_eager_mode_and_an_operation_in_a_graph() -> None:
    assert execute(get_op("NoOp"), (), {}) is None
    with tf.Graph().as_default():
        assert execute(get_op("NoOp"), (), {}, "n").name == "n"


def test_attributes_that_compare_equal_but_are_of_another_kind_do_not_share_a_kernel() -> None:
    x = tf.constant([1.0, -1.0])
    for _ in range(2):
        assert value(tf.raw_ops.LeakyRelu(features=x, alpha=0.5)) == [1.0, -0.5]
        assert value(tf.raw_ops.LeakyRelu(features=x, alpha=0)) == [1.0, 0.0]
        assert value(tf.raw_ops.LeakyRelu(features=x, alpha=1)) == [1.0, -1.0]
        assert tf.raw_ops.Cast(x=x, DstT="float64").dtype == tf.float64
        assert tf.raw_ops.Cast(x=x, DstT=tf.int32).dtype == tf.int32


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], nonsense=1), TypeError, "nonsense"),
        (lambda: tf.raw_ops.MatMul(a=[[1.0]]), TypeError, "required"),
        (lambda: tf.raw_ops.MatMul([[1.0]], [[1.0]]), TypeError, "keyword"),
        (lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transpose_a="yes"), (TypeError, ValueError), "transpose_a"),
        (lambda: tf.raw_ops.Pack(values=3, axis=0), (TypeError, tf.errors.InvalidArgumentError), "list"),
        (lambda: tf.raw_ops.Pack(values=[1], axis="a"), (TypeError, ValueError), "axis"),
        (lambda: tf.raw_ops.Pack(values=[1], axis=1.5), (TypeError, ValueError), "axis"),
        (lambda: tf.raw_ops.Cast(x=1, DstT="no type"), TypeError, "no type"),
        (lambda: tf.raw_ops.MatMul(a=["a"], b=["b"]), (TypeError, tf.errors.InvalidArgumentError), "string"),
        (lambda: tf.raw_ops.MatMul(a=[[1.0]], b=None), ValueError, "None"),
    ],
)
def test_malformed_calls_raise_in_words_that_name_the_culprit(call: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_an_unhashable_attribute_is_accepted() -> None:
    for _ in range(2):
        x = tf.raw_ops.Squeeze(input=[[[1.0]]], axis=[0, 1])
        assert x.shape == [1]
        assert tf.raw_ops.Squeeze(input=[[[1.0]]], axis=np.array([0])).shape == [1, 1]


def test_an_error_names_the_op_and_shows_no_frame_of_numpy() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:MatMul\]") as caught:
        tf.matmul([[1.0, 2.0]], [[1.0, 2.0]])
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_the_users_numpy_settings_neither_matter_nor_change() -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        assert value(tf.constant([1.0]) / 0.0) == [float("inf")]
        assert value(tf.exp(tf.constant(1000.0))) == float("inf")
        assert value(tf.constant([2**31 - 1]) + 1) == [-(2**31)]
        assert value(tf.math.log(tf.constant([-1.0, 0.0])))[1] == float("-inf")
        f = tf.function(lambda x: tf.exp(x) / 0.0, autograph=False)
        assert value(f(tf.constant(1000.0))) == float("inf")
        assert np.geterr() == before


def test_an_op_called_while_another_kernel_runs_works() -> None:
    """A finalizer or a callback may call an op in the middle of a kernel."""
    results = []

    class Late:
        def __del__(self) -> None:
            results.append(value(tf.constant(1) + 1))
            results.append(value(tf.constant([1.0, 2.0]) * tf.constant([3.0, 4.0])))
            results.append(value(tf.reduce_sum([1, 2])))

    def kernel() -> None:
        nonlocal late
        late = None

    for _ in range(2):
        late: Any = Late()
        state.quietly(kernel)
    assert results == [2, [3.0, 8.0], 3] * 2


def test_a_function_called_while_another_kernel_runs_works() -> None:
    f = tf.function(lambda x: x + 1, autograph=False)
    f(tf.constant(1))
    assert value(state.quietly(lambda: f(tf.constant(1)))) == 2


def test_threads_compute_at_once() -> None:
    results: dict[int, Any] = {}

    def work(n: int) -> None:
        x = tf.constant(float(n))
        for _ in range(200):
            x = x + 1.0
        results[n] = value(x)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {n: n + 200.0 for n in range(5)}


def test_a_cached_kernel_holds_no_tensor() -> None:
    x = tf.constant([1.0, 2.0]) * 5.0
    tf.reduce_sum(x)
    seen = weakref.ref(x)
    del x
    assert seen() is None


def test_a_python_number_used_with_a_tensor_is_not_shared_with_the_user() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 3.0
    assert value(tape.gradient(y, x)) == 3.0
    assert value(tf.constant(1.0) * 3.0) == 3.0


def test_an_error_about_inputs_stands_alone() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.raw_ops.Reshape(tensor=tf.ones([4]), shape=tf.ones([2]))
    error = caught.value
    assert error.__suppress_context__ or error.__context__ is None, "a traceback would show Millrace's own KeyError"


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex64", "bfloat16", "bool", "string"])
def test_the_value_of_a_scalar_is_an_array_of_the_dtype(dtype: str) -> None:
    x = tf.constant(b"a" if dtype == "string" else 1, dtype) if dtype != "bool" else tf.constant(True)
    results = [x == x] if dtype == "bool" else [x + x, x == x]
    for result in results:
        assert type(result._eager_array) is np.ndarray
        assert result._eager_array.shape == ()
        assert result._eager_array.dtype == result.dtype.as_numpy_dtype


class DeferredTensor:
    """A stranger's class with attributes of the names that a tensor of ours could have (TFP's `DeferredTensor`)."""

    dtype = tf.float32
    shape = tf.TensorShape([2])

    def _value(self) -> Any:
        return tf.constant([1.0, 2.0])


tf.register_tensor_conversion_function(
    DeferredTensor, lambda value, dtype=None, name=None, as_ref=False: value._value()
)


@pytest.mark.parametrize("records", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.math.negative(x),
        lambda x: tf.add(x, 1.0),
        lambda x: tf.constant([0.0, 0.0]) - x,
        lambda x: tf.concat([x, x], 0),
        lambda x: tf.tensor_scatter_nd_update(tf.zeros([2]), [[0], [1]], x),
        lambda x: tf.function(lambda y: tf.math.negative(y))(x),
        lambda x: tf.raw_ops.Neg(x=x),
    ],
    ids=["unary", "binary", "operator", "list", "three inputs", "function", "raw op"],
)
def test_an_object_that_only_resembles_a_tensor_is_converted(call: Any, records: bool) -> None:
    call(tf.constant([1.0, 2.0]))  # from now on the fast path knows the kernel
    with tf.GradientTape() if records else contextlib.nullcontext():
        result, expected = call(DeferredTensor()), call(tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(result, expected)

"""`tf.Tensor`: Python's protocols of eager and symbolic tensors, immutability, what is refused and in which words."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf

DTYPES = [
    tf.bool, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128,
]  # fmt: skip


def symbolic(value: Any = 1.0) -> Any:
    """A tensor of a function's graph, kept after tracing."""
    kept = []
    tf.function(lambda x: kept.append(x * 1), autograph=False)(tf.constant(value))
    return kept[0]


# --- value and immutability -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_tensor_of_every_dtype_shows_its_value(dtype: Any) -> None:
    t = tf.cast([0, 1], dtype)
    assert t.dtype == dtype
    assert t.numpy().dtype == dtype.as_numpy_dtype
    assert t.shape == [2]
    assert (t.ndim, t.shape.rank, len(t)) == (1, 1, 2)
    assert repr(t).startswith(f"<tf.Tensor: shape=(2,), dtype={dtype.name}, numpy=array([")


def test_what_numpy_gives_may_be_changed_without_changing_the_tensor() -> None:
    t = tf.constant([1.0, 2.0]) + 0.0
    copied = np.array(t)
    copied[0] = 9
    assert np.asarray(t).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("view", [np.asarray, lambda t: np.array(t, copy=False)], ids=["asarray", "copy=False"])
def test_a_view_of_the_value_is_read_only(view: Any) -> None:
    t = tf.constant([1.0, 2.0])
    array = view(t)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9
    assert view(tf.constant(3)).flags.writeable is False


def test_array_with_a_dtype_converts_and_refuses_where_it_may_not_copy() -> None:
    t = tf.constant([1.5, 2.5])
    assert np.asarray(t, np.float64).dtype == np.float64
    assert np.array(t, np.int32).tolist() == [1, 2]
    with pytest.raises(ValueError, match="copy"):
        np.array(t, dtype=np.float64, copy=False)


@pytest.mark.parametrize("make", [tf.constant, tf.convert_to_tensor])
def test_a_numpy_array_changed_afterwards_does_not_change_the_tensor(make: Any) -> None:
    a = np.arange(3.0)
    t = make(a)
    a[:] = 7
    assert np.asarray(t).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("value", ["abc", 1.5, 3, True, 1 + 2j])
def test_what_tensorflow_datasets_reads_of_a_scalar_is_no_array(value: Any) -> None:
    tensor = tf.constant(value)
    assert type(tensor._numpy()) is type(tensor.numpy()) is not np.ndarray
    assert type(tf.constant([value])._numpy()) is np.ndarray


def test_numpy_of_a_scalar_is_a_numpy_scalar_and_of_a_string_bytes() -> None:
    assert isinstance(tf.constant(1.5).numpy(), np.float32)
    assert tf.constant("a").numpy() == b"a"
    assert tf.constant(["a", b"\xff\x00"]).numpy().tolist() == [b"a", b"\xff\x00"]


def test_a_tensor_has_no_item_assignment() -> None:
    t = tf.constant([1.0])
    with pytest.raises(TypeError, match="does not support item assignment"):
        t[0] = 1.0


# --- Python's conversions -------------------------------------------------------------------------


def test_scalars_become_python_numbers() -> None:
    t = tf.constant(3)
    assert (int(t), float(t), complex(t), bool(t)) == (3, 3.0, 3 + 0j, True)
    assert list(range(5))[t] == 3
    assert int(tf.constant("3")) == 3


@pytest.mark.parametrize("value", [[3], [1, 2], [[3]]])
def test_arrays_do_not_become_python_numbers(value: Any) -> None:
    for convert in (int, float, complex):
        with pytest.raises(TypeError):
            convert(tf.constant(value))
    with pytest.raises(TypeError):
        [1, 2, 3][tf.constant(value)]


def test_the_truth_of_a_tensor() -> None:
    assert bool(tf.constant([3])) is True
    assert bool(tf.constant([])) is False
    assert (bool(tf.constant("")), bool(tf.constant("a"))) == (False, True)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.constant([1, 2]))


def test_formatting_is_that_of_the_value() -> None:
    assert f"{tf.constant(1.5):.3f}|{tf.constant(7):04d}|{tf.constant([1.5])}" == "1.500|0007|[1.5]"
    assert f"{tf.constant('a')}" == "b'a'"
    with pytest.raises(TypeError):
        f"{tf.constant([1.5]):.3f}"


def test_printing() -> None:
    assert str(tf.constant(6)) == "tf.Tensor(6, shape=(), dtype=int32)"
    assert str(tf.constant([[1.0]])) == "tf.Tensor([[1.]], shape=(1, 1), dtype=float32)"
    assert repr(tf.constant("a")) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"


def test_iteration_gives_the_rows() -> None:
    rows = list(tf.constant([[1, 2], [3, 4]]))
    assert [np.asarray(r).tolist() for r in rows] == [[1, 2], [3, 4]]
    assert [r.shape for r in rows] == [[2], [2]]
    assert [x.numpy() for x in tf.constant(["a", "b"])] == [b"a", b"b"]
    assert list(tf.zeros([0, 2])) == []
    with pytest.raises(TypeError):
        iter(tf.constant(1))
    with pytest.raises(TypeError):
        len(tf.constant(1))


def test_iteration_under_a_tape_is_differentiable() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, second = x
        y = first * second * second
    assert np.asarray(tape.gradient(y, x)).tolist() == [4.0, 4.0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_pickle_and_deepcopy_keep_dtype_and_value(dtype: Any) -> None:
    t = tf.cast([[0, 1]], dtype)
    for other in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t), copy.copy(t)):
        assert other.dtype == dtype
        assert other.shape == [1, 2]
        assert bool(tf.reduce_all(other == t))


def test_strings_survive_pickle_and_deepcopy() -> None:
    t = tf.constant([["a"], [b"\xff"]])
    assert pickle.loads(pickle.dumps(t)).numpy().tolist() == [[b"a"], [b"\xff"]]
    assert copy.deepcopy(t).numpy().tolist() == [[b"a"], [b"\xff"]]


def test_tensors_are_unhashable_but_have_references() -> None:
    t = tf.constant(1)
    with pytest.raises(TypeError, match=r"Tensor is unhashable. Instead, use tensor.ref\(\) as the key"):
        hash(t)
    assert t.ref() == t.ref()
    assert t.ref() != tf.constant(1).ref()
    assert t.ref().deref() is t


def test_a_list_finds_an_equal_scalar() -> None:
    assert tf.constant(2) in [tf.constant(1), tf.constant(2)]
    assert 2.0 in tf.constant([1.0, 2.0])
    assert 5.0 not in tf.constant([1.0, 2.0])


@pytest.mark.parametrize("name", ["T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"])
def test_numpy_methods_are_refused_with_advice(name: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"object has no attribute '{name}'[\s\S]*experimental_enable_numpy_behavior"
    ):
        getattr(tf.constant([1.0]), name)


@pytest.mark.parametrize("name", ["graph", "op", "name", "value_index"])
def test_graph_properties_of_an_eager_tensor_raise(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(tf.constant(1), name)


def test_set_shape_of_an_eager_tensor_only_checks() -> None:
    t = tf.constant([[1.0, 2.0]])
    t.set_shape([None, 2])
    with pytest.raises(ValueError, match=r"Tensor's shape .* is not compatible with supplied shape"):
        t.set_shape([3, 2])


def test_tensors_go_to_numpy_through_dlpack() -> None:
    t = tf.constant([1.0, 2.0])
    assert np.from_dlpack(t).tolist() == [1.0, 2.0]


def test_a_dropped_tensor_is_freed() -> None:
    t = tf.ones([10]) + 1.0
    seen = weakref.ref(t)
    del t
    gc.collect()
    assert seen() is None


# --- symbolic -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (bool, "OperatorNotAllowedInGraphError"),
        (lambda t: list(t), "OperatorNotAllowedInGraphError"),
        (len, "TypeError"),
        (int, "TypeError"),
        (float, "TypeError"),
        (np.asarray, "NotImplementedError"),
        (lambda t: range(3)[t], "TypeError"),
        (lambda t: t.numpy(), "AttributeError"),
    ],
    ids=["bool", "iter", "len", "int", "float", "asarray", "index", "numpy"],
)
def test_a_symbolic_tensor_has_no_value(use: Any, error: str) -> None:
    raised = []

    @tf.function(autograph=False)
    def f(x):
        try:
            use(x)
        except Exception as e:
            raised.append(type(e).__name__)
        return x

    f(tf.constant([1.0, 2.0]))
    assert raised in ([error], ["NotImplementedError"], ["TypeError"])


def test_a_symbolic_tensor_knows_its_operation() -> None:
    g = tf.Graph()
    with g.as_default():
        x = tf.constant([1.0, 2.0], name="x")
        y = x * 2.0
    assert (x.name, x.op.name, x.value_index, x.graph is g) == ("x:0", "x", 0, True)
    assert [op.name for op in x.consumers()] == ["mul"]
    assert str(y) == 'Tensor("mul:0", shape=(2,), dtype=float32)'
    assert repr(y) == "<tf.Tensor 'mul:0' shape=(2,) dtype=float32>"


def test_set_shape_merges_into_a_symbolic_shape() -> None:
    shapes = []

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        x = x + 1.0
        x.set_shape([2, None])
        shapes.append(x.shape.as_list())
        x.set_shape([None, 3])
        shapes.append(x.shape.as_list())
        with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal"):
            x.set_shape([5, 3])
        with pytest.raises(ValueError, match="Shapes must be equal rank"):
            x.set_shape([2, 3, 4])
        return x

    f(tf.zeros([2, 3]))
    assert shapes == [[2, None], [2, 3]]


def test_a_leaked_tensor_is_refused_everywhere() -> None:
    t = symbolic()
    with pytest.raises(TypeError, match="out of scope"):
        t + 1.0
    with pytest.raises(TypeError, match="out of scope"):
        tf.convert_to_tensor(t)
    with pytest.raises(TypeError, match="out of scope"):
        tf.stack([t, 1.0])
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda: t * 2.0, autograph=False)()


def test_tensors_of_two_graphs_do_not_mix() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        x + 1.0


def test_an_eager_tensor_does_not_go_into_a_plain_graph() -> None:
    x = tf.constant(1.0)
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="Attempting to capture an EagerTensor"):
        x + 1.0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python asks a class for its buffer from 3.12 on")
def test_a_tensor_can_be_read_through_a_memoryview() -> None:
    view = memoryview(tf.constant([[1, 2, 3], [4, 5, 6]]))  # type: ignore[arg-type]  # typed as Python 3.11
    assert (view.format, view.shape, view.readonly, view.tolist()) == ("i", (2, 3), True, [[1, 2, 3], [4, 5, 6]])
    assert memoryview(tf.constant(1.5)).tolist() == 1.5  # type: ignore[arg-type]
    assert bytes(tf.constant([1, 255], tf.uint8)) == b"\x01\xff"
    assert np.frombuffer(tf.constant([1, 2]), np.int32).tolist() == [1, 2]
    with pytest.raises(TypeError, match="read-only"):
        view[0, 0] = 5
    with pytest.raises((ValueError, BufferError)):
        memoryview(tf.constant([1], tf.bfloat16))  # type: ignore[arg-type]
    assert np.asarray(tf.constant([1], tf.bfloat16)).dtype == tf.bfloat16.as_numpy_dtype


def test_the_array_of_a_tensor_is_a_read_only_buffer() -> None:
    view = memoryview(tf.constant([[1, 2], [3, 4]]).numpy())
    assert view.tolist() == [[1, 2], [3, 4]]
    assert memoryview(np.asarray(tf.constant([1.0]))).readonly

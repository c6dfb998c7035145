"""`tf.Variable`: creation, assignment, sparse updates, what fails and leaves the value, Python's protocols."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ids import stable_repr


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]
INTEGERS = [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64]
COMPLEX = [tf.complex64, tf.complex128]


# --- creation --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("initial", "dtype", "shape"),
    [
        (1, tf.int32, []),
        (1.5, tf.float32, []),
        ([True, False], tf.bool, [2]),
        ("text", tf.string, []),
        ([[1.0], [2.0]], tf.float32, [2, 1]),
        (np.zeros([0, 3], np.int8), tf.int8, [0, 3]),
        (1j, tf.complex128, []),
    ],
    ids=stable_repr,
)
def test_the_initial_value_decides_dtype_and_shape(initial: Any, dtype: Any, shape: list[int]) -> None:
    v = tf.Variable(initial)
    assert v.dtype == dtype
    assert v.shape == shape
    assert v.trainable is True


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, *COMPLEX])
def test_a_variable_of_every_dtype_keeps_it(dtype: Any) -> None:
    v = tf.Variable([1, 0], dtype=dtype)
    assert v.dtype == dtype
    assert v.numpy().dtype == dtype.as_numpy_dtype
    v.assign([0, 1])
    assert v.dtype == dtype
    assert value(v.read_value()) == value(tf.constant([0, 1], dtype))


def test_an_initial_value_may_be_a_function() -> None:
    assert value(tf.Variable(lambda: tf.ones([2]))) == [1.0, 1.0]
    assert tf.Variable(lambda: 3, dtype=tf.float64).dtype == tf.float64


def test_an_initial_value_may_be_another_variable_and_is_copied() -> None:
    v = tf.Variable([1.0])
    w = tf.Variable(v)
    v.assign([2.0])
    assert value(w) == [1.0]


def test_a_numpy_array_changed_afterwards_does_not_change_the_variable() -> None:
    a = np.ones(2, np.float32)
    v = tf.Variable(a)
    a[0] = 9
    assert value(v) == [1.0, 1.0]
    v.assign(a)
    a[1] = 7
    assert value(v) == [9.0, 1.0]


def test_the_value_that_numpy_gives_may_be_changed_and_the_array_view_may_not() -> None:
    v = tf.Variable([1.0, 2.0])
    v.numpy()[0] = 9
    assert value(v) == [1.0, 2.0]
    view = np.asarray(v.read_value())
    if view.flags.writeable:
        view[0] = 9
    assert value(v) == [1.0, 2.0]


def test_no_initial_value_raises() -> None:
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable()
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable(None)


def test_an_initial_tensor_of_another_dtype_raises() -> None:
    with pytest.raises(ValueError):
        tf.Variable(tf.constant(1.0), dtype=tf.int32)


def test_an_initial_value_that_is_no_tensor_raises() -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.Variable(object())
    with pytest.raises(ValueError):
        tf.Variable([[1.0], [1.0, 2.0]])
    with pytest.raises((TypeError, ValueError)):
        tf.Variable("text", dtype=tf.float32)


def test_an_explicit_shape_may_be_less_specific_but_not_another() -> None:
    v = tf.Variable([1.0, 2.0], shape=[None])
    assert v.shape.as_list() == [None]
    v.assign([1.0, 2.0, 3.0])
    assert value(v) == [1.0, 2.0, 3.0]
    w = tf.Variable([1.0], shape=tf.TensorShape(None))
    w.assign([[5.0, 6.0]])
    assert value(w) == [[5.0, 6.0]]
    with pytest.raises(ValueError):
        tf.Variable([1.0, 2.0], shape=[3])


@pytest.mark.parametrize("constraint", [3, "text"])
def test_a_constraint_must_be_callable(constraint: Any) -> None:
    with pytest.raises(ValueError, match="constraint"):
        tf.Variable(1.0, constraint=constraint)


def test_traits_are_kept() -> None:
    square = lambda x: x * x  # noqa: E731
    v = tf.Variable(
        1.0,
        trainable=False,
        constraint=square,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )
    assert (v.trainable, v.constraint, v.synchronization, v.aggregation) == (
        False,
        square,
        tf.VariableSynchronization.ON_READ,
        tf.VariableAggregation.SUM,
    )
    assert tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable is False


def test_names_have_the_name_scope_and_are_not_made_unique() -> None:
    with tf.name_scope("outer"), tf.name_scope("inner"):
        names = [tf.Variable(1.0, name="w").name, tf.Variable(1.0, name="w").name, tf.Variable(1.0).name]
    assert names == ["outer/inner/w:0", "outer/inner/w:0", "outer/inner/Variable:0"]


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_value_that_was_read_keeps_it() -> None:
    v = tf.Variable([1.0, 2.0])
    before, same = v.read_value(), v.value()
    v.assign_add([1.0, 1.0])
    v.scatter_add(tf.IndexedSlices([1.0], [0]))
    assert value(before) == value(same) == [1.0, 2.0]


def test_a_variable_acts_as_a_tensor() -> None:
    v = tf.Variable([1.0, 2.0])
    assert value(v + 1.0) == value(1.0 + v) == [2.0, 3.0]
    assert value(v[1]) == 2.0
    assert value(tf.reduce_sum(v)) == 3.0
    assert value(-v) == [-1.0, -2.0]
    assert value(v == [1.0, 5.0]) == [True, False]
    assert value(np.add(v, 1)) == [2.0, 3.0]
    assert [float(x) for x in v] == [1.0, 2.0]
    assert tf.is_tensor(v)
    assert not isinstance(v, tf.Tensor)


def test_scalars_convert_to_python() -> None:
    v = tf.Variable(3)
    assert (int(v), float(v), bool(v), complex(v)) == (3, 3.0, True, 3 + 0j)
    assert list(range(5))[v] == 3 if hasattr(type(v), "__index__") else True


def test_a_conversion_to_another_dtype_raises() -> None:
    v = tf.Variable(1.0)
    with pytest.raises(ValueError):
        tf.convert_to_tensor(v, dtype=tf.int32)
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        v + tf.constant(1)


def test_a_variable_is_no_key_but_its_reference_is() -> None:
    v = tf.Variable(1.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)
    assert {v.ref(): 1}[v.ref()] == 1
    assert v.ref().deref() is v


@pytest.mark.parametrize("op", ["+=", "-=", "*=", "/="])
def test_augmented_assignment_is_refused_or_gives_a_tensor(op: str) -> None:
    scope = {"v": tf.Variable(1.0)}
    with pytest.raises(RuntimeError, match="is not supported"):
        exec(f"v {op} 2.0", scope)


def test_sparse_reads() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert value(v.sparse_read([1, 1])) == [[3.0, 4.0], [3.0, 4.0]]
    assert value(v.gather_nd([[1, 0]])) == [3.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.sparse_read([2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.sparse_read([-1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.gather_nd([[2, 0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.gather_nd([[-1, 0]])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        v.gather_nd([[0, 0, 0]])


# --- assignment ------------------------------------------------------------------------------------------------------


def test_assignments_return_the_variable_with_its_new_value() -> None:
    v = tf.Variable(1.0)
    assert value(v.assign(2.0)) == 2.0
    assert value(v.assign_add(2.0)) == 4.0
    assert value(v.assign_sub(1.0).assign_add(5.0)) == 8.0
    assert v.assign(1.0, read_value=False) is None
    assert value(v) == 1.0


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda v: v.assign([1.0]), ValueError),
        (lambda v: v.assign([[1.0, 2.0]]), ValueError),
        (lambda v: v.assign(tf.constant([1, 2])), ValueError),
        (lambda v: v.assign("text"), (TypeError, ValueError)),
        (lambda v: v.assign(None), (TypeError, ValueError)),
        (lambda v: v.assign([1.0, "a"]), (TypeError, ValueError)),
        (lambda v: v.assign_add([1.0, 2.0, 3.0]), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda v: v.assign_add(1.0), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda v: v.assign_sub([[1.0, 2.0]]), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda v: v.assign_add(tf.constant([1, 2])), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda v: v.scatter_add([1.0]), TypeError),
        (lambda v: v.scatter_add(tf.IndexedSlices([1.0], [2])), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_add(tf.IndexedSlices([1.0], [-1])), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_update(tf.IndexedSlices([1.0, 2.0], [0])), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_nd_add([[5]], [1.0]), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_nd_update([[0], [1]], [1.0]), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda v: v[5].assign(1.0), (ValueError, tf.errors.InvalidArgumentError)),
        (lambda v: v[:2].assign([1.0, 2.0, 3.0]), (ValueError, tf.errors.InvalidArgumentError)),
    ],
)
def test_a_failed_change_leaves_the_value(change: Any, kind: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(kind):
        change(v)
    assert value(v) == [1.0, 2.0]


@pytest.mark.parametrize("value_of", [[1.0], [[1.0, 2.0]]])
def test_a_failed_assignment_in_a_function_leaves_the_value(value_of: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: v.assign(x).read_value(), autograph=False)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        f(tf.constant(value_of))
    g = tf.function(
        lambda x: v.assign_add(x).read_value(), autograph=False, input_signature=[tf.TensorSpec(None, tf.float32)]
    )
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        g(tf.constant(value_of))
    assert value(v) == [1.0, 2.0]


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, *COMPLEX])
def test_sums_and_differences_of_every_number_type(dtype: Any) -> None:
    v = tf.Variable(tf.cast([5, 7], dtype))
    v.assign_add(tf.cast([1, 2], dtype))
    v.assign_sub(tf.cast([2, 2], dtype))
    assert v.numpy().dtype == dtype.as_numpy_dtype
    assert value(tf.cast(v.read_value(), tf.complex64)) == [4, 7]


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_scatters_of_every_real_type(dtype: Any) -> None:
    results = {}
    for name in ("add", "sub", "mul", "div", "min", "max", "update"):
        v = tf.Variable(tf.cast([8, 8, 8], dtype))
        getattr(v, f"scatter_{name}")(tf.IndexedSlices(tf.cast([2, 4], dtype), tf.constant([0, 2])))
        assert v.numpy().dtype == dtype.as_numpy_dtype
        results[name] = value(tf.cast(v.read_value(), tf.float32))
    assert results == {
        "add": [10, 8, 12],
        "sub": [6, 8, 4],
        "mul": [16, 8, 32],
        "div": [4, 8, 2],
        "min": [2, 8, 4],
        "max": [8, 8, 8],
        "update": [2, 8, 4],
    }


def test_repeated_indices_of_a_scatter_count_each_time() -> None:
    v = tf.Variable([[1.0, 1.0], [2.0, 2.0]])
    v.scatter_add(tf.IndexedSlices([[1.0, 1.0], [10.0, 10.0]], [1, 1]))
    assert value(v) == [[1.0, 1.0], [13.0, 13.0]]
    v.scatter_mul(tf.IndexedSlices([[2.0, 2.0], [3.0, 3.0]], [0, 0]))
    assert value(v) == [[6.0, 6.0], [13.0, 13.0]]


def test_scatters_take_indices_of_several_dimensions_and_int64() -> None:
    v = tf.Variable([0.0, 0.0, 0.0])
    v.scatter_add(tf.IndexedSlices([[1.0, 2.0], [3.0, 4.0]], tf.constant([[0, 1], [2, 0]], tf.int64)))
    assert value(v) == [5.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("update", [[9.0, 2.0], [3.0, 8.0]]),
        ("add", [[10.0, 2.0], [3.0, 12.0]]),
        ("sub", [[-8.0, 2.0], [3.0, -4.0]]),
        ("min", [[1.0, 2.0], [3.0, 4.0]]),
        ("max", [[9.0, 2.0], [3.0, 8.0]]),
    ],
)
def test_scatters_at_index_tuples(name: str, expected: Any) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    getattr(v, f"scatter_nd_{name}")([[0, 0], [1, 1]], [9.0, 8.0])
    assert value(v) == expected


def test_batch_scatter_update() -> None:
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [2]])))
    assert value(v) == [[9.0, 2.0, 3.0], [4.0, 5.0, 8.0]]


def test_a_slice_may_be_assigned() -> None:
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v[0].assign([7.0, 8.0, 9.0])
    v[:, 1].assign([0.0, 0.0])
    v[1, ::2].assign([-1.0, -2.0])
    assert value(v) == [[7.0, 0.0, 9.0], [-1.0, 0.0, -2.0]]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_count_up_to(dtype: Any) -> None:
    v = tf.Variable(1, dtype=dtype)
    assert value(v.count_up_to(3)) == 1
    assert value(v.count_up_to(3)) == 2
    with pytest.raises(tf.errors.OutOfRangeError):
        v.count_up_to(3)
    assert value(v) == 3


def test_strings_can_be_assigned_and_scattered() -> None:
    v = tf.Variable(["a", "b"])
    v.scatter_update(tf.IndexedSlices(["c"], [1]))
    assert value(v) == [b"a", b"c"]
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        v.assign_add(["x", "y"])
    assert value(v) == [b"a", b"c"]


# --- functions -------------------------------------------------------------------------------------------------------


def test_reads_and_writes_of_a_function_happen_in_program_order() -> None:
    v, w = tf.Variable(1.0), tf.Variable(0.0)

    @tf.function(autograph=False)
    def f():
        a = v.read_value()
        v.assign(5.0)
        b = v.read_value()
        w.assign(v + a)
        v.assign_add(w)
        return a, b, v.read_value()

    assert [value(x) for x in f()] == [1.0, 5.0, 11.0]
    assert value(w) == 6.0


def test_a_variable_shows_no_value_while_tracing() -> None:
    v = tf.Variable(1.0)
    seen = []

    @tf.function(autograph=False)
    def f():
        seen.append(repr(v))
        with pytest.raises(NotImplementedError):
            v.numpy()
        return v + 1.0

    f()
    assert seen == ["<tf.Variable 'Variable:0' shape=() dtype=float32>"]


# --- Python ----------------------------------------------------------------------------------------------------------


def test_repr_shows_name_shape_dtype_and_value() -> None:
    assert repr(tf.Variable(1.0, name="w")) == "<tf.Variable 'w:0' shape=() dtype=float32, numpy=1.0>"
    assert (
        repr(tf.Variable([1, 2]))
        == "<tf.Variable 'Variable:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>"
    )
    assert repr(tf.Variable([1.0], shape=[None])).startswith("<tf.Variable 'Variable:0' shape=(None,) dtype=float32")


def test_a_deep_copy_is_another_variable_with_the_same_value() -> None:
    v = tf.Variable([1.0], name="w", trainable=False)
    w = copy.deepcopy({"a": v, "b": v})
    assert w["a"] is w["b"]
    w["a"].assign([2.0])
    assert value(v) == [1.0]
    assert w["a"].trainable is False
    assert w["a"].name == "w:0"


def test_threads_add_without_losing_an_update() -> None:
    v = tf.Variable(0)

    def work() -> None:
        for _ in range(200):
            v.assign_add(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert value(v) == 800


def test_a_dropped_variable_is_freed() -> None:
    v = tf.Variable(tf.ones([1000]))
    with tf.GradientTape() as tape:
        y = v * 2.0
    tape.gradient(y, v)
    seen = weakref.ref(v)
    del v, tape, y
    gc.collect()
    assert seen() is None


def test_a_variable_in_a_plain_graph_is_a_handle_an_initializer_and_a_read() -> None:
    g = tf.Graph()
    with g.as_default():
        v = tf.Variable(1.0, name="w")
    assert v.name == "w:0"
    assert v.initializer.type == "AssignVariableOp"
    assert "w" in [op.name for op in g.get_operations()]

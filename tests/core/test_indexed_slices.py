"""`tf.IndexedSlices` and its spec."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.indexed_slices import gradient_tensors, gradient_values, with_values


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def slices(**changes: Any) -> Any:
    parts = {
        "values": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "indices": tf.constant([2, 0]),
        "dense_shape": tf.constant([3, 2]),
    }
    return tf.IndexedSlices(**{**parts, **changes})


def test_parts_shape_and_dtype() -> None:
    s = slices()
    assert (value(s.values), value(s.indices), value(s.dense_shape)) == ([[1.0, 2.0], [3.0, 4.0]], [2, 0], [3, 2])
    assert s.shape == [3, 2]
    assert s.dtype == tf.float32
    assert slices(dense_shape=None).shape.rank is None


def test_it_converts_to_a_dense_tensor_adding_repeated_rows() -> None:
    assert value(tf.convert_to_tensor(slices())) == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
    assert value(tf.convert_to_tensor(slices(indices=tf.constant([1, 1])))) == [[0.0, 0.0], [4.0, 6.0], [0.0, 0.0]]
    assert value(slices() * 1.0 if hasattr(slices(), "__mul__") else tf.convert_to_tensor(slices()))[0] == [3.0, 4.0]


def test_without_a_dense_shape_it_does_not_convert() -> None:
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(slices(dense_shape=None))


def test_another_dtype_is_refused() -> None:
    with pytest.raises(ValueError):
        tf.convert_to_tensor(slices(), dtype=tf.int32)


def test_negation_keeps_it_sparse() -> None:
    s = -slices()
    assert isinstance(s, tf.IndexedSlices)
    assert value(s.values) == [[-1.0, -2.0], [-3.0, -4.0]]


def test_ops_take_it_as_a_tensor() -> None:
    assert value(tf.reduce_sum(slices())) == 10.0


def test_it_passes_through_a_function() -> None:
    f = tf.function(lambda s: tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape), autograph=False)
    result = f(slices())
    assert isinstance(result, tf.IndexedSlices)
    assert value(result.values) == [[2.0, 4.0], [6.0, 8.0]]
    assert f.experimental_get_tracing_count() == 1
    f(slices())
    assert f.experimental_get_tracing_count() == 1


def test_specs_compare_by_their_parts() -> None:
    spec = tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [2])
    assert spec == tf.type_spec_from_value(slices())
    assert spec != tf.IndexedSlicesSpec([3, 2], tf.float64, tf.int32, tf.int32, [2])
    assert spec.value_type is tf.IndexedSlices
    assert hash(spec) == hash(tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32, [2]))
    assert spec.is_compatible_with(slices())


def test_structures_expand_it() -> None:
    assert len(tf.nest.flatten(slices(), expand_composites=True)) == 3
    assert len(tf.nest.flatten(slices())) == 1


def test_as_a_target_it_counts_as_its_values() -> None:
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.IndexedSlices(x * x, tf.constant([1]), tf.constant([3, 2]))
    assert value(tape.gradient(s, x)) == [[2.0, 4.0]]


def test_making_a_large_one_dense_warns_while_tracing() -> None:
    def dense(rows: int) -> Any:
        f = tf.function(lambda v: tf.convert_to_tensor(tf.IndexedSlices(v, tf.constant([1]), tf.constant([rows, 2]))))
        return f.get_concrete_function(tf.TensorSpec([1, 2]))

    with pytest.warns(UserWarning, match="to a dense Tensor with 100000000 elements. This may consume a large amount"):
        dense(50_000_000)
    assert dense(49_999_999).output_shapes == [49_999_999, 2]


def test_zeros_ones_and_stop_gradient_take_it() -> None:
    s = slices()
    assert value(tf.zeros_like(s)) == [[0.0, 0.0]] * 3
    assert value(tf.ones_like(s, tf.int32)) == [[1, 1]] * 3
    stopped = tf.stop_gradient(s)
    assert isinstance(stopped, tf.IndexedSlices)
    assert (value(stopped.values), value(stopped.indices)) == (value(s.values), value(s.indices))
    assert s.consumers() == []


_FORMS = [
    pytest.param(lambda v: tf.gather(v, [1, 1]), lambda v: tf.gather(v, [2, 0]) * 3.0, True, id="as many rows"),
    pytest.param(lambda v: tf.gather(v, [1, 1]), lambda v: tf.ones([2, 2]), True, id="none in the other"),
    pytest.param(lambda v: tf.gather(v, [1]), lambda v: tf.gather(v, [1, 2])[:1], False, id="other rows"),
    pytest.param(lambda v: tf.gather(v, [1, 1]), lambda v: v[:2], False, id="dense in the other"),
]


@pytest.mark.parametrize("jit", [None, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize(("then", "otherwise", "is_sparse"), _FORMS)
def test_a_condition_keeps_it_where_branches_agree(
    jit: bool | None, then: Any, otherwise: Any, is_sparse: bool
) -> None:
    v = tf.Variable(tf.ones([3, 2]))
    f = tf.function(lambda flag: tf.cond(flag, lambda: then(v), lambda: otherwise(v)), jit_compile=jit, autograph=False)
    for flag, branch in ((True, then), (False, otherwise)):
        with tf.GradientTape(persistent=True) as tape:
            y, expected = f(tf.constant(flag)), branch(v)
        found, wanted = tape.gradient(y, v), tape.gradient(expected, v, unconnected_gradients="zero")
        assert isinstance(found, tf.IndexedSlices) == is_sparse
        assert value(tf.convert_to_tensor(found)) == value(tf.convert_to_tensor(wanted))


@pytest.mark.parametrize("jit", [None, pytest.param(True, marks=pytest.mark.xla)])
def test_a_gather_in_a_loop_in_a_function_has_the_dense_gradient(jit: bool | None) -> None:
    v = tf.Variable(tf.ones([3, 2]))

    @tf.function(jit_compile=jit, autograph=False)
    def f():
        return tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: (i + 1, s + tf.gather(v, [0, i])),
            (0, tf.zeros([2, 2])),
            maximum_iterations=3,
        )[1]

    with tf.GradientTape() as tape:
        y = f()
    assert value(tape.gradient(y, v)) == [[4.0, 4.0], [1.0, 1.0], [1.0, 1.0]]


def test_the_tensors_of_a_gradient_are_its_values_indices_and_shape() -> None:
    s, dense = slices(), tf.constant([1.0])
    assert [id(t) for t in gradient_tensors(s)] == [id(s.values), id(s.indices), id(s.dense_shape)]
    assert [id(t) for t in gradient_tensors(slices(dense_shape=None))][2:] == []
    assert gradient_tensors(dense)[0] is dense and gradient_tensors(None) == []


def test_values_of_a_gradient_are_replaced_and_the_indices_stay() -> None:
    s, dense = slices(), tf.constant([1.0])
    assert gradient_values(s) is s.values and gradient_values(dense) is dense
    doubled = with_values(s, s.values * 2.0)
    assert value(doubled.values) == [[2.0, 4.0], [6.0, 8.0]] and doubled.indices is s.indices
    assert with_values(dense, s.values) is s.values

"""The class `tf.SparseTensor`, its operators and its value form."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import millrace as tf


def example() -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])


DENSE = [[0, 1, 0], [2, 0, 0]]


def dense(value: tf.SparseTensor) -> list:
    return tf.sparse.to_dense(value).numpy().tolist()


def test_parts_have_their_dtypes_and_shapes() -> None:
    value = example()
    assert (value.indices.dtype, value.values.dtype, value.dense_shape.dtype) == (tf.int64, tf.float32, tf.int64)
    assert value.shape == value.get_shape() == [2, 3] and value.dtype == tf.float32
    assert tf.is_tensor(value) and tf.sparse.SparseTensor is tf.SparseTensor


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        (([[0, 1]], [1], [2]), ValueError, "Dimensions 2 and 1 are not compatible"),
        (([[0, 1], [0, 2]], [1], [2, 3]), ValueError, "Dimensions 2 and 1 are not compatible"),
        (([0, 1], [1], [2]), ValueError, r"Shape \(2,\) must have rank 2"),
        (([[0]], [[1]], [2]), ValueError, r"Shape \(1, 1\) must have rank 1"),
        (([[0.5]], [1], [2]), TypeError, r"Cannot convert \[\[0.5\]\] to EagerTensor of dtype int64"),
        (([[0]], [1], [-2]), ValueError, "Dimension -2 must be >= 0"),
        ((None, [1], [2]), ValueError, r"Attempt to convert a value \(None\)"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(parts, error, message) -> None:
    with pytest.raises(error, match=message):
        tf.SparseTensor(*parts)


def test_tensors_of_another_integer_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="indices: Tensor conversion requested dtype int64 for Tensor with dtype int3"):
        tf.SparseTensor(tf.constant([[0]]), [1], [2])
    with pytest.raises(ValueError, match="dense_shape: Tensor conversion requested dtype int64"):
        tf.SparseTensor([[0]], [1], tf.constant([2]))


def test_coordinates_are_not_checked_by_the_constructor() -> None:
    assert tf.SparseTensor([[5]], [1], [2]).indices.numpy().tolist() == [[5]]


def test_from_value_takes_values_of_sessions() -> None:
    value = tf.compat.v1.SparseTensorValue([[0]], [1], [2])
    assert value._fields == ("indices", "values", "dense_shape")
    assert dense(tf.SparseTensor.from_value(value)) == [1, 0]
    assert dense(tf.SparseTensor.from_value(example())) == DENSE
    with pytest.raises(TypeError, match="is neither a SparseTensor nor SparseTensorValue"):
        tf.SparseTensor.from_value((1, 2, 3))


def test_with_values_keeps_the_coordinates() -> None:
    assert dense(example().with_values([3, 4])) == [[0, 3, 0], [4, 0, 0]]
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        example().with_values([1.0, 2.0, 3.0])


def test_copies_and_pickles_are_equal() -> None:
    for duplicate in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        assert dense(duplicate(example())) == DENSE


def test_a_sparse_tensor_is_no_sequence() -> None:
    value = example()
    for refused in (len, iter, lambda v: v[0], lambda v: -v, abs, lambda v: v + v, lambda v: v - 1.0, lambda v: v < 1):
        with pytest.raises(TypeError):
            refused(value)
    assert value and value == value and hash(value)


def test_it_is_not_converted_to_a_tensor() -> None:
    for convert in (tf.convert_to_tensor, tf.constant, tf.Variable, tf.exp):
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(SparseTensor\(indices="):
            convert(example())


def test_eager_tensors_have_no_graph() -> None:
    value = example()
    assert value.consumers() == []
    for attribute in ("op", "graph"):
        with pytest.raises(AttributeError, match="undefined when eager execution is enabled"):
            getattr(value, attribute)
    with pytest.raises(AttributeError):
        value.eval()


def test_text_shows_the_parts() -> None:
    text = (
        "SparseTensor(indices=tf.Tensor([[0]], shape=(1, 1), dtype=int64), values=tf.Tensor([7], shape=(1,), "
        "dtype=int32), dense_shape=tf.Tensor([2], shape=(1,), dtype=int64))"
    )
    assert repr(tf.SparseTensor([[0]], [7], [2])) == str(tf.SparseTensor([[0]], [7], [2])) == text


def test_products_broadcast_the_dense_operand() -> None:
    value, matrix = example(), tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert dense(value * 2) == [[0, 2, 0], [4, 0, 0]]
    assert (
        dense(value * matrix) == dense(matrix * value) == dense(tf.Variable(matrix) * value) == [[0, 2, 0], [8, 0, 0]]
    )
    assert dense(value * [[10.0], [20.0]]) == [[0, 10, 0], [40, 0, 0]]
    assert dense(value / [2.0, 4.0, 8.0]) == [[0, 0.25, 0], [1, 0, 0]]
    with pytest.raises(TypeError, match="unsupported operand"):
        2.0 * value


def test_integers_are_divided_as_floats_or_as_in_c() -> None:
    value = tf.SparseTensor([[0], [1]], [5, -5], [2])
    assert (value / 2).dtype == tf.float64 and dense(value / 2) == [2.5, -2.5]
    assert dense(value.__div__(2)) == [2, -2]


def test_operands_of_another_dtype_are_refused() -> None:
    with pytest.raises(ValueError, match="y: Tensor conversion requested dtype float32 for Tensor with dtype int32"):
        example() * tf.constant(2)


def test_graphs_name_the_parts() -> None:
    with tf.Graph().as_default() as graph:
        value = example()
        product = value * 2.0
        tf.identity(value.values)
        names = [operation.name for operation in graph.get_operations()]
        assert names[:3] == ["SparseTensor/indices", "SparseTensor/values", "SparseTensor/dense_shape"]
        assert product.values.op.name == "mul" and value.graph is graph
        assert {operation.name for operation in value.consumers()} == {"mul", "Identity"}
        with pytest.raises(ValueError, match="No default session is registered"):
            value.eval()


def test_static_shapes_grow_with_what_is_known() -> None:
    with tf.Graph().as_default():
        value = tf.SparseTensor(
            tf.compat.v1.placeholder(tf.int64, [None, 3]),
            tf.compat.v1.placeholder(tf.float32),
            tf.compat.v1.placeholder(tf.int64),
        )
        assert value.shape.rank is None
        value.set_shape([2, None, 4])
        assert value.shape.as_list() == [2, None, 4]
        with pytest.raises(ValueError, match="not compatible"):
            value.set_shape([3, None, 4])


def test_functions_take_return_and_capture_sparse_tensors() -> None:
    captured = example()

    @tf.function
    def product(value: tf.SparseTensor) -> tf.SparseTensor:
        assert value.shape.as_list() == [2, 3]
        return tf.SparseTensor(value.indices, value.values * captured.values, value.dense_shape)

    assert dense(product(example())) == [[0, 1, 0], [4, 0, 0]]
    assert dense(product(example() * 2.0)) == [[0, 2, 0], [8, 0, 0]]
    assert product.experimental_get_tracing_count() == 1


def test_loops_carry_sparse_tensors() -> None:
    @tf.function
    def doubled(value: tf.SparseTensor, times: tf.Tensor) -> tf.SparseTensor:
        for _ in tf.range(times):
            value = value * 2.0
        return value

    assert dense(doubled(example(), tf.constant(3))) == [[0, 8, 0], [16, 0, 0]]


def test_branches_return_sparse_tensors() -> None:
    @tf.function
    def chosen(which: tf.Tensor) -> tf.SparseTensor:
        return tf.cond(which, example, lambda: tf.SparseTensor([[1, 1]], [5.0], [2, 3]))

    assert dense(chosen(tf.constant(True))) == DENSE
    assert dense(chosen(tf.constant(False))) == [[0, 0, 0], [0, 5, 0]]


def test_gradients_flow_to_the_values() -> None:
    values = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = tf.sparse.to_dense(tf.SparseTensor([[0, 1], [1, 0]], values, [2, 3]) * 3.0)
    assert tape.gradient(result, values).numpy().tolist() == [3, 3]


def test_nests_expand_sparse_tensors() -> None:
    parts = tf.nest.flatten(example(), expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[[0, 1], [1, 0]], [1.0, 2.0], [2, 3]]
    assert dense(tf.nest.pack_sequence_as(example(), parts, expand_composites=True)) == DENSE


def test_arrays_hold_a_sparse_tensor_as_an_object() -> None:
    assert np.array(example()).dtype == object
    assert example()._numpy().tolist() == DENSE

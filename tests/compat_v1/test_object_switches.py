"""Shapes with `Dimension`s and tensors that are equal only to themselves, on request."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import pytest

import millrace as tf
from millrace._src.core.shapes import TensorShape

v1 = tf.compat.v1


@pytest.fixture
def _dimension_objects() -> Iterator[None]:
    v1.disable_v2_tensorshape()
    yield
    v1.enable_v2_tensorshape()


@pytest.fixture
def _identity() -> Iterator[None]:
    v1.disable_tensor_equality()
    yield
    v1.enable_tensor_equality()


@pytest.mark.usefixtures("_dimension_objects")
def test_programs_get_dimensions() -> None:
    shape = tf.ones([2, 3]).shape
    assert [d.value for d in shape] == [2, 3]
    assert isinstance(shape[0], v1.Dimension) and isinstance(shape[:1], tf.TensorShape)
    assert repr(shape) == "TensorShape([Dimension(2), Dimension(3)])"
    assert str(tf.TensorShape([2, None])) == "(2, ?)"


@pytest.mark.usefixtures("_dimension_objects")
def test_the_library_still_counts_with_integers() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 4, 4, 1])])
    def f(x):  # type: ignore[no-untyped-def]
        return tf.reduce_mean(tf.nn.conv2d(x, tf.ones([2, 2, 1, 3]), 1, "SAME"), axis=[1, 2])

    assert f(tf.ones([5, 4, 4, 1])).shape.as_list() == [5, 3]


@pytest.mark.usefixtures("_dimension_objects")
def test_shapes_with_dimensions_are_copied_and_pickled() -> None:
    shape = tf.TensorShape([2, None])
    assert pickle.loads(pickle.dumps(shape)) == shape == copy.deepcopy(shape)


def test_integers_come_back() -> None:
    v1.disable_v2_tensorshape()
    v1.enable_v2_tensorshape()
    assert type(tf.TensorShape([2, None])[0]) is int
    assert repr(TensorShape([2, None])) == "TensorShape([2, None])"


@pytest.mark.usefixtures("_identity")
def test_tensors_and_variables_are_keys() -> None:
    a, b, v = tf.constant([1, 2]), tf.constant([1, 2]), tf.Variable([1, 2])
    assert a in [a] and a != b
    assert {a: 1, v: 2}[v] == 2
    assert a in [b, a] and v == v and v != a


@pytest.mark.usefixtures("_identity")
def test_the_library_still_compares_elements() -> None:
    assert tf.math.equal(tf.constant([1, 2]), [1, 3]).numpy().tolist() == [True, False]
    assert tf.math.count_nonzero(tf.constant([1, 0, 2])).numpy() == 2


def test_elements_are_compared_again() -> None:
    v1.disable_tensor_equality()
    v1.enable_tensor_equality()
    assert (tf.constant([1, 2]) == tf.constant([1, 3])).numpy().tolist() == [True, False]
    with pytest.raises(TypeError, match="Tensor is unhashable"):
        hash(tf.constant(1))

"""Public functions of sparse tensors: those that act on the stored elements, and those that refuse."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

_NUMBERS = [0.5, -0.25]


def example(values=None) -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [1, 0]], _NUMBERS if values is None else values, [2, 3])


@pytest.mark.parametrize(
    "name",
    "abs negative sign square tanh sin tan asin asinh atan atanh math.erf math.bessel_i0e math.bessel_i1e".split(),
)
@pytest.mark.parametrize("is_traced", [False, True])
def test_functions_act_on_the_stored_elements(name, is_traced) -> None:
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    result = (tf.function(lambda x: function(x)) if is_traced else function)(example())
    assert isinstance(result, tf.SparseTensor) and result.shape == [2, 3]
    assert result.values.numpy().tolist() == function(tf.constant(_NUMBERS)).numpy().tolist()


def test_square_root_and_names() -> None:
    assert tf.sqrt(example([4.0, 9.0])).values.numpy().tolist() == [2, 3]
    with tf.Graph().as_default():
        assert tf.square(example(), name="squares").values.op.name == "squares"


def test_casts_keep_the_coordinates() -> None:
    result = tf.cast(example([1.5, -2.5]), tf.int32)
    assert result.dtype == tf.int32 and result.values.numpy().tolist() == [1, -2]
    assert tf.cast(example(), tf.bool).dtype == tf.bool
    assert tf.cast(example(), tf.float32).values.numpy().tolist() == _NUMBERS


def test_division_and_dense_tensors_of_the_shape() -> None:
    assert tf.divide(example(), [1.0, 2.0, 4.0]).values.numpy().tolist() == [0.25, -0.25]
    assert tf.zeros_like(example(), tf.int32).numpy().tolist() == np.zeros([2, 3]).tolist()
    assert tf.ones_like(example()).numpy().tolist() == np.ones([2, 3]).tolist()
    assert tf.compat.v1.zeros_like(example(), tf.int32).dtype == tf.int32
    assert tf.compat.v1.ones_like(example()).dtype == tf.float32


def test_shapes_sizes_and_ranks() -> None:
    value = example()
    assert tf.shape(value).numpy().tolist() == [2, 3] and tf.shape(value, tf.int64).dtype == tf.int64
    assert int(tf.size(value)) == 6 and int(tf.rank(value)) == 2


def test_what_passes_values_on_passes_sparse_tensors_on() -> None:
    value = example()
    for function in (tf.identity, tf.stop_gradient, lambda v: tf.tuple([v])[0], lambda v: tf.concat([v], 0)):
        result = function(value)
        assert isinstance(result, tf.SparseTensor) and result.values.numpy().tolist() == _NUMBERS
    assert tf.get_static_value(value) is None


@pytest.mark.parametrize(
    "function",
    [
        tf.exp,
        tf.cos,
        tf.nn.relu,
        tf.math.log1p,
        tf.reduce_sum,
        tf.transpose,
        lambda v: tf.add(v, 1.0),
        lambda v: tf.multiply(v, 2.0),
        lambda v: tf.concat([v, v], 0),
        lambda v: tf.reshape(v, [6]),
        lambda v: tf.stack([v, v]),
        lambda v: tf.gather(v, [0]),
        lambda v: tf.equal(v, v),
    ],
)
def test_other_functions_refuse(function) -> None:
    with pytest.raises((ValueError, TypeError)):
        function(example())


def test_gradients_flow_through_overloads() -> None:
    values = tf.constant(_NUMBERS)
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = tf.square(example(values)).values
    assert tape.gradient(result, values).numpy().tolist() == [1, -0.5]

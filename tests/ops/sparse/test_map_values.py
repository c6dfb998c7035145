"""`tf.sparse.map_values`."""

from __future__ import annotations

import pytest

import millrace as tf


def example(last: int = 0, width: int = 3) -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [1, last]], [1.0, -2.0], [2, width])


def test_functions_see_the_values() -> None:
    value = example()
    assert tf.sparse.map_values(tf.abs, value).values.numpy().tolist() == [1, 2]
    assert tf.sparse.map_values(tf.add, value, 5.0).values.numpy().tolist() == [6, 3]
    assert tf.sparse.map_values(lambda x, y: x + y, value, y=example()).values.numpy().tolist() == [2, -4]
    assert tf.sparse.map_values(lambda pair: pair[0], [value, value]).values.numpy().tolist() == [1, -2]


@pytest.mark.parametrize("is_traced", [False, True])
def test_coordinates_must_be_the_same(is_traced) -> None:
    def add(a: tf.SparseTensor, b: tf.SparseTensor) -> tf.Tensor:
        return tf.sparse.map_values(tf.add, a, b).values

    function = tf.function(add) if is_traced else add
    assert function(example(), example()).numpy().tolist() == [2, -4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Mismatched indices!"):
        function(example(), example(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Mismatched shapes!"):
        function(example(), example(width=4))


def test_other_results_and_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="No SparseTensor in argument list of map_values"):
        tf.sparse.map_values(tf.add, 1.0, 5.0)
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank 1"):
        tf.sparse.map_values(tf.reduce_sum, example())
    with pytest.raises(ValueError, match="Dimensions 2 and 4 are not compatible"):
        tf.sparse.map_values(lambda x: tf.concat([x, x], 0), example())

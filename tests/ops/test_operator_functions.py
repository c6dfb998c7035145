"""`tf.__operators__`."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

operators = tf.__operators__


def test_add_takes_numbers_strings_and_names() -> None:
    np.testing.assert_array_equal(operators.add([1, 2], 3), [4, 5])
    assert operators.add(tf.constant("a"), "b").numpy() == b"ab"

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        result = operators.add(x, 1.0, name="mine")
        names.append(result.op.name)
        return operators.add(result, 0.0)

    names: list[str] = []
    f(tf.constant(1.0))
    assert names == ["mine"]


def test_comparisons() -> None:
    np.testing.assert_array_equal(operators.eq([1, 2], 2), [False, True])
    np.testing.assert_array_equal(operators.ne([1, 2], 2), [True, False])
    assert operators.eq(tf.constant(1), None) is False


def test_getitem_of_a_variable_can_be_assigned() -> None:
    variable = tf.Variable([1, 2, 3])
    operators.getitem(variable, 1, variable).assign(9)
    np.testing.assert_array_equal(variable, [1, 9, 3])
    np.testing.assert_array_equal(operators.getitem([1, 2, 3], slice(1, None)), [2, 3])
    with pytest.raises(TypeError):
        operators.getitem(tf.constant([1]), "a")

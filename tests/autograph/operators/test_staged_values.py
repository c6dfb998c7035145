"""Which values the graph runs, and which Python keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autograph.operators.staged_values import (
    belongs_into_graph,
    is_symbolic,
    is_tensor,
    plain,
    staged,
)

PYTHON = [True, 1, 1.5, 1j, "a", b"a", [1], (1,), {"a": 1}, {1}, range(3), None, np.float32(1), np.ones(2), object()]


@pytest.mark.parametrize("value", PYTHON, ids=lambda value: type(value).__name__)
def test_python_and_numpy_values_stay_in_python(value: Any) -> None:
    assert not is_tensor(value) and not is_symbolic(value)
    with tf.Graph().as_default():
        assert not belongs_into_graph(value)


@pytest.mark.parametrize("make", [lambda: tf.constant(1), lambda: tf.Variable(1)], ids=["tensor", "variable"])
def test_eager_values_belong_into_the_graph_while_one_is_built(make: Any) -> None:
    value = make()
    assert is_tensor(value) and not is_symbolic(value)
    assert not belongs_into_graph(value)
    with tf.Graph().as_default():
        assert belongs_into_graph(value)


def test_tensors_of_a_graph_belong_into_it_even_outside() -> None:
    with tf.Graph().as_default():
        value = tf.constant(1) + 1
    assert is_symbolic(value) and belongs_into_graph(value)


def test_an_object_that_becomes_a_tensor_is_one() -> None:
    class Converts:
        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            return tf.constant(True)

    assert is_tensor(Converts())


def test_no_class_that_is_known_to_be_python_is_staged() -> None:
    assert not [cls for cls in plain if staged[cls]]

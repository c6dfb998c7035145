"""What is computed once instead of twice, and what must be twice."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.passes.tracing import VECTOR, optimized, run, types


def test_the_same_op_on_the_same_values_is_computed_once() -> None:
    assert types(optimized(lambda x: tf.exp(x) * tf.exp(x), VECTOR)) == ["Exp", "Mul"]


def test_attributes_that_differ_count_also_by_the_sign_of_zero() -> None:
    def f(x: Any) -> Any:
        return tf.nn.leaky_relu(x, 0.0), tf.nn.leaky_relu(x, -0.0), tf.nn.leaky_relu(x, 0.0)

    assert types(optimized(f, VECTOR)) == ["LeakyRelu", "LeakyRelu"]


def test_random_numbers_differ() -> None:
    assert types(optimized(lambda: tf.random.uniform([2]) - tf.random.uniform([2]))).count("RandomUniform") == 2


def test_a_variable_is_read_again_after_a_write() -> None:
    v = tf.Variable(1.0)

    def f() -> Any:
        before = v + v
        v.assign_add(2.0)
        return before, v + v

    concrete = tf.function(f, autograph=False)
    assert types(optimized(f)).count("ReadVariableOp") == 2
    assert [r.numpy() for r in concrete()] == [2.0, 6.0]


def test_lists_that_programs_mutate_stay_apart() -> None:
    def f(x: Any) -> Any:
        a = tf.TensorArray(tf.float32, 1).write(0, x)
        b = tf.TensorArray(tf.float32, 1).write(0, x * 2.0)
        return a.stack(), b.stack()

    assert run(optimized(f, VECTOR), np.float32([1, 2, 3])) == [[[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0]]]

"""Assertions about arrays beyond what TensorFlow's recorded answers show (tests/oracle/programs/unit_tests.py)."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.testing.array_assertions import ArrayAssertions


class Case(ArrayAssertions):
    """A case that no runner runs."""

    def runTest(self) -> None:
        pass


case = Case()


@pytest.mark.parametrize("values", [(["a"], ["a"]), ([None], [None]), (["a"], [1.0]), ({"x": "a"}, {"x": "b"})])
def test_what_holds_no_numbers_is_never_close(values: Any) -> None:
    with pytest.raises(TypeError, match=r"assertAllClose compares numbers, and a.* Use assertAllEqual"):
        case.assertAllClose(*values)


def test_truth_values_are_compared_as_numbers() -> None:
    case.assertAllClose([True, False], [True, False])
    with pytest.raises(AssertionError, match=r"not close where = \(array\(\[1\]\),\)"):
        case.assertAllClose([True, False], [True, True])


@pytest.mark.parametrize("dtype", [tf.bfloat16, tf.float16, tf.float32, tf.float64, tf.complex64, tf.int8, tf.uint64])
def test_all_dtypes_of_numbers_are_compared(dtype: Any) -> None:
    value = tf.cast([1, 2, 3], dtype)
    case.assertAllClose(value, value)
    case.assertAllEqual(value, value)
    case.assertDTypeEqual(value, dtype)
    for check in (case.assertAllClose, case.assertAllEqual):
        with pytest.raises(AssertionError, match="Mismatched elements: 1 / 3"):
            check(value, tf.cast([1, 2, 4], dtype))


def test_text_is_text_and_bytes() -> None:
    case.assertAllEqual(tf.constant(["é", ""]), ["é", ""])
    case.assertAllEqual(np.array([b"a\x00"], object), [b"a\x00"])
    case.assertAllEqual(tf.constant([], tf.string), [])
    with pytest.raises(AssertionError):
        case.assertAllEqual(tf.constant(["a"]), ["ab"])


def test_the_path_to_a_difference_is_told() -> None:
    nested = {"w": [tf.constant([1.0]), (tf.constant([1.0, 2.0]), 3.0)]}
    other = {"w": [tf.constant([1.0]), (tf.constant([1.0, 2.0]), 4.0)]}
    case.assertAllClose(nested, nested)
    with pytest.raises(AssertionError, match=r"a\[w\]\[1\]\[1\] is different from b\[w\]\[1\]\[1\]. why"):
        case.assertAllClose(nested, other, msg="why")


def test_an_object_of_attrs_is_compared_by_its_fields() -> None:
    @dataclasses.dataclass
    class Field:
        name: str

    class Attrs:
        __attrs_attrs__ = (Field("x"),)

        def __init__(self, x: float) -> None:
            self.x = x

    case.assertAllClose(Attrs(1.0), Attrs(1.0))
    with pytest.raises(AssertionError, match=r"a\[x\] is different from b\[x\]"):
        case.assertAllClose(Attrs(1.0), Attrs(2.0))


def test_variables_and_tensors_are_values() -> None:
    v = tf.Variable([1.0, 2.0])
    case.assertAllClose(v, tf.constant([1.0, 2.0]))
    case.assertAllEqual([v, v], [[1.0, 2.0]] * 2)
    case.assertShapeEqual(np.zeros(2), tf.zeros(2))
    case.assertAllInRange(v, 1, 2)
    case.assertAllInSet(v, {1.0, 2.0})


def test_numbers_of_which_one_is_nan_are_not_near() -> None:
    with pytest.raises(AssertionError, match=r"nan != 1.0"):
        case.assertNear(float("nan"), 1.0, 10.0)
    case.assertNear(float("inf"), float("inf"), 0.1)


def test_complex_numbers_have_no_range() -> None:
    with pytest.raises(AssertionError, match="does not have an ordered numeric type"):
        case.assertAllInRange(np.array([1j]), 0, 1)


def test_ragged_tensors_are_compared_as_nested_lists() -> None:
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    others = (
        x,
        [[1.0, 2.0], [3.0]],
        ((1.0, 2.0), [tf.constant(3.0)]),
        tf.compat.v1.ragged.constant_value([[1.0, 2.0], [3.0]]),
    )
    for other in others:
        case.assertAllEqual(x, other)
        case.assertAllEqual(other, x)
    case.assertAllClose({"x": x + 1e-7}, {"x": [[1.0, 2.0], [3.0]]})
    case.assertAllClose([[1.0, 2.0], [3.0]], x)
    case.assertNotAllEqual(x, x + 1.0)
    case.assertNotAllClose(x, x + 1.0)
    with pytest.raises(AssertionError, match=r"Lists differ.*\[3\.0\]"):
        case.assertAllEqual(x, [[1.0, 2.0], [4.0]])
    with pytest.raises(AssertionError, match=r"a\[1\] is different from b\[1\]. why"):
        case.assertAllClose(x, [[1.0, 2.0], [4.0]], msg="why")
    with pytest.raises(AssertionError):
        case.assertAllClose(x, [[1.0, 2.0]])


def test_a_dense_tensor_is_not_equal_to_a_ragged_one() -> None:
    x = tf.RaggedTensor.from_tensor([[1, 2], [3, 4]])
    case.assertAllEqual(x, [[1, 2], [3, 4]])
    with pytest.raises(AssertionError, match="1 != 0"):
        case.assertAllEqual(x, tf.constant([[1, 2], [3, 4]]))


def test_ragged_tensors_of_a_graph_are_evaluated() -> None:
    with tf.Graph().as_default():
        case.assertAllEqual(tf.ragged.range([2, 0]), [[0, 1], []])
        case.assertAllClose(tf.ragged.range([2, 0]), [[0, 1], []])

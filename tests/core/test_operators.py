"""Python's operators on tensors: values for every dtype, Python and NumPy operands on both sides, refusals, names."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf

FLOATS = [np.float16, np.float32, np.float64]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
ARITHMETIC = [operator.add, operator.sub, operator.mul]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


@st.composite
def pairs(draw: Any, dtypes: Any = (*FLOATS, *INTEGERS)) -> Any:
    """Two arrays of one dtype whose shapes broadcast."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0)).input_shapes
    elements = st.integers(0, 11) if dtype.kind == "u" else st.integers(-11, 11)
    return tuple(draw(hnp.arrays(dtype, shape, elements=elements)) for shape in shapes)


@given(pairs(), st.sampled_from([*ARITHMETIC, *COMPARISONS]))
def test_tensor_with_tensor_is_what_numpy_gives(arrays: Any, op: Any) -> None:
    a, b = arrays
    got = op(tf.constant(a), tf.constant(b))
    with np.errstate(all="ignore"):
        expected = op(a, b)
    assert got.shape == expected.shape
    assert got.dtype.as_numpy_dtype == expected.dtype.type
    np.testing.assert_array_equal(got.numpy(), expected)


@given(pairs(), st.sampled_from([*ARITHMETIC, *COMPARISONS]), st.booleans())
def test_an_array_on_either_side_is_converted(arrays: Any, op: Any, tensor_first: bool) -> None:
    a, b = arrays
    got = op(tf.constant(a), b) if tensor_first else op(a, tf.constant(b))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.asarray(got), op(a, b))
    assert tf.is_tensor(got)


@given(
    hnp.arrays(st.sampled_from([*FLOATS, *INTEGERS]), (2,), elements=st.integers(0, 11)),
    st.integers(0, 11),
    st.sampled_from([*ARITHMETIC, *COMPARISONS]),
)
def test_a_python_integer_takes_the_dtype_of_the_tensor(a: Any, n: int, op: Any) -> None:
    with np.errstate(all="ignore"):
        left, right = op(a, a.dtype.type(n)), op(a.dtype.type(n), a)
    np.testing.assert_array_equal(np.asarray(op(tf.constant(a), n)), left)
    np.testing.assert_array_equal(np.asarray(op(n, tf.constant(a))), right)
    assert op(tf.constant(a), n).dtype.as_numpy_dtype == left.dtype.type


@given(pairs((np.int8, np.int32, np.int64, np.float32, np.float64)))
def test_floor_division_and_modulo_go_towards_minus_infinity(arrays: Any) -> None:
    a, b = arrays
    b = np.where(b == 0, b.dtype.type(3), b)
    np.testing.assert_array_equal((tf.constant(a) // tf.constant(b)).numpy(), a // b)
    np.testing.assert_array_equal((tf.constant(a) % tf.constant(b)).numpy(), a % b)


@pytest.mark.parametrize("dtype", INTEGERS[:-1])
def test_true_division_of_integers_gives_floats(dtype: Any) -> None:
    if dtype in (np.uint32,):
        return
    got = tf.constant(np.array([7, 1], dtype)) / tf.constant(np.array([2, 4], dtype))
    assert value(got) == [3.5, 0.25]
    assert got.dtype == (tf.float32 if np.dtype(dtype).itemsize <= 2 else tf.float64)


def test_powers_and_unary_operators() -> None:
    x = tf.constant([2.0, -3.0])
    assert value(x**2) == [4.0, 9.0]
    assert value(2.0**x) == [4.0, 0.125]
    assert (value(-x), value(abs(x))) == ([-2.0, 3.0], [2.0, 3.0])
    assert value(~tf.constant([True, False])) == [False, True]
    assert value(~tf.constant([0, 5])) == [-1, -6]
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        ~x


def test_matrix_products() -> None:
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    assert value(a @ b) == [[11.0]]
    assert value(np.array([[1.0, 2.0]], np.float32) @ b) == [[11.0]]
    assert value(a @ [[3.0], [4.0]]) == [[11.0]]


@pytest.mark.parametrize(("op", "boolean", "integer"), [
    (operator.and_, [True, False, False], [2, 0]),
    (operator.or_, [True, True, False], [7, 6]),
    (operator.xor, [False, True, False], [5, 6]),
])  # fmt: skip
def test_logic_is_logical_for_booleans_and_bitwise_for_integers(op: Any, boolean: Any, integer: Any) -> None:
    a, b = [True, True, False], [True, False, False]
    assert value(op(tf.constant(a), b)) == boolean
    assert value(op(a, tf.constant(b))) == boolean
    assert value(op(tf.constant([3, 6]), tf.constant([6, 0]))) == integer
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        op(tf.constant([1.0]), tf.constant([1.0]))


def test_strings_add_and_compare() -> None:
    assert value(tf.constant(["a", "b"]) + "c") == [b"ac", b"bc"]
    assert value("c" + tf.constant("a")) == b"ca"
    assert value(tf.constant(["a", "b"]) == "a") == [True, False]
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        tf.constant("a") - "b"
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        tf.constant("a") * 2


# --- equality -------------------------------------------------------------------------------------


def test_equality_of_shapes_that_do_not_match() -> None:
    a, b = tf.constant([1, 2]), tf.constant([1, 2, 3])
    assert value(a == b) is False
    assert value(a != b) is True
    with pytest.raises(tf.errors.InvalidArgumentError):
        operator.lt(a, b)


def test_equality_with_none_is_false() -> None:
    x = tf.constant([1.0])
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


def test_nan_is_not_equal_to_itself() -> None:
    x = tf.constant(float("nan"))
    assert value(x == x) is False
    assert value(x != x) is True


def test_in_a_plain_graph_equality_is_identity() -> None:
    with tf.Graph().as_default():
        x, y = tf.constant(1), tf.constant(1)
        assert (x == x, x == y, x != y) == (True, False, True)
        assert {x: 1}[x] == 1


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "op", [*ARITHMETIC, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.lt]
)
def test_two_dtypes_do_not_mix(op: Any) -> None:
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        op(tf.constant(1), tf.constant(1.0))
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        op(tf.constant([1, 2]), 1.5)


@pytest.mark.parametrize(
    "other", [None, object(), "text", [None], {"a": 1}], ids=["none", "object", "str", "list", "dict"]
)
@pytest.mark.parametrize("op", ARITHMETIC)
def test_operands_that_are_no_tensors_raise(op: Any, other: Any) -> None:
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        op(tf.constant(1.0), other)
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        op(other, tf.constant(1.0))


def test_shapes_that_do_not_broadcast_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes|required broadcastable"):
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


def test_an_unknown_class_with_a_reflected_operator_is_asked() -> None:
    class Other:
        def __radd__(self, left: Any) -> str:
            return "mine"

        __rmatmul__ = __rtruediv__ = __rand__ = __radd__

    x = tf.constant([1.0])
    assert (x + Other(), x / Other()) == ("mine", "mine")


def test_integer_division_by_zero_raises() -> None:
    for op in (operator.floordiv, operator.mod):
        with pytest.raises(tf.errors.InvalidArgumentError):
            op(tf.constant([1, 2]), tf.constant([1, 0]))
    assert value(tf.constant([1.0]) / 0.0) == [float("inf")]


def test_negative_zero_and_zero_are_two_operands() -> None:
    x = tf.constant(1.0)
    assert value(x / 0.0) == float("inf")
    assert value(x / -0.0) == float("-inf")
    assert value(x / 0.0) == float("inf")


def test_true_one_and_one_point_zero_are_three_operands() -> None:
    assert (tf.constant(1.0) + 1).dtype == tf.float32
    assert (tf.constant(1) + 1).dtype == tf.int32
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        tf.constant(1) + 1.0
    assert (tf.constant(1.0) + 1.0).dtype == tf.float32


def test_names_in_a_graph() -> None:
    with tf.Graph().as_default():
        x, b = tf.constant(1.0, name="x"), tf.constant(True, name="b")
        results = [
            x + 1.0,
            1.0 + x,
            x - 1.0,
            x * 2.0,
            x / 2.0,
            x // 2.0,
            x % 2.0,
            x**2.0,
            -x,
            abs(x),
            x < 1.0,
            b & b,
            ~b,
        ]
        names = [t.op.name for t in results]
    assert names == [
        "add", "add_1", "sub", "mul", "truediv", "floordiv", "mod", "pow", "Neg", "Abs", "Less", "and", "LogicalNot",
    ]  # fmt: skip

"""Matrix products."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, numbers

TYPES = (*FLOATS, "int32", "int64", *COMPLEX)
FLAGS = ((False, False), (True, False), (False, True), (True, True))


def _matrices(dtype: str, transpose_a: bool, transpose_b: bool, batch: tuple[int, ...] = ()) -> tuple[Any, Any]:
    a = (4, 3) if transpose_a else (3, 4)
    b = (2, 4) if transpose_b else (4, 2)
    return numbers(dtype, (*batch, *a)), numbers(dtype, b, seed=1)


SAMPLES = [
    *(
        Sample("MatMul", _matrices(d, ta, tb), {"transpose_a": ta, "transpose_b": tb}, grad=d == "float64")
        for d in TYPES
        for ta, tb in (FLAGS if d == "float64" else FLAGS[:2])
    ),
    *(
        Sample(
            "BatchMatMulV2",
            _matrices(d, ta, tb, (2, 1)),
            {"adj_x": ta, "adj_y": tb},
            grad=d in ("float64", "complex128"),
        )
        for d in (*TYPES, "int16")
        for ta, tb in (FLAGS if d == "float64" else FLAGS[2:])
    ),
    Sample("BatchMatMul", (numbers("float64", (2, 3, 4)), numbers("float64", (2, 4, 2))), grad=True),
    Sample("BatchMatMulV3", (numbers("int8", (3, 4)), numbers("uint8", (4, 2))), {"Tout": tf.int32}),
    Sample(
        "BatchMatMulV3",
        (numbers("float64", (2, 3, 4)), numbers("float64", (4, 2))),
        {"Tout": tf.float64},
        grad=True,
    ),
    *(
        Sample(
            "SparseMatMul",
            (numbers("float32", (4, 3) if ta else (3, 4)), numbers("float32", (2, 4) if tb else (4, 2))),
            {"transpose_a": ta, "transpose_b": tb},
            grad=True,
        )
        for ta, tb in FLAGS
    ),
    Sample("SparseMatMul", (numbers("float32", (3, 4)), numbers("bfloat16", (4, 2))), {"a_is_sparse": True}),
    Sample("MatMul", (numbers("float32", (0, 3)), numbers("float32", (3, 2)))),
    Sample("MatMul", (numbers("float32", (2, 0)), numbers("float32", (0, 2)))),
]

GRADIENT_SAMPLES = [
    *(
        Sample("BatchMatMul", tuple(m[None] for m in _matrices(d, a, b)), {"adj_x": a, "adj_y": b}, grad=True)
        for d in ("float64", "complex128")
        for a, b in FLAGS[1:]
    ),
    *(
        Sample(
            "BatchMatMulV3",
            _matrices("float64", a, b, (2, 1)),
            {"adj_x": a, "adj_y": b, "Tout": tf.float64},
            grad=True,
        )
        for a, b in FLAGS[1:]
    ),
    *(
        Sample("MatMul", _matrices("complex128", a, b), {"transpose_a": a, "transpose_b": b}, grad=True)
        for a, b in FLAGS
    ),
    Sample("BatchMatMulV2", (numbers("float64", (2, 1, 1, 2)), numbers("float64", (3, 2, 1))), grad=True),
    Sample("MatMul", (numbers("float64", (1, 1)), numbers("float64", (1, 1))), grad=True),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.matmul(c([[1, 2]], tf.int8), c([[1], [2]], tf.int8), output_type=tf.int32)", "int32", [[5]]),
    ("tf.matmul(c([[1, 2]], tf.uint8), c([[1], [2]], tf.int8), output_type=tf.int32)", "int32", [[5]]),
    ("tf.matmul(c([[[1, 2]]], tf.int16), c([[[100], [200]]], tf.int16))", "int16", [[[500]]]),
    ("tf.matmul([[1, 2.5]], [[1], [2]])", "float32", [[6.0]]),
    ("tf.matmul(tf.zeros([0, 3]), tf.zeros([3, 0]))", "float32", []),
    ("tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 2]))", "float32", [[0.0, 0.0], [0.0, 0.0]]),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), transpose_b=True)",
        "bfloat16",
        [[0.875, 3.938], [3.938, 17.75]],
    ),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), adjoint_a=True)",
        "bfloat16",
        [[1.625, 2.625, 4.562], [2.625, 4.25, 7.375], [4.562, 7.375, 12.81]],
    ),
    (
        "tf.matmul(tf.stack([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16)]*2), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), transpose_b=True)",
        "bfloat16",
        [[[0.875, 3.938], [3.938, 17.75]], [[0.875, 3.938], [3.938, 17.75]]],
    ),
    (
        "tf.linalg.matvec(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bfloat16",
        [-0.0625, 0.5],
    ),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), transpose_b=True)",
        "float16",
        [[0.875, 3.9375], [3.9375, 17.812]],
    ),
    (
        "tf.matmul(tf.stack([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16)]*2), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), transpose_b=True)",
        "float16",
        [[[0.875, 3.9375], [3.9375, 17.812]], [[0.875, 3.9375], [3.9375, 17.812]]],
    ),
    (
        "tf.linalg.matvec(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "float16",
        [-0.0625, 0.5],
    ),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), transpose_b=True)",
        "float32",
        [[0.875, 3.9375], [3.9375, 17.8125]],
    ),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), adjoint_a=True)",
        "float32",
        [[1.625, 2.625, 4.5625], [2.625, 4.25, 7.375], [4.5625, 7.375, 12.8125]],
    ),
    (
        "tf.linalg.matvec(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [-0.0625, 0.5],
    ),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), transpose_b=True)",
        "float64",
        [[0.875, 3.9375], [3.9375, 17.8125]],
    ),
    (
        "tf.matmul(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), adjoint_a=True)",
        "float64",
        [[1.625, 2.625, 4.5625], [2.625, 4.25, 7.375], [4.5625, 7.375, 12.8125]],
    ),
    (
        "tf.matmul(tf.stack([c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64)]*2), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), transpose_b=True)",
        "float64",
        [[[0.875, 3.9375], [3.9375, 17.8125]], [[0.875, 3.9375], [3.9375, 17.8125]]],
    ),
    (
        "tf.matmul(c([[1, 2, 3], [4, 5, 6]], tf.int32), c([[1, 2, 3], [4, 5, 6]], tf.int32), transpose_b=True)",
        "int32",
        [[14, 32], [32, 77]],
    ),
    (
        "tf.matmul(c([[1, 2, 3], [4, 5, 6]], tf.int32), c([[1, 2, 3], [4, 5, 6]], tf.int32), adjoint_a=True)",
        "int32",
        [[17, 22, 27], [22, 29, 36], [27, 36, 45]],
    ),
    (
        "tf.matmul(tf.stack([c([[1, 2, 3], [4, 5, 6]], tf.int32)]*2), c([[1, 2, 3], [4, 5, 6]], tf.int32), transpose_b=True)",
        "int32",
        [[[14, 32], [32, 77]], [[14, 32], [32, 77]]],
    ),
    ("tf.linalg.matvec(c([[1, 2, 3], [4, 5, 6]], tf.int32), c([2, -3, 5], tf.int32))", "int32", [11, 23]),
    (
        "tf.matmul(c([[1, 2, 3], [4, 5, 6]], tf.int64), c([[1, 2, 3], [4, 5, 6]], tf.int64), transpose_b=True)",
        "int64",
        [[14, 32], [32, 77]],
    ),
    (
        "tf.matmul(tf.stack([c([[1, 2, 3], [4, 5, 6]], tf.int64)]*2), c([[1, 2, 3], [4, 5, 6]], tf.int64), transpose_b=True)",
        "int64",
        [[[14, 32], [32, 77]], [[14, 32], [32, 77]]],
    ),
    ("tf.linalg.matvec(c([[1, 2, 3], [4, 5, 6]], tf.int64), c([2, -3, 5], tf.int64))", "int64", [11, 23]),
    (
        "tf.matmul(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), transpose_b=True)",
        "complex64",
        [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
    ),
    (
        "tf.matmul(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), adjoint_a=True)",
        "complex64",
        [
            [complex(3.625, 0.0), complex(2.625, 1.5), complex(4.5625, 2.75)],
            [complex(2.625, -1.5), complex(4.25, 0.0), complex(7.375, 0.0)],
            [complex(4.5625, -2.75), complex(7.375, 0.0), complex(12.8125, 0.0)],
        ],
    ),
    (
        "tf.linalg.matvec(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64), c([1.5+1j, -2., 0.75-2j], tf.complex64))",
        "complex64",
        [complex(-1.0625, 0.25), complex(1.5, -7.25)],
    ),
    (
        "tf.matmul(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), transpose_b=True)",
        "complex128",
        [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
    ),
    (
        "tf.matmul(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), adjoint_a=True)",
        "complex128",
        [
            [complex(3.625, 0.0), complex(2.625, 1.5), complex(4.5625, 2.75)],
            [complex(2.625, -1.5), complex(4.25, 0.0), complex(7.375, 0.0)],
            [complex(4.5625, -2.75), complex(7.375, 0.0), complex(12.8125, 0.0)],
        ],
    ),
    (
        "tf.matmul(tf.stack([c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128)]*2), c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128), transpose_b=True)",
        "complex128",
        [
            [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
            [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
        ],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.matmul, [[1., 2.], [3., 4.]], [[5.], [6.]])", [[[5.0, 6.0], [5.0, 6.0]], [[4.0], [6.0]]]),
    (
        "grads(lambda a, b: tf.matmul(a, b, transpose_a=True), [[1., 2.], [3., 4.]], [[5.], [6.]])",
        [[[5.0, 5.0], [6.0, 6.0]], [[3.0], [7.0]]],
    ),
    (
        "grads(lambda a, b: tf.matmul(a, b, transpose_b=True), [[1., 2.], [3., 4.]], [[5., 6.]])",
        [[[5.0, 6.0], [5.0, 6.0]], [[4.0, 6.0]]],
    ),
    (
        "grads(lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True), [[1., 2.], [3., 4.]], [[5., 6.]])",
        [[[5.0, 5.0], [6.0, 6.0]], [[3.0, 7.0]]],
    ),
    (
        "grads(lambda a, b: tf.matmul(a, b, adjoint_a=True), [[1+2j, 2.], [3., 4j]], [[5.+1j], [6.]])",
        [
            [[complex(5.0, 1.0), complex(5.0, 1.0)], [complex(6.0, -0.0), complex(6.0, -0.0)]],
            [[complex(3.0, 2.0)], [complex(3.0, 4.0)]],
        ],
    ),
    (
        "grads(lambda a, b: tf.matmul(a, b), [[[1., 2.], [3., 4.]], [[1., 2.], [3., 5.]]], [[5.], [6.]])",
        [[[[5.0, 6.0], [5.0, 6.0]], [[5.0, 6.0], [5.0, 6.0]]], [[8.0], [13.0]]],
    ),
    (
        "grads(lambda a, b: tf.matmul(a, b, transpose_a=True), [[[1., 2.], [3., 4.]], [[1., 2.], [3., 5.]]], [[[5.], [6.]]])",
        [[[[5.0, 5.0], [6.0, 6.0]], [[5.0, 5.0], [6.0, 6.0]]], [[[6.0], [15.0]]]],
    ),
    ("grads(tf.linalg.matvec, [[1., 2.], [3., 4.]], [5., 6.])", [[[5.0, 6.0], [5.0, 6.0]], [4.0, 6.0]]),
]

ERRORS = [
    (
        "tf.matmul(c([[1, 2]]), c([[1, 2]]))",
        "eager",
        "InvalidArgumentError",
        "Matrix size-incompatible: In[0]: [1,2], In[1]: [1,2]",
    ),
    ("tf.matmul(c([[1, 2]]), c([[1, 2]]))", "function", "ValueError", "Dimensions must be equal, but are 2 and 1"),
    ("tf.matmul(c([[1., 2]]), c([[1., 2]]))", "function", "ValueError", "Dimensions must be equal, but are 2 and 1"),
    (
        "tf.matmul(c([1., 2]), c([[1., 2]]))",
        "eager",
        "InvalidArgumentError",
        "In[0] and In[1] has different ndims: [2] vs. [1,2]",
    ),
    ("tf.matmul(c([1., 2]), c([1., 2]))", "eager", "InvalidArgumentError", "In[0] and In[1] ndims must be == 2: 1"),
    ("tf.matmul(c([1., 2]), c([1., 2]))", "function", "ValueError", "Shape must be rank 2 but is rank 1"),
    ("tf.matmul(c(1.), c([1., 2]))", "function", "ValueError", "Shape must be rank 2 but is rank 0"),
    (
        "tf.matmul(tf.zeros([2, 3, 4]), tf.zeros([2, 5, 6]))",
        "eager",
        "InvalidArgumentError",
        "Matrix size-incompatible: In[0]: [2,3,4], In[1]: [2,5,6]",
    ),
    (
        "tf.matmul(tf.zeros([2, 3, 4]), tf.zeros([3, 4, 6]))",
        "eager",
        "InvalidArgumentError",
        "In[0] and In[1] must have compatible batch dimensions: [2,3,",
    ),
    (
        "tf.matmul(tf.zeros([2, 3, 4]), tf.zeros([3, 4, 6]))",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 2 and 3",
    ),
    (
        "tf.matmul(tf.zeros([2, 3, 4]), tf.zeros([4]))",
        "function",
        "ValueError",
        "Shape must be at least rank 2 but is rank 1",
    ),
    (
        "tf.matmul(c([[1]]), c([[1.]]))",
        "eager",
        "InvalidArgumentError",
        "cannot compute MatMul as input #1(zero-based) was expected t",
    ),
    (
        "tf.matmul(c([[1, 2]], tf.int8), c([[1], [2]], tf.int8))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int8 is not in the list of allowed val",
    ),
    (
        "tf.matmul(c([[1, 2]], tf.int16), c([[100], [200]], tf.int16))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int16 is not in the list of allowed va",
    ),
    (
        "tf.matmul(c([[1, 2]], tf.int16), c([[100], [200]], tf.int16))",
        "function",
        "TypeError",
        "Value passed to parameter 'a' has DataType int16 not in list",
    ),
    (
        "tf.matmul(c([[True]]), c([[True]]))",
        "function",
        "TypeError",
        "Value passed to parameter 'a' has DataType bool not in list",
    ),
    (
        "tf.matmul(c([['a']]),c([['a']]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of string is not in the list of allowed v",
    ),
    (
        "tf.matmul(tf.zeros([2, 3]), tf.zeros([3, 4]), transpose_a=True, adjoint_a=True)",
        "eager",
        "ValueError",
        "Only one of `transpose_a` and `adjoint_a` can be True. Recei",
    ),
    (
        "tf.matmul(tf.zeros([2, 3]), tf.zeros([3, 4]), transpose_a=True, adjoint_a=True)",
        "function",
        "ValueError",
        "Only one of `transpose_a` and `adjoint_a` can be True. Recei",
    ),
    (
        "tf.matmul(tf.zeros([2, 3]), tf.zeros([3, 4]), transpose_b=True, adjoint_b=True)",
        "function",
        "ValueError",
        "Only one of `transpose_b` and `adjoint_b` can be True. Recei",
    ),
    (
        "tf.matmul([[1, 2]], [[1.], [2.]])",
        "eager",
        "InvalidArgumentError",
        "cannot compute MatMul as input #1(zero-based) was expected t",
    ),
    (
        "tf.linalg.matvec(tf.zeros([2, 3]), tf.zeros([2]))",
        "eager",
        "InvalidArgumentError",
        "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,1]",
    ),
    (
        "tf.linalg.matvec(tf.zeros([2, 3]), tf.zeros([2]))",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 3 and 2",
    ),
    (
        "tf.matmul([[2]], c([[1.]]))",
        "function",
        "TypeError",
        "Input 'b' of 'MatMul' Op has type float32 that does not matc",
    ),
    (
        "tf.matmul(c(1.), c([[1., 2.]]))",
        "eager",
        "InvalidArgumentError",
        "In[0] and In[1] has different ndims: [] vs. [1,2]",
    ),
    ("tf.matmul([], [])", "eager", "InvalidArgumentError", "In[0] and In[1] ndims must be == 2: 1"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


def test_the_static_shape_of_a_product_of_partly_known_shapes() -> None:
    with tf.Graph().as_default():
        a = tf.compat.v1.placeholder(tf.float32, [None, 2, None])
        b = tf.compat.v1.placeholder(tf.float32, [5, 7, 3])
        assert tf.matmul(a, b).shape.as_list() == [5, 2, 3]
        unknown = tf.compat.v1.placeholder(tf.float32, None)
        assert tf.matmul(unknown, b).shape.rank is None


def test_the_op_follows_from_the_rank() -> None:
    with tf.Graph().as_default() as graph:
        a = tf.compat.v1.placeholder(tf.float32, [2, 3])
        stack = tf.compat.v1.placeholder(tf.float32, [4, 3, 5])
        tf.matmul(a, stack)
        tf.matmul(a, a, transpose_b=True)
        types = [op.type for op in graph.get_operations()]
    assert types[-2:] == ["BatchMatMulV2", "MatMul"]


@pytest.mark.parametrize("largest", [100, 2**20, 2**31 - 1])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_large_integer_matrices_wrap_around_like_small_ones(largest: int, dtype: str) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, largest, (40, 50)).astype(dtype)
    b = rng.integers(0, largest, (50, 30)).astype(dtype)
    np.testing.assert_array_equal(tf.matmul(a, b).numpy(), a @ b)


@given(hnp.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=2, max_side=3), st.data())
def test_products_of_stacks_agree_with_numpy(shapes: Any, data: st.DataObject) -> None:
    a, b = (numbers("complex128", shape, seed=i) for i, shape in enumerate(shapes.input_shapes))
    if a.ndim < 2 or b.ndim < 2:
        return
    adjoint_a, transpose_b = data.draw(st.booleans()), data.draw(st.booleans())
    left = np.conj(np.swapaxes(a, -1, -2)) if adjoint_a else a
    right = np.swapaxes(b, -1, -2) if transpose_b else b
    result = tf.matmul(left, right, adjoint_a=adjoint_a, transpose_b=transpose_b)
    np.testing.assert_allclose(result.numpy(), a @ b, rtol=1e-10)


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.bfloat16, tf.int32])
@pytest.mark.parametrize("rows, columns", [(3, 512), (600, 256), (5, 7)])
def test_products_with_a_transposed_matrix_agree_on_xla(dtype: Any, rows: int, columns: int) -> None:
    a = tf.cast(tf.reshape(tf.range(rows * columns) % 5 - 2, [rows, columns]), dtype)
    b = tf.cast(tf.reshape(tf.range(rows * 4) % 3 - 1, [rows, 4]), dtype)
    found = tf.function(lambda: tf.matmul(a, b, transpose_a=True), jit_compile=True)()
    assert found.dtype is dtype
    np.testing.assert_array_equal(np.asarray(found), np.asarray(tf.matmul(a, b, transpose_a=True)))


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("batch", [(2,), (2, 3), (0,)])
def test_the_gradient_of_one_matrix_for_a_stack_is_one_product(batch: tuple[int, ...], transpose_b: bool) -> None:
    rng = np.random.default_rng(0)
    x, y = (tf.constant(rng.normal(size=shape)) for shape in ((*batch, 4, 5), (6, 5) if transpose_b else (5, 6)))
    graph = tf.Graph()
    with graph.as_default():
        inputs = [tf.compat.v1.placeholder(t.dtype, t.shape) for t in (x, y)]
        product = tf.matmul(*inputs, transpose_b=transpose_b)
        tf.compat.v1.gradients(product, inputs[1], product)
    assert "Sum" not in {operation.type for operation in graph.get_operations()}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch((x, y))
        product = tf.matmul(x, y, transpose_b=transpose_b)
    wide = tf.matmul(tf.reshape(x, [-1, 5]), tf.reshape(product, [-1, 6]), transpose_a=True).numpy()
    found = tape.gradient(product, y, product).numpy()
    np.testing.assert_allclose(found, wide.T if transpose_b else wide, rtol=1e-12)
    dx = tape.gradient(product, x, product).numpy()
    np.testing.assert_allclose(dx, product.numpy() @ (y.numpy() if transpose_b else y.numpy().T), rtol=1e-12)


def test_a_product_of_few_rows_asks_for_no_library_or_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def large_product(product: Any, a: Any, b: Any) -> Any:
        asked.append(a.shape)
        return product(a, b)

    monkeypatch.setattr("millrace._src.ops.math.matmul.large_product", large_product)
    weights = tf.ones([64, 128])
    for rows in (1, 31, 32, 33):
        product = tf.matmul(tf.ones([rows, 64]), weights)
        transposed_product = tf.matmul(tf.ones([64, rows]), weights, transpose_a=True)
        assert product.shape == transposed_product.shape == (rows, 128) and (product.numpy() == 64).all()
    assert asked == [(33, 64), (33, 64)]

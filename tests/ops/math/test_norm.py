"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import numbers

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.linalg.norm(c([3., 4.]))", "float32", 5.0),
    ("tf.linalg.norm(c([3.+4j, 4.]))", "complex128", complex(6.40312423743, 0.0)),
    ("tf.linalg.norm(c([3., 4.]), ord=0.5)", "float32", 13.9282),
    ("tf.linalg.norm(c([3.,4.]),ord='euclidean')", "float32", 5.0),
    ("tf.linalg.norm(c([[3.,4.]]),ord='fro',axis=[0,1])", "float32", 5.0),
    ("tf.linalg.norm(c([[3., 4.]]), ord=1, axis=[0, 1])", "float32", 4.0),
    ("tf.linalg.norm(c([[3.,4.]]),ord='euclidean',axis=[-2,-1])", "float32", 5.0),
    ("tf.linalg.norm(c([[3., 4.]]), ord=np.inf)", "float32", 4.0),
    ("tf.linalg.norm(c([[3., 4.]]), ord=1)", "float32", 7.0),
    ("tf.linalg.norm([])", "float32", 0.0),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), axis=1)", "bfloat16", [2.703, 3.516]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), 1, axis=0)", "bfloat16", [3.0, 2.75, 3.25]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), np.inf, axis=1)", "bfloat16", [2.5, 3.0]),
    ("tf.norm(c([[-2.5,-1.,-0.25],[0.5,1.75,3.]],tf.bfloat16),'fro',axis=[0,1],keepdims=True)", "bfloat16", [[4.438]]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), np.inf, axis=[-2, -1])", "bfloat16", 5.25),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), axis=1)", "float16", [2.7051, 3.5098]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), 1, axis=0)", "float16", [3.0, 2.75, 3.25]),
    ("tf.norm(c([[-2.5,-1.,-0.25],[0.5,1.75,3.]],tf.float16),'fro',axis=[0,1],keepdims=True)", "float16", [[4.4297]]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), np.inf, axis=[-2, -1])", "float16", 5.25),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), axis=1)", "float32", [2.704164, 3.508917]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), 1, axis=0)", "float32", [3.0, 2.75, 3.25]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), np.inf, axis=1)", "float32", [2.5, 3.0]),
    ("tf.norm(c([[-2.5,-1.,-0.25],[0.5,1.75,3.]],tf.float32),'fro',axis=[0,1],keepdims=True)", "float32", [[4.430011]]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), np.inf, axis=[-2, -1])", "float32", 5.25),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), 1, axis=0)", "float64", [3.0, 2.75, 3.25]),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), np.inf, axis=1)", "float64", [2.5, 3.0]),
    (
        "tf.norm(c([[-2.5,-1.,-0.25],[0.5,1.75,3.]],tf.float64),'fro',axis=[0,1],keepdims=True)",
        "float64",
        [[4.43001128667]],
    ),
    ("tf.norm(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), np.inf, axis=[-2, -1])", "float64", 5.25),
    (
        "tf.norm(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), axis=1)",
        "complex64",
        [complex(2.926175, 0.0), complex(4.038874, 0.0)],
    ),
    (
        "tf.norm(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), 1, axis=0)",
        "float32",
        [3.192582, 3.657537, 3.559017],
    ),
    (
        "tf.norm(c([[-2.5+1j,-1.,-0.25-.5j],[0.5j,1.75+2j,3.]],tf.complex64),'fro',axis=[0,1],keepdims=True)",
        "complex64",
        [[complex(4.987484, 0.0)]],
    ),
    (
        "tf.norm(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), np.inf, axis=[-2, -1])",
        "float32",
        6.157537,
    ),
    (
        "tf.norm(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), axis=1)",
        "complex128",
        [complex(2.92617497768, 0.0), complex(4.03887360535, 0.0)],
    ),
    (
        "tf.norm(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), 1, axis=0)",
        "float64",
        [3.19258240357, 3.65753645318, 3.55901699437],
    ),
    (
        "tf.norm(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), np.inf, axis=1)",
        "float64",
        [2.69258240357, 3.0],
    ),
    (
        "tf.norm(c([[-2.5+1j,-1.,-0.25-.5j],[0.5j,1.75+2j,3.]],tf.complex128),'fro',axis=[0,1],keepdims=True)",
        "complex128",
        [[complex(4.98748433582, 0.0)]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(lambda x:tf.norm(x), [3., 4.])", [[0.6, 0.8]]),
    ("grads(lambda x:tf.norm(x, 1), [3., -4.])", [[1.0, -1.0]]),
    ("grads(lambda x:tf.norm(x, np.inf), [3., -4.])", [[0.0, -1.0]]),
]

ERRORS = [
    (
        "tf.linalg.norm([3, 4])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.linalg.norm([3, 4])", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    ("tf.linalg.norm(c([3., 4.]), ord=-1)", "eager", "ValueError", "'ord' must be a supported vector norm, got -1"),
    ("tf.linalg.norm(c([3., 4.]), ord=-1)", "function", "ValueError", "'ord' must be a supported vector norm, got -1"),
    ("tf.linalg.norm(c([3.,4.]),ord='foo')", "eager", "ValueError", "'ord' must be a supported vector norm, got foo"),
    (
        "tf.linalg.norm(c([3.,4.]),ord='foo')",
        "function",
        "ValueError",
        "'ord' must be a supported vector norm, got foo",
    ),
    ("tf.linalg.norm(c([3., 4.]), ord=0)", "eager", "ValueError", "'ord' must be a supported vector norm, got 0"),
    ("tf.linalg.norm(c([3., 4.]), ord=0)", "function", "ValueError", "'ord' must be a supported vector norm, got 0"),
    ("tf.linalg.norm(c([3.,4.]),ord='fro')", "eager", "ValueError", "'ord' must be a supported vector norm, got fro"),
    (
        "tf.linalg.norm(c([3.,4.]),ord='fro')",
        "function",
        "ValueError",
        "'ord' must be a supported vector norm, got fro",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), ord=3, axis=[0, 1])",
        "eager",
        "ValueError",
        "'ord' must be a supported matrix norm in ['euclidean', 'fro'",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), ord=3, axis=[0, 1])",
        "function",
        "ValueError",
        "'ord' must be a supported matrix norm in ['euclidean', 'fro'",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), axis=[0, 1, 2])",
        "eager",
        "ValueError",
        "'axis' must be None, an integer, or a tuple of 2 unique inte",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), axis=[0, 1, 2])",
        "function",
        "ValueError",
        "'axis' must be None, an integer, or a tuple of 2 unique inte",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), axis=[0, 0])",
        "eager",
        "ValueError",
        "'axis' must be None, an integer, or a tuple of 2 unique inte",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), axis=[0, 0])",
        "function",
        "ValueError",
        "'axis' must be None, an integer, or a tuple of 2 unique inte",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), axis=5)",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction dimension (5 for input with 2 dimension(s)",
    ),
    (
        "tf.linalg.norm(c([[3., 4.]]), axis=5)",
        "function",
        "ValueError",
        "Invalid reduction dimension 5 for input with 2 dimensions.",
    ),
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


@pytest.mark.parametrize("order", [1, 2, np.inf, 3])
def test_vector_norms_agree_with_numpy(order: Any) -> None:
    x = numbers("float64", (3, 4))
    result = tf.norm(x, ord=order, axis=1)
    np.testing.assert_allclose(result.numpy(), np.linalg.norm(x, ord=order, axis=1), rtol=1e-10)


@pytest.mark.parametrize("order", [1, np.inf, "fro"])
@pytest.mark.parametrize("axis", [(0, 1), (-1, 0)])
def test_matrix_norms_agree_with_numpy(order: Any, axis: Any) -> None:
    x = numbers("float64", (3, 4))
    result = tf.norm(x, ord=order, axis=axis, keepdims=True)
    np.testing.assert_allclose(result.numpy(), np.linalg.norm(x, ord=order, axis=axis, keepdims=True), rtol=1e-10)

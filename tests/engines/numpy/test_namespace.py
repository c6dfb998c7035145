"""The two array namespaces give kernels the same things under the same names."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from millrace._src.engines.engine_table import compiling_engine
from millrace._src.engines.numpy.namespace import xp as numpy_xp

SMALL = [np.int8, np.uint8, np.int16, np.float16, ml_dtypes.bfloat16, np.float32, np.int64]


@pytest.fixture(params=["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def xp(request: pytest.FixtureRequest) -> Any:
    if request.param == "numpy":
        yield numpy_xp
        return
    namespace = compiling_engine().xp
    import jax

    with jax.enable_x64(True):
        yield namespace


@pytest.mark.parametrize("dtype", SMALL)
def test_reductions_and_products_keep_the_dtype(xp: Any, dtype: Any) -> None:
    x = np.array([[1, 2], [3, 4]]).astype(dtype)
    results = [
        xp.sum(x),
        xp.sum(x, axis=0),
        xp.prod(x, axis=1, keepdims=True),
        xp.cumsum(x, axis=0),
        xp.cumprod(x, axis=1),
    ]
    assert {np.asarray(r).dtype for r in results} == {np.dtype(dtype)}
    assert [np.asarray(r).astype(float).tolist() for r in results] == [
        10.0, [4.0, 6.0], [[2.0], [12.0]], [[1.0, 2.0], [4.0, 6.0]], [[1.0, 2.0], [3.0, 12.0]],
    ]  # fmt: skip
    product = np.asarray(xp.matmul(x, x))
    assert product.dtype == dtype
    assert product.astype(float).tolist() == [[7.0, 10.0], [15.0, 22.0]]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("set", [5.0, 1.0, 4.0]), ("add", [6.0, 1.0, 5.0]), ("sub", [-4.0, 1.0, -3.0]), ("mul", [5.0, 1.0, 4.0]),
        ("div", [0.2, 1.0, 0.25]), ("min", [1.0, 1.0, 1.0]), ("max", [5.0, 1.0, 4.0]),
    ],
)  # fmt: skip
def test_a_scatter_gives_a_new_array(xp: Any, mode: str, expected: list[float]) -> None:
    x = np.ones(3, np.float32)
    result = np.asarray(xp.scatter(x, np.array([0, 2]), np.array([5.0, 4.0], np.float32), mode))
    np.testing.assert_allclose(result, expected)
    assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("mode", ["add", "mul", "min", "max"])
def test_repeated_indices_of_a_scatter_all_count(xp: Any, mode: str) -> None:
    x = np.array([2.0, 2.0], np.float32)
    result = np.asarray(xp.scatter(x, np.array([1, 1]), np.array([3.0, 5.0], np.float32), mode))
    assert result.tolist() == [2.0, {"add": 10.0, "mul": 30.0, "min": 2.0, "max": 5.0}[mode]]


@pytest.mark.parametrize(
    ("given", "dtype"), [(np.float32, np.int32), (np.float64, np.int32), (np.int16, np.uint8), (np.uint8, np.int8)]
)
def test_bitcasts_keep_the_bytes(xp: Any, given: Any, dtype: Any) -> None:
    x = np.array([1, 2, 3, 4]).astype(given)
    cast = np.asarray(xp.bitcast(x, dtype))
    assert cast.dtype == dtype
    assert cast.tobytes() == x.tobytes()
    assert np.asarray(xp.bitcast(cast, given)).tolist() == x.tolist()


def test_astype_and_special_functions(xp: Any) -> None:
    assert np.asarray(xp.astype(np.array([1.7, -1.7]), np.int32)).tolist() == [1, -1]
    np.testing.assert_allclose(np.asarray(xp.special.erf(np.array([0.5]))), [0.5204998778], rtol=1e-6)
    assert isinstance(xp.engine, str)


def test_control_flow_of_known_predicates(xp: Any) -> None:
    double, negative = (lambda x: [x * 2]), (lambda x: [-x])
    three = [np.array(3)]
    assert [np.asarray(xp.cond(np.array(p), double, negative, three)[0]).tolist() for p in (True, False)] == [
        6,
        -3,
    ]
    assert [np.asarray(xp.switch(np.array(i), [double, negative], three)[0]).tolist() for i in (0, 1, 9, -1)] == [
        6, -3, -3, -3,
    ]  # fmt: skip
    state = xp.while_loop(lambda i, s: [i < 4], lambda i, s: [i + 1, s + i], [np.array(0), np.array(0)])
    assert [int(np.asarray(v)) for v in state] == [4, 6]

"""Products of stacks that threads share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from millrace._src.engines.numpy.namespace import xp
from millrace._src.util import blas_stacks, thread_pool
from millrace._src.util.blas_stacks import multiply_stacks


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(blas_stacks, "_WORTH_SHARING", 1)
    thread_pool.set_thread_count(2)
    yield
    thread_pool.set_thread_count(0)


def whole(shape: Any, dtype: Any = np.float32) -> Any:
    """Small whole numbers, whose products are exact in any order."""
    return np.random.RandomState(0).randint(-9, 9, shape).astype(dtype)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((9, 5, 4), (9, 4, 3)),
        ((9, 5, 4), (4, 3)),
        ((5, 4), (9, 4, 3)),
        ((2, 9, 5, 4), (9, 4, 3)),
        ((2, 9, 5, 4), (2, 1, 4, 3)),
        ((9, 1, 5, 4), (1, 2, 4, 3)),
        ((9, 0, 4), (9, 4, 3)),
        ((9, 5, 0), (9, 0, 3)),
        ((0, 5, 4), (4, 3)),
        ((9, 5, 4), (4,)),
        ((4,), (9, 4, 3)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
def test_stacks_give_the_product_of_numpy(a: Any, b: Any, dtype: Any) -> None:
    x, y = whole(a, dtype), whole(b, dtype)
    found, wanted = multiply_stacks(x, y), np.matmul(x, y)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    turned = multiply_stacks(np.swapaxes(x, 0, -1).swapaxes(0, -1), y)
    np.testing.assert_array_equal(turned, wanted)


def test_threads_share_a_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    barrier, threads = threading.Barrier(2, timeout=60), set()

    def product(function: Any, a: Any, b: Any, out: Any = None) -> Any:
        if len(threads) < 2:
            threads.add(threading.current_thread().name)
            barrier.wait()
        return function(a, b, out=out)

    monkeypatch.setattr(blas_stacks, "blas_product", product)
    a, b = whole((40, 50, 60)), whole((40, 60, 50))
    np.testing.assert_array_equal(xp.matmul(a, b), np.matmul(a, b))
    assert len(threads) == 2


def test_few_large_matrices_are_left_to_the_threads_of_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    thread_pool.set_thread_count(4)
    shapes: list[Any] = []
    monkeypatch.setattr(blas_stacks, "blas_product", lambda function, a, b: shapes.append(a.shape) or function(a, b))
    multiply_stacks(whole((3, 50, 50)), whole((3, 50, 50)))
    assert shapes == [(3, 50, 50)]


@pytest.mark.parametrize(("a", "b"), [((9, 5, 4), (9, 5, 3)), ((9, 5, 4), (8, 4, 3))])
def test_shapes_that_do_not_fit_are_refused(a: Any, b: Any) -> None:
    with pytest.raises(ValueError, match=r"mismatch|match"):
        multiply_stacks(whole(a), whole(b))

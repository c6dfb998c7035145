"""Convolutions by oneDNN; that they follow the definition, `tests/ops/nn/test_correlation.py` shows."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from millrace._src.util.onednn import convolution, library
from millrace._src.util.onednn.convolution import Convolution, filter_gradient, forward, input_gradient
from tests.util.onednn.team import on_threads

SHAPE = Convolution((4, 8, 8, 16), (3, 3, 16, 16), (8, 8), (1, 1), (1, 1), (1, 1), "float32")


@pytest.fixture
def images() -> Any:
    return np.random.default_rng(0).normal(size=SHAPE.images).astype(np.float32)


@pytest.fixture
def filters() -> Any:
    return np.random.default_rng(1).normal(size=SHAPE.filters).astype(np.float32)


needs_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    convolution._share.cache_clear()
    monkeypatch.setattr(convolution, "load", lambda: None)
    yield
    convolution._share.cache_clear()


def test_without_the_library_nothing_is_possible(no_library: None) -> None:
    assert forward(SHAPE) is input_gradient(SHAPE) is filter_gradient(SHAPE) is None


@pytest.mark.parametrize(
    "shape",
    [
        SHAPE._replace(dtype="float64"),
        SHAPE._replace(dtype="int32"),
        SHAPE._replace(images=(0, 8, 8, 16)),
        SHAPE._replace(filters=(3, 3, 15, 16)),
    ],
    ids=["doubles", "integers", "empty", "wrong"],
)
def test_what_the_library_cannot_do_is_no_error(shape: Convolution) -> None:
    assert forward(shape) is None


@needs_library
def test_a_convolution_and_its_gradients_fit_each_other(images: Any, filters: Any) -> None:
    calculations = forward(SHAPE), input_gradient(SHAPE), filter_gradient(SHAPE)
    results = calculations[0](images, filters)  # type: ignore[misc]  # the library is there
    other = np.random.default_rng(2).normal(size=SHAPE.results).astype(np.float32)
    total = float((results * other).sum())
    assert float((calculations[1](other, filters) * images).sum()) == pytest.approx(total, rel=1e-3)  # type: ignore[misc]
    assert float((calculations[2](images, other) * filters).sum()) == pytest.approx(total, rel=1e-3)  # type: ignore[misc]


@needs_library
def test_memory_may_be_laid_out_otherwise(images: Any, filters: Any) -> None:
    function = forward(SHAPE)
    assert function is not None
    expected = function(images, filters)
    np.testing.assert_array_equal(function(np.repeat(images, 2, axis=1)[:, ::2], filters), expected)
    np.testing.assert_array_equal(function(np.flip(np.flip(images, 0).copy(), 0), filters), expected)
    np.testing.assert_array_equal(function(images, np.asfortranarray(filters)), expected)


@needs_library
def test_several_threads_may_call_one_calculation(images: Any, filters: Any) -> None:
    function = forward(SHAPE)
    assert function is not None
    wanted = [function(images * n, filters) for n in range(6)]
    wrong: list[int] = []

    def call(n: int) -> None:
        for _ in range(20):
            if not np.array_equal(function(images * n, filters), wanted[n]):
                wrong.append(n)

    threads = [threading.Thread(target=call, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@needs_library
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")  # of Python and, where another test has used XLA, of JAX
def test_a_forked_process_computes_the_same(images: Any, filters: Any) -> None:
    function = forward(SHAPE)
    assert function is not None
    expected = function(images, filters)
    child = os.fork()
    if not child:
        os._exit(0 if np.array_equal(function(images, filters), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@needs_library
def test_the_calculations_that_are_kept_are_bounded() -> None:
    assert convolution._share.cache_info().maxsize == convolution._MAX_CALCULATIONS


@needs_library
@pytest.mark.parametrize("kind", ["forward", "input_gradient", "filter_gradient"])
def test_threads_share_a_calculation(kind: str, images: Any, filters: Any) -> None:
    gradient = np.random.default_rng(2).normal(size=SHAPE.results).astype(np.float32)
    operands = {"forward": (images, filters), "input_gradient": (gradient, filters)}
    a, b = operands.get(kind, (images, gradient))
    function = getattr(convolution, kind)(SHAPE)
    alone = function(a, b)
    with on_threads(3):
        np.testing.assert_allclose(function(a, b), alone, rtol=1e-4, atol=1e-4)

"""Layer normalization as one op: values, gradients, shapes, errors, and the kernels beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.nn import layer_norm_kernels
from millrace._src.ops.nn.layer_norm_ops import layer_normalization_grad_op, layer_normalization_op
from millrace._src.util.onednn import layer_normalization as onednn
from millrace._src.util.onednn import library
from millrace._src.util.onednn.layer_normalization import RowNormalization
from tests.contracts.sample import Sample
from tests.ops.nn.samples import array
from tests.util.onednn.team import on_threads

FORWARD, BACKWARD = "LayerNormalization", "LayerNormalizationGrad"
SAMPLES = [
    *(
        Sample(FORWARD, (array(*shape), array(shape[-1]), array(shape[-1])), {"epsilon": 0.01})
        for shape in ((2, 3, 4), (5, 2), (0, 3), (2, 0, 3))
    ),
    *(
        Sample(
            BACKWARD,
            (array(*shape), array(*shape), array(shape[-1]), array(*shape[:-1], 1), array(*shape[:-1], 1) ** 2),
            {"epsilon": 0.01},
        )
        for shape in ((2, 3, 4), (5, 2))
    ),
]
KERNELS = ["numpy", *(["onednn"] if library.load() is not None else [])]
SHAPES = [(64, 8, 32), (5000, 3), (3, 5000), (513, 77)]


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """Pins the kernels."""
    with layer_norm_kernels._FORWARD.pin(request.param), layer_norm_kernels._BACKWARD.pin(request.param):
        yield request.param


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(2.0, 3.0, shape).astype(np.float32)


def wanted_results(dy: Any, x: Any, scale: Any, offset: Any, epsilon: float) -> tuple[Any, ...]:
    """Returns the result and the gradients in float64."""
    x, dy = x.astype(np.float64), dy.astype(np.float64)
    root = 1 / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)
    normal, gradient = (x - x.mean(axis=-1, keepdims=True)) * root, dy * scale
    along = (gradient * normal).mean(axis=-1, keepdims=True)
    dx = (gradient - gradient.mean(axis=-1, keepdims=True) - normal * along) * root
    rows = tuple(range(x.ndim - 1))
    return normal * scale + offset, dx, (dy * normal).sum(axis=rows), dy.sum(axis=rows)


def results(dy: Any, x: Any, scale: Any, offset: Any, epsilon: float) -> tuple[Any, ...]:
    y, mean, variance = layer_normalization_op(x=x, scale=scale, offset=offset, epsilon=epsilon)
    moments = {"mean": mean, "variance": variance}
    return y, *layer_normalization_grad_op(y_backprop=dy, x=x, scale=scale, **moments, epsilon=epsilon)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threads", [1, 3])
def test_kernels_give_the_formula(kernel: str, shape: tuple[int, ...], threads: int) -> None:
    arguments = (numbers(*shape, seed=1), numbers(*shape), numbers(shape[-1], seed=2), numbers(shape[-1], seed=3), 0.01)
    with on_threads(threads):
        found = results(*arguments)
    for one, wanted in zip(found, wanted_results(*arguments), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())


def test_special_values_spoil_their_rows_alone(kernel: str) -> None:
    x = numbers(600, 40)
    x[3, 5], x[100, 0] = np.nan, -np.inf
    with np.errstate(all="ignore"):
        y, *_ = layer_normalization_op(x=x, scale=numbers(40), offset=numbers(40), epsilon=0.01)
    assert np.flatnonzero(~np.isfinite(y.numpy()).all(axis=1)).tolist() == [3, 100]


def test_arrays_that_are_no_run_of_memory(kernel: str) -> None:
    x = numbers(40, 600).T
    y, *_ = layer_normalization_op(x=tf.constant(x), scale=numbers(40), offset=numbers(40), epsilon=0.01)
    again, *_ = layer_normalization_op(x=x.copy(), scale=numbers(40), offset=numbers(40), epsilon=0.01)
    np.testing.assert_allclose(y, again, rtol=1e-5, atol=1e-5)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="scale and offset must have the shape"):
        layer_normalization_op(x=numbers(3, 4), scale=numbers(3), offset=numbers(4), epsilon=0.1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="two axes"):
        layer_normalization_op(x=numbers(4), scale=numbers(4), offset=numbers(4), epsilon=0.1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="y_backprop"):
        layer_normalization_grad_op(
            y_backprop=numbers(2, 4),
            x=numbers(3, 4),
            scale=numbers(4),
            mean=numbers(3, 1),
            variance=numbers(3, 1),
            epsilon=0.1,
        )


def test_very_long_rows_are_left_to_numpy() -> None:
    assert onednn.forward(RowNormalization(2, 1 << 18, 0.01)) is None


def test_without_the_library_there_is_no_calculation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onednn, "load", lambda: None)
    onednn.forward.cache_clear()
    onednn.backward.cache_clear()
    try:
        assert onednn.forward(RowNormalization(2, 3, 0.01)) is None
        assert onednn.backward(RowNormalization(2, 3, 0.01)) is None
    finally:
        onednn.forward.cache_clear()
        onednn.backward.cache_clear()

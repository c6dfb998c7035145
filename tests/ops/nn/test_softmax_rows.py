"""Softmax and its relatives on many rows, against the same formulas in float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn import softmax_rows
from millrace._src.ops.nn.softmax import softmax_cross_entropy, sparse_softmax_cross_entropy

SHAPES = [(9000, 1), (4000, 2), (2000, 10), (300, 64), (90, 65), (40, 300), (2, 40_000), (3, 50, 40)]
DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
TOLERANCE = {"float32": 2e-6, "float64": 1e-14, "float16": 2e-3, "bfloat16": 2e-2}


def some(shape: Any, dtype: Any, scale: float = 1.0) -> Any:
    return (np.random.RandomState(0).normal(size=shape) * scale).astype(dtype)


def wanted_log_softmax(x: Any) -> Any:
    x = x.astype(np.float64)
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def close(found: Any, wanted: Any) -> None:
    name = found.dtype.name
    atol = TOLERANCE[name] * (1 if name in ("float32", "float64") else 10)
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=TOLERANCE[name], atol=atol)


@pytest.mark.parametrize("scale", [1.0, 40.0])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_softmax_and_its_logarithm(shape: Any, dtype: Any, scale: float) -> None:
    x = some(shape, dtype, scale)
    wanted = wanted_log_softmax(x)
    for function, reference in ((softmax_rows.softmax, np.exp(wanted)), (softmax_rows.log_softmax, wanted)):
        with np.errstate(over="ignore"):
            found = function(xp, x)
        assert (found.shape, found.dtype) == (x.shape, x.dtype)
        close(found, reference)


@pytest.mark.parametrize("offset", [-1000.0, -90.0, -5.0, 88.0, 1000.0])
def test_small_probabilities_keep_their_digits_wherever_the_logits_are(offset: float) -> None:
    x = np.tile(np.float32([offset, offset - 40.0, offset - 1.5]), (2000, 1))
    with np.errstate(over="ignore", under="ignore"):
        found = softmax_rows.softmax(xp, x)
    np.testing.assert_allclose(found, np.exp(wanted_log_softmax(x)), rtol=1e-6)


def test_rows_with_infinities_and_nans_do_not_touch_others() -> None:
    x = some((500, 10), np.float32)
    x[3, 4], x[5, 6], x[7, 8] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        found, logs = softmax_rows.softmax(xp, x), softmax_rows.log_softmax(xp, x)
    for result in (found, logs):
        assert np.flatnonzero(np.isnan(result).all(1)).tolist() == [3, 5]
    assert found[7, 8] == 0
    assert logs[7, 8] == -np.inf
    rest = np.delete(np.arange(500), [3, 5, 7])
    np.testing.assert_allclose(found[rest], np.exp(wanted_log_softmax(x[rest])), rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) == 2], ids=str)
def test_cross_entropies(shape: Any, dtype: Any) -> None:
    x, classes = some(shape, dtype, 3.0), np.random.RandomState(1).randint(0, shape[1], shape[0])
    logs, hot = wanted_log_softmax(x), np.eye(shape[1])[classes] if shape[1] < 1000 else None
    found = [softmax_rows.sparse_cross_entropy(xp, x, classes)]
    if hot is not None:
        found.append(softmax_rows.cross_entropy(xp, x, hot.astype(dtype)))
    chosen = (np.arange(shape[0]), classes)
    gradient = np.exp(logs)
    gradient[chosen] -= 1
    for loss, backprop in found:
        assert (loss.shape, loss.dtype, backprop.dtype) == ((shape[0],), x.dtype, x.dtype)
        close(loss, -logs[chosen])
        close(backprop, gradient)


@pytest.mark.parametrize("rows", [3, 3000])
def test_the_ops_take_the_kernel_that_fits_the_size(rows: int) -> None:
    x = some((rows, 10), np.float32)
    classes = np.arange(rows) % 10
    targets = np.eye(10, dtype=np.float32)[classes]
    logs = wanted_log_softmax(x)
    close(tf.nn.softmax(x).numpy(), np.exp(logs))
    close(tf.nn.log_softmax(x).numpy(), logs)
    close(softmax_cross_entropy(x, targets)[0].numpy(), -logs[np.arange(rows), classes])
    close(sparse_softmax_cross_entropy(x, classes)[0].numpy(), -logs[np.arange(rows), classes])
    close(tf.nn.softmax(x.T).numpy(), np.exp(wanted_log_softmax(x.T)))
    close(tf.nn.softmax(x * 100).numpy(), np.exp(wanted_log_softmax(x * 100)))  # no warning reaches the user


def test_a_label_outside_is_refused_also_among_many() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside the valid range"):
        sparse_softmax_cross_entropy(np.zeros((3000, 10), np.float32), np.full(3000, 10))

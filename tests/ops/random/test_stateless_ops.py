"""The stateless uniform and normal ops: samples for the contracts, equality of the two forms, bounds."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_SHAPES = [np.array(s, np.int32) for s in ((), (0,), (5,), (3, 7))]
_SEED = np.array([1, 2], np.int32)
_KEY = (np.array([7], np.uint64), np.array([5, 2**64 - 1], np.uint64), np.int32(1))
_FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
_INTEGERS = (tf.int32, tf.int64, tf.uint32, tf.uint64)
SAMPLES = [
    *(
        Sample(f"Stateless{name}", (shape, _SEED), {"dtype": dtype})
        for name in ("RandomUniform", "RandomNormal", "TruncatedNormal")
        for dtype in _FLOATS
        for shape in _SHAPES
    ),
    *(
        Sample(f"Stateless{name}V2", (shape, *_KEY), {"dtype": dtype})
        for name in ("RandomUniform", "RandomNormal", "TruncatedNormal")
        for dtype in _FLOATS
        for shape in _SHAPES[2:]
    ),
    *(Sample("StatelessRandomUniformFullInt", (shape, _SEED), {"dtype": d}) for d in _INTEGERS for shape in _SHAPES),
    *(Sample("StatelessRandomUniformFullIntV2", (shape, *_KEY), {"dtype": d}) for d in _INTEGERS for shape in _SHAPES),
    *(
        Sample("StatelessRandomUniformInt", (shape, _SEED, d(-5), d(100)))
        for d in (np.int32, np.int64)
        for shape in _SHAPES
    ),
    *(
        Sample("StatelessRandomUniformIntV2", (shape, *_KEY, d(5), d(100)))
        for d in (np.int32, np.int64, np.uint32, np.uint64)
        for shape in _SHAPES
    ),
    Sample("StatelessShuffle", (np.arange(24.0).reshape(8, 3), *_KEY)),
    Sample("StatelessShuffle", (np.arange(5).astype(ml_dtypes.bfloat16), *_KEY)),
    Sample("StatelessShuffle", (np.zeros((0, 2), np.int8), *_KEY)),
    Sample("StatelessShuffle", (np.float32(3), *_KEY)),
]


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
@pytest.mark.parametrize("name", ["RandomUniform", "RandomNormal", "TruncatedNormal", "RandomUniformFullInt"])
def test_an_op_and_its_second_form_draw_the_same(name: str, dtype: Any) -> None:
    if name == "RandomUniformFullInt":
        dtype = {tf.float16: tf.int32, tf.bfloat16: tf.int64, tf.float32: tf.uint32, tf.float64: tf.uint64}[dtype]
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=[3, 4])
    old = getattr(tf.raw_ops, f"Stateless{name}")(shape=[11], seed=[3, 4], dtype=dtype)
    new = getattr(tf.raw_ops, f"Stateless{name}V2")(shape=[11], key=key, counter=counter, alg=1, dtype=dtype)
    assert old.dtype is new.dtype is dtype
    assert old.numpy().tobytes() == new.numpy().tobytes()


def test_an_empty_interval_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 5"):
        tf.random.stateless_uniform([2], [1, 2], 5, 5, tf.int32)
    assert tf.random.stateless_uniform([0], [1, 2], 5, 5, tf.int32).shape == [0]


def test_bounds_of_integers_are_scalars() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.random.stateless_uniform([2], [1, 2], [1, 2], [3, 4], tf.int32)
    assert "minval must be 0-D, got shape [2]" in str(error.value)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="minval must be a scalar"):
        tf.random.stateless_uniform([2], [1, 2], [1], [3], tf.int32)


def test_unsigned_seeds_of_the_old_form_raise() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid seed type: uint32"):
        tf.raw_ops.StatelessRandomUniformFullInt(shape=[2], seed=tf.constant([1, 2], tf.uint32), dtype=tf.uint32)

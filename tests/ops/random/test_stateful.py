"""`tf.random.uniform` and the others: TensorFlow's bits, node names, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.random.bits import PROGRAMS, check

R = tf.random


@pytest.mark.parametrize("program", PROGRAMS["stateful"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


_NAMES = [
    (lambda: R.uniform([2]), "random_uniform/shape random_uniform/RandomUniform"),
    (
        lambda: R.uniform([2], 0, 2.0),
        "random_uniform/shape random_uniform/min random_uniform/max random_uniform/RandomUniform random_uniform/Mul",
    ),
    (
        lambda: R.uniform([2], 1, 2.0),
        "random_uniform/shape random_uniform/min random_uniform/max random_uniform/RandomUniform random_uniform/sub "
        "random_uniform/mul random_uniform",
    ),
    (
        lambda: R.uniform([2], 0, 5, tf.int32),
        "random_uniform/shape random_uniform/min random_uniform/max random_uniform",
    ),
    (lambda: R.normal([2], name="foo"), "foo/shape foo/mean foo/stddev foo/RandomStandardNormal foo/mul foo"),
    (
        lambda: R.truncated_normal([3]),
        "truncated_normal/shape truncated_normal/mean truncated_normal/stddev truncated_normal/TruncatedNormal "
        "truncated_normal/mul truncated_normal",
    ),
    (
        lambda: R.gamma([2], [1.0, 2.0], name="foo"),
        "foo/shape foo/alpha foo/beta foo/Shape_1 foo/Shape_2 foo/BroadcastArgs foo/BroadcastTo foo/RandomGamma "
        "foo/truediv foo/Maximum/x foo/Maximum",
    ),
    (lambda: R.poisson([2], [1.0, 2.0], name="foo"), "foo/shape foo/RandomPoissonV2/rate foo/RandomPoissonV2"),
    (lambda: R.categorical([[1.0, 2.0]], 3, name="foo"), "foo/logits foo/Multinomial/num_samples foo/Multinomial"),
    (lambda: R.shuffle([1, 2], name="foo"), "foo/value foo"),
    (lambda: R.shuffle([1, 2]), "RandomShuffle/value RandomShuffle"),
]


@pytest.mark.parametrize(("draw", "names"), _NAMES, ids=[names.split()[-1] for _, names in _NAMES])
def test_nodes_have_the_names_that_tensorflow_gives(draw: Any, names: str) -> None:
    with tf.Graph().as_default() as graph:
        draw()
    assert [op.name for op in graph.get_operations()] == names.split()


def test_unfit_dtypes_raise() -> None:
    for dtype in (tf.int8, tf.string, tf.complex64):
        with pytest.raises(
            ValueError, match=r"Argument `dtype` got invalid value <dtype: '.*'>. Accepted dtypes are \(tf.float16"
        ):
            R.uniform([2], dtype=dtype)
    with pytest.raises(ValueError, match=r"Must specify maxval for integer dtype tf.int32"):
        R.uniform([2], dtype=tf.int32)
    with pytest.raises(TypeError, match=r"Cannot convert 0.0 to EagerTensor of dtype int32"):
        R.normal([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="Accepted dtypes are"):
        R.categorical([[1.0, 2.0]], 3, dtype=tf.float32)
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype float64"):
        R.normal([2], mean=tf.constant(1.0, tf.float64))


def test_bounds_and_moments_broadcast() -> None:
    drawn = R.uniform([1000, 2], [0.0, 10.0], [1.0, 12.0]).numpy()
    assert (drawn.min(0) >= [0, 10]).all()
    assert (drawn.max(0) <= [1, 12]).all()
    assert abs(R.normal([5000, 2], mean=[1, 50]).numpy().mean(0) - [1, 50]).max() < 0.1


def test_tiny_gamma_samples_stay_above_zero() -> None:
    drawn = R.gamma([100], 1e-4).numpy()
    assert drawn.min() == np.finfo(np.float32).tiny
    assert np.isnan(R.gamma([2], -1.0).numpy()).all()


def test_shuffle_keeps_rows_together_and_strings_whole() -> None:
    shuffled = R.shuffle([[1, -1], [2, -2], [3, -3]]).numpy()
    assert sorted(shuffled[:, 0].tolist()) == [1, 2, 3]
    assert (shuffled[:, 0] == -shuffled[:, 1]).all()
    assert sorted(R.shuffle(["a", "b"]).numpy().tolist()) == [b"a", b"b"]
    assert R.shuffle(5).numpy() == 5
    assert R.shuffle([]).shape == [0]


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.truncated_normal])
def test_standard_draws_are_those_with_the_moments_as_tensors(draw: Any, dtype: tf.DType) -> None:
    draws = []
    for options in ({}, {"mean": tf.zeros([], dtype), "stddev": tf.ones([], dtype)}):
        tf.random.set_seed(9)
        draws.append(draw([2, 1000], dtype=dtype, seed=5, **options))
    standard, scaled = draws
    assert standard.dtype == scaled.dtype == dtype
    bits = f"u{dtype.size}"
    assert (standard.numpy().view(bits) == scaled.numpy().view(bits)).all()

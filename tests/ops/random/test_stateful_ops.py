"""The stateful ops: samples for the contracts, streams that go on, and the gradient of gamma."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample


def _shape(*sizes: int) -> np.ndarray:
    return np.array(sizes, np.int32)


SAMPLES = [
    *(
        Sample(name, (shape,), {"dtype": dtype, "seed": 3, "seed2": 4}, random=True)
        for name in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64)
        for shape in (_shape(), _shape(0, 2), _shape(3, 5))
    ),
    *(
        Sample("RandomUniformInt", (shape, d(-3), d(8)), random=True)
        for d in (np.int32, np.int64)
        for shape in (_shape(), _shape(0, 2), _shape(3, 5))
    ),
    *(Sample("RandomGamma", (_shape(4), np.array([0.5, 2.0], d)), random=True) for d in ("f2", "f4", "f8")),
    Sample("RandomGamma", (_shape(), np.zeros((0, 2), "f4")), random=True),
    *(
        Sample("RandomPoissonV2", (_shape(4), np.array([2, 20], d)), {"dtype": out}, random=True)
        for d in ("f2", "f4", "f8", "i4", "i8")
        for out in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)
    ),
    *(Sample("RandomPoisson", (_shape(4), np.array([2, 20], d)), random=True) for d in ("f2", "f4", "f8")),
    *(Sample("Multinomial", (np.ones((2, 3), d), np.int32(5)), random=True) for d in ("f2", "f4", "f8", "i4")),
    Sample("Multinomial", (np.ones((2, 3), "f4"), np.int32(0)), {"output_dtype": tf.int32}, random=True),
    *(Sample("RandomShuffle", (np.arange(6).reshape(3, 2).astype(d),), random=True) for d in ("i1", "f8", "?")),
    Sample("RandomShuffle", (np.float32(3),), random=True),
]


def test_streams_go_on_from_call_to_call() -> None:
    tf.random.set_seed(0)
    calls = [tf.raw_ops.RandomUniform(shape=[3], dtype=tf.float32, seed=3, seed2=4).numpy() for _ in range(2)]
    assert (calls[0] == np.array([0.9237367, 0.37043047, 0.94819844], np.float32)).all()
    assert (calls[1] == np.array([0.9067508, 0.2926538, 0.2204107], np.float32)).all()


def test_kernels_called_directly_draw_the_beginning_of_the_stream() -> None:
    from millrace._src.core.op_registry import get_op
    from millrace._src.engines.numpy.namespace import xp

    tf.random.set_seed(0)
    drawn = get_op("RandomShuffle").kernel(xp, np.arange(10), seed=3, seed2=4)
    assert drawn.tolist() == [1, 5, 3, 8, 0, 4, 7, 6, 9, 2]


def test_an_empty_interval_raises_only_when_numbers_are_asked_for() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 4"):
        tf.random.uniform([2], 5, 4, tf.int32)
    assert tf.random.uniform([0], 5, 4, tf.int32).shape == [0]


def test_a_refused_draw_leaves_the_stream_where_it_was() -> None:
    def draws(*intervals: tuple[int, int]) -> list[list[int]]:
        tf.random.set_seed(5)
        draw = tf.function(
            lambda low, high: tf.raw_ops.RandomUniformInt(shape=[2], minval=low, maxval=high, seed=1, seed2=2),
            autograph=False,
        )
        found = []
        for low, high in intervals:
            try:
                found.append(draw(tf.constant(low), tf.constant(high)).numpy().tolist())
            except tf.errors.InvalidArgumentError:
                found.append([])
        return found

    assert draws((0, 1000), (5, 5), (0, 1000)) == [[999, 915], [], [654, 315]]  # as in TensorFlow


def test_the_gradient_of_gamma_is_that_of_tensorflow() -> None:
    tf.random.set_seed(1)
    alpha, beta = tf.constant([0.5, 2.0, 9.0]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        samples = tf.random.gamma([4, 2], alpha, beta, seed=3)
    gradients = tape.gradient(samples, [alpha, beta])
    np.testing.assert_allclose(gradients[0], [6.441808223724365, 3.811751365661621, 3.8822295665740967], rtol=1e-5)
    np.testing.assert_allclose(gradients[1], -22.448413848876953, rtol=1e-5)


def test_random_ops_of_a_function_that_nobody_uses_do_not_run_but_are_not_merged() -> None:
    @tf.function(autograph=False)
    def twice():  # type: ignore[no-untyped-def]
        return tf.random.uniform([8]) - tf.random.uniform([8])

    assert np.abs(twice().numpy()).max() > 0

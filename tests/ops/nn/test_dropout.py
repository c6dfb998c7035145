"""Dropout: the same elements as TensorFlow drops."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check, wave

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.experimental.stateless_dropout(tf.range(1.0, 9.0), 0.5, [1, 2])",
        [
            ("float32", (8,), [2.0, 0.0, 6.0, 0.0, 0.0, 12.0, 0.0, 0.0]),
        ],
    ),
    (
        "tf.nn.experimental.stateless_dropout(tf.ones([2, 4]), 0.25, [3, 4], noise_shape=[2, 1])",
        [
            ("float32", (2, 4), [0.0, 0.0, 0.0, 0.0, 1.33333, 1.33333, 1.33333, 1.33333]),
        ],
    ),
    (
        "tf.nn.experimental.stateless_dropout(tf.ones([4], tf.float16), tf.constant(0.5, tf.float16), [3, 4])",
        [
            ("float16", (4,), [0.0, 2.0, 2.0, 0.0]),
        ],
    ),
    (
        "tf.nn.experimental.general_dropout([1.0, 1.0], 0.5, lambda shape, dtype: tf.constant([0.1, 0.9], dtype))",
        [
            ("float32", (2,), [0.0, 2.0]),
        ],
    ),
    (
        "grads(lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]), wave(8))",
        [
            ("float32", (8,), [1.68294, 0.0, 0.28224, 0.0, 0.0, -0.558831, 0.0, 0.0]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (
        lambda: tf.nn.dropout(wave(2), 1),
        ValueError,
        "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=1",
    ),
    (
        lambda: tf.nn.dropout(wave(2), -0.1),
        ValueError,
        "`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=-0.1",
    ),
    (lambda: tf.nn.dropout(wave(2), "a"), ValueError, "`rate` must be a scalar or scalar tensor. Received: rate=a"),
    (lambda: tf.nn.dropout(wave(2), tf.constant([0.1, 0.2])), ValueError, "Shape (2,) must have rank 0"),
    (
        lambda: tf.nn.dropout(wave(2), tf.constant(1)),
        ValueError,
        "`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype=<dtype: 'float32'> and rate.dtype=<dtype: 'int32'>",  # noqa: E501
    ),
    (
        lambda: tf.nn.dropout([1, 2], 0.5),
        ValueError,
        "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=<dtype: 'int32'>",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x: tf.nn.dropout(x, 0.5, seed=1),
        [(tf.float32, [4, 2])],
        [
            "dropout/Const",
            "dropout/Mul",
            "dropout/Shape",
            "dropout/random_uniform/RandomUniform",
            "dropout/GreaterEqual/y",
            "dropout/GreaterEqual",
            "dropout/Const_1",
            "dropout/SelectV2",
        ],
    ),
    (
        lambda x, r: tf.nn.dropout(x, r, noise_shape=[4, 1], name="d"),
        [(tf.float32, [4, 2]), (tf.float32, [])],
        [
            "d/Const",
            "d/Sub",
            "d/RealDiv",
            "d/random_uniform/shape",
            "d/random_uniform/RandomUniform",
            "d/GreaterEqual",
            "d/Const_1",
            "d/SelectV2",
        ],
    ),
    (lambda x: tf.nn.dropout(x, 0.0), [(tf.float32, [4, 2])], []),
    (
        lambda x: tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2]),
        [(tf.float32, [None, 2])],
        [
            "stateless_dropout/Const",
            "stateless_dropout/Mul",
            "stateless_dropout/Shape",
            "stateless_dropout/stateless_random_uniform/min",
            "stateless_dropout/stateless_random_uniform/max",
            "stateless_dropout/stateless_random_uniform/StatelessRandomGetKeyCounter/seed",
            "stateless_dropout/stateless_random_uniform/StatelessRandomGetKeyCounter",
            "stateless_dropout/stateless_random_uniform/StatelessRandomUniformV2/alg",
            "stateless_dropout/stateless_random_uniform/StatelessRandomUniformV2",
            "stateless_dropout/stateless_random_uniform/sub",
            "stateless_dropout/stateless_random_uniform/mul",
            "stateless_dropout/stateless_random_uniform",
            "stateless_dropout/GreaterEqual/y",
            "stateless_dropout/GreaterEqual",
            "stateless_dropout/Const_1",
            "stateless_dropout/SelectV2",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)


def test_a_seed_drops_what_it_drops_in_tensorflow() -> None:
    tf.random.set_seed(1)
    assert tf.nn.dropout(tf.range(1.0, 9.0), 0.5).numpy().tolist() == [0, 4, 6, 0, 0, 12, 14, 0]
    assert tf.nn.dropout(tf.range(1.0, 9.0), 0.5).numpy().tolist() == [2, 0, 0, 8, 10, 0, 0, 16]
    assert tf.nn.dropout(tf.range(1.0, 9.0), 0.5, seed=7).numpy().tolist() == [2, 4, 6, 8, 10, 0, 14, 0]


def test_a_rate_of_zero_takes_its_turn_in_the_stream() -> None:
    tf.random.set_seed(1)
    first, second = tf.random.uniform([2]).numpy(), tf.random.uniform([2]).numpy()
    tf.random.set_seed(1)
    x = tf.ones([4])
    assert tf.nn.dropout(x, 0.0) is x
    assert tf.random.uniform([2]).numpy().tolist() == second.tolist() != first.tolist()


def test_the_static_shape_is_kept() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x: Any) -> Any:
        y = tf.nn.dropout(x, 0.5, noise_shape=tf.constant([2, 1]))
        assert y.shape.as_list() == [2, 3]
        return y

    assert f(tf.ones([2, 3])).shape == [2, 3]

"""`tf.random.stateless_uniform` and the others: TensorFlow's bits on every engine, node names, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.random.bits import PROGRAMS, check

R = tf.random


@pytest.mark.parametrize("program", PROGRAMS["stateless"])
def test_bits_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize("program", PROGRAMS["stateless"])
def test_a_function_draws_what_eager_mode_draws(program: str) -> None:
    run = lambda: eval(program, {"tf": tf, "np": np, "R": R})  # noqa: E731  (both modes call it)
    assert tf.function(run, autograph=False)().numpy().tobytes() == run().numpy().tobytes()


@pytest.mark.xla
@pytest.mark.parametrize(
    "draw",
    [
        lambda seed: R.stateless_uniform([999], seed),
        lambda seed: R.stateless_uniform([999], seed, 0, 1000, tf.int64),
        lambda seed: R.stateless_normal([999], seed),
        lambda seed: R.stateless_normal([999], seed, dtype=tf.bfloat16),
        lambda seed: R.stateless_truncated_normal([999], seed),
        lambda seed: R.stateless_poisson([99, 2], seed, [0.5, 20.0]),
        lambda seed: R.stateless_binomial([99, 2], seed, [9.0, 80.0], 0.5),
        lambda seed: R.stateless_categorical([[1.0, 2.0, 3.0]], 99, seed),
        lambda seed: R.experimental.stateless_shuffle(tf.range(99), seed),
    ],
)
def test_xla_draws_the_same_bits(draw: Any) -> None:
    seed = tf.constant([5, 6])
    compiled = tf.function(draw, jit_compile=True, autograph=False)
    assert compiled(seed).numpy().tobytes() == draw(seed).numpy().tobytes()


_NAMES = [
    (
        lambda: R.stateless_uniform([2], [1, 2], name="foo"),
        "shape min max StatelessRandomGetKeyCounter/seed StatelessRandomGetKeyCounter StatelessRandomUniformV2/alg "
        "StatelessRandomUniformV2 sub mul",
    ),
    (
        lambda: R.stateless_uniform([2], [1, 2], None, None, tf.int64, name="foo"),
        "shape StatelessRandomGetKeyCounter/seed StatelessRandomGetKeyCounter alg",
    ),
    (
        lambda: R.stateless_uniform([2], [1, 2], 1, 5, tf.int64, name="foo"),
        "shape min max StatelessRandomGetKeyCounter/seed StatelessRandomGetKeyCounter alg",
    ),
    (
        lambda: R.stateless_normal([2], [1, 2], name="foo"),
        "shape mean stddev StatelessRandomGetKeyCounter/seed StatelessRandomGetKeyCounter StatelessRandomNormalV2/alg "
        "StatelessRandomNormalV2 mul",
    ),
]


@pytest.mark.parametrize(("draw", "names"), _NAMES)
def test_nodes_have_the_names_that_tensorflow_gives(draw: Any, names: str) -> None:
    with tf.Graph().as_default() as graph:
        draw()
    assert [op.name for op in graph.get_operations()] == [*(f"foo/{n}" for n in names.split()), "foo"]


def test_algorithms_are_written_as_asked_for() -> None:
    with tf.Graph().as_default() as graph:
        R.stateless_normal([2], [1, 2])
        R.stateless_normal([2], [1, 2], alg="philox", name="b")
    numbers = [tf.get_static_value(op.outputs[0]) for op in graph.get_operations() if op.name.endswith("/alg")]
    assert [int(n) for n in numbers] == [3, 1]


def test_unfit_bounds_and_dtypes_raise() -> None:
    with pytest.raises(ValueError, match="Accepted dtypes are"):
        R.stateless_uniform([2], [1, 2], dtype=tf.int8)
    with pytest.raises(ValueError, match=r"must be both None or not None. Got `minval`=0 and `maxval`=None"):
        R.stateless_uniform([2], [1, 2], dtype=tf.int32)
    with pytest.raises(ValueError, match="Please don't use unsigned integers in this case"):
        R.stateless_uniform([2], [1, 2], 0, 10, tf.uint32)


def test_seeds_that_differ_little_give_unrelated_numbers() -> None:
    a, b = (R.stateless_normal([10_000], seed).numpy() for seed in ([0, 1], [0, 2]))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.05


def test_splitting_and_folding_keep_the_dtype_of_seed_and_data() -> None:
    assert R.split(tf.constant([1, 2], tf.int64)).dtype is tf.int64
    assert R.fold_in([1, 2], tf.constant(3, tf.int64)).dtype is tf.int64
    assert R.split([1, 2], 0).shape == [0, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        R.split([1, 2], -1)

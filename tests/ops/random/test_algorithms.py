"""Algorithms by name and number, and keys made of seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.random.algorithms import algorithm_number
from tests.contracts.sample import Sample
from tests.ops.random.bits import PROGRAMS, check

SAMPLES = [
    Sample("StatelessRandomGetKeyCounter", (np.array([1, 2], np.int32),)),
    Sample("StatelessRandomGetKeyCounter", (np.array([-1, 2**40], np.int64),)),
    Sample("StatelessRandomGetKeyCounterAlg", (np.array([1, 2], np.int32),)),
    Sample("StatelessRandomGetAlg"),
]


@pytest.mark.parametrize("program", PROGRAMS["algorithms"])
def test_keys_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


@pytest.mark.parametrize(
    ("alg", "number"),
    [("philox", 1), (" PHILOX", 1), ("threefry", 2), ("auto_select", 3), (2, 2), (np.int64(3), 3)],
)
def test_an_algorithm_has_names_and_a_number(alg: Any, number: int) -> None:
    assert algorithm_number(alg) == number
    assert algorithm_number(tf.random.Algorithm(number)) == number
    assert algorithm_number(tf.constant(number)) == number


def test_an_unknown_algorithm_raises() -> None:
    with pytest.raises(ValueError, match=r"got unsupported value foo. Supported values are philox"):
        algorithm_number("foo")
    with pytest.raises(ValueError, match=r"got unsupported value 7. Supported values are 1"):
        algorithm_number(7)
    with pytest.raises(TypeError, match="Can't convert argument `alg`"):
        algorithm_number(1.5)


def test_a_seed_is_two_integers() -> None:
    for seed, shape in (([1], "[1]"), ([1, 2, 3], "[3]"), (1, "[]"), ([[1, 2]], "[1,2]")):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            tf.random.stateless_uniform([2], seed)
        assert f"seed must have shape [2], not {shape}" in str(error.value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the list of allowed values: int32, int64"):
        tf.random.stateless_uniform([2], [1.0, 2.0])


def test_a_seed_of_the_wrong_size_is_found_while_tracing() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension must be 2 but is 3"):
        tf.random.stateless_uniform([2], [1, 2, 3])


def test_keys_counters_and_algorithms_are_checked() -> None:
    def draw(**changed: Any) -> Any:
        return tf.raw_ops.StatelessRandomUniformV2(**{"shape": [2], "key": [1], "counter": [1, 2], "alg": 1, **changed})

    assert (draw().numpy() == np.array([0.4121536, 0.03663087], np.float32)).all()
    assert (draw(alg=3, counter=[1, 2, 3]).numpy() == draw().numpy()).all()
    for changed, message in (
        ({"key": [1, 2]}, "key must have shape [1], not [2]"),
        ({"key": 1}, "key must have shape [1], not []"),
        ({"counter": [1]}, "counter must be a vector with length at least 2; got shape: [1]"),
        ({"alg": 2}, "Unsupported algorithm id: 2"),
        ({"alg": [1]}, "input 3 (0-based) must have shape [], not [1]"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            draw(**changed)
        assert message in str(error.value)


def test_threefry_says_why_it_does_not_draw() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="ThreeFry"):
        tf.random.stateless_normal([2], [1, 2], alg="threefry")

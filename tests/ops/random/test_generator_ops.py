"""Ops on a generator's state: how far each moves it, and states that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

r = tf.raw_ops


def run(op: str, **arguments: Any) -> tuple[Any, list[int]]:
    generator = tf.random.Generator.from_seed(7)
    drawn = getattr(r, op)(resource=generator.state.handle, **arguments)
    return (None if drawn is None else drawn.numpy().tolist()), generator.state.numpy().tolist()


_MOVED = [775, 0, 0]


def test_values_and_states_are_those_of_tensorflow() -> None:
    common = {"algorithm": 1, "shape": [3]}
    floats = np.float32([0.39932835, 0.7840713, 0.67880154]).tolist()
    assert run("StatefulUniform", **common, dtype=tf.float32) == (floats, _MOVED)
    assert run("StatefulUniformFullInt", **common, dtype=tf.int32) == ([-1464656591, 182738035, -1202265352], _MOVED)
    assert run("StatefulUniformInt", **common, minval=np.int64(1), maxval=np.int64(9)) == ([2, 1, 5], _MOVED)
    normals = np.float32([-1.3240396, 0.28785667, -0.8757901]).tolist()
    assert run("StatefulStandardNormalV2", **common, dtype=tf.float32) == (normals, _MOVED)
    assert run("StatefulTruncatedNormal", **common, dtype=tf.float32) == (normals, _MOVED)
    binomial = {"counts": np.float32(10), "probs": np.float32(0.5), "dtype": tf.int32}
    assert run("StatefulRandomBinomial", **common, **binomial) == ([4, 4, 7], [76807, 0, 0])
    for shape, counts, moved in (([1], 10, 51200), ([10], 10, 166400), ([4, 2], [10, 20], 179200)):
        arguments = {**binomial, "algorithm": 1, "shape": shape, "counts": np.float32(counts)}
        assert run("StatefulRandomBinomial", **arguments)[1] == [7 + moved, 0, 0]
    assert run("RngReadAndSkip", alg=1, delta=3) == ([7, 0, 0], _MOVED)
    assert run("RngReadAndSkip", alg=3, delta=3) == ([7, 0, 0], _MOVED)
    assert run("RngSkip", algorithm=1, delta=3) == (None, _MOVED)


def test_threefry_and_unknown_algorithms_raise() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="Non-XLA devices don't support the ThreeFry algorithm"):
        run("RngReadAndSkip", alg=2, delta=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported algorithm id: 9"):
        run("StatefulUniform", algorithm=9, shape=[3])


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (np.int32([1, 2, 3]), "dtype of RNG state variable must be int64, not int32"),
        (np.int64([1, 2]), "the size of state must be at least 3; got 2"),
        (np.int64([[1, 2, 3]]), "RNG state must have one and only one dimension, not 2"),
    ],
)
def test_a_variable_that_holds_no_state_raises(state: Any, message: str) -> None:
    variable = tf.Variable(state)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        r.RngReadAndSkip(resource=variable.handle, alg=1, delta=3)
    assert (variable.numpy() == state).all()


def test_a_failed_draw_leaves_the_state_as_it_was() -> None:
    generator = tf.random.Generator.from_seed(7)
    with pytest.raises(tf.errors.InvalidArgumentError):
        r.StatefulUniform(resource=generator.state.handle, algorithm=1, shape=[-1])
    assert generator.state.numpy().tolist() == [7, 0, 0]


def test_unpredictable_integers_do_not_repeat() -> None:
    drawn = r.NonDeterministicInts(shape=[100]).numpy()
    assert drawn.dtype == np.int64
    assert len(set(drawn.tolist())) == 100


def test_a_refused_draw_leaves_the_state_as_it_was() -> None:
    generator = tf.random.Generator.from_seed(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 5"):
        tf.raw_ops.StatefulUniformInt(resource=generator.state.handle, algorithm=1, shape=[2], minval=5, maxval=5)
    assert generator.state.numpy().tolist() == [3, 0, 0]

"""`tf.random.Generator`: states from seeds, TensorFlow's numbers, functions, splits and refusals."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ids import stable_repr

G = tf.random.Generator


@pytest.mark.parametrize(
    ("seed", "state"),
    [
        (1, [1, 0, 0]),
        (-5, [-5, -1, -1]),
        (2**70 + 3, [3, 64, 0]),
        (2**64 - 1, [-1, 0, 0]),
        (2**63, [-(2**63), 0, 0]),
        (True, [1, 0, 0]),
        (1.5, [0, 0, 1]),
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3, 4], [1, 2, 3]),
        ([[1, 2], [3, 4]], [1, 2, 3]),
        ([], [0, 0, 0]),
        (np.array([1, 2], np.uint32), [0, 1, 2]),
    ],
    ids=stable_repr,
)
def test_a_seed_of_any_form_makes_the_state_that_tensorflow_makes(seed: Any, state: list[int]) -> None:
    assert G.from_seed(seed).state.numpy().tolist() == state
    assert tf.random.create_rng_state(seed, "philox").numpy().tolist() == state


def test_threefry_states_have_two_numbers() -> None:
    assert tf.random.create_rng_state(1, "threefry").numpy().tolist() == [1, 0]
    generator = G.from_seed(3, alg="threefry")
    assert (generator.algorithm, int(generator.key)) == (2, 0)
    with pytest.raises(tf.errors.UnimplementedError, match="ThreeFry"):
        generator.uniform([2])


def test_numbers_and_states_are_those_of_tensorflow() -> None:
    g = G.from_seed(1)
    assert (g.uniform([3]).numpy() == np.float32([0.78749514, 0.3906511, 0.29263055])).all()
    assert g.state.numpy().tolist() == [769, 0, 0]
    assert (g.uniform([3]).numpy() == np.float32([0.6941341, 0.7800473, 0.3360424])).all()
    normals = np.float32([-0.4495664, 1.6220769, -1.3694807, 0.8306355, 0.2776104])
    assert (g.normal([5]).numpy() == normals).all()
    assert g.state.numpy().tolist() == [2817, 0, 0]
    assert g.uniform_full_int([2]).numpy().tolist() == [15770334326065476290, 160281101306929992]
    assert g.skip(1).numpy().tolist() == [3329, 0, 0]
    keys = [s.state.numpy().tolist() for s in g.split(3)]
    assert keys == [[0, 0, -6994029665891088295], [0, 0, 3228980973018664199], [0, 0, 6175147624886818513]]
    seeds = [[-3206527474837102847, -822974215341821412, 5363294378773644354], [0, 0, 0]]
    assert g.make_seeds(3).numpy().tolist() == seeds
    assert G.from_seed(3).binomial([2], 10.0, 0.5).numpy().tolist() == [5, 7]
    assert (G.from_seed(3).truncated_normal([2]).numpy() == np.float32([-0.43640924, -1.9633987])).all()
    assert G.from_seed(3).uniform([2], 1, 9, dtype=tf.int32).numpy().tolist() == [2, 7]
    assert (G.from_seed(3).uniform([2], 1, 3).numpy() == np.float32([1.2645972, 2.0696197])).all()


def test_a_function_draws_on_from_the_state() -> None:
    eager, traced = G.from_seed(1), G.from_seed(1)

    @tf.function(autograph=False)
    def draw() -> Any:
        return traced.uniform([3]), traced.normal([2]), traced.uniform([3], 1, 9, tf.int32), traced.make_seeds(2)

    for _ in range(2):
        expected = eager.uniform([3]), eager.normal([2]), eager.uniform([3], 1, 9, tf.int32), eager.make_seeds(2)
        assert [t.numpy().tolist() for t in draw()] == [t.numpy().tolist() for t in expected]
    assert traced.state.numpy().tolist() == eager.state.numpy().tolist()


@pytest.mark.xla
def test_xla_draws_on_from_the_state() -> None:
    eager, traced = G.from_seed(1), G.from_seed(1)
    draw = tf.function(lambda: traced.normal([7]), jit_compile=True, autograph=False)
    for _ in range(2):
        assert draw().numpy().tolist() == eager.normal([7]).numpy().tolist()
    assert traced.state.numpy().tolist() == eager.state.numpy().tolist()


def test_a_state_is_replaced_and_copied() -> None:
    g = G.from_seed(1)
    g.reset([5, 6, 7])
    assert g.state.numpy().tolist() == [5, 6, 7]
    assert int(g.key) == 7
    g.reset_from_seed(9)
    assert g.state.numpy().tolist() == [9, 0, 0]
    g.reset_from_key_counter(1, [2, 3])
    assert g.state.numpy().tolist() == [2, 3, 1]
    other = G(copy_from=g)
    deep = copy.deepcopy(g)
    g.uniform([2])
    assert other.state.numpy().tolist() == deep.state.numpy().tolist() == [2, 3, 1]
    assert G.from_key_counter(1, [2, 3], "auto_select").state.numpy().tolist() == [2, 3, 1]


def test_states_of_the_wrong_shape_raise() -> None:
    for make in (
        lambda: G.from_state([1, 2], "philox"),
        lambda: G.from_seed(3).reset([1, 2]),
        lambda: G.from_key_counter(1, [2], "philox"),
        lambda: G.from_key_counter(1, 2, "threefry"),
    ):
        with pytest.raises(ValueError, match="are incompatible"):
            make()
    with pytest.raises(ValueError, match="got unsupported value foo"):
        G.from_seed(3, alg="foo")
    for arguments in ({}, {"alg": "philox"}, {"state": [1, 2, 3]}, {"copy_from": G.from_seed(1), "alg": 1}):
        with pytest.raises(AssertionError):
            G(**arguments)


def test_bounds_of_integers_come_together() -> None:
    with pytest.raises(ValueError, match="must be both `None` or both non-`None`; got minval=0 and maxval=None"):
        G.from_seed(3).uniform([2], dtype=tf.int32)
    assert G.from_seed(3).uniform([2], None, None, tf.int32).dtype is tf.int32


def test_nothing_to_split_or_seed_is_no_trouble() -> None:
    assert G.from_seed(3).split(0) == []
    assert G.from_seed(3).make_seeds(0).shape == [2, 0]


def test_the_global_generator_is_made_once_and_can_be_replaced() -> None:
    first = tf.random.get_global_generator()
    assert tf.random.get_global_generator() is first
    mine = G.from_seed(1)
    tf.random.set_global_generator(mine)
    try:
        assert tf.random.get_global_generator() is mine
    finally:
        tf.random.set_global_generator(first)


def test_the_state_is_the_child_that_a_checkpoint_saves() -> None:
    g = G.from_seed(1)
    assert g._trackable_children() == {"_state_var": g.state}
    assert g.state.name == "StateVar:0"
    assert not g.state.trainable

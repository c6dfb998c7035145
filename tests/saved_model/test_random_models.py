"""Random programs compute the same after a journey through a file: values, variables and errors."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import millrace as tf
from tests.contracts.test_every_pass import described
from tests.passes.random_graphs import RandomGraph


class SavableGraph(RandomGraph):
    """A random program that calls no Python, which no file can hold."""

    def _effect(self, pool: list[Any]) -> None:
        tf.debugging.Assert(tf.reduce_all(self.count < self.pick((2, 10))), ["the count is too large"])


def outcome(function: Any, arguments: list[Any], variables: list[Any]) -> dict[str, Any]:
    """What a call shows to the world."""
    shown: dict[str, Any] = {}
    try:
        shown["results"] = [described(tensor.numpy()) for tensor in tf.nest.flatten(function(*arguments))]
    except tf.errors.OpError as error:
        shown["error"] = type(error)
    shown["variables"] = [described(variable.numpy()) for variable in variables]
    return shown


@pytest.mark.parametrize("start", [0, 10, 20, *(pytest.param(s, marks=pytest.mark.slow) for s in range(30, 500, 10))])
def test_a_random_program_computes_the_same_when_it_is_loaded(start: int, tmp_path: pathlib.Path) -> None:
    for seed in range(start, start + 10):
        random = SavableGraph(seed)
        arguments = [tf.constant(argument) for argument in random.reset()[: len(random.arguments)]]
        module = tf.Module()
        module.held, module.function = random.variables, random.concrete
        folder = str(tmp_path / str(seed))
        tf.saved_model.save(module, folder)
        wanted = [outcome(random.concrete, arguments, random.variables) for _ in range(2)]
        loaded = tf.saved_model.load(folder)
        found = [outcome(loaded.function, arguments, list(loaded.held)) for _ in range(2)]
        assert found == wanted, f"seed {seed}"

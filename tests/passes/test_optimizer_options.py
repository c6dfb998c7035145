"""`tf.config.optimizer`: what is given back for what was set, as real TensorFlow answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import millrace as tf
from millrace._src.passes import optimizer_options


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(optimizer_options._Settings, "options", {})
    monkeypatch.setattr(optimizer_options._Settings, "jit", "")
    yield


DEFAULT = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, {}),
        ({"constant_folding": True}, {"constant_folding": True}),
        ({"constant_folding": "x", "loop_optimization": 3}, {"constant_folding": True, "loop_optimization": True}),
        ({"nonsense": True, "common_subgraph_elimination": True, "memory_optimization": True}, {}),
        (
            {"disable_meta_optimizer": True, "disable_model_pruning": 1},
            {"disable_meta_optimizer": True, "disable_model_pruning": True},
        ),
        ({"disable_meta_optimizer": None, "remapping": None}, {}),
        ([("function_optimization", False)], {"function_optimization": False}),
        ({"min_graph_nodes": 5}, {"min_graph_nodes": 5}),
    ],
)
def test_options_are_told_as_they_were_set(given: Any, told: dict[str, Any]) -> None:
    tf.config.optimizer.set_experimental_options(given)
    assert tf.config.optimizer.get_experimental_options() == {**DEFAULT, **told}


def test_options_add_up() -> None:
    tf.config.optimizer.set_experimental_options({"constant_folding": True})
    tf.config.optimizer.set_experimental_options({"constant_folding": False, "shape_optimization": True})
    tf.config.optimizer.set_experimental_options({"shape_optimization": None})
    assert tf.config.optimizer.get_experimental_options() == {"constant_folding": False, **DEFAULT}


def test_nothing_is_no_option() -> None:
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        tf.config.optimizer.set_experimental_options(None)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("given", [True, False, "", "autoclustering", "x", None, 1])
def test_jit_is_on_or_off(given: Any) -> None:
    tf.config.optimizer.set_jit(given)
    assert tf.config.optimizer.get_jit() == ("autoclustering" if given in (True, "autoclustering") else "")

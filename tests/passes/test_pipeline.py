"""The table of passes: what the switches turn off, and what happens to a pass that fails."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.passes import optimizer_options, pipeline
from millrace._src.passes.optimized_graph import OptimizedGraph
from millrace._src.passes.pipeline import Pass, optimize


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(optimizer_options._Settings, "options", {})
    monkeypatch.setattr(pipeline, "_failed", set())
    yield


def graph_of(f: Any, *specs: Any) -> Any:
    return tf.function(f, autograph=False).get_concrete_function(*specs).graph


def types(graph: Any) -> list[str]:
    return [node.type for node in optimize(graph).nodes]


def twice_and_more(x: Any) -> Any:
    called = tf.function(lambda y: y * 1.0, autograph=False)
    return (
        tf.exp(called(x))
        + tf.exp(x)
        + (tf.constant(2.0) + tf.constant(3.0) + tf.cast(tf.raw_ops.Size(input=x), tf.float32))
    )


SPEC = tf.TensorSpec([3], tf.float32)
OFF = {
    "arithmetic_optimization": "Mul",
    "constant_folding": "Cast",
    "shape_optimization": "Size",
    "function_optimization": "PartitionedCall",
}


def test_everything_together() -> None:
    assert types(graph_of(twice_and_more, SPEC)) == ["Exp", "AddV2", "AddV2"]


@pytest.mark.parametrize("option", OFF)
def test_an_option_turns_its_pass_off(option: str) -> None:
    graph = graph_of(twice_and_more, SPEC)
    before = types(graph)
    tf.config.optimizer.set_experimental_options({option: False})
    assert types(graph).count(OFF[option]) == before.count(OFF[option]) + 1
    tf.config.optimizer.set_experimental_options({option: None})
    assert types(graph) == before


def test_what_is_computed_twice_stays_so_without_common_subgraph_elimination() -> None:
    tf.config.optimizer.set_experimental_options({"common_subgraph_elimination": False})
    assert types(graph_of(twice_and_more, SPEC)).count("Exp") == 2


def test_nothing_is_removed_without_model_pruning() -> None:
    graph = graph_of(lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), (0, x))[1], SPEC)
    tf.config.optimizer.set_experimental_options({"disable_model_pruning": True})
    (loop,) = optimize(graph).nodes
    assert len(loop.outputs) == 4
    tf.config.optimizer.set_experimental_options({"disable_model_pruning": False})
    (loop,) = optimize(graph).nodes
    assert len(loop.outputs) == 2


def test_nothing_is_optimized_when_the_optimizer_is_disabled() -> None:
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    assert "PartitionedCall" in types(graph_of(twice_and_more, SPEC))
    assert "Size" in types(graph_of(twice_and_more, SPEC))


def test_a_pass_that_fails_is_left_out_and_named_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(graph: OptimizedGraph) -> OptimizedGraph:
        graph.nodes.clear()
        raise ZeroDivisionError("mine")

    monkeypatch.setattr(pipeline, "PASSES", (Pass("failing", fail, "remapping"), *pipeline.PASSES))
    monkeypatch.setattr(logging.getLogger("tensorflow"), "propagate", True)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for _ in range(2):
            f = tf.function(twice_and_more, autograph=False)
            np.testing.assert_allclose(f(tf.zeros([3])).numpy(), [10.0, 10.0, 10.0])
    (record,) = [record for record in caplog.records if "optimizer" in record.getMessage()]
    assert "failing" in record.getMessage()
    assert "mine" in record.getMessage()


@pytest.mark.parametrize("change", [tf.reshape, lambda x, shape: tf.exp(tf.reshape(tf.reshape(x, [1, 1]), shape))])
def test_a_shape_that_is_not_known_while_tracing_is_still_checked(change: Any) -> None:
    f = tf.function(change, autograph=False)
    assert f(tf.constant([1.0]), tf.constant([1])).shape == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="requested shape has 3"):
        f(tf.constant([1.0]), tf.constant([3]))

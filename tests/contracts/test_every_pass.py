"""What holds for every pass: on random graphs the same values, errors and effects; a legal graph; twice is once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes import optimized_graph_validation, pipeline
from millrace._src.passes.from_graph import from_graph
from millrace._src.passes.optimized_graph import OptimizedGraph, all_nodes
from millrace._src.passes.pipeline import Pass, run
from tests.passes.random_graphs import RandomGraph
from tests.passes.text import text

PASSES = {row.name: row for row in pipeline.PASSES}


def imported(random: RandomGraph) -> OptimizedGraph:
    return from_graph(random.graph, random.graph.inputs, random.graph.outputs)


def outcome(random: RandomGraph, graph: OptimizedGraph) -> dict[str, Any]:
    """Everything that a run of a graph shows to the world."""
    arguments = random.reset()
    found: dict[str, Any] = {}
    try:
        with np.errstate(all="ignore"):
            found["results"] = [described(array) for array in eager_engine().compile(graph).run(*arguments)]
    except tf.errors.OpError as error:
        found["error"] = type(error), str(error)
    found["variables"] = [described(v.numpy()) for v in random.variables]
    found["log"] = list(random.log)
    return found


def described(array: Any) -> Any:
    """An array in a form that is equal for equal bits, but for the bits of a NaN and the sign of zero in a sum."""
    array = np.asarray(array)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.dtype.str, array.shape, array.tolist() if array.dtype.kind == "O" else array.tobytes()


def checked(seed: int, passes: Sequence[Pass]) -> None:
    """Checks passes one after the other, and all in the walks that they share."""
    random = RandomGraph(seed)
    wanted = outcome(random, imported(random))
    graph = imported(random)
    optimized_graph_validation.check(graph)
    for row in passes:
        graph = run([row], graph)
        optimized_graph_validation.check(graph)
    compare(random, graph, wanted)
    if len(passes) > 1:
        graph = run(passes, imported(random))
        optimized_graph_validation.check(graph)
        compare(random, graph, wanted)


def compare(random: RandomGraph, graph: OptimizedGraph, wanted: dict[str, Any]) -> None:
    """Compares what a graph shows with what it should; only what nothing reads need not fail."""
    found = outcome(random, graph)
    if found != wanted:
        (failed,) = re.findall(r"Detected at node (\S+)", str(wanted["error"])) if "error" in wanted else ("nothing",)
        assert failed != "nothing", f"seed {random.seed}: {found} is not {wanted}"
        assert failed not in {node.name for node in all_nodes(graph)}, f"seed {random.seed}: no error in {failed}"


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_changes_neither_values_nor_errors_nor_effects(name: str) -> None:
    for seed in range(25):
        checked(seed, [PASSES[name]])


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_all_passes_together_change_neither_values_nor_errors_nor_effects(start: int) -> None:
    for seed in range(start, start + 50):
        checked(seed, list(PASSES.values()))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 10_000, 500))
def test_ten_thousand_random_graphs(start: int) -> None:
    for seed in range(start, start + 500):
        checked(seed, list(PASSES.values()))


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_twice_is_the_pass_once(name: str) -> None:
    for seed in range(25):
        random = RandomGraph(seed)
        once = run([PASSES[name]], imported(random))
        before = text(once)
        assert text(run([PASSES[name]], once)) == before, f"seed {seed}"

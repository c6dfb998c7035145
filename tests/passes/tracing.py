"""Optimized graphs for tests: a function after some passes, and what is in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes import optimized_graph_validation, pipeline
from millrace._src.passes.from_graph import from_graph
from millrace._src.passes.optimized_graph import OptimizedGraph

VECTOR = tf.TensorSpec([3], tf.float32)
ROWS = tf.TensorSpec([None, 3], tf.float32)
SCALAR = tf.TensorSpec([], tf.float32)
COUNT = tf.TensorSpec([], tf.int32)


def optimized(function: Callable[..., Any], *specs: Any, passes: str = "") -> OptimizedGraph:
    """The graph of a function after the named passes (all if none is named); checked to be legal."""
    graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph
    rows = [row for row in pipeline.PASSES if not passes or row.name in passes.split()]
    found = pipeline.run(rows, from_graph(graph, graph.inputs, graph.outputs))
    optimized_graph_validation.check(found)
    return found


def types(graph: OptimizedGraph) -> list[str]:
    """The ops of the nodes of a graph."""
    return [node.type for node in graph.nodes]


def run(graph: OptimizedGraph, *arguments: Any) -> list[Any]:
    """What the program of a graph returns."""
    return [np.asarray(array).tolist() for array in eager_engine().compile(graph).run(*map(np.asarray, arguments))]

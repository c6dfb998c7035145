"""Parts of a graph for XLA: which nodes they take, in which order everything runs, and that nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes import clustering, optimized_graph_validation
from millrace._src.passes.clustering import ClusterStrategy, cluster_graph, is_made_cluster
from millrace._src.passes.optimized_graph import OptimizedGraph, all_nodes, copy_graph
from millrace._src.passes.pipeline import optimize
from tests.contracts.test_every_pass import compare, outcome
from tests.passes.random_graphs import RandomGraph
from tests.passes.text import text

VECTOR = tf.TensorSpec([None], tf.float32)
INDICES = tf.TensorSpec([None], tf.int32)
MATRIX = tf.TensorSpec([None, None], tf.float32)
WIDE, NARROW = ClusterStrategy.WIDE, ClusterStrategy.NARROW


@pytest.fixture(autouse=True)
def small_parts_are_worth_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_MIN_SECONDS", 0.0)
    monkeypatch.setattr(clustering, "_MIN_NODES", 1)


def graph_of(function: Any, *specs: Any) -> OptimizedGraph:
    return optimize(tf.function(function, autograph=False).get_concrete_function(*specs).graph)


def shown(graph: OptimizedGraph | None) -> list[Any]:
    """The ops of a graph in order, those of a cluster as a list, and of a check with a question mark."""
    assert graph is not None
    optimized_graph_validation.check(graph)
    return [
        shown(node.graphs[0]) if is_made_cluster(node) else f"{node.type}?" if node.only_checks else node.type
        for node in graph.nodes
    ]


def in_clusters(function: Any, *specs: Any, strategy: ClusterStrategy = WIDE) -> list[Any]:
    return shown(cluster_graph(graph_of(function, *specs), strategy))


# --- what goes where --------------------------------------------------------------------------------------------------


def test_a_graph_without_parts_for_xla_has_no_clusters() -> None:
    assert cluster_graph(graph_of(lambda x: tf.strings.as_string(x), VECTOR), WIDE) is None


def test_the_graph_itself_stays_as_it_is() -> None:
    graph = graph_of(lambda x: tf.exp(x) * 2.0, VECTOR)
    before = text(graph)
    assert cluster_graph(graph, WIDE) is not None
    assert text(graph) == before


def test_what_the_host_must_do_stands_between_clusters() -> None:
    def function(x: Any) -> Any:
        y = tf.exp(x) * 2.0
        return tf.numpy_function(lambda a: a, [y], tf.float32) - 1.0

    assert in_clusters(function, VECTOR) == [["Exp", "Mul"], "PyFunc", ["Sub"]]


def test_what_the_host_does_not_wait_for_joins_a_later_cluster() -> None:
    def function(x: Any) -> Any:
        y, z = tf.exp(x), tf.tanh(x)
        return tf.numpy_function(lambda a: a, [y], tf.float32) + z

    assert in_clusters(function, VECTOR) == [["Exp"], "PyFunc", ["Tanh", "AddV2"]]


def test_narrow_clusters_leave_products_to_the_library() -> None:
    def function(x: Any) -> Any:
        return tf.tanh(tf.exp(x) @ x) * 2.0

    assert in_clusters(function, MATRIX) == [["Exp", "MatMul", "Tanh", "Mul"]]
    assert in_clusters(function, MATRIX, strategy=NARROW) == [["Exp"], "MatMul", ["Tanh", "Mul"]]


def test_narrow_clusters_are_connected() -> None:
    def function(x: Any, y: Any) -> Any:
        return tf.exp(x) * 2.0, tf.tanh(y) * 3.0

    assert in_clusters(function, VECTOR, VECTOR) == [["Exp", "Mul", "Tanh", "Mul"]]
    assert in_clusters(function, VECTOR, VECTOR, strategy=NARROW) == [["Exp", "Mul"], ["Tanh", "Mul"]]


def test_a_loop_is_a_part_although_it_multiplies_matrices() -> None:
    def function(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y @ y), [0, x])[1]

    assert in_clusters(function, MATRIX, strategy=NARROW) == [["StatelessWhile"]]


def test_parts_inside_of_a_loop_that_the_host_runs_are_clusters() -> None:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.ensure_shape(tf.numpy_function(lambda a: a, [tf.exp(y) * 2.0], tf.float32), [None])

    graph = cluster_graph(graph_of(lambda x: tf.while_loop(lambda i, y: i < 3, body, [0, x])[1], VECTOR), WIDE)
    assert graph is not None
    (loop,) = graph.nodes
    assert ["Exp", "Mul"] in shown(loop.graphs[1])


def test_random_numbers_are_drawn_between_clusters() -> None:
    def function(x: Any) -> Any:
        return tf.exp(x) + tf.random.uniform([3])

    assert in_clusters(function, tf.TensorSpec([3], tf.float32)) == ["RandomUniform", ["Exp", "AddV2"]]


def test_a_small_part_is_not_worth_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_MIN_SECONDS", 1e-3)
    assert cluster_graph(graph_of(lambda x: tf.exp(x) * 2.0, tf.TensorSpec([3], tf.float32)), WIDE) is None
    assert cluster_graph(graph_of(lambda x: tf.exp(x) * 2.0, tf.TensorSpec([1000, 1000], tf.float32)), WIDE) is not None
    assert cluster_graph(graph_of(lambda x: tf.exp(x) * 2.0, VECTOR), WIDE) is not None


def test_a_part_that_only_moves_elements_is_not_worth_a_call() -> None:
    assert cluster_graph(graph_of(lambda x: tf.reshape(x, [-1, 2]), VECTOR), WIDE) is None


# --- checks -----------------------------------------------------------------------------------------------------------


def test_a_check_runs_on_the_host_and_the_rest_on_xla() -> None:
    def function(x: Any, i: Any) -> Any:
        return tf.exp(tf.gather(x, i)) * 2.0

    assert in_clusters(function, VECTOR, INDICES) == ["GatherV2?", ["GatherV2", "Exp", "Mul"]]


def test_a_change_waits_for_the_checks_before_it() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    def function(x: Any, i: Any) -> Any:
        y = tf.exp(tf.gather(x, i))
        v.assign_add(tf.exp(x))
        return y

    graph = in_clusters(function, tf.TensorSpec([3], tf.float32), INDICES)
    assert graph == ["GatherV2?", ["GatherV2", "Exp", "Exp", "AssignAddVariableOp"]]


def test_a_check_of_what_the_caller_gives_does_not_wait_for_xla() -> None:
    v = tf.Variable(np.ones((4, 2), np.float32))

    def function(x: Any, i: Any) -> Any:
        rows = tf.reshape(tf.cast(i, tf.int64), [-1])
        v.scatter_sub(tf.IndexedSlices(tf.exp(tf.tanh(x)), rows))
        return tf.exp(x)

    graph = in_clusters(function, tf.TensorSpec([None, 2], tf.float32), INDICES)
    assert graph[:3] == ["Cast", "Reshape", "ResourceScatterSub?"]
    assert graph[3:] == [["Tanh", "Exp", "ResourceScatterSub", "Exp"]]


def test_what_checks_itself_on_the_host_is_not_checked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_MIN_NODES", 2)

    def function(x: Any, i: Any) -> Any:
        y = tf.numpy_function(lambda a: a, [tf.gather(x, i)], tf.float32)
        return tf.exp(y) * 2.0

    assert in_clusters(function, VECTOR, INDICES) == ["GatherV2", "PyFunc", ["Exp", "Mul"]]


def test_what_checks_itself_on_the_host_runs_before_a_later_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_MIN_NODES", 3)
    v = tf.Variable(1.0)

    def function(x: Any, i: Any) -> Any:
        y = tf.gather(x, i)
        v.assign_add(1.0)
        return y, tf.exp(x) * 2.0 + 1.0

    graph = in_clusters(function, VECTOR, INDICES, strategy=NARROW)
    assert graph.index("GatherV2") < graph.index("AssignAddVariableOp")


def test_what_checks_itself_on_the_host_runs_before_its_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_is_worth_a_call", lambda nodes: any(node.type == "Exp" for node in nodes))

    def function(x: Any, w: Any, labels: Any) -> Any:
        op = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits
        losses, slopes = op(features=x @ w + 1.0, labels=labels)
        return losses, tf.exp((slopes * 2.0) @ w)

    specs = MATRIX, MATRIX, INDICES
    nodes = in_clusters(function, *specs, strategy=NARROW)
    assert nodes[:3] == ["MatMul", "AddV2", "SparseSoftmaxCrossEntropyWithLogits"]
    assert [nodes.index("Mul"), nodes[-1]] == [nodes.index("SparseSoftmaxCrossEntropyWithLogits") + 1, ["Exp"]]


def test_what_checks_itself_on_the_host_runs_before_those_who_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustering, "_MIN_NODES", 4)

    def function(logits: Any, labels: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits @ w)
        gradient = tape.gradient(loss, w) @ w
        return loss, tf.exp(tf.tanh(tf.exp(tf.sin(gradient) * 2.0)))

    graph = cluster_graph(graph_of(function, MATRIX, INDICES, tf.TensorSpec([3, 3], tf.float32)), NARROW)
    assert graph is not None
    optimized_graph_validation.check(graph)
    arrays = [np.ones((2, 3), np.float32), np.int32([0, 2]), np.eye(3, dtype=np.float32)]
    assert np.isfinite(np.asarray(eager_engine().compile(graph).run(*arrays)[1])).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 3"):
        eager_engine().compile(graph).run(arrays[0], np.int32([0, 3]), arrays[2])


def test_the_first_error_of_several_stays_the_first() -> None:
    def function(x: Any, i: Any) -> Any:
        a = tf.linalg.inv(tf.exp(x))
        return a + tf.cast(tf.gather(i, i), tf.float32)[0]

    graph = in_clusters(function, tf.TensorSpec([2, 2], tf.float32), INDICES)
    assert graph.index("MatrixInverse") < graph.index("GatherV2?")


# --- variables and sizes ----------------------------------------------------------------------------------------------


def test_a_variable_is_read_in_each_part_that_needs_it() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    def function(x: Any) -> Any:
        y = tf.numpy_function(lambda a: a, [tf.exp(x) * v], tf.float32)
        return tf.tanh(y) * v

    graph = in_clusters(function, tf.TensorSpec([3], tf.float32))
    read = "ReadVariableOp"
    assert [[n for n in part if n != read] for part in graph if isinstance(part, list)] == [
        ["Exp", "Mul"],
        ["Tanh", "Mul"],
    ]
    assert read in graph[0]


def test_a_variable_that_changes_in_between_is_not_read_again() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    def function(x: Any) -> Any:
        old = v.read_value()
        y = tf.numpy_function(lambda a: a, [tf.exp(x) * old], tf.float32)
        v.assign(x)
        z = tf.numpy_function(lambda a: a, [y], tf.float32)
        return tf.tanh(z) * old

    graph = in_clusters(function, tf.TensorSpec([3], tf.float32))
    assert graph[-1] == ["Tanh", "Mul"]


def test_changes_of_a_variable_keep_their_order() -> None:
    v = tf.Variable(1.0)

    def function(x: Any) -> Any:
        v.assign(tf.exp(x) * 2.0)
        tf.numpy_function(lambda: None, [], [])
        v.assign_add(x)
        return v.read_value() * 3.0

    ops = in_clusters(function, tf.TensorSpec([], tf.float32))
    assert ops == [["Exp", "Mul", "AssignVariableOp"], "PyFunc", ["AssignAddVariableOp", "ReadVariableOp", "Mul"]]


def test_sizes_are_computed_in_each_part() -> None:
    def function(x: Any) -> Any:
        y = tf.exp(x)
        z = tf.numpy_function(lambda a: a, [y], tf.float32)
        return tf.reshape(tf.tanh(z), tf.shape(y)[::-1]) * 2.0

    graph = in_clusters(function, MATRIX)
    assert graph[:2] == [["Exp"], "PyFunc"]
    assert sorted(graph[2]) == ["Mul", "Reshape", "Shape", "StridedSlice", "Tanh"]


def test_a_size_that_is_a_number_of_the_caller_stays_with_the_host() -> None:
    def function(x: Any, n: Any) -> Any:
        return tf.exp(tf.zeros([n]) + x) * 2.0

    assert in_clusters(function, tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32))[-1][-2:] == ["Exp", "Mul"]


# --- lists ------------------------------------------------------------------------------------------------------------


def test_lists_do_not_leave_their_part() -> None:
    def function(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=2).write(0, x)
        tf.print("between")
        return array.write(1, tf.exp(x)).stack() * 2.0

    for strategy in ClusterStrategy:
        graph = cluster_graph(graph_of(function, tf.TensorSpec([], tf.float32)), strategy)
        assert graph is not None
        optimized_graph_validation.check(graph)
        handles = [v for n in graph.nodes if is_made_cluster(n) for v in (*n.inputs, *n.outputs)]
        assert all(v.dtype.name != "variant" for v in handles)


# --- on random graphs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ClusterStrategy)
def test_clusters_change_neither_values_nor_errors_nor_effects(strategy: ClusterStrategy) -> None:
    for seed in range(60):
        random = RandomGraph(seed)
        wanted = outcome(random, optimize(random.graph))
        graph = cluster_graph(optimize(random.graph), strategy)
        if graph is not None:
            optimized_graph_validation.check(graph)
            compare(random, graph, wanted)


def test_a_copy_is_alike_and_has_nodes_of_its_own() -> None:
    for seed in range(20):
        graph = optimize(RandomGraph(seed).graph)
        other = copy_graph(graph)
        optimized_graph_validation.check(other)
        assert text(other) == text(graph)
        assert set(all_nodes(other)).isdisjoint(all_nodes(graph))


def test_each_node_of_a_cluster_keeps_the_users_operation() -> None:
    graph = cluster_graph(graph_of(lambda x: tf.exp(x, name="mine") * 2.0, VECTOR), WIDE)
    assert graph is not None
    (cluster,) = graph.nodes
    assert [node.name for node in cluster.graphs[0].nodes] == ["mine", "mul"]
    assert cluster.name == "mine"
    run = eager_engine().compile(graph).run
    assert np.asarray(run(np.float32([0.0]))[0]).tolist() == [2.0]

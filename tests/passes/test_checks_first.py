"""What a graph may refuse is judged by a graph of its own, where the arguments alone decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes.checks_first import checks_first
from millrace._src.passes.exactness import lossy_nodes
from millrace._src.passes.optimized_graph import OptimizedGraph
from millrace._src.passes.pipeline import optimize

ROWS = tf.TensorSpec([5, 2], tf.float32)
ANY_ROWS = tf.TensorSpec([None, 2], tf.float32)
INDICES = tf.TensorSpec([None], tf.int32)
INDEX = tf.TensorSpec([], tf.int32)


def checks_of(function: Any, *specs: Any) -> OptimizedGraph | None:
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    graph = optimize(concrete.graph)
    return checks_first(graph, lossy_nodes(graph))


def types(graph: OptimizedGraph | None) -> list[str]:
    assert graph is not None
    return [node.type for node in graph.nodes]


def passes(graph: OptimizedGraph | None, *arrays: Any) -> bool:
    assert graph is not None
    arguments = [np.asarray(array, value.dtype.np_dtype) for array, value in zip(arrays, graph.inputs, strict=True)]
    try:
        eager_engine().compile(graph).quiet_run()(*arguments)
    except tf.errors.InvalidArgumentError:
        return False
    return True


def test_a_graph_that_refuses_nothing_has_no_checks() -> None:
    assert types(checks_of(lambda x: tf.exp(x) * 2.0, ROWS)) == []


def test_indices_of_the_caller_are_judged_without_the_work_around() -> None:
    graph = checks_of(lambda x, i: tf.exp(tf.gather(tf.matmul(x, x, transpose_b=True), i)), ROWS, INDICES)
    assert types(graph) == ["GatherV2"]
    assert passes(graph, np.ones([5, 2]), [0, 4])
    assert not passes(graph, np.ones([5, 2]), [0, 5])


def test_what_the_caller_gives_is_computed_as_far_as_the_check_needs() -> None:
    graph = checks_of(lambda x, i: tf.gather(x, tf.reshape(i * 2, [-1])), ROWS, INDICES)
    assert types(graph) == ["Mul", "Reshape", "GatherV2"]
    assert passes(graph, np.ones([5, 2]), [2])
    assert not passes(graph, np.ones([5, 2]), [3])


def test_an_index_that_takes_one_row_is_judged_by_taking_it() -> None:
    graph = checks_of(lambda x, i: tf.exp(x[i]), ANY_ROWS, INDEX)
    assert "StridedSlice" in types(graph)
    assert passes(graph, np.ones([3, 2]), 2)
    assert not passes(graph, np.ones([3, 2]), 3)


def test_labels_are_judged_without_logits() -> None:
    w = tf.Variable(tf.ones([2, 3]))

    def loss(x: Any, labels: Any) -> Any:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ w)

    concrete = tf.function(loss, autograph=False).get_concrete_function(ROWS, INDICES)
    graph = optimize(concrete.graph)
    checks = checks_first(graph, lossy_nodes(graph))
    assert types(checks) == ["SparseSoftmaxCrossEntropyWithLogits"]


def test_an_assertion_of_arguments_is_judged_without_what_its_message_shows() -> None:
    def function(x: Any, i: Any) -> Any:
        tf.raw_ops.Assert(condition=tf.reduce_all(i > 0), data=[tf.matmul(x, x, transpose_b=True)])
        return x * 2.0

    graph = checks_of(function, ROWS, INDICES)
    assert types(graph) == ["Greater", "All", "Assert"]
    assert passes(graph, np.ones([5, 2]), [1, 2])
    assert not passes(graph, np.ones([5, 2]), [1, 0])


def test_what_a_branch_refuses_is_judged_by_the_choice() -> None:
    graph = checks_of(lambda x, i: tf.cond(tf.size(i) > 1, lambda: tf.gather(x, i), lambda: x), ROWS, INDICES)
    assert types(graph) == ["Size", "Greater", "StatelessIf"]
    assert passes(graph, np.ones([5, 2]), [7])
    assert passes(graph, np.ones([5, 2]), [1, 2])
    assert not passes(graph, np.ones([5, 2]), [1, 5])


def test_a_branch_that_does_more_than_check_cannot_be_judged_ahead() -> None:
    v = tf.Variable(0.0)

    def branch(x: Any, i: Any) -> Any:
        v.assign_add(1.0)
        return tf.gather(x, i)

    assert checks_of(lambda x, i: tf.cond(i[0] > 0, lambda: branch(x, i), lambda: x), ROWS, INDICES) is None


def test_rows_of_a_variable_are_judged_by_its_shape_alone() -> None:
    v = tf.Variable(tf.ones([5, 2]))
    concrete = tf.function(lambda i: tf.gather(v, i), autograph=False).get_concrete_function(INDICES)
    graph = optimize(concrete.graph)
    checks = checks_first(graph, lossy_nodes(graph))
    handle = [value for value in graph.inputs if value.dtype.is_handle]
    assert checks is not None
    assert len(handle) == 1
    assert not any(value.dtype.is_handle and value.constant is None for node in checks.nodes for value in node.inputs)


def test_rows_of_a_variable_of_any_shape_cannot_be_judged_ahead() -> None:
    v = tf.Variable(tf.ones([5, 2]), shape=tf.TensorShape([None, 2]))
    assert checks_of(lambda i: tf.gather(v, i), INDICES) is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: tf.gather(x, tf.cast(tf.argmax(tf.matmul(x, x, transpose_b=True), 1), tf.int32) + i),
        lambda x, i: tf.gather(x, i + tf.random.uniform([], 0, 2, tf.int32)),
        lambda x, i: tf.while_loop(lambda k, s: k < 3, lambda k, s: (k + 1, s + tf.gather(x, i[k])), [0, x[0]])[1],
        lambda x, i: tf.gather(x, i) + tf.strings.to_number(tf.strings.as_string(x[0])),
        lambda x, i: [tf.gather(x, i), tf.print(x)][0],
        lambda x, i: tf.linalg.inv(x[:2]) + tf.gather(x, i[:2]),
    ],
)
def test_what_does_more_or_depends_on_more_cannot_be_judged_ahead(function: Any) -> None:
    assert checks_of(function, ROWS, INDICES) is None


def test_an_index_out_of_a_variable_cannot_be_judged_ahead() -> None:
    at = tf.Variable(1)
    assert checks_of(lambda x: tf.gather(x, at), ROWS) is None


LABELS = tf.TensorSpec([None], tf.float32)


def test_floats_of_the_caller_are_converted_where_the_integers_hold_them() -> None:
    graph = checks_of(lambda x, i: tf.gather(x, tf.cast(i, tf.int64)) * 2.0, ROWS, LABELS)
    assert types(graph) == ["Cast", "Cast", "GatherV2"]
    x = np.ones([5, 2])
    assert passes(graph, x, [0.0, 4.9])
    assert passes(graph, x, [])
    assert not passes(graph, x, [5.0])
    for number in (np.nan, np.inf, -np.inf, 1e19):
        assert not passes(graph, x, [0.0, number])


@pytest.mark.parametrize(("dtype", "least", "most"), [("int8", -128.9, 127.9), ("uint8", -0.9, 255.9)])
def test_the_limits_are_those_of_the_integers_after_cutting(dtype: str, least: float, most: float) -> None:
    graph = checks_of(lambda x: tf.cast(x, dtype) + 1, LABELS)
    assert types(graph) == ["Cast"]
    assert passes(graph, [least, most])
    assert not passes(graph, [least - 1.0]) and not passes(graph, [most + 1.0])


def test_a_float_that_the_graph_computes_by_a_product_keeps_the_graph_off_other_engines() -> None:
    assert checks_of(lambda x: tf.cast(tf.matmul(x, x, transpose_b=True), tf.int32), ROWS) is None

"""Which nodes XLA runs exactly as the NumPy tier does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.passes.exactness import inexact_nodes, is_exact_after_checks, lossy_nodes, refuses_only
from millrace._src.passes.optimized_graph import OptimizedGraph, all_nodes
from millrace._src.passes.pipeline import optimize

VECTOR = tf.TensorSpec([None], tf.float32)
INDICES = tf.TensorSpec([None], tf.int32)
INDEX = tf.TensorSpec([], tf.int32)
MATRIX = tf.TensorSpec([2, 2], tf.float32)


def graph_of(function: Any, *specs: Any) -> OptimizedGraph:
    return optimize(tf.function(function, autograph=False).get_concrete_function(*specs).graph)


def inexact(function: Any, *specs: Any) -> list[str]:
    return [node.type for node in inexact_nodes(graph_of(function, *specs))]


def counting(body: Any) -> Any:
    return lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, body(i, y)), [0, x])[1]


def test_what_only_computes_is_exact() -> None:
    assert inexact(lambda x: tf.reduce_sum(tf.exp(x) / x), VECTOR) == []
    assert inexact(counting(lambda i, y: y * 2.0), VECTOR) == []
    assert inexact(lambda x: tf.cond(x[0, 0] > 0.0, lambda: x, lambda: -x), MATRIX) == []


def test_a_constant_index_may_be_out_of_range_of_an_unknown_size() -> None:
    assert inexact(lambda x: x[0], VECTOR) == ["StridedSlice"]
    assert inexact(lambda x: tf.slice(x, [1, 0], [2, 1]), MATRIX) == ["Slice"]
    assert inexact(lambda x: tf.slice(x, [1, 0], [1, -1]), MATRIX) == []
    assert inexact(lambda x: tf.slice(x, [0], [-1]), VECTOR) == []
    assert inexact(lambda x: tf.slice(x, [0], [1]), VECTOR) == ["Slice"]
    assert inexact(lambda x: tf.slice(x, [0], tf.shape(x)), VECTOR) == []


def test_variables_are_kept_exactly() -> None:
    v = tf.Variable([1.0, 2.0])

    def step(x: Any) -> Any:
        v.assign_add(x)
        return v * 2.0

    assert inexact(step, tf.TensorSpec([2], tf.float32)) == []


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (lambda x: [x, tf.print(x)][0], "PrintV2"),
        (lambda x: tf.numpy_function(lambda y: y, [x], tf.float32), "PyFunc"),
        (lambda x: tf.strings.as_string(x), "AsString"),
        (lambda x: [x, tf.debugging.Assert(tf.reduce_all(x > 0.0), [x])][0], "Assert"),
        (lambda x: tf.debugging.check_numerics(x, "x"), "CheckNumerics"),
        (lambda x: tf.boolean_mask(x, x > 0.0), "Where"),
        (lambda x: x + tf.random.uniform([3]), "RandomUniform"),
        (lambda x: tf.cast(x, tf.int32), "Cast"),
    ],
)
def test_what_xla_leaves_out_or_does_otherwise_is_not_exact(function: Any, op: str) -> None:
    assert op in inexact(function, VECTOR)


def test_draws_of_the_graph_itself_may_be_passed_over() -> None:
    outside = graph_of(lambda x: x + tf.random.uniform([3]), VECTOR)
    inside = graph_of(counting(lambda i, y: y + tf.random.uniform([])), VECTOR)
    assert not lossy_nodes(outside)
    assert [node.type for node in lossy_nodes(inside)] == ["RandomUniform"]


def test_an_index_that_may_be_out_of_range_is_not_exact_and_a_constant_in_range_is() -> None:
    assert inexact(lambda x, i: tf.gather(x, i), VECTOR, INDICES) == ["GatherV2"]
    assert inexact(lambda x: tf.gather(x, [0, 1]), tf.TensorSpec([2], tf.float32)) == []
    assert inexact(lambda x: tf.gather(x, [0, 2]), tf.TensorSpec([2], tf.float32)) == ["GatherV2"]
    assert inexact(lambda x: tf.gather(x, [0, 1]), VECTOR) == ["GatherV2"]


def test_a_slice_from_an_index_that_only_a_call_knows_is_not_exact() -> None:
    assert inexact(lambda x, i: x[i], VECTOR, INDEX) == ["StridedSlice"]
    assert inexact(lambda x, i: x[1:], VECTOR, INDEX) == []


def test_division_refuses_integers_alone() -> None:
    assert inexact(lambda x, i: x / x, VECTOR, INDICES) == []
    assert inexact(lambda x, i: i // i, VECTOR, INDICES) == ["FloorDiv"]
    assert inexact(lambda x, i: i // 2, VECTOR, tf.TensorSpec([3], tf.int32)) == []


def test_a_matrix_that_may_be_singular_is_not_exact() -> None:
    assert inexact(lambda x: tf.linalg.inv(x), MATRIX) == ["MatrixInverse"]
    assert inexact(lambda x: tf.linalg.cholesky(x), MATRIX) == []


def test_a_node_inside_of_a_loop_or_a_branch_is_named() -> None:
    assert inexact(counting(lambda i, y: tf.linalg.inv(y)), MATRIX) == ["MatrixInverse"]
    assert inexact(lambda x: tf.cond(x[0, 0] > 0.0, lambda: tf.linalg.inv(x), lambda: x), MATRIX) == ["MatrixInverse"]


def test_a_node_whose_op_has_checks_is_exact_once_they_have_passed() -> None:
    graph = graph_of(lambda x, i: tf.gather(x, i) + x[i[0]], VECTOR, INDICES)
    assert [node.type for node in all_nodes(graph) if is_exact_after_checks(node)] == ["GatherV2"]


def test_assertions_and_refused_values_are_told_from_other_reasons() -> None:
    def function(x: Any, i: Any) -> Any:
        tf.debugging.Assert(tf.reduce_any(x > 0.0), [x])
        return tf.gather(x, i) + tf.strings.to_number(tf.strings.as_string(x)) + tf.random.uniform([1])

    reasons = {node.type: refuses_only(node) for node in inexact_nodes(graph_of(function, VECTOR, INDICES))}
    assert reasons == {
        "Assert": True,
        "GatherV2": True,
        "AsString": False,
        "StringToNumber": False,
        "RandomUniform": False,
    }


def test_each_reason_says_something() -> None:
    graph = graph_of(lambda x: tf.cast(tf.linalg.inv(x), tf.int32), MATRIX)
    assert list(inexact_nodes(graph).values()) == [
        "it may refuse values",
        "XLA clamps numbers that the integers cannot hold",
    ]


def test_constants_of_special_kinds_are_no_obstacle() -> None:
    assert inexact(lambda x: tf.reverse_sequence(x, [1, 2], 1), MATRIX) == []
    assert inexact(lambda x: x + np.float32(np.inf), MATRIX) == []

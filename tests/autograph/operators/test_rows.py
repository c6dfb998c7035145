"""`for`, `len`, `enumerate`, `zip` and comprehensions over the rows of ragged tensors in the graph."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

RAGGED = [[1, 2], [], [3]]


@pytest.fixture(params=["known rows", "unknown rows"])
def decorate(request: pytest.FixtureRequest) -> Any:
    """Makes a function of a ragged matrix; with a number of rows that only the graph knows, too."""
    if request.param == "known rows":
        return tf.function
    return tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])


def test_for_runs_over_rows_in_the_graph(decorate: Any) -> None:
    bodies = []

    @decorate
    def total(ragged: Any) -> Any:
        result = 0
        for row in ragged:
            bodies.append(row)
            result += tf.reduce_sum(row) * tf.size(row)
        return result

    assert total(tf.ragged.constant(RAGGED)).numpy() == 9
    assert len(bodies) == 1, "the body is traced once"


def test_loops_nest_and_break() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None], tf.int32)])
    def total(ragged: Any) -> Any:
        result = 0
        for row in ragged:
            if row.nrows() == 0:
                break
            for inner in row:
                result += tf.reduce_sum(inner) * tf.size(inner)
        return result

    assert total(tf.ragged.constant([[[1], [2, 3]], [[4]], [], [[100]]])).numpy() == 1 + 10 + 4


def test_rows_go_together_with_numbers_and_other_rows(decorate: Any) -> None:
    @decorate
    def total(ragged: Any) -> Any:
        result = 0
        for number, row in enumerate(ragged):
            result += number * tf.reduce_sum(row)
        for first, second in zip(ragged, ragged):
            result += tf.reduce_sum(first * second)
        return result

    assert total(tf.ragged.constant(RAGGED)).numpy() == 6 + 14


def test_len_counts_rows(decorate: Any) -> None:
    @decorate
    def count(ragged: Any) -> Any:
        return tf.constant(0) + len(ragged)

    assert count(tf.ragged.constant(RAGGED)).numpy() == 3


def test_comprehension_needs_a_known_number_of_rows() -> None:
    @tf.function
    def sums(ragged: Any) -> Any:
        return [tf.reduce_sum(row) for row in ragged]

    assert [int(s) for s in sums(tf.ragged.constant(RAGGED))] == [3, 0, 3]
    unknown = tf.function(sums.python_function, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        unknown(tf.ragged.constant(RAGGED))


def test_eager_iteration_is_pythons() -> None:
    assert [row.numpy().tolist() for row in tf.ragged.constant(RAGGED)] == RAGGED


def test_sparse_tensors_have_no_rows() -> None:
    @tf.function
    def over(sparse: Any) -> Any:
        return [tf.identity(row) for row in sparse]

    with pytest.raises(TypeError):
        over(tf.sparse.from_dense([[1, 0], [0, 2]]))

"""EditDistance beyond what tests/oracle/programs/edit_distance.py compares with TensorFlow."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.array.edit_distance import _edits
from tests.contracts.sample import Sample

_INDICES, _SHAPE = np.int64([[0, 0], [0, 1], [1, 0]]), np.int64([2, 2])

SAMPLES = [
    Sample("EditDistance", [_INDICES, np.int32([1, 2, 3]), _SHAPE, _INDICES, np.int32([2, 2, 3]), _SHAPE]),
    Sample(
        "EditDistance",
        [_INDICES, np.array(["a", "b", "c"], object), _SHAPE, _INDICES[1:], np.array(["b", "c"], object), _SHAPE],
        {"normalize": False},
    ),
]


@cache
def by_definition(hypothesis: tuple[int, ...], truth: tuple[int, ...]) -> int:
    """Returns the distance by its recursive definition."""
    if not hypothesis or not truth:
        return len(hypothesis) + len(truth)
    substituted = by_definition(hypothesis[1:], truth[1:]) + (hypothesis[0] != truth[0])
    return min(substituted, by_definition(hypothesis[1:], truth) + 1, by_definition(hypothesis, truth[1:]) + 1)


def distances(hypothesis: list[int], truth: list[int], **attrs: Any) -> Any:
    def parts(row: list[int]) -> list[Any]:
        indices = np.array([[0, i] for i in range(len(row))], np.int64).reshape(-1, 2)
        return [tf.constant(indices), tf.constant(row, tf.int32), tf.constant([1, len(row)], tf.int64)]

    names = ("indices", "values", "shape")
    given = {f"hypothesis_{name}": part for name, part in zip(names, parts(hypothesis), strict=True)}
    given |= {f"truth_{name}": part for name, part in zip(names, parts(truth), strict=True)}
    return tf.raw_ops.EditDistance(**given, **attrs)


def test_edits_are_those_of_the_definition() -> None:
    random = np.random.RandomState(3)
    for _ in range(200):
        one, other = (random.randint(0, 3, random.randint(0, 8)) for _ in range(2))
        assert _edits(one, other) == by_definition(tuple(one.tolist()), tuple(other.tolist()))


def test_edits_of_long_rows_take_a_vector_step_an_element() -> None:
    row = np.arange(3000)
    assert _edits(row, np.roll(row, 1)) == 2


def test_functions_compute_what_eager_calls_do() -> None:
    traced = tf.function(lambda: distances([1, 2, 3], [2, 3, 4, 5]))()
    assert distances([1, 2, 3], [2, 3, 4, 5]).numpy().tolist() == traced.numpy().tolist() == [0.75]


_HYPOTHESIS = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
_TRUTH = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2])


def test_distances_of_sparse_tensors() -> None:
    assert tf.edit_distance(_HYPOTHESIS, _TRUTH).numpy().tolist() == [[np.inf, 1.0], [0.5, 1.0]]
    assert tf.edit_distance(_HYPOTHESIS, _TRUTH, normalize=False).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    value = tf.compat.v1.SparseTensorValue([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
    assert tf.compat.v1.edit_distance(value, _TRUTH).numpy().tolist() == [[np.inf, 1.0], [0.5, 1.0]]


def test_dense_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Hypothesis must be a SparseTensor\."):
        tf.edit_distance([["a"]], _TRUTH)
    with pytest.raises(TypeError, match=r"Truth must be a SparseTensor\."):
        tf.edit_distance(_HYPOTHESIS, [["a"]])


def test_ranks_must_be_the_same() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected truth and hypothesis to have matching ranks"):
        tf.edit_distance(_HYPOTHESIS, tf.SparseTensor([[0, 0]], ["a"], [1, 1]))

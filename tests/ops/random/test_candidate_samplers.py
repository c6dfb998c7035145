"""`tf.random.*_candidate_sampler`: TensorFlow's candidates, and named results."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.random.bits import PROGRAMS, check


@pytest.mark.parametrize("program", PROGRAMS["candidates"])
def test_candidates_are_those_of_tensorflow(program: str) -> None:
    check(tf, program)


def test_results_are_named_and_shaped_while_tracing() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 2], tf.int64)])
    def shapes(classes):  # type: ignore[no-untyped-def]
        drawn = tf.random.log_uniform_candidate_sampler(classes, 2, 6, True, 20)
        found.extend(t.shape.as_list() for t in drawn)
        return drawn.sampled_candidates

    found: list[list[int | None]] = []
    assert shapes(np.int64([[1, 2]])).shape == [6]
    assert found[:3] == [[6], [None, 2], [6]]


def test_all_candidates_are_all_classes() -> None:
    drawn = tf.random.all_candidate_sampler([[1, 2]], 2, 5, True)
    assert drawn.sampled_candidates.numpy().tolist() == [0, 1, 2, 3, 4]
    assert (drawn.true_expected_count.numpy() == 1).all()
    assert type(drawn).__name__ == "AllCandidateSampler"


def test_expected_counts_are_those_of_tensorflow() -> None:
    tf.random.set_seed(1)
    drawn = tf.random.log_uniform_candidate_sampler([[1, 2], [0, 5], [3, 3]], 2, 6, True, 20)
    assert drawn.sampled_candidates.numpy().tolist() == [1, 0, 10, 3, 4, 9]
    expected = [[0.86478806, 0.7508309], [0.9731318, 0.5168485], [0.6554984, 0.6554984]]
    np.testing.assert_array_max_ulp(drawn.true_expected_count.numpy(), np.float32(expected), maxulp=1)
    assert tf.nn.compute_accidental_hits([[1], [5]], [5, 7], num_true=1).indices.numpy().tolist() == [1]

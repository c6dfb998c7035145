"""The candidate samplers' ops: samples for the contracts, expected counts, learning, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_CLASSES = np.array([[1, 2], [0, 5], [3, 3]], np.int64)
_COMMON = {"num_true": 2, "num_sampled": 4}
SAMPLES = [
    *(
        Sample(f"{name}CandidateSampler", (_CLASSES,), {**_COMMON, "unique": unique, "range_max": 9}, random=True)
        for name in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
        for unique in (False, True)
    ),
    Sample(
        "FixedUnigramCandidateSampler",
        (_CLASSES,),
        {**_COMMON, "unique": True, "range_max": 6, "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]},
        random=True,
    ),
    Sample("AllCandidateSampler", (_CLASSES,), {"num_true": 2, "num_sampled": 6, "unique": True}, random=True),
    Sample("ComputeAccidentalHits", (_CLASSES, np.array([3, 5, 1, 3], np.int64)), {"num_true": 2}),
    Sample("ComputeAccidentalHits", (_CLASSES[:0], np.array([3], np.int64)), {"num_true": 2}),
]


def draw(kind: str, classes: Any = _CLASSES, **changed: Any) -> list[Any]:
    attrs = {**_COMMON, "unique": True, "range_max": 9, "seed": 3, "seed2": 4, **changed}
    return [t.numpy() for t in getattr(tf.raw_ops, f"{kind}CandidateSampler")(true_classes=classes, **attrs)]


@pytest.mark.parametrize("kind", ["Uniform", "LogUniform", "LearnedUnigram"])
def test_unique_candidates_differ_and_stay_in_range(kind: str) -> None:
    sampled = draw(kind, num_sampled=9)[0]
    assert sorted(sampled.tolist()) == list(range(9))


def test_expected_counts_follow_from_probabilities_and_tries() -> None:
    _, true_expected, _ = draw("LogUniform", unique=False)
    probability = np.log((_CLASSES + 2) / (_CLASSES + 1)) / np.log(10)
    np.testing.assert_allclose(true_expected, 4 * probability, rtol=1e-6)
    _, expected, _ = draw("Uniform", unique=True, num_sampled=9)
    tries = np.log1p(-float(expected[0, 0])) / np.log1p(-1 / 9)
    assert abs(tries - round(tries)) < 1e-3
    assert tries > 9


def test_a_learned_sampler_learns_the_true_classes() -> None:
    tf.random.set_seed(1)
    seen = np.full((500, 2), 7, np.int64)
    draw("LearnedUnigram", seen, unique=False)
    sampled = draw("LearnedUnigram", seen, unique=False, num_sampled=4)[0]
    assert (sampled == 7).sum() >= 3
    tf.random.set_seed(1)
    assert draw("LearnedUnigram", seen, unique=False)[1][0, 0] == np.float32(4 / 9)


def test_accidental_hits_are_those_of_tensorflow() -> None:
    hits = tf.raw_ops.ComputeAccidentalHits(
        true_classes=_CLASSES, sampled_candidates=np.int64([3, 5, 1, 3]), num_true=2
    )
    indices, ids, weights = (t.numpy() for t in hits)
    assert (indices.tolist(), ids.tolist()) == ([0, 1, 2, 2], [2, 1, 3, 3])
    assert (weights == np.finfo(np.float32).min).all()


def test_arguments_that_do_not_fit_raise() -> None:
    for call, message in (
        (lambda: draw("LogUniform", num_sampled=13), "Sampler's range is too small"),
        (lambda: draw("LogUniform", num_true=1), "true_classes must have num_true columns"),
        (lambda: draw("LogUniform", np.int64([1])), "true_classes must be a matrix"),
        (lambda: draw("Uniform", np.int64([[100, -1]])), r"`true_candidate` out of range \[0, 9\), received 100"),
        (lambda: draw("FixedUnigram", unigrams=[1.0]), "range is 9 must be equal to weights size  1"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            call()

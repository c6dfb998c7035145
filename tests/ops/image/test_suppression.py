"""Boxes that say the same, reduced to the best of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_RANDOM = np.random.default_rng(0)
_LOW = _RANDOM.random((9, 2))
_BOXES = np.concatenate([_LOW, _LOW + 0.1 + 0.4 * _RANDOM.random((9, 2))], axis=1).astype(np.float32)
_SCORES = _RANDOM.random(9).astype(np.float32)
_LIMIT, _HALF, _MIN = np.array(4, np.int32), np.float32(0.5), np.float32(0.2)
_MATRIX = (np.eye(9) + 0.6 * np.eye(9, k=1)).astype(np.float32)

SAMPLES = [
    Sample("NonMaxSuppression", (_BOXES, _SCORES, _LIMIT), {"iou_threshold": 0.3}),
    Sample("NonMaxSuppressionV2", (_BOXES, _SCORES, _LIMIT, _HALF)),
    *(
        Sample("NonMaxSuppressionV3", (_BOXES.astype(t), _SCORES.astype(t), _LIMIT, _HALF, _MIN))
        for t in (np.float32, np.float16)
    ),
    *(
        Sample("NonMaxSuppressionV4", (_BOXES, _SCORES, limit, _HALF, _MIN), {"pad_to_max_output_size": pad})
        for limit in (_LIMIT, np.array(20, np.int32))
        for pad in (False, True)
    ),
    *(
        Sample("NonMaxSuppressionV5", (_BOXES, _SCORES, np.array(20, np.int32), _HALF, _MIN, sigma), attrs)
        for sigma in (np.float32(0), np.float32(0.5))
        for attrs in ({}, {"pad_to_max_output_size": True})
    ),
    Sample("NonMaxSuppressionWithOverlaps", (_MATRIX, _SCORES, _LIMIT, _HALF, _MIN)),
]


def _overlap(a: Any, b: Any) -> float:
    sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
    shared = sides.prod()
    return float(shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared))


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("limit", [0, 3, 9])
def test_no_chosen_box_overlaps_a_better_one_too_much(threshold: float, limit: int) -> None:
    chosen: list[int] = []
    for number in np.argsort(-_SCORES):
        fits = all(_overlap(_BOXES[number], _BOXES[other]) <= threshold for other in chosen)
        if len(chosen) < limit and _SCORES[number] > 0.2 and fits:
            chosen.append(int(number))
    found = tf.image.non_max_suppression(_BOXES, _SCORES, limit, threshold, 0.2)
    assert found.numpy().tolist() == chosen
    assert found.dtype is tf.int32


def test_corners_may_come_in_any_order() -> None:
    swapped = _BOXES[:, [2, 3, 0, 1]]
    found = tf.image.non_max_suppression(swapped, _SCORES, 9)
    np.testing.assert_array_equal(found, tf.image.non_max_suppression(_BOXES, _SCORES, 9))


def test_of_equal_scores_the_first_box_is_taken() -> None:
    boxes = [[0, 0, 1, 1.0], [0, 0, 1, 0.9], [5, 5, 6, 6]]
    assert tf.image.non_max_suppression(boxes, [0.4, 0.4, 0.4], 3).numpy().tolist() == [0, 2]
    assert tf.image.non_max_suppression(boxes, [0.4, 0.4, 0.4], 3, score_threshold=0.4).shape == [0]


def test_a_box_without_an_area_overlaps_nothing() -> None:
    boxes = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1.0], [1, 1, 0, 0]]
    assert tf.image.non_max_suppression(boxes, [0.5, 0.4, 0.3, 0.2], 4).numpy().tolist() == [0, 1, 2]


def test_scores_sink_with_the_overlap() -> None:
    boxes = [[0, 0, 1, 1.0], [0, 0, 1, 0.5], [2, 2, 3, 3]]
    chosen, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.9, 0.8], 3, soft_nms_sigma=0.5)
    assert chosen.numpy().tolist() == [1, 2, 0]
    np.testing.assert_allclose(scores, [0.9, 0.8, 0.5 * np.exp(-0.25)], rtol=1e-6)
    hard, kept = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.9, 0.8], 3, iou_threshold=0.4)
    assert hard.numpy().tolist() == [1, 2]
    np.testing.assert_allclose(kept, [0.9, 0.8])


def test_overlaps_may_be_given() -> None:
    found = tf.image.non_max_suppression_overlaps(_MATRIX + _MATRIX.T, _SCORES, 9, 0.5)
    chosen = found.numpy().tolist()
    assert all(abs(a - b) != 1 for a in chosen for b in chosen)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"max_output_size": -1}, "output size must be non-negative"),
        ({"iou_threshold": 1.5}, "iou_threshold must be in [0, 1]"),
        ({"boxes": _BOXES[:, :3]}, "boxes must have 4 columns"),
        ({"boxes": _BOXES[0]}, "boxes must be 2-D[4]"),
        ({"scores": _SCORES[:3]}, "scores has incompatible shape"),
        ({"scores": _SCORES[None]}, "scores must be 1-D[1,9]"),
        ({"soft_nms_sigma": -1.0}, "soft_nms_sigma_val must be >= 0"),
    ],
)
def test_suppression_refuses(changes: dict[str, Any], words: str) -> None:
    arguments = {"boxes": _BOXES, "scores": _SCORES, "max_output_size": 3, **changes}
    call = lambda: tf.image.non_max_suppression_with_scores(**arguments)  # noqa: E731  (a call to be made in several modes)
    check_refusal(call, tf.errors.InvalidArgumentError, words)


def test_overlaps_are_square() -> None:
    call = lambda: tf.image.non_max_suppression_overlaps(_MATRIX[:, :4], _SCORES, 3)  # noqa: E731  (a call to be made in several modes)
    check_refusal(call, tf.errors.InvalidArgumentError, "overlaps must be square[9,4]")


def test_a_padded_count_is_known_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None])])
    def choose(boxes: Any, scores: Any) -> Any:
        return tf.raw_ops.NonMaxSuppressionV4(
            boxes=boxes,
            scores=scores,
            max_output_size=7,
            iou_threshold=0.5,
            score_threshold=0.0,
            pad_to_max_output_size=True,
        )

    assert choose.get_concrete_function().output_shapes[0] == [7]
    assert choose(_BOXES, _SCORES)[0].shape == [7]

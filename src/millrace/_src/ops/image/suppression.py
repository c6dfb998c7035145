"""Boxes that say the same are reduced to the best of these: `tf.image.non_max_suppression` and its kin.

Boxes are taken from the highest score down. A box that overlaps a chosen one too much is passed over. With a sigma its
score only sinks by the overlap, so that the box may still come later (Bodla et al., "Soft-NMS", 2017).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.shape_rules import SCALAR
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TYPES = TypeSet((d.float16, d.float32), default=d.float32)
_CHOICE = "TensorFlow declares none: which boxes are chosen is not a smooth function"
_COUNTS = "how many boxes are chosen differs from row to row"
Overlaps = Callable[[int, Array], Array]
"""The overlap of a box with others, by number."""


def _check(boxes: Array, scores: Array, limit: Array, iou_threshold: Array) -> None:
    if limit.ndim:
        raise invalid(f"max_output_size must be 0-D, got shape {shape_brackets(limit.shape)}")
    if int(limit) < 0:
        raise invalid("output size must be non-negative")
    if not 0 <= float(iou_threshold) <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{shape_brackets(boxes.shape)} (Shape must be rank 2 but is rank {boxes.ndim})")
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    _check_scores(scores, len(boxes))


def _check_scores(scores: Array, count: int) -> None:
    if scores.ndim != 1:
        raise invalid(
            f"scores must be 1-D{shape_brackets(scores.shape)} (Shape must be rank 1 but is rank {scores.ndim})"
        )
    if len(scores) != count:
        raise invalid(f"scores has incompatible shape (Dimensions must be equal, but are {count} and {len(scores)})")


def _intersections(boxes: Array) -> Overlaps:
    """Returns the function that divides what two boxes share by what both cover."""
    boxes = boxes.astype(np.float32)
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = (high - low).prod(axis=1)

    def overlaps(one: int, others: Array) -> Array:
        sides = np.minimum(high[one], high[others]) - np.maximum(low[one], low[others])
        shared = np.maximum(sides, 0).prod(axis=1)
        covered = areas[one] + areas[others] - shared
        is_box = (areas[one] > 0) & (areas[others] > 0)
        return np.where(is_box, shared / np.where(is_box, covered, 1), np.float32(0))

    return overlaps


def _choose(overlaps: Overlaps, scores: Array, limit: int, overlap: float, score: float) -> Array:
    """Returns the numbers of the best boxes, of which none overlaps another by more than `overlap`."""
    remaining = np.flatnonzero(scores > score)
    remaining = remaining[np.argsort(-scores[remaining].astype(np.float64), kind="stable")]
    found: list[int] = []
    while len(remaining) and len(found) < limit:
        best = int(remaining[0])
        found.append(best)
        others = remaining[1:]
        remaining = others[~(overlaps(best, others) > overlap)]
    return np.array(found, np.int32)


def _choose_softly(overlaps: Overlaps, scores: Array, limit: int, score: float, sigma: float) -> tuple[Array, Array]:
    """Returns the numbers of the best boxes and their scores, which sink with the overlap."""
    waiting = [(-float(s), i, 0) for i, s in enumerate(scores.astype(np.float32)) if s > score]
    heapq.heapify(waiting)
    found: list[int] = []
    kept: list[float] = []
    while waiting and len(found) < limit:
        negative, number, seen = heapq.heappop(waiting)
        value = -negative
        for shared in overlaps(number, np.array(found[seen:], np.intp))[::-1].tolist() if len(found) > seen else ():
            value = float(np.float32(value * math.exp(-0.5 / sigma * shared * shared)))
            if value <= score:
                break
        if value == -negative:
            found.append(number)
            kept.append(value)
        elif value > score:
            heapq.heappush(waiting, (-value, number, len(found)))
    return np.array(found, np.int32), np.array(kept, np.float32)


def _fill(values: Array, limit: int, is_padded: bool) -> Array:
    """Fills up with zeros to the limit, if asked."""
    if not is_padded:
        return values
    return np.concatenate([values, np.zeros(limit - len(values), values.dtype)])


def _any_count(c: ShapeContext) -> TensorShape:
    for name, rank in (("boxes", 2), ("scores", 1)):
        if c.shape(name).rank not in (None, rank):
            raise ValueError(f"Shape must be rank {rank} but is rank {c.shape(name).rank}")
    return TensorShape([None])


def _padded_count(c: ShapeContext) -> TensorShape:
    unknown = _any_count(c)
    limit = c.value("max_output_size")
    return TensorShape([int(limit)]) if c.attr("pad_to_max_output_size") and limit is not None else unknown


@op(
    "NonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size: int32 -> selected_indices: int32",
    shape=_any_count,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched=_COUNTS,
)
def non_max_suppression_op(
    xp: Xp, boxes: Array, scores: Array, max_output_size: Array, *, iou_threshold: float = 0.5
) -> Array:
    """Chooses boxes that do not overlap too much."""
    _check(boxes, scores, max_output_size, np.float32(iou_threshold))
    return _choose(_intersections(boxes), scores, int(max_output_size), iou_threshold, -np.inf)


@op(
    "NonMaxSuppressionV2",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold -> selected_indices: int32",
    T=_TYPES,
    T_threshold=_TYPES,
    shape=_any_count,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched=_COUNTS,
)
def non_max_suppression_v2_op(
    xp: Xp, boxes: Array, scores: Array, max_output_size: Array, iou_threshold: Array
) -> Array:
    """Chooses boxes that do not overlap too much."""
    _check(boxes, scores, max_output_size, iou_threshold)
    return _choose(_intersections(boxes), scores, int(max_output_size), float(iou_threshold), -np.inf)


@op(
    "NonMaxSuppressionV3",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold "
    "-> selected_indices: int32",
    T=_TYPES,
    T_threshold=_TYPES,
    shape=_any_count,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched=_COUNTS,
)
def non_max_suppression_v3_op(
    xp: Xp, boxes: Array, scores: Array, max_output_size: Array, iou_threshold: Array, score_threshold: Array
) -> Array:
    """Chooses boxes of a score above the threshold that do not overlap too much."""
    _check(boxes, scores, max_output_size, iou_threshold)
    limit, overlap, score = int(max_output_size), float(iou_threshold), float(score_threshold)
    return _choose(_intersections(boxes), scores, limit, overlap, score)


def _two_outputs(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    return _padded_count(c), SCALAR


@op(
    "NonMaxSuppressionV4",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold "
    "-> selected_indices: int32, valid_outputs: int32",
    T=_TYPES,
    T_threshold=_TYPES,
    shape=_two_outputs,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched=_COUNTS,
)
def non_max_suppression_v4_op(
    xp: Xp,
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Array, Array]:
    """Chooses boxes as NonMaxSuppressionV3, and counts the boxes; the numbers may be filled up with zeros."""
    _check(boxes, scores, max_output_size, iou_threshold)
    limit, overlap, score = int(max_output_size), float(iou_threshold), float(score_threshold)
    found = _choose(_intersections(boxes), scores, limit, overlap, score)
    return _fill(found, limit, pad_to_max_output_size), np.array(len(found), np.int32)


def _three_outputs(c: ShapeContext) -> tuple[TensorShape, TensorShape, TensorShape]:
    count = _padded_count(c)
    return count, count, SCALAR


@op(
    "NonMaxSuppressionV5",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T "
    "-> selected_indices: int32, selected_scores: T, valid_outputs: int32",
    T=_TYPES,
    shape=_three_outputs,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched=_COUNTS,
)
def non_max_suppression_v5_op(
    xp: Xp,
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
    soft_nms_sigma: Array,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Array, Array, Array]:
    """Chooses boxes, whose scores sink with the overlap if sigma is more than zero."""
    _check(boxes, scores, max_output_size, iou_threshold)
    limit, overlap, score, sigma = (
        int(max_output_size),
        float(iou_threshold),
        float(score_threshold),
        float(soft_nms_sigma),
    )
    if sigma < 0:
        raise invalid("soft_nms_sigma_val must be >= 0")
    if sigma:
        found, kept = _choose_softly(_intersections(boxes), scores, limit, score, sigma)
    else:
        found = _choose(_intersections(boxes), scores, limit, overlap, score)
        kept = scores[found]
    count = np.array(len(found), np.int32)
    padded = [_fill(values, limit, pad_to_max_output_size) for values in (found, kept.astype(scores.dtype))]
    return padded[0], padded[1], count


def _overlaps_count(c: ShapeContext) -> TensorShape:
    return TensorShape([None])


@op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float32, scores: float32, max_output_size: int32, overlap_threshold: float32, score_threshold: float32 "
    "-> selected_indices: int32",
    shape=_overlaps_count,
    host_only=True,
    no_gradient=_CHOICE,
    not_batched=_COUNTS,
)
def non_max_suppression_with_overlaps_op(
    xp: Xp,
    overlaps: Array,
    scores: Array,
    max_output_size: Array,
    overlap_threshold: Array,
    score_threshold: Array,
) -> Array:
    """Chooses boxes by a matrix that says how much each overlaps each."""
    if int(max_output_size) < 0:
        raise invalid("output size must be non-negative")
    if overlaps.ndim != 2 or overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square{shape_brackets(overlaps.shape)}")
    _check_scores(scores, len(overlaps))
    return _choose(
        lambda one, others: overlaps[others, one],
        scores,
        int(max_output_size),
        float(overlap_threshold),
        float(score_threshold),
    )


# --- public functions ------------------------------------------------------------------------------------------------


@export("image.non_max_suppression")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Chooses the boxes of the highest scores that do not overlap too much.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.8], max_output_size=3).numpy()
    array([1, 2], dtype=int32)

    Args:
      boxes: a float Tensor `[boxes, 4]`: two opposite corners (y, x) each.
      scores: a float Tensor `[boxes]`.
      max_output_size: the most boxes to choose, a scalar int32.
      iou_threshold: from which share of the area of both on two boxes overlap too much, in [0, 1].
      score_threshold: the score that a box must exceed.
      name: name of the operations in a graph.

    Returns: The numbers of the chosen boxes, int32, the best first.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit, or a number is out of range.
    """
    with name_scope(name, "non_max_suppression"):
        overlap = convert_to_tensor(iou_threshold, name="iou_threshold")
        score = convert_to_tensor(score_threshold, name="score_threshold")
        return non_max_suppression_v3_op(boxes, scores, max_output_size, overlap, score)


@export("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Chooses boxes as `tf.image.non_max_suppression`, or lets the scores of boxes sink that overlap.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.5], [2.0, 2.0, 3.0, 3.0]]
    >>> chosen, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.9, 0.8], 3, soft_nms_sigma=0.5)
    >>> scores.numpy()
    array([0.9      , 0.8      , 0.3894004], dtype=float32)

    Args:
      boxes: a float Tensor `[boxes, 4]`: two opposite corners (y, x) each.
      scores: a float Tensor `[boxes]`.
      max_output_size: the most boxes to choose, a scalar int32.
      iou_threshold: from which share of the area of both on two boxes overlap too much, in [0, 1]; without sigma.
      score_threshold: the score that a box must exceed.
      soft_nms_sigma: how slowly scores sink with the overlap; 0 for not at all.
      name: name of the operations in a graph.

    Returns: The numbers of the chosen boxes, int32, the best first, and the boxes' scores.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit, or a number is out of range.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        overlap = convert_to_tensor(iou_threshold, name="iou_threshold")
        score = convert_to_tensor(score_threshold, name="score_threshold")
        sigma = convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma")
        found = non_max_suppression_v5_op(boxes, scores, max_output_size, overlap, score, sigma)
        return found[0], found[1]


@export("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Chooses the boxes of the highest scores by a matrix of overlaps.

    >>> tf.image.non_max_suppression_overlaps([[1.0, 0.8], [0.8, 1.0]], [0.3, 0.4], 2).numpy()
    array([1], dtype=int32)

    Args:
      overlaps: a float32 Tensor `[boxes, boxes]`: how much each box overlaps each.
      scores: a float32 Tensor `[boxes]`.
      max_output_size: the most boxes to choose, a scalar int32.
      overlap_threshold: from which number on two boxes overlap too much.
      score_threshold: the score that a box must exceed.
      name: name of the operations in a graph.

    Returns: The numbers of the chosen boxes, int32, the best first.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        threshold = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return non_max_suppression_with_overlaps_op(overlaps, scores, max_output_size, threshold, score_threshold)

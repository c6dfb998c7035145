"""`tf.nn.ctc_loss`: connectionist temporal classification, the probability of a label sequence whose times are unknown.

All alignments of the labels with the frames, with blanks before, between and after them, are added up. The labels and
blanks of a sequence make a row of states: blank, label, blank, ... label, blank. From frame to frame a path stays in
its state, goes on to the next, or skips a blank between two different labels (Graves 2006, section 4). A loop over
the frames carries the logarithm of the probability of all paths that end in each state. Its gradient is the loop's.

Labels that do not fit into the frames have no path. TensorFlow gives every path that ends too early the probability
1e-307, which makes a large but finite loss; so does this module.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import sequence_mask
from millrace._src.ops.control_flow import foldl
from millrace._src.ops.math.reduce import reduce_logsumexp
from millrace._src.ops.nn.softmax import log_softmax
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export

_IMPOSSIBLE = -1e30
"""The logarithm of a probability, for 0: differences of it are numbers, unlike those of infinities."""
_UNFINISHED = math.log(1e-307)
"""The logarithm of the probability that paths get that do not reach the last label."""


@export("nn.ctc_loss", v1=["nn.ctc_loss_v2"])
def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: object = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """Computes the CTC loss: minus the logarithm of the probability of labels without times.

    >>> loss = tf.nn.ctc_loss([[1, 2]], tf.zeros([3, 1, 3]), label_length=[2], logit_length=[3], blank_index=0)
    >>> loss.numpy().round(4)  # 5 of 27 paths spell 1, 2
    array([1.6864], dtype=float32)

    Args:
      labels: integers `[batch, max_label_length]`, or an int32 SparseTensor of such labels.
      logits: A floating point Tensor `[frames, batch, labels]`: scores, of which a softmax is taken.
      label_length: integers `[batch]`: how many labels of each row count; not used if `labels` is sparse.
      logit_length: integers `[batch]`: how many frames of each row count.
      logits_time_major: whether the shape of `logits` begins with the frames; else it is `[batch, frames, labels]`.
      unique: what `tf.nn.ctc_unique_labels(labels)` returned. TensorFlow needs it to be fast; the value is the same.
      blank_index: which label is the blank; negative counts from the end. By default 0; needed if `labels` is sparse.
      name: name of the operation in a graph.

    Returns: A Tensor `[batch]` of the dtype of `logits`.
    Raises:
      ValueError: if `blank_index` is out of range or missing, or a shape has another rank.
      tf.errors.InvalidArgumentError: if a label is out of range.
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
        with name_scope(name, "ctc_loss"):
            moved = _with_last_blank(labels, convert_to_tensor(logits, name="logits"), blank_index)
            return sparse_labels_loss(*moved, logit_length, logits_time_major)
    with name_scope(name, "ctc_loss_dense"):
        x = convert_to_tensor(logits, name="logits")
        x.shape.assert_has_rank(3)
        given_dtype = x.dtype
        if given_dtype.size < d.float32.size:  # sums over many frames
            x = raw.Cast(x=x, DstT=d.float32)
        if logits_time_major:
            x = raw.Transpose(x=x, perm=[1, 0, 2])
        blank = _blank(0 if blank_index is None else blank_index, x)
        counts = raw.Cast(x=convert_to_tensor(label_length, name="label_length"), DstT=d.int32)
        frames = raw.Cast(x=convert_to_tensor(logit_length, name="logit_length"), DstT=d.int32)
        states = _states(labels, counts, blank)
        loss = _loss(log_softmax(x), states, counts, frames)
        return loss if loss.dtype is given_dtype else raw.Cast(x=loss, DstT=given_dtype)


def _with_last_blank(labels: SparseTensor, logits: Tensor, blank: int) -> tuple[SparseTensor, Tensor]:
    """Returns labels and scores in which the blank is the last label, as the op wants it."""
    count = logits.shape.as_list()[2]
    if blank < 0:
        blank += raw.Shape(input=logits)[2] if count is None else count
    if count is not None and blank == count - 1:
        return labels, logits
    moved = raw.ConcatV2(
        values=[logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]], axis=2
    )
    is_before = raw.Less(x=labels.values, y=raw.Cast(x=blank, DstT=labels.dtype))
    values = raw.SelectV2(condition=is_before, t=labels.values, e=labels.values - 1)
    return SparseTensor(labels.indices, values, labels.dense_shape), moved


def sparse_labels_loss(labels: SparseTensor, logits: Tensor, lengths: object, time_major: bool, **options: bool) -> Any:
    """Computes the loss of sparse labels, whose blank is the last, by one op."""
    given_dtype = logits.dtype
    if given_dtype.size < d.float32.size:
        logits = raw.Cast(x=logits, DstT=d.float32)
    if not time_major:
        logits = raw.Transpose(x=logits, perm=[1, 0, 2])
    loss = raw.CTCLoss(
        inputs=logits,
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=lengths,
        **options,
    )[0]
    return loss if loss.dtype is given_dtype else raw.Cast(x=loss, DstT=given_dtype)


def _blank(index: int, logits: Tensor) -> Any:
    """Returns the number of the blank, counted from the front."""
    count = logits.shape.as_list()[2]
    if count is not None and not -count <= index < count:
        raise ValueError(f"blank_index must be between {-count} and {count - 1}, got: {index}")
    return index if index >= 0 else raw.Shape(input=logits)[2] + index


def _states(labels: Any, counts: Tensor, blank: object) -> Tensor:
    """Returns the labels with blanks between and around them; whatever stands behind the last label becomes a blank."""
    given = raw.Cast(x=convert_to_tensor(labels, name="labels"), DstT=d.int32)
    given.shape.assert_has_rank(2)
    is_label = sequence_mask(counts, raw.Shape(input=given)[1])
    blanks = raw.ZerosLike(x=given) + blank
    known_labels = raw.SelectV2(condition=is_label, t=given, e=blanks)
    pairs = raw.Reshape(tensor=raw.Pack(values=[blanks, known_labels], axis=2), shape=_flat_pairs(given))
    states: Tensor = raw.ConcatV2(values=[pairs, raw.ZerosLike(x=pairs[:, :1]) + blank], axis=1)
    return states


def _flat_pairs(labels: Tensor) -> Any:
    return raw.Shape(input=labels) * np.array([1, 2], np.int32)


def _loss(log_probabilities: Tensor, states: Tensor, counts: Tensor, frames: Tensor) -> Any:
    """Sums the paths, from logarithms `[batch, frames, labels]`."""
    observed = raw.GatherV2(params=log_probabilities, indices=states, axis=np.int32(2), batch_dims=1)
    by_time = raw.Transpose(x=observed, perm=[1, 0, 2])
    is_frame = raw.Transpose(x=sequence_mask(frames, raw.Shape(input=by_time)[0]), perm=[1, 0])
    skip_cost = _skip_cost(states, by_time)
    state_index = raw.ExpandDims(input=raw.Range(start=0, limit=raw.Shape(input=states)[1], delta=1), axis=0)
    impossible = convert_to_tensor(_IMPOSSIBLE, dtype=by_time.dtype)

    def step(paths: Tensor, frame: tuple[Tensor, Tensor]) -> Any:
        values, counts_now = frame
        before = raw.PadV2(input=paths, paddings=[[0, 0], [2, 0]], constant_values=impossible)
        predecessors = raw.Pack(values=[paths, before[:, 1:-1], before[:, :-2] + skip_cost], axis=0)
        reached = values + reduce_logsumexp(predecessors, axis=0)
        return raw.SelectV2(condition=raw.ExpandDims(input=counts_now, axis=1), t=reached, e=paths)

    first = _costs(raw.Equal(x=state_index, y=0), _IMPOSSIBLE, by_time) + raw.ZerosLike(x=skip_cost)
    paths = foldl(step, (by_time, is_frame), initializer=first)
    end = 2 * raw.ExpandDims(input=counts, axis=1)
    is_last = raw.LogicalOr(x=raw.Equal(x=state_index, y=end), y=raw.Equal(x=state_index, y=end - 1))
    return -reduce_logsumexp(paths + _costs(is_last, _UNFINISHED, by_time), axis=1)


def _skip_cost(states: Tensor, like: Tensor) -> Tensor:
    """Returns the logarithm of the probability, 0 or 1, of a step that leaves out the state before each state."""
    two_before = raw.Pad(input=states[:, :-2], paddings=[[0, 0], [2, 0]])
    state_index = raw.Range(start=0, limit=raw.Shape(input=states)[1], delta=1)
    is_later_label = raw.LogicalAnd(
        x=raw.Greater(x=state_index, y=1), y=raw.Equal(x=raw.FloorMod(x=state_index, y=2), y=1)
    )
    return _costs(raw.LogicalAnd(x=is_later_label, y=raw.NotEqual(x=states, y=two_before)), _IMPOSSIBLE, like)


def _costs(is_free: Tensor, cost: float, like: Tensor) -> Any:
    """Returns 0 where a step is free, else its cost, in the dtype of `like`."""
    zero, other = (convert_to_tensor(value, dtype=like.dtype) for value in (0.0, cost))
    return raw.SelectV2(condition=is_free, t=zero, e=other)

"""Reading label sequences out of CTC scores: `CTCGreedyDecoder` and `CTCBeamSearchDecoder`.

*Greedy* takes the best label of each frame, and leaves out repetitions and blanks.

*Beam search* carries the most probable label sequences, beams, along the frames. Of each it knows the probability of
all paths that end in a blank, and of those that end in the last label: after a blank a label counts once more, without
one it is a repetition. A frame keeps each beam, or adds a label to it; then only the best `beam_width` stay.

Both give the parts of sparse tensors, which the public functions put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import Dim, merge_dim, with_rank
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export

_SCORES = TypeSet((d.float32, d.float64), default=d.float32)
_PICKS = "the decoded labels are picked, which has no derivative"
_ONE_BATCH = "decodes one batch at a time: tf.map_fn does it for many"

# --- shapes and checks -----------------------------------------------------------------------------------------------


def _batch_size(c: ShapeContext) -> Dim:
    inputs, lengths = with_rank(c.shape("inputs"), 3), with_rank(c.shape("sequence_length"), 1)
    return merge_dim(inputs[1], lengths[0])


def _decoded_shapes(count: int, batch: Dim) -> list[TensorShape]:
    parts = (TensorShape([None, 2]), TensorShape([None]), TensorShape([2]))
    return [*(part for part in parts for _ in range(count)), TensorShape([batch, count])]


def _greedy_shapes(c: ShapeContext) -> list[TensorShape]:
    return _decoded_shapes(1, _batch_size(c))


def _beam_shapes(c: ShapeContext) -> list[TensorShape]:
    return _decoded_shapes(c.attr("top_paths"), _batch_size(c))


def _check_scores(inputs: Any, lengths: Any) -> None:
    """Refuses scores that are not a batch of sequences, and lengths that do not fit the batch."""
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    frames, batch, _ = inputs.shape
    if not inputs.size:
        raise invalid("inputs must not be empty")
    if lengths.shape != (batch,):
        sizes = f"len(sequence_length):  {lengths.size} batch_size: {batch}"
        raise errors.FailedPreconditionError(None, None, f"len(sequence_length) != batch_size.  {sizes}")
    for i, length in enumerate(lengths.tolist()):
        if length > frames:
            raise errors.FailedPreconditionError(None, None, f"sequence_length({i}) <= {frames}")


class _Sparse(NamedTuple):
    """The parts of a sparse tensor whose rows are label sequences."""

    indices: Any
    values: Any
    shape: Any


def _sparse(rows: Sequence[Sequence[int]]) -> _Sparse:
    indices = [(i, k) for i, row in enumerate(rows) for k in range(len(row))]
    shape = (len(rows), max(map(len, rows), default=0))
    values = [label for row in rows for label in row]
    return _Sparse(np.array(indices, np.int64).reshape(-1, 2), np.array(values, np.int64), np.array(shape, np.int64))


# --- greedy ----------------------------------------------------------------------------------------------------------


@op(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, decoded_shape: int64, "
    "log_probability: T",
    T=_SCORES,
    shape=_greedy_shapes,
    host_only=True,
    not_differentiable=_PICKS,
    not_batched=_ONE_BATCH,
)
def ctc_greedy_decoder_op(
    xp: Xp, inputs: Array, sequence_length: Array, *, merge_repeated: bool = False, blank_index: int = -1
) -> tuple[Array, Array, Array, Array]:
    """Reads the best label of each frame.

    >>> tf.raw_ops.CTCGreedyDecoder(inputs=[[[0.0, 1.0, 0.0]], [[2.0, 0.0, 1.0]]], sequence_length=[2])[1].numpy()
    array([1, 0])
    """
    _check_scores(inputs, sequence_length)
    classes = inputs.shape[2]
    if not -classes <= blank_index < classes:
        limits = f"between {-classes} and {classes - 1}"
        raise invalid(f"blank_index expected to be {limits} but was {blank_index}")
    best = _best_labels(inputs)
    best_scores = np.take_along_axis(inputs, best[..., None], 2)[..., 0]
    is_frame = np.arange(len(inputs))[:, None] < sequence_length
    scores = np.where(is_frame, best_scores, 0).sum(0, dtype=inputs.dtype)
    is_kept = is_frame & (best != blank_index % classes)
    if merge_repeated:
        is_kept[1:] &= best[1:] != best[:-1]
    row_numbers, frames = np.nonzero(is_kept.T)
    counts = is_kept.sum(0)
    columns = np.arange(len(frames)) - np.repeat(np.cumsum(counts) - counts, counts)
    indices = np.stack([row_numbers, columns], axis=1)
    shape = np.array([len(counts), counts.max(initial=0)], np.int64)
    return indices, best[frames, row_numbers].astype(np.int64), shape, 0 - scores[:, None]


def _best_labels(inputs: Array) -> Array:
    """Returns the label of the highest score of each frame; a score of NaN is passed over, but for that of label 0."""
    is_nan = np.isnan(inputs)
    if not is_nan.any():
        return inputs.argmax(2)
    best: Array = np.where(is_nan[..., 0], 0, np.where(is_nan, -np.inf, inputs).argmax(2))
    return best


# --- beam search -----------------------------------------------------------------------------------------------------

_Prefix = tuple[int, ...]


class _Beams(NamedTuple):
    """Label sequences, best first, and the logarithms of the probabilities of the paths that spell each."""

    prefixes: list[_Prefix]
    in_blank: Any
    in_label: Any

    @property
    def totals(self) -> Any:
        """The logarithms of the probabilities of all paths that spell each sequence."""
        return np.logaddexp(self.in_blank, self.in_label)


def _next_beams(beams: _Beams, frame: Any, width: int) -> _Beams:
    """Carries the beams over a frame, of whose logarithms of probabilities the last is the blank's."""
    totals = beams.totals
    # the probability of the paths after which each label is one more label, not a repetition
    longer = totals[:, None] + frame[:-1]
    in_label = np.full(len(totals), -np.inf)
    numbers = {prefix: i for i, prefix in enumerate(beams.prefixes)}
    for i, prefix in enumerate(beams.prefixes):
        if prefix:
            longer[i, prefix[-1]] = beams.in_blank[i] + frame[prefix[-1]]
            in_label[i] = beams.in_label[i] + frame[prefix[-1]]
    for i, prefix in enumerate(beams.prefixes):
        shorter = numbers.get(prefix[:-1]) if prefix else None
        if shorter is not None:
            in_label[i] = np.logaddexp(in_label[i], longer[shorter, prefix[-1]])
            longer[shorter, prefix[-1]] = -np.inf  # the longer sequence is a beam already
    kept = _Beams(beams.prefixes, totals + frame[-1], in_label)
    return _best(kept, longer, width)


def _best(kept: _Beams, longer: Any, width: int) -> _Beams:
    """Picks the best of the beams and of the beams with one label more, in this order where they are equal."""
    count, labels = longer.shape
    candidates = np.concatenate([kept.totals, longer.reshape(-1)])
    ranking = np.argsort(-candidates, kind="stable")[:width]
    ranking = ranking[candidates[ranking] > -np.inf]
    is_old = ranking < count
    beam, label = np.divmod(ranking - count, max(labels, 1))
    prefixes = [
        kept.prefixes[i] if old else (*kept.prefixes[k], c)
        for i, old, k, c in zip(ranking.tolist(), is_old.tolist(), beam.tolist(), label.tolist(), strict=True)
    ]
    source = np.where(is_old, ranking, 0)
    in_blank = np.where(is_old, kept.in_blank[source], -np.inf)
    in_label = np.where(is_old, kept.in_label[source], candidates[ranking])
    return _Beams(prefixes, in_blank, in_label)


def log_probabilities(scores: Any) -> Any:
    """Computes the logarithms of the softmax along the last axis, in double precision."""
    wide = scores.astype(np.float64)
    shifted = wide - wide.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def _merge(labels: Sequence[int]) -> list[int]:
    return [label for i, label in enumerate(labels) if i == 0 or labels[i - 1] != label]


@op(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: top_paths * int64, decoded_values: top_paths * int64, "
    "decoded_shape: top_paths * int64, log_probability: T",
    T=_SCORES,
    shape=_beam_shapes,
    host_only=True,
    not_differentiable=_PICKS,
    not_batched=_ONE_BATCH,
)
def ctc_beam_search_decoder_op(
    xp: Xp, inputs: Array, sequence_length: Array, *, beam_width: int, top_paths: int, merge_repeated: bool = True
) -> tuple[list[Array], list[Array], list[Array], Array]:
    """Reads the most probable label sequences; the blank is the last label.

    >>> scores = [[[0.0, 1.0, 0.0]], [[2.0, 0.0, 1.0]]]
    >>> decoded = tf.raw_ops.CTCBeamSearchDecoder(inputs=scores, sequence_length=[2], beam_width=9, top_paths=1)
    >>> decoded.decoded_values[0].numpy()
    array([1, 0])
    """
    _check_beams(beam_width, top_paths)
    _check_scores(inputs, sequence_length)
    frames = log_probabilities(inputs)
    paths: list[list[Sequence[int]]] = [[] for _ in range(top_paths)]
    scores = np.empty((inputs.shape[1], top_paths), inputs.dtype)
    for i, length in enumerate(sequence_length.tolist()):
        beams = _Beams([()], np.zeros(1), np.full(1, -np.inf))
        for frame in frames[: max(0, length), i]:
            beams = _next_beams(beams, frame, beam_width)
        if len(beams.prefixes) < top_paths:
            raise invalid("Less leaves in the beam search than requested.")
        for k, prefix in enumerate(beams.prefixes[:top_paths]):
            paths[k].append(_merge(prefix) if merge_repeated else prefix)
        scores[i] = beams.totals[:top_paths]
    parts = [_sparse(rows) for rows in paths]
    return [p.indices for p in parts], [p.values for p in parts], [p.shape for p in parts], scores


def _check_beams(beam_width: int, top_paths: int) -> None:
    for name, value in (("beam_width", beam_width), ("top_paths", top_paths)):
        if value < 1:
            raise invalid(f"Value for attr '{name}' of {value} must be at least minimum 1")
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width.")


# --- the public functions --------------------------------------------------------------------------------------------


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Any]:
    """Reads the best label of each frame, and leaves out blanks and repetitions.

    >>> scores = [[[0.0, 1.0, 0.0]], [[2.0, 0.0, 1.0]]]
    >>> (decoded,), score = tf.nn.ctc_greedy_decoder(scores, [2])
    >>> decoded.values.numpy(), score.numpy()
    (array([1, 0]), array([[-3.]], dtype=float32))

    Args:
      inputs: scores `[frames, batch, labels]`, a float32 or float64 Tensor.
      sequence_length: int32 vector: how many frames of each row count.
      merge_repeated: whether to leave out repetitions.
      blank_index: which label is the blank; negative counts from the end. By default the last.

    Returns: A list of one int64 SparseTensor `[batch, longest]` with the labels, and a Tensor `[batch, 1]`: minus the
      sum of the scores of the best labels.
    Raises:
      tf.errors.InvalidArgumentError: if `inputs` is not of rank three, or `blank_index` out of range.
      tf.errors.FailedPreconditionError: if `sequence_length` does not fit `inputs`.
    """
    blank = -1 if blank_index is None else blank_index
    *parts, scores = raw.CTCGreedyDecoder(
        inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated, blank_index=blank
    )
    return [SparseTensor(*parts)], scores


@export("nn.ctc_beam_search_decoder", v1=["nn.ctc_beam_search_decoder_v2"])
def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """Reads the most probable label sequences.

    >>> scores = [[[0.0, 1.0, 0.0]], [[2.0, 0.0, 1.0]]]
    >>> (decoded,), log_probability = tf.nn.ctc_beam_search_decoder(scores, [2])
    >>> decoded.values.numpy(), log_probability.shape.as_list()
    (array([1, 0]), [1, 1])

    Args:
      inputs: scores `[frames, batch, labels]`, a float32 or float64 Tensor; the last label is the blank.
      sequence_length: int32 vector: how many frames of each row count.
      beam_width: how many label sequences are carried along.
      top_paths: how many of them to return.

    Returns: A list of `top_paths` int64 SparseTensors `[batch, longest]`, the most probable first, and a Tensor
      `[batch, top_paths]` with the logarithms of their probabilities.
    Raises:
      tf.errors.InvalidArgumentError: if `inputs` is not of rank three, or there are not `top_paths` sequences.
      tf.errors.FailedPreconditionError: if `sequence_length` does not fit `inputs`.
    """
    return beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)


def beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Any]:
    """Reads the most probable label sequences, as `tf.nn.ctc_beam_search_decoder`.

    Args:
      inputs: scores `[frames, batch, labels]`, the last label the blank.
      sequence_length: int32 vector: how many frames of each row count.
      beam_width: how many label sequences are carried along.
      top_paths: how many of them to return.
      merge_repeated: whether to leave out repetitions in the decoded labels.

    Returns: A list of `top_paths` int64 SparseTensors, and the logarithms of their probabilities.
    Raises: tf.errors.InvalidArgumentError or tf.errors.FailedPreconditionError, as `tf.nn.ctc_beam_search_decoder`.
    """
    indices, values, shapes, scores = raw.CTCBeamSearchDecoder(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)], scores

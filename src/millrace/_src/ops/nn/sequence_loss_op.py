"""`CTCLoss`: the CTC loss of sparse labels and its gradient, in one kernel.

The states of a sequence are its labels with blanks between and around them. Going forward, a path is carried from frame
to frame into each state; going backward, the rest of the path out of each state. Both together say how probable each
state is in each frame. The gradient is the softmax minus that (Graves 2006, equation 16). `tf.nn.ctc_loss` takes dense
labels and is a loop of ordinary ops: ops/nn/ctc_loss.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, merge_dim, with_rank
from millrace._src.ops.nn.sequence_decoders import log_probabilities

_SCORES = TypeSet((d.float32, d.float64), default=d.float32)
_NO_SECOND = (
    "Currently there is no way to take the second derivative of ctc_loss: its gradient is computed by the kernel"
)

# --- labels ----------------------------------------------------------------------------------------------------------


def _shapes(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    frames, batch, classes = with_rank(c.shape("inputs"), 3)
    (lengths,) = with_rank(c.shape("sequence_length"), 1)
    rows, _ = with_rank(c.shape("labels_indices"), 2)
    (values,) = with_rank(c.shape("labels_values"), 1)
    merge_dim(rows, values)
    batch = merge_dim(batch, lengths)
    return TensorShape([batch]), TensorShape([frames, batch, classes])


def _check_inputs(inputs: Any, indices: Any, values: Any, lengths: Any) -> None:
    if inputs.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if lengths.ndim != 1:
        raise invalid("sequence_length is not a vector")
    if indices.ndim != 2:
        raise invalid("labels_indices is not a matrix")
    if values.ndim != 1:
        raise invalid("labels_values is not a vector")
    frames, batch, _ = inputs.shape
    if lengths.size != batch:
        sizes = f"len(sequence_length):  {lengths.size} batch_size: {batch}"
        raise invalid(f"len(sequence_length) != batch_size.  {sizes}")
    if len(indices) != len(values):
        shapes = f"{dims_text(indices.shape)} vs. {dims_text(values.shape)}"
        raise invalid(
            f"labels_indices and labels_values must contain the same number of rows, but saw shapes: {shapes}"
        )
    if indices.shape[1] != 2:
        raise invalid("Order length must be SparseTensor rank.")
    for i, length in enumerate(lengths.tolist()):
        if not 0 <= length <= frames:
            raise invalid(f"seq_len({i}) < 0" if length < 0 else f"sequence_length({i}) <= {frames}")


def _check_order(indices: Any, batch: int) -> None:
    """Refuses indices of a sparse tensor out of range, out of order or twice."""
    limits = [batch, int(indices[:, 1].max(initial=-1)) + 1]
    before = None
    for i, index in enumerate(indices.tolist()):
        text = f"label SparseTensor is not valid: indices[{i}] = {dims_text(index)} is"
        if not all(0 <= at < limit for at, limit in zip(index, limits, strict=True)):
            raise invalid(f"{text} out of bounds: need 0 <= index < {dims_text(limits)}")
        if before is not None and index <= before:
            order = "out of order. Many sparse ops require sorted indices."
            raise invalid(f"{text} {'repeated' if index == before else order}")
        before = index


def _rows(indices: Any, values: Any, batch: int, blank: int, *, collapses: bool) -> list[list[int]]:
    """Returns the labels of each row, without blanks at the end."""
    rows: list[list[int]] = [[] for _ in range(batch)]
    for (row, _), value in zip(indices.tolist(), values.tolist(), strict=True):
        rows[row].append(value)
    return [_labels(row, i, blank, collapses=collapses) for i, row in enumerate(rows)]


def _labels(row: Sequence[int], batch: int, blank: int, *, collapses: bool) -> list[int]:
    text = ",".join(map(str, row))
    if not row:
        raise invalid(f"Labels length is zero in batch {batch}")
    if min(row) < 0:
        raise invalid(f"All labels must be nonnegative integers, batch: {batch} labels: {text}")
    count = next((i for i, label in enumerate(row) if label >= blank), len(row))
    if any(label < blank for label in row[count:]):
        seen = ",".join(map(str, row[:count]))
        message = "Saw a non-null label (index >= num_classes - 1) following a null label"
        details = f"batch: {batch} num_classes: {blank + 1} labels: {text} labels seen so far: {seen}"
        raise invalid(f"{message}, {details}")
    kept = row[:count]
    return [label for i, label in enumerate(kept) if not (collapses and i and kept[i - 1] == label)]


# --- paths -----------------------------------------------------------------------------------------------------------


class _States(NamedTuple):
    """The labels of a batch with blanks between and around them, `[batch, states]`, and the steps between them."""

    labels: Any
    stay_cost: Any
    skip_cost: Any
    is_last: Any


def _impossible(is_free: Any) -> Any:
    """Returns the logarithms of probabilities 1 and 0."""
    return np.where(is_free, 0.0, -np.inf)


def _states(rows: Sequence[Sequence[int]], blank: int, *, merges: bool) -> _States:
    counts = np.array([len(row) for row in rows])
    labels = np.full((len(rows), 2 * counts.max(initial=0) + 1), blank)
    for i, row in enumerate(rows):
        labels[i, 1 : 2 * len(row) : 2] = row
    column = np.arange(labels.shape[1])
    is_label = column % 2 == 1
    two_before = np.pad(labels, [(0, 0), (2, 0)])[:, :-2]
    can_skip = is_label & (column > 1) & ((labels != two_before) | (not merges))
    can_stay = np.broadcast_to(~is_label | merges, labels.shape)
    is_last = (column == 2 * counts[:, None]) | (column == 2 * counts[:, None] - 1)
    return _States(labels, _impossible(can_stay), _impossible(can_skip), is_last)


def _shift(x: Any, count: int) -> Any:
    """Moves states towards the end, or towards the front, and fills up with impossible ones."""
    filler = np.full((len(x), min(abs(count), x.shape[1])), -np.inf)
    if count > 0:
        return np.concatenate([filler, x[:, : x.shape[1] - count]], axis=1)
    return np.concatenate([x[:, -count:], filler], axis=1)


def _sum(*logarithms: Any) -> Any:
    return np.logaddexp.reduce(logarithms)


def _forward(observed: Any, states: _States) -> Any:
    """Returns the probabilities of the paths into each state, `[frames, batch, states]`."""
    paths = np.full(observed.shape[1:], -np.inf)
    paths[:, 0] = 0  # before the first frame a path is in a blank
    result = np.empty(observed.shape)
    for t, values in enumerate(observed):
        paths = values + _sum(paths + states.stay_cost, _shift(paths, 1), _shift(paths, 2) + states.skip_cost)
        result[t] = paths
    return result


def _backward(observed: Any, states: _States, lengths: Any) -> Any:
    """Returns the probabilities of the paths out of each state, from the next frame on."""
    last = _impossible(states.is_last)
    result = np.empty(observed.shape)
    paths = np.full(observed.shape[1:], -np.inf)
    skip_cost = _shift(states.skip_cost, -2)
    for t in reversed(range(len(observed))):
        if t + 1 < len(observed):
            after = paths + observed[t + 1]
            paths = _sum(after + states.stay_cost, _shift(after, -1), _shift(after, -2) + skip_cost)
        paths = np.where(lengths[:, None] == t + 1, last, paths)
        result[t] = paths
    return result


def _loss_and_gradient(logarithms: Any, states: _States, lengths: Any) -> tuple[Any, Any]:
    """Computes the loss of each row and the gradient, from logarithms `[frames, batch, labels]`."""
    index = np.broadcast_to(states.labels, (len(logarithms), *states.labels.shape))
    observed = np.take_along_axis(logarithms, index, 2)
    into, out_of = _forward(observed, states), _backward(observed, states, lengths)
    row = np.arange(len(lengths))
    ends = into[lengths - 1, row] + _impossible(states.is_last)
    total = np.logaddexp.reduce(ends, axis=1)
    known_total = np.where(np.isfinite(total), total, 0.0)
    share = np.exp(into + out_of - known_total[:, None])
    is_frame = np.arange(len(logarithms))[:, None, None] < lengths[:, None]
    gradient = np.exp(logarithms)
    frame = np.arange(len(logarithms))[:, None, None]
    np.subtract.at(gradient, (frame, row[:, None], states.labels), share)
    return -total, np.where(is_frame, gradient, 0.0)


@op(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> loss: T, gradient: T",
    T=_SCORES,
    shape=_shapes,
    host_only=True,
    not_batched="computes one batch at a time: tf.map_fn does it for many",
)
def ctc_loss_op(
    xp: Xp,
    inputs: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> tuple[Array, Array]:
    """Computes the CTC loss of sparse labels, and its gradient; the blank is the last label.

    >>> scores = tf.zeros([3, 1, 3])
    >>> loss, _ = tf.raw_ops.CTCLoss(
    ...     inputs=scores, labels_indices=[[0, 0], [0, 1]], labels_values=[0, 1], sequence_length=[3]
    ... )
    >>> loss.numpy().round(4)
    array([1.6864], dtype=float32)
    """
    _check_inputs(inputs, labels_indices, labels_values, sequence_length)
    _, batch, classes = inputs.shape
    _check_order(labels_indices, batch)
    rows = _rows(labels_indices, labels_values, batch, classes - 1, collapses=preprocess_collapse_repeated)
    counts = np.array([len(row) for row in rows], np.int64)
    is_longer = counts > sequence_length
    if is_longer.any() and not ignore_longer_outputs_than_inputs:
        i = int(is_longer.argmax())
        sizes = f"(required: {counts[i]}, available: {sequence_length[i]})"
        advice = "You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs"
        raise invalid(f"Not enough time for target transition sequence {sizes}{i}{advice}")
    states = _states(rows, classes - 1, merges=ctc_merge_repeated)
    loss, gradient = _loss_and_gradient(log_probabilities(inputs), states, sequence_length)
    is_left_out = is_longer | (sequence_length == 0)
    loss, gradient = np.where(is_left_out, 0, loss), np.where(is_left_out[:, None], 0, gradient)
    return loss.astype(inputs.dtype), gradient.astype(inputs.dtype)


@ctc_loss_op.gradient
def ctc_loss_gradient(dloss: Tensor, dgradient: Tensor, gradient: Tensor) -> tuple[Tensor, None, None, None]:
    weights = raw.ExpandDims(input=raw.ExpandDims(input=dloss, axis=0), axis=2)
    return weights * raw.PreventGradient(input=gradient, message=_NO_SECOND), None, None, None

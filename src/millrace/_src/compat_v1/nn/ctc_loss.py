"""CTC with the arguments of TensorFlow 1: labels are sparse, logits are `inputs`."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_arguments
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops.nn.ctc_loss import sparse_labels_loss
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export


@export(v1=["nn.ctc_loss"])
@v1_arguments(
    "labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
    "ignore_longer_outputs_than_inputs=False, time_major=True, logits=None",
    renamed={"inputs": "logits"},
)
def ctc_loss_v1(
    labels: object,
    logits: TensorLike,
    sequence_length: TensorLike | None,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
    time_major: bool,
) -> Any:
    """Computes the CTC loss of sparse labels; the last label is the blank.

    >>> labels = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([0, 1], tf.int32), [1, 2])
    >>> tf.compat.v1.nn.ctc_loss(labels, tf.zeros([3, 1, 3]), [3]).numpy().round(4)  # 5 of 27 paths spell 0, 1
    array([1.6864], dtype=float32)

    Args:
      labels: an int32 SparseTensor `[batch, max_label_length]`.
      logits: A floating point Tensor `[frames, batch, labels]`.
      sequence_length: int32 vector: how many frames of each row count.
      preprocess_collapse_repeated: whether to merge equal labels first.
      ctc_merge_repeated: whether equal labels on a path without a blank between them are one.
      ignore_longer_outputs_than_inputs: whether labels that do not fit have loss 0, rather than raise.
      time_major: whether the shape of `logits` begins with the frames.

    Returns: A Tensor `[batch]` of the dtype of `logits`.
    Raises:
      TypeError: if `labels` is not a SparseTensor.
      ValueError: if both `inputs` and `logits` are given.
      tf.errors.InvalidArgumentError: if a label is out of range, or labels do not fit.
    """
    if not isinstance(labels, SparseTensor):
        kind = type(labels).__name__
        raise TypeError(f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {kind}")
    scores = convert_to_tensor(logits, name="logits")
    return sparse_labels_loss(
        labels,
        scores,
        sequence_length,
        time_major,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )

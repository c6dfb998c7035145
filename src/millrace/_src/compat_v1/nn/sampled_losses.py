"""`nce_loss` and `sampled_softmax_loss` of TensorFlow 1, whose tables may hold their rows in turn.

Tests: tests/oracle/programs/v1_nn.py
"""

from __future__ import annotations

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.tensor import Tensor
from millrace._src.ops.nn.sampled_losses import compute_softmax_loss, noise_contrastive_loss
from millrace._src.util.export import export


@export(v1=["nn.nce_loss"])
def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Computes the noise-contrastive estimation loss, as `tf.nn.nce_loss` does.

    >>> tables = [tf.ones([5, 2]), tf.ones([4, 2])]  # the classes 0, 2, 4, 6, 8, and the others
    >>> tf.compat.v1.nn.nce_loss(tables, tf.zeros([9]), [[1], [3]], tf.ones([2, 2]), 4, num_classes=9).shape
    TensorShape([2])

    Args:
      weights: A Tensor `[num_classes, dim]`, or a list of Tensors that together are it.
      biases: A Tensor `[num_classes]`.
      labels: the true classes, integers `[batch, num_true]`.
      inputs: A Tensor `[batch, dim]`.
      num_sampled: how many classes to draw for the batch.
      num_classes: how many classes there are.
      num_true: how many true classes an example has.
      sampled_values: what a `tf.random.*_candidate_sampler` gave; None draws from `log_uniform_candidate_sampler`.
      remove_accidental_hits: whether drawn classes that are true ones are left out.
      partition_strategy: "mod": the parts of `weights` hold rows in turn; "div": the parts are contiguous.
      name: A name for the operation (optional).

    Returns: The loss of each example, `[batch]`.
    """
    tensors, sizes = (weights, biases, labels, inputs), (num_sampled, num_classes, num_true)
    return noise_contrastive_loss(tensors, sizes, sampled_values, remove_accidental_hits, name, partition_strategy)


@export(v1=["nn.sampled_softmax_loss"])
def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """Computes the softmax cross-entropy over true and drawn classes, as `tf.nn.sampled_softmax_loss` does.

    >>> tables = [tf.ones([5, 2]), tf.ones([4, 2])]  # the classes 0, 2, 4, 6, 8, and the others
    >>> tf.compat.v1.nn.sampled_softmax_loss(tables, tf.zeros([9]), [[1], [3]], tf.ones([2, 2]), 4, 9).shape
    TensorShape([2])

    Args:
      weights: A Tensor `[num_classes, dim]`, or a list of Tensors that together are it.
      biases: A Tensor `[num_classes]`.
      labels: the true classes, integers `[batch, num_true]`.
      inputs: A Tensor `[batch, dim]`.
      num_sampled: how many classes to draw for the batch.
      num_classes: how many classes there are.
      num_true: how many true classes an example has.
      sampled_values: what a `tf.random.*_candidate_sampler` gave; None draws from `log_uniform_candidate_sampler`.
      remove_accidental_hits: whether drawn classes that are true ones are left out.
      partition_strategy: "mod": the parts of `weights` hold rows in turn; "div": the parts are contiguous.
      name: A name for the operation (optional).
      seed: the sampler's seed.

    Returns: The loss of each example, `[batch]`.
    """
    tensors, sizes = (weights, biases, labels, inputs), (num_sampled, num_classes, num_true)
    return compute_softmax_loss(tensors, sizes, sampled_values, remove_accidental_hits, name, seed, partition_strategy)

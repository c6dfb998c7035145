"""Losses of very many classes, on a sample of the classes: `tf.nn.nce_loss` and `tf.nn.sampled_softmax_loss`.

Both compute the logits of the true classes and of a few drawn classes, corrected by how often the sampler draws each
class; the functions differ in the loss of these logits. Only the rows of the classes that were met are read and
receive a gradient.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat, stack
from millrace._src.ops.array.filling import ones, ones_like, zeros, zeros_like
from millrace._src.ops.array.reshaping import expand_dims, reshape
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.nn.cross_entropy import softmax_cross_entropy_with_logits
from millrace._src.ops.nn.embedding import lookup
from millrace._src.ops.nn.losses import sigmoid_cross_entropy_with_logits
from millrace._src.ops.random.candidate_samplers import compute_accidental_hits, log_uniform_candidate_sampler
from millrace._src.util.export import export


@export("nn.nce_loss", v1=[])
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
    name: str = "nce_loss",
) -> Tensor:
    """Computes the noise-contrastive estimation loss: each true class is told from drawn classes on its own.

    Gutmann & Hyvarinen, "Noise-contrastive estimation", 2010.

    >>> tf.random.set_seed(1)
    >>> loss = tf.nn.nce_loss(tf.ones([9, 2]), tf.zeros([9]), labels=[[1], [3]], inputs=tf.ones([2, 2]),
    ...                       num_sampled=4, num_classes=9)
    >>> loss.shape
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
      name: A name for the operation (optional).

    Returns: The loss of each example, `[batch]`.
    """
    tensors, sizes = (weights, biases, labels, inputs), (num_sampled, num_classes, num_true)
    return noise_contrastive_loss(tensors, sizes, sampled_values, remove_accidental_hits, name)


def noise_contrastive_loss(
    tensors: tuple[Any, ...],
    sizes: tuple[int, int, int],
    sampled: object,
    without_hits: bool,
    name: str,
    strategy: str = "div",
) -> Tensor:
    """Computes the noise-contrastive estimation loss.

    Args:
      tensors: the weights, the biases, the labels and the inputs, as of `nce_loss`.
      sizes: how many classes are drawn, how many there are, and how many true classes an example has.
      sampled: what a sampler gave, or None.
      without_hits: whether drawn classes that are true ones are left out.
      name: the name of the operation.
      strategy: how the rows of the table are shared out: "div" or "mod".

    Returns: The loss of each example.
    """
    logits, targets = _sample_logits(tensors, sizes, sampled, without_hits, None, strategy, name)
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _row_sums(losses)


@export("nn.sampled_softmax_loss", v1=[])
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
    seed: int | None = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """Computes the softmax cross-entropy over the true classes and a few drawn classes, instead of all classes.

    Jean et al., "On Using Very Large Target Vocabulary for Neural Machine Translation", 2014.

    >>> tf.random.set_seed(1)
    >>> loss = tf.nn.sampled_softmax_loss(tf.ones([9, 2]), tf.zeros([9]), labels=[[1], [3]], inputs=tf.ones([2, 2]),
    ...                                   num_sampled=4, num_classes=9)
    >>> loss.shape
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
      seed: the sampler's seed.
      name: A name for the operation (optional).

    Returns: The loss of each example, `[batch]`.
    """
    tensors, sizes = (weights, biases, labels, inputs), (num_sampled, num_classes, num_true)
    return compute_softmax_loss(tensors, sizes, sampled_values, remove_accidental_hits, name, seed)


def compute_softmax_loss(
    tensors: tuple[Any, ...],
    sizes: tuple[int, int, int],
    sampled: object,
    without_hits: bool,
    name: str,
    seed: int | None,
    strategy: str = "div",
) -> Tensor:
    """Computes the softmax cross-entropy over true and drawn classes.

    Args:
      tensors: the weights, the biases, the labels and the inputs, as of `sampled_softmax_loss`.
      sizes: how many classes are drawn, how many there are, and how many true classes an example has.
      sampled: what a sampler gave, or None.
      without_hits: whether drawn classes that are true ones are left out.
      name: the name of the operation.
      seed: the sampler's seed.
      strategy: how the rows of the table are shared out: "div" or "mod".

    Returns: The loss of each example.
    """
    logits, targets = _sample_logits(tensors, sizes, sampled, without_hits, seed, strategy, name)
    targets = raw.StopGradient(input=targets, name="labels_stop_gradient")
    result: Tensor = softmax_cross_entropy_with_logits(labels=targets, logits=logits)
    return result


def _row_sums(x: Any) -> Any:
    """Sums each row by a matrix product, which is fast in both directions."""
    return reshape(raw.MatMul(a=x, b=ones(stack([shape_of(x)[1], 1]), x.dtype)), [-1])


def _sample_logits(
    tensors: tuple[Any, ...],
    sizes: tuple[int, int, int],
    sampled: Any,
    without_hits: bool,
    seed: Any,
    strategy: str,
    name: str,
) -> tuple[Tensor, Tensor]:
    """Returns the logits `[batch, num_true + num_sampled]` of the true and the drawn classes, and their targets."""
    weights, biases, labels, inputs = tensors
    num_sampled, num_classes, num_true = sizes
    with name_scope(name, "compute_sampled_logits"):
        labels = cast(convert_to_tensor(labels, name="labels"), d.int64)
        inputs = convert_to_tensor(inputs, name="inputs")
        flat = reshape(labels, [-1])
        if sampled is None:
            sampled = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
        drawn_classes, true_count, drawn_count = (raw.StopGradient(input=s) for s in sampled)
        drawn_classes = cast(drawn_classes, d.int64)
        ids = concat([flat, drawn_classes], 0)
        true_w, drawn_w = _weights(weights, flat, ids, drawn_classes, strategy)
        drawn_logits = raw.MatMul(a=inputs, b=drawn_w, transpose_b=True)
        numbers = lookup(biases, ids, strategy, None, None)
        true_b = raw.Slice(input=numbers, begin=[0], size=shape_of(flat))
        drawn_b = raw.Slice(input=numbers, begin=shape_of(flat), size=[-1])
        true_logits = _true_logits(inputs, true_w, num_true) + reshape(true_b, [-1, num_true])
        drawn_logits = drawn_logits + drawn_b
        if without_hits:
            drawn_logits = drawn_logits + _hits(labels, drawn_classes, num_true, num_sampled, drawn_logits.dtype)
        true_logits = true_logits - raw.Log(x=true_count)
        drawn_logits = drawn_logits - raw.Log(x=drawn_count)
        logits = concat([true_logits, drawn_logits], 1)
        targets = [ones_like(true_logits) / num_true, zeros_like(drawn_logits)]
        return logits, concat(targets, 1)


def _weights(weights: object, flat: Any, ids: object, drawn: Any, strategy: str) -> tuple[Any, Any]:
    """Looks up the weights of the true and of the drawn classes."""
    rows = lookup(weights, ids, strategy, None, None)
    true_size = stack([shape_of(flat)[0], -1])
    true_w = raw.Slice(input=rows, begin=[0, 0], size=true_size)
    drawn_start = stack([shape_of(flat)[0], 0])
    drawn_w = raw.Slice(input=rows, begin=drawn_start, size=[-1, -1])
    if drawn.shape.is_fully_defined() and rows.shape.rank == 2:
        drawn_w.set_shape([drawn.shape.as_list()[0], rows.shape.as_list()[1]])
    return true_w, drawn_w


def _true_logits(inputs: Any, true_w: Any, num_true: int) -> Any:
    size = shape_of(true_w)[1:2]
    shape = concat([[-1, num_true], size], 0)
    products = raw.Mul(x=expand_dims(inputs, 1), y=reshape(true_w, shape))
    return reshape(_row_sums(reshape(products, concat([[-1], size], 0))), [-1, num_true])


def _hits(labels: Any, drawn: Any, num_true: int, num_sampled: int, dtype: DTypeLike) -> Any:
    """Returns a very negative number where a drawn class is a true one, else 0."""
    rows, columns, weights = compute_accidental_hits(labels, drawn, num_true)
    indices = concat([reshape(rows, [-1, 1]), reshape(cast(columns, d.int32), [-1, 1])], 1, name="sparse_indices")
    shape = concat([shape_of(labels)[:1], expand_dims(num_sampled, 0)], 0)
    return raw.TensorScatterUpdate(tensor=zeros(shape, dtype), indices=indices, updates=cast(weights, dtype))

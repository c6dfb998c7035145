"""How the losses of elements become one number, and the collection that each loss is added to."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.weights import broadcast_weights, check_broadcast
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.ranges import range_ as range_op
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.util.export import export

LOSSES = GraphKeys.LOSSES


@export(v1=["losses.Reduction"])
class Reduction:
    """Methods of reducing weighted losses to a number.

    - `NONE`: the losses of the elements stay.
    - `SUM`: their sum.
    - `MEAN`: their sum, by the sum of the weights.
    - `SUM_OVER_BATCH_SIZE`: their sum, by the number of elements.
    - `SUM_BY_NONZERO_WEIGHTS`: their sum, by the number of elements whose weight is not zero.

    >>> tf.compat.v1.losses.Reduction.SUM
    'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns all methods."""
        over = (cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)
        return (cls.NONE, cls.SUM, cls.MEAN, *over)

    @classmethod
    def validate(cls, key: str) -> None:
        """Refuses an unknown method.

        Raises: ValueError: for another string.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


@export(v1=["losses.add_loss"])
def add_loss(loss: TensorLike, loss_collection: str | None = LOSSES) -> None:
    """Adds a loss to a collection of the graph; eager mode has no collections.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.add_loss(tf.constant(1.0))
    ...     tf.compat.v1.losses.get_losses()
    [<tf.Tensor 'Const:0' shape=() dtype=float32>]

    Args:
      loss: A tensor.
      loss_collection: The name of the collection; None adds the loss to none.
    """
    if loss_collection and state.graph is not None:
        get_default_graph().add_to_collection(loss_collection, loss)


@export(v1=["losses.compute_weighted_loss"])
def compute_weighted_loss(
    losses: Any,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Weighs losses, reduces them to a number, and adds the number to a collection.

    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 2.0, 3.0], weights=[1.0, 0.0, 2.0]).numpy()
    np.float32(3.5)

    Args:
      losses: A tensor of numbers.
      weights: A number, or a tensor of the rank of `losses`, whose dimensions are those of `losses` or 1.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to; None adds it to none.
      reduction: A value of `Reduction`.

    Returns: A tensor of the dtype of `losses`: a scalar, or for `Reduction.NONE` one of the shape of `losses`.
    Raises: ValueError: if the weights do not broadcast, or the method is unknown.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss"):
        with check_broadcast(weights, losses):
            losses = convert_to_tensor(losses)
            weighed = cast(losses, d.float32)
            weights = cast(weights, d.float32)
            loss = _reduce(raw.Mul(x=weighed, y=weights), weights, reduction, weighed)
            result: Tensor = cast(loss, losses.dtype)
            add_loss(result, loss_collection)
            return result


def _reduce(products: Any, weights: Any, reduction: str, losses: Any) -> Any:
    """Reduces the products of losses and weights."""
    if reduction == Reduction.NONE:
        return products
    total = reduce_sum(products)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.MEAN:
        count = reduce_sum(ones_like(losses) * weights)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        with name_scope(None, "num_elements") as scope:
            count = cast(size_of(losses, name=scope), losses.dtype)
    else:
        count = count_weighted(losses, weights)
    return divide_no_nan(reduce_sum(total), count, name="value")


def count_weighted(losses: object, weights: Any, per_row: bool = False) -> Any:
    """Counts the elements whose weight is not zero, all together or for each row of the batch."""
    with name_scope(None, "num_present") as scope:
        weights = cast(weights, d.float32)
        present = where_select(raw.Equal(x=weights, y=0.0), zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_row:
            return reduce_sum(present, range_op(1, rank_of(present)), keepdims=True, name=scope)
        return reduce_sum(present, name=scope)

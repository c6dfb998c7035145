"""The losses that a graph has collected, and their sum.

Tests: tests/oracle/programs/v1_losses.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.constant import constant
from millrace._src.ops.math.aggregation import add_n
from millrace._src.util.export import export


@export(v1=["losses.get_losses"])
def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """Lists the losses of a collection.

    Args:
      scope: A regular expression that the names of the losses begin with; None lists all.
      loss_collection: The name of the collection.
    """
    return get_default_graph().get_collection(loss_collection, scope)


@export(v1=["losses.get_regularization_losses"])
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Lists the losses that regularizers of variables added.

    Args: scope: A regular expression that the names of the losses begin with; None lists all.
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export(v1=["losses.get_regularization_loss"])
def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """Returns the sum of the losses that regularizers added, 0 if there are none.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.losses.get_regularization_loss().shape
    TensorShape([])

    Args:
      scope: A regular expression that the names of the losses begin with; None sums all.
      name: A name for the sum.
    """
    losses = get_regularization_losses(scope)
    total: Tensor = add_n(losses, name=name) if losses else constant(0.0)
    return total


@export(v1=["losses.get_total_loss"])
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Returns the sum of the losses that the graph has collected.

    >>> with tf.Graph().as_default():
    ...     loss = tf.compat.v1.losses.mean_squared_error([1.0], [3.0])
    ...     tf.compat.v1.losses.get_total_loss()
    <tf.Tensor 'total_loss:0' shape=() dtype=float32>

    Args:
      add_regularization_losses: Whether the losses of regularizers count.
      name: A name for the sum.
      scope: A regular expression that the names of the losses begin with; None sums all.

    Raises: ValueError: if there are no losses.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    total: Tensor = add_n(losses, name=name)
    return total

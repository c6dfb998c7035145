"""`tf.distribute.ReduceOp`: how the values of replicas are combined."""

from __future__ import annotations

import enum
from typing import Any

from millrace._src.state.variable_traits import VariableAggregation
from millrace._src.util.export import export


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """How the values of several replicas become one value.

    >>> tf.distribute.get_strategy().reduce(tf.distribute.ReduceOp.MEAN, tf.constant([1.0, 3.0]), axis=0).numpy()
    np.float32(2.0)
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """Returns the reduction by which copies of a variable are combined.

        >>> tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.SUM)
        <ReduceOp.SUM: 'SUM'>

        Args: aggregation: `tf.VariableAggregation.SUM` or `MEAN`.
        Raises: ValueError: if the aggregation is not a reduction.
        """
        reductions = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}
        if aggregation not in reductions:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to`tf.distribute.ReduceOp` type"
            )
        return reductions[aggregation]


def as_reduction(reduce_op: object) -> Any:
    """Returns the `ReduceOp` that a name in upper or lower case means; anything but a text comes back as it is.

    Raises: ValueError: if no reduction has the name.
    """
    return ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op


def require_reduction(reduce_op: object) -> ReduceOp:
    """Returns the `ReduceOp` that a reduction or its name means.

    Raises:
      ValueError: if no reduction has the name.
      AssertionError: if `reduce_op` is neither a reduction nor a text.
    """
    reduction = as_reduction(reduce_op)
    if not isinstance(reduction, ReduceOp):
        raise AssertionError(f"reduce_op must be a tf.distribute.ReduceOp; received {reduce_op!r}.")
    return reduction

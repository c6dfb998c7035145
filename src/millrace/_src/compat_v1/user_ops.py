"""`tf.compat.v1.user_ops`: TensorFlow's example of an op of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops.shape_rules import unknown
from millrace._src.util.export import export


@op("Fact", " -> fact: string", shape=unknown, host_only=True, not_differentiable="text has no gradient")
def fact_op(xp: Xp) -> Array:
    """Returns a fact."""
    return np.asarray(b"0! == 1", object)


@export(v1=["user_ops.my_fact"])
def my_fact() -> Tensor:
    """Returns a fact.

    >>> tf.compat.v1.user_ops.my_fact().numpy()
    b'0! == 1'
    """
    fact: Any = fact_op()
    return fact

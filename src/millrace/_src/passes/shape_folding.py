"""Computes ahead the nodes that read only shapes (`tf.shape`, `tf.rank`, `tf.zeros_like`), where the shapes are known.

Most nodes of a gradient that are not arithmetic read shapes: the sizes to sum over, the zeros and ones to start from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.passes.constant_folding import computed
from millrace._src.passes.optimized_graph import Node, Value
from millrace._src.passes.rewrite import Rewriting


def _folded(node: Node) -> Sequence[Value] | None:
    if not node.op_def.traits.reads_only_shapes or not all(value.shape.is_fully_defined() for value in node.inputs):
        return None
    return computed(node, [_stand_in(value) for value in node.inputs])


def _stand_in(value: Value) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Returns an array of the shape and dtype of a value, which takes no memory."""
    return np.broadcast_to(np.zeros((), value.dtype.np_dtype), tuple([dim or 0 for dim in value.shape]))


REWRITING = Rewriting(lambda _: _folded)

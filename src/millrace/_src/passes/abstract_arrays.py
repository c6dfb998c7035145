"""Arrays instead of values, for readers of shapes and dtypes.

What reads only the shape of an input, such as `tf.shape` or a check of indices, can be run before there are
values: on zeros that take no memory. A variable of a known shape keeps that shape, so a new variable can stand in too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.execute import scalar_array
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.resources import VariableStorage
from millrace._src.passes.optimized_graph import Node, Value


def known_form(value: Value, tensor: object) -> Array | None:
    """Returns a constant, or what has the shape of a value and is zero; None for an unknown shape.

    Args:
      value: the value.
      tensor: the tensor of the user's graph, which knows what variable a handle refers to.
    """
    if value.constant is not None:
        return value.constant
    handle = getattr(tensor, "handle_type", None)
    if isinstance(handle, VariableHandle) and handle.shape.is_fully_defined():
        storage = VariableStorage(handle.dtype, handle.shape, "")
        storage.value = stand_in(handle.shape, handle.dtype.np_dtype)
        return scalar_array(storage, value.dtype)
    if value.dtype.is_handle or not value.shape.is_fully_defined():
        return None
    return stand_in(value.shape, value.dtype.np_dtype)


def stand_in(shape: Iterable[int | None], dtype: Any) -> Array:
    """Returns an array of zeros that takes no memory, for a reader of shapes and dtypes."""
    return np.broadcast_to(np.zeros((), dtype), [dim or 0 for dim in shape])


def known_forms(node: Node) -> list[Array | None]:
    """Returns the known form of each input of a node: see `known_form`."""
    tensors = node.origin.inputs if len(node.origin.inputs) == len(node.inputs) else [None] * len(node.inputs)
    return [known_form(value, tensor) for value, tensor in zip(node.inputs, tensors, strict=True)]

"""What users are told about the value of a tensor while a graph is built: `tf.get_static_value`.

Problem: shape rules fold whatever can be folded (`core.shape_context`). Libraries ask `tf.get_static_value` too, and
take another path where a value is known: Keras's programs would differ from what they are on TensorFlow.

Idea: ops declare whether users are told their value (`Traits.known_value`). The value follows from the inputs by the
op's own kernel. A caller may ask for parts: a stack of which only some elements are known is an array of objects.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import types
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.op_def import KnownValue, OpDef
from millrace._src.core.shape_context import compute_outputs, shape_only_stand_in
from millrace._src.core.tensor import EagerTensor, SymbolicTensor
from millrace._src.util.export import export


@export("get_static_value")
def get_static_value(tensor: object, partial: bool = False) -> Any:
    """Returns the value of a tensor if the value is known while tracing, else None.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)

    Known are constants, shapes, sizes and ranks, and what is made of known values by casts, stacks, concatenations,
    splits, ranges, fills and comparisons for equality. Sums and products are not, as in TensorFlow.

    Args:
      tensor: a Tensor; anything else that is not a tensor is returned as it is.
      partial: whether a stacked tensor of which only some elements are known comes as an array with None.

    Returns: A NumPy array or scalar, or None.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if not isinstance(tensor, SymbolicTensor):
        return None if isinstance(tensor, (types.Tensor, CompositeTensor)) else tensor
    return _known_value(tensor, partial)


def _known_value(tensor: Any, partial: bool) -> Any:
    if isinstance(tensor, EagerTensor):
        return tensor._eager_array
    op: OpDef | None = tensor.op.op_def
    if op is None:
        return None
    fact = op.traits.known_value
    known = fact if isinstance(fact, KnownValue) else fact(tensor.op.attrs)
    if known is KnownValue.NO:
        return None
    in_parts = partial and known is KnownValue.PARTS
    values = [_input_value(op, t, in_parts) for t in tensor.op.inputs]
    is_list = op.signature.inputs[:1] and op.signature.inputs[0].is_list
    if in_parts and is_list and any(v is None or v.dtype.hasobject for v in values):
        return np.array(values, dtype=object)
    if any(value is None for value in values):
        return None
    outputs = compute_outputs(tensor.op, values)
    value: Any = None if outputs is None else outputs[tensor.value_index]
    is_part = isinstance(value, np.ndarray) and value.dtype.hasobject and not value.ndim
    return value[()] if is_part and in_parts else value


def _input_value(op: OpDef, tensor: object, in_parts: bool) -> Any:
    value = _known_value(tensor, in_parts)
    return shape_only_stand_in(op, tensor) if value is None else value

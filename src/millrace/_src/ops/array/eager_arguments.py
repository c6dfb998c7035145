"""Shortcuts of eager calls: index arguments made tensors before the op sees them.

An op on tensors runs in a microsecond; an op that must find out what a list is takes ten. Shapes, axes and paddings are
nearly always ints or lists of ints, so the public functions convert such arguments first. While a graph is built the op
must convert them, because the op names the constant after the argument.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor, holds_tensor
from millrace._src.core.dtypes import float32, int32
from millrace._src.core.tensor import EagerTensor

_LISTS = (list, tuple)


@functools.lru_cache(maxsize=256)
def _small_int(value: int) -> EagerTensor:
    return EagerTensor(np.array(value, np.int32), int32)


def index_tensor(value: Any) -> Any:
    """Returns, in eager mode, an int or a list of ints as a tensor (an empty list as an integer tensor).

    Other values, and all values while a graph is built, are returned unchanged.
    """
    if state.graph is not None:
        return value
    kind = type(value)
    if kind is int and -(2**31) <= value < 2**31:
        return _small_int(value)
    if kind in _LISTS:
        tensor = convert_to_tensor(value)
        if not tensor.dtype.is_integer and holds_tensor(value):
            return value  # the op's own default decides
        if tensor.dtype is float32 and not tensor._eager_array.size:
            return EagerTensor(np.zeros(tensor._eager_array.shape, np.int32), int32)
        return tensor
    return value


def plain_arrays(values: Any) -> list[Any] | None:
    """Returns the arrays of a list of eager tensors of one dtype when nothing watches the call, else None."""
    if state.run is None or type(values) not in _LISTS or not values:
        return None
    dtype = getattr(values[0], "dtype", None)
    if not all(type(v) is EagerTensor and v.dtype is dtype for v in values):
        return None
    return [v._eager_array for v in values]

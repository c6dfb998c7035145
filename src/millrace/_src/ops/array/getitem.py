"""`tensor[...]`: Python's index syntax, put into TensorFlow's terms.

`SliceKey` reads a key once and collects the arguments of StridedSlice: begins, ends, strides, masks. Then there are
three paths. In eager mode with no listener, NumPy's own indexing takes the part. In eager mode under a tape, the
three vectors are made directly. In a graph the vectors are stacked by ops, under TensorFlow's names
(`strided_slice/stack`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int16, int32, int64
from millrace._src.core.op_registry import late_bound
from millrace._src.core.resources import is_variable
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import stack
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.array.slice_spec import Masks, cache_layout
from millrace._src.ops.array.slicing import strided_slice
from millrace._src.util.export import export_constant

newaxis = None
"""In a key: a new dimension of size 1."""
export_constant(__name__, "newaxis", "newaxis")

_INT32_RANGE = range(-(2**31), 2**31)
_INDEX_DTYPES = (int16, int32, int64)


@late_bound("getitem")
def getitem(tensor: Any, key: Any) -> Any:
    """Returns the part of a tensor that `tensor[key]` means.

    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> x[0, 1:].numpy()
    array([2, 3], dtype=int32)

    Args:
      tensor: a Tensor or Variable.
      key: ints, slices, `...`, `tf.newaxis`, scalar integer tensors, or a tuple or list of them; or a boolean mask.

    Returns: A Tensor.
    Raises:
      TypeError: for any other key.
      tf.errors.InvalidArgumentError: (ValueError while tracing) if an index is out of range.
    """
    is_plain = type(tensor) is EagerTensor and state.run is not None
    if is_plain and type(key) is int:
        return _element(tensor, key)
    if _is_mask(key):
        return boolean_mask(tensor, key)
    parts = SliceKey(key if isinstance(key, (list, tuple)) else (key,))
    if state.graph is None and parts.is_static():
        return _static_slice(tensor, parts, is_plain)
    return _symbolic_slice(tensor, parts)


def _element(tensor: EagerTensor, at: int) -> EagerTensor:
    """Takes `x[3]`, the most frequent key."""
    value = tensor._eager_array
    if not value.ndim:
        raise _refuse("Attempting to slice scalar input.")
    size = value.shape[0]
    if not -size <= at < size:
        first = at + size if at < 0 else at
        raise _refuse(f"slice index {first} of dimension 0 out of bounds.")
    return EagerTensor(value[at, ...], tensor.dtype)


def _is_mask(key: object) -> bool:
    if isinstance(key, bool):
        return True
    return isinstance(key, (Tensor, np.ndarray, np.bool_)) and key.dtype in ("bool", np.bool_)


class SliceKey:
    """A key taken apart: one begin, end and stride for each item of the key, and the masks."""

    def __init__(self, items: Any) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.begin_mask = self.end_mask = self.ellipsis_mask = self.new_axis_mask = self.shrink_axis_mask = 0
        for position, item in enumerate(items):
            bit = 1 << position
            if isinstance(item, slice):
                self._add_slice(item, bit)
            elif item is Ellipsis:
                self.ellipsis_mask |= bit
                self._add(0, 0, 1)
            elif item is None:
                self.new_axis_mask |= bit
                self._add(0, 0, 1)
            else:
                self.shrink_axis_mask |= bit
                self._add_index(_validate(item))

    def _add(self, begin: Any, end: Any, stride: Any) -> None:
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def _add_index(self, index: Any) -> None:
        if not isinstance(index, Tensor):
            self._add(index, index + 1, 1)
        else:
            self._add(index, index + 1, 1 if index.dtype is int32 else _one_like(index))

    def _add_slice(self, item: slice, bit: int) -> None:
        start, stop, step = (None if v is None else _validate(v) for v in (item.start, item.stop, item.step))
        dtype = next((v.dtype for v in (start, stop, step) if isinstance(v, Tensor)), None)
        if start is None:
            self.begin_mask |= bit
        if stop is None:
            self.end_mask |= bit
        self._add(*(_default(value, fallback, dtype) for value, fallback in ((start, 0), (stop, 0), (step, 1))))

    def is_static(self) -> bool:
        """Returns whether every bound is known now."""
        return not any(isinstance(v, Tensor) and type(v) is not EagerTensor for part in self.parts() for v in part)

    def parts(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Returns the begins, the ends and the strides."""
        return self.begin, self.end, self.strides

    def masks(self) -> Masks:
        """Returns the five masks."""
        return Masks(self.begin_mask, self.end_mask, self.ellipsis_mask, self.new_axis_mask, self.shrink_axis_mask)


def _validate(index: Any) -> Any:
    """Returns an index as a Python int or a scalar integer Tensor.

    Raises: TypeError: if the index is neither.
    """
    if type(index) is int or isinstance(index, (bool, np.bool_)):
        return index
    if not isinstance(index, (Tensor, np.ndarray, np.generic)) and hasattr(index, "__tf_tensor__"):
        index = convert_to_tensor(index)  # a Variable
    if isinstance(index, Tensor):
        if index.dtype in _INDEX_DTYPES and index.shape.rank in (0, None):
            return index
        raise _bad_index(index)
    if getattr(index, "ndim", 0) == 0 and hasattr(index, "__index__"):
        return index.__index__()
    raise _bad_index(index)


def _bad_index(index: object) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {index!r}"
    )


def _one_like(index: Any) -> Any:
    return _constant(1, index.dtype)


def _default(value: object, fallback: int, dtype: DType | None) -> Any:
    """Returns a bound, or the fallback of a bound left out: beside a Tensor, a constant of the Tensor's dtype."""
    if value is not None:
        return value
    return fallback if dtype is None else _constant(fallback, dtype)


def _constant(value: int, dtype: DType) -> Any:
    return value if state.graph is None else convert_to_tensor(value, dtype=dtype)


# --- eager -------------------------------------------------------------------------------------------------------


def _static_slice(tensor: Any, key: SliceKey, is_plain: bool) -> Any:
    begin, end, strides = ([v if isinstance(v, (bool, np.bool_)) else int(v) for v in part] for part in key.parts())
    masks = key.masks()
    if is_plain and not any(isinstance(v, (bool, np.bool_)) for v in begin):
        index = cache_layout(tensor._eager_array.shape, tuple(begin), tuple(end), tuple(strides), masks, _refuse).key
        return EagerTensor(tensor._eager_array[index], tensor.dtype)
    bounds = [_bound_vector(part) for part in (begin, end, strides)]
    if any(b.dtype is int64 for b in bounds):
        bounds = [EagerTensor(b._eager_array.astype(np.int64), int64) for b in bounds]
    return _slice(tensor, bounds, key, "strided_slice")


def _refuse(complaint: str) -> errors.OpError:
    return errors.op_error("StridedSlice", complaint, name="strided_slice/")


def _bound_vector(values: list[Any]) -> Any:
    wide = not all(v in _INT32_RANGE for v in values)
    return convert_to_tensor(values, dtype=int64 if wide else None if values else int32)


def _slice(tensor: Any, bounds: list[Any], key: SliceKey, name: str) -> Any:
    begin, end, strides = bounds
    return strided_slice(tensor, begin, end, strides, *key.masks(), var=_variable(tensor), name=name)


def _variable(tensor: object) -> Any:
    return tensor if is_variable(tensor) else None


# --- graph -------------------------------------------------------------------------------------------------------


def _symbolic_slice(tensor: object, key: SliceKey) -> Any:
    with name_scope(None, "strided_slice") as scope:
        if key.begin:
            bounds = [_symbolic_bounds(part) for part in key.parts()]
            if any(b.dtype is int64 for b in bounds):
                bounds = [b if b.dtype is int64 else raw.Cast(x=b, DstT=int64) for b in bounds]
        else:
            empty_vector = convert_to_tensor([], dtype=int32, name="Const")
            bounds = [empty_vector, empty_vector, empty_vector]
        return _slice(tensor, bounds, key, scope or "strided_slice")


def _symbolic_bounds(values: list[Any]) -> Any:
    """Returns begins, ends or strides as a vector; the name is that of a stack, also where the vector is a constant."""
    if state.graph is not None and all(type(v) is int and v in _INT32_RANGE for v in values):
        return state.graph.constant(np.array(values, np.int32), int32, "stack")
    return stack(values)

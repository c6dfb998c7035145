"""From Python and NumPy values to arrays, by TensorFlow's rules.

Problem: `tf.constant` has rules of its own. Python numbers are int32 (int64 when they do not fit) and float32, NumPy
values keep their dtype, lists have rules of their own, and an explicit dtype changes all of these rules.

Idea: one table from exact types to short functions. Python's own scalars go straight to NumPy, arrays are copied and
named, and everything else is looked at element by element (`sequences`). Arrays are always fresh, C-contiguous copies:
tensors own their buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import dtypes
from millrace._src.core.aligned_memory import copy_aligned
from millrace._src.core.array_namespace import Array
from millrace._src.core.constant_errors import graph_complaint
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, from_np
from millrace._src.core.sequences import FLOAT32_MAX, array_of_list, array_of_sequence, text_array, utf8_bytes

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
_INT32, _FLOAT32 = np.dtype(np.int32), np.dtype(np.float32)


def make_array(value: object, dtype: DType | None = None) -> tuple[Array, DType]:
    """Converts a Python or NumPy value to a freshly owned, C-contiguous array and its dtype.

    >>> from millrace._src.core.arrays import make_array
    >>> make_array([1, 2.5])
    (array([1. , 2.5], dtype=float32), tf.float32)

    Args:
        value: a Python scalar, a nested sequence of scalars, a NumPy array or scalar, or an object with `__array__`.
            No tensors: `convert_to_tensor` packs tensors.
        dtype: the dtype of the result; None infers the dtype.

    Raises:
        TypeError: if the value has no form in `dtype`.
        ValueError: if the value is malformed (ragged, mixed, out of range) or of a type that no tensor holds.
    """
    try:
        return _SHORTCUTS.get(type(value), _from_other)(value, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        if state.graph is None:
            raise
        raise graph_complaint(value, dtype, error) from None


def _from_other(value: object, dtype: DType | None) -> tuple[Array, DType]:
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if not isinstance(value, (list, tuple)) and _converts_itself(value):
        return _from_numpy(_own_array(value), dtype)
    return array_of_sequence(value, dtype)


# --- Python scalars --------------------------------------------------------------------------------------------------


def _from_int(value: int, dtype: DType | None) -> tuple[Array, DType]:
    if _INT32_MIN <= value <= _INT32_MAX:
        if dtype is None or dtype is dtypes.int32:
            return np.array(value, _INT32), dtypes.int32
        if dtype is dtypes.int64 or (dtype.is_floating and dtype.size >= 4):
            return np.array(value, dtype.np_dtype), dtype
    return array_of_sequence(value, dtype)


def _from_float(value: float, dtype: DType | None) -> tuple[Array, DType]:
    if (dtype is None or dtype is dtypes.float32) and -FLOAT32_MAX <= value <= FLOAT32_MAX:
        return np.array(value, _FLOAT32), dtypes.float32
    if dtype is dtypes.float64:
        return np.array(value, dtype.np_dtype), dtype
    return array_of_sequence(value, dtype)


def _from_bool(value: bool, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is dtypes.bool_:
        return np.array(value), dtypes.bool_
    return array_of_sequence(value, dtype)


def _from_complex(value: complex, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is dtypes.complex128:
        return np.array(value), dtypes.complex128
    return array_of_sequence(value, dtype)


def _from_text(value: str | bytes, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is dtypes.string:
        array = np.empty((), object)
        array[()] = utf8_bytes(value)
        return array, dtypes.string
    return array_of_sequence(value, dtype)


# --- NumPy -----------------------------------------------------------------------------------------------------------


def _converts_itself(value: object) -> bool:
    return not isinstance(value, type) and (
        hasattr(value, "__array__")
        or hasattr(value, "__array_interface__")
        or hasattr(value, "__array_struct__")
        or (hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"))
    )


def _own_array(value: object) -> Array:
    if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    return np.from_dlpack(value)


def _from_numpy(value: object, dtype: DType | None) -> tuple[Array, DType]:
    array = np.asarray(value)
    if dtype is None:
        try:
            inferred = from_np(array.dtype)
        except TypeError:
            raise _unsupported_error(_why_unsupported(value, array.dtype)) from None
        if inferred is not dtypes.string:
            return _copy_in_storage_type(array, inferred), inferred
    elif dtype is not dtypes.string:
        return _cast(array, dtype), dtype
    if array.dtype.kind not in _TEXT_KINDS and array.size:
        raise _unsupported_error(f"Unsupported object type {type(array.reshape(-1)[0].item()).__name__}")
    return _text_array(array), dtypes.string


_TEXT_KINDS = "SUTO"


def _copy_in_storage_type(array: Array, dtype: DType) -> Array:
    """Copies an array of `dtype` in its storage type: native byte order, quantized values as plain integers."""
    if array.dtype is dtype.np_dtype:
        return copy_aligned(array)
    return np.array(array, array.dtype.newbyteorder("="), order="C").view(dtype.np_dtype)


def _cast(array: Array, dtype: DType) -> Array:
    """Casts as NumPy's unsafe cast does, without warnings."""
    if dtype is dtypes.variant:
        raise TypeError(f"Invalid dtype argument value {dtype.enum}")
    if dtype is dtypes.resource:
        raise _unsupported_error("Unexpected numpy data type")
    if array.dtype.kind == "c" and not dtype.is_complex and not dtype.is_bool:
        array = array.real
    if array.dtype.fields is not None:
        array = array.view(from_np(array.dtype).np_dtype)
    if array.dtype is dtype.np_dtype:
        return copy_aligned(array)
    with np.errstate(all="ignore"):
        return np.array(array, dtype.np_dtype, order="C")


def _text_array(array: Array) -> Array:
    """Converts an array of text or objects to an array of bytes."""
    items = array.reshape(-1).tolist()
    for cls in set(map(type, items)):
        if not issubclass(cls, (str, bytes)):
            wrong = next(item for item in items if not isinstance(item, (str, bytes)))
            raise _unsupported_error(f"Unsupported object type {type(wrong).__name__}")
    try:
        return text_array(items).reshape(array.shape)
    except ValueError as error:
        raise _unsupported_error("Unable to convert element to UTF-8") from error


def _unsupported_error(why: str) -> ValueError:
    return ValueError(f"Failed to convert a NumPy array to a Tensor ({why}).")


def _why_unsupported(value: object, np_dtype: np.dtype[Any]) -> str:
    if np_dtype.type is np.void:
        return "Unsupported numpy data type" if isinstance(value, np.ndarray) else "Unexpected numpy data type"
    return f"Unsupported numpy type: {_C_TYPE_NAMES.get(np_dtype.char, 'not a numpy type')}"


_C_TYPE_NAMES = {"M": "NPY_DATETIME", "m": "NPY_TIMEDELTA", "g": "NPY_LONGDOUBLE", "G": "NPY_CLONGDOUBLE"}

_SHORTCUTS: dict[type, Callable[[Any, DType | None], tuple[Array, DType]]] = {
    int: _from_int,
    float: _from_float,
    bool: _from_bool,
    complex: _from_complex,
    str: _from_text,
    bytes: _from_text,
    list: array_of_list,
    tuple: array_of_list,
    np.ndarray: _from_numpy,
}
"""By exact type: the function that converts the values that programs convert most."""

"""Conversions to tensors with TensorFlow 1's arguments."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core import convert
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.util.export import export, export_constant

convert_to_tensor = v1_wrapper(
    "convert_to_tensor",
    convert.convert_to_tensor,
    "value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None",
    """
    >>> tf.compat.v1.convert_to_tensor([1, 2], preferred_dtype=tf.float32).numpy()
    array([1., 2.], dtype=float32)
    """,
    renamed={"preferred_dtype": "dtype_hint"},
)
export_constant(__name__, "convert_to_tensor", v1=["convert_to_tensor"])


@export(v1=["convert_to_tensor_or_indexed_slices"])
def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Converts a value to a tensor, and leaves `tf.IndexedSlices` and other composite tensors as they are.

    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).numpy()
    array([1, 2], dtype=int32)

    Args:
      value: A composite tensor, or what `tf.convert_to_tensor` takes.
      dtype: The dtype that the result must have; None takes any.
      name: A name for the constant (optional).

    Returns: A tensor, or `value`.
    Raises: ValueError: if `value` has another dtype.
    """
    if not isinstance(value, CompositeTensor):
        return convert.convert_to_tensor(value, dtype, name=name)
    if dtype is not None and isinstance(value, IndexedSlices) and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {as_dtype(dtype).name} for `value` ({value}) with "
            f"dtype {value.dtype.name}."
        )
    return value

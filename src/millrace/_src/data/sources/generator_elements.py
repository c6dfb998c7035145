"""What Python code yields, as arrays, element by element.

An element must have the structure of the signature, and each leaf the shape; values are cast to the dtypes, as NumPy
casts. Elements of one plain kind (numbers of one type, arrays of one shape, texts) go to columns instead, see
`generator_columns.py`.

A generator may write the next element over the last one, into the same array, list or dictionary: elements that wait
for others are kept as copies.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType, string
from millrace._src.core.sequences import utf8_bytes
from millrace._src.core.specs import TensorSpec, type_spec_from_value
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import TypeSpec
from millrace._src.data.structure import ElementStructure
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util import nest

_FIXED = frozenset({int, float, bool, complex, str, bytes, type(None)})


def copy_mutable(value: Any) -> Any:
    """Returns a value as it is now, whatever its owner does with it: what could change is copied."""
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is np.ndarray:
        return value.copy()
    if kind is dict:
        return {key: item if type(item) in _FIXED else copy_mutable(item) for key, item in value.items()}
    if kind is tuple or kind is list:
        return kind([item if type(item) in _FIXED else copy_mutable(item) for item in value])
    if isinstance(value, (np.generic, Tensor, CompositeTensor)):
        return value
    try:
        return copy.deepcopy(value)
    except TypeError:
        return value  # a file, a lock: nothing that becomes a tensor, as its conversion will say


def row_of(element: object, structure: ElementStructure) -> list[Array]:
    """Returns the arrays of an element.

    Raises: TypeError: if the element does not fit the structure.
    """
    leaves: list[Any] = []
    if not _collect(structure.spec, element, leaves):
        expected_types = nest.map_structure(_shown_type, structure.spec)
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The expected structure was "
            f"{expected_types}, but the yielded element was {element}."
        )
    pairs = zip(leaves, structure.leaves, strict=True)
    return [array for leaf, spec in pairs for array in _arrays(leaf, spec)]


def _shown_type(spec: object) -> Any:
    return spec.dtype if isinstance(spec, TensorSpec) else spec


def _arrays(value: Any, spec: Any) -> list[Array]:
    """Returns the arrays of a leaf: one, or those of the tensors of a composite value.

    Raises: TypeError: if the leaf does not fit.
    """
    if isinstance(spec, TensorSpec):
        return [_array(value, spec)]
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, CompositeTensor) or not spec.is_compatible_with(value):
        given = _spec_or_class(value)
        raise TypeError(f"`generator` yielded an element of {given} where an element of {spec} was expected.")
    return [tensor._eager_array for tensor in spec._to_tensor_list(value)]


def _spec_or_class(value: Any) -> Any:
    """Returns the spec of what a generator yielded, or the class where there is no spec."""
    try:
        return type_spec_from_value(value)
    except TypeError:
        return type(value)


def _collect(spec: Any, element: Any, leaves: list[Any]) -> bool:
    """Lists the leaves of an element; returns False if it is of another structure. A list is a leaf."""
    if isinstance(spec, TypeSpec):
        leaves.append(element)
        return True
    if isinstance(spec, dict):
        if not isinstance(element, dict) or element.keys() != spec.keys():
            return False
        return all(_collect(spec[key], element[key], leaves) for key in sorted(spec))
    if not isinstance(element, tuple) or len(element) != len(spec):
        return False
    return all(_collect(part, value, leaves) for part, value in zip(spec, element, strict=True))


def _array(value: Any, spec: Any) -> Array:
    """Returns a value as an array of the expected dtype and shape.

    Raises: TypeError: if that is not possible.
    """
    try:
        array = _convert(value, spec.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return array


def _convert(value: object, dtype: DType) -> Array:
    if dtype is not string:
        return np.array(value, order="C").astype(dtype.np_dtype, copy=False)
    texts = np.array(value, dtype=object)
    if texts.ndim == 0:
        texts[()] = _text(texts[()])
        return texts
    flat = [_text(item) for item in texts.reshape(-1).tolist()]
    result = np.empty(len(flat), dtype=object)
    result[:] = flat
    return result.reshape(texts.shape)


def _text(item: object) -> bytes:
    if isinstance(item, (str, bytes)):
        return utf8_bytes(item)
    raise errors.InternalError(None, None, f"Unsupported object type {type(item).__name__}")

"""What Python code yields, as arrays: element by element, or many elements column by column.

An element must have the structure of the signature, and each leaf the shape; values are cast to the dtypes, as NumPy
casts. Where all elements of a block are of one plain kind (numbers of one type, arrays of one shape, texts) their
columns are converted in one go. Any other elements are converted one by one, which tells whose fault an error is.

A generator may write the next element over the last one, into the same array, list or dictionary: elements that wait
for others are kept as copies.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.array_namespace import Array
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType, string
from millrace._src.core.sequences import object_array, utf8_bytes
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import TypeSpec
from millrace._src.data.blocks import Block
from millrace._src.data.structure import Structure
from millrace._src.util import nest

_FIXED = frozenset({int, float, bool, complex, str, bytes, type(None)})


def kept(value: Any) -> Any:
    """Returns a value as it is now, whatever its owner does with it: what could change is copied."""
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is np.ndarray:
        return value.copy()
    if kind is dict:
        return {key: item if type(item) in _FIXED else kept(item) for key, item in value.items()}
    if kind is tuple or kind is list:
        return kind([item if type(item) in _FIXED else kept(item) for item in value])
    if isinstance(value, (np.generic, Tensor, CompositeTensor)):
        return value
    try:
        return copy.deepcopy(value)
    except TypeError:
        return value  # a file, a lock: nothing that becomes a tensor, as its conversion will say


def row_of(element: Any, structure: Structure) -> list[Array]:
    """Returns the arrays of an element.

    Raises: TypeError: if the element does not fit the structure.
    """
    leaves: list[Any] = []
    if not _collect(structure.spec, element, leaves):
        expected_types = nest.map_structure(lambda leaf: leaf.dtype, structure.spec)
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The expected structure was "
            f"{expected_types}, but the yielded element was {element}."
        )
    return [_array(leaf, spec) for leaf, spec in zip(leaves, structure.tensor_specs, strict=True)]


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
        array = _converted(value, spec.dtype)
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


def _converted(value: Any, dtype: DType) -> Array:
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


def _text(item: Any) -> bytes:
    if isinstance(item, (str, bytes)):
        return utf8_bytes(item)
    raise errors.InternalError(None, None, f"Unsupported object type {type(item).__name__}")


# --- many elements at once ---------------------------------------------------------------------------------------


def block_of(elements: Sequence[Any], structure: Structure) -> Block | None:
    """Returns elements as a block, converted column by column; None if they are not all of one plain kind."""
    values = _values(elements, structure.spec)
    if values is None:
        return None
    columns = [_column(column, spec) for column, spec in zip(values, structure.tensor_specs, strict=True)]
    return None if any(column is None for column in columns) else Block(columns, len(elements))


def _values(elements: Sequence[Any], spec: Any) -> Sequence[Sequence[Any]] | None:
    """Returns for each leaf its values in all elements; None if the structure is not flat, or not that of the spec."""
    if isinstance(spec, TypeSpec):
        return [elements]
    kinds, sizes = set(map(type, elements)), {len(e) for e in elements if isinstance(e, (dict, tuple))}
    if len(kinds) != 1 or sizes != {len(spec)} or any(not isinstance(leaf, TypeSpec) for leaf in nest.children(spec)):
        return None
    if type(spec) is tuple and kinds == {tuple}:
        return list(zip(*elements, strict=True))
    if type(spec) is dict and kinds == {dict} and all(e.keys() == spec.keys() for e in elements):
        return [[e[key] for e in elements] for key in sorted(spec)]
    return None


def _column(values: Sequence[Any], spec: Any) -> Array | None:
    """Returns values as one array with the elements first; None if they are not all of one plain kind."""
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if spec.dtype is string:
        return object_array([utf8_bytes(v) for v in values]) if kind in (str, bytes) and not spec.shape.rank else None
    if kind is np.ndarray:
        shape, dtype = values[0].shape, values[0].dtype
        if any(v.shape != shape or v.dtype != dtype for v in values) or not shape or dtype.hasobject:
            return None
        column = np.stack(values, out=empty_array((len(values), *shape), dtype))
    elif kind in (int, float, bool) or issubclass(kind, np.number):
        column = np.array(values)
    else:
        return None
    if column.dtype.hasobject or not spec.shape.is_compatible_with(column.shape[1:]):
        return None
    return column.astype(spec.dtype.np_dtype, copy=False)

"""Why a Python value is not a constant of a graph, in TensorFlow's words.

TensorFlow has two conversions of values, in C++ for eager tensors and in Python for the constants of graphs. Each
conversion has its own messages, even its own exception classes. Millrace has one (`arrays`, with the eager messages).
When a conversion fails while a graph is built, the functions here find the message of TensorFlow's Python conversion.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from millrace._src.core.dtypes import DType

_DTYPES_PAGE = "https://www.tensorflow.org/api_docs/python/tf/dtypes"


def graph_complaint(value: object, dtype: DType | None, error: Exception) -> Exception:
    """Makes the exception for a value that cannot be a constant of a graph; `error` is the exception of eager mode."""
    if isinstance(value, (np.ndarray, np.generic)):
        return error
    if value is None:
        return ValueError("None values not supported.")
    if dtype is not None:
        for element in _elements(value):
            if not _suits(element, dtype):
                return TypeError(f"Expected {dtype.name}, but got {element} of type '{type(element).__name__}'.")
    uneven = _unevenness(value)
    if uneven is not None:
        return ValueError(uneven)
    if dtype is None:
        return TypeError(
            f"Failed to convert elements of {value} to Tensor. Consider casting elements to a supported type. "
            f"See {_DTYPES_PAGE} for supported TF dtypes."
        )
    return error


def _elements(value: object) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _elements(item)
    else:
        yield value


def _suits(element: object, dtype: DType) -> bool:
    """Returns whether one element may stand in a constant of the dtype."""
    if dtype.name == "string":
        return isinstance(element, (str, bytes))
    if dtype.is_bool:
        return isinstance(element, (bool, np.bool_))
    kind = numbers.Integral if dtype.is_integer else numbers.Complex if dtype.is_complex else numbers.Real
    return isinstance(element, (kind, np.bool_)) or not dtype.is_numeric


def _unevenness(value: object) -> str | None:
    """Returns NumPy's complaint about lists of different lengths."""
    try:
        np.array(value)
    except ValueError as error:
        return str(error)
    except Exception:
        return None
    return None

"""What values of variant tensors have in common: each knows its zero.

An element of a variant tensor is an object: a list of tensors, a sparse matrix, the parts of a ragged tensor. Gradients
begin with zeros, and only the object can say what its zero is. Objects without a zero, such as datasets, refuse.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import InternalError


class VariantValue(ABC):
    """An object in a variant tensor that has a zero."""

    __slots__ = ()

    @abstractmethod
    def zeros_like(self) -> Self:
        """Makes the zero of this value: what can be added to the value without a change."""


def zeros_of(array: Array) -> Array:
    """Makes zeros of the shape and dtype of an array of NumPy; of texts empty ones, of variants their own zeros.

    Raises: InternalError: for a variant or resource that has no zero.
    """
    if array.dtype.kind != "O":
        return np.zeros_like(array)
    zeros = np.full(array.shape, b"", object)
    flat_zeros = zeros.reshape(-1)
    for index, item in enumerate(array.reshape(-1)):  # objects, of which each has a zero of its own
        if type(item) is not bytes:
            flat_zeros[index] = _zero_of(item)
    return zeros


def _zero_of(item: object) -> VariantValue:
    if not isinstance(item, VariantValue):
        message = f"No unary variant unary_op function found for op ZEROS_LIKE: {type(item).__name__} has no zero"
        raise InternalError(None, None, message)
    return item.zeros_like()

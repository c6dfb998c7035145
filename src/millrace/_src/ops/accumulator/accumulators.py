"""Conditional accumulators: objects that add up gradients of several workers until enough have come.

A worker states the step at which it read the parameters. A gradient of a step before the accumulator's own is stale and
left out. Taking the gradient waits until enough gradients have come, resets the sum and begins the next step.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import UnimplementedError, invalid
from millrace._src.core.handle_types import ObjectHandle, Referent
from millrace._src.core.shapes import TensorShape
from millrace._src.core.waiting import wait_for
from millrace._src.ops.array.shape_checks import dims_text


class Accumulator(Referent):
    """A sum of gradients, and how many have come.

    Args:
      dtype: The dtype of the gradients.
      shape: The static shape of the gradients.
      reduction: "MEAN" or "SUM": what is taken out.
    """

    def __init__(self, dtype: DType, shape: TensorShape, reduction: str) -> None:
        if reduction not in ("MEAN", "SUM"):
            allowed = '"MEAN", "SUM"'
            raise invalid(
                f"Value for attr 'reduction_type' of \"{reduction}\" is not in the list of allowed values: {allowed}"
            )
        if not dtype.is_floating:
            raise UnimplementedError(
                None, None, f"Accumulators of {dtype.name} are not supported: use a floating dtype."
            )
        self.dtype = dtype
        self.shape = shape
        self.reduction = reduction
        self.count = 0
        self._step = 0
        self._has_come = threading.Condition()

    @property
    def handle_type(self) -> ObjectHandle:
        """The type that all accumulators share."""
        return ObjectHandle("accumulator")

    def set_global_step(self, step: int) -> None:
        """Sets the step below which gradients are stale."""
        with self._has_come:
            self._step = step

    def apply(self, local_step: int, *gradient: object) -> None:
        """Adds a gradient, unless the gradient is stale."""
        with self._has_come:
            if local_step < self._step:
                return
            self._add(*gradient)
            self.count += 1
            self._has_come.notify_all()

    def take(self, required: int) -> Any:
        """Waits until `required` gradients have come; returns their mean or sum, and begins the next step."""
        if required < 1:
            raise invalid(f"Argument num_required must be >= 1, got {required}")
        with self._has_come:
            wait_for(self._has_come, lambda: self.count >= required)
            result = self._reduce()
            self.count = 0
            self._step += 1
            return result

    def require(self, dtype: DType) -> None:
        """Refuses gradients of another dtype."""
        if dtype is not self.dtype:
            names = runtime_name(self.dtype), runtime_name(dtype)
            raise invalid(f"Signature mismatch: the accumulator is of {names[0]}, the gradient of {names[1]}")

    @abstractmethod
    def _add(self, *gradient: Any) -> None:
        """Adds a gradient to the sum."""

    @abstractmethod
    def _reduce(self) -> Any:
        """Returns the mean or the sum, and forgets the gradients."""


class DenseAccumulator(Accumulator):
    """A sum of dense gradients."""

    _total: Array | None = None

    def _add(self, gradient: Array) -> None:
        expected = self.shape if self._total is None else TensorShape(self._total.shape)
        if not expected.is_compatible_with(TensorShape(gradient.shape)):
            raise invalid(f"Shape mismatch: expected {dims_text(expected)}, got {dims_text(gradient.shape)}")
        self._total = gradient if self._total is None else self._total + gradient

    def _reduce(self) -> Array:
        assert self._total is not None  # enough gradients have come
        total, self._total = self._total, None
        if self.reduction == "SUM":
            return total
        return np.asarray(total / np.array(self.count, total.dtype)).astype(total.dtype, copy=False)


class SparseAccumulator(Accumulator):
    """A sum of gradients that have few rows: row numbers and rows.

    A row's mean is over the gradients that have the row.
    """

    _indices: Array | None = None
    _rows: Array
    _counts: Array

    def _add(self, indices: Array, values: Array, shape: Array, has_known_shape: bool) -> None:
        self._check(indices, values, shape if has_known_shape else None)
        if self._indices is None:
            self._indices, self._rows, self._counts = indices, values, np.ones(len(indices), np.int64)
            return
        indices, rows = _without_repetition(indices, values)
        own_indices, own_rows, own_counts = self._indices, self._rows, self._counts
        if len(np.unique(own_indices)) < len(own_indices):
            own_indices, own_rows = _without_repetition(own_indices, own_rows)
            own_counts = np.ones(len(own_indices), np.int64)
        merged, row_numbers = np.unique(np.concatenate([own_indices, indices]), return_inverse=True)
        self._indices = merged
        self._rows = np.zeros((len(merged), *rows.shape[1:]), rows.dtype)
        np.add.at(self._rows, row_numbers.reshape(-1), np.concatenate([own_rows, rows]))
        counts = np.concatenate([own_counts, np.ones(len(indices), np.int64)])
        self._counts = np.bincount(row_numbers.reshape(-1), counts, len(merged)).astype(np.int64)

    def _check(self, indices: Array, values: Array, shape: Array | None) -> None:
        if indices.ndim != 1:
            raise invalid(f"Input indices should be vector but received shape: {dims_text(indices.shape)}")
        if not values.ndim or len(values) != len(indices):
            raise invalid(
                f"Shape mismatch: the number of rows of values {dims_text(values.shape)} differs from that of "
                f"indices {dims_text(indices.shape)}"
            )
        if shape is not None and not self.shape.is_compatible_with(TensorShape(shape.tolist())):
            raise invalid(f"Shape mismatch: expected shape {dims_text(self.shape)}, got {dims_text(shape.tolist())}")
        rows = self.shape[1:] if self.shape.rank else TensorShape(None)
        expected = rows if self._indices is None else TensorShape(self._rows.shape[1:])
        if not expected.is_compatible_with(TensorShape(values.shape[1:])):
            raise invalid(f"Shape mismatch: expected rows of {dims_text(expected)}, got {dims_text(values.shape[1:])}")
        limit = self.shape.as_list()[0] if self.shape.rank else None
        if len(indices) and limit is not None and not 0 <= int(indices.min()) <= int(indices.max()) < limit:
            raise invalid(f"Shape mismatch: index of slice to accumulate is out of range [0, {limit})")

    def _reduce(self) -> tuple[Array, Array, Array]:
        assert self._indices is not None  # enough gradients have come
        indices, self._indices = self._indices, None
        rows = self._rows
        if self.reduction == "MEAN":
            rows = (rows / self._counts.reshape(-1, *[1] * (rows.ndim - 1))).astype(rows.dtype)
        known = self.shape.as_list() if self.shape.rank is not None else [None, *rows.shape[1:]]
        return indices, rows, np.array([-1 if size is None else size for size in known], np.int64)


def _without_repetition(indices: Array, values: Array) -> tuple[Array, Array]:
    """Adds up rows of the same number."""
    distinct, row_numbers = np.unique(indices, return_inverse=True)
    rows = np.zeros((len(distinct), *values.shape[1:]), values.dtype)
    np.add.at(rows, row_numbers.reshape(-1), values)
    return distinct, rows

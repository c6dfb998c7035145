"""The rows of tensors and composites, as flat tensors with the rows first.

Problem: `tf.map_fn` and `tf.vectorized_map` go through the rows of ragged tensors, sparse tensors and the user's own
types as they do through those of tensors, and stack such values again.

Idea: a `BatchableTypeSpec` says which tensors represent a batch, one entry for each row, and which tensors for one
row. Between the two, only tensors are read and stacked.

Tests: tests/control_flow/test_map_fn.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.specs import TensorSpec
from millrace._src.core.type_specs import BatchableTypeSpec, TypeSpec, type_spec_from_value
from millrace._src.util import nest

Refusal = Callable[[TypeSpec, Any], Exception]
"""Makes the error for a value whose spec knows no batches."""


class MappedRows:
    """The values that a function is applied to, row by row.

    Args:
      structure: the nest that the function takes.
      values: the leaves of the nest: tensors and composites.
      refusal: makes the error for a composite without rows.
    """

    def __init__(self, structure: Any, values: Sequence[Any], refusal: Refusal) -> None:
        specs = [type_spec_from_value(value) for value in values]
        for spec, value in zip(specs, values, strict=True):
            if not isinstance(spec, BatchableTypeSpec):
                raise refusal(spec, value)
        self._structure = structure
        self.specs = specs
        self.tensors = [t for spec, v in zip(specs, values, strict=True) for t in spec._to_batched_tensor_list(v)]
        """The tensors that have an entry for each row."""

    def row(self, tensors: Sequence[Any]) -> Any:
        """Returns the nest of one row, of the row's entries of all tensors."""
        remaining = iter(tensors)
        return nest.pack_sequence_as(self._structure, [value_of(spec._unbatch(), remaining) for spec in self.specs])


def value_of(spec: Any, tensors: Iterator[Any]) -> Any:
    """Makes a value of a spec of the next tensors of an iterator."""
    return spec._from_compatible_tensor_list([next(tensors) for _ in spec._flat_tensor_specs])


def tensors_of(spec: Any, value: Any, refusal: Callable[[Any, Any], Exception]) -> list[Any]:
    """Returns the tensors that represent one row's value in a stack.

    Args:
      spec: what the value should be.
      value: what a function returned.
      refusal: makes the error for a composite that is not of the spec.
    """
    if isinstance(spec, TensorSpec):
        return [convert_to_tensor(value, dtype_hint=spec.dtype)]
    if not spec.is_compatible_with(value):
        raise refusal(spec, value)
    tensors: list[Any] = spec._to_tensor_list(value)
    return tensors


def stack_rows(structure: object, specs: Sequence[Any], tensors: Sequence[Any], count: int | None) -> Any:
    """Returns the nest of stacked values.

    Args:
      structure: the nest of one row's result.
      specs: the specs of its leaves.
      tensors: the stacked tensors.
      count: the number of rows, or None if unknown.
    """
    remaining = iter(tensors)
    values = [
        next(remaining) if isinstance(spec, TensorSpec) else value_of(spec._batch(count), remaining) for spec in specs
    ]
    return nest.pack_sequence_as(structure, values)

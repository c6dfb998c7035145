"""`tf.ragged.map_flat_values`: any function that works element by element, applied to ragged tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.util import nest
from millrace._src.util.export import export


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """Calls a function with the flat values instead of ragged tensors, and gives the result their partitions.

    >>> x = tf.ragged.constant([[1, 2, 3], [], [4, 5]])
    >>> tf.ragged.map_flat_values(lambda values: values * 10, x)
    <tf.RaggedTensor [[10, 20, 30], [], [40, 50]]>

    Args:
      op: the function; its result has as many rows as the flat values.
      *args: arguments; ragged tensors, also in lists, tuples and dicts, have the same partitions.
      **kwargs: arguments by name, likewise.

    Returns: A RaggedTensor; the result itself if there is no ragged tensor.
    Raises:
      ValueError: if the partitions or the result do not fit.
      tf.errors.InvalidArgumentError: if row splits differ.
    """
    ragged_inputs = [value for value in nest.flatten((args, kwargs)) if isinstance(value, RaggedTensor)]
    if not ragged_inputs:
        return op(*args, **kwargs)
    partitions = _common_partitions(ragged_inputs)
    flat_args, flat_kwargs = nest.map_structure(flat_values_of, (args, kwargs))
    result = op(*flat_args, **flat_kwargs)
    size = ragged_inputs[0].flat_values.shape[:1]
    if result.shape.rank == 0 or not result.shape[:1].is_compatible_with(size):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
            f"flat_values of any ragged inputs. (output shape: {result.shape}; expected outer dimension size: "
            f"{size[0]})"
        )
    return RaggedTensor._from_nested_row_partitions(result, partitions, validate=False)


def on_flat_values(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """Applies an element-wise function to dense tensors, or to ragged tensors made to have equal partitions.

    Unlike `map_flat_values`, nothing is checked.
    """
    if not isinstance(value, RaggedTensor):
        return function(value, *others)
    return value.with_flat_values(function(value.flat_values, *[other.flat_values for other in others]))


def flat_values_of(value: object) -> Any:
    """Returns the flat values of a ragged tensor; any other value as it is."""
    return value.flat_values if isinstance(value, RaggedTensor) else value


def _common_partitions(ragged_inputs: Sequence[RaggedTensor]) -> list[RowPartition]:
    """Returns the partitions that all ragged tensors have."""
    if len({ragged._row_partition.dtype for ragged in ragged_inputs}) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row partition dtypes; use RaggedTensor.with_row_splits_dtype() to "
            "convert them to compatible dtypes."
        )
    if len({ragged.ragged_rank for ragged in ragged_inputs}) > 1:
        raise ValueError("All ragged inputs must have the same ragged_rank.")
    sizes = {ragged.flat_values.shape[0] for ragged in ragged_inputs if ragged.flat_values.shape.rank} - {None}
    if len(sizes) > 1:
        raise ValueError(
            f"Input RaggedTensors' flat_values must all have the same outer-dimension size.  Got sizes: {sizes}"
        )
    partitions = list(ragged_inputs[0]._nested_row_partitions)
    for ragged in ragged_inputs[1:]:
        pairs = zip(partitions, ragged._nested_row_partitions, strict=True)
        partitions = [a._merge_precomputed_encodings(b) for a, b in pairs]
    return partitions

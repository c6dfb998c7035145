"""What recurrent networks ask of a cell, and one step of a network over sequences of several lengths.

A *cell* is any object with `state_size`, `output_size`, `zero_state(batch_size, dtype)` or `get_initial_state`, that is
called with an input and a state and returns an output and the next state. Sizes and states may be nested structures.

Tests: tests/compat_v1/nn/test_recurrence.py, tests/oracle/programs/v1_recurrent.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import zeros
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.util import nest


def require_cell(name: str, cell: object) -> None:
    """Refuses an object that is not a cell.

    Raises: TypeError: if something is missing.
    """
    offered = set(dir(cell))
    claims = (
        ("output_size" in offered, "'output_size' property is missing"),
        ("state_size" in offered, "'state_size' property is missing"),
        (
            offered & {"zero_state", "get_initial_state"},
            "either 'zero_state' or 'get_initial_state' method is required",
        ),
        (callable(cell), "is not callable"),
    )
    missing = [words for is_true, words in claims if not is_true]
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


def first_state(cell: Any, state: object, batch_size: Any, dtype: object) -> Any:
    """Returns the given initial state, or the cell's.

    Raises: ValueError: if there is neither a state nor a dtype.
    """
    if state is not None:
        return nest.map_structure(convert_to_tensor, state)
    if dtype is None:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def dtype_of_state(dtype: object, state: Any) -> d.DType:
    """Returns the dtype of outputs: the given dtype, or that of the state.

    Raises: ValueError: if parts of the state have several dtypes and none is given.
    """
    if dtype is not None:
        return d.as_dtype(dtype)
    parts = nest.flatten(state)
    if not parts:
        raise ValueError("Unable to infer dtype from argument `state`, which is empty.")
    dtypes = {part.dtype for part in parts}
    if len(dtypes) > 1:
        raise ValueError("Argument `state` has tensors of different inferred dtypes. Unable to infer a single dtype.")
    inferred: d.DType = parts[0].dtype
    return inferred


def batch_size_of(inputs: object, axis: int) -> Any:
    """Returns the size of the batch: a number if it is known of any input, else a tensor."""
    for part in nest.flatten(inputs):
        size = part.shape.as_list()[axis] if part.shape.rank is not None else None
        if size is not None:
            return size
    return shape_of(nest.flatten(inputs)[0])[axis]


def full_shape(batch_size: object, size: object) -> list[Any]:
    """Returns the shape of a batch of outputs or states of a size: a number, a list or a `TensorShape`."""
    return [batch_size, *(TensorShape([size]) if isinstance(size, int) else TensorShape(size)).as_list()]


def zero_outputs(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """Returns zeros in the structure of a cell's outputs."""
    return _map_sizes(lambda size: zeros(_stack(full_shape(batch_size, size)), dtype), cell.output_size)


def _stack(shape: list[Any]) -> Any:
    return shape if all(isinstance(size, int) for size in shape) else raw.Pack(values=[cast(s, d.int32) for s in shape])


def _map_sizes(function: Callable[[Any], Any], sizes: object) -> Any:
    """Applies a function to the sizes in a structure; a `TensorShape` is one size."""
    return nest.map_structure(function, sizes)


def sequence_lengths(lengths: Any) -> Any:
    """Returns the lengths of sequences as an int32 vector.

    Raises: ValueError: if they are not a vector.
    """
    if lengths is None:
        return None
    lengths = cast(lengths, d.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. "
            f"Received sequence_length={lengths} of shape: {lengths.shape}"
        )
    return raw.Identity(input=lengths, name="sequence_length")


def keep_where(is_over: object, old: object, new: object) -> Any:
    """Returns the old values in the rows whose sequence is over, and the new values in the others."""
    return nest.map_structure(lambda a, b: _keep(is_over, a, b), old, new)


def _keep(is_over: Any, old: Any, new: Any) -> Any:
    if not isinstance(new, Tensor) or new.shape.rank == 0:  # an array of tensors, or a counter: common to all rows
        return new
    kept = where_select(is_over, old, new)
    kept.set_shape(new.shape)
    return kept

"""How public functions of `tf.nn` read their arguments.

A user gives strides as one number, one a spatial dimension or one a dimension; paddings as a mode or as pairs; images
with several batch dimensions. Ops know one form of each. The functions here turn the first into the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_ops import shape as shape_of


def for_all_dimensions(value: Any, spatial: int, channel_axis: int, name: str) -> list[int]:
    """Returns one number a dimension, from one for all spatial dimensions, one for each, or the complete list.

    Raises: ValueError: if the list has another length.
    """
    values = [1] if value is None else list(value) if isinstance(value, Iterable) else [value]
    if len(values) == spatial + 2:
        return values
    if len(values) == 1:
        values = values * spatial
    elif len(values) != spatial:
        raise ValueError(
            f"{name} should be of length 1, {spatial} or {spatial + 2}. "
            f"Received: {name}={value} of length {len(values)}"
        )
    return [1, 1, *values] if channel_axis == 1 else [1, *values, 1]


def padding_attributes(padding: object, length: int = 4) -> tuple[Any, list[int]]:
    """Returns the attributes `padding` and `explicit_paddings` for "SAME", "VALID" or a list of pairs.

    Raises: ValueError: if the list is not `length` pairs.
    """
    if not isinstance(padding, (list, tuple)):
        if padding == "EXPLICIT":
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
            )
        return padding, []
    flat: list[int] = []
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            what = f"of size {len(pair)}" if isinstance(pair, (list, tuple)) else f"of type {type(pair)}"
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                f"Received: padding={padding} with element at index {i} {what}"
            )
        flat.extend(pair)
    if len(padding) != length:
        raise ValueError(
            f"When padding is a list, it must be of size {length}. Received: padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", flat


def is_channels_first(data_format: str | None) -> bool:
    """Returns whether a data format has the channels before the spatial dimensions."""
    return data_format is not None and data_format.startswith("NC")


def merge_batch_dimensions(
    input: Any, function: Callable[[Tensor], Tensor], inner_rank: int, name: str | None = None
) -> Tensor:
    """Applies a function of one batch dimension to a tensor of several: all but the last `inner_rank` become one."""
    with name_scope(name, "squeeze_batch_dims"):
        input = convert_to_tensor(input, name="input")
        inner, batch = input.shape[-inner_rank:], input.shape[:-inner_rank]
        inner_sizes = inner.as_list() if inner.is_fully_defined() else shape_of(input)[-inner_rank:]
        batch_sizes = batch.as_list() if batch.is_fully_defined() else shape_of(input)[:-inner_rank]
        if isinstance(inner_sizes, list):
            flat = reshape(input, [-1, *inner_sizes])
        else:
            flat = reshape(input, concat([[-1], inner_sizes], axis=-1))
        result = function(flat)
        end = result.shape[-inner_rank:]
        end_sizes = end.as_list() if end.is_fully_defined() else shape_of(result)[-inner_rank:]
        output = reshape(result, concat([batch_sizes, end_sizes], axis=-1))
        output.set_shape(batch.concatenate(end))
        return output

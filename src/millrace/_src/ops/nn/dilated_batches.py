"""Dilation by moving the spaces between a window's elements into the batch.

A window with elements `rate` apart over an image is a dense window over each of `rate ** 2` smaller images. In
TensorFlow `tf.nn.convolution`, `tf.nn.pool` and depthwise convolutions compute dilations so, with the ops
SpaceToBatchND and BatchToSpaceND around a dense op; graphs show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.concat import stack
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.space_to_batch import (
    batch_to_space_nd,
    required_space_to_batch_paddings,
    space_to_batch_nd,
)
from millrace._src.ops.nn.arguments import is_channels_first


def through_batch(
    input: Tensor,
    rates: Sequence[int],
    padding: object,
    function: Callable[[Tensor, Any], Tensor],
    filter_shape: Callable[[], Tensor] | None,
    data_format: str | None,
) -> Tensor:
    """Computes `function(input, padding)` with windows whose elements are `rates` apart.

    Args:
      input: `[batch, *spatial, channels]` or `[batch, channels, *spatial]`.
      rates: the distance of a window's elements, one a spatial dimension.
      padding: "SAME", "VALID" or a list of pairs for all dimensions.
      function: an op over dense windows; gets the input and the padding that is left to do.
      filter_shape: makes a Tensor that starts with the sizes of the window; for "SAME".
      data_format: says where the channels are.

    Returns: A Tensor.
    Raises: ValueError: if a rate is not positive.
    """
    rate_values = np.asarray(rates, np.int32)
    rate = convert_to_tensor(rate_values, name="dilation_rate")
    if rate_values.min(initial=1) < 1:
        raise ValueError(f"all values of `dilation_rate` must be positive. Received: dilation_rate={rate_values}")
    if (rate_values == 1).all():
        return function(input, padding)
    first = 2 if is_channels_first(data_format) else 1
    base = _base_paddings(padding, rate_values, filter_shape, first)
    static = input.shape.as_list()[first : first + len(rate_values)] if input.shape.rank is not None else [None]
    sizes = static if None not in static else _dynamic_sizes(input, first, len(rate_values))
    paddings, crops = required_space_to_batch_paddings(sizes, rate, base)
    block = np.concatenate([np.ones(first - 1, np.int32), rate_values])
    parts = space_to_batch_nd(input, block, _with_channels(paddings, first))
    result = function(parts, "VALID")
    return batch_to_space_nd(result, block, _with_channels(crops, first))


def _dynamic_sizes(input: Tensor, first: int, count: int) -> Tensor:
    shape = shape_of(input)
    return stack([shape[first + i] for i in range(count)])


def _base_paddings(padding: Any, rates: Any, filter_shape: Any, first: int) -> Any:
    """Returns the padding that the whole dilated window needs, `[before, after]` a spatial dimension."""
    if isinstance(padding, (list, tuple)):
        return np.array(padding, np.int32)[first : first + len(rates)]
    if padding == "VALID":
        return np.zeros([len(rates), 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"Invalid padding method {padding!r}")
    shape = filter_shape()
    shape_values = static_value(shape)
    if shape_values is not None:
        extra = (shape_values[: len(rates)] - 1) * rates
        return convert_to_tensor(np.stack([extra // 2, extra - extra // 2], axis=1).astype(np.int32), name="stack")
    extra = (shape[: len(rates)] - 1) * rates
    start = extra // 2
    return stack([stack([start[i], extra[i] - start[i]]) for i in range(len(rates))])


def _with_channels(paddings: Tensor, first: int) -> Any:
    """Adds a row of zeros to paddings for channels that stand before the spatial dimensions."""
    padding_values = static_value(paddings)
    if padding_values is not None:
        return np.concatenate([np.zeros([first - 1, 2], np.int32), padding_values])
    if first == 1:
        return paddings
    zero = convert_to_tensor(np.zeros(2, np.int32), dtype=int32)
    rows: Any = paddings.shape.as_list()[0]
    return stack([zero, *(paddings[i] for i in range(rows))])

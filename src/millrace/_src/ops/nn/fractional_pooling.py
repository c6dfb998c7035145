"""Pooling by a factor that is not an integer: `tf.nn.fractional_max_pool` and `fractional_avg_pool`.

The rows (and the columns) are cut at random into as many regions as the result has. Each region is as long as the
others or longer by one: the lengths are shuffled, or the regions are cut evenly from a random start ("pseudo-random").
One seed cuts where TensorFlow cuts. Graham, "Fractional Max-Pooling", 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.nn.arguments import for_all_dimensions
from millrace._src.ops.random.philox import WORDS_PER_BLOCK, Stream, blocks
from millrace._src.ops.random.seeds import KernelStream, op_seeds, stream_of
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_NUMBERS = TypeSet((d.float32, d.float64, d.int32, d.int64))


# --- where to cut ----------------------------------------------------------------------------------------------------


def _words(xp: Xp, attrs: dict[str, Any], stream: KernelStream | None) -> Callable[[int], list[int]]:
    """Returns a function that takes random words in whole blocks, from a stream or from the start the seeds fix."""
    if stream is None:
        stream = KernelStream(attrs["seed"], attrs["seed2"])
    return lambda count: _plain(xp, stream.take(-(-count // WORDS_PER_BLOCK)), count)


def _plain(xp: Xp, stream: Stream, count: int) -> list[int]:
    words = np.asarray(blocks(xp, stream, -(-count // WORDS_PER_BLOCK))).reshape(-1)
    return [int(word) for word in words[:count]]


def _cuts(size: int, regions: int, take: Callable[[int], list[int]], evenly: bool) -> Any:
    """Returns where regions begin, and the size as the last element."""
    if evenly:
        return _even_cuts(size, regions, take(2))
    lengths = [size // regions + 1] * (size % regions) + [size // regions] * (regions - size % regions)
    for i, word in enumerate(take(regions)):
        other = i + word % (regions - i)
        lengths[i], lengths[other] = lengths[other], lengths[i]
    return np.cumsum([0, *lengths], dtype=np.int64)


def _even_cuts(size: int, regions: int, words: list[int]) -> Any:
    step = size / regions
    whole = size // regions
    most = min((whole + 2) / step - 1, (size + 1 - whole) / step - (regions - 1))
    start = (((words[0] & 0xFFFFF) << 32) | words[1]) / 2.0**52 * most
    borders = [math.ceil(step * (i + start)) - 1 for i in range(1, regions)]
    return np.array([0, *borders, size], np.int64)


def _regions(cuts: Any, size: int, overlapping: bool) -> list[slice]:
    """Returns the elements of each region; overlapping regions share their borders."""
    ends = [min(int(end) + 1, size) if overlapping else int(end) for end in cuts[1:]]
    return [slice(int(start), end) for start, end in zip(cuts[:-1], ends, strict=True)]


def _sizes(shape: Sequence[int], ratios: Sequence[float]) -> list[int]:
    if len(shape) != 4:
        raise InvalidArgumentError(None, None, "tensor_in must be 4-dimensional")
    if len(ratios) != 4:
        raise InvalidArgumentError(None, None, "pooling_ratio field must specify 4 dimensions")
    for i, (size, ratio) in enumerate(zip(shape, ratios, strict=True)):
        if ratio < 1:
            raise InvalidArgumentError(None, None, f"pooling_ratio cannot be smaller than 1, got: {ratio}")
        if size < ratio:
            raise InvalidArgumentError(
                None,
                None,
                f"Pooling ratio is higher than input dimension size for dimension {i}. "
                f"Input dim size: {size} pooling ratio: {ratio}",
            )
    return [int(np.float32(size) / np.float32(ratio)) for size, ratio in zip(shape, ratios, strict=True)]


def _shape(c: ShapeContext) -> list[TensorShape]:
    shape, ratios = c.shape("value"), c.attr("pooling_ratio")
    if shape.rank not in (None, 4):
        raise ValueError(f"Shape must be rank 4 but is rank {shape.rank}")
    if len(ratios) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    dims = shape.as_list() if shape.rank is not None else [None] * 4
    out = [None if n is None else int(np.float32(n) / np.float32(r)) for n, r in zip(dims, ratios, strict=True)]
    return [TensorShape(out), *(TensorShape([None if n is None else n + 1]) for n in out[1:3])]


def _reduce(xp: Xp, x: Array, attrs: dict[str, Any], average: bool, stream: KernelStream | None) -> tuple[Any, ...]:
    """Reduces each region to one element, the rows first; returns the result and the cuts."""
    sizes, dtype = _sizes(x.shape, attrs["pooling_ratio"]), x.dtype
    take = _words(xp, attrs, stream)
    cuts = [_cuts(x.shape[axis], sizes[axis], take, attrs["pseudo_random"]) for axis in (1, 2)]
    reduce = _mean if average else np.max
    for axis, cuts_of_axis in zip((1, 2), cuts, strict=True):
        regions = _regions(cuts_of_axis, x.shape[axis], attrs["overlapping"])
        lead = (slice(None),) * axis
        x = np.stack([reduce(x[(*lead, region)], axis=axis) for region in regions], axis=axis)
    return x.astype(dtype), *cuts


def _bind_stream(function: OpFunction, average: bool) -> None:
    """Binds an op to its stream, once for each call site; a deterministic op starts over every time."""

    def bind(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        stream = None if attrs["deterministic"] else _unseeded_stream(attrs)
        return lambda value: _reduce(xp, value, attrs, average, stream)

    function.specialize(bind)


def _unseeded_stream(attrs: dict[str, Any]) -> Any:
    """Returns the stream of an op that is not deterministic.

    Raises: InvalidArgumentError: if the op has a seed: TensorFlow takes seeds of deterministic ops alone.
    """
    if attrs.get("seed") or attrs.get("seed2"):
        raise InvalidArgumentError(None, None, "Both seed and seed2 should be 0 if deterministic is false.")
    return stream_of(attrs)


def _mean(x: Array, axis: int) -> Array:
    return x.sum(axis=axis, dtype=np.float64) / x.shape[axis]


# --- ops -------------------------------------------------------------------------------------------------------------


@op(
    "FractionalMaxPool",
    "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    T=_NUMBERS,
    shape=_shape,
    effects=Effects.RANDOM,
    host_only=True,
    not_batched="the regions are drawn anew for each row",
)
def fractional_max_pool_op(
    xp: Xp,
    value: Array,
    *,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
) -> tuple[Array, ...]:
    """Computes the largest element of each region of a random partition; also returns where the regions begin."""
    attrs = {"pooling_ratio": pooling_ratio, "pseudo_random": pseudo_random, "overlapping": overlapping}
    return _reduce(xp, value, {**attrs, "seed": seed, "seed2": seed2}, False, None)


_bind_stream(fractional_max_pool_op, average=False)


@fractional_max_pool_op.gradient
def fractional_max_pool_gradient(
    dy: Tensor,
    drows: Tensor,
    dcolumns: Tensor,
    value: Tensor,
    output: Tensor,
    row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor,
    overlapping: bool,
) -> Tensor:
    return raw.FractionalMaxPoolGrad(
        orig_input=value,
        orig_output=output,
        out_backprop=dy,
        row_pooling_sequence=row_pooling_sequence,
        col_pooling_sequence=col_pooling_sequence,
        overlapping=overlapping,
    )


@op(
    "FractionalMaxPoolGrad",
    "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 -> "
    "output: T",
    T=_NUMBERS,
    shape=same_shape,
    host_only=True,
    batching=folding("orig_input", "orig_output", "out_backprop"),
)
def fractional_max_pool_grad_op(
    xp: Xp,
    orig_input: Array,
    orig_output: Array,
    out_backprop: Array,
    row_pooling_sequence: Array,
    col_pooling_sequence: Array,
    *,
    overlapping: bool = False,
) -> Array:
    """Computes the gradient of FractionalMaxPool: each region's gradient goes to its first largest element."""
    result = np.zeros(orig_input.shape, out_backprop.dtype)
    images, channels = np.ogrid[: orig_input.shape[0], : orig_input.shape[3]]
    rows = _regions(row_pooling_sequence, orig_input.shape[1], overlapping)
    columns = _regions(col_pooling_sequence, orig_input.shape[2], overlapping)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            region = orig_input[:, row, column]
            width = region.shape[2]
            first = region.reshape(region.shape[0], -1, region.shape[3]).argmax(axis=1)
            at = (images, row.start + first // width, column.start + first % width, channels)
            np.add.at(result, at, out_backprop[:, i, j])
    return result


@fractional_max_pool_grad_op.gradient
def fractional_max_pool_second_gradient(
    dy: Tensor,
    orig_input: Tensor,
    orig_output: Tensor,
    row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor,
    overlapping: bool,
) -> tuple[Any, ...]:
    cuts = (row_pooling_sequence, col_pooling_sequence)
    values, inside = _region_values(orig_input, *cuts, overlapping)
    least = raw.Cast(x=np.float64(-np.inf), DstT=dy.dtype)
    first = raw.ArgMax(input=raw.SelectV2(condition=inside, t=values, e=least), dimension=3)
    one, zero = (raw.Cast(x=value, DstT=dy.dtype) for value in (1.0, 0.0))
    mask = raw.OneHot(indices=first, depth=raw.Shape(input=values)[3], on_value=one, off_value=zero, axis=3)
    result = raw.Sum(input=mask * _region_values(dy, *cuts, overlapping)[0], reduction_indices=3)
    return raw.ZerosLike(x=orig_input), raw.ZerosLike(x=orig_output), result, None, None


def _region_values(x: Tensor, rows: Tensor, columns: Tensor, overlapping: bool) -> tuple[Any, Any]:
    """Returns the elements of each region, and which of the elements are inside of the region.

    The elements have the shape `[batch, rows, columns, elements, channels]`.
    """
    shape = raw.Shape(input=x, out_type=d.int64)
    down, inside_down = _region_elements(rows, shape[1], overlapping)
    across, inside_across = _region_elements(columns, shape[2], overlapping)
    picked = raw.GatherV2(params=raw.GatherV2(params=x, indices=down, axis=1), indices=across, axis=3)
    picked = raw.Transpose(x=picked, perm=[0, 1, 3, 2, 4, 5])
    outer = raw.Shape(input=picked, out_type=d.int64)
    count = outer[3] * outer[4]
    values = raw.Reshape(tensor=picked, shape=raw.Pack(values=[shape[0], outer[1], outer[2], count, shape[3]]))
    inside = raw.LogicalAnd(x=inside_down[:, None, :, None], y=inside_across[None, :, None, :])
    return values, raw.Reshape(tensor=inside, shape=raw.Pack(values=[outer[1], outer[2], count, 1]))


def _region_elements(cuts: Tensor, size: Tensor, overlapping: bool) -> tuple[Any, Any]:
    """Returns a row of positions for each region, as long as the longest region, and which positions are inside."""
    starts, ends = cuts[:-1], raw.Minimum(x=cuts[1:] + int(overlapping), y=size)
    longest = raw.Max(input=ends - starts, reduction_indices=0)
    steps = raw.Range(start=np.int64(0), limit=longest, delta=np.int64(1))
    positions = starts[:, None] + steps
    return raw.Minimum(x=positions, y=size - 1), raw.Less(x=positions, y=ends[:, None])


@op(
    "FractionalAvgPool",
    "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    T=_NUMBERS,
    shape=_shape,
    effects=Effects.RANDOM,
    host_only=True,
    not_batched="the regions are drawn anew for each row",
)
def fractional_avg_pool_op(
    xp: Xp,
    value: Array,
    *,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
) -> tuple[Array, ...]:
    """Computes the mean of each region of a random partition; also returns where the regions begin."""
    attrs = {"pooling_ratio": pooling_ratio, "pseudo_random": pseudo_random, "overlapping": overlapping}
    return _reduce(xp, value, {**attrs, "seed": seed, "seed2": seed2}, True, None)


_bind_stream(fractional_avg_pool_op, average=True)


@fractional_avg_pool_op.gradient
def fractional_avg_pool_gradient(
    dy: Tensor,
    drows: Tensor,
    dcolumns: Tensor,
    value: Tensor,
    row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor,
    overlapping: bool,
) -> Tensor:
    return raw.FractionalAvgPoolGrad(
        orig_input_tensor_shape=raw.Shape(input=value, out_type=d.int64),
        out_backprop=dy,
        row_pooling_sequence=row_pooling_sequence,
        col_pooling_sequence=col_pooling_sequence,
        overlapping=overlapping,
    )


def _gradient_shape(c: ShapeContext) -> TensorShape:
    shape = c.value_as_shape("orig_input_tensor_shape")
    return TensorShape([None] * 4) if shape.rank is None else shape


@op(
    "FractionalAvgPoolGrad",
    "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 -> "
    "output: T",
    T=_NUMBERS,
    shape=_gradient_shape,
    host_only=True,
    not_batched="the regions are drawn anew for each row",
)
def fractional_avg_pool_grad_op(
    xp: Xp,
    orig_input_tensor_shape: Array,
    out_backprop: Array,
    row_pooling_sequence: Array,
    col_pooling_sequence: Array,
    *,
    overlapping: bool = False,
) -> Array:
    """Computes the gradient of FractionalAvgPool: each region's gradient is shared out among its elements."""
    shape = tuple(int(n) for n in orig_input_tensor_shape)
    if len(shape) != 4:
        raise InvalidArgumentError(None, None, "original input tensor must be 4-dimensional")
    result = np.zeros(shape, np.float64)
    for i, row in enumerate(_regions(row_pooling_sequence, shape[1], overlapping)):
        for j, column in enumerate(_regions(col_pooling_sequence, shape[2], overlapping)):
            count = (row.stop - row.start) * (column.stop - column.start)
            result[:, row, column] += out_backprop[:, i : i + 1, j : j + 1] / count
    return result.astype(out_backprop.dtype)


@fractional_avg_pool_grad_op.gradient
def fractional_avg_pool_second_gradient(
    dy: Tensor, row_pooling_sequence: Tensor, col_pooling_sequence: Tensor, overlapping: bool
) -> tuple[Any, ...]:
    values, inside = _region_values(dy, row_pooling_sequence, col_pooling_sequence, overlapping)
    weights = raw.Cast(x=inside, DstT=dy.dtype)
    total = raw.Sum(input=values * weights, reduction_indices=3)
    return None, total / raw.Sum(input=weights, reduction_indices=2), None, None


# --- functions -------------------------------------------------------------------------------------------------------


def _validate_ratios(ratios: Any) -> list[float]:
    values = list(ratios) if isinstance(ratios, (list, tuple)) else [ratios]
    if any(value < 1.0 for value in values):
        raise ValueError(f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={ratios}")
    if len(values) > 1 and (values[0] != 1.0 or values[-1] != 1.0):
        raise ValueError(
            f"`pooling_ratio` should have first and last elements with value 1.0. Received: pooling_ratio={ratios}"
        )
    complete: list[Any] = for_all_dimensions(ratios, 2, 3, "pooling_ratio")
    return complete


def _seeds(seed: int) -> dict[str, Any]:
    return {"deterministic": True, **op_seeds(seed)} if seed else {}


class FractionalMaxPool(NamedTuple):
    """What `tf.nn.fractional_max_pool` returns."""

    output: Any
    row_pooling_sequence: Any
    col_pooling_sequence: Any


class FractionalAvgPool(NamedTuple):
    """What `tf.nn.fractional_avg_pool` returns."""

    output: Any
    row_pooling_sequence: Any
    col_pooling_sequence: Any


@export("nn.fractional_max_pool", v1=[])
def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Computes the largest element of each region of a random partition of images.

    >>> tf.random.set_seed(1)
    >>> image = tf.reshape(tf.range(49.), [1, 7, 7, 1])
    >>> output, rows, columns = tf.nn.fractional_max_pool(image, [1., 1.4, 1.6, 1.], seed=3)
    >>> rows.numpy(), columns.numpy()
    (array([0, 1, 2, 3, 5, 7]), array([0, 2, 4, 5, 7]))

    Args:
      value: A float32, float64, int32 or int64 Tensor `[batch, height, width, channels]`.
      pooling_ratio: by how much smaller the result is, at least 1: a number, or one a dimension (1 first and last).
      pseudo_random: whether regions are cut evenly from a random start, rather than with shuffled lengths.
      overlapping: whether regions share their borders.
      seed: fixes the regions; 0 cuts differently every time.
      name: A name for the operation (optional).

    Returns: The result, and where its rows and columns begin (with the size as last element).
    Raises: ValueError: if a ratio is not valid.
    """
    output, rows, columns = fractional_max_pool_op(
        value,
        pooling_ratio=_validate_ratios(pooling_ratio),
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        name=name,
        **_seeds(seed),
    )
    return FractionalMaxPool(output, rows, columns)


@export("nn.fractional_avg_pool", v1=[])
def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Computes the mean of each region of a random partition of images.

    >>> tf.random.set_seed(1)
    >>> image = tf.reshape(tf.range(49.), [1, 7, 7, 1])
    >>> output, rows, columns = tf.nn.fractional_avg_pool(image, [1., 1.4, 1.6, 1.], seed=4)
    >>> rows.numpy(), columns.numpy()
    (array([0, 2, 3, 4, 5, 7]), array([0, 1, 3, 5, 7]))

    Args:
      value: A float32, float64, int32 or int64 Tensor `[batch, height, width, channels]`.
      pooling_ratio: by how much smaller the result is, at least 1: one number a dimension, 1 for the first and last.
      pseudo_random: whether regions are cut evenly from a random start, rather than with shuffled lengths.
      overlapping: whether regions share their borders.
      seed: fixes the regions; 0 cuts differently every time.
      name: A name for the operation (optional).

    Returns: The result, and where its rows and columns begin (with the size as last element).
    Raises: TypeError: if `pooling_ratio` is not a list.
    """
    if not isinstance(pooling_ratio, (list, tuple)):
        raise TypeError(
            f"Expected list for 'pooling_ratio' argument to 'fractional_avg_pool' Op, not {pooling_ratio!r}."
        )
    output, rows, columns = fractional_avg_pool_op(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        name=name,
        **_seeds(seed),
    )
    return FractionalAvgPool(output, rows, columns)

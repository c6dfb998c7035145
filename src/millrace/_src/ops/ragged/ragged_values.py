"""Overloads that work on the flat values of ragged tensors: one-hot vectors, dropout, softmax, bit casts, texts.

Most keep the partitions as they are. What needs to know of rows besides, softmax over rows of different lengths or the
join of a row's strings, is a segment op away.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import as_dtype, int64
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.bits import bitcast
from millrace._src.ops.array.one_hot import one_hot
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.nn.dropout import dropout, stateless_dropout
from millrace._src.ops.nn.softmax import softmax
from millrace._src.ops.ragged.broadcasting import BroadcastValues
from millrace._src.ops.ragged.ragged_dims import known_axis
from millrace._src.ops.ragged.ragged_reductions import RaggedReduction
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.strings.joining import reduce_join

_NO_NOISE_SHAPE = "noise_shape is not supported yet for RaggedTensor x"


@overload("one_hot", RaggedTensor)
def ragged_one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Makes a one-hot vector of each index."""
    if isinstance(axis, int) and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank}).")
        axis -= indices.ragged_rank
    with name_scope(name, "RaggedOneHot"):
        return indices.with_flat_values(one_hot(indices.flat_values, depth, on_value, off_value, axis, dtype))


@overload("bitcast", RaggedTensor)
def ragged_bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """Reads the bytes of the values as another dtype, which may not be larger."""
    if as_dtype(type).size > input.dtype.size:
        raise ValueError(
            f"`input.dtype` {input.dtype.name} is smaller than `type` {as_dtype(type).name}: a bitcast would merge "
            "values of different rows."
        )
    with name_scope(name, "RaggedBitcast"):
        return input.with_flat_values(bitcast(input.flat_values, type))


# --- dropout ---------------------------------------------------------------------------------------------------------


@overload("nn.dropout", RaggedTensor)
def ragged_dropout(x: Any, rate: Any, noise_shape: object = None, seed: Any = None, name: str | None = None) -> Any:
    """Drops values with probability `rate`."""
    if noise_shape is not None:
        raise ValueError(_NO_NOISE_SHAPE)
    with name_scope(name, "RaggedNNDropout"):
        return x.with_flat_values(dropout(x.flat_values, rate=rate, seed=seed))


@overload("nn.experimental.stateless_dropout", RaggedTensor)
def ragged_stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: object = None, name: str | None = None
) -> Any:
    """Drops values by a choice that is a function of `seed`."""
    if noise_shape is not None:
        raise ValueError(_NO_NOISE_SHAPE)
    with name_scope(name, "RaggedNNStatelessDropout"):
        return x.with_flat_values(stateless_dropout(x.flat_values, rate=rate, seed=seed, rng_alg=rng_alg))


# --- softmax ---------------------------------------------------------------------------------------------------------

_largest = RaggedReduction(
    lambda x, axis: raw.Max(input=x, reduction_indices=[axis], keep_dims=False), raw.UnsortedSegmentMax
)
_total = RaggedReduction(
    lambda x, axis: raw.Sum(input=x, reduction_indices=[axis], keep_dims=False), raw.UnsortedSegmentSum
)


@overload("nn.softmax", RaggedTensor)
def ragged_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Computes the softmax along an axis, by default the last."""
    with name_scope(name, "RaggedSoftmax"):
        axis = known_axis(-1 if axis is None else axis, logits.shape.rank)
        if axis > logits.ragged_rank:
            return logits.with_flat_values(softmax(logits.flat_values, axis=axis - logits.ragged_rank))
        shifted = _pair(raw.Sub, logits, _largest(logits, axis, True))
        powers = shifted.with_flat_values(raw.Exp(x=shifted.flat_values))
        return _pair(raw.RealDiv, powers, _total(powers, axis, True))


def _pair(binary_op: Any, x: RaggedTensor, y: Any) -> RaggedTensor:
    """Applies an op to the elements of `x` and those of `y`, which is broadcast."""
    operands = BroadcastValues([x, y])
    made: RaggedTensor = operands.with_flat_values(binary_op(x=operands.flat_values[0], y=operands.flat_values[1]))
    return made


# --- texts -----------------------------------------------------------------------------------------------------------


@overload("strings.reduce_join", RaggedTensor)
def ragged_reduce_join(
    inputs: object, axis: object = None, keepdims: object = False, separator: str = "", name: str | None = None
) -> Any:
    """Joins all strings along axes into one."""

    def join_segments(data: Any, segment_ids: object, num_segments: object) -> Any:
        if data.shape.rank != 1:
            return _join_slices(data, segment_ids, num_segments, separator)
        return raw.UnsortedSegmentJoin(
            inputs=data, segment_ids=segment_ids, num_segments=num_segments, separator=separator
        )

    def join_dense(value: Any, axis: Any = None) -> Any:
        return reduce_join(value, axis, separator=separator)

    with name_scope(name, "RaggedStringsReduceJoin"):
        return RaggedReduction(join_dense, join_segments)(inputs, axis, keepdims)


def _join_slices(data: object, segment_ids: object, num_segments: object, separator: str) -> Any:
    """Joins the slices of each segment element by element."""
    inner_shape = raw.Shape(input=data, out_type=int64)[1:]
    size = raw.Prod(input=inner_shape, reduction_indices=[0])
    numbers = raw.ExpandDims(input=raw.Cast(x=segment_ids, DstT=int64) * size, axis=1) + range_(size, dtype=int64)
    count = raw.Cast(x=num_segments, DstT=int64)
    joined = raw.UnsortedSegmentJoin(
        inputs=raw.Reshape(tensor=data, shape=[-1]),
        segment_ids=raw.Reshape(tensor=numbers, shape=[-1]),
        num_segments=count * size,
        separator=separator,
    )
    return raw.Reshape(tensor=joined, shape=raw.ConcatV2(values=[[count], inner_shape], axis=0))

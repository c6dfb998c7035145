"""Ragged tensors as variants: one for the whole tensor, or one for each row.

Problem: datasets and loops stack and slice values of one shape, and the rows of a ragged tensor differ in length.

Idea: a variant holds the splits and values of a ragged tensor of any size. Variants are stacked like numbers; a tensor
of variants becomes one ragged tensor again, with a dimension for each dimension of that tensor. The arrays of rows are
views of the whole tensor's arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int64, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import UNKNOWN, vector, with_rank, with_rank_at_least
from millrace._src.ops.ragged.variant import RaggedVariant
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.text import shape_brackets

_RULES: dict[str, Any] = {
    "host_only": True,
    "not_batched": "the number of values differs from row to row",
}

# --- to variants -----------------------------------------------------------------------------------------------------


def _variants_shape(c: ShapeContext) -> TensorShape:
    splits = c.shapes("rt_nested_splits")
    for shape in splits:
        with_rank(shape, 1)
    values = with_rank_at_least(c.shape("rt_dense_values"), 1 if splits or c.attr("batched_input") else 0)
    if not c.attr("batched_input"):
        return TensorShape.of(())
    if not splits:
        return vector(None if values is None else values[0])
    (count,) = with_rank(splits[0], 1)
    return vector(None if count is None else count - 1)


@op(
    "RaggedTensorToVariant",
    "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
    Tvalues=ANY,
    Tsplits=INDEX.with_default(int64),
    shape=_variants_shape,
    **_RULES,
)
def ragged_tensor_to_variant(
    xp: Xp,
    rt_nested_splits: list[Array],
    rt_dense_values: Array,
    *,
    Tvalues: DType,
    Tsplits: DType,
    batched_input: bool,
) -> Array:
    """Makes the variant that holds a ragged tensor, or a vector with a variant for each row."""
    if not batched_input:
        return _boxes([RaggedVariant(rt_nested_splits, rt_dense_values, Tsplits, Tvalues)], ())
    if not rt_nested_splits:
        if not rt_dense_values.ndim:
            raise invalid("Can't unbatch rank-0 tensor.")
        count = len(rt_dense_values)
        return _boxes([RaggedVariant((), rt_dense_values[i, ...], Tsplits, Tvalues) for i in range(count)], (count,))
    _check_splits(rt_nested_splits, rt_dense_values)
    bounds = rt_nested_splits[0].tolist()
    inner = rt_nested_splits[1:]
    rows = [_row(start, stop, inner, rt_dense_values, Tsplits, Tvalues) for start, stop in pairwise(bounds)]
    return _boxes(rows, (len(rows),))


def _boxes(variants: Sequence[Any], dims: tuple[int, ...]) -> Array:
    boxes = np.empty(len(variants), object)
    boxes[:] = variants
    return boxes.reshape(dims)


def _row(
    start: int, stop: int, inner_splits: Sequence[Array], values: Array, splits_dtype: DType, dtype: DType
) -> RaggedVariant:
    """Returns the variant of one row, from its bounds in the next partition or in the values."""
    row_splits = []
    for splits in inner_splits:
        part = splits[start : stop + 1]
        row_splits.append(part - part[0])
        start, stop = int(part[0]), int(part[-1])
    return RaggedVariant(row_splits, values[start:stop], splits_dtype, dtype)


def _check_splits(nested_splits: Sequence[Array], values: Array) -> None:
    """Refuses splits that do not end where the next partition, or the values, end."""
    for level, splits in enumerate(nested_splits):
        if not splits.size:
            raise invalid("Invalid ragged splits: ragged splits must have at least one splits, but is empty")
        if splits[0] != 0:
            raise invalid(f"Invalid ragged splits: first element of ragged splits must be 0 but is {splits[0]}")
        if (splits[1:] < splits[:-1]).any():
            raise invalid("Invalid ragged splits: ragged splits must be monotonically increasing")
        is_last = level + 1 == len(nested_splits)
        count = (len(values) if values.ndim else 0) if is_last else len(nested_splits[level + 1]) - 1
        if splits[-1] != count:
            raise invalid(
                "Invalid ragged splits: last element of ragged splits must be the number of ragged values"
                f"({count}) but is {splits[-1]}"
            )


@ragged_tensor_to_variant.gradient
def ragged_tensor_to_variant_gradient(
    dencoded: Tensor, rt_nested_splits: list[Tensor], rt_dense_values: Tensor, *, batched_input: bool
) -> tuple[list[None], Tensor]:
    """Takes the gradients of the values out of the variants that hold them."""
    row_splits: Any = rt_nested_splits[0] if batched_input and rt_nested_splits else None
    for splits in rt_nested_splits[1:] if batched_input else ():
        row_splits = raw.GatherV2(params=splits, indices=row_splits, axis=0)
    gradient = raw.RaggedTensorToVariantGradient(
        encoded_ragged_grad=dencoded,
        row_splits=convert_to_tensor([0], int64) if row_splits is None else row_splits,
        dense_values_shape=raw.Shape(input=rt_dense_values),
        Tvalues=rt_dense_values.dtype,
    )
    return [None] * len(rt_nested_splits), gradient


# --- from variants ---------------------------------------------------------------------------------------------------


def _ragged_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    input_rank, output_rank = c.attr("input_ragged_rank"), c.attr("output_ragged_rank")
    if input_rank >= 0:
        with_rank(c.shape("encoded_ragged"), output_rank - input_rank)
    return [vector(None)] * output_rank + [UNKNOWN]


@op(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant -> output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
    Tvalues=ANY,
    Tsplits=INDEX.with_default(int64),
    shape=_ragged_shapes,
    **_RULES,
)
def ragged_tensor_from_variant(
    xp: Xp,
    encoded_ragged: Array,
    *,
    input_ragged_rank: int,
    output_ragged_rank: int,
    Tvalues: DType,
    Tsplits: DType,
) -> tuple[list[Array], Array]:
    """Makes the ragged tensor for which a tensor of variants stands; each of its dimensions is one of the result."""
    dims = encoded_ragged.shape
    ragged_rank = _inner_rank(input_ragged_rank, output_ragged_rank, len(dims))
    variants = [_validate(item, ragged_rank, Tsplits, Tvalues) for item in encoded_ragged.reshape(-1).tolist()]
    if not dims:
        return list(variants[0].splits), variants[0].values
    if input_ragged_rank < 0 and output_ragged_rank < len(dims):
        return [], _stack(variants, Tvalues)
    outer = [_uniform_splits(dims[:level], dims[level], Tsplits) for level in range(1, len(dims))]
    if not variants:
        empty = [np.zeros(1, Tsplits.np_dtype) for _ in range(ragged_rank + 1)]
        return [*outer, *empty], np.zeros(0, Tvalues.np_dtype)
    lengths = [len(v.splits[0]) - 1 if v.splits else _row_count(v) for v in variants]
    inner = [_join_splits([v.splits[level] for v in variants], Tsplits) for level in range(ragged_rank)]
    return [*outer, _splits_of(lengths, Tsplits), *inner], _join_values(variants)


def _inner_rank(input_rank: int, output_rank: int, ndim: int) -> int:
    """Returns how many partitions each variant has."""
    if input_rank < 0:
        inferred = output_rank - ndim
        if inferred < -1:
            raise invalid(
                "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= -1, found "
                f"output_ragged_rank: {output_rank}, encoded_variant.dims(): {ndim}, inferred input_ragged_rank: "
                f"{inferred}"
            )
        return max(inferred, 0)
    if output_rank != input_rank + ndim:
        raise invalid(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: "
            f"{output_rank}, input_ragged_rank: {input_rank}, encoded_variant.dims(): {ndim}."
        )
    return input_rank


def _validate(item: object, ragged_rank: int, splits_dtype: DType, dtype: DType) -> RaggedVariant:
    """Returns a variant that is a ragged tensor of the expected rank and dtypes."""
    if not isinstance(item, RaggedVariant):
        raise invalid(f"Input Variant element doesn't hold a RaggedTensorVariant: {item!r}")
    if len(item.splits) != ragged_rank:
        raise invalid(
            f"Encoded input RaggedTensorVariant has ragged_rank={len(item.splits)}.  "
            f"Expected ragged_rank={ragged_rank}."
        )
    if item.dtype is not dtype:
        raise invalid(f"Expected values Tensor dtype: {runtime_name(dtype)}, found: {runtime_name(item.dtype)}")
    if item.splits and item.splits_dtype is not splits_dtype:
        found = runtime_name(item.splits_dtype)
        raise invalid(f"Expected row_splits Tensor dtype: {runtime_name(splits_dtype)}, found: {found}")
    return item


def _row_count(variant: RaggedVariant) -> int:
    if not variant.values.ndim:
        raise invalid("Can't stack scalars as the rows of a ragged tensor: the rank of values must be at least 1.")
    return len(variant.values)


def _splits_of(lengths: Any, dtype: DType) -> Array:
    splits = np.zeros(len(lengths) + 1, dtype.np_dtype)
    np.cumsum(lengths, out=splits[1:])
    return splits


def _uniform_splits(outer_dims: Sequence[int], dim: int, dtype: DType) -> Array:
    return np.arange(math.prod(outer_dims) + 1, dtype=dtype.np_dtype) * dim


def _join_splits(parts: Sequence[Array], dtype: DType) -> Array:
    """Returns the splits of partitions that follow one another."""
    lengths = np.concatenate([np.diff(splits) for splits in parts])
    return _splits_of(lengths, dtype)


def _join_values(variants: Sequence[RaggedVariant]) -> Array:
    """Returns the values of all variants, one after the other."""
    first = variants[0].values
    for index, variant in enumerate(variants):
        shape = variant.values.shape
        if len(shape) != first.ndim:
            raise invalid(
                "Rank of values must match for all components; values shape at index 0: "
                f"{shape_brackets(first.shape)}, values shape at index {index}: {shape_brackets(shape)}"
            )
        if shape[1:] != first.shape[1:]:
            raise invalid(
                f"All flat_values must have compatible shapes.  Shape at index 0: {shape_brackets(first.shape[1:])}.  "
                f"Shape at index {index}: {shape_brackets(shape[1:])}.  If you are using tf.map_fn, then you may need "
                "to specify an explicit fn_output_signature with appropriate ragged_rank, and/or convert output "
                "tensors to RaggedTensors."
            )
    return np.concatenate([variant.values for variant in variants])


def _stack(variants: Sequence[RaggedVariant], dtype: DType) -> Array:
    """Returns dense values of one shape as a batch."""
    if not variants:
        return np.zeros(0, dtype.np_dtype)
    first = variants[0].values.shape
    for index, variant in enumerate(variants):
        if variant.values.shape != first:
            raise invalid(
                f"All flat_values must have compatible shapes.  Shape at index 0: {shape_brackets(first)}.  Shape at "
                f"index {index}: {shape_brackets(variant.values.shape)}."
            )
    return np.stack([variant.values for variant in variants])


@ragged_tensor_from_variant.gradient
def ragged_tensor_from_variant_gradient(
    doutput_nested_splits: list[Any],
    doutput_dense_values: Tensor,
    encoded_ragged: Tensor,
    output_nested_splits: list[Tensor],
    *,
    input_ragged_rank: int,
    output_ragged_rank: int,
) -> Tensor:
    """Makes variants of the gradients of the values, as many as went in."""
    outer = output_ragged_rank - input_ragged_rank if input_ragged_rank >= 0 else encoded_ragged.shape.rank
    if not outer:
        return raw.RaggedTensorToVariant(
            rt_nested_splits=output_nested_splits, rt_dense_values=doutput_dense_values, batched_input=False
        )
    gradient = raw.RaggedTensorToVariant(
        rt_nested_splits=output_nested_splits[outer - 1 :], rt_dense_values=doutput_dense_values, batched_input=True
    )
    return gradient if outer == 1 else raw.Reshape(tensor=gradient, shape=raw.Shape(input=encoded_ragged))


# --- the gradient of the first ---------------------------------------------------------------------------------------


def _values_shape(c: ShapeContext) -> TensorShape:
    return c.value_as_shape("dense_values_shape")


@op(
    "RaggedTensorToVariantGradient",
    "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32 -> dense_values_grad: Tvalues",
    Tvalues=ANY,
    Tsplits=INDEX.with_default(int64),
    shape=_values_shape,
    constant_inputs=("dense_values_shape",),
    no_gradient="TensorFlow declares no gradient for it",
    **_RULES,
)
def ragged_tensor_to_variant_gradient_op(
    xp: Xp, encoded_ragged_grad: Array, row_splits: Array, dense_values_shape: Array, *, Tvalues: DType
) -> Array:
    """Joins the values of variants; a variant that is missing means zeros."""
    dims = tuple(dense_values_shape.tolist())
    items = encoded_ragged_grad.reshape(-1).tolist()
    if not encoded_ragged_grad.ndim:
        return items[0].values if isinstance(items[0], RaggedVariant) else np.zeros(dims, Tvalues.np_dtype)
    if not row_splits.size:
        raise invalid("Invalid ragged splits: ragged splits must have at least one splits, but is empty")
    lengths = np.diff(row_splits).tolist() if len(row_splits) > 1 else [1] * len(items)
    parts = [
        item.values if isinstance(item, RaggedVariant) else np.zeros((length, *dims[1:]), Tvalues.np_dtype)
        for item, length in zip(items, lengths, strict=True)
    ]
    values = np.concatenate([part.reshape(-1) for part in parts]) if parts else np.zeros(0, Tvalues.np_dtype)
    return values.reshape(dims)

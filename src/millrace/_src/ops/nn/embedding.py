"""`tf.nn.embedding_lookup`: rows of a table.

The gradient of a lookup touches only the rows that were read, and is a `tf.IndexedSlices`. A table may be split over
several tensors: then each tensor is asked for its own rows, and the answers are stitched together.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.overloads import overload
from millrace._src.core.resources import PartedVariable, is_variable
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.gathering import gather
from millrace._src.ops.array.identity import identity
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.clipping import clip_by_norm
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.util.export import export


@export("nn.embedding_lookup", v1=[])
def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """Looks up rows of one table, or of one that is split over several tensors.

    >>> table = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
    >>> tf.nn.embedding_lookup(table, [2, 0]).numpy()
    array([[5., 6.],
           [1., 2.]], dtype=float32)

    Args:
      params: A Tensor or Variable `[rows, ...]`, or a list of such, which together are the table: contiguous parts, the
        first ones one row longer if the rows cannot be shared out evenly.
      ids: int32 or int64 row numbers, of any shape.
      max_norm: if given, rows that are longer than this (Euclidean) are scaled down to it.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `ids.shape + rows' shape`.
    Raises:
      ValueError: if `params` is None or empty.
      tf.errors.InvalidArgumentError: if a row does not exist.
    """
    return lookup(params, ids, "div", max_norm, name)


@overload("nn.embedding_lookup", RaggedTensor)
def embeddinglookup_ragged(params: object, ids: object, max_norm: float | None = None, name: str | None = None) -> Any:
    """Looks up a row for each value of a ragged tensor."""
    return lookup_ragged(params, ids, "div", max_norm, name)


def lookup_ragged(params: Any, ids: Any, strategy: str, max_norm: float | None, name: str | None) -> Any:
    if params is None:
        raise ValueError("params must be specified.")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("params should not be empty.")
    if ids.dtype not in (int32, int64):
        raise ValueError(
            f"The values contained by the inputs have type {ids.dtype} and cannot be processed. All values should be "
            "indices, either of type `int32` or `int64`."
        )
    with name_scope(name, "embedding_lookup_ragged"):
        return ids.with_flat_values(lookup(params, ids.flat_values, strategy, max_norm, None))


def lookup(params: Any, ids: Any, strategy: str, max_norm: float | None, name: str | None) -> Tensor:
    """Looks up rows of a table; `strategy` says which rows a part of a table holds ("div" or "mod")."""
    if params is None:
        raise ValueError("params must be specified")
    parts = list(params) if isinstance(params, (list, tuple, PartedVariable)) else [params]
    if not parts:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    with name_scope(name, "embedding_lookup") as scope:
        ids = convert_to_tensor(ids, name="ids")
        parts = [p if is_variable(p) else convert_to_tensor(p) for p in parts] if len(parts) > 1 else parts
        if len(parts) == 1:
            rows = _clip(gather(parts[0], ids, name=scope), ids.shape.rank, max_norm)
            return identity(rows)
        return _from_parts(parts, ids, strategy, max_norm, scope)


def _clip(rows: Tensor, leading: int | None, max_norm: float | None) -> Any:
    """Scales rows down to a length; the first `leading` dimensions tell the rows apart."""
    if max_norm is None:
        return rows
    if leading is None or rows.shape.rank is None:
        raise ValueError("`max_norm` needs `params` and `ids` of known rank.")
    return clip_by_norm(rows, max_norm, axes=list(range(leading, rows.shape.rank)))


def _from_parts(parts: list[Any], ids: Tensor, strategy: str, max_norm: float | None, scope: str) -> Tensor:
    flat = reshape(ids, [-1])
    positions = raw.Range(start=0, limit=size_of(flat), delta=1, name="range")
    part, inside = _parts_and_rows(parts, flat, strategy)
    count = len(parts)
    rows_of = raw.DynamicPartition(data=inside, partitions=part, num_partitions=count)
    positions_of = raw.DynamicPartition(data=positions, partitions=part, num_partitions=count)
    rows_by_part = [_clip(gather(p, rows), 1, max_norm) for p, rows in zip(parts, rows_of, strict=True)]
    joined = raw.ParallelDynamicStitch(indices=positions_of, data=rows_by_part, name=scope)
    row_shape = parts[0].shape[1:]
    row_dims = row_shape.as_list() if row_shape.is_fully_defined() else shape_of(parts[0])[1:]
    result = reshape(joined, concat([shape_of(ids), row_dims], axis=0))
    result.set_shape(ids.shape.concatenate(row_shape))
    return result


def _parts_and_rows(parts: list[Any], flat: Tensor, strategy: str) -> tuple[Any, Any]:
    """Returns the part that each row number is in, and the row's number inside that part.

    Raises: ValueError: if the strategy is neither "div" nor "mod".
    """
    if strategy == "mod":
        return cast(flat % len(parts), "int32"), flat // len(parts)
    if strategy != "div":
        raise ValueError(f"Unrecognized partition strategy: {strategy}.Must be one of either `mod` or `div`.")
    return _contiguous_parts_and_rows(parts, flat)


def _contiguous_parts_and_rows(parts: list[Any], flat: Tensor) -> tuple[Any, Any]:
    """Returns the part that each row number is in, and the row's number inside that part.

    The first parts may have one row more.
    """
    dims = [p.shape.as_list()[0] for p in parts]
    if None in dims:
        total = sum(cast(shape_of(p)[0], flat.dtype) for p in parts)
    else:
        total = constant(sum(dims), dtype=flat.dtype)
    each, more = total // len(parts), total % len(parts)
    part = raw.Maximum(x=flat // (each + 1), y=(flat - more) // each)
    inside = where_select(part < more, flat % (each + 1), (flat - more) % each)
    return cast(part, "int32"), inside

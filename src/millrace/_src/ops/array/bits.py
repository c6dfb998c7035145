"""The bytes of tensors: bitcast and fingerprint; and unravel_index, which takes flat positions apart.

`bitcast` reads the same bytes as another dtype and adds or removes a last dimension where the widths differ.
`fingerprint` hashes the bytes of each slice with FarmHash.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, as_dtype, int32
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.farmhash import fingerprint_packed, fingerprints64
from millrace._src.ops.array.shape_checks import UNKNOWN, dims_text, vector, with_rank, with_rank_at_least
from millrace._src.ops.batching_rules import as_it_is
from millrace._src.ops.strings.packed import pack_rows, pack_strings
from millrace._src.ops.type_sets import ANY, INDEX, NUMERIC, QUANTIZED
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)
_CASTABLE = NUMERIC | QUANTIZED


# --- bitcast -----------------------------------------------------------------------------------------------------


def _bitcast_shape(c: ShapeContext) -> TensorShape:
    have, want = c.dtype("input").size, c.attr("type").size
    dims = c.shape("input").dim_sizes
    if dims is None or have == want:
        return TensorShape.of(dims)
    if have > want:
        return TensorShape.of((*dims, have // want))
    ratio = want // have
    dims = with_rank_at_least(c.shape("input"), 1) or ()
    if dims[-1] not in (None, ratio):
        raise ValueError(
            f"Cannot bitcast from {have // have} to {ratio} due to shape. {dims[-1]} does not match {ratio}"
        )
    return TensorShape.of(dims[:-1])


@op(
    "Bitcast",
    "input: T -> output: type",
    T=_CASTABLE,
    type=_CASTABLE,
    shape=_bitcast_shape,
    no_gradient="bits read as another type are not a smooth function",
    batching=as_it_is,
    exact_on_rows=True,
)
def bitcast_op(xp: Xp, input: Array, *, T: DType, type: DType) -> Array:
    """Reads the bytes of `input` as another dtype."""
    have, want = input.dtype.itemsize, type.np_dtype.itemsize
    if want > have and (not input.ndim or input.shape[-1] != want // have):
        raise invalid(f"Cannot bitcast from {int(T.enum)} to {int(type.enum)}")
    if input.ndim:
        return xp.bitcast(input, type.np_dtype)
    cast = xp.bitcast(input.reshape((1,)), type.np_dtype)
    return cast.reshape(cast.shape[1:])


@export("bitcast")
def bitcast(input: TensorLike, type: object, name: str | None = None) -> Any:
    """Reads the bytes of a tensor as another dtype.

    >>> hex(tf.bitcast(1.0, tf.int32))
    '0x3f800000'
    >>> tf.bitcast(tf.constant(0x01020304), tf.uint8).numpy()
    array([4, 3, 2, 1], dtype=uint8)

    Args:
      input: A numeric Tensor.
      type: the dtype. A narrower one adds a dimension; for a wider one the last dimension must hold a whole element.
      name: name of the operation.

    Returns: A Tensor of that dtype.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the last dimension does not fit.
    """
    wanted_dtype = as_dtype(type)
    if wanted_dtype not in _CASTABLE:
        names = ", ".join(d.name for d in _CASTABLE)
        if state.graph is not None:
            raise TypeError(
                f"Value passed to parameter 'type' has DataType {wanted_dtype.name} not in list of allowed values: "
                f"{names}"
            )
        raise invalid(f"Value for attr 'type' of {wanted_dtype.name} is not in the list of allowed values: {names}")
    return bitcast_op(input, type=wanted_dtype, name=name)


# --- fingerprint -------------------------------------------------------------------------------------------------


def _fingerprint_shape(c: ShapeContext) -> TensorShape:
    dims, method = with_rank_at_least(c.shape("data"), 1), c.value("method")
    if c.shape("method").rank not in (0, None):
        raise ValueError(f"Shape must be rank 0 but is rank {c.shape('method').rank}")
    if method is not None and method[()] != b"farmhash64":
        raise ValueError(f"Unsupported method: {method[()].decode('utf-8', 'replace')}")
    return vector(None if dims is None else dims[0], 8)


@op(
    "Fingerprint",
    "data: T, method: string -> fingerprint: uint8",
    T=ANY,
    shape=_fingerprint_shape,
    host_only=True,
    not_differentiable="a hash is not continuous",
)
def fingerprint_op(xp: Xp, data: Array, method: Array) -> Array:
    """Computes a hash of 8 bytes for each slice of the first dimension."""
    if not data.ndim:
        raise invalid(f"`data` should have at least one dimension: {dims_text(data.shape)}")
    if method[()] != b"farmhash64":
        raise invalid(f"Unsupported fingerprint method: {method[()].decode('utf-8', 'replace')}")
    hashes = _hashes_of_texts(data) if data.dtype.kind == "O" else _hashes_of_rows(data)
    return hashes.astype("<u8", copy=False).view(np.uint8).reshape((data.shape[0], 8))


_FEW = 24
"""Up to so many slices are hashed one by one."""


def _hashes_of_texts(data: Array) -> Array:
    """Computes the hash of each string, or, for slices of several strings, of the hashes of the strings."""
    hashes = fingerprint_packed(pack_strings(data)) if data.size > _FEW else fingerprints64(data.reshape(-1).tolist())
    return hashes if data.ndim == 1 else _hashes_of_rows(hashes.astype("<u8", copy=False).reshape(data.shape))


def _hashes_of_rows(data: Array) -> Array:
    """Computes the hash of the bytes of each slice."""
    if len(data) <= _FEW:
        return fingerprints64([row.tobytes() for row in np.ascontiguousarray(data)])
    rows = np.ascontiguousarray(data).reshape(len(data), math.prod(data.shape[1:]))
    return fingerprint_packed(pack_rows(rows.view(np.uint8).reshape(len(data), -1) if rows.size else rows))


@export("fingerprint")
def fingerprint(data: TensorLike, method: object = "farmhash64", name: str | None = None) -> Any:
    """Computes a hash of 8 bytes for each slice of the first dimension.

    >>> tf.fingerprint(["a"]).numpy()
    array([[227, 117, 223, 182, 101,  66,  69, 179]], dtype=uint8)

    Args:
      data: A Tensor of at least one dimension.
      method: a string scalar; only "farmhash64".
      name: name of the operation.

    Returns: A uint8 matrix of 8 columns.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if `data` is a scalar or the method another.
    """
    return fingerprint_op(data, method, name=name)


# --- unravel_index -----------------------------------------------------------------------------------------------


def _unravel_shape(c: ShapeContext) -> TensorShape:
    (count,) = with_rank(c.shape("dims"), 1)
    indices = c.shape("indices")
    if indices.rank is None:
        return UNKNOWN
    return vector(count) if indices.rank == 0 else vector(count, indices.num_elements())


def _refuse_positions_outside(indices: Array, dims: Array) -> None:
    total = int(np.prod(dims, dtype=np.int64))
    if dims.ndim == 1 and indices.ndim <= 1 and total and indices.size and indices.max() >= total:
        raise invalid("index is out of bound as with dims")


@export("unravel_index")
@op(
    "UnravelIndex",
    "indices: Tidx, dims: Tidx -> output: Tidx",
    Tidx=_INDEX,
    shape=_unravel_shape,
    constant_inputs=("dims",),
    checks=_refuse_positions_outside,
    not_differentiable="positions are integers",
    not_batched="it takes one batch of numbers",
)
def unravel_index(xp: Xp, indices: Array, dims: Array) -> Array:
    """Turns flat positions into positions in each dimension.

    >>> tf.unravel_index([2, 5, 7], [3, 3]).numpy()
    array([[0, 1, 2],
           [2, 2, 1]], dtype=int32)

    Args:
      indices: an int32 or int64 scalar or vector of flat positions.
      dims: a vector of the same dtype, the shape of the array that `indices` points into.

    Returns: A Tensor with one row a dimension.
    Raises: tf.errors.InvalidArgumentError: if a position is out of range or a dimension is 0.
    """
    if dims.ndim != 1:
        raise invalid(f'The indices can only be 1-D, got "{dims_text(dims.shape)}"')
    if indices.ndim > 1:
        raise invalid(f'The indices can only be scalar or vector, got "{dims_text(indices.shape)}"')
    sizes = dims.tolist()
    if 0 in sizes:
        at = sizes.index(0)
        raise invalid(f"Input dims cannot contain a dim of zero, but dims contains zero at index {at}")
    parts, remaining_positions = [], indices
    for size in reversed(sizes[1:]):
        quotient = _quotient(xp, remaining_positions, size)
        parts.append(remaining_positions - quotient * size)
        remaining_positions = quotient
    return xp.stack([remaining_positions, *reversed(parts)]) if sizes else xp.zeros((0, *indices.shape), indices.dtype)


def _quotient(xp: Xp, value: Array, divisor: int) -> Array:
    """Divides integers and rounds towards zero."""
    floor_quotient = value // divisor
    return xp.where((value < 0) & (floor_quotient * divisor != value), floor_quotient + 1, floor_quotient)

"""Sparse tensors as strings and as variants: the three parts one after the other, in a last dimension of three.

A part as a string is a `TensorProto`, byte for byte TensorFlow's. A part as a variant is the array itself, which no one
copies: datasets hand sparse elements on in this form. Reading many serialized sparse tensors makes one sparse tensor of
a higher rank, whose dense shape has room for all.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, int64, runtime_name, string, variant
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import HandleType, ObjectHandle, Referent
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.io.wire_format import varint
from millrace._src.ops.sparse.coordinates import require_order
from millrace._src.ops.type_sets import ANY

_FORMS = TypeSet((string, variant))
_INPUTS = "sparse_indices: int64, sparse_values: T, sparse_shape: int64"
_OUTPUTS = "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64"
_NOT_DIFFERENTIABLE = "a serialized tensor has no gradient"
_NOT_BATCHED = "the number of values differs from row to row"


class HeldTensor(Referent):
    """A tensor that a variant holds; never changed.

    Args:
      array: the value.
      dtype: the dtype.
    """

    __slots__ = ("array", "dtype")

    def __init__(self, array: Array, dtype: DType) -> None:
        self.array = array
        self.dtype = dtype

    @property
    def handle_type(self) -> HandleType:
        """The type that all held tensors share."""
        return ObjectHandle("tensor")

    def __repr__(self) -> str:
        return f"<Tensor<type: {runtime_name(self.dtype)} shape: {dims_text(self.array.shape)} values: {self.array}>>"


# --- strings ---------------------------------------------------------------------------------------------------------


def _shape_message(dims: Sequence[int]) -> bytes:
    sizes = [b"\x08" + varint(size) if size else b"" for size in dims]
    return b"".join(b"\x12" + varint(len(size)) + size for size in sizes)


def _encode(array: Array, dtype: DType) -> bytes:
    """Writes an array as a `TensorProto` whose values are raw bytes."""
    shape = _shape_message(array.shape)
    if dtype is string:
        texts = array.reshape(-1).tolist()
        content = b"".join(varint(len(text)) for text in texts) + b"".join(texts)
    else:
        content = array.tobytes()
    message = b"\x08" + varint(dtype.as_datatype_enum) + b"\x12" + varint(len(shape)) + shape
    return message + (b'"' + varint(len(content)) + content if content else b"")


def _decode(text: bytes) -> HeldTensor:
    """Reads a `TensorProto`.

    Raises: InvalidArgumentError: if the bytes are none.
    """
    from millrace._src.graph.tensor_proto import decode_tensor  # protobuf loads only when a proto is asked for
    from millrace._src.proto.tensor_pb2 import TensorProto  # protobuf loads only when a proto is asked for

    proto = TensorProto()
    try:
        proto.ParseFromString(text)
        array, dtype = decode_tensor(proto)
    except Exception:  # protobuf and the decoder raise errors of many classes
        raise invalid("Could not parse serialized proto") from None
    return HeldTensor(array, dtype)


def _as_form(array: Array, dtype: DType, form: DType) -> Any:
    """Returns a part as a string or as a variant's value."""
    return _encode(array, dtype) if form is string else HeldTensor(array, dtype)


def _tensor_of_part(part: object, position: int) -> HeldTensor:
    """Returns the tensor of a part."""
    if isinstance(part, bytes):
        return _decode(part)
    if not isinstance(part, HeldTensor):
        raise invalid(f"Could not get a tensor from serialized_sparse[{position}]")
    return part


# --- write -----------------------------------------------------------------------------------------------------------


def require_parts(indices: Array, values: Array, shape: Array) -> None:
    """Refuses parts of a sparse tensor of a wrong rank."""
    for name, array, rank, kind in (
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
        ("shape", shape, 1, "vector"),
    ):
        if array.ndim != rank:
            raise invalid(f"Input {name} should be a {kind} but received shape {dims_text(array.shape)}")


def _check_part_ranks(c: ShapeContext) -> None:
    for name, rank in (("sparse_indices", 2), ("sparse_values", 1), ("sparse_shape", 1)):
        actual = c.shape(name).rank
        if actual not in (None, rank):
            kind = "matrix" if rank == 2 else "vector"
            received = f"Input {name[7:]} should be a {kind} but received shape {dims_text(c.shape(name))}"
            raise ShapeComplaint(f"Shape must be rank {rank} but is rank {actual}", running=received)


def _serialized_shape(c: ShapeContext) -> TensorShape:
    _check_part_ranks(c)
    return TensorShape.of((3,))


@op(
    "SerializeSparse",
    f"{_INPUTS} -> serialized_sparse: out_type",
    T=ANY,
    out_type=_FORMS.with_default(string),
    shape=_serialized_shape,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def serialize_sparse_op(
    xp: Xp, sparse_indices: Array, sparse_values: Array, sparse_shape: Array, *, T: DType, out_type: DType
) -> Array:
    """Writes the parts of a sparse tensor as three strings or three variants."""
    require_parts(sparse_indices, sparse_values, sparse_shape)
    serialized = np.empty(3, object)
    serialized[0] = _as_form(sparse_indices, int64, out_type)
    serialized[1] = _as_form(sparse_values, T, out_type)
    serialized[2] = _as_form(sparse_shape, int64, out_type)
    return serialized


def _many_serialized_shape(c: ShapeContext) -> TensorShape:
    _check_part_ranks(c)
    return TensorShape.of((None, 3))


@op(
    "SerializeManySparse",
    f"{_INPUTS} -> serialized_sparse: out_type",
    T=ANY,
    out_type=_FORMS.with_default(string),
    shape=_many_serialized_shape,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def serialize_many_sparse_op(
    xp: Xp, sparse_indices: Array, sparse_values: Array, sparse_shape: Array, *, T: DType, out_type: DType
) -> Array:
    """Writes each row of the first dimension of a sparse tensor as three strings or three variants."""
    rows = rows_of(sparse_indices, sparse_values, sparse_shape)
    serialized = np.empty((len(rows), 3), object)
    shape = _as_form(sparse_shape[1:], int64, out_type)
    for number, (indices, values) in enumerate(rows):  # each string, each variant is an object of its own
        serialized[number, 0] = _as_form(indices, int64, out_type)
        serialized[number, 1] = _as_form(values, T, out_type)
        serialized[number, 2] = shape
    return serialized


def rows_of(indices: Array, values: Array, shape: Array) -> list[tuple[Array, Array]]:
    """Takes a sparse tensor apart along the first dimension: returns the indices and values of each row.

    Raises: InvalidArgumentError: if the parts are not sparse tensor of rank 2 or more with indices in order.
    """
    require_parts(indices, values, shape)
    if len(shape) < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    if len(indices) != len(values):
        counts = f"(indices = {len(indices)}, values = {len(values)})"
        raise invalid(f"indices and values rows (indexing dimension) must match. {counts}")
    require_order(indices, shape.tolist())
    bounds = np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1)).tolist()
    inner = np.ascontiguousarray(indices[:, 1:])
    return [(inner[a:b], values[a:b]) for a, b in itertools.pairwise(bounds)]


# --- read ------------------------------------------------------------------------------------------------------------


def _sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    serialized = c.shape("serialized_sparse").dim_sizes
    if serialized is not None and not serialized:
        running = "Serialized sparse should have non-zero rank []"
        raise ShapeComplaint("Shape must be at least rank 1 but is rank 0", running=running)
    _require_three(serialized)
    return TensorShape.of((None, None)), TensorShape.of((None,)), TensorShape.of((None,))


def _require_three(dims: tuple[int | None, ...] | None) -> None:
    if dims and dims[-1] not in (None, 3):
        running = f"Serialized sparse should have 3 as the last dimension {dims_text(dims)}"
        raise ShapeComplaint(f"Dimension must be 3 but is {dims[-1]}", running=running)


def _many_sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    serialized = c.shape("serialized_sparse")
    if serialized.rank not in (None, 2):
        raise ValueError(f"Shape must be rank 2 but is rank {serialized.rank}")
    _require_three(serialized.dim_sizes)
    return TensorShape.of((None, None)), TensorShape.of((None,)), TensorShape.of((None,))


def _read(serialized: Array, dtype: DType) -> tuple[Array, Array, Array]:
    """Reads sparse tensors from the parts in the last dimension; the leading dimensions become theirs."""
    if not serialized.ndim or serialized.shape[-1] != 3:
        raise ValueError("wrong shape")
    leading = serialized.shape[:-1]
    if not serialized.size:
        given = dims_text(serialized.shape)
        raise invalid(f"Serialized sparse should have at least 1 serialized tensor, but has a zero dimension {given}")
    parts = [_tensor_of_part(part, position) for position, part in enumerate(serialized.reshape(-1).tolist())]
    tensors = list(zip(parts[0::3], parts[1::3], parts[2::3], strict=True))
    _check_read(tensors, dtype)
    arrays = [tuple(part.array for part in tensor) for tensor in tensors]
    return arrays[0] if not leading else join_rows(arrays, leading)


def _check_read(tensors: Sequence[tuple[HeldTensor, HeldTensor, HeldTensor]], dtype: DType) -> None:
    rank = tensors[0][2].array.size
    for number, (indices, values, shape) in enumerate(tensors):
        name = f"SparseTensor[{number}]"
        if values.dtype is not dtype:
            asked = f"Requested SparseTensor of type {runtime_name(dtype)}"
            raise invalid(f"{asked} but {name}.values.dtype() == {runtime_name(values.dtype)}")
        if indices.dtype is not int64 or shape.dtype is not int64:
            raise invalid(f"{name} must have indices and a shape of type int64")
        if indices.array.ndim != 2 or values.array.ndim != 1 or shape.array.ndim != 1:
            raise invalid(f"{name} must be a matrix of indices, a vector of values and a vector of sizes")
        if len(indices.array) != len(values.array) or indices.array.shape[1] != shape.array.size:
            raise invalid(f"{name} has indices, values and sizes that do not belong together")
        if shape.array.size != rank:
            raise invalid(
                f"Inconsistent shape across SparseTensors: rank prior to {name} was: {rank} but rank of {name} is: "
                f"{shape.array.size}"
            )


def join_rows(tensors: Sequence[tuple[Any, ...]], leading: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Joins sparse tensors of one rank, given by their parts, into one with the dimensions `leading` in front."""
    counts = [len(values) for _, values, _ in tensors]
    numbers = np.repeat(np.arange(len(tensors)), counts)
    coordinates = np.stack(np.unravel_index(numbers, leading), axis=1)
    indices = np.concatenate([coordinates, np.concatenate([indices for indices, _, _ in tensors])], axis=1)
    inner = np.max([shape for _, _, shape in tensors], axis=0)
    return indices, np.concatenate([values for _, values, _ in tensors]), np.array([*leading, *inner], np.int64)


@op(
    "DeserializeSparse",
    f"serialized_sparse: Tserialized -> {_OUTPUTS}",
    dtype=ANY,
    Tserialized=_FORMS.with_default(string),
    shape=_sparse_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def deserialize_sparse(xp: Xp, serialized_sparse: Array, *, dtype: DType) -> tuple[Array, Array, Array]:
    """Reads sparse tensors from strings or variants; further dimensions of the input are dimensions of the result."""
    return _read(serialized_sparse, dtype)


@op(
    "DeserializeManySparse",
    f"serialized_sparse: string -> {_OUTPUTS}",
    dtype=ANY,
    shape=_many_sparse_shapes,
    host_only=True,
    not_differentiable=_NOT_DIFFERENTIABLE,
    not_batched=_NOT_BATCHED,
)
def deserialize_many_sparse_op(xp: Xp, serialized_sparse: Array, *, dtype: DType) -> tuple[Array, Array, Array]:
    """Reads a batch of sparse tensors from the strings of `SerializeManySparse`."""
    return _read(serialized_sparse, dtype)

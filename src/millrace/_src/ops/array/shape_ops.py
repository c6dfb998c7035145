"""Shape, size and rank of tensors, as tensors.

What a trace already knows must stay a constant, or every `tf.reshape(x, tf.shape(y))` would lose static shapes. So the
public functions make a constant when the answer is static, and an op otherwise. The kernels give NumPy arrays on every
engine: a running engine always knows shapes, and the arrays stay known to later computations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32
from millrace._src.core.op_def import KnownValue, op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor, new_tensor
from millrace._src.ops import raw
from millrace._src.ops.array import shape_batches
from millrace._src.ops.array.shape_checks import vector
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_OUT_TYPE = INDEX.with_default(int32)


def _rank_vector(c: ShapeContext) -> TensorShape:
    return vector(c.inputs[0].shape.rank)


@op(
    "Shape",
    "input: T -> output: out_type",
    T=ANY,
    out_type=_OUT_TYPE,
    shape=_rank_vector,
    full_type="SHAPE_TENSOR[out_type]",
    reads_only_shapes=True,
    is_shape=True,
    not_differentiable="a shape does not vary with the values",
    batching=shape_batches.shapes,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
)
def shape_op(xp: Xp, input: Array, *, out_type: DType) -> Array:
    """Returns the dimensions of `input` as a vector."""
    return np.array(input.shape, out_type.np_dtype)


@shape_op.partial_value
def shape_elements(c: ShapeContext) -> list[int | None] | None:
    """Returns the known elements of the shape vector: the known dimensions."""
    dims = c.inputs[0].shape.dim_sizes
    return None if dims is None else list(dims)


def _rank_vectors(c: ShapeContext) -> list[TensorShape]:
    return [vector(t.shape.rank) for t in c.inputs]


@op(
    "ShapeN",
    "input: N * T -> output: N * out_type",
    T=ANY,
    out_type=_OUT_TYPE,
    shape=_rank_vectors,
    reads_only_shapes=True,
    not_differentiable="a shape does not vary with the values",
    batching=shape_batches.shapes,
    exact_on_rows=True,
)
def shape_n_op(xp: Xp, input: list[Array], *, out_type: DType) -> list[Array]:
    """Returns the dimensions of each input as a vector."""
    return [np.array(x.shape, out_type.np_dtype) for x in input]


@op(
    "Size",
    "input: T -> output: out_type",
    T=ANY,
    out_type=_OUT_TYPE,
    shape=scalar,
    reads_only_shapes=True,
    not_differentiable="a size does not vary with the values",
    batching=shape_batches.size,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
    counts_elements=True,
)
def size_op(xp: Xp, input: Array, *, out_type: DType) -> Array:
    """Counts the elements of `input`."""
    return np.array(input.size, out_type.np_dtype)


@op(
    "Rank",
    "input: T -> output: int32",
    T=ANY,
    shape=scalar,
    reads_only_shapes=True,
    not_differentiable="a rank does not vary with the values",
    batching=shape_batches.rank,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
)
def rank_op(xp: Xp, input: Array) -> Array:
    """Counts the dimensions of `input`."""
    return np.array(input.ndim, np.int32)


@rank_op.partial_value
def rank_element(c: ShapeContext) -> list[int | None] | None:
    """Returns the rank, as the one element of a scalar."""
    return [c.inputs[0].shape.rank]


def shape_tensor(input: Any, out_type: DType = int32, name: str | None = None) -> Any:
    """Returns the shape of a tensor for other functions and gradients: a constant where it is static, else an op."""
    if type(input) is EagerTensor and state.graph is None:
        return new_tensor(np.array(input._eager_array.shape, out_type.np_dtype), out_type)
    dims = input.shape.dim_sizes
    if dims is not None and None not in dims:
        return _constant(np.array(dims, out_type.np_dtype), out_type, name or "Shape")
    return shape_op(input, out_type=out_type, name=name)


def scoped_shape(input: Any) -> Any:
    """Returns the shape of a tensor, named as TensorFlow's older functions do: inside of a scope `Shape`."""
    with name_scope(None, "Shape") as scope:
        input = convert_to_tensor(input)
        is_static = input.shape.is_fully_defined()
        return shape_tensor(input, name="shape_as_tensor" if is_static else scope or "Shape")


def _constant(value: Any, dtype: DType, name: str) -> Any:
    graph = state.graph
    return new_tensor(value, dtype) if graph is None else graph.constant(value, dtype, name)


def _is_sparse(value: object) -> bool:
    """Returns whether a value carries its shape as a tensor of its own."""
    return not isinstance(value, Tensor) and hasattr(value, "dense_shape") and hasattr(value, "indices")


def _out_dtype(out_type: DTypeLike) -> DType:
    return int32 if out_type is None else as_dtype(out_type)


@export("shape", v1=[])
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a tensor, as a tensor.

    >>> tf.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)

    While tracing, `tf.shape(x)` is what `x` has when the graph runs, where `x.shape` is what is known before.

    Args:
      input: a Tensor, a value that converts to one, or a SparseTensor.
      out_type: int32 (when None) or int64.
      name: name of the operation.

    Returns: A vector of `out_type` with one element a dimension.
    """
    dtype = _out_dtype(out_type)
    if type(input) is EagerTensor and state.graph is None:
        return new_tensor(np.array(input._eager_array.shape, dtype.np_dtype), dtype)
    with name_scope(name, "Shape") as scope:
        if _is_sparse(input):
            return _cast(input.dense_shape, dtype)
        return shape_tensor(convert_to_tensor(input), dtype, scope)


@export("shape_n")
def shape_n(input: Sequence[Any], out_type: DTypeLike = int32, name: str | None = None) -> Any:
    """Returns the shapes of several tensors of one dtype.

    >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([1]), tf.zeros([2, 3])])]
    [[1], [2, 3]]

    Args:
      input: a list of at least one Tensor.
      out_type: int32 or int64.
      name: name of the operation.

    Returns: A list of vectors of `out_type`.
    """
    return shape_n_op(input, out_type=as_dtype(out_type), name=name)


@export("size", v1=[])
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor.

    >>> int(tf.size([[1, 2, 3], [4, 5, 6]]))
    6

    Args:
      input: a Tensor, a value that converts to one, or a SparseTensor.
      out_type: int32 (when None) or int64.
      name: name of the operation.

    Returns: A scalar of `out_type`.
    """
    dtype = _out_dtype(out_type)
    if type(input) is EagerTensor and state.graph is None:
        return new_tensor(np.array(input._eager_array.size, dtype.np_dtype), dtype)
    with name_scope(name, "Size") as scope:
        if _is_sparse(input):
            dense_shape = _cast(input.dense_shape, dtype)
            return raw.Prod(input=dense_shape, reduction_indices=[0], name=scope)
        tensor = convert_to_tensor(input)
        count = tensor.shape.num_elements()
        if count is not None:
            return _constant(np.array(count, dtype.np_dtype), dtype, scope or "Size")
        return size_op(tensor, out_type=dtype, name=scope)


@export("rank")
def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor.

    >>> int(tf.rank([[1, 2], [3, 4]]))
    2

    Args:
      input: a Tensor, a value that converts to one, or a SparseTensor.
      name: name of the operation.

    Returns: An int32 scalar.
    """
    if type(input) is EagerTensor and state.graph is None:
        return new_tensor(np.array(input._eager_array.ndim, np.int32), int32)
    with name_scope(name, "Rank") as scope:
        if _is_sparse(input):
            return size_op(input.dense_shape, out_type=int32, name=scope)
        tensor = convert_to_tensor(input)
        if tensor.shape.rank is not None:
            return _constant(np.array(tensor.shape.rank, np.int32), int32, scope or "Rank")
        return rank_op(tensor, name=scope)


def _cast(tensor: Any, dtype: DType) -> Any:
    return tensor if tensor.dtype is dtype else raw.Cast(x=tensor, DstT=dtype)


__all__ = ["rank", "rank_op", "shape", "shape_n", "shape_op", "shape_tensor", "size", "size_op"]

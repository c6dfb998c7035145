"""Functions of `tf.compat.v1.sparse`: placeholders, merges of ids and values, and functions with older arguments.

Tests: tests/oracle/programs/sparse_operations.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.compat_v1.v1_wrappers import v1_arguments, v1_wrapper
from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, int64
from millrace._src.core.overloads import overload
from millrace._src.core.shape_context import static_shape
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.identity import placeholder
from millrace._src.ops.sparse.dense_conversion import sparse_to_dense_op
from millrace._src.ops.sparse.joining import join_sparse, sparse_split
from millrace._src.ops.sparse.merging import sparse_add
from millrace._src.ops.sparse.ordering import sparse_reorder
from millrace._src.ops.sparse.overloads import ones_like_sparse, zeros_like_sparse
from millrace._src.ops.sparse.reducing import sparse_reduce_max, sparse_reduce_sum
from millrace._src.ops.sparse.serialization import serialize_many_sparse, serialize_sparse
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorType, SparseTensorValue, as_sparse
from millrace._src.util.export import export


@export(v1=["sparse_placeholder", "sparse.placeholder"])
def sparse_placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> SparseTensor:
    """Inserts placeholders for the parts of a sparse tensor that a v1 session must be fed.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.sparse_placeholder(tf.float32, [None, 3]).shape)
    (None, 3)

    Args:
      dtype: the dtype of the values.
      shape: the dense shape, which may have unknown dimensions; None for any.
      name: name of the placeholders.

    Returns: A SparseTensor of placeholders.
    Raises: RuntimeError: in eager mode.
    """
    if state.graph is None:
        raise RuntimeError("`sparse_placeholder` is not compatible with eager execution.")
    names = {part: None if name is None else f"{name}/{part}" for part in ("shape", "values", "indices")}
    if shape is None:
        dense_shape, known_shape = placeholder(int64, [None], names["shape"]), TensorShape(None)
    else:
        dense_shape, known_shape = _shape_placeholder(shape, names["shape"])
    values = placeholder(dtype, [None], names["values"])
    indices = placeholder(int64, [None, known_shape.rank], names["indices"])
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(known_shape)
    return result


def _shape_placeholder(shape: ShapeLike, name: str | None) -> tuple[Any, TensorShape]:
    """Returns a placeholder for a dense shape that is fed only where the shape differs from the default."""
    if isinstance(shape, Tensor):
        default, known_shape = shape, static_shape(shape)
    else:
        known_shape = as_shape(shape)
        dims = [-1 if dim is None else dim for dim in known_shape.as_list()]
        default_name = None if name is None else f"{name}_default"
        default = convert_to_tensor(np.array(dims, np.int64), name=default_name)
    dense_shape = raw.PlaceholderWithDefault(input=default, shape=default.shape, name=name)
    return dense_shape, known_shape


@export(v1=["convert_to_tensor_or_sparse_tensor"])
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: object = None, name: str | None = None) -> Any:
    """Converts a value to a tensor, and a `SparseTensorValue` to a sparse tensor.

    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy()
    array([1, 2], dtype=int32)

    Args:
      value: a SparseTensor, a SparseTensorValue, or what converts to a Tensor.
      dtype: the dtype of the result; None takes that of the value.
      name: name of the constant in a graph.

    Returns: A SparseTensor or a Tensor.
    Raises: RuntimeError: if a sparse value has another dtype.
    """
    if dtype is not None:
        dtype = as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype=dtype, name=name)
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype.name}, Actual: {value.dtype.name}")
    return value


@export(v1=["sparse.merge", "sparse_merge"])
def sparse_merge(
    sp_ids: object, sp_values: object, vocab_size: object, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Makes of ids and their weights a sparse tensor of weights, in which the ids are coordinates.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 1, 5], [2, 2])
    >>> weights = ids.with_values([0.5, 2.0, 1.0])
    >>> tf.compat.v1.sparse_merge(ids, weights, 10).indices.numpy().tolist()
    [[0, 1], [0, 3], [1, 5]]

    Args:
      sp_ids: a SparseTensor of ids, or a list of several with the same coordinates, whose ids become several axes.
      sp_values: a SparseTensor of weights with the same coordinates.
      vocab_size: the number of ids, an integer, or a list of as many as `sp_ids` has.
      name: name of the scope in a graph.
      already_sorted: whether the result is in order as it is.

    Returns: A SparseTensor of shape `sp_ids.shape[:-1] + vocab_size`.
    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if the lists are of different lengths.
    """
    ids, sizes = _as_lists(sp_ids, vocab_size)
    sp_values = as_sparse(sp_values)
    with name_scope(name, "SparseMerge"):
        columns = [raw.ExpandDims(input=raw.Cast(x=tensor.values, DstT=int64), dim=1) for tensor in ids]
        indices = raw.ConcatV2(values=[ids[0].indices[:, :-1], *columns], axis=1)
        new_sizes = raw.Pack(values=[raw.Cast(x=size, DstT=int64) for size in sizes])
        dense_shape = raw.ConcatV2(values=[ids[0].dense_shape[:-1], new_sizes], axis=0)
        result = SparseTensor(indices, sp_values.values, dense_shape)
        return result if already_sorted else sparse_reorder(result)


def _as_lists(sp_ids: object, vocab_size: object) -> tuple[list[SparseTensor], list[Any]]:
    """Returns ids and numbers of ids as lists of one length."""
    if isinstance(sp_ids, SparseTensorType):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    if not isinstance(sp_ids, (list, tuple)):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    if not isinstance(vocab_size, (list, tuple)):
        raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
    for size in vocab_size:
        if not isinstance(size, (Tensor, int, np.integer)):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(size)}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    return [as_sparse(tensor) for tensor in sp_ids], list(vocab_size)


@export(v1=["sparse_to_dense"])
def sparse_to_dense_v1(
    sparse_indices: TensorLike,
    output_shape: ShapeLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Makes a dense tensor of the parts of a sparse one, of which the indices may be of lower rank.

    >>> tf.compat.v1.sparse_to_dense([1, 3], [4], 5).numpy()
    array([0, 5, 0, 5], dtype=int32)

    Args:
      sparse_indices: coordinates: an integer Tensor `[n, rank]`; `[n]` or a scalar for a vector as result.
      output_shape: the shape of the result, of the dtype of `sparse_indices`.
      sparse_values: a Tensor `[n]`, or a scalar for all elements.
      default_value: a scalar for all other elements.
      validate_indices: whether to refuse repeated coordinates and coordinates out of order.
      name: name of the operation.

    Returns: A Tensor of shape `output_shape`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit or a coordinate is refused.
    """
    return sparse_to_dense_op(
        sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices, name=name
    )


@export(v1=["sparse.concat", "sparse_concat"])
@v1_arguments(
    "axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None",
    renamed={"concat_dim": "axis"},
)
def sparse_concat_v1(
    axis: TensorLike,
    sp_inputs: TensorLike,
    name: str | None,
    expand_nonconcat_dim: bool,
    expand_nonconcat_dims: bool | None,
) -> Any:
    """Joins sparse tensors along an axis, with the argument order and older names of TensorFlow 1.

    >>> a = tf.SparseTensor([[0]], [5], [2])
    >>> tf.compat.v1.sparse_concat(0, [a, a]).indices.numpy().tolist()
    [[0], [2]]

    Args:
      axis: the axis, an integer.
      sp_inputs: a list of SparseTensors of one rank and dtype.
      name: name of the operation.
      expand_nonconcat_dim: the older name of `expand_nonconcat_dims`.
      expand_nonconcat_dims: whether other dimensions may differ; the result has the largest.

    Returns: A SparseTensor.
    Raises: ValueError: if both names of an argument are given.
    """
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return join_sparse(axis, sp_inputs, expand, name)


class _KeywordRequired:
    def __repr__(self) -> str:
        return "KeywordRequired()"


_REQUIRED = _KeywordRequired()


@export(v1=["sparse.split", "sparse_split"])
@v1_arguments(
    "keyword_required=REQUIRED, sp_input=None, num_split=None, axis=None, name=None, split_dim=None",
    renamed={"split_dim": "axis"},
    required={"sp_input": "sp_input is required", "num_split": "num_split is required"},
    names={"REQUIRED": _REQUIRED},
)
def sparse_split_v1(
    keyword_required: object, sp_input: object, num_split: object, axis: TensorLike | None, name: str | None
) -> Any:
    """Splits a sparse tensor into several along an axis; all arguments go by keyword.

    >>> st = tf.SparseTensor([[0], [3]], [5, 6], [4])
    >>> [part.indices.numpy().tolist() for part in tf.compat.v1.sparse_split(sp_input=st, num_split=2, axis=0)]
    [[[0]], [[1]]]

    Args:
      keyword_required: not to be given.
      sp_input: a SparseTensor.
      num_split: the number of parts, an int.
      axis: the axis, an integer.
      name: name of the operation.

    Returns: A list of `num_split` SparseTensors.
    Raises: ValueError: if an argument is missing, or given by position.
    """
    if keyword_required is not _REQUIRED:
        raise ValueError("Keyword arguments are required for this function.")
    return sparse_split(sp_input, num_split, axis, name)


sparse_add_v1 = export(v1=["sparse.add", "sparse_add"])(
    v1_wrapper(
        "sparse.add",
        sparse_add,
        "a, b, threshold=None, thresh=None",
        """
    >>> a = tf.SparseTensor([[0], [2]], [1.0, 2.0], [4])
    >>> tf.compat.v1.sparse_add(a, a, thresh=3.0).values.numpy()
    array([4.], dtype=float32)
    """,
        renamed={"thresh": "threshold"},
    )
)


def _reduction(name: str, call: Callable[..., Any], output_is_sparse: bool) -> Callable[..., Any]:
    """Makes the function of TensorFlow 1 of a reduction, whose result is dense or sparse."""
    return v1_wrapper(
        f"sparse.{name}",
        call,
        "sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None",
        f"""
    >>> st = tf.SparseTensor([[0, 0], [0, 1]], [5, 6], [1, 2])
    >>> tf.compat.v1.sparse.{name}(st, reduction_axes=1).shape
    TensorShape([1])
    """,
        renamed={"reduction_axes": "axis", "keep_dims": "keepdims"},
        fixed={"output_is_sparse": output_is_sparse},
    )


sparse_reduce_sum_v1 = export(v1=["sparse.reduce_sum", "sparse_reduce_sum"])(
    _reduction("reduce_sum", sparse_reduce_sum, False)
)
sparse_reduce_sum_sparse_v1 = export(v1=["sparse.reduce_sum_sparse", "sparse_reduce_sum_sparse"])(
    _reduction("reduce_sum_sparse", sparse_reduce_sum, True)
)
sparse_reduce_max_v1 = export(v1=["sparse.reduce_max", "sparse_reduce_max"])(
    _reduction("reduce_max", sparse_reduce_max, False)
)
sparse_reduce_max_sparse_v1 = export(v1=["sparse.reduce_max_sparse", "sparse_reduce_max_sparse"])(
    _reduction("reduce_max_sparse", sparse_reduce_max, True)
)


serialize_sparse_v1 = export(v1=["io.serialize_sparse", "serialize_sparse"])(
    v1_wrapper(
        "io.serialize_sparse",
        serialize_sparse,
        "sp_input, name=None, out_type=dtypes.string",
        """
    >>> tf.compat.v1.serialize_sparse(tf.sparse.from_dense([0, 7])).shape
    TensorShape([3])
    """,
    )
)


serialize_many_sparse_v1 = export(v1=["io.serialize_many_sparse", "serialize_many_sparse"])(
    v1_wrapper(
        "io.serialize_many_sparse",
        serialize_many_sparse,
        "sp_input, name=None, out_type=dtypes.string",
        """
    >>> tf.compat.v1.serialize_many_sparse(tf.sparse.from_dense([[0, 7], [5, 6]])).shape
    TensorShape([2, 3])
    """,
    )
)


@overload("compat.v1.zeros_like", SparseTensor)
def zeros_like_sparse_v1(
    tensor: object, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Makes a dense tensor of zeros of the shape of a sparse tensor."""
    return zeros_like_sparse(tensor, dtype, name)


@overload("compat.v1.ones_like", SparseTensor)
def ones_like_sparse_v1(
    tensor: object, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Makes a dense tensor of ones of the shape of a sparse tensor."""
    return ones_like_sparse(tensor, dtype, name)

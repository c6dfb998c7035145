"""Arithmetic of a sparse tensor and a dense one that is broadcast to it: `sparse * dense`, `sparse / dense`.

The result has the coordinates of the sparse tensor. Only the dense elements there are read; the dense tensor is never
broadcast as a whole: along a dimension of size one every coordinate reads the only element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_registry import late_bound
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, vector, with_rank
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.broadcasting import conj
from millrace._src.ops.math.division import divisible, truncated_quotient
from millrace._src.ops.math.element_types import NUMBER
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, are_inside, positions
from millrace._src.ops.sparse.sparse_tensor import SparseTensor

_SIGNATURE = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T"


def _values_shape(c: ShapeContext) -> TensorShape:
    return vector(with_rank(c.shape("sp_indices"), 2)[0])


# --- the dense elements that are read -------------------------------------------------------------------------------


def _dense_at(xp: Any, indices: Array, dense: Array) -> Array:
    """Returns the elements of the dense operand, broadcast, at coordinates of the sparse one."""
    kept_axes = [axis for axis in range(dense.ndim) if dense.shape[axis] != 1]
    first = indices.shape[1] - dense.ndim
    columns = [indices[:, first + axis] for axis in kept_axes]
    if not columns:
        return xp.broadcast_to(xp.reshape(dense, ()), indices.shape[:1])
    flat_positions = positions(xp, xp.stack(columns, axis=1), [dense.shape[axis] for axis in kept_axes])
    return xp.take(xp.reshape(dense, -1), flat_positions)


# --- checks ----------------------------------------------------------------------------------------------------------


def _check_parts(indices: Array, values: Array, shape: Array) -> None:
    if indices.ndim != 2:
        raise invalid(f"Input sp_indices should be a matrix but received shape: {dims_text(indices.shape)}")
    if values.ndim != 1 or shape.ndim != 1:
        found = f"{dims_text(values.shape)} and {dims_text(shape.shape)}"
        raise invalid(f"Inputs sp_values and sp_shape should be vectors but received shapes: {found}")
    if len(values) != len(indices):
        raise invalid(f"The first dimension of values and indices should match. ({len(values)} vs. {len(indices)})")
    if not shape.size:
        raise invalid("The shape argument requires at least one element.")
    if len(shape) != indices.shape[1]:
        raise invalid(
            "Number of dimensions must match second dimension of indices. "
            f"Got {len(shape)} dimensions, indices shape: {dims_text(indices.shape)}"
        )


def _check_operands(indices: Array, values: Array, shape: Array, dense: Array) -> None:
    """Refuses parts that make no sparse tensor, and a dense operand that does not broadcast to it."""
    _check_parts(indices, values, shape)
    dims = shape.tolist()
    if min(dims) < 0:
        raise invalid(f"Expected shape dimensions to be non-negative, got {min(dims)}")
    last_dims = dims[len(dims) - dense.ndim :]
    fits = dense.ndim <= len(dims) and all(d in (1, s) for d, s in zip(dense.shape, last_dims, strict=True))
    if not fits:
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{dims_text(dims)} vs. {dims_text(dense.shape)}"
        )


def _refuse_outside(sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array) -> None:
    """Refuses operands that do not fit, and coordinates out of bounds."""
    _check_operands(sp_indices, sp_values, sp_shape, dense)
    if not are_inside(sp_indices, sp_shape.tolist()):
        raise invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")


def _refuse_zeros(sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array) -> None:
    """Refuses operands that do not fit, divisors of zero, and coordinates out of bounds."""
    _check_operands(sp_indices, sp_values, sp_shape, dense)
    if not dense.all():
        is_inside = ((sp_indices >= 0) & (sp_indices < sp_shape)).all(axis=1)
        if not _dense_at(np, sp_indices[is_inside], dense).all():
            raise invalid("SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ")
    _refuse_outside(sp_indices, sp_values, sp_shape, dense)


# --- kernels ---------------------------------------------------------------------------------------------------------


@op(
    "SparseDenseCwiseAdd",
    _SIGNATURE,
    T=NUMBER,
    shape=_values_shape,
    checks=_refuse_outside,
    not_batched=OWN_COORDINATES,
)
def sparse_dense_add(xp: Xp, sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array) -> Array:
    """Adds to each element of a sparse tensor the element of a dense one at the same coordinate."""
    return sp_values + _dense_at(xp, sp_indices, dense)


@sparse_dense_add.gradient
def sparse_dense_add_gradient(dy: Tensor) -> Any:
    """Refuses, as TensorFlow does."""
    raise NotImplementedError("Gradient for SparseDenseCwiseAdd is not implemented.")


@op(
    "SparseDenseCwiseMul",
    _SIGNATURE,
    T=NUMBER,
    shape=_values_shape,
    checks=_refuse_outside,
    not_batched=OWN_COORDINATES,
)
def sparse_dense_mul(xp: Xp, sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array) -> Array:
    """Multiplies each element of a sparse tensor by the element of a dense one at the same coordinate."""
    return sp_values * _dense_at(xp, sp_indices, dense)


@sparse_dense_mul.gradient
def sparse_dense_mul_gradient(
    dy: Tensor, sp_indices: Tensor, sp_values: Tensor, sp_shape: Tensor, dense: Tensor
) -> tuple[None, Tensor, None, Tensor]:
    """Gives each element its factor, and each dense element the sum over the coordinates that read it."""
    d_values = raw.SparseDenseCwiseMul(sp_indices=sp_indices, sp_values=dy, sp_shape=sp_shape, dense=conj(dense))
    return None, d_values, None, _sum_to_dense(dy * conj(sp_values), sp_indices, dense)


def _sum_to_dense(values: Tensor, indices: Tensor, dense: Tensor) -> Tensor:
    """Adds up values at coordinates of a sparse tensor in the form of a dense tensor that was broadcast."""
    if dense.shape.rank == 0:
        total: Tensor = raw.Sum(input=values, reduction_indices=[0])
        return total
    dense_shape = shape_of(dense, out_type=int64)
    first = raw.Shape(input=indices, out_type=int64)[1] - raw.Size(input=dense_shape, out_type=int64)
    is_read = raw.Cast(x=raw.NotEqual(x=dense_shape, y=raw.OnesLike(x=dense_shape)), DstT=int64)
    read_indices = indices[:, first:] * is_read
    summed: Tensor = raw.ScatterNd(indices=read_indices, updates=values, shape=dense_shape)
    return summed


@op("SparseDenseCwiseDiv", _SIGNATURE, T=NUMBER, shape=_values_shape, checks=_refuse_zeros, not_batched=OWN_COORDINATES)
def sparse_dense_div(xp: Xp, sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array) -> Array:
    """Divides each element of a sparse tensor by the element of a dense one at its coordinate; integers as in C."""
    divisors = _dense_at(xp, sp_indices, dense)
    if np.dtype(sp_values.dtype).kind in "iu":
        return truncated_quotient(xp, sp_values, divisors)
    return sp_values / divisors


@sparse_dense_div.gradient
def sparse_dense_div_gradient(
    dy: Tensor, sp_indices: Tensor, sp_values: Tensor, sp_shape: Tensor, dense: Tensor
) -> tuple[None, Tensor, None, Tensor]:
    """Divides each gradient, and gives each dense element the sum over the coordinates that read it."""

    def divided(values: Tensor) -> Tensor:
        quotient: Tensor = raw.SparseDenseCwiseDiv(
            sp_indices=sp_indices, sp_values=values, sp_shape=sp_shape, dense=conj(dense)
        )
        return quotient

    d_values = divided(dy)
    return None, d_values, None, _sum_to_dense(-divided(d_values * conj(sp_values)), sp_indices, dense)


# --- Python's operators ----------------------------------------------------------------------------------------------


def _with_dense(compute: Callable[..., Any], sparse: SparseTensor, dense: Any, name: str) -> SparseTensor:
    """Applies `compute(sparse values, dense)` to a sparse tensor and a dense operand, which takes the same dtype."""
    with name_scope(name) as scope:
        dense = convert_to_tensor(dense, dtype=sparse.dtype.base_dtype, name="y")
        values, dense = (sparse.values, dense) if name != "truediv" else divisible(sparse.values, dense, "__truediv__")
        return _with_new_values(sparse, compute(sparse.indices, values, sparse.dense_shape, dense, name=scope))


def _with_new_values(sparse: SparseTensor, values: Any) -> SparseTensor:
    result = SparseTensor(sparse.indices, values, sparse.dense_shape)
    result.set_shape(sparse.shape)
    return result


@late_bound("sparse_mul")
def multiply(sparse: SparseTensor, dense: object) -> SparseTensor:
    """Returns `sparse * dense`."""
    return _with_dense(sparse_dense_mul, sparse, dense, "mul")


@late_bound("sparse_rmul")
def multiply_by_tensor(sparse: SparseTensor, tensor: Tensor) -> SparseTensor:
    """Returns `tensor * sparse`."""
    values = sparse_dense_mul(sparse.indices, sparse.values, sparse.dense_shape, tensor, name="mul")
    return _with_new_values(sparse, values)


@late_bound("sparse_truediv")
def divide(sparse: SparseTensor, dense: object) -> SparseTensor:
    """Returns `sparse / dense`; integers are cast to floating point first."""
    return _with_dense(sparse_dense_div, sparse, dense, "truediv")


@late_bound("sparse_div")
def divide_as_in_c(sparse: SparseTensor, dense: object) -> SparseTensor:
    """Returns `sparse / dense`, where integers are divided as in C."""
    return _with_dense(sparse_dense_div, sparse, dense, "div")

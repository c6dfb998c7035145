"""Reductions: sum, product, mean, extremes, all, any, Euclidean norm over axes of a tensor.

All kernels have one form: the axes arrive as a small array, the work is one `ufunc.reduce`. Results keep the input's
dtype (NumPy would widen small integers), and 16-bit floats are accumulated in 32 bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_algebra import Total
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.batching_rules import along
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math.broadcasting import conj
from millrace._src.ops.math.element_types import INDEX, NUMBER, QUANTIZED, REAL
from millrace._src.ops.math.precision import in_single, is_half
from millrace._src.ops.math.reduction_axes import (
    check_axes,
    keep_axes,
    reduction_shape,
    spread,
    static_axes,
)
from millrace._src.ops.math.small_sums import by_products
from millrace._src.util.half_floats import half_extreme

_BOOLEAN = "booleans have no gradient"
_SIGNATURE = "input: T, reduction_indices: Tidx -> output: T"
_CONSTANT = ("reduction_indices",)
_AXIS_NAME = {"axis": "reduction_indices"}


def _axes(reduction_indices: Array) -> tuple[int, ...]:
    return tuple(reduction_indices.tolist() if reduction_indices.ndim == 1 else reduction_indices.reshape(-1).tolist())


_FEW = 1024
"""So few numbers are added by NumPy at once: the call of `xp.sum` would cost more than it brings."""
_MANY = 1 << 12
"""Numbers from which on products are made of halves."""


def _to_array(ufunc_name: str) -> Callable[..., Array]:
    """Returns a ufunc's reduction over a tuple of axes, as an array of the input's dtype: `reduce(x, axes, keep_dims)`.

    NumPy would make a scalar where all axes go, and an array of the scalar takes longer than the sum of a small array.
    """
    reduce: Callable[..., Array] = getattr(np, ufunc_name).reduce

    def reduce_to_array(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
        return reduce(x, axes, x.dtype, out=..., keepdims=keep_dims)

    return reduce_to_array


def _adding(xp: Xp, dtype: np.dtype[Any]) -> Callable[..., Array]:
    """Returns the quickest sum of an array of floats over a tuple of axes: `add(x, axes, keep_dims)`."""
    add = _to_array("add")

    def sum_over(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
        return add(x, axes, keep_dims) if x.size < _FEW else xp.sum(x, axis=axes, keepdims=keep_dims)

    return by_products(dtype, sum_over)


def _multiplying() -> Callable[..., Array]:
    """Returns the quickest product of an array of floats over a tuple of axes: `multiply(x, axes, keep_dims)`."""
    multiply = _to_array("multiply")

    def multiply_over(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
        last_axes = {x.ndim - 1 - i for i in range(len(axes))}
        if x.size < _MANY or {axis % x.ndim for axis in axes} != last_axes or not x.flags.c_contiguous:
            return multiply(x, axes, keep_dims)
        kept_shape = x.shape[: x.ndim - len(axes)]
        products = _multiply_halves(x.reshape(math.prod(kept_shape), -1))
        return multiply(products, (1,), False).reshape(kept_shape + (1,) * len(axes) * keep_dims)

    return multiply_over


def _multiply_halves(rows: Array) -> Array:
    """Multiplies the halves of rows until they are short: NumPy multiplies a row number by number, two rows at once."""
    while rows.shape[1] >= 32:
        half = rows.shape[1] // 2
        products = rows[:, :half] * rows[:, half : 2 * half]
        if rows.shape[1] % 2:
            products[:, 0] *= rows[:, -1]
        rows = products
    return rows


def _reduce_directly(ufunc_name: str) -> Callable[..., Any]:
    """Makes a specialization rule of the ufunc's own `reduce`, which skips the checks of `numpy.sum` and the like."""

    def specialize(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
        dtype = dtypes[0].np_dtype
        if dtype.itemsize < 4 and dtype.kind in "fV":
            return None
        if dtype.kind == "f" and ufunc_name in ("add", "multiply"):
            reduce = _adding(xp, dtype) if ufunc_name == "add" else _multiplying()
        else:
            reduce = _to_array(ufunc_name)
        keep_dims = attrs["keep_dims"]

        def reduce_axes(x: Array, axes: Array) -> Array:
            reduced_axes = tuple(axes.tolist()) if axes.ndim == 1 else _axes(axes)
            if not reduced_axes:
                return x  # a sum would start from 0.0, which makes 0.0 of -0.0
            try:
                return reduce(x, reduced_axes, keep_dims)
            except ValueError:
                check_axes(axes, x.ndim)
                raise

        return reduce_axes

    return specialize


@op(
    "Sum",
    _SIGNATURE,
    T=NUMBER,
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    batching=along("reduction_indices", "input"),
    is_reduction=True,
    flops=flops.reduction,
    public_argument_names=_AXIS_NAME,
    total=Total.SUM,
)
def sum_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Computes the sum over axes; the op behind `tf.reduce_sum`.

    >>> tf.raw_ops.Sum(input=[[1, 2], [3, 4]], reduction_indices=[0]).numpy()
    array([4, 6], dtype=int32)
    """
    axes = _axes(reduction_indices)
    return xp.sum(input, axis=axes, keepdims=keep_dims) if axes else input


sum_op.specialize(_reduce_directly("add"))


@sum_op.gradient(accepts_slices=True)
@values_for(input=())
def sum_gradient(dy: Tensor, input: Tensor, reduction_indices: Tensor, keep_dims: bool) -> tuple[Tensor, None]:
    return spread(dy, input, reduction_indices, keep_dims), None


@op(
    "Prod",
    _SIGNATURE,
    T=NUMBER,
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    batching=along("reduction_indices", "input"),
    is_reduction=True,
    public_argument_names=_AXIS_NAME,
)
def prod_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Computes the product over axes; the op behind `tf.reduce_prod`.

    >>> tf.raw_ops.Prod(input=[[1, 2], [3, 4]], reduction_indices=[0]).numpy()
    array([3, 8], dtype=int32)
    """
    return xp.prod(input, axis=_axes(reduction_indices), keepdims=keep_dims)


prod_op.specialize(_reduce_directly("multiply"))


@prod_op.gradient
def prod_gradient(
    dy: Tensor,
    input: Tensor,
    reduction_indices: Tensor,
    output: Tensor,
    keep_dims: bool,
) -> tuple[Tensor, None]:
    # The derivative with respect to one factor is the product of the other factors, also where a factor is 0.
    kept_dy = keep_axes(dy, input, reduction_indices, keep_dims)
    return kept_dy * conj(_product_of_others(input, reduction_indices)), None


def _product_of_others(x: Tensor, reduction_indices: Tensor) -> Any:
    """Returns, for each element, the product of all other elements in the same product."""
    axes = static_axes(reduction_indices, x.shape.rank)
    if axes is not None and len(axes) == 1:
        return _exclusive_products(x, axes[0])
    order: Any
    if axes is not None:
        order = np.array([*axes, *(i for i in range(x.shape.rank or 0) if i not in axes)], np.int32)
        inverse: Any = np.argsort(order).astype(np.int32)
    else:
        order = _reduce_first(x, reduction_indices)
        inverse = raw.InvertPermutation(x=order)
    moved_x = raw.Transpose(x=x, perm=order)
    shape = raw.Shape(input=moved_x)
    reduced_rank = raw.Size(input=reduction_indices) if axes is None else len(axes)
    sizes = [_product_of_sizes(shape[:reduced_rank]), _product_of_sizes(shape[reduced_rank:])]
    other_products = _exclusive_products(raw.Reshape(tensor=moved_x, shape=raw.Pack(values=sizes, axis=0)), 0)
    return raw.Transpose(x=raw.Reshape(tensor=other_products, shape=shape), perm=inverse)


def _reduce_first(x: Tensor, reduction_indices: Tensor) -> Any:
    """Returns all axes, the reduced axes first, where only the running graph knows the axes or the rank."""
    rank = raw.Rank(input=x)
    reduced_axes = raw.FloorMod(x=raw.Cast(x=reduction_indices, DstT=rank.dtype), y=rank)
    reduced_axes = raw.Reshape(tensor=reduced_axes, shape=np.array([-1], np.int32))
    all_axes = raw.Range(start=np.int32(0), limit=rank, delta=np.int32(1))
    other_axes, _ = raw.ListDiff(x=all_axes, y=reduced_axes)
    return raw.ConcatV2(values=[reduced_axes, other_axes], axis=np.int32(0))


def _product_of_sizes(shape: Tensor) -> Any:
    return raw.Prod(input=shape, reduction_indices=np.array([0], np.int32))


def _exclusive_products(x: Tensor, axis: int) -> Any:
    before = raw.Cumprod(x=x, axis=np.int32(axis), exclusive=True)
    return before * raw.Cumprod(x=x, axis=np.int32(axis), exclusive=True, reverse=True)


def _limit(dtype: Any, *, highest: bool) -> Any:
    """Returns the neutral element of min (`highest`) or of max."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if highest else np.iinfo(dtype).min
    return np.inf if highest else -np.inf


def _extreme(xp: Xp, x: Array, reduction_indices: Array, keep_dims: bool, *, highest: bool) -> Array:
    axes = _axes(reduction_indices)
    if x.size == 0:
        shape = np.empty(x.shape, np.bool_).any(axis=axes, keepdims=keep_dims).shape
        return xp.full(shape, _limit(x.dtype, highest=not highest), dtype=x.dtype)
    return (xp.max if highest else xp.min)(x, axis=axes, keepdims=keep_dims)


def _specialize_extreme(ufunc_name: str) -> Callable[..., Any]:
    def specialize(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
        is_half = dtypes[0].is_floating and dtypes[0].size == 2
        reduce = half_extreme(getattr(np, ufunc_name)) if is_half else _to_array(ufunc_name)
        keep_dims = attrs["keep_dims"]

        def extreme(x: Array, axes: Array) -> Array:
            if x.size == 0:
                return _extreme(xp, x, axes, keep_dims, highest=ufunc_name == "maximum")
            try:
                return reduce(x, _axes(axes), keep_dims)
            except ValueError:
                check_axes(axes, x.ndim)
                raise

        return extreme

    return specialize


@op(
    "Max",
    _SIGNATURE,
    T=REAL | QUANTIZED,
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    batching=along("reduction_indices", "input"),
    exact_on_rows=True,
    is_reduction=True,
    public_argument_names=_AXIS_NAME,
)
def max_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Computes the maximum over axes; the op behind `tf.reduce_max`.

    >>> tf.raw_ops.Max(input=[[1, 5], [3, 4]], reduction_indices=[0]).numpy()
    array([3, 5], dtype=int32)
    """
    return _extreme(xp, input, reduction_indices, keep_dims, highest=True)


max_op.specialize(_specialize_extreme("maximum"))


@op(
    "Min",
    _SIGNATURE,
    T=REAL | QUANTIZED,
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    batching=along("reduction_indices", "input"),
    exact_on_rows=True,
    is_reduction=True,
    public_argument_names=_AXIS_NAME,
)
def min_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Computes the minimum over axes; the op behind `tf.reduce_min`.

    >>> tf.raw_ops.Min(input=[[1, 5], [3, 4]], reduction_indices=[0]).numpy()
    array([1, 4], dtype=int32)
    """
    return _extreme(xp, input, reduction_indices, keep_dims, highest=False)


min_op.specialize(_specialize_extreme("minimum"))


@max_op.gradient
def max_gradient(
    dy: Tensor,
    input: Tensor,
    reduction_indices: Tensor,
    output: Tensor,
    keep_dims: bool,
) -> tuple[Tensor, None]:
    # Several elements that reach the extreme share the gradient equally.
    kept_output = keep_axes(output, input, reduction_indices, keep_dims)
    kept_dy = keep_axes(dy, input, reduction_indices, keep_dims)
    winners = raw.Cast(x=raw.Equal(x=kept_output, y=input), DstT=dy.dtype)
    count = raw.Sum(input=winners, reduction_indices=reduction_indices, keep_dims=True)
    return winners / count * kept_dy, None


min_op.gradient(max_gradient)


@op(
    "Mean",
    _SIGNATURE,
    T=NUMBER,
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    batching=along("reduction_indices", "input"),
    flops=flops.mean,
    public_argument_names=_AXIS_NAME,
    total=Total.MEAN,
)
def mean_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Computes the mean over axes; the op behind `tf.reduce_mean`. Integers are divided towards zero.

    >>> tf.raw_ops.Mean(input=[[1.0, 2.0], [3.0, 4.0]], reduction_indices=[0]).numpy()
    array([2., 3.], dtype=float32)
    """
    axes, dtype = _axes(reduction_indices), input.dtype
    if not axes:
        return input
    if dtype.kind in "iu":
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        total = xp.sum(input, axis=axes, keepdims=keep_dims, dtype=wide)
        count = max(input.size // max(total.size, 1), 1)
        return xp.astype(_truncated_mean(xp, total, count), dtype)
    if is_half(input):
        return in_single(xp, lambda x: xp.mean(x, axis=axes, keepdims=keep_dims), input)
    total = xp.sum(input, axis=axes, keepdims=keep_dims)
    return total / dtype.type(_count(input.shape, axes))


def _truncated_mean(xp: Xp, total: Array, count: int) -> Array:
    return xp.sign(total) * (xp.abs(total) // total.dtype.type(count))


def _count(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    count = 1
    for axis in axes:
        count *= shape[axis]
    return count


@functools.lru_cache(maxsize=1024)
def _count_array(count: int, dtype: Any) -> Array:
    return np.array(count, dtype)


@mean_op.specialize
def _specialize_mean(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    dtype = dtypes[0].np_dtype
    if dtype.kind not in "fc" or dtype.itemsize < 4:
        return None
    add, keep_dims = _adding(xp, dtype), attrs["keep_dims"]

    def mean(x: Array, axes: Array) -> Array:
        reduced_axes = _axes(axes)
        if not reduced_axes:
            return x
        try:
            total, count = add(x, reduced_axes, keep_dims), _count_array(_count(x.shape, reduced_axes), dtype)
            return np.divide(total, count, total) if type(total) is np.ndarray else total / count
        except (ValueError, IndexError):
            check_axes(axes, x.ndim)
            raise

    return mean


@mean_op.gradient
@values_for(input=())
def mean_gradient(
    dy: Tensor,
    input: Tensor,
    reduction_indices: Tensor,
    output: Tensor,
    keep_dims: bool,
) -> tuple[Tensor, None]:
    return spread(dy / _mean_count(input, output, reduction_indices), input, reduction_indices, keep_dims), None


@functools.lru_cache(maxsize=1024)
def _kept_count(count: int, dtype: DType) -> Any:
    return convert_to_tensor(count, dtype=dtype)


def _count_tensor(count: int, dtype: DType) -> Any:
    return _kept_count(count, dtype) if executing_eagerly() else convert_to_tensor(count, dtype=dtype)


def _mean_count(x: Tensor, mean: Tensor, reduction_indices: Tensor) -> Any:
    """Returns the number of elements in each mean, in the dtype of `x`."""
    axes, dims = static_axes(reduction_indices, x.shape.rank), x.shape.dim_sizes
    if axes is not None and dims is not None and all(dims[a] is not None for a in axes):
        return _count_tensor(_count(dims, axes), x.dtype)  # type: ignore[arg-type]  # no None at these axes
    means = raw.Maximum(x=raw.Size(input=mean), y=np.int32(1))
    return raw.Cast(x=raw.FloorDiv(x=raw.Size(input=x), y=means), DstT=x.dtype)


@op(
    "All",
    "input: bool, reduction_indices: Tidx -> output: bool",
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    not_differentiable=_BOOLEAN,
    batching=along("reduction_indices", "input"),
    is_reduction=True,
    public_argument_names=_AXIS_NAME,
)
def all_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Returns whether all elements are True, over axes; the op behind `tf.reduce_all`.

    >>> tf.raw_ops.All(input=[True, False], reduction_indices=[0]).numpy()
    np.False_
    """
    return xp.all(input, axis=_axes(reduction_indices), keepdims=keep_dims)


all_op.specialize(_reduce_directly("logical_and"))


@op(
    "Any",
    "input: bool, reduction_indices: Tidx -> output: bool",
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    not_differentiable=_BOOLEAN,
    batching=along("reduction_indices", "input"),
    is_reduction=True,
    public_argument_names=_AXIS_NAME,
)
def any_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Returns whether any element is True, over axes; the op behind `tf.reduce_any`.

    >>> tf.raw_ops.Any(input=[True, False], reduction_indices=[0]).numpy()
    np.True_
    """
    return xp.any(input, axis=_axes(reduction_indices), keepdims=keep_dims)


any_op.specialize(_reduce_directly("logical_or"))


@op(
    "EuclideanNorm",
    _SIGNATURE,
    T=NUMBER,
    Tidx=INDEX,
    shape=reduction_shape,
    constant_inputs=_CONSTANT,
    batching=along("reduction_indices", "input"),
    public_argument_names=_AXIS_NAME,
)
def euclidean_norm_op(xp: Xp, input: Array, reduction_indices: Array, *, keep_dims: bool = False) -> Array:
    """Computes the square root of the sum of squares over axes; the op behind `tf.math.reduce_euclidean_norm`.

    >>> tf.raw_ops.EuclideanNorm(input=[3.0, 4.0], reduction_indices=[0]).numpy()
    np.float32(5.0)
    """
    axes = _axes(reduction_indices)
    if input.dtype.kind in "iu":
        squares = xp.sum(input * input, axis=axes, keepdims=keep_dims)
        return xp.astype(xp.sqrt(xp.astype(squares, np.float64)), input.dtype)
    return in_single(xp, lambda x: xp.sqrt(xp.sum(xp.conj(x) * x, axis=axes, keepdims=keep_dims)), input)


@euclidean_norm_op.gradient
def euclidean_norm_gradient(
    dy: Tensor,
    input: Tensor,
    reduction_indices: Tensor,
    output: Tensor,
    keep_dims: bool,
) -> tuple[Tensor, None]:
    # Not input / (output / dy), whose derivative is not a number where dy is zero.
    return input * keep_axes(dy / output, input, reduction_indices, keep_dims), None

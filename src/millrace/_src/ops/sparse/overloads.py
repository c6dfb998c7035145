"""What public functions do with sparse tensors: most act on the stored elements, as in TensorFlow.

TensorFlow's choice of functions is historical: most take zero to zero, so that elements that are not stored stay zero;
`tf.math.bessel_i0e` does not. Other element-wise functions refuse a sparse tensor; `tf.sparse.map_values` applies any
function to the stored elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.overloads import overload
from millrace._src.ops.array.filling import ones, zeros
from millrace._src.ops.array.identity import identity
from millrace._src.ops.math import bessel, special, trigonometry, unary
from millrace._src.ops.math.casting import cast
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, sparse_result


def _on_values(function: Callable[..., Any]) -> Callable[..., SparseTensor]:
    """Makes the overload of an element-wise function that acts on the stored elements."""

    def on_values(x: Any, name: str | None = None) -> SparseTensor:
        return sparse_result(x.indices, function(x.values, name=name), x.dense_shape, x.shape)

    return on_values


sparse_abs = overload("math.abs", SparseTensor)(_on_values(unary.abs_))
sparse_negative = overload("math.negative", SparseTensor)(_on_values(unary.negative))
sparse_sign = overload("math.sign", SparseTensor)(_on_values(unary.sign))
sparse_square = overload("math.square", SparseTensor)(_on_values(unary.square))
sparse_sqrt = overload("math.sqrt", SparseTensor)(_on_values(unary.sqrt))
sparse_erf = overload("math.erf", SparseTensor)(_on_values(special.erf))
sparse_tanh = overload("math.tanh", SparseTensor)(_on_values(trigonometry.tanh))
sparse_sin = overload("math.sin", SparseTensor)(_on_values(trigonometry.sin))
sparse_tan = overload("math.tan", SparseTensor)(_on_values(trigonometry.tan))
sparse_asin = overload("math.asin", SparseTensor)(_on_values(trigonometry.asin))
sparse_asinh = overload("math.asinh", SparseTensor)(_on_values(trigonometry.asinh))
sparse_atan = overload("math.atan", SparseTensor)(_on_values(trigonometry.atan))
sparse_atanh = overload("math.atanh", SparseTensor)(_on_values(trigonometry.atanh))
sparse_bessel_i0e = overload("math.bessel_i0e", SparseTensor)(_on_values(bessel.bessel_i0e))
sparse_bessel_i1e = overload("math.bessel_i1e", SparseTensor)(_on_values(bessel.bessel_i1e))


@overload("cast", SparseTensor)
def sparse_cast(x: Any, dtype: object, name: str | None = None) -> SparseTensor:
    """Applies `tf.cast` to the stored elements."""
    with name_scope(name, "Cast"):
        return sparse_result(x.indices, cast(x.values, dtype), x.dense_shape, x.shape)


@overload("divide", SparseTensor)
def sparse_divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides a sparse tensor by a dense one, as `/` does."""
    return x / y


@overload("zeros_like", SparseTensor)
def zeros_like_sparse(input: Any, dtype: Any = None, name: str | None = None, layout: object = None) -> Any:
    """Makes a dense tensor of zeros of the shape of a sparse tensor."""
    return zeros(input.dense_shape, input.dtype if dtype is None else dtype, name=name or "zeros_like")


@overload("ones_like", SparseTensor)
def ones_like_sparse(input: Any, dtype: Any = None, name: str | None = None, layout: object = None) -> Any:
    """Makes a dense tensor of ones of the shape of a sparse tensor."""
    return ones(input.dense_shape, input.dtype if dtype is None else dtype, name=name or "ones_like")


@overload("concat", SparseTensor)
def sparse_concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Returns the only sparse tensor of a list; `tf.concat` joins no sparse tensors, `tf.sparse.concat` does."""
    tensors = values if isinstance(values, (list, tuple)) else [values]
    if len(tensors) == 1:
        return identity(tensors[0], name=name)
    return [convert_to_tensor(value) for value in tensors]  # raises for a sparse tensor

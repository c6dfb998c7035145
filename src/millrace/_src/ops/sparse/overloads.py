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


def _on_values(function: Callable[..., Any], x: SparseTensor, name: str | None) -> SparseTensor:
    """Applies an element-wise function to the stored elements."""
    return sparse_result(x.indices, function(x.values, name=name), x.dense_shape, x.shape)


@overload("math.abs", SparseTensor)
def sparse_abs(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.abs` to the stored elements."""
    return _on_values(unary.abs_, x, name)


@overload("math.negative", SparseTensor)
def sparse_negative(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.negative` to the stored elements."""
    return _on_values(unary.negative, x, name)


@overload("math.sign", SparseTensor)
def sparse_sign(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.sign` to the stored elements."""
    return _on_values(unary.sign, x, name)


@overload("math.square", SparseTensor)
def sparse_square(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.square` to the stored elements."""
    return _on_values(unary.square, x, name)


@overload("math.sqrt", SparseTensor)
def sparse_sqrt(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.sqrt` to the stored elements."""
    return _on_values(unary.sqrt, x, name)


@overload("math.erf", SparseTensor)
def sparse_erf(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.math.erf` to the stored elements."""
    return _on_values(special.erf, x, name)


@overload("math.tanh", SparseTensor)
def sparse_tanh(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.tanh` to the stored elements."""
    return _on_values(trigonometry.tanh, x, name)


@overload("math.sin", SparseTensor)
def sparse_sin(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.sin` to the stored elements."""
    return _on_values(trigonometry.sin, x, name)


@overload("math.tan", SparseTensor)
def sparse_tan(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.tan` to the stored elements."""
    return _on_values(trigonometry.tan, x, name)


@overload("math.asin", SparseTensor)
def sparse_asin(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.asin` to the stored elements."""
    return _on_values(trigonometry.asin, x, name)


@overload("math.asinh", SparseTensor)
def sparse_asinh(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.asinh` to the stored elements."""
    return _on_values(trigonometry.asinh, x, name)


@overload("math.atan", SparseTensor)
def sparse_atan(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.atan` to the stored elements."""
    return _on_values(trigonometry.atan, x, name)


@overload("math.atanh", SparseTensor)
def sparse_atanh(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.atanh` to the stored elements."""
    return _on_values(trigonometry.atanh, x, name)


@overload("math.bessel_i0e", SparseTensor)
def sparse_bessel_i0e(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.math.bessel_i0e` to the stored elements."""
    return _on_values(bessel.bessel_i0e, x, name)


@overload("math.bessel_i1e", SparseTensor)
def sparse_bessel_i1e(x: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.math.bessel_i1e` to the stored elements."""
    return _on_values(bessel.bessel_i1e, x, name)


@overload("cast", SparseTensor)
def sparse_cast(x: Any, dtype: Any, name: str | None = None) -> SparseTensor:
    """Applies `tf.cast` to the stored elements."""
    with name_scope(name, "Cast"):
        return _on_values(lambda values, name: cast(values, dtype), x, None)


@overload("divide", SparseTensor)
def sparse_divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides a sparse tensor by a dense one, as `/` does."""
    return x / y


@overload("zeros_like", SparseTensor)
def zeros_like_sparse(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Makes a dense tensor of zeros of the shape of a sparse tensor."""
    return zeros(input.dense_shape, input.dtype if dtype is None else dtype, name=name or "zeros_like")


@overload("ones_like", SparseTensor)
def ones_like_sparse(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Makes a dense tensor of ones of the shape of a sparse tensor."""
    return ones(input.dense_shape, input.dtype if dtype is None else dtype, name=name or "ones_like")


@overload("compat.v1.zeros_like", SparseTensor)
def zeros_like_sparse_v1(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Makes a dense tensor of zeros of the shape of a sparse tensor."""
    return zeros_like_sparse(tensor, dtype, name)


@overload("compat.v1.ones_like", SparseTensor)
def ones_like_sparse_v1(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
    """Makes a dense tensor of ones of the shape of a sparse tensor."""
    return ones_like_sparse(tensor, dtype, name)


@overload("concat", SparseTensor)
def sparse_concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Returns the only sparse tensor of a list; `tf.concat` joins no sparse tensors, `tf.sparse.concat` does."""
    tensors = values if isinstance(values, (list, tuple)) else [values]
    if len(tensors) == 1:
        return identity(tensors[0], name=name)
    return [convert_to_tensor(value) for value in tensors]  # raises for a sparse tensor

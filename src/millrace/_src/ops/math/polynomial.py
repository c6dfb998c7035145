"""Polynomials at a point, by Horner's rule.

`((a * x + b) * x + c) ...` takes one product and one sum for each coefficient.
"""

from __future__ import annotations

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.filling import zeros_like
from millrace._src.util.export import export


@export("math.polyval")
def polyval(coeffs: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Evaluates a polynomial at each element of `x`.

    >>> tf.math.polyval([1.0, 2.0, 3.0], 2.0).numpy()  # 1 * 2**2 + 2 * 2 + 3
    np.float32(11.0)

    Args:
      coeffs: A list of coefficients (values or `Tensor`s that broadcast to `x`), the highest power first.
      x: A `Tensor` of numbers.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `x` (of the broadcast shape if there are coefficients); 0 without
      coefficients.
    Raises: ValueError: if `coeffs` is not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with name_scope(name, "polyval") as scope:
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x, name=scope)
        tensors = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        value = tensors[0]
        for coefficient in tensors[1:]:
            value = coefficient + value * x
        return value

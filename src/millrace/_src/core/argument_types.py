"""The types of arguments in annotations: what public functions take as a tensor, a dtype, or a shape.

Problem: TensorFlow's functions convert their arguments, so that a parameter takes much more than one class. `Any` says
that, and says nothing to a reader or an editor.

Idea: one alias for each kind of argument, as NumPy and JAX have `ArrayLike` and `DTypeLike`. Functions that look at a
value of any kind, and use no attribute of it, take `object`.

Tests: tests/contracts/test_public_names.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.types import Tensor
from millrace._src.util.export import export_constant

TensorLike: TypeAlias = (
    Tensor
    | int
    | float
    | bool
    | str
    | bytes
    | complex
    | tuple[Any, ...]
    | list[Any]
    | np.ndarray[Any, Any]
    | np.generic
)
"""The types of values that `tf.convert_to_tensor` takes, for annotations."""

export_constant(__name__, "TensorLike", "types.experimental.TensorLike")

DTypeLike: TypeAlias = DType | np.dtype[Any] | type | str | int
"""The types of values that `tf.as_dtype` takes."""

ShapeLike: TypeAlias = TensorShape | Tensor | Sequence[Any] | np.ndarray[Any, Any] | int
"""The types of values that describe a shape: a `TensorShape`, integers (None for unknown dimensions), or a tensor."""

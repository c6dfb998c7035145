"""Computing 16-bit floating point in 32 bits.

Sums, products and special functions of float16 and bfloat16 lose most of their digits when every step is rounded to 16
bits (and SciPy has no such loops at all). TensorFlow computes such functions in float32 and rounds once at the end; the
functions here do the same for any kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.ops import raw
from millrace._src.util.half_floats import half_function


def is_half(x: Array) -> bool:
    """Returns whether `x` holds float16, bfloat16 or float8: floating point of at most 16 bits."""
    return bool(x.dtype.itemsize <= 2 and x.dtype.kind in "fV")


def in_single(xp: Xp, compute: Callable[..., Array], *arrays: Array) -> Array:
    """Computes `compute(*arrays)` in the arrays' own dtype, but in float32 where that dtype has 16 bits."""
    dtype = arrays[0].dtype
    if not is_half(arrays[0]):
        return compute(*arrays)
    return xp.astype(compute(*(xp.astype(x, np.float32) for x in arrays)), dtype)


def at_least_single(compute: Callable[..., Any], *tensors: Any) -> Any:
    """Computes `compute(*tensors)`; 16-bit tensors, which some ops do not take, in float32 and back."""
    dtype = tensors[0].dtype
    if dtype.size > 2:
        return compute(*tensors)
    return raw.Cast(x=compute(*(raw.Cast(x=t, DstT="float32") for t in tensors)), DstT=dtype)


def ufunc(name: str) -> Callable[..., Any]:
    """Makes a specialization rule for an op that is exactly the namespace's function `name` for all dtypes."""

    def specialize(xp: Xp, dtypes: Any, attrs: Any) -> Any:
        function = getattr(np, name)
        return half_function(function) if dtypes[0].is_floating and dtypes[0].size == 2 else function

    return specialize


def smooth_ufunc(name: str) -> Callable[..., Any]:
    """Makes a rule like `ufunc` for functions of one number that take many steps.

    For bfloat16, which has no fast loops, the function computes in float32.
    """

    def specialize(xp: Xp, dtypes: Any, attrs: Any) -> Any:
        function = getattr(np, name)
        if dtypes[0].name != "bfloat16":
            return half_function(function) if name == "sqrt" and dtypes[0].size == 2 else function
        return lambda x: function(x.astype(np.float32)).astype(x.dtype)

    return specialize


def in_one_buffer(form: Callable[..., Array]) -> Callable[..., Any]:
    """Specializes a kernel for NumPy by a form of the kernel that computes the same in fewer new arrays.

    An expression of three steps makes three arrays; large arrays are then most of a gradient's memory.
    """

    def specialize(xp: Xp, dtypes: Any, attrs: Any) -> Any:
        return run

    def run(*arrays: Array) -> Array:
        return form(*arrays) if arrays[0].ndim else form(*(a.reshape(1) for a in arrays)).reshape(())

    return specialize

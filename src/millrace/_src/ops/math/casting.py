"""Conversion between dtypes.

`tf.cast` follows the rules of C on the machine at hand for values that do not fit (an overflowing
or NaN float gives the "indefinite" integer, integers wrap around), drops the imaginary part of
complex numbers, and makes every nonzero number True. `tf.saturate_cast` clamps first.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, bool_, runtime_name
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_def import Elementwise, KnownValue, op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import as_it_is
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export
from millrace._src.util.half_floats import narrow, widen

_WIDER_THAN_HALF = ("float64", "int32", "int64")
"""Types that float16 is as well converted to through float32, whatever the value."""
_NOT_CASTABLE = ("string", "resource", "variant")


def _refuse(source: DType, target: DType) -> errors.UnimplementedError:
    text = f"Cast {runtime_name(source)} to {runtime_name(target)} is not supported"
    return errors.UnimplementedError(None, None, text)


def _clamps_in_xla(attrs: dict[str, Any]) -> str | None:
    """Tells how XLA converts a number that the target cannot hold: to the nearest one that it can."""
    is_fraction = attrs["SrcT"].is_floating or attrs["SrcT"].is_complex
    return "XLA clamps numbers that the integers cannot hold" if is_fraction and attrs["DstT"].is_integer else None


@op(
    "Cast",
    "x: SrcT -> y: DstT",
    SrcT=ANY,
    DstT=ANY,
    shape=same_shape,
    values_differ_when_compiled=_clamps_in_xla,
    is_cheap=True,
    elementwise=Elementwise.ALIKE,
    batching=as_it_is,
    exact_on_rows=True,
    known_value=KnownValue.WHOLE,
    is_conversion=True,
)
def cast_op(xp: Xp, x: Array, *, SrcT: DType, DstT: DType, Truncate: bool = False) -> Array:
    """Converts numbers to another dtype; the op behind `tf.cast`.

    >>> tf.raw_ops.Cast(x=[1.8, -2.2], DstT=tf.int32).numpy()
    array([ 1, -2], dtype=int32)
    """
    if SrcT is DstT:
        return x
    if SrcT.name in _NOT_CASTABLE or DstT.name in _NOT_CASTABLE:
        raise _refuse(SrcT, DstT)
    if SrcT.is_complex and not DstT.is_complex:
        x = xp.real(x)
    if Truncate and DstT.is_floating and SrcT.is_floating and DstT.size < SrcT.size:
        x = _truncate_mantissa(xp, x, DstT)
    return xp.cast(x, DstT.np_dtype)


@cast_op.exact_when
def _refuse_beyond_integers(x: Array, *, DstT: DType) -> None:
    """Refuses fractions that the integers of a dtype cannot hold: engines convert such numbers differently."""
    if not DstT.is_integer or x.dtype.kind in "biu" or not x.size:
        return
    limits, numbers = np.iinfo(DstT.np_dtype), x.real
    least, most = float(numbers.min()), float(numbers.max())
    if not (limits.min - 1 < least and most < limits.max + 1):  # NaN compares false
        raise errors.InvalidArgumentError(None, None, f"cast: {least} to {most} does not fit in {DstT.name}")


def _truncate_mantissa(xp: Xp, x: Array, target: DType) -> Array:
    """Clears the bits of the mantissa for which `target` has no room, so that the conversion rounds towards zero."""
    unsigned_type = {2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize]
    excess = ml_dtypes.finfo(x.dtype).nmant - ml_dtypes.finfo(target.np_dtype).nmant
    mask = unsigned_type(~((1 << excess) - 1) & (2 ** (8 * x.dtype.itemsize) - 1))
    cleared_floats = (x.view(unsigned_type) & mask).view(x.dtype)
    return xp.where(xp.isfinite(x), cleared_floats, x)


@cast_op.specialize
def _specialize_cast(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    source, target = dtypes[0], attrs["DstT"]
    names = {source.name, target.name}
    if attrs.get("Truncate") or names & set(_NOT_CASTABLE) or (source.is_complex and not target.is_complex):
        return None
    if names == {"float16", "float32"}:
        return widen if source.size == 2 else narrow
    np_dtype = target.np_dtype
    if names == {"float16", "bfloat16"}:  # a float32 holds every number of the source
        if source.name == "float16":
            return lambda x: widen(x).astype(np_dtype)
        return lambda x: narrow(x.astype(np.float32))
    if source.name == "float32" and target.name == "bfloat16":
        from millrace._src.util import bfloat16  # few programs need it

        return bfloat16.narrow
    if source.name == "float16" and target.name in _WIDER_THAN_HALF:
        return lambda x: widen(x).astype(np_dtype)
    if target.name == "float16" and source.is_integer:  # integers that a float32 rounds are infinite
        return lambda x: narrow(x.astype(np.float32))
    return lambda x: x.astype(np_dtype)


@cast_op.kernel_for("xla")
def _cast_in_xla(xp: Xp, x: Array, *, SrcT: DType, DstT: DType, Truncate: bool = False) -> Array:
    """Converts numbers; makes 1 and 0 of booleans by a choice.

    XLA takes a product with a converted boolean for a choice between the other number and 0, though 0 times NaN is NaN.
    """
    if SrcT is bool_ and (DstT.is_floating or DstT.is_complex):
        one, zero = (np.asarray(number, DstT.np_dtype) for number in (1, 0))
        return xp.where(x, one, zero)
    return cast_op.op_def.kernel(xp, x, SrcT=SrcT, DstT=DstT, Truncate=Truncate)


@cast_op.gradient(accepts_slices=True)
@values_for(x=())
def cast_gradient(dy: Tensor | IndexedSlices, x: Tensor) -> Any:
    source, target = x.dtype, dy.dtype
    if (source.is_floating or source.is_complex) and (target.is_floating or target.is_complex):
        if isinstance(dy, IndexedSlices):
            return cast(dy, source)
        return raw.Cast(x=dy, DstT=source)
    return None


@export("dtypes.cast", "cast", elementwise="unary")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Casts a tensor to another dtype.

    >>> tf.cast([1.8, 2.2], tf.int32).numpy()
    array([1, 2], dtype=int32)

    Args:
      x: A `Tensor` of numbers or booleans (or an `IndexedSlices`, of which the values are cast).
      dtype: The target dtype.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `x` and dtype `dtype`; `x` itself if `x` has that dtype already. Floats are cut
      towards zero; what does not fit wraps around or is the machine's smallest integer; complex numbers lose
      their imaginary part; anything but 0 is True.
    Raises:
      TypeError: if `dtype` is not a dtype.
      UnimplementedError: for strings (see `tf.strings.to_number`), resources and variants.
    """
    target = dtype if isinstance(dtype, DType) else as_dtype(dtype)
    target = target.base_dtype
    if isinstance(x, Tensor):
        return x if x.dtype is target else cast_op(x, DstT=target, name=name)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, target, name=name), x.indices, x.dense_shape)
    with name_scope(name, "Cast") as scope:
        x = convert_to_tensor(x, name="x")
        return x if x.dtype is target else cast_op(x, DstT=target, name=scope)


@export("dtypes.saturate_cast", "saturate_cast", elementwise="unary")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Casts to another dtype; values that do not fit become the smallest or the largest number of `dtype`.

    >>> tf.saturate_cast([300.0, -1.0], tf.uint8).numpy()
    array([255,   0], dtype=uint8)

    Args:
      value: A `Tensor` of numbers.
      dtype: The target dtype.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `value` and dtype `dtype`. NaN is cast as by `tf.cast`.
    """
    with name_scope(name, "saturate_cast") as scope:
        value = convert_to_tensor(value, name="value")
        target = as_dtype(dtype).base_dtype
        if value.dtype.is_complex:
            if target.is_complex:
                return _saturate_complex(value, target, scope)
            value = raw.Real(input=value, Tout=value.dtype.real_dtype)
        return cast(_clamp(value, target.real_dtype), target, name=scope)


def _clamp(value: Tensor, target: DType) -> Any:
    """Clamps `value`, in its own dtype, to the range of `target`."""
    if value.dtype is target:
        return value
    low, high = _common_range(value.dtype, target)
    low_tensor, high_tensor = convert_to_tensor(low, dtype=value.dtype), convert_to_tensor(high, dtype=value.dtype)
    return raw.ClipByValue(t=value, clip_value_min=low_tensor, clip_value_max=high_tensor, name="clamp")


def _common_range(source: DType, target: DType) -> tuple[Any, Any]:
    """Returns the extremes of `target` that `source` can hold, rounded inwards."""
    low = max(_number(source.min), _number(target.min))
    high = min(_number(source.max), _number(target.max))
    if not source.is_floating:
        return int(low), int(high)
    if target.is_floating:
        return low, high
    kind = source.np_dtype.type
    low_value, high_value, zero = kind(float(low)), kind(float(high)), kind(0)
    if int(low_value) < int(target.min):
        low_value = np.nextafter(low_value, zero)
    if int(high_value) > int(target.max):
        high_value = np.nextafter(high_value, zero)
    return low_value, high_value


def _number(value: Any) -> int | float:
    """Returns a NumPy scalar as a Python number, so that comparisons are exact."""
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def _saturate_complex(value: Tensor, target: DType, scope: str) -> Any:
    if value.dtype is target:
        return value
    part = target.real_dtype
    real = cast(_clamp(raw.Real(input=value, Tout=value.dtype.real_dtype), part), part)
    imag = cast(_clamp(raw.Imag(input=value, Tout=value.dtype.real_dtype), part), part)
    return raw.Complex(real=real, imag=imag, Tout=target, name=scope)

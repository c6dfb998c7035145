"""Numbers to text and back: `as_string` writes as C's printf does, `to_number` reads as C does.

Python's `%` has printf's flags. Reading needs patterns of its own, because Python accepts texts that C refuses, such as
`1_000`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, float32, int64
from millrace._src.core.op_def import op
from millrace._src.ops.batching_rules import as_it_is
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.packed import PackedStrings, pack_strings
from millrace._src.ops.strings.packed_numbers import read_floats, read_integers
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_TEXT = "text has no gradient"
_FEW = 24
"""Up to so many strings are read or written one by one."""
_NUMBER_TYPES = TypeSet((d.float32, d.float64, d.int32, d.int64, d.uint32, d.uint64), default=float32)
_FORMATTED_TYPES = TypeSet(
    (
        *(d.float32, d.float64, d.int32, d.uint8, d.int16, d.int8, d.int64, d.bfloat16, d.uint16, d.float16),
        *(d.uint32, d.uint64, d.complex64, d.complex128, d.bool, d.variant, d.string),
    )
)

# --- to numbers ------------------------------------------------------------------------------------------------------

_INTEGER = re.compile(rb"\s*([+-]?[0-9]+)\s*")
_UNSIGNED = re.compile(rb"\s*(\+?[0-9]+)\s*")
_DECIMAL = re.compile(rb"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*")
_HEXADECIMAL = re.compile(rb"\s*([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)\s*")
_SPECIAL = re.compile(rb"\s*([+-]?(?:inf|infinity|nan))(?:(?<=nan)\([0-9a-z_]*\))?\s*", re.IGNORECASE)


@op(
    "StringToNumber",
    "string_tensor: string -> output: out_type",
    out_type=_NUMBER_TYPES,
    shape=same_shape,
    host_only=True,
    batching=as_it_is,
    exact_on_rows=True,
    not_differentiable=_TEXT,
)
def string_to_number(xp: Xp, string_tensor: Array, *, out_type: DType) -> Array:
    """Reads the number that every string spells."""
    if out_type not in _NUMBER_TYPES:
        names = "float, double, int32, int64, uint32, uint64"
        message = f"Value for attr 'out_type' of {out_type.name} is not in the list of allowed values: {names}"
        raise errors.InvalidArgumentError(None, None, message)
    if string_tensor.size <= _FEW:
        values = [_number(text, out_type) for text in string_tensor.reshape(-1).tolist()]
        wide = np.array(values, dtype=object if out_type.is_integer else np.float64)
        return wide.astype(out_type.np_dtype).reshape(string_tensor.shape)
    numbers = read_packed(pack_strings(string_tensor), out_type, functools.partial(_number, dtype=out_type))
    return numbers.reshape(string_tensor.shape)


def _number(text: bytes, dtype: DType) -> Any:
    value = integer_reader(dtype)(text) if dtype.is_integer else read_float(text)
    if value is None:
        shown_text = text.split(b"\0")[0].decode("utf-8", "surrogateescape")
        raise errors.InvalidArgumentError(
            None, None, f"StringToNumberOp could not correctly convert string: {shown_text}"
        )
    return value


def read_packed(strings: PackedStrings, dtype: DType, read: Callable[[bytes], Any]) -> Array:
    """Reads the number of each packed string as an array of a dtype; `read` reads one that is not a plain decimal."""
    if dtype.is_integer:
        numbers, is_simple = read_integers(strings, with_minus=not dtype.is_unsigned)
        is_simple &= (numbers >= dtype.min) & (numbers <= min(dtype.max, int64.max))
    else:
        numbers, is_simple = read_floats(strings)
    result = numbers.astype(dtype.np_dtype, copy=False)
    others = np.flatnonzero(~is_simple)
    if len(others):
        result[others] = np.array([read(text) for text in strings.select(others)])
    return result


@functools.lru_cache(maxsize=16)
def integer_reader(dtype: DType) -> Callable[[bytes], int | None]:
    """Returns the function that reads an integer of a dtype; None for a text that spells none."""
    pattern = _UNSIGNED if dtype.is_unsigned else _INTEGER
    low, high = dtype.min, dtype.max

    def read(text: bytes) -> int | None:
        match = pattern.fullmatch(text)
        value = None if match is None else int(match[1])
        return value if value is not None and low <= value <= high else None

    return read


def read_float(text: bytes) -> float | None:
    """Reads a number as C does; None for a text that spells none."""
    match = _DECIMAL.fullmatch(text) or _SPECIAL.fullmatch(text)
    if match is not None:
        return float(match[1])
    match = _HEXADECIMAL.fullmatch(text)
    if match is None:
        return None
    try:
        return float.fromhex(match[1].decode())
    except OverflowError:
        return math.copysign(math.inf, -1.0 if match[1].startswith(b"-") else 1.0)


@export("strings.to_number", v1=[], elementwise="unary")
def to_number(input: TensorLike, out_type: DTypeLike = float32, name: str | None = None) -> Any:
    """Reads the number that every string spells.

    >>> tf.strings.to_number(["1.5", " -2e3 "]).numpy(), tf.strings.to_number("7", tf.int32).numpy()
    (array([ 1.5e+00, -2.0e+03], dtype=float32), np.int32(7))

    Args:
      input: a string Tensor; white space around a number is skipped.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: name of the operation in a graph.

    Returns: A Tensor of that dtype and the same shape.
    Raises: tf.errors.InvalidArgumentError: if a string is not a number, or out of the range of an integer type.
    """
    return string_to_number(input, out_type=as_dtype(out_type), name=name)


# --- to text ---------------------------------------------------------------------------------------------------------


@op(
    "AsString",
    "input: T -> output: string",
    T=_FORMATTED_TYPES,
    shape=same_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def as_string_op(
    xp: Xp,
    input: Array,
    *,
    T: DType,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Array:
    """Writes every element as printf does."""
    _check_format(T, precision, scientific, shortest, fill)
    flags = fill + (str(width) if width > -1 else "")
    conversion = "e" if scientific else "g" if shortest else "f"
    if input.size > _FEW and (T.is_integer or T.is_floating and np.isfinite(input).all()):
        return _format_at_once(input, _form(T, flags, precision, conversion))
    elements = input.reshape(-1).tolist() if T.is_numpy_compatible else [b"<unprintable>"] * input.size
    text = _formatter(T, flags, precision, conversion)
    return string_array(map(text, elements), input.shape)


def _format_at_once(input: Array, form: str) -> Array:
    """Writes many numbers as one text, which is taken apart at the ends of lines."""
    lines = f"{form}\n".encode() * input.size % tuple(input.reshape(-1).tolist())
    return string_array(lines.split(b"\n", input.size)[:-1], input.shape)


def _form(dtype: DType, flags: str, precision: int, conversion: str) -> str:
    """Returns printf's format of a number."""
    if dtype.is_integer:
        return f"%{flags.lstrip('+ ') if dtype.is_unsigned else flags}d"
    return f"%{flags}{f'.{precision}' if precision > -1 else ''}{conversion}"


def _check_format(dtype: DType, precision: int, scientific: bool, shortest: bool, fill: str) -> None:
    def fail(text: str) -> None:
        raise errors.InvalidArgumentError(None, None, text)

    if scientific and shortest:
        fail("Cannot select both scientific and shortest notation")
    if dtype.is_integer or dtype.is_bool:
        if scientific or shortest:
            fail(f"scientific and shortest format not supported for datatype {dtype.name}")
        if precision >= 0:
            fail(f"precision not supported for datatype {dtype.name}")
    if len(fill) > 1:
        fail("Fill string must be one or fewer characters")
    if fill and fill not in " +-0#":
        fail(f'Fill argument not supported: "{fill}"')


def _formatter(dtype: DType, flags: str, precision: int, conversion: str) -> Callable[[Any], bytes]:
    """Returns the function that writes one element, given as a Python value."""
    if dtype.is_bool:
        return lambda value: b"true" if value else b"false"
    if dtype.is_integer:
        form = _form(dtype, flags, precision, conversion)
        return lambda value: (form % value).encode()
    if dtype is d.string:
        return _text_formatter(flags)
    form = _form(dtype, flags, precision, conversion)
    plain_form = form.replace("%0", "%") if flags.startswith("0") else form

    def real(value: float) -> str:
        return (form if math.isfinite(value) else plain_form) % value

    if dtype.is_complex:
        return lambda value: f"({real(value.real)},{real(value.imag)})".encode()
    return lambda value: real(value).encode()


def _text_formatter(flags: str) -> Callable[[bytes], bytes]:
    width = int(flags.lstrip(" +-0#") or 0)
    if flags.startswith("-"):
        return lambda text: text.ljust(width)
    return lambda text: text.rjust(width)


@export(
    "strings.as_string",
    "as_string",
    v1=["strings.as_string", "as_string", "dtypes.as_string"],
    elementwise="unary",
)
def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Any:
    """Writes numbers as text.

    >>> tf.strings.as_string([3.14159, 100.0], precision=2).numpy()
    array([b'3.14', b'100.00'], dtype=object)

    Args:
      input: a Tensor of numbers, booleans or strings.
      precision: digits after the point (in shortest form: digits in all); only for floating point.
      scientific: whether to write an exponent.
      shortest: whether to write an exponent only where the text gets shorter by that.
      width: the least length of each text.
      fill: "0" fills up with zeros, "-" on the right, "+" and " " on the left after writing a sign or a space.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if options exclude each other or do not fit the dtype.
    """
    return as_string_op(
        input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name
    )

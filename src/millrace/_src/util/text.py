"""How values look in messages and in `print`, in TensorFlow's words.

Problem: `print(tensor)`, `repr(tensor)` and error messages must read as TensorFlow's do, for every dtype and rank.

Idea: a few pure functions of a NumPy array and its dtype. Nothing here knows of tensors: a dtype comes in as an object
with `.name`, a shape as a tuple, so that every layer may use the functions.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

UNPRINTABLE = "<unprintable>"
_SHOWN_VARIANTS = 3


def duration(seconds: float) -> str:
    """Writes a time with two digits and a unit: "26 ms", "0.31 ms", "1.2 s"."""
    unit, factor = ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-4 else ("us", 1e6)
    number = seconds * factor
    return f"{number:.0f} {unit}" if number >= 10 else f"{number:.2g} {unit}"


def value_text(array: Any, dtype: Any) -> str:
    """Writes a tensor's value as `str(tensor)` does: NumPy's `str`, after a line break if there are several lines."""
    return _own_line(str(array)) if dtype.is_numpy_compatible else _handle_text(array, dtype)


def value_repr(array: Any, dtype: Any) -> str:
    """Writes the last field of `repr(tensor)`: `numpy=array(...)`, `numpy=1.5` for a scalar or `value=...`."""
    if not dtype.is_numpy_compatible:
        return "value=" + _handle_text(array, dtype)
    return "numpy=" + (_own_line(repr(array)) if array.ndim else repr(array.item()))


def _handle_text(array: Any, dtype: Any) -> str:
    if array.ndim == 0:
        return repr(array.item())
    if dtype.name != "variant":
        return UNPRINTABLE
    more = "..." if array.size > _SHOWN_VARIANTS else ""
    return f"[{' '.join(map(repr, array.reshape(-1)[:_SHOWN_VARIANTS].tolist()))}{more}]"


def _own_line(text: str) -> str:
    return "\n" + text if "\n" in text else text


def shape_brackets(shape: Any) -> str:
    """Writes a static shape as graph errors do: `[2,?]`, or `<unknown>` when not even the rank is known.

    Args:
        shape: a TensorShape, or a tuple of ints and None, or None.
    """
    dims = getattr(shape, "dim_sizes", shape)
    return "<unknown>" if dims is None else "[" + ",".join("?" if dim is None else str(dim) for dim in dims) + "]"


def shape_parentheses(shape: Any) -> str:
    """Writes a static shape as `repr` does: `(2, None)`, `(3,)`, or `<unknown>` when not even the rank is known.

    Args:
        shape: a TensorShape, or a tuple of ints and None, or None.
    """
    dims = getattr(shape, "dim_sizes", shape)
    return "<unknown>" if dims is None else str(tuple(dims))


def describe_value(value: object) -> str:
    """Describes a value in a word or two: `(2, 3) float32` for a value with shape and dtype, else the Python type.

    >>> import numpy
    >>> from millrace._src.util.text import describe_value
    >>> describe_value(numpy.zeros([2, 3])), describe_value(3), describe_value([1, 2])
    ('(2, 3) float64', 'int 3', 'list of 2')
    """
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        shape_text = str(tuple(shape)) if isinstance(shape, (tuple, list)) else str(shape)
        return f"{shape_text} {getattr(dtype, 'name', dtype)}"
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return f"{type(value).__name__} {_shorten(repr(value))}"
    if isinstance(value, (list, tuple, dict, set)):
        return f"{type(value).__name__} of {len(value)}"
    return "None" if value is None else type(value).__name__


_MAX_DESCRIBED = 60


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_DESCRIBED else text[: _MAX_DESCRIBED - 3] + "..."


# --- values as `tf.print` and `tf.strings.format` write them -------------------------------------------------------


def format_summarized(array: Any, summarize: int = 3, dtype: Any = None) -> str:
    """Writes an array as TensorFlow's runtime does: `[[0 1 2 ... 7 8 9]]`, one row a line, the first and last entries.

    >>> import numpy
    >>> from millrace._src.util.text import format_summarized
    >>> print(format_summarized(numpy.arange(20).reshape(2, 10) / 4))
    [[0 0.25 0.5 ... 1.75 2 2.25]
     [2.5 2.75 3 ... 4.25 4.5 4.75]]

    Args:
        array: a NumPy array; an object array holds bytes, or handles.
        summarize: how many entries to show at either end of each dimension; -1 shows all.
        dtype: the tensor's DType where the array's own does not tell: quantized types.

    Returns:
        The text. Strings are in double quotes, C-escaped; bytes that are not UTF-8 come as surrogate escapes, so that
        `text.encode("utf-8", "surrogateescape")` gives the bytes that TensorFlow writes.
    """
    formatter = _formatter(array.dtype, dtype)
    limit = array.size if summarize < 0 else min(summarize, array.size)
    parts: list[str] = []
    _summarize(array, 0, limit, formatter, parts)
    return "".join(parts)


def _summarize(array: Any, depth: int, limit: int, formatted: Callable[[Any], str], parts: list[str]) -> None:
    """Appends the text of `array`, `depth` dimensions inside the tensor."""
    if not array.ndim:
        parts.append(formatted(array.item()))
        return
    separator = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    size = len(array)
    parts.append("[")
    for index in range(min(limit, size)):
        if index:
            parts.append(separator)
        _summarize(array[index, ...], depth + 1, limit, formatted, parts)
    if size > 2 * limit:
        parts.append(separator + "...")
    for index in range(max(limit, size - limit), size):
        parts.append(separator)
        _summarize(array[index, ...], depth + 1, limit, formatted, parts)
    parts.append("]")


def _formatter(np_dtype: Any, dtype: Any) -> Callable[[Any], str]:
    """Returns the function that writes one element, given as a Python value."""
    if np_dtype.kind == "c" or (dtype is not None and dtype.name in _UNKNOWN_TO_RUNTIME):
        return lambda _: "?"
    if np_dtype.kind == "b":
        return lambda value: "1" if value else "0"
    if np_dtype.kind == "O":
        return lambda value: _quote(value) if isinstance(value, bytes) else repr(value)
    if np_dtype.kind in "iu" or np_dtype.name in ("int4", "uint4", "int2", "uint2"):
        return lambda value: str(int(value))
    return _double_text if np_dtype.itemsize == 8 else _float_text


_UNKNOWN_TO_RUNTIME = ("qint32", "qint16", "quint16")
_FLOAT_TINY, _DOUBLE_TINY = 2.0**-126, 2.0**-1022
_FLOAT32 = struct.Struct("f")


def _float_text(value: Any) -> str:
    """Writes six digits if they name this float32 exactly, else nine; the runtime flushes denormals to zero."""
    value = float(value)
    if abs(value) < _FLOAT_TINY:
        value *= 0.0
    text = f"{value:.6g}"
    if _FLOAT32.unpack(_FLOAT32.pack(float(text)))[0] != value and value == value:
        text = f"{value:.9g}"
    return text


def _double_text(value: Any) -> str:
    """Writes fifteen digits if they name this double exactly, else seventeen; the runtime flushes denormals to zero."""
    value = float(value)
    if abs(value) < _DOUBLE_TINY:
        value *= 0.0
    text = f"{value:.15g}"
    return text if float(text) == value or value != value else f"{value:.17g}"


def _quote(text: bytes) -> str:
    return '"' + text.decode("utf-8", "surrogateescape").translate(_C_ESCAPES) + '"'


_C_ESCAPES = {code: f"\\{code:03o}" for code in (*range(32), 127)}
_C_ESCAPES.update(
    {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}
)

"""How values look in messages and in `print`, in TensorFlow's words.

Problem: `print(tensor)`, `repr(tensor)` and error messages must read as TensorFlow's do, for every dtype and rank.

Idea: a few pure functions of a NumPy array and its dtype. Nothing here knows of tensors: dtypes come in as objects with
`.name`, shapes as tuples, so that every layer may use it.
"""

from __future__ import annotations

from typing import Any

UNPRINTABLE = "<unprintable>"


def value_text(array: Any, dtype: Any) -> str:
    """A tensor's value as `str(tensor)` shows it: NumPy's `str`, on a line of its own if it has several lines."""
    return _own_line(str(array)) if dtype.is_numpy_compatible else _handle_text(array)


def value_repr(array: Any, dtype: Any) -> str:
    """The last field of `repr(tensor)`: `numpy=array(...)`, `numpy=1.5` for a scalar, `value=...` for a handle."""
    if not dtype.is_numpy_compatible:
        return "value=" + _handle_text(array)
    return "numpy=" + (_own_line(repr(array)) if array.ndim else repr(array.item()))


def _handle_text(array: Any) -> str:
    return UNPRINTABLE if array.ndim else repr(array.item())


def _own_line(text: str) -> str:
    return "\n" + text if "\n" in text else text


def shape_brackets(shape: Any) -> str:
    """A static shape as graph errors show it: `[2,?]`, or `<unknown>` when not even the rank is known.

    Args:
        shape: a TensorShape, or a tuple of ints and None, or None.
    """
    dims = getattr(shape, "_dims", shape)
    return "<unknown>" if dims is None else "[" + ",".join("?" if dim is None else str(dim) for dim in dims) + "]"


def describe_value(value: Any) -> str:
    """A value in a word or two: `(2, 3) float32` for anything with shape and dtype, else its Python type.

    >>> import numpy
    >>> from millrace._src.util.text import describe_value
    >>> describe_value(numpy.zeros([2, 3])), describe_value(3), describe_value([1, 2])
    ('(2, 3) float64', 'int 3', 'list of 2')
    """
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        shown = str(tuple(shape)) if isinstance(shape, (tuple, list)) else str(shape)
        return f"{shown} {getattr(dtype, 'name', dtype)}"
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return f"{type(value).__name__} {_shortened(repr(value))}"
    if isinstance(value, (list, tuple, dict, set)):
        return f"{type(value).__name__} of {len(value)}"
    return "None" if value is None else type(value).__name__


_MAX_DESCRIBED = 60


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_DESCRIBED else text[: _MAX_DESCRIBED - 3] + "..."

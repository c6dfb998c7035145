"""`tf.compat`: functions for programs that run on several versions of Python and TensorFlow.

Text and bytes, the classes that count as numbers, the value of a dimension, and the date of forward compatibility.
"""

from __future__ import annotations

import contextlib
import datetime
import numbers
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.util.export import export, export_constant

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)

export_constant(__name__, "bytes_or_text_types", "compat.bytes_or_text_types")
export_constant(__name__, "integral_types", "compat.integral_types")
export_constant(__name__, "real_types", "compat.real_types")
export_constant(__name__, "complex_types", "compat.complex_types")

# The date up to which the TensorFlow release that Millrace follows promises forward compatibility.
_RELEASE_HORIZON = datetime.date(2026, 1, 16)

_horizon = _RELEASE_HORIZON


@export("compat.as_bytes")
def as_bytes(bytes_or_text: bytes | bytearray | str, encoding: str = "utf-8") -> bytes:
    """Converts text or a `bytearray` to `bytes`; `bytes` stay as they are.

    >>> tf.compat.as_bytes("mill")
    b'mill'

    Args:
        bytes_or_text: A `bytes`, `bytearray` or `str`.
        encoding: How text is encoded.

    Raises:
        TypeError: if it is neither bytes nor text.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_text", "compat.as_str")
def as_text(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Converts bytes to text; text stays as it is.

    >>> tf.compat.as_str(b"race")
    'race'

    Args:
        bytes_or_text: A `bytes` or `str`.
        encoding: How the bytes are encoded.

    Raises:
        TypeError: if it is neither bytes nor text.
        UnicodeDecodeError: if the bytes are not text in this encoding.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@export("compat.as_str_any")
def as_str_any(value: TensorLike, encoding: str = "utf-8") -> str:
    """Converts anything to text: bytes are decoded, the rest is `str(value)`.

    >>> tf.compat.as_str_any(b"3"), tf.compat.as_str_any(3)
    ('3', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@export("compat.path_to_str")
def path_to_str(path: object) -> Any:
    """Converts a path-like object to the text of the path; any other value stays as it is.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("a") / "b")
    'a/b'
    """
    return as_text(os.fspath(path)) if hasattr(path, "__fspath__") else path


@export("compat.dimension_value")
def dimension_value(dimension: Any) -> int | None:
    """Returns the size of a dimension, None for an unknown size; takes the dimensions of TensorFlow 1 and 2 alike.

    >>> tf.compat.dimension_value(tf.TensorShape([3, None])[0])
    3
    """
    value: int | None = getattr(dimension, "value", dimension)
    return value


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns whether graphs need not be readable by a TensorFlow of that date or before.

    >>> tf.compat.forward_compatible(2020, 1, 1)
    True
    """
    return _horizon > datetime.date(year, month, day)


@export("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Makes `forward_compatible` answer, within the block, as if the horizon were that date.

    >>> with tf.compat.forward_compatibility_horizon(2999, 1, 2):
    ...     tf.compat.forward_compatible(2999, 1, 1)
    True
    """
    global _horizon
    before, _horizon = _horizon, datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = before

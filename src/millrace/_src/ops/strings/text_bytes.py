"""Between Python's text and TensorFlow's strings, which are bytes.

Attributes hold text; bytes that are not UTF-8 travel in an attribute as surrogate escapes. The elements of a string
tensor are `bytes` in an object array, and the functions here map over such elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array


def attr_bytes(text: str) -> bytes:
    """Returns the bytes of a string attribute.

    >>> from millrace._src.ops.strings.text_bytes import attr_bytes
    >>> attr_bytes("a\\udcff")
    b'a\\xff'
    """
    return text.encode("utf-8", "surrogateescape")


def string_array(elements: Iterable[bytes], shape: tuple[int, ...]) -> Array:
    """Makes a string array of `shape` from elements in C order."""
    return np.fromiter(elements, dtype=object, count=math.prod(shape)).reshape(shape)


def map_strings(function: Callable[[bytes], bytes], array: Array) -> Array:
    """Applies `function` to every element of a string array."""
    return string_array(map(function, array.reshape(-1)), array.shape)


def map_values(function: Callable[[bytes], Any], array: Array, dtype: Any) -> Array:
    """Returns an array of a NumPy dtype with the value of `function` for every string."""
    return np.array(list(map(function, array.reshape(-1).tolist())), dtype=dtype).reshape(array.shape)


def check_choice(attr: str, value: str, choices: Sequence[str]) -> None:
    """Refuses a string attribute that is not one of `choices`.

    Raises: tf.errors.InvalidArgumentError: in TensorFlow's words.
    """
    if value not in choices:
        allowed_choices = ", ".join(f'"{choice}"' for choice in choices)
        message = f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {allowed_choices}"
        raise errors.InvalidArgumentError(None, None, message)

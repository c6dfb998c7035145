"""What is asked of an Example, and what was found: fields, and columns of their values.

Reading a batch of Examples gives one `Column` for each field that is asked for: all values of the batch one after the
other, and how many of the values belong to each Example. Two readers make columns, an exact one that goes through the
bytes of one Example after the other (`example_reader`), and one for whole batches (`example_scanner`). The tensors of
the ops are made of columns (`example_tensors`).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, float32, int64, string
from millrace._src.ops.io.wire_format import LENGTH_1, LENGTH_2, LENGTH_3
from millrace._src.ops.strings.text_bytes import string_array
from millrace._src.util.text import shape_brackets

TAG_OF_DTYPE = {string: LENGTH_1, float32: LENGTH_2, int64: LENGTH_3}
"""The tag of the list of values in a Feature, by the dtype of the values."""
KIND_OF_TAG = {LENGTH_1: "string", LENGTH_2: "float", LENGTH_3: "int64"}
"""TensorFlow's words for the dtypes of values, by the tag of the list."""
LIST_OF_TAG = {LENGTH_1: "bytes", LENGTH_2: "float", LENGTH_3: "int64"}
"""TensorFlow's words for the lists of values, by tag."""
Values: TypeAlias = Any
"""The values of one Feature: an array, or a list of Python values."""
MISSING = -1
"""The count of an Example that does not have a field, or has it without a list of values."""


class FieldLayout(enum.Enum):
    """How the values of a field are laid out in tensors."""

    FIXED = "fixed"
    """Dense, with the same number of values in each Example."""
    PADDED = "padded"
    """Dense, with any number of rows of one size; shorter Examples are padded."""
    SPARSE = "sparse"
    RAGGED = "ragged"

    @property
    def is_dense(self) -> bool:
        """Whether the values become one dense tensor."""
        return self in (FieldLayout.FIXED, FieldLayout.PADDED)


@dataclass(frozen=True, slots=True)
class Field:
    """One feature to be read."""

    key: bytes
    dtype: DType
    layout: FieldLayout
    shape: tuple[int, ...] = ()
    """Of a fixed field, the shape of the values of an Example; of a padded field, the shape of one row."""
    is_required: bool = False
    """Whether every Example must have the field."""

    @property
    def tag(self) -> int:
        """The tag of the field's list of values."""
        return TAG_OF_DTYPE[self.dtype]

    @property
    def size(self) -> int:
        """The number of values: of an Example if the field is fixed, of a row if it is padded."""
        return math.prod(self.shape)

    @property
    def shown_shape(self) -> str:
        """The shape as messages show it."""
        return shape_brackets((None, *self.shape) if self.layout is FieldLayout.PADDED else self.shape)

    @property
    def shown_key(self) -> str:
        """The key as messages show it."""
        return show(self.key)


class Column(NamedTuple):
    """The values of one field in a batch."""

    values: Array
    """All values, one Example after the other."""
    counts: Array
    """How many values each Example has, int64; `MISSING` where the Example lacks the field."""


def column_of(parts: Sequence[Values | None], dtype: DType) -> Column:
    """Makes a column of the values of each Example, None for a missing field."""
    counts = np.array([MISSING if part is None else len(part) for part in parts], dtype=np.int64)
    found_parts = [part for part in parts if part is not None]
    if dtype is string:
        elements = [element for part in found_parts for element in part]
        return Column(string_array(elements, (len(elements),)), counts)
    if len(found_parts) == 1:
        return Column(np.array(found_parts[0], dtype=dtype.np_dtype), counts)
    empty = np.empty(0, dtype=dtype.np_dtype)
    return Column(np.concatenate([empty, *[np.asarray(part, dtype=empty.dtype) for part in found_parts]]), counts)


def show(text: bytes) -> str:
    """Returns bytes as messages show them; what is not UTF-8 is escaped."""
    return text.decode("utf-8", "backslashreplace")

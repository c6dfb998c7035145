"""Strings element by element: length, case, ends, and parts.

A string is bytes. Where a function counts in characters (`unit="UTF8_CHAR"`), a character begins at each byte that is
no continuation byte, so that broken UTF-8 has a length, too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.shape_rules import broadcast_dims, same_shape
from millrace._src.ops.strings.packed import PackedStrings, pack_strings
from millrace._src.ops.strings.short_parts import short_parts
from millrace._src.ops.strings.text_bytes import check_choice, map_strings, map_values, string_array
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TEXT = "text has no gradient"
_UNITS = ("BYTE", "UTF8_CHAR")
_FEW = 24
"""Up to so many strings are measured and taken apart one by one."""
_MAX_SLICED = 512
"""Up to so many strings are sliced by Python where the parts begin and end alike."""


# --- length ----------------------------------------------------------------------------------------------------------


@op("StringLength", "input: string -> output: int32", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def string_length(xp: Xp, input: Array, *, unit: str = "BYTE") -> Array:
    """Computes the length of every string."""
    check_choice("unit", unit, _UNITS)
    if input.size <= _FEW:
        return map_values(len if unit == "BYTE" else _character_count, input, np.int32)
    strings = pack_strings(input)
    lengths = strings.sizes if unit == "BYTE" else _character_counts(strings)
    return lengths.astype(np.int32).reshape(input.shape)


def _character_count(text: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in text)


def _character_counts(strings: PackedStrings) -> Array:
    before = _characters_before(strings)
    counts: Array = before[strings.starts + strings.sizes] - before[strings.starts]
    return counts


def _characters_before(strings: PackedStrings) -> Array:
    """Returns how many characters begin before each byte of packed strings."""
    before = np.zeros(len(strings.characters) + 1, np.int64)
    np.cumsum(_begins_character(strings), out=before[1:])
    return before


def _begins_character(strings: PackedStrings) -> Array:
    return (strings.characters & 0xC0) != 0x80


def _character_starts(text: bytes) -> list[int]:
    """Returns where each character begins, and the end: character i is `text[starts[i]:starts[i + 1]]`."""
    starts = [index for index, byte in enumerate(text) if byte & 0xC0 != 0x80]
    return [*starts, len(text)]


@export("strings.length", v1=[], elementwise="unary")
def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Any:
    """Computes the length of every string.

    >>> tf.strings.length(["Hello", "é"]).numpy(), tf.strings.length("é", unit="UTF8_CHAR").numpy()
    (array([5, 2], dtype=int32), np.int32(1))

    Args:
      input: a string Tensor.
      unit: "BYTE" counts bytes, "UTF8_CHAR" characters.
      name: name of the operation in a graph.

    Returns: An int32 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the unit is unknown.
    """
    return string_length(input, unit=unit, name=name)


# --- case and ends ---------------------------------------------------------------------------------------------------


def _is_utf8(encoding: str) -> bool:
    if encoding not in ("", "utf-8"):
        message = f"only utf-8 or '' (no encoding) is supported, received {encoding}"
        raise errors.InvalidArgumentError(None, None, message)
    return encoding == "utf-8"


def _map_text(function: Callable[[str], str], input: Array) -> Array:
    """Applies a function that changes letters to every string, read as UTF-8: to many strings as one text."""
    texts = input.reshape(-1).tolist()
    joined = b"\n".join(texts)  # for the letters next to it the end of a line is what the end of a text is
    if not texts or joined.count(b"\n") != len(texts) - 1:
        return map_strings(lambda text: function(text.decode("utf-8", "replace")).encode(), input)
    return string_array(function(joined.decode("utf-8", "replace")).encode().split(b"\n"), input.shape)


@op("StringLower", "input: string -> output: string", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def string_lower(xp: Xp, input: Array, *, encoding: str = "") -> Array:
    """Converts every string to lower case."""
    if _is_utf8(encoding):
        return _map_text(str.lower, input)
    return map_strings(bytes.lower, input)


@op("StringUpper", "input: string -> output: string", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def string_upper(xp: Xp, input: Array, *, encoding: str = "") -> Array:
    """Converts every string to upper case."""
    if _is_utf8(encoding):
        return _map_text(str.upper, input)
    return map_strings(bytes.upper, input)


@export("strings.lower", elementwise="unary")
def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
    """Converts every string to lower case.

    >>> tf.strings.lower("CamelCase").numpy(), tf.strings.lower("É", encoding="utf-8").numpy().decode()
    (b'camelcase', 'é')

    Args:
      input: a string Tensor.
      encoding: "" changes ASCII letters only; "utf-8" all letters.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the encoding is another.
    """
    return string_lower(input, encoding=encoding, name=name)


@export("strings.upper", elementwise="unary")
def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
    """Converts every string to upper case.

    >>> tf.strings.upper("CamelCase").numpy(), tf.strings.upper("é", encoding="utf-8").numpy().decode()
    (b'CAMELCASE', 'É')

    Args:
      input: a string Tensor.
      encoding: "" changes ASCII letters only; "utf-8" all letters.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the encoding is another.
    """
    return string_upper(input, encoding=encoding, name=name)


@export("strings.strip", v1=["strings.strip", "string_strip"], elementwise="unary")
@op("StringStrip", "input: string -> output: string", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def strip(xp: Xp, input: Array) -> Array:
    """Removes white space (ASCII) at both ends of every string.

    >>> tf.strings.strip([" a b ", "\\tc"]).numpy()
    array([b'a b', b'c'], dtype=object)

    Args: input: a string Tensor.
    Returns: A string Tensor of the same shape.
    """
    return map_strings(bytes.strip, input)


# --- parts -----------------------------------------------------------------------------------------------------------


def _substr_shape(c: ShapeContext) -> TensorShape:
    pos, size = c.shape("pos"), c.shape("len")
    if pos.rank is not None and size.rank is not None and pos.rank != size.rank:
        raise ValueError(f"Shape must be rank {size.rank} but is rank {pos.rank}")
    if not pos.is_compatible_with(size):
        raise ValueError(f"pos and len shapes must match: {shape_brackets(pos)} vs. {shape_brackets(size)}")
    return broadcast_dims(c.shape("input"), pos)


@op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    T=INDEX,
    shape=_substr_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def substr_op(xp: Xp, input: Array, pos: Array, len: Array, *, unit: str = "BYTE") -> Array:
    """Takes `len` bytes or characters from position `pos` of every string."""
    check_choice("unit", unit, _UNITS)
    shape = _substr_result_shape(input.shape, pos.shape, len.shape)
    if not pos.ndim and input.size <= _MAX_SLICED:
        sliced_strings = _slice_strings(input.reshape(-1).tolist(), pos.item(), len.item(), unit)
        if sliced_strings is not None:
            return string_array(sliced_strings, input.shape)
    if shape == input.shape and input.size > _FEW:
        parts = _parts_at_once(input, pos, len, unit)
        if parts is not None:
            return parts
    texts = np.broadcast_to(input, shape).reshape(-1).tolist()
    starts = np.broadcast_to(pos, shape).reshape(-1).tolist()
    sizes = np.broadcast_to(len, shape).reshape(-1).tolist()
    part = _byte_part if unit == "BYTE" else _character_part
    triples = enumerate(zip(texts, starts, sizes, strict=True))
    return string_array((part(text, start, size, i) for i, (text, start, size) in triples), shape)


def _slice_strings(texts: Sequence[bytes], start: int, size: int, unit: str) -> Iterable[bytes] | None:
    """Takes the same part of each string; returns None if a string is too short, or has characters of several bytes."""
    shortest = min(map(len, texts), default=0)
    if not -shortest <= start <= shortest or (unit != "BYTE" and not all(map(bytes.isascii, texts))):
        return None
    ends_before_last = size >= 0 and (start >= 0 or start + size < 0)
    return map(operator.itemgetter(slice(start, start + size if ends_before_last else None)), texts)


def _parts_at_once(input: Array, pos: Array, size: Array, unit: str) -> Array | None:
    """Takes a part of every string; returns None if a position is outside of its string."""
    strings = pack_strings(input)
    in_bytes = unit == "BYTE" or strings.characters.max() < 0x80  # a character of ASCII is one byte
    counts = strings.sizes if in_bytes else _character_counts(strings)
    if not pos.ndim and in_bytes and 0 <= pos <= counts.min() and size >= 0:
        begins = np.broadcast_to(pos.astype(np.int64), counts.shape)
        return _cut(input, strings, begins, np.minimum(counts - begins, size))
    pos, size = (np.broadcast_to(argument, input.shape).reshape(-1) for argument in (pos, size))
    if (pos > counts).any() or (pos < -counts).any():
        return None
    begins = np.where(pos < 0, pos + counts, pos)
    ends = np.where((size < 0) | (size > counts - begins), counts, begins + size)
    if not in_bytes:
        begins, ends = _byte_offsets(strings, begins), _byte_offsets(strings, ends)
    return _cut(input, strings, begins, ends - begins)


def _cut(input: Array, strings: PackedStrings, begins: Array, sizes: Array) -> Array:
    """Cuts a part out of each string, given in bytes."""
    parts = short_parts(strings, begins, sizes)
    if parts is not None:
        return parts.reshape(input.shape)
    if begins.strides == (0,):
        part = operator.itemgetter(slice(int(begins[0]), int(begins[0]) + int(sizes.max())))
        return string_array(map(part, input.reshape(-1).tolist()), input.shape)
    slices = map(slice, begins.tolist(), (begins + sizes).tolist())
    return string_array(map(operator.getitem, input.reshape(-1).tolist(), slices), input.shape)


def _byte_offsets(strings: PackedStrings, characters: Array) -> Array:
    """Returns where in its string a character of each string begins; characters are numbered from 0 to their count."""
    (begins,) = np.nonzero(_begins_character(strings))  # the byte behind a string begins a character, too
    index = _characters_before(strings)[strings.starts] + characters
    offsets: Array = begins[index] - strings.starts
    return offsets


def _substr_result_shape(input: Sequence[int], pos: Sequence[int], size: Sequence[int]) -> tuple[int, ...]:
    if pos != size:
        raise errors.InvalidArgumentError(
            None, None, f"pos and len should have the same shape, got: {shape_brackets(pos)} vs. {shape_brackets(size)}"
        )
    try:
        shape = np.broadcast_shapes(tuple(input), tuple(pos))
    except ValueError:
        message = f"Incompatible shapes: {shape_brackets(input)} vs. {shape_brackets(pos)}"
        raise errors.InvalidArgumentError(None, None, message) from None
    return shape


def _byte_part(text: bytes, start: int, size: int, index: int) -> bytes:
    if not -len(text) <= start <= len(text):
        message = f"pos {start} out of range for string b'{text.decode('utf-8', 'replace')}' at index {index}"
        raise errors.InvalidArgumentError(None, None, message)
    begin = start if start >= 0 else start + len(text)
    return text[begin:] if size < 0 else text[begin : begin + size]


def _character_part(text: bytes, start: int, size: int, index: int) -> bytes:
    starts = _character_starts(text)
    count = len(starts) - 1
    if not -count <= start <= count:
        raise errors.InvalidArgumentError(None, None, f"pos {start} out of range for string at index {index}")
    begin = start if start >= 0 else start + count
    end = count if size < 0 else min(begin + size, count)
    return text[starts[begin] : starts[end]]


@export("strings.substr", v1=[], elementwise="unary")
def substr(input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None) -> Any:
    """Takes parts of strings.

    >>> tf.strings.substr(["hello", "world"], [1, -3], [3, 2]).numpy()
    array([b'ell', b'rl'], dtype=object)

    Args:
      input: a string Tensor.
      pos: an integer Tensor: where each part begins; negative positions count from the end.
      len: an integer Tensor of the same shape as `pos`: how long the part is at most.
      unit: "BYTE", or "UTF8_CHAR" to count characters.
      name: name of the operation in a graph.

    Returns: A string Tensor of the shape of `input` and `pos` broadcast against each other.
    Raises: tf.errors.InvalidArgumentError: if a position is outside of the string, or shapes do not fit.
    """
    return substr_op(input, pos, len, unit=unit, name=name)

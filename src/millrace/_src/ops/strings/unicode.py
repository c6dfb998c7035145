"""Text in any encoding: `unicode_decode` to code points, `unicode_encode` from code points, `unicode_transcode`.

Malformed input is replaced piece by piece, dropped, or refused, as `errors` says. Python's codecs find the malformed
pieces; each piece becomes one marker that tells the length of the piece, so that byte offsets stay known.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors as tf_errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int32, int64, string
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.splitting import needs_ragged
from millrace._src.ops.strings.text_bytes import check_choice, map_strings, string_array
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export

_TEXT = "text has no gradient"
_ERRORS = ("strict", "replace", "ignore")
_OUTPUTS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
_REPLACEMENT = 65533
_LAST_CONTROL = 0x1F
_ASCII_SUPERSETS = ("utf-8", "ascii", "iso8859-1", "cp1252")
_MARKER = 0xDC00
"""A lone surrogate, which no codec yields: 0xDC00 + n stands for n malformed bytes."""


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(_MARKER + min(error.end - error.start, 0x3FF)), error.end


codecs.register_error("millrace-mark", _mark)


def _fail(text: str) -> tf_errors.InvalidArgumentError:
    return tf_errors.InvalidArgumentError(None, None, text)


class _Decoder:
    """Turns bytes of one encoding into code points, under one treatment of errors."""

    def __init__(self, encoding: str, errors: str, replacement: int, replace_control: bool) -> None:
        check_choice("errors", errors, _ERRORS)
        try:
            codec_info = codecs.lookup(encoding)
            "a".encode(encoding)
        except LookupError:
            raise _fail(f"Could not create converter for input encoding: {encoding}") from None
        if not 0 <= replacement <= 0x10FFFF:
            raise _fail("replacement_char out of unicode codepoint range")
        self._codec = codec_info.name
        self._errors = errors
        self._replacement = replacement
        self._replace_control = replace_control

    def code_points(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yields each code point with the position of its first byte."""
        if text.isascii() and self._codec in _ASCII_SUPERSETS and not self._replace_control:
            yield from zip(text, range(len(text)), strict=True)
            return
        codec, position = self._codec, 0
        if codec in ("utf-16", "utf-32"):
            codec, position = _byte_order(codec, text)
        for character in text[position:].decode(codec, "millrace-mark"):
            code = ord(character)
            is_malformed = _MARKER <= code < 0xE000
            start = position
            position += code - _MARKER if is_malformed else len(character.encode(codec))
            if is_malformed or (self._replace_control and code <= _LAST_CONTROL):
                if self._errors == "strict":
                    raise _fail("Invalid formatting on input string")
                if self._errors == "ignore":
                    continue
                code = self._replacement
            yield code, start


def _byte_order(codec: str, text: bytes) -> tuple[str, int]:
    """Returns the codec of a text that may begin with a byte order mark, and the length of that mark."""
    size = 2 if codec == "utf-16" else 4
    if text[:size] == "\ufeff".encode(f"{codec}-le"):
        return f"{codec}-le", size
    return f"{codec}-be", size if text[:size] == "\ufeff".encode(f"{codec}-be") else 0


def _encoded(codes: Sequence[int], encoding: str) -> bytes:
    return "".join(map(chr, codes)).encode(_OUTPUTS[encoding], "surrogatepass")


# --- ops -------------------------------------------------------------------------------------------------------------


@op("UnicodeTranscode", "input: string -> output: string", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def unicode_transcode_op(
    xp: Xp,
    input: Array,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
) -> Array:
    """Converts every string to another encoding."""
    check_choice("output_encoding", output_encoding, tuple(_OUTPUTS))
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    return map_strings(lambda text: _encoded([code for code, _ in decoder.code_points(text)], output_encoding), input)


def _decoded_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    size = c.shape("input").num_elements()
    lists = [TensorShape([None])] * (len(c.op.signature.outputs) - 1)
    return TensorShape([None if size is None else size + 1]), *lists


def _decode_all(input: Array, decoder: _Decoder, splits: DType) -> tuple[Array, Array, Array]:
    codes: list[int] = []
    starts: list[int] = []
    ends = [0]
    for text in input.reshape(-1):
        for code, start in decoder.code_points(text):
            codes.append(code)
            starts.append(start)
        ends.append(len(codes))
    return np.array(ends, splits.np_dtype), np.array(codes, np.int32), np.array(starts, np.int64)


@op(
    "UnicodeDecode",
    "input: string -> row_splits: Tsplits, char_values: int32",
    Tsplits=INDEX.with_default(int64),
    shape=_decoded_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def unicode_decode_op(
    xp: Xp,
    input: Array,
    *,
    Tsplits: DType,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
) -> tuple[Array, Array]:
    """Decodes all strings; returns the code points, and where the code points of each string begin."""
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    return _decode_all(input, decoder, Tsplits)[:2]


@op(
    "UnicodeDecodeWithOffsets",
    "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    Tsplits=INDEX.with_default(int64),
    shape=_decoded_shapes,
    host_only=True,
    not_differentiable=_TEXT,
)
def unicode_decode_with_offsets_op(
    xp: Xp,
    input: Array,
    *,
    Tsplits: DType,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
) -> tuple[Array, Array, Array]:
    """Decodes all strings; returns the code points, where each string begins, and each code point's position."""
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters)
    return _decode_all(input, decoder, Tsplits)


def _encoded_shape(c: ShapeContext) -> TensorShape:
    count = c.shape("input_splits").num_elements()
    return TensorShape([None if count is None else count - 1])


@op(
    "UnicodeEncode",
    "input_values: int32, input_splits: Tsplits -> output: string",
    Tsplits=INDEX.with_default(int64),
    shape=_encoded_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def unicode_encode_op(
    xp: Xp,
    input_values: Array,
    input_splits: Array,
    *,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
) -> Array:
    """Encodes rows of code points as strings."""
    check_choice("output_encoding", output_encoding, tuple(_OUTPUTS))
    check_choice("errors", errors, ("ignore", "replace", "strict"))
    splits = input_splits.tolist()
    _check_splits(splits, len(input_values))
    codes = input_values.tolist()
    rows = [codes[start:stop] for start, stop in itertools.pairwise(splits)]
    return string_array(
        (_encoded(_valid(row, errors, replacement_char), output_encoding) for row in rows), (len(rows),)
    )


def _check_splits(splits: Sequence[int], size: int) -> None:
    if not splits or splits[0] != 0:
        raise _fail("First value in input_splits must be zero.")
    if splits[-1] != size:
        raise _fail("Last value in input_splits must be equal to length of input_tensor.")
    if any(a > b for a, b in itertools.pairwise(splits)):
        raise _fail("Values in input_splits must be equal or in ascending order.")


def _valid(codes: Sequence[int], errors: str, replacement: int) -> list[int]:
    """Returns the code points; treats numbers that are no code points as `errors` says."""
    valid_codes: list[int] = []
    for code in codes:
        if 0 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF:
            valid_codes.append(code)
        elif errors == "strict":
            raise _fail("Code point is out of range for Unicode, or is a surrogate.")
        elif errors == "replace":
            valid_codes.append(replacement)
    return valid_codes


# --- public functions ------------------------------------------------------------------------------------------------


@export("strings.unicode_transcode", elementwise="unary")
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Converts every string to another encoding.

    >>> tf.strings.unicode_transcode(["é"], "UTF-8", "UTF-16-BE").numpy()
    array([b'\\x00\\xe9'], dtype=object)

    Args:
      input: a string Tensor.
      input_encoding: the encoding of the strings, by any name Python knows.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what to do with malformed input: "replace", "ignore" or "strict".
      replacement_char: the code point put in place of malformed input.
      replace_control_characters: whether code points up to 31 count as malformed.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if an encoding is unknown; if input is malformed and `errors` is "strict".
    """
    return unicode_transcode_op(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


def _scalar(input: Any, function: str) -> Any:
    input = convert_to_tensor(input, dtype=string, name="input")
    if input.shape.rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if input.shape.rank:
        needs_ragged(function, "tf.raw_ops.UnicodeDecodeWithOffsets gives values and row splits.")
    return input


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes a string to code points.

    >>> tf.strings.unicode_decode("aé", "UTF-8").numpy()
    array([ 97, 233], dtype=int32)

    Args:
      input: a scalar string Tensor.
      input_encoding, errors, replacement_char, replace_control_characters: as in `tf.strings.unicode_transcode`.
      name: name of the scope in a graph.

    Returns: An int32 vector.
    Raises:
      tf.errors.InvalidArgumentError: as in `tf.strings.unicode_transcode`.
      tf.errors.UnimplementedError: if `input` is not a scalar: the result would be ragged.
    """
    with name_scope(name, "UnicodeDecode"):
        return raw.UnicodeDecode(
            input=_scalar(input, "tf.strings.unicode_decode"),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )[1]


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes a string to code points, and tells where in the string each code point begins.

    >>> [t.numpy().tolist() for t in tf.strings.unicode_decode_with_offsets("éa", "UTF-8")]
    [[233, 97], [0, 2]]

    Args: as in `tf.strings.unicode_decode`.
    Returns: An int32 vector of code points and an int64 vector of byte positions.
    Raises: as `tf.strings.unicode_decode`.
    """
    with name_scope(name, "UnicodeDecodeWithOffsets"):
        _, codes, starts = raw.UnicodeDecodeWithOffsets(
            input=_scalar(input, "tf.strings.unicode_decode_with_offsets"),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return codes, starts


def _characters(codes: Any, encoding: str, errors: str, replacement_char: int) -> Any:
    """Encodes each code point as a string of its own."""
    splits = raw.Range(start=0, limit=raw.Size(input=codes, out_type=int32) + 1, delta=1)
    return raw.UnicodeEncode(
        input_values=codes,
        input_splits=splits,
        output_encoding=encoding,
        errors=errors,
        replacement_char=replacement_char,
    )


@export("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Splits a string into characters, each a string.

    >>> [c.decode() for c in tf.strings.unicode_split("hé", "UTF-8").numpy()]
    ['h', 'é']

    Args: as in `tf.strings.unicode_decode`; the encoding is "UTF-8", "UTF-16-BE" or "UTF-32-BE".
    Returns: A vector of strings in the same encoding.
    Raises: as `tf.strings.unicode_decode`.
    """
    with name_scope(name, "UnicodeSplit"):
        codes = unicode_decode(input, input_encoding, errors, replacement_char)
        return _characters(codes, input_encoding, errors, replacement_char)


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Splits a string into characters, each a string, and tells where each character begins.

    >>> tf.strings.unicode_split_with_offsets("éa", "UTF-8")[1].numpy()
    array([0, 2])

    Args: as in `tf.strings.unicode_split`.
    Returns: A vector of strings and an int64 vector of byte positions.
    Raises: as `tf.strings.unicode_decode`.
    """
    with name_scope(name, "UnicodeSplitWithOffsets"):
        codes, starts = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
        return _characters(codes, input_encoding, errors, replacement_char), starts


@export("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Encodes code points as strings, along the last axis.

    >>> tf.strings.unicode_encode([104, 105], "UTF-8").numpy()
    b'hi'

    Args:
      input: an int32 Tensor of rank one or more.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what to do with numbers that are no code points: "replace", "ignore" or "strict".
      replacement_char: the code point put in place of numbers that are no code points.
      name: name of the scope in a graph.

    Returns: A string Tensor with one dimension less.
    Raises:
      ValueError: if `input` is a scalar, or of unknown rank.
      tf.errors.InvalidArgumentError: if the encoding is unknown; if a number is no code point and `errors` is "strict".
    """
    with name_scope(name, "UnicodeEncode"):
        input = convert_to_tensor(input, dtype=int32, name="input")
        if input.shape.rank is None:
            raise ValueError("Rank of `input_tensor` must be statically known.")
        if input.shape.rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        shape = shape_of(input)
        rows = raw.Prod(input=shape[:-1], reduction_indices=[0])
        encoded_rows = raw.UnicodeEncode(
            input_values=raw.Reshape(tensor=input, shape=[-1]),
            input_splits=raw.Range(start=0, limit=rows + 1, delta=1) * shape[-1],
            output_encoding=output_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        return raw.Reshape(tensor=encoded_rows, shape=shape[:-1])

"""Between strings of any encoding and code points, for many strings at once.

Malformed input is replaced piece by piece, dropped, or refused. Python's codecs find the malformed pieces; each piece
becomes one marker that says the length of the piece, so that byte offsets stay known.

Where a character's code point says how many bytes the character takes, all strings are decoded as one text with line
ends between the strings. Other encodings are decoded one string at a time.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import invalid
from millrace._src.ops.strings.joined_text import lengths_of
from millrace._src.ops.strings.text_bytes import check_choice, string_array

ENCODERS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
"""Python's codecs of the encodings that strings are made in."""
REPLACEMENT = 65533
"""U+FFFD, which replaces malformed input."""
ERROR_MODES = ("strict", "replace", "ignore")
"""What can be done with malformed input."""
_LAST_CONTROL = 0x1F
_MARKER = 0xDC00
"""A lone surrogate, which no codec yields: 0xDC00 + n means n malformed bytes."""


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(_MARKER + min(error.end - error.start, 0x3FF)), error.end


codecs.register_error("millrace-mark", _mark)


def _utf8_widths(codes: Array) -> Array:
    return np.int8(1) + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)


def _utf16_widths(codes: Array) -> Array:
    return np.int8(2) + np.int8(2) * (codes >= 0x10000)


def _one_byte(codes: Array) -> Array:
    return np.ones(codes.shape, np.int8)


_WIDTHS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "utf-8": (1, _utf8_widths),
    "utf-16-be": (2, _utf16_widths),
    "utf-32-be": (4, lambda codes: np.full(codes.shape, 4, np.int8)),
    "ascii": (1, _one_byte),
    "iso8859-1": (1, _one_byte),
    "cp1252": (1, _one_byte),
}
"""The codecs whose characters tell their number of bytes: bytes of a unit, and the bytes of each code point."""


class Decoded(NamedTuple):
    """The code points of strings in a row."""

    codes: Array
    starts: Array
    """The position of the first byte of each code point, in its string."""
    splits: Array
    """Where the code points of each string begin, and where the last string's end."""


class Decoder:
    """Turns strings of one encoding into code points, under one treatment of errors."""

    def __init__(self, encoding: str, errors: str, replacement: int, replace_control: bool) -> None:
        check_choice("errors", errors, ERROR_MODES)
        try:
            codec_info = codecs.lookup(encoding)
            "a".encode(encoding)
        except LookupError:
            raise invalid(f"Could not create converter for input encoding: {encoding}") from None
        if not 0 <= replacement <= 0x10FFFF:
            raise invalid("replacement_char out of unicode codepoint range")
        self.codec = codec_info.name
        self._errors = errors
        self._replacement = replacement
        self._replace_control = replace_control

    def decode(self, strings: Sequence[bytes], *, refuses_control: bool = False) -> Decoded:
        """Returns the code points of all strings.

        Args:
          strings: bytes of the encoding.
          refuses_control: whether control characters that shall be replaced are errors where errors are refused.
        """
        unit, _ = _WIDTHS.get(self.codec, (0, None))
        sizes = lengths_of(strings)
        if unit and not (sizes % unit).any():
            try:
                return self._treat(*self._decode_text(strings, sizes, unit), refuses_control)
            except UnicodeDecodeError:  # only of an encoding in which a malformed string could take in the next string
                pass
        return self._treat(*self._decode_each(strings), refuses_control)

    def keeps_all_text(self) -> bool:
        """Returns whether Python's decoder gives the same where a string is well formed."""
        return self.codec in _WIDTHS and not self._replace_control

    def _decode_text(self, strings: Sequence[bytes], sizes: Array, unit: int) -> tuple[Decoded, Array]:
        """Decodes strings as one text; returns code points and markers, and which of both begin a malformed piece."""
        codes, starts, is_malformed = self._decode_joined("\n".encode(self.codec).join([*strings, b""]), unit)
        first_bytes = np.cumsum(sizes + unit) - sizes - unit
        ends = np.flatnonzero(codes == ord("\n"))
        if len(ends) != len(strings):  # some string has lines
            ends = np.searchsorted(starts, first_bytes + sizes)
        sizes_in_codes = np.diff(ends, prepend=-1)
        is_text = np.ones(len(codes), np.bool_)
        is_text[ends] = False
        splits = np.concatenate([[0], np.cumsum(sizes_in_codes - 1)])
        starts = (starts - np.repeat(first_bytes, sizes_in_codes))[is_text]
        return Decoded(codes[is_text], starts, splits), is_malformed[is_text]

    def _decode_joined(self, joined: bytes, unit: int) -> tuple[Array, Array, Array]:
        """Returns the code points and markers of a text, where each begins, and which begin a malformed piece."""
        text = joined.decode(self.codec, "millrace-mark" if unit == 1 else "strict")
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int32)
        if text.isascii():
            return codes, np.arange(0, len(joined), unit), np.zeros(len(codes), np.bool_)
        is_malformed = codes >> 10 == _MARKER >> 10
        widths = _WIDTHS[self.codec][1](codes)
        if is_malformed.any():
            widths = np.where(is_malformed, codes - _MARKER, widths)
        return codes, np.cumsum(widths, dtype=np.int64) - widths, is_malformed

    def _decode_each(self, strings: Sequence[bytes]) -> tuple[Decoded, Array]:
        """Decodes one string at a time."""
        rows = [list(self._code_points(string)) for string in strings]
        table = np.array(list(itertools.chain.from_iterable(rows)), np.int64).reshape(-1, 3)
        splits = np.cumsum([0, *map(len, rows)])
        return Decoded(table[:, 0].astype(np.int32), table[:, 1], splits), table[:, 2] != 0

    def _code_points(self, string: bytes) -> Iterator[tuple[int, int, bool]]:
        """Yields each code point with the position of its first byte, and whether it is a marker."""
        codec, position = self.codec, 0
        if codec in ("utf-16", "utf-32"):
            codec, position = _byte_order(codec, string)
        for index, character in enumerate(string[position:].decode(codec, "millrace-mark")):
            code = ord(character)
            is_malformed = _MARKER <= code < 0xE000
            yield code, position if index else 0, is_malformed  # a byte order mark is a part of the first character
            position += code - _MARKER if is_malformed else len(character.encode(codec))

    def _treat(self, decoded: Decoded, is_malformed: Array, refuses_control: bool) -> Decoded:
        """Replaces, drops or refuses malformed pieces, and control characters if asked to."""
        is_bad = is_malformed | (decoded.codes <= _LAST_CONTROL) if self._replace_control else is_malformed
        if self._errors == "strict" and (is_bad if refuses_control else is_malformed).any():
            raise invalid("Invalid formatting on input string")
        if not is_bad.any():
            return decoded
        if self._errors == "ignore":
            kept_before = np.concatenate([[0], np.cumsum(~is_bad)])
            return Decoded(decoded.codes[~is_bad], decoded.starts[~is_bad], kept_before[decoded.splits])
        codes = np.where(is_bad, np.int32(self._replacement), decoded.codes)
        return decoded._replace(codes=codes)


def _byte_order(codec: str, text: bytes) -> tuple[str, int]:
    """Returns the codec of a text that may begin with a byte order mark, and the length of that mark."""
    size = 2 if codec == "utf-16" else 4
    if text[:size] == "\ufeff".encode(f"{codec}-le"):
        return f"{codec}-le", size
    return f"{codec}-be", size if text[:size] == "\ufeff".encode(f"{codec}-be") else 0


# --- from code points to strings -------------------------------------------------------------------------------------


def encode_rows(codes: Array, splits: Array, encoding: str) -> Array:
    """Encodes rows of code points, each row as one string.

    Args:
      codes: code points; surrogates, which UTF-8 cannot say, become U+FFFD there.
      splits: where each row begins, and where the last row ends.
      encoding: a key of `ENCODERS`.
    """
    codec = ENCODERS[encoding]
    if codec == "utf-8":
        codes = np.where(codes >> 11 == 0xD800 >> 11, REPLACEMENT, codes)
    if len(codes) == len(splits) - 1 and (np.diff(splits) == 1).all():
        return _encode_characters(codes, codec)
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass").encode(codec, "surrogatepass")
    first_bytes = np.concatenate([[0], np.cumsum(_WIDTHS[codec][1](codes), dtype=np.int64)])
    starts = first_bytes[splits].tolist()
    return string_array((text[start:stop] for start, stop in itertools.pairwise(starts)), (len(starts) - 1,))


def _encode_characters(codes: Array, codec: str) -> Array:
    """Encodes each code point as a string of its own; works out the string of each code point once."""
    limit = int(codes.max(initial=-1)) + 1
    if limit > 2 * len(codes):
        used_codes, numbers = np.unique(codes, return_inverse=True)
    else:  # marking is faster than sorting
        is_used = np.zeros(limit, np.bool_)
        is_used[codes] = True
        used_codes, numbers = np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[codes]
    characters = (chr(code).encode(codec, "surrogatepass") for code in used_codes.tolist())
    return np.take(string_array(characters, (len(used_codes),)), numbers)

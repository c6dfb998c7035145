"""Decoding and encoding of many strings at once: the same as string by string."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.strings.code_points import REPLACEMENT, Decoder, encode_rows

_BYTES = st.lists(
    st.lists(st.sampled_from(b"a\n\x01\xc3\xa9\xe6\x97\xd8\xdc\x00\xf0"), max_size=6).map(bytes), max_size=4
)


def _rows(decoder: Decoder, strings: list[bytes]) -> list[tuple[list[int], list[int]]]:
    codes, starts, splits = decoder.decode(strings)
    pairs = zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True)
    return [(codes[start:stop].tolist(), starts[start:stop].tolist()) for start, stop in pairs]


@given(
    _BYTES,
    st.sampled_from(["UTF-8", "UTF-16-BE", "UTF-32-BE", "US-ASCII", "latin1", "UTF-16", "Shift-JIS"]),
    st.sampled_from(["replace", "ignore"]),
    st.booleans(),
)
def test_strings_together_decode_as_each_alone(
    strings: list[bytes], encoding: str, errors: str, replace_control: bool
) -> None:
    decoder = Decoder(encoding, errors, 63, replace_control)
    alone = [_rows(decoder, [string])[0] for string in strings]
    assert _rows(decoder, strings) == alone


@given(st.lists(st.text(max_size=5), max_size=4), st.sampled_from(["UTF-8", "UTF-16-BE", "UTF-32-BE"]))
def test_text_decodes_to_what_python_says(texts: list[str], encoding: str) -> None:
    decoder = Decoder(encoding, "strict", REPLACEMENT, replace_control=False)
    strings = [text.encode(encoding) for text in texts]
    rows = _rows(decoder, strings)
    assert [codes for codes, _ in rows] == [[ord(character) for character in text] for text in texts]
    widths = [[len(character.encode(encoding)) for character in text] for text in texts]
    assert [starts for _, starts in rows] == [(np.cumsum(row) - row).tolist() for row in widths]
    codes = np.array([ord(character) for text in texts for character in text], np.int32)
    splits = np.cumsum([0, *map(len, texts)])
    assert encode_rows(codes, splits, encoding).tolist() == strings
    characters = encode_rows(codes, np.arange(len(codes) + 1), encoding)
    assert characters.tolist() == [character.encode(encoding) for text in texts for character in text]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16-BE", "Shift-JIS"])
def test_a_string_does_not_go_on_in_the_next(encoding: str) -> None:
    halves = {"UTF-8": b"\xc3|\xa9", "UTF-16-BE": b"\xd8\x00|\xdc\x00", "Shift-JIS": b"\x82|\xff"}[encoding].split(b"|")
    rows = _rows(Decoder(encoding, "replace", REPLACEMENT, replace_control=False), halves)
    assert [codes for codes, _ in rows] == [[REPLACEMENT], [REPLACEMENT]]


def test_control_characters_are_replaced_where_errors_are_refused() -> None:
    decoder = Decoder("UTF-8", "strict", 63, replace_control=True)
    assert _rows(decoder, [b"a\x01b\n"]) == [([97, 63, 98, 63], [0, 1, 2, 3])]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting on input string"):
        decoder.decode([b"a\x01"], refuses_control=True)


def test_a_byte_order_mark_belongs_to_the_first_character() -> None:
    decoder = Decoder("UTF-16", "replace", REPLACEMENT, replace_control=False)
    assert _rows(decoder, [b"\xfe\xff\x00a\xfe\xff", b"\xff\xfea\x00"]) == [([97, 65279], [0, 4]), ([97], [0])]


def test_a_surrogate_becomes_a_replacement_in_utf8_only() -> None:
    codes = np.array([97, 0xD800])
    assert encode_rows(codes, np.array([0, 2]), "UTF-8").tolist() == [b"a\xef\xbf\xbd"]
    assert encode_rows(codes, np.array([0, 2]), "UTF-16-BE").tolist() == [b"\x00a\xd8\x00"]
    assert encode_rows(codes, np.array([0, 1, 2]), "UTF-32-BE").tolist() == [b"\0\0\0a", b"\0\0\xd8\0"]

"""Length, case, ends and parts of strings."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_WORDS = np.array([b"hello", "h\u00e9llo".encode(), b"\xff\xfea"], dtype=object)
_SCALAR = np.array(b"Word ", dtype=object)
_EMPTY = np.zeros((0, 3), dtype=object)

SAMPLES = [
    *(
        Sample(op, inputs=(x,))
        for op in ("StringLower", "StringUpper", "StringStrip")
        for x in (_WORDS, _SCALAR, _EMPTY)
    ),
    Sample("StringUpper", inputs=(_WORDS,), attrs={"encoding": "utf-8"}),
    Sample("StringLength", inputs=(_WORDS,)),
    Sample("StringLength", inputs=(_SCALAR,), attrs={"unit": "UTF8_CHAR"}),
    Sample("Substr", inputs=(_WORDS, np.array(1), np.array(2))),
    Sample(
        "Substr",
        inputs=(_WORDS, np.array([[0], [1]], np.int32), np.array([[9], [1]], np.int32)),
        attrs={"unit": "UTF8_CHAR"},
    ),
    Sample("Substr", inputs=(np.zeros([0], dtype=object), np.array(0), np.array(1))),
]


def test_length_counts_bytes_or_leading_bytes() -> None:
    length = tf.strings.length
    assert length(["abc", "é", ""]).numpy().tolist() == [3, 2, 0]
    broken = [b"\xe6\x97", b"\x80\x80", b"\xf0\x9f\x98\x80", b"\xc3", b"\xc3\x28", b"\xff\xfea"]
    assert length(broken, "UTF8_CHAR").numpy().tolist() == [1, 0, 1, 1, 2, 3]
    assert tf.compat.v1.strings.length(["ab"], None, "UTF8_CHAR").numpy().tolist() == [2]
    assert length("x" * 1_000_000).numpy() == 1_000_000


def test_an_unknown_unit_is_refused() -> None:
    words = 'Value for attr \'unit\' of "x" is not in the list of allowed values: "BYTE", "UTF8_CHAR"'
    check_refusal(lambda: tf.strings.length("a", "x"), tf.errors.InvalidArgumentError, words)
    check_refusal(lambda: tf.strings.substr("a", 0, 1, unit="x"), tf.errors.InvalidArgumentError, words)


def test_case_changes_ascii_only_unless_the_encoding_is_given() -> None:
    lower, upper = tf.strings.lower, tf.strings.upper
    assert lower("AbÉß").numpy() == "abÉß".encode()
    assert lower(["AbÉß", "İıŒ", "ΑΣ"], "utf-8").numpy().tolist() == [s.encode() for s in ("abéß", "i\u0307ıœ", "ας")]
    assert upper(["straße", "ﬁ"], encoding="utf-8").numpy().tolist() == [b"STRASSE", b"FI"]
    assert lower([b"\xffA\xe6\x97B"], "utf-8").numpy().tolist() == [b"\xef\xbf\xbda\xef\xbf\xbdb"]
    words = "only utf-8 or '' (no encoding) is supported, received UTF-8"
    check_refusal(lambda: lower("A", encoding="UTF-8"), tf.errors.InvalidArgumentError, words)


def test_strip_takes_ascii_white_space() -> None:
    texts = ["  a b \t\n", "\x0b\x0ca\r", "\xa0a\xa0", "", "a\x00 "]
    assert tf.strings.strip(texts).numpy().tolist() == [b"a b", b"a", b"\xc2\xa0a\xc2\xa0", b"", b"a\x00"]


@pytest.mark.parametrize(
    ("text", "pos", "size", "expected"),
    [
        ("hello", 1, 3, b"ell"),
        ("hello", -3, 2, b"ll"),
        ("hello", 5, 1, b""),
        ("hello", -5, 9, b"hello"),
        ("hello", 2, -1, b"llo"),
        (["ab", "cd"], [0, 1], [1, 1], [b"a", b"d"]),
        (["ab", "cd"], [[0], [1]], [[1], [1]], [[b"a", b"c"], [b"b", b"d"]]),
        ("abc", [0, 1], [1, 2], [b"a", b"bc"]),
        ([["ab"], ["cd"]], [0, 1], [1, 1], [[b"a", b"b"], [b"c", b"d"]]),
    ],
)
def test_substr_in_bytes(text: Any, pos: Any, size: Any, expected: Any) -> None:
    assert np.asarray(tf.strings.substr(text, pos, size).numpy()).tolist() == expected


@pytest.mark.parametrize(
    ("text", "pos", "size", "expected"),
    [
        ("héllo", 1, 2, "él".encode()),
        ("héllo", -4, 2, "él".encode()),
        ("é", 1, 2, b""),
        (b"\xff\xfea", 1, 1, b"\xfe"),
        (b"\xe6\x97\xa5x", -1, 1, b"x"),
    ],
)
def test_substr_in_characters(text: Any, pos: int, size: int, expected: bytes) -> None:
    assert tf.strings.substr(text, pos, size, unit="UTF8_CHAR").numpy() == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("hello", 6, 1), "pos 6 out of range for string b'hello' at index 0"),
        ((["ab", "c"], [0, 2], [1, 1]), "pos 2 out of range for string b'c' at index 1"),
        (("héllo", 9, 2, "UTF8_CHAR"), "pos 9 out of range for string at index 0"),
        ((["ab", "cd"], [0, 1], 1), "pos and len should have the same shape, got: [2] vs. []"),
        ((["ab", "cd"], [0, 1, 0], [1, 1, 1]), "Incompatible shapes: [2] vs. [3]"),
    ],
)
def test_substr_refuses(arguments: Any, words: str) -> None:
    check_refusal(lambda: tf.strings.substr(*arguments), tf.errors.InvalidArgumentError, words)


def test_the_old_substr_has_its_unit_last() -> None:
    assert tf.compat.v1.strings.substr(["abc"], 0, 1, None, "BYTE").numpy().tolist() == [b"a"]


@given(st.text(), st.data())
def test_substr_of_valid_text_is_slicing(text: str, data: Any) -> None:
    start = data.draw(st.integers(-len(text), len(text)))
    size = data.draw(st.integers(0, 10))
    begin = start + len(text) if start < 0 else start
    found = tf.strings.substr(text, start, size, unit="UTF8_CHAR").numpy()
    assert found.decode() == text[begin : begin + size]


def test_strings_go_through_a_function() -> None:
    @tf.function(autograph=False)
    def f(x):
        return tf.strings.upper(tf.strings.strip(x)), tf.strings.length(x), tf.strings.substr(x, 0, 1)

    upper, length, first = f(tf.constant([" ab", "c "]))
    assert upper.numpy().tolist() == [b"AB", b"C"]
    assert length.numpy().tolist() == [3, 2]
    assert first.numpy().tolist() == [b" ", b"c"]
    scalar = f(tf.constant(" x"))
    assert [t.shape.as_list() for t in scalar] == [[], [], []]
    assert scalar[0].numpy() == b"X"


_MANY = [b"", b"a", b"abc", b"\xa9\xa9a\xff", b"a\nb", b"\xe6\x97"] * 8
_MANY += [text.encode() for text in ("é日x", "ΟΔΟΣ", " İß")] * 8


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
def test_many_strings_are_measured_as_each_by_itself(unit: str) -> None:
    each = [int(tf.strings.length(text, unit=unit)) for text in _MANY]
    assert tf.strings.length(_MANY, unit=unit).numpy().tolist() == each
    assert tf.strings.length([_MANY, _MANY], unit=unit).shape == (2, len(_MANY))


@pytest.mark.parametrize("call", [tf.strings.lower, tf.strings.upper])
@pytest.mark.parametrize("texts", [_MANY, [text for text in _MANY if b"\n" not in text]])
def test_letters_of_many_strings_change_as_in_each(call: Any, texts: list[bytes]) -> None:
    for encoding in ("", "utf-8"):
        each = [call(text, encoding=encoding).numpy() for text in texts]
        assert call(texts, encoding=encoding).numpy().tolist() == each


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
@pytest.mark.parametrize("size", [-1, 0, 1, 2, 100])
@pytest.mark.parametrize("texts", [_MANY, [b"", b"a", b"abc", b"a\nb"] * 8])
def test_parts_of_many_strings_are_those_of_each(unit: str, size: int, texts: list[bytes]) -> None:
    lengths = [int(tf.strings.length(text, unit=unit)) for text in texts]
    positions = [(7 * i) % (2 * length + 1) - length for i, length in enumerate(lengths)]
    pairs = list(zip(texts, positions, strict=True))
    each = [tf.strings.substr(text, position, size, unit).numpy() for text, position in pairs]
    assert tf.strings.substr(texts, positions, [size] * len(texts), unit).numpy().tolist() == each
    at_begin = [tf.strings.substr(text, 0, size, unit).numpy() for text in texts]
    assert tf.strings.substr(texts, 0, size, unit).numpy().tolist() == at_begin
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of range for string.* at index 0"):
        tf.strings.substr(texts, 1, size, unit)


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
@pytest.mark.parametrize("texts", [["abc", "abcd"], ["abc", "äbc"], ["", ""], []])
@pytest.mark.parametrize("times", [1, 20, 300])
def test_the_same_part_of_each_string(unit: str, texts: list[str], times: int) -> None:
    texts = texts * times
    strings: list[Any] = [text.encode() for text in texts] if unit == "BYTE" else texts
    shortest = min(map(len, strings), default=0)
    for start in range(-shortest, shortest + 1):
        for size in (-1, 0, 1, 2, 100):
            begins = [start if start >= 0 else start + len(string) for string in strings]
            parts = [
                string[begin:] if size < 0 else string[begin : begin + size]
                for string, begin in zip(strings, begins, strict=True)
            ]
            expected = parts if unit == "BYTE" else [part.encode() for part in parts]
            found = tf.strings.substr(tf.constant(texts, tf.string), start, size, unit)
            assert found.numpy().tolist() == expected
    if texts:
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
            tf.strings.substr(texts, shortest + 1, 1, unit)


def test_substr_of_high_ranks_broadcasts_where_tensorflow_does_not() -> None:
    texts = tf.reshape(tf.constant(["abcd"] * 16), [2, 2, 2, 2])
    assert tf.strings.substr(texts, [0, 1], [1, 2]).numpy()[1, 1, 1].tolist() == [b"a", b"bc"]
    with tf.Graph().as_default():
        unlike_sizes = "pos and len shapes must match: [1] vs. [2]"
        for pos, size, words in (([1], [1, 1], unlike_sizes), (1, [1], "Shape must be rank 1 but is rank 0")):
            with pytest.raises(ValueError, match=re.escape(words)):
                tf.strings.substr(["ab"], pos, size)

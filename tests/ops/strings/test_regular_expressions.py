"""regex_replace and regex_full_match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TEXTS = np.array([b"hello", b"ab12", b"\xff"], dtype=object)


def _scalar(text: bytes) -> Any:
    return np.array(text, dtype=object)


SAMPLES = [
    Sample("RegexReplace", inputs=(_TEXTS, _scalar(b"l"), _scalar(b"L"))),
    Sample("RegexReplace", inputs=(_scalar(b"aa"), _scalar(b"a"), _scalar(b"")), attrs={"replace_global": False}),
    Sample("StaticRegexReplace", inputs=(_TEXTS,), attrs={"pattern": "[0-9]+", "rewrite": "#"}),
    Sample("StaticRegexReplace", inputs=(np.zeros((0, 2), object),), attrs={"pattern": "a", "rewrite": "b"}),
    Sample("RegexFullMatch", inputs=(_TEXTS, _scalar(b"h.*"))),
    Sample("StaticRegexFullMatch", inputs=(_TEXTS,), attrs={"pattern": ".*[0-9]"}),
    Sample("StaticRegexFullMatch", inputs=(_scalar(b""),), attrs={"pattern": ""}),
]


@pytest.mark.parametrize(
    ("text", "pattern", "rewrite", "expected"),
    [
        ("hello", "l", "L", b"heLLo"),
        ("key=value", r"(\w+)=(\w+)", r"\2=\1", b"value=key"),
        ("abc", "", "-", b"-a-b-c-"),
        ("abc", "x*", "-", b"-a-b-c-"),
        ("aaa", "a*", "b", b"b"),
        ("", "a", "b", b""),
        ("abc", "(b)", r"[\0]", b"a[b]c"),
        ("abc", "b", r"\1", b"abc"),
        ("abc", "b", r"\\", rb"a\c"),
        ("abc", "b", r"\x", b"ac"),
        (b"\xff", "x", "y", b"\xff"),
        ("日本", ".", "x", b"xx"),
        ("ab\ncd", "^c", "X", b"ab\ncd"),
        ("abcabc", "(?U)a.*c", "x", b"xx"),
        ("abc", "$", "Z", b"abcZ"),
        ("ab", "(a)(b)?", r"\2|", b"b|"),
        (b"a\x00b", r"\x00", "0", b"a0b"),
    ],
)
def test_regex_replace_writes_what_re2_writes(text: Any, pattern: str, rewrite: str, expected: bytes) -> None:
    assert tf.strings.regex_replace(text, pattern, rewrite).numpy() == expected


def test_regex_replace_may_stop_after_the_first_match() -> None:
    assert tf.strings.regex_replace("hello", "l", "L", replace_global=False).numpy() == b"heLlo"


def test_patterns_may_be_tensors() -> None:
    found = tf.strings.regex_replace(["a", "b"], tf.constant("a"), tf.constant("x"))
    assert found.numpy().tolist() == [b"x", b"b"]
    assert tf.strings.regex_full_match(["a"], tf.constant("a")).numpy().tolist() == [True]
    words = "Pattern must be scalar, but received [1]"
    refused = tf.errors.InvalidArgumentError
    check_refusal(lambda: tf.strings.regex_replace(["a"], ["a"], "b"), refused, words)
    check_refusal(lambda: tf.strings.regex_full_match(["a"], tf.constant(["a"])), refused, words)


@pytest.mark.parametrize(
    "call", [lambda p: tf.strings.regex_replace("a", p, "b"), lambda p: tf.strings.regex_full_match("a", p)]
)
def test_malformed_patterns_are_refused(call: Any) -> None:
    check_refusal(lambda: call("("), tf.errors.InvalidArgumentError, "Invalid pattern: (, error: missing ): (")


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        (["abc", "abcd", ""], "abc", [True, False, False]),
        ("aaa", "a*", True),
        ("x\ny", "x.y", False),
        ("x\ny", "(?s)x.y", True),
        ("ab", "a|ab", True),
        (b"\xff", ".", False),
        ("日", ".", True),
    ],
)
def test_regex_full_match_matches_whole_strings(text: Any, pattern: str, expected: Any) -> None:
    assert np.asarray(tf.strings.regex_full_match(text, pattern).numpy()).tolist() == expected


def test_patterns_known_while_tracing_are_attributes() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(["a"], name="x")
        tf.strings.regex_replace(x, "a", "b")
        tf.strings.regex_full_match(x, "a")
        tf.strings.regex_replace(x, tf.constant("a", name="p"), "b")
    types = [operation.type for operation in graph.get_operations() if operation.type != "Const"]
    assert types == ["StaticRegexReplace", "StaticRegexFullMatch", "RegexReplace"]


_PATTERNS = [
    *("a", "[ab]+", "b*", "", "^a", "a$", "^", "$", "^$", r"\ba", r"a\b", r"\B", "(?m)^b", "(?m)b$", "a.b", "(?s)a.b"),
    *(
        "[^a]",
        "[^a]+$",
        r"\s+",
        r"\S",
        r"\W",
        "(a)|(b)",
        "(a)(b)?",
        "(?i)AB",
        "a{2}",
        "a{0}b",
        "(?:a|)b",
        "(?U)a+",
        r"\x{e9}",
    ),
    *("é", "[à-ü]", r"\pL", r"[[:^alpha:]]", r"\Aab\z", r"\Qa.b\E", "(ab|a)(bb)?", "b|$", "日+", r"\d|\n"),
]
_WORDS = [
    b"",
    b"a",
    b"b",
    b"ab",
    b"abb aab",
    b"a\nb",
    b"b\na\n",
    b"A.B",
    b"a.b",
    "é日日".encode(),
    b" ",
    b"a1b22",
    b"\0",
]


@pytest.mark.parametrize("pattern", _PATTERNS)
@pytest.mark.parametrize("more", [[], [b"\xe6\x97"], [b"\xff"], [b"\xfe"]])
def test_many_strings_are_matched_as_each_by_itself(pattern: str, more: list[bytes]) -> None:
    texts = [*_WORDS, *more] * 3
    matched, replaced = tf.strings.regex_full_match, tf.strings.regex_replace
    assert matched(texts, pattern).numpy().tolist() == [bool(matched(text, pattern)) for text in texts]
    for rewrite in ("x", "", r"[\0]", r"\\n", r"\1-"):
        each = [replaced(text, pattern, rewrite).numpy() for text in texts]
        assert replaced(texts, pattern, rewrite).numpy().tolist() == each


@pytest.mark.parametrize("pattern", [r"(", "a**", "[b-a]"])
def test_malformed_patterns_are_refused_for_many_strings_too(pattern: str) -> None:
    for call in (lambda t: tf.strings.regex_full_match(t, pattern), lambda t: tf.strings.regex_replace(t, pattern, "")):
        check_refusal(lambda call=call: call(["a"] * 100), tf.errors.InvalidArgumentError, "Invalid pattern: ")

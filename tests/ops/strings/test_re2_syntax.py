"""The translation of RE2's patterns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.strings.re2_syntax import PatternError, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"\d", "٣4", "4"),
        (r"\w+", "é_a1", "_a1"),
        (r"\s", "\x0b ", " "),
        ("[[:upper:]]+", "aBC", "BC"),
        ("[^[:alpha:]]", "aé", "é"),
        (r"\pL+", "1aβ", "aβ"),
        (r"\p{Lu}", "aB", "B"),
        (r"\P{L}", "a1", "1"),
        (r"\p{Greek}+", "aβγ", "βγ"),
        (r"\p{^Latin}", "aβ", "β"),
        (r"[\p{Han}\p{Hiragana}]+", "a日の", "日の"),
        (r"[\d\-x]+", "1-x", "1-x"),
        ("[]a]+", "a]b", "a]"),
        ("[a-]+", "b-a", "-a"),
        ("[a&&b]+", "&a", "&a"),
        (r"\x61\x{62}\143", "abc", "abc"),
        (r"\Qa.b\E+", "a.bbb", "a.bbb"),
        ("a{,2}", "a{,2}", "a{,2}"),
        ("{", "{", "{"),
        ("(?i)K", "k", "k"),
        ("(?i)s", "ſ", "ſ"),
        ("(?i:a)A", "AA", "AA"),
        ("a(?i)b|C", "c", "c"),
        ("(?U)a+", "aa", "a"),
        ("(?U)a+?", "aa", "aa"),
        ("(?s)a.b", "a\nb", "a\nb"),
        ("(?m)^b$", "a\nb\nc", "b"),
        ("(?P<name>x)", "x", "x"),
        (r"\bb", "ab b", "b"),
        ("a|ab", "ab", "a"),
    ],
)
def test_a_pattern_finds_what_re2_finds(pattern: str, text: str, expected: str) -> None:
    match = compile_pattern(pattern).search(text)
    assert match is not None
    assert match[0] == expected


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a$", "a\n"),
        ("^b", "a\nb"),
        (".", "\n"),
        (".", "\udcff"),
        ("[^a]", "\udcff"),
        (r"\w", "é"),
        ("(?i)a(?-i)B", "ab"),
    ],
)
def test_a_pattern_leaves_what_re2_leaves(pattern: str, text: str) -> None:
    assert compile_pattern(pattern).search(text) is None


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("[", "missing ]: ["),
        ("x[a", "missing ]: [a"),
        ("(", "missing ): ("),
        (")", "unexpected ): )"),
        ("+", "no argument for repetition operator: +"),
        ("(*)", "no argument for repetition operator: *"),
        ("a**", "bad repetition operator: **"),
        ("a++b", "bad repetition operator: ++"),
        ("a{1001}", "invalid repetition size: {1001}"),
        ("a{2,1}", "invalid repetition size: {2,1}"),
        ("\\", "trailing \\"),
        (r"\Z", r"invalid escape sequence: \Z"),
        (r"(a)\1", r"invalid escape sequence: \1"),
        (r"\u0061", r"invalid escape sequence: \u"),
        ("(?=b)", "invalid perl operator: (?="),
        ("(?<=a)b", "invalid perl operator: (?<"),
        ("(?P=n)", "invalid perl operator: (?P"),
        (r"\p{greek}", r"invalid character class range: \p{greek}"),
        (r"\pX", r"invalid character class range: \pX"),
        ("[b-a]", "invalid character class range: b-a"),
    ],
)
def test_what_re2_refuses_is_refused_in_its_words(pattern: str, error: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    assert str(caught.value) == error


def test_what_is_not_supported_says_so() -> None:
    with pytest.raises(PatternError, match="supported here"):
        compile_pattern(r"\C")


@given(st.text())
def test_a_quoted_text_matches_itself(text: str) -> None:
    quoted = "".join(f"\\x{{{ord(c):x}}}" for c in text)
    assert compile_pattern(quoted).fullmatch(text) is not None


@given(st.text(alphabet="ab.*+?()[]{}|\\^$-,:1dwsPpi<=!", max_size=12))
def test_any_pattern_compiles_or_is_refused(pattern: str) -> None:
    try:
        compile_pattern(pattern)
    except PatternError as error:
        assert str(error)

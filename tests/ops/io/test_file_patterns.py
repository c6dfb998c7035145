"""Patterns of file names."""

from __future__ import annotations

import pytest

from millrace._src.ops.io.file_patterns import part_expression


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*", ["", "a", ".hid", "é\n"], []),
        ("a*b", ["ab", "axxb"], ["a", "abc"]),
        ("?", ["a", "."], ["", "ab"]),
        ("[abc]", ["a", "c"], ["d", "ab"]),
        ("[a-c]x", ["ax", "cx"], ["dx"]),
        ("[!a]", ["b", "^"], ["a"]),
        ("[^a]", ["b", "!"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[!]a]", ["b"], ["]", "a"]),
        ("[[]", ["["], ["]"]),
        ("[a\\-z]", ["a", "-", "z"], ["b"]),
        ("[a\\]b]", ["a", "]", "b"], ["\\"]),
        ("[a&&b|~]", ["&", "|", "~"], ["c"]),
        ("\\*", ["*"], ["a"]),
        ("\\d", ["d"], ["1"]),
        ("[\\d]", ["d"], ["1"]),
        ("[a", ["[a"], ["a"]),
        ("a.b+(c)", ["a.b+(c)"], ["axb+(c)"]),
        ("{a,b}", ["{a,b}"], ["a"]),
    ],
)
def test_what_matches(pattern: str, matching: list[str], others: list[str]) -> None:
    expression = part_expression(pattern)
    assert expression is not None
    assert [text for text in [*matching, *others] if expression.fullmatch(text)] == matching


@pytest.mark.parametrize("pattern", ["a\\", "[z-a]"])
def test_what_nothing_matches(pattern: str) -> None:
    assert part_expression(pattern) is None

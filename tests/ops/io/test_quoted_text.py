"""Quotes taken off whole tables."""

from __future__ import annotations

import pytest

from millrace._src.ops.io.quoted_text import unquote


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (b'"a",b\nc,"d"', [[b"a", b"b"], [b"c", b"d"]]),
        (b'"a,b","c""d"', [[b"a,b", b'c"d']]),
        (b'"",""""', [[b"", b'"']]),
        (b"a,b", [[b"a", b"b"]]),
        (b'"a"', [[b"a"]]),
        (b'"","a"', [[b"", b"a"]]),
    ],
)
def test_fields_without_quotes(text: bytes, fields: list[list[bytes]]) -> None:
    result = unquote(text, b",")
    assert result is not None
    plain_text, put_back = result
    assert [[field.translate(put_back) for field in line.split(b",")] for line in plain_text.split(b"\n")] == fields


@pytest.mark.parametrize(
    "text", [b'"a', b'"a"b', b'a"b"', b' "a"', b'"a" ', b'"a\nb"', b'"""', b'"a"\n"b', bytes(range(256)) + b',"a,b"']
)
def test_what_is_left_to_the_rules(text: bytes) -> None:
    assert unquote(text, b",") is None

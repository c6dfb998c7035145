"""Taking the quotes off the fields of a whole table at once.

What is inside of quotes follows from counting quotes from the front, which NumPy does for all characters together. A
delimiter inside of quotes is replaced by a character that the table does not use, and put back after the table is cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_QUOTE, _NEWLINE = ord('"'), ord("\n")


def unquote(text: bytes, delimiter: bytes) -> tuple[bytes, bytes | None] | None:
    """Takes the quotes off the fields of a text, whose records stand in lines.

    >>> from millrace._src.ops.io.quoted_text import unquote
    >>> plain_text, put_back = unquote(b'"a,b",1', b",")
    >>> plain_text.split(b",")[0].translate(put_back)
    b'a,b'

    Returns: The text, and the table for `bytes.translate` that puts back what represented delimiters and quotes (None
      if nothing did); or None for a text with a mistake, with a newline inside of quotes, or without unused characters.
    """
    characters = np.frombuffer(text, np.uint8)
    quotes = np.flatnonzero(characters == _QUOTE)
    if len(quotes) % 2:
        return None
    opening, closing = quotes[0::2], quotes[1::2]
    is_escape = opening[1:] == closing[:-1] + 1
    begins = np.concatenate([opening[:1], opening[1:][~is_escape]])
    ends = np.concatenate([closing[:-1][~is_escape], closing[-1:]])
    separators = (_NEWLINE, ord(delimiter))
    if not (
        _all_in(characters, begins[begins > 0] - 1, separators)
        and _all_in(characters, ends[ends < len(text) - 1] + 1, separators)
    ):
        return None
    return _replace(characters, quotes, opening[1:][is_escape], ord(delimiter))


def _all_in(characters: Any, positions: Any, allowed: tuple[int, int]) -> bool:
    there = characters[positions]
    return bool(((there == allowed[0]) | (there == allowed[1])).all())


def _replace(characters: Any, quotes: Any, escaped_quotes: Any, delimiter: int) -> tuple[bytes, bytes | None] | None:
    """Replaces delimiters inside of quotes and escaped quotes, and leaves out the other quotes."""
    marks = np.flatnonzero((characters == delimiter) | (characters == _NEWLINE))
    inside = marks[np.searchsorted(quotes, marks) % 2 == 1]
    if (characters[inside] == _NEWLINE).any():
        return None
    is_kept = np.ones(len(characters), bool)
    is_kept[quotes] = False
    is_kept[escaped_quotes] = True
    if not len(inside) and not len(escaped_quotes):
        return characters[is_kept].tobytes(), None
    unused = np.flatnonzero(np.bincount(characters, minlength=256) == 0)
    if len(unused) < 2:
        return None
    replaced = characters.copy()
    replaced[inside], replaced[escaped_quotes] = unused[:2]
    put_back = bytes.maketrans(unused[:2].astype(np.uint8).tobytes(), bytes([delimiter, _QUOTE]))
    return replaced[is_kept].tobytes(), put_back

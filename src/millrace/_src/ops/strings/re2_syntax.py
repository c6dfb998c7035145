"""Regular expressions in RE2's syntax, translated for Python's `re`.

TensorFlow matches with RE2. RE2's syntax and Python's agree on most, and differ in the meaning of a letter class (ASCII
in RE2), in anchors, in flags set amid a pattern, and in what is an error. The translator reads the pattern once, item
by item, and writes each item out in a form that does not depend on Python's flags.

Not supported, with a clear error: `\\C` (one byte), and `\\p{...}` of the rarer scripts. Strings are matched as text in
which a byte that is not UTF-8 is a lone surrogate, which no item matches.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from millrace._src.ops.strings.unicode_scripts import SCRIPT_NAMES, script_runs

_BROKEN = "\\udc80-\\udcff"
"""The surrogates that represent bytes outside UTF-8."""

_DIGIT, _SPACE, _WORD = "0-9", "\\t\\n\\f\\r ", "0-9A-Za-z_"
_PERL_CLASSES = {"d": _DIGIT, "s": _SPACE, "w": _WORD}
_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": _WORD,
    "xdigit": "0-9A-Fa-f",
}
_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BOUNDARY = f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_BOUNDARY = f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_COUNTED = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_FLAG_GROUP = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_MAX_REPEAT = 1000


class PatternError(ValueError):
    """A pattern that RE2 refuses; the text is RE2's."""


@dataclass(frozen=True)
class _RegexFlags:
    """The flags in force at one point of a pattern."""

    ignore_case: bool = False
    multi_line: bool = False
    dot_all: bool = False
    swap_greedy: bool = False

    def change(self, on: str, off: str) -> _RegexFlags:
        names = {"i": "ignore_case", "m": "multi_line", "s": "dot_all", "U": "swap_greedy"}
        values = {names[letter]: True for letter in on} | {names[letter]: False for letter in off}
        return replace(self, **values)


SEPARATOR = "\udcff"
"""What separates strings that are matched all at once: a byte that is not UTF-8, which no item of a pattern matches."""


class _Anchors(NamedTuple):
    """How the begin and the end of a text or a line are written."""

    begin: str
    end: str
    line_begin: str
    line_end: str


_ANCHORS = _Anchors("(?:\\A)", "(?:\\Z)", "(?:(?m:^))", "(?:(?m:$))")
_ANCHORS_OF_MANY = _Anchors(
    f"(?:(?<![^{SEPARATOR}]))", f"(?:(?![^{SEPARATOR}]))", f"(?:(?<![^\\n{SEPARATOR}]))", f"(?:(?![^\\n{SEPARATOR}]))"
)


class PatternOfMany(NamedTuple):
    """A pattern for strings in one text, separated by `SEPARATOR`."""

    compiled: re.Pattern[str]
    whole: re.Pattern[str]
    """The pattern that matches whole strings only, each with the separator before it; another one must follow."""
    matches_nothing: bool
    """Whether there may be matches of no characters."""


@functools.lru_cache(maxsize=512)
def compile_for_many(pattern: str) -> PatternOfMany | None:
    """Compiles a pattern of RE2 for many strings in one text; None if it might match what separates strings.

    Raises: PatternError: if RE2 refuses the pattern.
    """
    # Ranges of characters are the only patterns to match a separator: those of names, and of codes above 255.
    if not pattern.isascii() or "\\x{" in pattern or "\\p" in pattern or "\\P" in pattern:
        return None
    translator = _Translator(pattern, _ANCHORS_OF_MANY)
    translation = _compile(pattern, translator.translate())
    whole = _compile(pattern, f"{SEPARATOR}(?:{translation.pattern})(?={SEPARATOR})")
    return PatternOfMany(translation, whole, matches_nothing=not translator.widths.least())


@functools.lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern of RE2 to a pattern of Python.

    >>> from millrace._src.ops.strings.re2_syntax import compile_pattern
    >>> compile_pattern("(?i)[[:alpha:]]+").sub("x", "aB1")
    'x1'

    Raises: PatternError: if RE2 refuses the pattern.
    """
    return _compile(pattern, _Translator(pattern, _ANCHORS).translate())


def _compile(pattern: str, translation: str) -> re.Pattern[str]:
    try:
        return re.compile(translation)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"not supported here: {error}: {pattern}") from None


class _Widths:
    """Adds up how many characters the items of a pattern match at least, read from left to right."""

    def __init__(self) -> None:
        self._outer: list[tuple[list[int], int]] = []
        self._alternatives: list[int] = []
        self._width = 0
        self._last = 0

    def item(self, width: int) -> None:
        """Counts an item."""
        self._last = width
        self._width += width

    def repeat_last(self, times: int) -> None:
        """Counts the last item so many times, not once."""
        self._width += self._last * (times - 1)

    def alternative(self) -> None:
        """Begins another alternative."""
        self._alternatives.append(self._width)
        self._width = 0

    def open_group(self) -> None:
        """Begins a group."""
        self._outer.append((self._alternatives, self._width))
        self._alternatives, self._width = [], 0

    def close_group(self) -> None:
        """Ends a group, and counts the group as an item."""
        group = self.least()
        self._alternatives, self._width = self._outer.pop()
        self.item(group)

    def least(self) -> int:
        """Returns the least number of characters of all alternatives."""
        return min(*self._alternatives, self._width) if self._alternatives else self._width


class _Translator:
    """Walks over one pattern and writes the pattern's translation."""

    def __init__(self, pattern: str, anchors: _Anchors) -> None:
        self.pattern = pattern
        self.anchors = anchors
        self.widths = _Widths()
        self.position = 0
        self.flags = _RegexFlags()
        self.outer: list[_RegexFlags] = []
        self.parts: list[str] = []
        self.repeatable = False
        self.last_repeat: int | None = None

    def translate(self) -> str:
        while self.position < len(self.pattern):
            start = self.position
            character = self.pattern[start]
            if character in "*+?" or character == "{" and _COUNTED.match(self.pattern, start):
                self._repeat(start)
                continue
            self.last_repeat = None
            self._item(character)
        if self.outer:
            raise PatternError(f"missing ): {self.pattern}")
        return "".join(self.parts)

    def _item(self, character: str) -> None:
        if character == "(":
            self._open()
        elif character == ")":
            self._close()
        elif character == "|":
            self._write("|", 1, width=None)
            self.widths.alternative()
        elif character == "[":
            self._class()
        elif character == "\\":
            self._escape()
        elif character == ".":
            self._write(f"[^{_BROKEN}]" if self.flags.dot_all else f"[^\\n{_BROKEN}]", 1)
        elif character == "^":
            self._write(self.anchors.line_begin if self.flags.multi_line else self.anchors.begin, 1, width=0)
        elif character == "$":
            self._write(self.anchors.line_end if self.flags.multi_line else self.anchors.end, 1, width=0)
        else:
            self._write(self._literal(character), 1)

    def _write(self, text: str, consumed: int, width: int | None = 1) -> None:
        """Writes an item that matches `width` characters at least; None if it is nothing that can be repeated."""
        self.parts.append(text)
        self.position += consumed
        self.repeatable = width is not None
        if width is not None:
            self.widths.item(width)

    def _literal(self, character: str) -> str:
        return self._case(re.escape(character))

    def _case(self, text: str) -> str:
        return f"(?i:{text})" if self.flags.ignore_case else text

    # --- groups --------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        remaining_pattern = self.pattern[self.position :]
        if not remaining_pattern.startswith("(?"):
            self._push("(", 1)
            return
        if remaining_pattern.startswith("(?P<"):
            name = re.match(r"\(\?P<(\w+)>", remaining_pattern)
            if name is None:
                raise PatternError(f"invalid named capture group: {remaining_pattern.partition('>')[0]}")
            self._push("(", name.end())
            return
        flags = _FLAG_GROUP.match(remaining_pattern)
        if flags is None or flags[0] == "(?)":
            raise PatternError(
                f"invalid perl operator: {remaining_pattern[:3]}"
                if len(remaining_pattern) > 2
                else f"missing ): {self.pattern}"
            )
        new_flags = self.flags.change(flags[1], flags[2] or "")
        if flags[3] == ":":
            self._push("(?:", flags.end())
        else:
            self._write("", flags.end(), width=None)
        self.flags = new_flags

    def _push(self, text: str, consumed: int) -> None:
        self.outer.append(self.flags)
        self._write(text, consumed, width=None)
        self.widths.open_group()

    def _close(self) -> None:
        if not self.outer:
            raise PatternError(f"unexpected ): {self.pattern}")
        self.flags = self.outer.pop()
        self._write(")", 1, width=0)
        self.widths.close_group()

    # --- repetition ----------------------------------------------------------------------------------------------

    def _repeat(self, start: int) -> None:
        count_match = _COUNTED.match(self.pattern, start)
        operator = count_match[0] if count_match is not None else self.pattern[start]
        if self.last_repeat is not None:
            raise PatternError(f"bad repetition operator: {self.pattern[self.last_repeat : start + len(operator)]}")
        if count_match is not None:
            self._check_count(count_match)
        if not self.repeatable:
            raise PatternError(f"no argument for repetition operator: {operator}")
        self.position = start + len(operator)
        lazy = self.pattern[self.position : self.position + 1] == "?"
        self.position += lazy
        self.parts.append(operator + ("?" if lazy != self.flags.swap_greedy else ""))
        self.last_repeat = start
        self.widths.repeat_last(int(count_match[1]) if count_match is not None else int(operator == "+"))

    @staticmethod
    def _check_count(counted: re.Match[str]) -> None:
        low = int(counted[1])
        high = int(counted[3]) if counted[3] else low
        if low > _MAX_REPEAT or high > _MAX_REPEAT or high < low:
            raise PatternError(f"invalid repetition size: {counted[0]}")

    # --- escapes -------------------------------------------------------------------------------------------------

    def _escape(self) -> None:
        letter = self.pattern[self.position + 1 : self.position + 2]
        if letter == "Q":
            self._translate_quoted()
        elif letter == "b":
            self._write(_BOUNDARY, 2, width=0)
        elif letter == "B":
            self._write(_NO_BOUNDARY, 2, width=0)
        elif letter == "A":
            self._write(self.anchors.begin, 2, width=0)
        elif letter == "z":
            self._write(self.anchors.end, 2, width=0)
        elif letter == "C":
            raise PatternError(f"\\C, a single byte, is not supported here: {self.pattern}")
        elif letter and letter in "dDsSwWpP":
            self._write(self._case(f"[{self._class_escape(letter)}]"), 0)
        else:
            self._write(self._literal(self._read_escape()), 0)

    def _translate_quoted(self) -> None:
        """Writes the text between `\\Q` and `\\E` as literals."""
        text, _, _ = self.pattern[self.position + 2 :].partition("\\E")
        consumed_count = min(len(text) + 4, len(self.pattern) - self.position)
        self._write("".join(map(self._literal, text[:-1])), 0, width=max(len(text) - 1, 0))
        self._write("".join(map(self._literal, text[-1:])), consumed_count, width=1 if text else None)

    def _class_escape(self, letter: str) -> str:
        """Returns the ranges that `\\d`, `\\W`, `\\pL` ... means inside brackets; moves past the escape."""
        if letter in "pP":
            return self._category(letter == "P")
        self.position += 2
        if letter.islower():
            return _PERL_CLASSES[letter]
        return _complement(_PERL_CLASSES[letter.lower()])

    def _category(self, negated: bool) -> str:
        match = re.compile(r"\\[pP](?:\{(\^?)(\w+)\}|(\w))").match(self.pattern, self.position)
        if match is None:
            raise PatternError(f"invalid character class range: {self.pattern[self.position :]}")
        self.position = match.end()
        name = match[2] or match[3]
        ranges = _category_ranges(name)
        if ranges is None:
            raise PatternError(f"invalid character class range: {match[0]}")
        return _complement(ranges) if negated != bool(match[1]) else ranges

    def _read_escape(self) -> str:
        """Returns the character that an escape names; moves past the escape."""
        match = _CHARACTER_ESCAPE.match(self.pattern, self.position)
        if match is None:
            escape = self.pattern[self.position : self.position + 2]
            raise PatternError("trailing \\" if len(escape) < 2 else f"invalid escape sequence: {escape}")
        self.position = match.end()
        if match["octal"]:
            return chr(int(match["octal"], 8))
        if match["hex"] or match["long"]:
            code = int(match["hex"] or match["long"], 16)
            if code > sys.maxunicode:
                raise PatternError(f"invalid escape sequence: {match[0]}")
            return chr(code)
        return _CONTROL.get(match["one"], match["one"])

    # --- classes -------------------------------------------------------------------------------------------------

    def _class(self) -> None:
        start = self.position
        self.position += 1
        is_negated = self.pattern.startswith("^", self.position)
        self.position += is_negated
        items: list[str] = []
        first = True
        while first or not self.pattern.startswith("]", self.position):
            if self.position >= len(self.pattern):
                raise PatternError(f"missing ]: {self.pattern[start:]}")
            items.append(self._class_item(start))
            first = False
        self.position += 1
        text = f"[^{''.join(items)}{_BROKEN}]" if is_negated else f"[{''.join(items)}]"
        self._write(self._case(text), 0)

    def _class_item(self, start: int) -> str:
        posix = re.compile(r"\[:(\^?)(\w+):\]").match(self.pattern, self.position)
        if posix is not None:
            if posix[2] not in _POSIX_CLASSES:
                raise PatternError(f"invalid character class range: {posix[0]}")
            self.position = posix.end()
            ranges = _POSIX_CLASSES[posix[2]]
            return _complement(ranges) if posix[1] else ranges
        letter = self.pattern[self.position + 1 : self.position + 2]
        if self.pattern[self.position] == "\\" and letter and letter in "dDsSwWpP":
            return self._class_escape(letter)
        begin = self.position
        low = self._class_character(start)
        if not self.pattern.startswith("-", self.position) or self.pattern.startswith("-]", self.position):
            return _class_literal(low)
        self.position += 1
        high = self._class_character(start)
        if high < low:
            raise PatternError(f"invalid character class range: {self.pattern[begin : self.position]}")
        return f"{_class_literal(low)}-{_class_literal(high)}"

    def _class_character(self, start: int) -> str:
        if self.position >= len(self.pattern):
            raise PatternError(f"missing ]: {self.pattern[start:]}")
        if self.pattern[self.position] == "\\":
            return self._read_escape()
        self.position += 1
        return self.pattern[self.position - 1]


_CHARACTER_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[1-7][0-7]{1,2}|0[0-7]{0,2})|x(?P<hex>[0-9a-fA-F]{2})|x\{(?P<long>[0-9a-fA-F]+)\}"
    r"|(?P<one>[afnrtv]|[^0-9A-Za-z\udc80-\udcff]))",
    re.DOTALL,
)


def _class_literal(character: str) -> str:
    """Writes a character for use inside brackets, free of any meaning of its own."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@functools.lru_cache(maxsize=64)
def _complement(ranges: str) -> str:
    """Returns the inside of brackets that matches every character which `ranges` does not."""
    inside = re.compile(f"[{ranges}]")
    return _as_ranges(lambda character: inside.match(character) is None)


@functools.lru_cache(maxsize=64)
def _category_ranges(name: str) -> str | None:
    """Returns the characters of a general category (`L`, `Lu`, ...) or script (`Greek`); None for unknown names."""
    if name == "Any":
        return f"\\x00-\\U{sys.maxunicode:08x}"
    if name in SCRIPT_NAMES:
        return _script_ranges(SCRIPT_NAMES.index(name))
    ranges = _as_ranges(lambda character: unicodedata.category(character).startswith(name)) if len(name) < 3 else ""
    return ranges or None


def _script_ranges(number: int) -> str:
    starts, scripts = script_runs()
    ends = [*(starts[1:] - 1).tolist(), sys.maxunicode]
    runs = zip(starts.tolist(), ends, scripts.tolist(), strict=True)
    return "".join(f"{_class_literal(chr(a))}-{_class_literal(chr(b))}" for a, b, script in runs if script == number)


def _as_ranges(wanted: Callable[[str], bool]) -> str:
    """Returns all characters that fulfil a condition, as the inside of brackets."""
    parts: list[str] = []
    start: int | None = None
    for code in range(sys.maxunicode + 2):
        belongs = code <= sys.maxunicode and not 0xDC80 <= code <= 0xDCFF and wanted(chr(code))
        if belongs and start is None:
            start = code
        elif not belongs and start is not None:
            parts.append(f"{_class_literal(chr(start))}-{_class_literal(chr(code - 1))}")
            start = None
    return "".join(parts)

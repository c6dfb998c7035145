"""`tf.strings.regex_replace` and `regex_full_match`: RE2's patterns over tensors of strings.

`re2_syntax` translates a pattern once; Python's `re` matches each string, decoded so that bytes outside UTF-8 survive.
Replacements are expanded by RE2's rules. Many strings are matched as one text: a byte that no item of a pattern matches
separates them, and anchors are written so that they hold at the separators. Where that could differ (a match of no
characters, a string with that byte), the strings are matched one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.strings.re2_syntax import (
    SEPARATOR,
    PatternError,
    PatternOfMany,
    compile_for_many,
    compile_pattern,
)
from millrace._src.ops.strings.text_bytes import attr_bytes, map_strings, map_values, string_array
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TEXT = "text has no gradient"
_MANY = 16
"""From so many strings on they are matched as one text."""
_MARK = "\udcfe"
"""What marks a string that matches: another byte that is not UTF-8."""


def _text(element: bytes) -> str:
    return element.decode("utf-8", "surrogateescape")


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return compile_pattern(pattern)
    except PatternError as error:
        raise errors.InvalidArgumentError(None, None, f"Invalid pattern: {pattern}, error: {error}") from None


def _compile_for_many(pattern: str) -> PatternOfMany | None:
    try:
        return compile_for_many(pattern)
    except PatternError as error:
        raise errors.InvalidArgumentError(None, None, f"Invalid pattern: {pattern}, error: {error}") from None


def _join(array: Array, free_of: str) -> str | None:
    """Returns strings as one text, separated by `SEPARATOR`; None if they hold that byte, or one of `free_of`."""
    text = attr_bytes(SEPARATOR).join(array.reshape(-1).tolist())
    characters = np.frombuffer(text, np.uint8)
    separators = np.count_nonzero(characters == attr_bytes(SEPARATOR)[0])
    is_clear = separators == array.size - 1 and not any((characters == attr_bytes(c)[0]).any() for c in free_of)
    return _text(text) if is_clear else None


def _scalar(array: Array, what: str) -> str:
    if array.ndim:
        message = f"{what} must be scalar, but received {shape_brackets(array.shape)}"
        raise errors.InvalidArgumentError(None, None, message)
    return _text(array.item())


# --- replacing -------------------------------------------------------------------------------------------------------


def _replace(input: Array, pattern: str, rewrite: str, everywhere: bool) -> Array:
    result = _replace_at_once(input, pattern, rewrite) if everywhere and input.size >= _MANY else None
    return map_strings(_replacer(pattern, rewrite, everywhere), input) if result is None else result


def _replace_at_once(input: Array, pattern: str, rewrite: str) -> Array | None:
    """Replaces every match in many strings at once; returns None where that could differ."""
    compiled_pattern = _compile_for_many(pattern)
    if compiled_pattern is None or compiled_pattern.matches_nothing or SEPARATOR in rewrite:
        return None
    if _highest_group(rewrite) > compiled_pattern.compiled.groups:
        return input
    text = _join(input, free_of="")
    if text is None:
        return None
    replaced_text = compiled_pattern.compiled.sub(_template(rewrite), text)
    return string_array(attr_bytes(replaced_text).split(attr_bytes(SEPARATOR)), input.shape)


def _template(rewrite: str) -> str:
    """Writes a replacement as Python's `re` reads it."""
    return "".join(f"\\g<{p}>" if isinstance(p, int) else p.replace("\\", r"\\") for p in _rewrite_parts(rewrite))


def _replacer(pattern: str, rewrite: str, everywhere: bool) -> Callable[[bytes], bytes]:
    """Returns a function of one string that replaces the first or every match."""
    compiled_pattern = _compile(pattern)
    expand = _expander(rewrite)
    if _highest_group(rewrite) > compiled_pattern.groups:
        return lambda element: element
    if not everywhere:
        return lambda element: attr_bytes(_replace_first(compiled_pattern, expand, _text(element)))
    return lambda element: attr_bytes(_replace_all(compiled_pattern, expand, _text(element)))


def _highest_group(rewrite: str) -> int:
    return max((int(digit) for digit in re.findall(r"\\(?:\\|(\d))", rewrite) if digit), default=0)


def _expander(rewrite: str) -> Callable[[re.Match[str]], str]:
    """Returns a function that writes a replacement."""
    parts = _rewrite_parts(rewrite)
    return lambda match: "".join(p if isinstance(p, str) else match[p] or "" for p in parts)


def _rewrite_parts(rewrite: str) -> list[str | int]:
    """Returns the texts and the numbers of groups of a replacement: `\\0` to `\\9` are groups, `\\\\` is a backslash.

    As in RE2, the text after any other escape is dropped.
    """
    parts: list[str | int] = []
    for piece in re.finditer(r"\\(\d)|\\(\\)|(\\)|([^\\]+)", rewrite):
        if piece[3] is not None:
            break
        parts.append(int(piece[1]) if piece[1] is not None else piece[2] or piece[4])
    return parts


def _replace_first(pattern: re.Pattern[str], expand: Callable[[re.Match[str]], str], text: str) -> str:
    match = pattern.search(text)
    return text if match is None else text[: match.start()] + expand(match) + text[match.end() :]


def _replace_all(pattern: re.Pattern[str], expand: Callable[[re.Match[str]], str], text: str) -> str:
    """Replaces every match from the left; an empty match right after another match does not count."""
    parts: list[str] = []
    position, last_end = 0, -1
    while position <= len(text):
        match = pattern.search(text, position)
        if match is None:
            break
        parts.append(text[position : match.start()])
        if match.start() == match.end() == last_end:
            parts.append(text[match.start() : match.start() + 1])
            position = match.start() + 1
            continue
        parts.append(expand(match))
        position = last_end = match.end()
    return "".join(parts) + text[position:]


def _replace_shape(c: ShapeContext) -> TensorShape:
    for name in ("pattern", "rewrite"):
        if c.shape(name).rank not in (0, None):
            raise ValueError(f"Shape must be rank 0 but is rank {c.shape(name).rank}")
    return c.shape("input")


@op(
    "RegexReplace",
    "input: string, pattern: string, rewrite: string -> output: string",
    shape=_replace_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def regex_replace_op(xp: Xp, input: Array, pattern: Array, rewrite: Array, *, replace_global: bool = True) -> Array:
    """Replaces matches of a pattern."""
    return _replace(input, _scalar(pattern, "Pattern"), _scalar(rewrite, "Rewrite"), replace_global)


@op("StaticRegexReplace", "input: string -> output: string", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def static_regex_replace(xp: Xp, input: Array, *, pattern: str, rewrite: str, replace_global: bool = True) -> Array:
    """Replaces matches of a pattern that is known while tracing."""
    return _replace(input, pattern, rewrite, replace_global)


@export("strings.regex_replace", v1=["strings.regex_replace", "regex_replace"], elementwise="unary")
def regex_replace(
    input: TensorLike, pattern: object, rewrite: object, replace_global: bool = True, name: str | None = None
) -> Any:
    r"""Replaces matches of a regular expression (RE2 syntax) in every string.

    >>> tf.strings.regex_replace(["ab12", "key=value"], r"(\w+)=(\w+)", r"\2=\1").numpy()
    array([b'ab12', b'value=key'], dtype=object)

    Args:
      input: a string Tensor.
      pattern: the expression, a string or a scalar string Tensor.
      rewrite: the replacement; `\1` to `\9` represent groups, `\0` for the match.
      replace_global: whether to replace every match or the first only.
      name: name of the operation in a graph.

    Returns: A string Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the pattern is malformed, or not supported.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return static_regex_replace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return regex_replace_op(input, pattern, rewrite, replace_global=replace_global, name=name)


# --- matching --------------------------------------------------------------------------------------------------------


def _matches(pattern: str, input: Array) -> Array:
    result = _matches_at_once(pattern, input) if input.size >= _MANY else None
    if result is not None:
        return result
    compiled_pattern = _compile(pattern)
    return map_values(lambda element: compiled_pattern.fullmatch(_text(element)) is not None, input, np.bool_)


def _matches_at_once(pattern: str, input: Array) -> Array | None:
    """Matches many strings at once; returns None where that could differ."""
    compiled_pattern = _compile_for_many(pattern)
    text = None if compiled_pattern is None else _join(input, free_of=_MARK)
    if compiled_pattern is None or text is None:
        return None
    marked_text = compiled_pattern.whole.sub(SEPARATOR + _MARK, SEPARATOR + text + SEPARATOR)
    characters = np.frombuffer(attr_bytes(marked_text), np.uint8)
    (separators,) = np.nonzero(characters == attr_bytes(SEPARATOR)[0])
    result: Array = characters[separators[:-1] + 1] == attr_bytes(_MARK)[0]
    return result.reshape(input.shape)


def _match_shape(c: ShapeContext) -> TensorShape:
    if c.shape("pattern").rank not in (0, None):
        raise ValueError(f"Shape must be rank 0 but is rank {c.shape('pattern').rank}")
    return c.shape("input")


@op(
    "RegexFullMatch",
    "input: string, pattern: string -> output: bool",
    shape=_match_shape,
    host_only=True,
    not_differentiable=_TEXT,
)
def regex_full_match_op(xp: Xp, input: Array, pattern: Array) -> Array:
    """Returns whether each whole string matches a pattern."""
    return _matches(_scalar(pattern, "Pattern"), input)


@op("StaticRegexFullMatch", "input: string -> output: bool", shape=same_shape, host_only=True, not_differentiable=_TEXT)
def static_regex_full_match(xp: Xp, input: Array, *, pattern: str) -> Array:
    """Returns whether each whole string matches a pattern that is known while tracing."""
    return _matches(pattern, input)


@export("strings.regex_full_match", elementwise="unary")
def regex_full_match(input: TensorLike, pattern: object, name: str | None = None) -> Any:
    """Returns whether each whole string matches a regular expression (RE2 syntax).

    >>> tf.strings.regex_full_match(["abc", "abcd"], "a.c").numpy()
    array([ True, False])

    Args:
      input: a string Tensor.
      pattern: the expression, a string or a scalar string Tensor.
      name: name of the operation in a graph.

    Returns: A bool Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the pattern is malformed, or not supported.
    """
    if isinstance(pattern, (str, bytes)):
        return static_regex_full_match(input, pattern=pattern, name=name)
    return regex_full_match_op(input, pattern, name=name)

"""Patterns of file names: `*`, `?`, `[a-z]` and backslash, part by part between slashes.

Python's `glob` passes over hidden files and has no backslash, so patterns are translated to regular expressions here.
"""

from __future__ import annotations

import functools
import re

from millrace._src.ops.io.file_systems import file_system_of

_SPECIAL = re.compile(r"[*?\[\\]")


def matching_names(pattern: str) -> list[str]:
    """Returns the names that match a pattern, in the order of their directories.

    Raises: tf.errors.UnimplementedError: for an unknown scheme.
    """
    file_system, path = file_system_of(pattern)
    special = _SPECIAL.search(pattern)
    if special is None:
        return [pattern] if file_system.exists(path) else []
    slash = pattern.rfind("/", 0, special.start())
    names = [pattern[: slash + 1] or "./"]
    parts = pattern[slash + 1 :].split("/")
    for part in parts[:-1]:
        names = [f"{name}/" for name in _matches_in(names, part) if _is_directory(name)]
    return _matches_in(names, parts[-1])


def _matches_in(directories: list[str], part: str) -> list[str]:
    """Returns the names in directories, each with its slash, that match a part of a pattern."""
    if _SPECIAL.search(part) is None:
        names = [f"{directory}{part}" for directory in directories]
        return [name for name in names if _is_taken(name)]
    expression = part_expression(part)
    if expression is None:
        return []
    return [
        f"{directory}{entry}"
        for directory in directories
        for entry in _entries(directory)
        if expression.fullmatch(entry)
    ]


def _is_directory(name: str) -> bool:
    file_system, path = file_system_of(name)
    return file_system.is_directory(path)


def _is_taken(name: str) -> bool:
    file_system, path = file_system_of(name)
    return file_system.is_taken(path)


def _entries(directory: str) -> list[str]:
    file_system, path = file_system_of(directory)
    try:
        return file_system.list_directory(path)
    except OSError:
        return []


_TOKEN = re.compile(
    r"""(?P<any>\*) | (?P<one>\?) | \\(?P<literal>.) | \[(?P<not>[!^]?)(?P<class>\]?(?:\\.|[^\]\\])*)\]
    | (?P<other>[^\\])""",
    re.VERBOSE | re.DOTALL,
)


@functools.lru_cache(maxsize=256)
def part_expression(part: str) -> re.Pattern[str] | None:
    """Returns the regular expression of a part of a pattern, or None for a part that nothing matches.

    >>> from millrace._src.ops.io.file_patterns import part_expression
    >>> part_expression("[!a]?x*").pattern
    '[^a].x.*'
    """
    pieces, position = [], 0
    while position < len(part):
        token = _TOKEN.match(part, position)
        if token is None:  # a backslash at the end
            return None
        pieces.append(_translate(token))
        position = token.end()
    try:
        return re.compile("".join(pieces), re.DOTALL)
    except re.error:  # a range whose ends are swapped
        return None


def _translate(token: re.Match[str]) -> str:
    """Returns the regular expression of one token of a pattern."""
    if token["any"]:
        return ".*"
    if token["one"]:
        return "."
    if token["class"] is not None:
        characters = re.sub(r"\\.|[\[\]&~|^]", lambda match: re.escape(match[0][-1]), token["class"])
        return f"[{'^' if token['not'] else ''}{characters}]"
    return re.escape(token["literal"] or token["other"])

"""How answers differ: by call, by object, by file, so that each difference can be named and given a reason."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle.encoding import differences


def differing(expected: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """Returns what differs, in words, by the name of the part: `calls.total`, `objects.root.v`, `files`."""
    result: dict[str, str] = {}
    for part in expected:
        ours = found.get(part)
        if isinstance(expected[part], dict) and isinstance(ours, dict):
            for name in [*expected[part], *(name for name in ours if name not in expected[part])]:
                missing = {"nothing": True}
                pair = expected[part].get(name, missing), ours.get(name, missing)
                result |= _named(f"{part}.{name}", differences(*pair))
        else:
            result |= _named(part, differences(expected[part], ours))
    return result


def _named(name: str, lines: Iterable[str]) -> dict[str, str]:
    text = "\n".join(lines)
    return {name: text} if text else {}


def unexplained(model: str, found: Mapping[str, str], reasons: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Returns the differences of a model that no pattern explains, and the patterns for it that explain nothing.

    A pattern is `model::part`, both with wildcards; one that names its model in full must explain something.
    """
    patterns = [pattern for group in reasons.values() for pattern in group]
    ours = [pattern for pattern in patterns if fnmatch.fnmatchcase(model, pattern.split("::")[0])]
    lines = [
        f"{part}: {text}"
        for part, text in found.items()
        if not any(fnmatch.fnmatchcase(part, pattern.split("::")[1]) for pattern in ours)
    ]
    idle = [
        f"{pattern} explains nothing"
        for pattern in ours
        if "*" not in pattern.split("::")[0] and not fnmatch.filter(found, pattern.split("::")[1])
    ]
    return lines + idle

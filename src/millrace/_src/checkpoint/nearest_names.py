"""Which name of the other side a name is most like: what was meant when a layer was renamed.

Problem: a value under a new name is missing on one side and unused on the other, and the two names stand far apart.

Idea: of the names that are left on the other side, those with a value of the same shape and dtype are asked first, then
all; `difflib` says which is most like. Each name is given away once. A pair of names shows what was renamed: the parts
before those that both have at their ends. Other names with the same beginning then need no comparison, so that the
work is bounded although hundreds of names have changed.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

_MAX_COMPARED = 200
_MIN_LIKENESS = 0.5


def nearest_names(wanted: Mapping[str, object], offered: Mapping[str, object]) -> dict[str, str]:
    """Returns for names of one side the names of the other side that they are most like.

    >>> from millrace._src.checkpoint.nearest_names import nearest_names
    >>> nearest_names({"dense_2/kernel": 1, "bias": 2}, {"dense/kernel": 1, "extra": 3})
    {'dense_2/kernel': 'dense/kernel'}

    Args:
      wanted: for each name what a name of the other side should agree in: shape and dtype.
      offered: the same of the other side.
    """
    remaining = dict(offered)
    renamed: dict[str, str] = {}
    nearest: dict[str, str] = {}
    compared = 0
    for name, kind in wanted.items():
        best = _by_beginning(name, renamed, remaining)
        if best is None and compared < _MAX_COMPARED:
            compared += 1
            candidates = [other for other, other_kind in remaining.items() if other_kind == kind] or list(remaining)
            best = _most_like(name, candidates)
        if best is not None:
            nearest[name] = best
            del remaining[best]
            ours, theirs, _ = beginnings(name, best)
            renamed[ours] = theirs
    return nearest


def beginnings(name: str, other: str) -> tuple[str, str, str]:
    """Returns the beginnings of two names, and the parts that both have at their ends.

    >>> from millrace._src.checkpoint.nearest_names import beginnings
    >>> beginnings("model/dense_2/kernel", "model/dense/kernel")
    ('model/dense_2', 'model/dense', 'kernel')
    """
    parts, other_parts = name.split("/"), other.split("/")
    common = 0
    while common < min(len(parts), len(other_parts)) - 1 and parts[-1 - common] == other_parts[-1 - common]:
        common += 1
    cut, other_cut = len(parts) - common, len(other_parts) - common
    return "/".join(parts[:cut]), "/".join(other_parts[:other_cut]), "/".join(parts[cut:])


def _by_beginning(name: str, renamed: Mapping[str, str], remaining: Mapping[str, object]) -> str | None:
    beginning = name
    while beginning:
        beginning = beginning.rpartition("/")[0]
        other = renamed.get(beginning)
        if other is not None and other + name[len(beginning) :] in remaining:
            return other + name[len(beginning) :]
    return None


def _most_like(name: str, candidates: list[str]) -> str | None:
    ends_alike = [other for other in candidates if other.rpartition("/")[2] == name.rpartition("/")[2]]
    near = difflib.get_close_matches(name, (ends_alike or candidates)[:_MAX_COMPARED], 1, _MIN_LIKENESS)
    return near[0] if near else None

"""Which name of the other side a name is most like: what was meant when a layer was renamed.

Problem: a value under a new name is missing on one side and unused on the other, and the two names stand far apart.

Idea: of the names that are left on the other side, those with a value of the same shape and dtype are asked first, then
all; `difflib` says which is most like. Each name is given away once. The work is bounded: of hundreds of names, most
are settled by what the two names have in common at their ends.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

_MOST_COMPARED = 200
_LEAST_LIKENESS = 0.5


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
    found: dict[str, str] = {}
    for name, kind in list(wanted.items())[:_MOST_COMPARED]:
        candidates = [other for other, other_kind in remaining.items() if other_kind == kind] or list(remaining)
        best = _most_like(name, candidates)
        if best is not None:
            found[name] = best
            del remaining[best]
    return found


def _most_like(name: str, candidates: list[str]) -> str | None:
    ends_alike = [other for other in candidates if other.rpartition("/")[2] == name.rpartition("/")[2]]
    near = difflib.get_close_matches(name, (ends_alike or candidates)[:_MOST_COMPARED], 1, _LEAST_LIKENESS)
    return near[0] if near else None

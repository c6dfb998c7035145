"""Programs of files that do not answer as TensorFlow's yet, by what they wait for.

A line is `kind::program`. The kinds are the subjects of the tests: `theirs`, `aged`, `own`, `outline`, `read`,
`served`, `refused` for SavedModels; `checkpoint`, `own_checkpoint`, `bytes`, `read_checkpoint` for checkpoints. They
are expected to fail, strictly: the change that makes one pass also takes it off this list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

_WAITING_FOR: dict[str, tuple[str, ...]] = {
    "shapes of indices of slices that a signature returns": (
        "own::composites-indexed_slices",
        "read::composites-indexed_slices",
        "outline::composites-indexed_slices",
    ),
}

PENDING = {program: part for part, programs in _WAITING_FOR.items() for program in programs}


def parameters(kind: str, names: Iterable[str], needing_xla: Iterable[str] = ()) -> list[Any]:
    """Returns a parameter for each name: one that needs JAX is marked so, one that waits is expected to fail."""
    return [pytest.param(name, id=name, marks=marks_of(kind, name, needing_xla)) for name in names]


def marks_of(kind: str, name: str, needing_xla: Iterable[str] = ()) -> list[Any]:
    """Returns the marks of one program in one test."""
    marks = [pytest.mark.xla] if name in needing_xla else []
    waits_for = PENDING.get(f"{kind}::{name}")
    return marks if waits_for is None else [*marks, pytest.mark.xfail(reason=f"waits for {waits_for}", strict=True)]

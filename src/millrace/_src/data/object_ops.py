"""What the ops have in common that make, and delete, the objects behind datasets: caches, seed generators, iterators.

An anonymous object lives as long as its handle; the op gives a deleter beside the handle.

Tests: tests/data/test_iterator_handles.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.op_def import Effects
from millrace._src.ops.shape_rules import no_outputs, scalar

MAKES_OBJECT: dict[str, Any] = {
    "shape": scalar,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.RANDOM,
    "cacheable": False,
}
DELETES_OBJECT: dict[str, Any] = {
    "shape": no_outputs,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
}


def with_deleter(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the facts of an op that makes an anonymous object, from those of one that makes a shared object."""
    handles = facts["handles"]
    return {**facts, "shape": lambda c: [scalar(c), scalar(c)], "handles": lambda c: [handles(c), None]}

"""Programs where millrace deliberately answers otherwise than TensorFlow, with the reason and our answer.

Keys are `topic::program`. `expected` is the JSON form of our own answer (see encoding.py). Only what the design
documents as better than TensorFlow belongs here; everything else is a bug.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Difference(NamedTuple):
    """One deliberate difference."""

    reason: str
    expected: Any


DIFFERENCES: dict[str, Difference] = {}

"""What users are told about trials.

Tests: tests/engines/test_tier_selection.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.util.text import duration


def comparison(winner: str, seconds: Mapping[Any, float], dropped: Mapping[Any, str]) -> str:
    """Returns what a trial has found, as one sentence."""
    best = seconds.get(winner)
    parts = [
        f"{_factor(other / best)} as fast as {name}: {duration(best)} against {duration(other)}"
        for name, other in seconds.items()
        if name != winner and best
    ]
    parts += [f"{name} was given up: {reason}" for name, reason in dropped.items() if name not in seconds]
    return "; ".join(parts)


def _factor(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:.0f} times"

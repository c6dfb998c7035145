"""Programs of composites where millrace deliberately answers otherwise than TensorFlow, by reason.

Millrace's own answers are in `own_answers.json`, one program a line (`tools/record_oracle.py --own` writes it). A line
belongs here only if TensorFlow fails, or trips over itself, where there is a good answer; everything else is a bug.
"""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path
from typing import Any

from tests.oracle.corpus import programs, recorded

OWN_ANSWERS = Path(__file__).parent / "own_answers.json"

_BY_REASON: dict[str, tuple[str, ...]] = {
    "`x[None, 0]` is the first row with a new axis; TensorFlow fails on a dense row.": (
        "ragged_indexing::*_new_axis_and_row_*",
    ),
}


def own_answers() -> dict[str, Any]:
    """Returns millrace's recorded answers by `topic::program`."""
    answers: dict[str, Any] = json.loads(OWN_ANSWERS.read_text(encoding="utf-8")) if OWN_ANSWERS.exists() else {}
    return answers


def reasons() -> dict[str, str]:
    """Returns the reason of each program that the patterns name and that TensorFlow answered."""
    found = {}
    for reason, patterns in _BY_REASON.items():
        for pattern in patterns:
            topic, _, names = pattern.partition("::")
            answered = recorded(topic)
            chosen = [name for name in programs(topic) if fnmatch.fnmatchcase(name, names) and name in answered]
            if not chosen:
                raise LookupError(f"no program is called {pattern}")
            found.update({f"{topic}::{name}": reason for name in chosen})
    return found

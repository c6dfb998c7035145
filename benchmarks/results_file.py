"""The file of a day's results: everything that was measured, written after each row, and read back by later runs.

A run of a few rows on the same day replaces these rows and keeps the others, so that the page stays whole.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.growth import Growth
from benchmarks.measured import Measured
from benchmarks.modes import modes
from benchmarks.rows import Series
from benchmarks.runner import rows


def write(path: Path, results: Sequence[Measured], growths: Sequence[Growth], facts: dict[str, Any]) -> None:
    """Writes all results and facts."""
    content = {**facts, "growths": [dataclasses.asdict(g) for g in growths], "rows": [_row(m) for m in results]}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[list[Measured], list[Growth], dict[str, Any]]:
    """Returns the rows that still exist, the growths, and the facts of the run; nothing without a file."""
    if not path.exists():
        return [], [], {}
    content = json.loads(path.read_text(encoding="utf-8"))
    known = {row.key: (program, row) for program, row, _ in rows([])}
    results = []
    for stored in content["rows"]:
        if stored["key"] in known and "mode" in stored:
            program, row = known[stored["key"]]
            (mode,) = modes([stored["mode"]], stored.get("core"))
            values = {_series(name): numbers["repetitions"] for name, numbers in stored["results"].items()}
            failures = {_series(name): why for name, why in stored["failures"].items()}
            results.append(Measured(program, row, mode, values, failures, stored.get("shares", [])))
    facts = {name: value for name, value in content.items() if name not in ("growths", "rows")}
    return results, [Growth(**growth) for growth in content.get("growths", [])], facts


def merged(old: Sequence[Measured], new: Sequence[Measured]) -> list[Measured]:
    """Returns the results in the order of the table, mode by mode, new ones instead of old ones."""
    by_key = {(m.mode.name, m.row.key): m for m in (*old, *new)}
    names = list(dict.fromkeys(m.mode.name for m in (*new, *old)))
    names.sort(key=["pinned", "free"].index)
    return [by_key[name, row.key] for name in names for _, row, _ in rows([]) if (name, row.key) in by_key]


def _row(m: Measured) -> dict[str, Any]:
    ratio = m.ratio()
    return {
        "program": m.program,
        "key": m.row.key,
        "title": m.row.title,
        "unit": m.row.unit,
        "mode": m.mode.name,
        "core": m.mode.core,
        "reach": m.reach,
        "of_the_best": None if ratio is None else [float(f"{v:.4g}") for v in ratio],
        "shares": [round(share, 3) for share in m.shares],
        "failures": {_text(s): why for s, why in m.failures.items()},
        "results": {
            _text(s): {
                "median": m.median(s),
                "minimum": min(values),
                "repetitions": [float(f"{v:.6g}") for v in values],
            }
            for s, values in m.values.items()
        },
    }


def _text(series: Series) -> str:
    return ".".join(part for part in series if part)


def _series(text: str) -> Series:
    return Series(*text.split("."))

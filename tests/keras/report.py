"""`python -m tests.keras.report RECORD`: what failed in a recorded run and not on TensorFlow, grouped by cause.

With `--baseline` the record is one of real TensorFlow, and becomes `baseline.json`. A record is what
`python -m tests.keras --record RECORD` writes, a line for each test. A cause is the message of the error without what
differs from test to test: numbers, names in quotes, shapes.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.keras.expectations import BASELINE, baseline

_VARYING = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"'[^']*_\d+[^']*'"), "'name'"),
    (re.compile(r"\([\d, None]*\)|\[[\d, .eE+-]*\]"), "()"),
    (re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?"), "N"),
)
_PLACE = re.compile(r"\s+\[([\w.]+:\d+)\]$")
Line = dict[str, Any]


def read(path: Path) -> dict[str, Line]:
    """Name of a test -> its last line; a failure in the set-up or the take-down stands for the test."""
    lines: dict[str, Line] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        known = lines.get(line["name"])
        if known is None or known["outcome"] == "passed" or line["outcome"] == "failed":
            lines[line["name"]] = line
    return lines


def cause_of(said: str) -> str:
    """The first line of a message without what varies, and where the error was raised."""
    place = _PLACE.search(said)
    first = next((line for line in _PLACE.sub("", said).splitlines() if line.strip()), "")[:240]
    for pattern, word in _VARYING:
        first = pattern.sub(word, first)
    return f"{first}  [{place.group(1) if place else 'collection'}]"


def groups(lines: dict[str, Line], excused: frozenset[str]) -> list[tuple[str, list[str]]]:
    """The causes with the tests that fail for them, those of most tests first."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, line in lines.items():
        if line["outcome"] == "failed" and name not in excused:
            found[cause_of(line["said"])].append(name)
    return sorted(found.items(), key=lambda group: -len(group[1]))


def counts(lines: dict[str, Line]) -> str:
    """How many passed, failed, were skipped."""
    tally: dict[str, int] = defaultdict(int)
    for line in lines.values():
        tally["failed, as known" if line.get("expected") and line["outcome"] == "skipped" else line["outcome"]] += 1
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(tally.items()))


def write_baseline(lines: dict[str, Line]) -> None:
    """Writes what TensorFlow does: which tests fail and why, which are skipped, and the time of all."""
    of = {outcome: sorted(n for n, line in lines.items() if is_(line, outcome)) for outcome in ("failed", "skipped")}
    facts = {
        "keras": version("keras"),
        "tensorflow": version("tensorflow-cpu"),
        "passed": sum(is_(line, "passed") for line in lines.values()),
        "seconds": round(sum(line["seconds"] for line in lines.values())),
        "failed": {name: _reason(lines[name]["said"]) for name in of["failed"]},
        "skipped": [name for name in of["skipped"] if not lines[name].get("expected")],
    }
    BASELINE.write_text(json.dumps(facts, indent=0) + "\n", encoding="utf-8")


def _reason(said: str) -> str:
    """The beginning of a message, without the addresses and paths of the machine."""
    return re.split(r" on http| at /| missing at|  \[", said.partition("\n")[0])[0][:100]


def is_(line: Line, outcome: str) -> bool:
    """Tells whether a test had an outcome."""
    return bool(line["outcome"] == outcome)


def main(path: Path, is_baseline: bool = False) -> None:
    """Writes the baseline, or prints the groups as Markdown."""
    lines = read(path)
    if is_baseline:
        write_baseline(lines)
        return
    excused = frozenset(baseline()["failed"])
    print(f"{len(lines)} tests: {counts(lines)}; {len(excused & lines.keys())} of them fail on TensorFlow too\n")
    for cause, names in groups(lines, excused):
        files = sorted({name.partition("::")[0] for name in names})
        print(f"- **{len(names)}** `{cause}`\n  - {', '.join(files[:6])}{' ...' if len(files) > 6 else ''}")
        print(f"  - e.g. `{names[0]}`" + (f", `{names[-1]}`" if len(names) > 1 else ""))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--baseline" in sys.argv)

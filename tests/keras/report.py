"""`python -m tests.keras.report RECORD`: what failed in a recorded run and not on TensorFlow, grouped by cause.

With `--known` the groups are written as `known_failures.toml`: by the first of `ISSUES` that a message fits. With
`--baseline` the record is one of real TensorFlow, and becomes `baseline.json`. A record is what
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

from tests.keras.expectations import BASELINE, KNOWN_FAILURES, baseline

_VARYING = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"'[^']*_\d+[^']*'"), "'name'"),
    (re.compile(r"\([\d, None]*\)|\[[\d, .eE+-]*\]"), "()"),
    (re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?"), "N"),
)
ISSUES = (
    (r"[Ss]parse|csr_matrix", 13, "sparse tensors"),
    (r"[Rr]agged", 13, "ragged tensors"),
    (r"tf\.lookup|'lookup'", 13, "tables"),
    (r"ExtensionType|type_spec_registry|CompositeTensor", 13, "extension types"),
    (r"saved_model|SavedModel|TrackableView|tf\.train\.Checkpoint", 14, "SavedModel and checkpoints"),
    (r"tensorflow\.compiler\.xla", 12, "jax2tf asks for modules of the compiler of TensorFlow"),
    (r"tf\.summary|tensorflow\.summary", 16, "summaries"),
    (r"stft_spectrogram_test.*channels", 12, "a convolution adds up three channels in another order: off by 2e-6"),
    (r"tf\.experimental\.numpy", 12, "tf.experimental.numpy is not built yet"),
    (r"MirroredStrategy|_reset_context|data\.experimental\.ops", 12, "several replicas, which are refused"),
)
"""Pattern -> the issue that brings what a test needs, and what that is."""
_LOCATION = re.compile(r"\s+\[([\w.]+:\d+)\]$")
Line = dict[str, Any]


def read(path: Path) -> dict[str, Line]:
    """Name of a test -> its last line; a failure in the set-up or the take-down represents the test."""
    lines: dict[str, Line] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        known = lines.get(line["name"])
        if known is None or known["outcome"] == "passed" or line["outcome"] == "failed":
            lines[line["name"]] = line
    return lines


def cause_of(said: str) -> str:
    """The first line of a message without what varies, and where the error was raised."""
    location = _LOCATION.search(said)
    lines = [line for line in _LOCATION.sub("", said).splitlines() if line.strip()]
    raised = [line[1:].strip() for line in lines if line.startswith("E ")]  # when a file cannot be imported
    first = [*raised[-1:], *lines, ""][0][:240]
    for pattern, word in _VARYING:
        first = pattern.sub(word, first)
    return f"{first}  [{location.group(1) if location else 'collection'}]"


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


def write_known_failures(lines: dict[str, Line], excused: frozenset[str]) -> None:
    """Writes the failures by issue and reason; what fits no pattern is listed by its cause, for issue 12."""
    found: dict[tuple[int, str], list[str]] = defaultdict(list)
    for cause, names in groups(lines, excused):
        fitting = ((issue, reason) for pattern, issue, reason in ISSUES if re.search(pattern, cause + names[0]))
        found[next(fitting, (12, cause.replace("\\", "").replace('"', "'")[:150]))] += names
    text = ["# Tests of Keras that fail on Millrace alone: written by `python -m tests.keras.report RECORD --known`."]
    for (issue, reason), names in sorted(found.items()):
        listed = [f"  {json.dumps(name)}," for name in sorted(names)]
        text += ["", "[[group]]", f"issue = {issue}", f'reason = "{reason}"', "tests = [", *listed, "]"]
    KNOWN_FAILURES.write_text("\n".join(text) + "\n", encoding="utf-8")


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
    """Returns whether a test had an outcome."""
    return bool(line["outcome"] == outcome)


def main(path: Path, option: str = "") -> None:
    """Prints the groups as Markdown, or writes one of the lists."""
    lines = read(path)
    if option == "--baseline":
        write_baseline(lines)
        return
    excused = frozenset(baseline()["failed"])
    if option == "--known":
        write_known_failures(lines, excused)
        return
    print(f"{len(lines)} tests: {counts(lines)}; {len(excused & lines.keys())} of them fail on TensorFlow too\n")
    for cause, names in groups(lines, excused):
        files = sorted({name.partition("::")[0] for name in names})
        print(f"- **{len(names)}** `{cause}`\n  - {', '.join(files[:6])}{' ...' if len(files) > 6 else ''}")
        print(f"  - e.g. `{names[0]}`" + (f", `{names[-1]}`" if len(names) > 1 else ""))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3])

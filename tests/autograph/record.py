"""Records what real TensorFlow answers to the corpus and to the common mistakes.

Run from the root with a Python that has tensorflow-cpu 2.21: `python -m tests.autograph.record [THEME ...]`. With
`--check` nothing is written: every case runs eagerly, as a graph and compiled, and what is not the answer of plain
Python is printed (a case marked as refused must be refused).
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("MILLRACE_AUTOGRAPH_CORPUS", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.autograph import answers, corpus, modes
from tests.autograph.framework import tf
from tests.autograph.mistakes import mistakes
from tests.oracle.corpus import write_record

FOLDER = Path(__file__).parent
PATIENCE = 120  # seconds that one case may take before its stack is shown


def record_theme(theme: str, folder: Path) -> int:
    """Writes the answers to one module of the corpus, and returns how many there are."""
    found = {}
    for name, case in corpus.cases(theme).items():
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        found[name] = answers.form_of(*modes.attempt(case, "graph", tf), tf)
    write_record(folder / f"{theme}.json", found)
    return len(found)


def record_messages(folder: Path) -> int:
    """Writes what TensorFlow says to each mistake, and returns how many there are."""
    found: dict[str, Any] = {}
    for name, mistake in mistakes().items():
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        found[name] = {"endless": mistake.endless} if mistake.endless else answers.message_of(mistake, tf)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (folder / "messages.json").write_text(text + "\n", encoding="utf-8")
    return len(found)


def complaints(case: corpus.Case, mode: str) -> list[str]:
    """How the answers of the case in the mode differ from those of plain Python, one line each."""
    expected = modes.run(case, "plain", tf)
    found, _ = modes.attempt(case, mode, tf)
    lines = []
    for left, right in zip(expected, found, strict=True):
        if isinstance(right, Exception):
            lines.append(f"{case.name} [{mode}] {type(right).__name__}: {str(right)[-300:]}")
            continue
        try:
            modes.assert_same_value(left, right)
        except AssertionError as error:
            lines.append(f"{case.name} [{mode}] {error}")
    mark = modes.against_tensorflow(case, mode)
    if mark:
        excused = mode == "xla" and not case.superset_xla  # compiled, an assertion of TensorFlow's graph is dropped
        return [] if lines or excused else [f"{case.name} [{mode}] gives Python's answer, though marked: {mark}"]
    return lines


def check(themes: list[str], chosen: list[str]) -> int:
    """Prints what is wrong with the corpus itself, and returns the number of lines."""
    count = 0
    for theme in themes:
        for case in corpus.cases(theme).values():
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            for mode in chosen:
                lines = [] if modes.refusal(case, mode) else complaints(case, mode)
                count += len(lines)
                sys.stderr.writelines(line + "\n" for line in lines)
    return count


def main() -> int:
    """Records or checks the themes named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("themes", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--modes", nargs="+", default=["eager", "graph", "xla"], choices=modes.MODES[1:])
    parser.add_argument("--output", type=Path, default=FOLDER / "recorded")
    arguments = parser.parse_args()
    tf.get_logger().setLevel("CRITICAL")
    themes = arguments.themes or corpus.themes()
    if arguments.check:
        return min(check(themes, arguments.modes), 1)
    arguments.output.mkdir(parents=True, exist_ok=True)
    total = sum(record_theme(theme, arguments.output) for theme in themes)
    told = 0 if arguments.themes else record_messages(arguments.output)
    print(f"{total} cases and {told} messages on TensorFlow {tf.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

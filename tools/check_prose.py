"""Fails where names or prose use a private term instead of the word that the field has for it.

Problem: a reader finds code by the words of TensorFlow, JAX and compilers. A term that only this project uses hides
what it names.

Idea: one row per term: a pattern, what to write instead, and the phrases in which the pattern is plain English. The
patterns hold for sources, tests, tools, documents and messages; recorded answers of TensorFlow and programs written in
its idiom are left out.

Run: `python tools/check_prose.py`; `--figures` prints how often each pattern occurs.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from check_structure import ROOT, tracked_files

FOLDERS = ("src", "tests", "tools", "benchmarks", "examples", "docs", "README.md", "CONTRIBUTING.md")

LEFT_OUT = (
    "src/millrace/_src/proto/",  # messages of TensorFlow
    "tests/oracle/recorded/",
    "tests/oracle/programs/",
    "tests/end_to_end/v1_programs/programs/",
    "src/millrace/_src/testing/plain_case.py",  # unittest's `places=`
    "tests/ops/strings/test_packed_numbers.py",  # Hypothesis's `places=`
    "tools/check_prose.py",
    "tests/tools/test_check_prose.py",
)


@dataclass(frozen=True)
class Term:
    """A private term.

    Attributes:
      pattern: A regular expression of the term.
      instead: The words of the field.
      allowed: A regular expression of the phrases that hold the pattern and are plain English, or TensorFlow's names.
      folders: Where the term is private; elsewhere it is plain English.
    """

    pattern: str
    instead: str
    allowed: str = r"(?!)"
    folders: tuple[str, ...] = FOLDERS


TERMS = (
    Term(
        r"\b_?[Pp]laces?(?![a-z])|[a-z]_places?(?![a-z])|\b_?Places?(?=[A-Z])",
        "device, index, node, position, slot",
        r"(?i)(\b|_)in[-_ ]place(?![a-z])|into place|\b(last|decimal) places?\b|_place_dataset_on_device",
    ),
    Term(r"Tells whether", "Returns whether"),
    Term(
        r"\b(is|was) no (tensor|Tensor|scalar|text|function|variable|string|list|number|vector|integer|dataset)\b",
        "is not a ...",
        r"(?i)\b(there|where|here) (is|was) no",
    ),
    Term(r"(?i)\bcarr(y|ies|ied|ying)[ _]out\b", "run, execute, compute"),
    Term(r"\b_?(MOST|LEAST|LONGEST)(_[A-Z]|\b(?!-))", "MAX_x, MIN_x"),
    Term(r"\bst(and|ands|ood|anding) for\b", "represent"),
    Term(r"(?i)\bnobody|\bwhoever", "no caller, the caller", r"nobody\.Knows|[\"']Nobody[\"']"),
    Term(
        r"\bways\.py|\.ways\b|\b_?ways?_\w+|\w+_ways?\b|\bWays?[A-Z]|\b_?Ways?\b(?=[(:\]])",
        "implementation, kernel candidates",
        r"both_ways|either_way|other_way|half_way|(?i:test_\w+)",
    ),
    Term(r"index_ranges", "value-range analysis", r"\bvalue_index_ranges\b"),
    Term(r"\b(short|long) way\b", "fast path, slow path"),
    Term(r"\bTakers?\b|\b[Mm]isfits?\b", "restore spec, shape mismatch", r"\bmisfits\(self\)|\.misfits\b"),  # public
    Term(r"\bgone_over\b|\bcalls_differ\b", "optimized for iteration, needs slow path"),
    Term(r"\b[Bb]lur(s|red)?\b", "unknown-dimension mask", r"(?i)gaussian blur|blurs? (an|the) image|motion blur"),
    Term(r"\b[Oo]utlines?\b", "structure key", folders=("src",)),
    Term(r"\b(seed )?eras?\b", "seed epoch"),
    Term(r"\b_?[Tt]wins?\b", "cached device array", folders=("src", "docs")),
    Term(r"\bbetween[ _]replicas\b", "cross-replica", r"communication between replicas"),
    Term(r"\b[Cc]ertainly[ _]assigned\b", "definitely assigned"),
    Term(r"\b[Oo]ld[ _]forms?\b", "v1 wrapper"),
    Term(r"\bhears? of\b", "listens for"),
    Term(r"\brefuses? in words\b", "raises NotImplementedError"),
)


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Iterates over the files that the terms hold for, and their texts."""
    for name in tracked_files(root, *FOLDERS):
        if name.startswith(LEFT_OUT) or not name.endswith((".py", ".md", ".toml", ".pyi", ".json")):
            continue
        yield name, (root / name).read_text(encoding="utf-8")


def occurrences(text: str, term: Term) -> list[tuple[int, str]]:
    """Returns the number and the text of each line that holds a term outside of the allowed phrases."""
    allowed = re.compile(term.allowed)
    pattern = re.compile(term.pattern)
    if not pattern.search(text):
        return []
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.search(line) and pattern.search(allowed.sub("", line)):
            lines.append((number, line.strip()))
    return lines


def complaints(files: Iterable[tuple[str, str]]) -> list[str]:
    """Returns what is wrong, one line each."""
    return [
        f"{name}:{number}: write {term.instead!r} here: {line[:100]}"
        for name, text in files
        for term in TERMS
        if name.startswith(term.folders)
        for number, line in occurrences(text, term)
    ]


def figures(files: Iterable[tuple[str, str]]) -> Counter[str]:
    """Counts the lines that hold each term."""
    counts: Counter[str] = Counter()
    for name, text in files:
        for term in TERMS:
            counts[term.instead] += len(occurrences(text, term)) if name.startswith(term.folders) else 0
    return counts


def main() -> int:
    if "--figures" in sys.argv:
        for instead, count in figures(texts(ROOT)).most_common():
            print(f"{count:6}  {instead}")
        return 0
    found = complaints(texts(ROOT))
    for line in found:
        print(f"check_prose: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

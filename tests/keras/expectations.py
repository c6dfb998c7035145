"""What is expected of each of Keras's own tests: the two lists, read and asked."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
KNOWN_FAILURES = FOLDER / "known_failures.toml"
BASELINE = FOLDER / "baseline.json"
SELECTION = FOLDER / "selection.txt"
PREFIX = "keras/src/"
SKIPPED_HERE = "on Millrace alone"
"""How the reason of a skip begins that is ours, not Keras's."""


def name_of(nodeid: str) -> str:
    """The short name of a test: its pytest id without the folders that all share."""
    return nodeid.removeprefix(PREFIX)


@dataclass(frozen=True)
class Expectations:
    """Name of a test -> why it fails on Millrace; and the names that fail or are skipped on real TensorFlow too."""

    known_failures: dict[str, str]
    fails_on_tensorflow: frozenset[str]
    skipped_on_tensorflow: frozenset[str]

    @classmethod
    def load(cls) -> Expectations:
        """Reads both lists."""
        groups = tomllib.loads(KNOWN_FAILURES.read_text(encoding="utf-8")).get("group", [])
        known = {name: f"issue {g['issue']}: {g['reason']}" for g in groups for name in g["tests"]}
        return cls(known, frozenset(baseline()["failed"]), frozenset(baseline()["skipped"]))

    def marks(self, name: str) -> list[pytest.MarkDecorator]:
        """The markers of one test. A known failure that passes is an error, so that the list shrinks."""
        if name in self.known_failures:
            return [pytest.mark.xfail(reason=self.known_failures[name], strict=True)]
        if name in self.fails_on_tensorflow:
            return [pytest.mark.xfail(reason="fails on TensorFlow too", strict=False)]
        return []


def baseline() -> dict[str, Any]:
    """What real TensorFlow does with the tests."""
    recorded: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return recorded

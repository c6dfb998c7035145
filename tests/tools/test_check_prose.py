"""`tools/check_prose.py`: which lines hold a private term."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(scope="module")
def check_prose() -> ModuleType:
    sys.path.insert(0, str(TOOLS))
    try:
        spec = importlib.util.spec_from_file_location("check_prose", TOOLS / "check_prose.py")
        assert spec is not None and spec.loader is not None
        module = sys.modules["check_prose"] = importlib.util.module_from_spec(spec)  # its dataclass looks there
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module


@pytest.mark.parametrize(
    "line",
    [
        "at its place in the list",
        "_place = places[0]",
        "class Places:",
        "def test_values_keep_their_places() -> None:",
        "Tells whether a value is known.",
        "Raises TypeError if `x` is no tensor.",
        "The thread carries out the task.",
        "_MOST_NODES = 5",
        "A name stands for a shape.",
        "which nobody reads",
        "from millrace._src.util.ways import Ways",
        "Calls take the short way.",
        "between replicas",
    ],
)
def test_a_private_term_is_reported(check_prose: ModuleType, line: str) -> None:
    assert len(check_prose.complaints([("src/a.py", f"x = 1\n{line}\n")])) >= 1


@pytest.mark.parametrize(
    "line",
    [
        "x = tf.compat.v1.placeholder(tf.float32)",
        "adds in place, in_place=True, in-place writes",
        "text.replace('a', 'b')  # a placement",
        "There is no tensor.",
        "both ways",
        "AT_LEAST",
        "a few units in the last place",
    ],
)
def test_plain_english_is_allowed(check_prose: ModuleType, line: str) -> None:
    assert check_prose.complaints([("src/a.py", line)]) == []


def test_a_term_may_be_private_in_some_folders_only(check_prose: ModuleType) -> None:
    assert check_prose.complaints([("tests/a.py", "the twin of a model")]) == []
    assert check_prose.complaints([("src/a.py", "the twin of an array")]) == [
        "src/a.py:1: write 'cached device array' here: the twin of an array"
    ]

"""Complete programs of TensorFlow 1 run unmodified and print what they print on TensorFlow.

All run in one process of their own, each in a default graph of its own: `disable_v2_behavior` is for a whole process.
Numbers are compared up to rounding, everything else to the letter.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.v1_programs.running import RECORD, names

ROOT = Path(__file__).parents[2]
RECORDED: dict[str, str] = json.loads(RECORD.read_text(encoding="utf-8"))
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(?:e[-+]?\d+)?", re.IGNORECASE)
_PATH = [str(ROOT), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]


def _outputs(tier: str, *chosen: str) -> dict[str, str]:
    """Runs programs, all of them if none is named, in a process of their own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_PATH), "MILLRACE_TIER": tier}
    command = [sys.executable, "-m", "tests.end_to_end.v1_programs.running", *chosen]
    run = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    found: dict[str, str] = json.loads(run.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What every program prints."""
    return _outputs("numpy")


def _is_close(expected: str, found: str) -> bool:
    numbers = _NUMBER.findall(expected), _NUMBER.findall(found)
    return (
        _NUMBER.sub("#", " ".join(expected.split())) == _NUMBER.sub("#", " ".join(found.split()))
        and len(numbers[0]) == len(numbers[1])
        and all(
            math.isclose(float(a), float(b), rel_tol=2e-3, abs_tol=_last_digit(a))
            for a, b in zip(*numbers, strict=True)
        )
    )


def _last_digit(number: str) -> float:
    """Returns twice what the last printed digit of a number represents; nothing for integers."""
    digits = number.lower().partition("e")[0].partition(".")[2]
    return 2.0 * 10.0 ** -len(digits) if digits else 0.0


@pytest.mark.parametrize("name", names())
def test_an_old_program_prints_what_it_prints_on_tensorflow(name: str, printed: dict[str, str]) -> None:
    assert _is_close(RECORDED[name], printed[name]), f"expected\n{RECORDED[name]}\ngot\n{printed[name]}"


@pytest.mark.xla
def test_a_loop_with_tensor_arrays_trains_on_the_compiler_and_the_host_in_turn() -> None:
    name = "lstm_while_loop"
    found = _outputs("xla", name)
    assert _is_close(RECORDED[name], found[name]), found[name]


def test_every_program_is_recorded() -> None:
    assert sorted(RECORDED) == names()
    assert not [name for name, text in RECORDED.items() if "FAILED" in text]


def test_unlike_outputs_are_told_apart() -> None:
    assert _is_close("a 1.000 [2 3]", "a 1.001 [2  3]")
    assert not _is_close("a 1.000", "a 1.1")
    assert not _is_close("a 1 2", "a 1")
    assert not _is_close("a 1", "b 1")
    assert not _is_close("3 steps", "4 steps")

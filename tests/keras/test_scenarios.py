"""Trains the models of `scenarios/` on Millrace and compares with the numbers that real TensorFlow gave.

What stands under the name `tensorflow` is decided once per process, so each topic runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.keras.scenarios.__main__ import judged, recorded
from tests.keras.scenarios.catalogue import scenarios, topics
from tests.keras.scenarios.pending import PENDING

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="needs Keras: pip install 'millrace[keras]'")

ROOT = Path(__file__).resolve().parents[2]


def differences_of(topic: str, folder: Path, *options: str) -> dict[str, list[str]]:
    """Runs a topic: scenario and mode -> what is not as on TensorFlow."""
    output = folder / "answers.json"
    command = [sys.executable, "-m", "tests.keras.scenarios", topic, "--output", str(output), *options]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT, env=environment)
    assert output.exists(), result.stderr
    return judged(json.loads(output.read_text(encoding="utf-8")), scenarios([topic]))


def check(topic: str, folder: Path, *options: str) -> None:
    """Fails for what differs and is not known to, and for what is said to differ and does not."""
    found = differences_of(topic, folder, *options)
    wrong = [f"{name}:\n  " + "\n  ".join(lines[:12]) for name, lines in found.items() if lines and name not in PENDING]
    cured = [f"{name} is in pending.py, and passes" for name in found if not found[name] and name in PENDING]
    assert not wrong + cured, "\n".join(wrong + cured)


@pytest.mark.xla
@pytest.mark.parametrize("topic", topics())
def test_models_train_as_on_tensorflow(topic: str, tmp_path: Path) -> None:
    check(topic, tmp_path)


@pytest.mark.xla
@pytest.mark.slow
@pytest.mark.parametrize("topic", topics())
def test_models_train_as_on_tensorflow_in_all_modes(topic: str, tmp_path: Path) -> None:
    check(topic, tmp_path, "--slow")


def test_every_scenario_is_recorded_and_every_record_has_a_scenario() -> None:
    wanted = {(name, one.recorded_mode(mode)) for name, one in scenarios().items() for mode in one.modes}
    assert {(name, mode) for name, by_mode in recorded().items() for mode in by_mode} == wanted


def test_pending_scenarios_exist() -> None:
    assert set(PENDING) <= {f"{name} {mode}" for name, one in scenarios().items() for mode in one.modes}

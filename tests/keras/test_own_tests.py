"""Runs a selection of Keras's own tests, and checks the lists by which they are judged.

`make keras-tests` runs all of Keras's tests: see `plugin.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.keras.__main__ import selected
from tests.keras.expectations import Expectations, baseline

ROOT = Path(__file__).resolve().parents[2]
PARTS = 4
needs_keras = pytest.mark.skipif(find_spec("keras") is None, reason="needs Keras: pip install 'millrace[keras]'")


@pytest.mark.xla
@needs_keras
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_a_selection_of_the_tests_of_keras_passes(part: int) -> None:
    command = [sys.executable, "-m", "tests.keras", "--selection", "--shard", f"{part}/{PARTS}"]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
    environment.pop("PYTEST_ADDOPTS", None)
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT, env=environment)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]


@needs_keras
def test_the_lists_are_those_of_the_installed_release() -> None:
    assert version("keras") == baseline()["keras"]


def test_no_selected_test_fails_or_is_skipped_for_a_known_reason() -> None:
    expectations = Expectations.load()
    known = {*expectations.known_failures, *expectations.fails_on_tensorflow, *expectations.skipped_on_tensorflow}
    assert len(selected()) >= 300
    assert not known.intersection(selected())


def test_a_test_has_one_reason_to_fail() -> None:
    expectations = Expectations.load()
    assert not expectations.known_failures.keys() & expectations.fails_on_tensorflow

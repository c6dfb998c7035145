"""The first program a user runs: `examples/digits.py` learns, and its loss curve is real TensorFlow's."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.example_programs import code_of, command_of

pytest.importorskip("sklearn", reason="the digits come with scikit-learn")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "digits.py"

# Printed by TensorFlow 2.21.0 on a CPU, eagerly and as a graph alike.
TENSORFLOW_CURVE = (
    "1.9101 1.0365 0.5692 0.3650 0.2705 0.2167 0.1881 0.1604 0.1469 0.1281 "
    "0.1178 0.1086 0.1013 0.0910 0.0852 0.0801 0.0750 0.0705 0.0648 0.0606"
).split()
TENSORFLOW_ACCURACY = "96.4"


@functools.cache
def output_of(*command: str) -> str:
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "src"), TF_CPP_MIN_LOG_LEVEL="3")
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout


def output_of_millrace() -> str:
    return output_of(*command_of("digits"))


def curves(output: str) -> tuple[list[str], list[str]]:
    rows = re.findall(r"^ *\d+ +(\d\.\d{4}) +(\d\.\d{4})$", output, re.MULTILINE)
    return [eager for eager, _ in rows], [graph for _, graph in rows]


def test_the_program_knows_nothing_of_millrace() -> None:
    assert "millrace" not in code_of("digits")


def test_the_loss_curve_of_both_modes_is_that_of_tensorflow() -> None:
    eager, graph = curves(output_of_millrace())
    assert eager == TENSORFLOW_CURVE
    assert graph == TENSORFLOW_CURVE


def test_at_least_95_percent_of_the_held_out_digits_are_right() -> None:
    accuracies = re.findall(r"^(\w+): [\d.]+ s, ([\d.]+) % ", output_of_millrace(), re.MULTILINE)
    assert accuracies == [("eager", TENSORFLOW_ACCURACY), ("graph", TENSORFLOW_ACCURACY)]
    assert all(float(percent) >= 95 for _, percent in accuracies)


@pytest.mark.oracle
def test_tensorflow_itself_prints_the_recorded_curve() -> None:
    output = output_of(os.environ.get("MILLRACE_ORACLE_PYTHON", sys.executable), str(PROGRAM))
    assert curves(output) == (TENSORFLOW_CURVE, TENSORFLOW_CURVE)

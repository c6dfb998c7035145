"""`python -m benchmarks` measures, says which frameworks it lacks, and judges its numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks import machine, report
from benchmarks.programs import ORDER
from benchmarks.rows import Row
from benchmarks.runner import FRAMEWORKS, Measured, rows

ROOT = Path(__file__).resolve().parents[2]


def measured(reach: float | None = None, beyond: str | None = None, **values: list[float]) -> Measured:
    return Measured("program", Row("key", "a title", "us", reach, beyond), values)


def test_one_command_prints_the_table() -> None:
    command = [sys.executable, "-m", "benchmarks", "--rounds", "1", "--frameworks", "millrace,numpy,torch"]
    command += ["--peers", f"torch={ROOT / 'no' / 'python'}", "eager_add", "first_tensor"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if "busy" not in line]
    assert "cores" in lines[0]
    assert lines[1].startswith("without PyTorch: ")
    assert lines[2].split() == ["what", "Millrace", "least", "reach", "NumPy"]
    assert [line.partition(",")[0] for line in lines[3:]] == ["import and first tensor", "eager a + b"]


def test_an_unknown_framework_is_refused() -> None:
    command = [sys.executable, "-m", "benchmarks", "--frameworks", "millrace,theano"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert result.returncode == 2
    assert "theano" in result.stderr


def test_the_table_says_what_was_missed() -> None:
    own = {"millrace": [3.0, 1.0, 2.0], "numpy": [4.0, 4.0, 4.0]}
    assert report.cells(measured(2.0, **own), ["millrace", "numpy"]) == ["a title, us", "2 ok", "1", "2", "4 (2)"]
    assert report.cells(measured(1.9, **own), ["millrace", "numpy"])[1] == "2 MISSED"
    assert report.cells(measured(None, **own), ["millrace", "numpy"])[1:4] == ["2", "1", ""]


def test_a_reach_may_stand_on_the_number_of_another_framework() -> None:
    assert measured(0.5, "numpy", millrace=[1.0], numpy=[0.6, 0.7, 0.8]).reach == 1.2
    assert measured(0.5, "numpy", millrace=[1.0]).reach is None


def test_a_framework_that_fails_is_shown_as_failed() -> None:
    result = measured(1.0, millrace=[1.0])
    result.failures["jax"] = "RuntimeError: no"
    assert report.cells(result, ["millrace", "jax"])[-1] == "failed"
    result.failures["millrace"] = "RuntimeError: no"
    assert report.cells(result, ["millrace", "jax"])[1] == "FAILED"


def test_every_program_is_in_the_order_and_has_rows_with_distinct_keys() -> None:
    files = {p.stem for p in (ROOT / "benchmarks" / "programs").glob("*.py")} - {"__init__"}
    assert set(ORDER) == files
    keys = [row.key for _, row, _ in rows([])]
    assert len(keys) == len(set(keys))
    keys = [row.key for _, row, _ in rows(["matmuls"])]
    assert keys == ["matmuls_eager", "matmuls_graph", "matmuls_jit", "matmuls_jit_read"]


def test_the_page_holds_the_machine_the_versions_and_the_reasons() -> None:
    facts = {
        "machine": machine.describe(),
        "versions": {"millrace": "0.1", "numpy": "2.4"},
        "missing": {"torch": "ModuleNotFoundError"},
        "rounds": 3,
    }
    page = report.page([measured(2.0, millrace=[1.0], numpy=[2.0])], facts, "benchmarks/results/x.json")
    assert "| a title, us | 1 ok | 1 | 2 | 2 (2) |" in page
    assert "Millrace 0.1, NumPy 2.4" in page
    assert "Not measured: PyTorch (ModuleNotFoundError)" in page
    assert set(report.LABELS) == set(FRAMEWORKS)

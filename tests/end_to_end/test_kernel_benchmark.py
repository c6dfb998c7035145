"""`python -m benchmarks.kernels` measures single ops; each row is an op that runs here."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.kernel_rows import KERNELS, Kernel
from benchmarks.kernel_worker import Framework, Worker
from benchmarks.kernels import Measured, chosen, line, main, worst

ROOT = Path(__file__).resolve().parents[2]
SHOWN = [("millrace", "eager"), ("tensorflow", "eager")]


@pytest.fixture(scope="module")
def framework() -> Framework:
    return Framework("millrace")


def measured(own: float, **peers: float) -> Measured:
    return Measured(
        KERNELS[0], "small", {(name, "eager"): seconds for name, seconds in {"millrace": own, **peers}.items()}
    )


def test_rows_have_distinct_names_and_are_many() -> None:
    assert len({kernel.name for kernel in KERNELS}) == len(KERNELS) >= 150


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_every_row_runs(kernel: Kernel, framework: Framework) -> None:
    worker = Worker(framework)
    worker.set_up(kernel, kernel.count("small"))
    assert worker.function is not None
    framework.wait(worker.function(*worker.inputs))


def test_a_repetition_counts_the_calls_that_fill_its_time(framework: Framework) -> None:
    worker = Worker(framework)
    assert worker.warm_up("eager", time.process_time) is None  # nothing is set up
    worker.set_up(chosen("abs")[0], 64)
    call, count = worker.warm_up("eager", time.process_time) or (None, 0)
    assert call is not None
    assert count > 1


def test_the_ratio_is_to_the_fastest_peer() -> None:
    row = measured(3e-6, tensorflow=1e-6, jax=2e-6)
    assert row.ratio("eager") == pytest.approx(3)
    assert row.ratio("eager", ("jax",)) == pytest.approx(1.5)
    assert row.ratio("compiled") is None
    assert measured(1.0).ratio("eager") is None


def test_the_worst_rows_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    worst([measured(1.0, tensorflow=1.0), measured(9.0, tensorflow=1.0)], "eager", 1, SHOWN)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "the worst 1 of 2, eager"
    assert lines[3] == line(measured(9.0, tensorflow=1.0), SHOWN)
    assert len(lines) == 4


def test_a_name_that_no_row_has_is_refused() -> None:
    with pytest.raises(SystemExit, match="'no_such_op'"):
        main(["--ops", "abs,no_such_op"])


def test_one_command_prints_the_table_and_keeps_the_numbers(tmp_path: Path) -> None:
    arguments = ["--ops", "ab*", "--sizes", "small", "--rounds", "1", "--frameworks", "millrace,torch"]
    arguments += ["--peers", f"torch={ROOT / 'no' / 'python'}", "--json", str(tmp_path / "numbers.json")]
    command = [sys.executable, "-m", "benchmarks.kernels", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[1].startswith("without PyTorch: ")
    assert result.stdout.splitlines()[3].split()[:2] == ["abs", "small"]
    (numbers,) = json.loads((tmp_path / "numbers.json").read_text())
    assert {"millrace.eager", "millrace.function"} <= set(numbers["seconds"])

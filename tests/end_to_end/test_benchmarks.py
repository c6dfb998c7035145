"""`python -m benchmarks` measures, says which frameworks it lacks, and judges its numbers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import PIL.Image
import pytest

from benchmarks import chart, growth, machine, noise, report, results_file
from benchmarks.growth import SUBJECTS, Growth, Subject, power
from benchmarks.measured import Measured
from benchmarks.modes import modes
from benchmarks.programs import ORDER
from benchmarks.rows import Row, Series, is_millrace, on_numpy, tf_variants
from benchmarks.runner import FRAMEWORKS, measure, rows
from millrace._src.passes.optimizer_options import jit_pin

ROOT = Path(__file__).resolve().parents[2]
PINNED, FREE = modes(["pinned", "free"], 0)


def measured(reach: float | None = None, beyond: str | None = None, **values: list[float]) -> Measured:
    """Returns a row; `torch__eager=[1.0]` is PyTorch's variant "eager"."""
    series = {Series(*name.split("__")): numbers for name, numbers in values.items()}
    return Measured("program", Row("key", "a title", "us", reach, beyond), PINNED, series)


def test_one_command_prints_the_tables() -> None:
    command = [sys.executable, "-m", "benchmarks", "--rounds", "1", "--frameworks", "millrace,numpy,torch"]
    command += ["--peers", f"torch={ROOT / 'no' / 'python'}", "eager_add", "first_tensor"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "cores" in lines[0]
    assert lines[1].startswith("without PyTorch: ")
    for table, mode in ((lines[3:7], PINNED), (lines[8:12], FREE)):
        assert table[0] == mode.title
        assert table[1].split() == ["what", "Millrace", "of", "the", "best", "NumPy", "reach"]
        assert [line.partition(",")[0] for line in table[2:]] == ["eager a + b", "import and first tensor"]


def test_an_unknown_framework_is_refused() -> None:
    command = [sys.executable, "-m", "benchmarks", "--frameworks", "millrace,theano"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert result.returncode == 2
    assert "theano" in result.stderr


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="asleep"):
        modes(["pinned", "asleep"], None)


def test_the_table_says_what_was_missed() -> None:
    own = {"millrace": [3.0, 1.0, 2.0], "numpy": [4.0, 4.0, 4.0]}
    assert report.cells(measured(2.0, **own), ["millrace", "numpy"]) == ["a title, us", "2", "", "4", "2 ok"]
    assert report.cells(measured(1.9, **own), ["millrace", "numpy"])[-1] == "1.9 MISSED"
    assert report.cells(measured(None, **own), ["millrace", "numpy"])[-1] == ""


def test_a_reach_may_stand_on_the_number_of_another_framework() -> None:
    assert measured(0.5, "numpy", millrace=[1.0], numpy=[0.6, 0.7, 0.8]).reach == 1.2
    assert measured(0.5, "numpy", millrace=[1.0]).reach is None


def test_millrace_is_compared_as_it_comes_with_the_best_variant_of_the_best_peer() -> None:
    row = measured(
        millrace__default=[3.0], millrace__jit=[1.0], torch__eager=[9.0], torch__compile=[2.0], jax__jit=[4.0]
    )
    assert row.best("millrace") == Series("millrace", "default")
    assert row.best_peer() == Series("torch", "compile")
    assert report.cells(row, ["millrace", "jax", "torch"])[1:] == ["3", "1.50 (1.50-1.50)", "4 jit", "2 compile", ""]


def test_ratios_are_taken_round_by_round() -> None:
    ratio = measured(millrace=[1.0, 2.0, 3.0, 4.0], jax=[2.0, 4.0, 6.0, 4.0]).ratio()
    assert ratio is not None
    assert (ratio.median, ratio.low, ratio.high) == (0.5, 0.5, 0.625)
    assert measured(millrace=[1.0], numpy=[1.0]).ratio() is None


def test_all_variants_stand_in_a_table_of_their_own() -> None:
    row = measured(millrace__default=[3.0], millrace__numpy=[5.0], tensorflow__graph=[9.0])
    row.failures[Series("tensorflow", "jit")] = "no"
    assert report.variants_table([row, measured(millrace=[1.0])]).splitlines() == [
        "| what | Millrace default | Millrace NumPy tier | TensorFlow graph | TensorFlow jit_compile |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| a title, us | 3 | 5 | 9 | failed |",
    ]
    assert report.variants_table([measured(millrace=[1.0])]) == ""


def test_rows_that_are_lost_are_listed_with_what_bounds_them() -> None:
    bound = dataclasses.replace(measured().row, title="a heavy row", bound="The memory is busy.")
    lost = measured(millrace=[3.0], torch__compile=[2.0], jax__jit=[4.0])
    worse = dataclasses.replace(measured(millrace=[4.0], jax__jit=[1.0]), row=bound)
    assert report.lost_rows([measured(millrace=[1.0], jax__jit=[2.0]), lost, worse]).splitlines()[2:] == [
        "- a heavy row (pinned): 4.00 (4.00-4.00) of JAX jit. The memory is busy.",
        "- a title (pinned): 1.50 (1.50-1.50) of PyTorch compile.",
    ]
    assert report.lost_rows([measured(millrace=[1.0], jax__jit=[2.0])]) == ""


def test_a_framework_that_fails_is_shown_as_failed() -> None:
    result = measured(1.0, millrace=[1.0])
    result.failures[Series("jax")] = "RuntimeError: no"
    assert report.cells(result, ["millrace", "jax"])[3] == "failed"
    result.values.clear()
    result.failures[Series("millrace")] = "RuntimeError: no"
    assert report.cells(result, ["millrace", "jax"])[1] == "FAILED"


class _Framework:
    """Stands for the process of a framework: the second repetition of "jit" fails."""

    name, mode = "millrace", PINNED

    def __init__(self) -> None:
        self.calls: list[str] = []

    def variants(self, program: str, row: str) -> list[Series]:
        return [Series(self.name, "default"), Series(self.name, "jit")]

    def measure(self, program: str, row: str, variant: str) -> tuple[float, float]:
        self.calls.append(variant)
        if variant == "jit" and self.calls.count("jit") == 2:
            raise RuntimeError("no\nmore")
        return 1e-6, 1.0


def test_a_variant_that_fails_does_not_end_the_others() -> None:
    framework = _Framework()
    row = measure([framework], "program", Row("key", "a title", "us", per=2), None, 3)  # type: ignore[list-item]  # represents one
    assert framework.calls == ["default", "jit", "default", "jit", "default"]
    assert row.values[Series("millrace", "default")] == [0.5, 0.5, 0.5]
    assert row.failures == {Series("millrace", "jit"): "no"}


def test_a_reader_is_warned_of_a_busy_machine() -> None:
    quiet = measured(millrace=[1.0, 1.0, 1.0, 1.0])
    quiet.shares = [1.0, 0.99]
    assert noise.warnings([quiet], 0.1, 4) == []
    noisy = measured(millrace=[1.0, 2.0, 3.0, 4.0])
    noisy.shares = [0.5, 0.6]
    shared, busy, spread = noise.warnings([noisy], 2.0, 4)
    assert "55%" in shared
    assert "2.0 of 4 cores" in busy
    assert "60%" in spread


def test_the_other_programs_of_the_machine_are_counted() -> None:
    cores = noise.Bystanders().cores([])
    assert cores is None or cores >= 0.0


def test_a_function_runs_in_the_variants_of_its_framework() -> None:
    import millrace

    assert is_millrace(millrace)
    calls = tf_variants(millrace, lambda jit_compile: lambda: jit_compile)
    assert {variant: call() for variant, call in calls.items()} == {"default": None, "numpy": None, "jit": True}
    calls = tf_variants(object(), lambda jit_compile: lambda: jit_compile)
    assert {variant: call() for variant, call in calls.items()} == {"graph": None, "jit": True}


def test_the_variant_numpy_is_pinned_to_the_numpy_tier() -> None:
    import millrace

    function = millrace.function(lambda x: x + 1.0)
    call = on_numpy(millrace, lambda: function(millrace.constant(1.0)))
    assert call().numpy() == 2.0
    assert jit_pin() is None
    assert "set_jit(False)" in function.get_concrete_function(millrace.constant(1.0)).tier.reason


def test_every_program_is_in_the_order_and_has_rows_with_distinct_keys() -> None:
    files = {p.stem for p in (ROOT / "benchmarks" / "programs").glob("*.py")} - {"__init__"}
    assert set(ORDER) == files
    keys = [row.key for _, row, _ in rows([])]
    assert len(keys) == len(set(keys))
    keys = [row.key for _, row, _ in rows(["matmuls"])]
    assert keys == ["matmuls_eager", "matmuls", "matmuls_read"]


def test_the_page_holds_the_machine_the_versions_and_the_reasons() -> None:
    facts = {
        "machine": machine.describe(),
        "versions": {"millrace": "0.1", "numpy": "2.4"},
        "missing": {"torch": "ModuleNotFoundError"},
        "rounds": 3,
        "warnings": ["The machine was busy."],
    }
    page = report.page(
        [measured(2.0, millrace=[1.0], numpy=[2.0])],
        facts,
        "benchmarks/results/x.json",
        [Growth("n of it", [1, 2, 4], [1.0, 2.0, 4.0], [9, 9, 9])],
        "x.png",
    )
    assert "| a title, us | 1 |  | 2 | 2 ok |" in page
    assert f"## {PINNED.title}" in page
    assert "| n of it | 1 / 2 / 4 | 1,000 / 2,000 / 4,000 | 1.00 | 0.009 / 0.009 / 0.009 | 0.00 |" in page
    assert "](x.png)" in page
    assert "**The machine was busy.**" in page
    assert "Millrace 0.1, NumPy 2.4" in page
    assert "Not measured: PyTorch (ModuleNotFoundError)" in page
    assert set(report.LABELS) == set(FRAMEWORKS)


def test_a_run_of_some_rows_replaces_these_and_keeps_the_others(tmp_path: Path) -> None:
    (program, eager_add, _), (other_program, reduce_sum, _) = rows(["eager_add", "reduce_sum"])
    row = dataclasses.replace(measured(millrace=[3.0], torch__eager=[4.0]), program=program, row=eager_add)
    other = dataclasses.replace(row, program=other_program, row=reduce_sum, failures={Series("jax"): "no"})
    growth = Growth("n of it", [1, 2], [1.0, 2.0], [3, 4])
    path = tmp_path / "results" / "x.json"
    assert results_file.read(path) == ([], [], {})
    results_file.write(path, [row, other], [growth], {"versions": {"millrace": "0.1"}})
    earlier, growths, facts = results_file.read(path)
    assert (earlier, growths, facts) == ([row, other], [growth], {"versions": {"millrace": "0.1"}})
    newer = dataclasses.replace(row, values={Series("millrace"): [1.0]})
    free = dataclasses.replace(newer, mode=FREE)
    assert results_file.merged(earlier, [free, newer]) == [newer, other, free]


def test_the_power_of_a_growth_is_fitted_to_its_largest_sizes() -> None:
    assert power([1, 10, 100, 1000], [50.0, 100.0, 10_000.0, 1_000_000.0]) == pytest.approx(2.0)
    assert power([1, 2, 4], [7.0, 7.0, 7.0]) == pytest.approx(0.0)


@pytest.mark.parametrize("subject", SUBJECTS[:3] + SUBJECTS[-1:], ids=lambda subject: subject.title)
def test_growth_is_measured_at_each_size(subject: Subject) -> None:
    import millrace

    small = growth.measure(millrace, dataclasses.replace(subject, sizes=(2, 4, 8)))
    assert len(small.seconds) == len(small.bytes) == 3
    assert all(seconds > 0 for seconds in small.seconds)
    assert all(size > 0 for size in small.bytes)


def test_the_chart_is_a_picture_with_a_panel_for_each_mode(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    row = measured(millrace=[1.0, 2.0], jax=[2.0, 2.0], torch=[0.5, 0.5])
    assert chart.points(row) == {"jax": (1.5, 1.0, 2.0), "torch": (0.375, 0.25, 0.5)}
    chart.draw([row, dataclasses.replace(row, mode=FREE)], tmp_path / "chart.png")
    with PIL.Image.open(tmp_path / "chart.png") as picture:
        width, height = picture.size
    assert width > 2 * height

"""`python -m benchmarks.models` runs whole models, each in its own process, and compares their figures."""

from __future__ import annotations

import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import machine
from benchmarks.models import report
from benchmarks.models.__main__ import main
from benchmarks.models.measured import MeasuredModel
from benchmarks.models.runner import WARM, Rounds
from benchmarks.models.table import BY_NAME, MODELS, Model
from benchmarks.models.worker import Steps, last_third
from benchmarks.modes import Mode, modes
from benchmarks.rows import Series
from benchmarks.runner import environment

ROOT = Path(__file__).resolve().parents[2]
PINNED, FREE = modes(["pinned", "free"], 0)
MILLRACE, TENSORFLOW = Series("millrace"), Series("tensorflow")
TINY: dict[str, dict[str, Any]] = {
    "mlp_fit": {"rows": 256},
    "mnist_cnn": {"batch": 4},
    "mobilenet_v2": {"size": 32, "batch": 2},
    "resnet50_predict": {"size": 32, "batch": 2},
    "lstm": {"steps": 5, "batch": 4},
    "gru": {"steps": 5, "batch": 4},
    "transformer": {"steps": 8, "batch": 2, "blocks": 1, "width": 16},
    "unet": {"size": 16, "batch": 2, "filters": (4, 8)},
    "tabular_fit": {"rows": 256},
    "dcgan": {"batch": 2, "width": 8},
    "word2vec": {"words": 500, "width": 8, "batch": 8, "sampled": 4},
    "pinn": {"points": 20, "width": 8, "depth": 1},
    "vae_eager": {"batch": 4},
    "augmentation": {"images": 8, "size": 16, "batch": 4},
}
SLOW = {"mobilenet_v2", "resnet50_predict", "unet"}
NEEDS_KERAS = pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="needs Keras")
CALLS = """
from benchmarks.models.worker import import_framework
import_framework("millrace").get_logger().setLevel("ERROR")
from benchmarks.models.table import BY_NAME
for name, sizes in {programs!r}.items():
    step = BY_NAME[name].builder()(**sizes)
    step()
    print(name, step() is not None)
"""


def figures(**changed: float) -> dict[str, float]:
    """Returns the figures of one process."""
    same = {
        "first": 2.0,
        "thirty": 4.0,
        "steady": 10.0,
        "settle": 3.0,
        "memory": 500.0,
        "share": 1.0,
        "is_settled": True,
    }
    return same | changed


def measured(**values: list[dict[str, float]]) -> MeasuredModel:
    return MeasuredModel(MODELS[0], PINNED, {Series(name): numbers for name, numbers in values.items()})


def run_small(names: set[str]) -> None:
    code = CALLS.format(programs={name: TINY.get(name, {}) for name in names})
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, cwd=ROOT, env=environment(FREE)
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [f"{name} True" for name in names]


@NEEDS_KERAS
@pytest.mark.parametrize("module", sorted({model.module for model in MODELS}))
def test_small_models_make_two_steps(module: str) -> None:
    run_small({model.name for model in MODELS if model.module == module} - SLOW)


@NEEDS_KERAS
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW))
def test_deep_models_make_two_steps(name: str) -> None:
    run_small({name})


def test_names_are_distinct_and_sizes_are_those_of_models() -> None:
    assert len(BY_NAME) == len(MODELS) == 18
    assert set(TINY) <= set(BY_NAME)


def test_the_steady_step_is_the_median_of_the_last_third() -> None:
    assert last_third([9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 3.0, 1.0, 2.0]) == 2.0
    assert last_third([5.0, 4.0]) == 4.0


def test_times_count_from_before_the_model_is_built() -> None:
    now = [0.0]

    def step() -> None:
        now[0] += 1.0

    def build() -> Any:
        now[0] += 5.0
        return step

    steps = Steps(build, lambda result: None, lambda: now[0])
    assert steps.until(1) == 6.0
    assert steps.until(29) == 35.0
    assert steps.make() == 1.0
    assert steps.settle(0.0, 5)
    assert steps.busy_until == 0.0
    assert now[0] == 41.0


def test_a_cell_is_the_least_of_the_rounds_with_its_ratio_to_tensorflow() -> None:
    row = measured(millrace=[figures(steady=30.0), figures(steady=20.0)], tensorflow=[figures(), figures(steady=40.0)])
    assert row.least(MILLRACE, "steady") == 20.0
    assert row.ratio(MILLRACE, "steady") == 2.0
    assert row.least(Series("jax"), "steady") is None
    assert row.ratio(Series("jax"), "steady") is None
    assert "steady step 20 (2.00) ms" in report.lines(row)[0]
    assert "steady step 10 ms" in report.lines(row)[1]
    assert "settled 3 s" in report.lines(row)[0]
    assert "settled > 3 s" in report.lines(measured(millrace=[figures(is_settled=False)]))[0]


class _Runs:
    """Stands for the processes: JAX is missing, and TensorFlow fails in the second round."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, series: Series, model: Model, mode: Mode) -> dict[str, float]:
        self.asked.append(series.framework)
        if series.framework == "jax":
            raise OSError("no jax")
        if series.framework == "tensorflow" and self.asked.count("tensorflow") == 2:
            raise RuntimeError("no\nmore")
        return figures()


def test_frameworks_take_turns_and_those_that_fail_are_left_out() -> None:
    runs = _Runs()
    rounds = Rounds(runs, [MILLRACE, TENSORFLOW, Series("jax")], 3)
    row = rounds.measure(BY_NAME["lstm"], PINNED)
    assert runs.asked == ["millrace", "tensorflow", "jax", "millrace", "tensorflow", "millrace"]
    assert rounds.missing == {"jax": "no jax"}
    assert row.failures == {TENSORFLOW: "no"}
    assert [len(values) for values in row.values.values()] == [3, 1]


def test_a_program_that_imports_tensorflow_does_not_run_on_jax() -> None:
    runs = _Runs()
    Rounds(runs, [MILLRACE, Series("jax")], 1).measure(BY_NAME["pinn"], PINNED)
    assert runs.asked == ["millrace"]


def test_results_of_some_models_are_kept_beside_those_of_others(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    facts = {"machine": machine.describe(), "versions": {"millrace": "0.1"}, "warnings": ["Busy."]}
    warm = Series("millrace", WARM)
    row = measured(millrace=[figures()], tensorflow=[figures(first=4.0)])
    row.values[warm] = [figures(first=0.5)]
    row.failures[Series("torch")] = "no"
    other = dataclasses.replace(row, mode=FREE)
    report.write(path, [other], facts)
    report.write(path, [row], facts)
    assert report.results(report.read(path)) == [row, other]
    section = report.section(report.read(path), "models.json")
    assert section.startswith("## Whole models\n")
    assert f"### Models: {PINNED.title}" in section
    assert f"| {row.model.title} | 2 (0.50) | 4 | 0.5 (0.12) | failed |" in section
    assert "**Busy.**" in section
    assert report.read(tmp_path / "none.json") == {}


def test_an_unknown_model_or_framework_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lstn"]) == 2
    assert main(["lstm", "--frameworks", "theano"]) == 2
    said = capsys.readouterr().err
    assert "lstn" in said and "theano" in said

"""`docs/benchmarks.md`, made of the files in `benchmarks/results`: the last day of programs, and the models."""

from __future__ import annotations

from benchmarks import report, results_file
from benchmarks.models import report as models_report
from benchmarks.runner import ROOT

MODELS = "benchmarks/results/models.json"
"""The results of models: a day is too short for many of them, so they have a file of their own."""
PAGE, CHART = ROOT / "docs" / "benchmarks.md", "benchmarks.png"


def rewrite() -> None:
    """Writes the page anew."""
    days = sorted((ROOT / "benchmarks" / "results").glob("20*.json"))
    if not days:
        raise FileNotFoundError("there are no results of programs yet: run `make bench RECORD=1` first")
    path = days[-1].relative_to(ROOT).as_posix()
    results, growths, facts = results_file.read(days[-1])
    models = models_report.read(ROOT / MODELS)
    text = report.page(
        results,
        facts,
        path,
        growths,
        CHART if PAGE.with_name(CHART).exists() else "",
        models_report.section(models, MODELS) if models else "",
    )
    PAGE.write_text(text, encoding="utf-8")

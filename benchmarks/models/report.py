"""The table of models: a line a model and figure group for a terminal, a table a mode in Markdown, and the results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import sentence
from benchmarks.models.measured import COMPARED, MeasuredModel
from benchmarks.models.table import BY_NAME, FIGURES, MODELS
from benchmarks.modes import modes
from benchmarks.report import LABELS, markdown, number
from benchmarks.rows import Series

OWN = Series("millrace")

_SECTION = """## Whole models

Written by `make bench MODELS=1 RECORD=1`; each model runs in a process of its own on each framework, and a cell is the
least of {rounds}. Times count from before the model is built, after the imports, without executables of earlier
processes. The *steady* step is the median once Millrace has *settled*: engines are chosen, and no compiler is at work
in the background; with *>*, that had not come when the wait of a minute ended. *Settled* is when a compiler was last at
work.
In brackets: how many times TensorFlow's number. **Below 1, Millrace wins.** The programs are in
`benchmarks/models/programs`, all numbers in `{path}`.

Measured {machine}. {versions}.

{warnings}{tables}"""


def name_of(series: Series) -> str:
    """Returns what the table calls a framework and its variant."""
    return f"{LABELS[series.framework]} {series.variant}".rstrip()


def series_of(results: Sequence[MeasuredModel]) -> list[Series]:
    """Returns the frameworks and variants that were measured, each once."""
    return list(dict.fromkeys(series for m in results for series in (*m.values, *m.failures)))


def lines(measured: MeasuredModel) -> list[str]:
    """Returns a line for each framework: its name, its figures with their units, ratios to TensorFlow in brackets."""
    found = []
    for series in series_of([measured]):
        if series in measured.failures:
            found.append(f"    {name_of(series):<20} {measured.failures[series]}")
            continue
        cells = [f"{f.title} {_cell(measured, series, f.name)} {f.unit}".strip() for f in FIGURES]
        found.append(f"    {name_of(series):<20} " + "".join(f"{cell:<30}" for cell in cells).rstrip())
    return found


def _cell(measured: MeasuredModel, series: Series, figure: str) -> str:
    """Returns a number, with its ratio to TensorFlow if it is one of Millrace's that has one."""
    if series in measured.failures:
        return "failed"
    late = "> " if figure == "settle" and not measured.is_settled(series) else ""
    text = late + number(measured.least(series, figure))
    compared = any(figure == f.name for f in COMPARED)
    ratio = measured.ratio(series, figure) if compared and series.framework == "millrace" else None
    return text if ratio is None else f"{text} ({ratio:.2f})"


def table(results: Sequence[MeasuredModel]) -> str:
    """Returns the table of one mode in Markdown: a row a model, the figures of each framework side by side."""
    series = series_of(results)
    columns = [(f, s) for f in COMPARED for s in series]
    columns += [(f, OWN) for f in FIGURES if f not in COMPARED]
    titles = ["model", *(f"{f.title}, {f.unit}: {name_of(s)}" for f, s in columns)]
    return markdown(titles, [[m.model.title, *(_cell(m, s, f.name) for f, s in columns)] for m in results])


def section(content: dict[str, Any], path: str) -> str:
    """Returns the part of `docs/benchmarks.md` about models, of what `results` has read from a file of results."""
    measured = results(content)
    by_mode = [[m for m in measured if m.mode == mode] for mode in dict.fromkeys(m.mode for m in measured)]
    counts = sorted({len(values) for m in measured for values in m.values.values()})
    return _SECTION.format(
        rounds=" or ".join(map(str, counts)) + (" process" if counts == [1] else " processes"),
        path=path,
        machine=sentence(content["machine"]),
        versions=", ".join(f"{LABELS[name]} {version}" for name, version in content["versions"].items()),
        warnings="".join(f"**{warning}**\n\n" for warning in content["warnings"]),
        tables="\n".join(f"### Models: {rows[0].mode.title}\n\n{table(rows)}\n" for rows in by_mode),
    )


def results(content: dict[str, Any]) -> list[MeasuredModel]:
    """Returns the models of a file's content that still exist."""
    return [
        MeasuredModel(
            BY_NAME[row["name"]],
            modes([row["mode"]], row["core"])[0],
            {Series(*name.split(".")): figures for name, figures in row["values"].items()},
            {Series(*name.split(".")): why for name, why in row["failures"].items()},
        )
        for row in content.get("models", [])
        if row["name"] in BY_NAME
    ]


def merged(old: Sequence[MeasuredModel], new: Sequence[MeasuredModel]) -> list[MeasuredModel]:
    """Returns the results in the order of the table, mode by mode, new ones instead of old ones."""
    found = {(m.mode.name, m.model.name): m for m in (*old, *new)}
    return [found[mode, m.name] for mode in ("pinned", "free") for m in MODELS if (mode, m.name) in found]


def read(path: Path) -> dict[str, Any]:
    """Returns the content of a file of results; nothing without a file."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return content


def write(path: Path, measured: Sequence[MeasuredModel], facts: dict[str, Any]) -> None:
    """Writes a file of results: what is new, beside what the file has of other models."""
    earlier = read(path)
    versions = earlier.get("versions", {}) | facts["versions"]
    rows = [m.as_json() for m in merged(results(earlier), measured)]
    path.write_text(json.dumps({**facts, "versions": versions, "models": rows}, indent=1) + "\n", encoding="utf-8")

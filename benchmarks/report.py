"""The table of a run: as text while it runs, as Markdown in `docs/benchmarks.md`, as JSON in `benchmarks/results`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.machine import sentence
from benchmarks.runner import Measured

LABELS = {"millrace": "Millrace", "tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch", "numpy": "NumPy"}

PAGE = """# Benchmarks

Written by `make bench RECORD=1`; `make bench` measures again on your machine. Each framework runs in a process of its
own, in the same run, taken in turn; a cell is the median of {rounds} repetitions. In brackets: how many times
Millrace's number the other framework's is (above 1, Millrace is faster or smaller). *Least* is the best of Millrace's
repetitions, *reach* what the project set itself. All repetitions are in `{results}`.

Measured {machine}. {versions}.

{table}

- The programs, one a file, are in `benchmarks/programs`; TensorFlow and Millrace run the same text.
- *graph* is `tf.function` without a compiler, *compiled* is `jit_compile=True`, `jax.jit` or `torch.compile`. Where
  JAX or PyTorch have one form only, it stands in the row nearest to it.
- JAX, and Millrace's compiled functions, may return before they are done: what is outstanding is waited for at the end
  of a repetition of many calls. TensorFlow and PyTorch have computed when a call returns.
- An empty cell: the framework has no such thing, or, with 100,000 operations, takes too long.
{missing}"""


def number(value: float | None) -> str:
    """Three digits, with thousands separated."""
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def cells(measured: Measured, frameworks: Sequence[str]) -> list[str]:
    """The cells of one row, from the title on."""
    own = measured.median("millrace")
    reach = measured.reach
    held = "" if own is None or reach is None else (" ok" if own <= reach else " MISSED")
    least = number(measured.minimum("millrace"))
    line = [f"{measured.row.title}, {measured.row.unit}", number(own) + held, least, number(reach)]
    for name in frameworks:
        if name == "millrace":
            continue
        value = measured.median(name)
        ratio = f" ({number(value / own)})" if value is not None and own else ""
        line.append("failed" if name in measured.failures else number(value) + ratio)
    if "millrace" in measured.failures:
        line[1] = "FAILED"
    return line


def header(frameworks: Sequence[str]) -> list[str]:
    """The titles of the columns."""
    return ["what", "Millrace", "least", "reach", *(LABELS[name] for name in frameworks if name != "millrace")]


def text_line(line: Sequence[str]) -> str:
    """One row of the table in a terminal."""
    own = f"{line[0]:<44}{line[1]:>14}{line[2]:>9}{line[3]:>9}"
    return own + "".join(f"{cell:>17}" for cell in line[4:])


def markdown_table(results: Sequence[Measured], frameworks: Sequence[str]) -> str:
    """The whole table."""
    titles = header(frameworks)
    lines = [titles, ["---", *("---:" for _ in titles[1:])], *(cells(m, frameworks) for m in results)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def page(results: Sequence[Measured], facts: dict[str, Any], results_path: str) -> str:
    """`docs/benchmarks.md`."""
    frameworks = list(facts["versions"])
    versions = ", ".join(f"{LABELS[name]} {version}" for name, version in facts["versions"].items())
    missing = "".join(f"- Not measured: {LABELS[name]} ({why}).\n" for name, why in facts["missing"].items())
    for m in results:
        missing += "".join(f"- {m.row.title}: {LABELS[name]} failed ({why}).\n" for name, why in m.failures.items())
    return PAGE.format(
        rounds=facts["rounds"],
        results=results_path,
        machine=sentence(facts["machine"]),
        versions=versions,
        table=markdown_table(results, frameworks),
        missing=missing,
    )


def as_json(results: Sequence[Measured], facts: dict[str, Any]) -> dict[str, Any]:
    """Everything that was measured."""
    return {
        **facts,
        "rows": [
            {
                "program": m.program,
                "key": m.row.key,
                "title": m.row.title,
                "unit": m.row.unit,
                "reach": m.reach,
                "failures": m.failures,
                "results": {
                    name: {
                        "median": m.median(name),
                        "minimum": m.minimum(name),
                        "repetitions": [float(f"{v:.6g}") for v in values],
                    }
                    for name, values in m.values.items()
                },
            }
            for m in results
        ],
    }

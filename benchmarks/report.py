"""The tables of a run: as text while it runs, as Markdown in `docs/benchmarks.md`, as JSON in `benchmarks/results`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.growth import Growth, power
from benchmarks.machine import sentence
from benchmarks.measured import PEERS, Measured, Ratio
from benchmarks.rows import VARIANTS, Series

LABELS = {"millrace": "Millrace", "tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch", "numpy": "NumPy"}

PAGE = """# Benchmarks

Written by `make bench RECORD=1`; `make bench` measures again on your machine. Each framework runs in a process of its
own, in the same run, taken in turn. A cell is the median of {rounds} repetitions. *Of the best* is how many times the
time (or memory) of the best of TensorFlow, JAX and PyTorch Millrace takes: **below 1, Millrace wins**; the median of
the rounds, and in brackets the quartiles. *Reach* is what the project set itself. All repetitions are in `{results}`.

Measured {machine}. {versions}.

{warnings}{chart}{sections}
- The programs, one a file, are in `benchmarks/programs`; TensorFlow and Millrace run the same text.
- Where a framework has several variants of a program, Millrace's number is the one with default settings, after a few
  seconds of calls; the others' is their best variant, which is named. All variants stand in the table below.
- *graph* is `tf.function` without a compiler, *jit_compile*, *jit* and *compile* are `tf.function(jit_compile=True)`,
  `jax.jit` and `torch.compile`; *NumPy tier* is what `tf.config.optimizer.set_jit(False)` gives.
- JAX, and Millrace's compiled functions, may return before they are done: what is outstanding is waited for at the end
  of a repetition of many calls. TensorFlow and PyTorch have computed when a call returns.
- An empty cell: the framework has no such thing, or, with 100,000 operations, takes too long.
{notes}"""


def number(value: float | None) -> str:
    """Returns three digits, with thousands separated."""
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def cells(measured: Measured, frameworks: Sequence[str]) -> list[str]:
    """Returns the cells of one row, from the title on."""
    own = measured.best("millrace")
    value, reach = (None if own is None else measured.median(own)), measured.reach
    held = "" if value is None or reach is None else (" ok" if value <= reach else " MISSED")
    line = [f"{measured.row.title}, {measured.row.unit}", number(value), ratio_text(measured.ratio())]
    if value is None and _has_failed(measured, "millrace"):
        line[1] = "FAILED"
    line += [_best_cell(measured, name) for name in frameworks if name != "millrace"]
    return [*line, number(reach) + held]


def ratio_text(ratio: Ratio | None) -> str:
    """Returns a ratio with its quartiles."""
    return "" if ratio is None else f"{_factor(ratio.median)} ({_factor(ratio.low)}-{_factor(ratio.high)})"


def _factor(value: float) -> str:
    return f"{value:.2f}" if 0.1 <= value < 100 else number(value)


def _best_cell(measured: Measured, framework: str) -> str:
    """Returns the number of a framework's best variant, and which variant that is."""
    best = measured.best(framework)
    if best is None:
        return "failed" if _has_failed(measured, framework) else ""
    return f"{number(measured.median(best))} {best.variant}".rstrip()


def _has_failed(measured: Measured, framework: str) -> bool:
    return any(series.framework == framework for series in measured.failures)


def header(frameworks: Sequence[str]) -> list[str]:
    """Returns the titles of the columns."""
    return ["what", "Millrace", "of the best", *(LABELS[name] for name in frameworks if name != "millrace"), "reach"]


def text_line(line: Sequence[str]) -> str:
    """Returns one row of the table for a terminal."""
    return f"{line[0]:<66}{line[1]:>8}{line[2]:>20}" + "".join(f"{cell:>16}" for cell in line[3:])


def markdown_table(results: Sequence[Measured], frameworks: Sequence[str]) -> str:
    """Returns the table of the rows of one mode."""
    return markdown(header(frameworks), [cells(m, frameworks) for m in results])


def variants_table(results: Sequence[Measured]) -> str:
    """Returns the table of the rows that can be run in several variants, a column a variant; "" if there are none."""
    rows = [m for m in results if any(series.variant for series in m.values)]
    columns = [Series(name, variant) for name in ("millrace", *PEERS) for variant in VARIANTS[name]]
    columns = [c for c in columns if any(c in m.values or c in m.failures for m in rows)]
    if not rows:
        return ""
    titles = ["what", *(f"{LABELS[c.framework]} {VARIANTS[c.framework][c.variant]}" for c in columns)]
    return markdown(titles, [[f"{m.row.title}, {m.row.unit}", *(_cell(m, c) for c in columns)] for m in rows])


def _cell(measured: Measured, series: Series) -> str:
    return "failed" if series in measured.failures else number(measured.median(series))


def markdown(titles: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Returns a table in Markdown; all columns but the first are numbers."""
    rows = [titles, ["---", *("---:" for _ in titles[1:])], *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


_GROWTH = """## Growth

Time (processor time of one core) and memory of Millrace at four sizes n each. *Power* is fitted to the three largest: 0
is constant, 1 linear, 2 quadratic. Memory is what stays with the function, or the most that one call takes.

{table}
"""


def growth_section(growths: Sequence[Growth]) -> str:
    """Returns the part of the page about how time and memory grow."""
    return _GROWTH.format(table=markdown(_GROWTH_TITLES, [growth_cells(g) for g in growths]))


_GROWTH_TITLES = ("what", "n", "ms", "power", "kB", "power of memory")


def growth_cells(growth: Growth) -> list[str]:
    """Returns the cells of a growth: title, sizes, milliseconds, their power, kilobytes, their power."""
    return [
        growth.title,
        " / ".join(number(size) for size in growth.sizes),
        " / ".join(number(1e3 * seconds) for seconds in growth.seconds),
        f"{power(growth.sizes, growth.seconds):.2f}",
        " / ".join(number(size / 1e3) for size in growth.bytes),
        f"{power(growth.sizes, growth.bytes):.2f}",
    ]


def lost_rows(results: Sequence[Measured]) -> str:
    """Returns the part of the page about the rows in which a peer is faster, the worst first, and what bounds them."""
    lost = [(ratio, m) for m in results if (ratio := m.ratio()) is not None and ratio.low > 1.0]
    lines = []
    for ratio, m in sorted(lost, key=lambda pair: -pair[0].median):
        peer = m.best_peer()
        assert peer is not None  # there is a ratio
        words = f"{LABELS[peer.framework]} {VARIANTS[peer.framework].get(peer.variant, '')}".rstrip()
        bound = f" {m.row.bound}" if m.row.bound else ""
        lines.append(f"- {m.row.title} ({m.mode.name}): {ratio_text(ratio)} of {words}.{bound}\n")
    return "## Rows where a peer is faster\n\n" + "".join(lines) if lines else ""


def section(results: Sequence[Measured], frameworks: Sequence[str]) -> str:
    """Returns the part of the page about one mode."""
    mode = results[0].mode
    variants = variants_table(results)
    parts = [f"## {mode.title}", markdown_table(results, frameworks)]
    return "\n\n".join(parts + [f"### {mode.title}: all variants", variants] if variants else parts) + "\n"


def page(
    results: Sequence[Measured],
    facts: dict[str, Any],
    results_path: str,
    growths: Sequence[Growth] = (),
    chart: str = "",
    models: str = "",
) -> str:
    """Returns `docs/benchmarks.md`.

    Args:
      results: the rows, in all modes.
      facts: machine, versions, missing frameworks, warnings.
      results_path: where all repetitions are.
      growths: how time and memory grow.
      chart: the file of the chart, beside the page; "" if there is none.
      models: the part of the page about whole models.
    """
    frameworks = list(facts["versions"])
    notes = "".join(f"- Not measured: {LABELS[name]} ({why}).\n" for name, why in facts["missing"].items())
    notes += "".join(f"- {text}.\n" for text in dict.fromkeys(_failure_texts(results)))
    by_mode = [[m for m in results if m.mode == mode] for mode in dict.fromkeys(m.mode for m in results)]
    parts = [section(rows, frameworks) for rows in by_mode]
    parts += [lost_rows(results), growth_section(growths) if growths else "", models]
    return PAGE.format(
        rounds=_repetitions(results),
        results=results_path,
        machine=sentence(facts["machine"]),
        versions=", ".join(f"{LABELS[name]} {version}" for name, version in facts["versions"].items()),
        warnings="".join(f"**{warning}**\n\n" for warning in facts["warnings"]),
        chart=f"![How many times Millrace's time the peers take]({chart})\n\n" if chart else "",
        sections="\n".join(part for part in parts if part),
        notes=notes,
    )


def _repetitions(results: Sequence[Measured]) -> str:
    """Returns how many repetitions the rows have, which several runs of a day may have measured."""
    counts = {len(values) for m in results for values in m.values.values()} or {0}
    return f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"


def _failure_texts(results: Sequence[Measured]) -> list[str]:
    return [
        f"{m.row.title}: {LABELS[series.framework]} {series.variant}".rstrip() + f" failed ({why})"
        for m in results
        for series, why in m.failures.items()
    ]

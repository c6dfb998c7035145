"""The results as a picture: for each row, how many times Millrace's time the peers take, on a logarithmic axis."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measured import PEERS, Measured

COLOURS = {"tensorflow": "#e8710a", "jax": "#5e35b1", "torch": "#c62828"}
LABELS = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
_ROW_HEIGHT, _WIDTH = 0.21, 8.0
"""Inches."""


def points(measured: Measured) -> dict[str, tuple[float, float, float]]:
    """Returns, by peer, how many times Millrace's number the peer's best is: the median, and the least and greatest."""
    own = measured.best("millrace")
    if own is None:
        return {}
    found = {}
    for name in PEERS:
        best = measured.best(name)
        if best is not None:
            pairs = zip(measured.values[best], measured.values[own])
            ratios = [theirs / max(mine, 1e-12) for theirs, mine in pairs]
            found[name] = statistics.median(ratios), min(ratios), max(ratios)
    return found


def draw(results: Sequence[Measured], path: Path) -> None:
    """Draws a panel for each mode into a PNG file.

    Raises: ImportError: if matplotlib is not installed.
    """
    from matplotlib.figure import Figure  # only the chart needs it

    modes = list(dict.fromkeys(m.mode for m in results))
    panels = [[m for m in results if m.mode == mode and points(m)] for mode in modes]
    height = 1.2 + _ROW_HEIGHT * max((len(rows) for rows in panels), default=1)
    figure = Figure(figsize=(_WIDTH * len(panels), height), layout="constrained")
    for axes, rows in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels):
        _panel(axes, rows)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels) or 1, fontsize=8)
    figure.savefig(path, dpi=90)


def _panel(axes: Any, rows: Sequence[Measured]) -> None:
    """Draws the rows of one mode: a line each, a point for each peer; right of the line at 1, Millrace is faster."""
    for name in PEERS:
        rows_of_peer = [(y, p) for y, m in enumerate(rows) if (p := points(m).get(name)) is not None]
        if rows_of_peer:
            ys, (medians, least, greatest) = [y for y, _ in rows_of_peer], zip(*[p for _, p in rows_of_peer])
            axes.hlines(ys, least, greatest, color=COLOURS[name], alpha=0.4, linewidth=2)
            axes.scatter(medians, ys, s=16, color=COLOURS[name], label=LABELS[name], zorder=3)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [m.row.title for m in rows], fontsize=7)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", which="major", alpha=0.4)
    axes.set_title(rows[0].mode.title if rows else "")
    axes.set_xlabel("times Millrace's (right of 1: Millrace is faster)", fontsize=9)

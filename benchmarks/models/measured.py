"""What was measured of a model in one mode: figures by framework, the least of all rounds, and ratios."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from benchmarks.models.table import FIGURES, Model
from benchmarks.modes import Mode
from benchmarks.rows import Series

Figures = dict[str, float]
"""The numbers of one process, by the names in `FIGURES`; `share` is the share of a core that it had; `is_settled`."""


@dataclass
class MeasuredModel:
    """The figures of one model in one mode, a dict a process, by framework; why there are none."""

    model: Model
    mode: Mode
    values: dict[Series, list[Figures]] = field(default_factory=dict)
    failures: dict[Series, str] = field(default_factory=dict)

    def least(self, series: Series, figure: str) -> float | None:
        """Returns the least number of all rounds; None if there is none."""
        return min((figures[figure] for figures in self.values.get(series, ())), default=None)

    def ratio(self, series: Series, figure: str, peer: str = "tensorflow") -> float | None:
        """Returns how many times a peer's number the number of a series is; below 1, the series wins."""
        own, other = self.least(series, figure), self.least(Series(peer), figure)
        return own / other if own is not None and other else None

    def is_settled(self, series: Series) -> bool:
        """Returns whether all processes settled before their steady steps were measured."""
        return all(figures["is_settled"] for figures in self.values.get(series, ()))

    def as_json(self) -> dict[str, Any]:
        """Returns everything that was measured."""
        return {
            "name": self.model.name,
            "mode": self.mode.name,
            "core": self.mode.core,
            "values": {".".join(filter(None, series)): figures for series, figures in self.values.items()},
            "failures": {".".join(filter(None, series)): why for series, why in self.failures.items()},
        }


COMPARED = tuple(figure for figure in FIGURES if figure.name != "settle")
"""The figures that have a ratio: TensorFlow has nothing to settle."""

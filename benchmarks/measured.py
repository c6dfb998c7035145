"""The numbers of one row in one mode, and what they say: medians, ratios, spread."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.modes import Mode
from benchmarks.rows import VARIANTS, Row, Series

PEERS = ("tensorflow", "jax", "torch")
"""The frameworks that Millrace is compared with; NumPy has no graphs and no gradients."""


class Ratio(NamedTuple):
    """How many times another number a number is: the median over the rounds of a run, and the quartiles."""

    median: float
    low: float
    high: float


def quartiles(values: list[float]) -> tuple[float, float]:
    """Returns the first and the third quartile; the least and the greatest of fewer than four values."""
    if len(values) < 4:
        return min(values), max(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


@dataclass
class Measured:
    """The repetitions of one row: numbers in the row's unit by series; why there are none; the shares of a core."""

    program: str
    row: Row
    mode: Mode
    values: dict[Series, list[float]] = field(default_factory=dict)
    failures: dict[Series, str] = field(default_factory=dict)
    shares: list[float] = field(default_factory=list)

    def median(self, series: Series) -> float | None:
        """Returns the median of the repetitions."""
        return statistics.median(self.values[series]) if self.values.get(series) else None

    def spread(self, series: Series) -> float:
        """Returns the distance of the quartiles, as a part of the median."""
        low, high = quartiles(self.values[series])
        return (high - low) / max(statistics.median(self.values[series]), 1e-12)

    def best(self, framework: str) -> Series | None:
        """Returns the fastest variant of a framework; of Millrace's variants, the one that users get by default."""
        found = [s for s in self.values if s.framework == framework]
        if framework == "millrace":
            default = next(iter(VARIANTS["millrace"]))
            found = [s for s in found if s.variant in ("", default)] or found
        return min(found, key=lambda s: statistics.median(self.values[s]), default=None)

    def best_peer(self) -> Series | None:
        """Returns the variant of a peer that takes the least of all."""
        found = [best for name in PEERS if (best := self.best(name)) is not None]
        return min(found, key=lambda s: statistics.median(self.values[s]), default=None)

    def ratio(self) -> Ratio | None:
        """Returns how many times the best peer's number Millrace's is, round by round; below 1, Millrace wins."""
        own, peer = self.best("millrace"), self.best_peer()
        if own is None or peer is None:
            return None
        pairs = zip(self.values[own], self.values[peer])  # a failure may end one of the two early
        ratios = [mine / max(other, 1e-12) for mine, other in pairs]
        return Ratio(statistics.median(ratios), *quartiles(ratios))

    @property
    def reach(self) -> float | None:
        """What Millrace is to reach, with what comes from another framework's number of this run."""
        if self.row.reach is None or self.row.beyond is None:
            return self.row.reach
        best = self.best(self.row.beyond)
        base = None if best is None else self.median(best)
        return None if base is None else self.row.reach + base

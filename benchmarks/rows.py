"""A row of the table: what is measured, in which unit, and what Millrace is to reach."""

from __future__ import annotations

from dataclasses import dataclass

SCALES = {"s": 1.0, "ms": 1e3, "us": 1e6, "MB": 1.0}
"""Unit -> what a measured number (seconds, or megabytes) is multiplied with."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Args:
      key: a short name, the same in the program's functions and in the results.
      title: what the table says.
      unit: how times are shown: s, ms or us; or MB.
      reach: the most Millrace may take, in `unit`; None where nothing is promised.
      beyond: a framework whose own number is added to `reach`.
      per: the number of operations in one call, when the row is a cost per operation.
    """

    key: str
    title: str
    unit: str
    reach: float | None = None
    beyond: str | None = None
    per: int = 1

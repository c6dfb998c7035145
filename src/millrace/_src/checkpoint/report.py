"""The report of a restored checkpoint: what was loaded, what is missing, unused, or does not fit.

Problem: after a change of a program, hundreds of lines of unresolved objects hide the one name that was changed.

Idea: a value has one row: its name in the program or in the checkpoint, and shape and dtype on both sides. A value that
is missing on one side shows the nearest name of the other side, values of the same shape first. The rows that matter
come first; the others are counted.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

LOADED = "loaded"
MISSING = "missing in checkpoint"
UNUSED = "unused in checkpoint"
WRONG_SHAPE = "wrong shape"
WRONG_DTYPE = "wrong dtype"

_MOST_LINES = 26
_LONGEST_NAME = 52


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value on one side.

    Attributes:
      shape: its `tf.TensorShape`; None where it is not known.
      dtype: its dtype; None where it is not known.
    """

    shape: Any = None
    dtype: Any = None

    def __str__(self) -> str:
        if self.dtype is None:
            return "a value"
        return f"{self.dtype.name} {self.shape}"


@dataclass(frozen=True, slots=True)
class ReportRow:
    """What became of one value.

    Attributes:
      state: "loaded", "missing in checkpoint", "unused in checkpoint", "wrong shape" or "wrong dtype".
      name: the way that leads to the value: from the root of the program, for an unused value that of the checkpoint.
      program: the value in the program; None if it has none.
      saved: the value in the checkpoint; None if it has none.
      nearest_name: a name of the other side that may be the same value; None if there is none like it.
      note: what else is to be said.
    """

    state: str
    name: str
    program: Value | None = None
    saved: Value | None = None
    nearest_name: str | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The texts of the row."""
        hint = f"did you mean {self.nearest_name}?" if self.nearest_name else self.note
        return self.state, _shortened(self.name), _text(self.program), _text(self.saved), hint


@dataclass(frozen=True)
class RestoreReport:
    """What became of the values of a checkpoint and of a program. As text it is a table of at most thirty lines.

    Attributes:
      path: what the names of the checkpoint's files begin with.
      rows: a row for each value: those that do not fit, missing ones, unused ones, and those that were loaded.
      is_refused: whether nothing was loaded because values do not fit.
    """

    path: str
    rows: Sequence[ReportRow]
    is_refused: bool = False
    _by_state: dict[str, list[ReportRow]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for row in self.rows:
            self._by_state.setdefault(row.state, []).append(row)

    @property
    def loaded(self) -> Sequence[ReportRow]:
        """The values that the program has from the checkpoint."""
        return self._by_state.get(LOADED, [])

    @property
    def missing(self) -> Sequence[ReportRow]:
        """The values of the program that the checkpoint does not have."""
        return self._by_state.get(MISSING, [])

    @property
    def unused(self) -> Sequence[ReportRow]:
        """The values of the checkpoint that no object of the program has taken."""
        return self._by_state.get(UNUSED, [])

    @property
    def misfits(self) -> Sequence[ReportRow]:
        """The values that have another shape or dtype in the program than in the checkpoint."""
        return [*self._by_state.get(WRONG_SHAPE, []), *self._by_state.get(WRONG_DTYPE, [])]

    @property
    def is_complete(self) -> bool:
        """Whether all values of both sides were loaded."""
        return len(self.loaded) == len(self.rows)

    @property
    def summary(self) -> str:
        """The report in a line."""
        counts = [f"{len(rows)} {state}" for state, rows in self._by_state.items()]
        verb = "Nothing was restored from" if self.is_refused else "Restored from"
        return f"{verb} {self.path}: {', '.join(counts) or 'no values on either side'}"

    def __str__(self) -> str:
        return "\n".join([self.summary, *_table(self._shown_rows())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines = [f"<p>{html.escape(self.summary)}</p>", "<table>", _html_row(_TITLES, "th")]
        for item in self._shown_rows():
            cells = ("", item, "", "", "") if isinstance(item, str) else item.cells
            lines.append(_html_row(cells, "td"))
        return "\n".join([*lines, "</table>"])

    def _shown_rows(self) -> list[ReportRow | str]:
        """Returns the rows to show, and a text for rows that are only counted."""
        shares = _shares([len(rows) for rows in self._by_state.values()], _MOST_LINES)
        shown: list[ReportRow | str] = []
        for (state, rows), share in zip(self._by_state.items(), shares):
            shown.extend(rows[:share])
            if len(rows) > share:
                shown.append(f"... and {len(rows) - share} more {state}")
        return shown


_TITLES = ("", "name", "program", "checkpoint", "")


def _shares(counts: Sequence[int], lines: int) -> list[int]:
    """Distributes lines over groups of rows: a few for each group, the rest in order.

    A group that cannot be shown in full needs a line that says so.
    """
    shares = [min(count, 3) for count in counts]
    for index, count in enumerate(counts):
        spare = lines - sum(shares) - len(counts)
        shares[index] += max(0, min(count - shares[index], spare))
    return shares


def _table(rows: Iterable[ReportRow | str]) -> list[str]:
    rows = list(rows)
    if not rows:
        return []
    cells = [_TITLES, *(row.cells for row in rows if isinstance(row, ReportRow))]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_TITLES))]
    lines = [_TITLES, *rows]
    return ["", *(_line(line, widths) for line in lines)]


def _line(row: ReportRow | str | tuple[str, ...], widths: Sequence[int]) -> str:
    if isinstance(row, str):
        return f"  {'':{widths[0]}}  {row}"
    texts = row.cells if isinstance(row, ReportRow) else row
    return "  " + "  ".join(f"{text:{width}}" for text, width in zip(texts, widths)).rstrip()


def _html_row(cells: Iterable[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _text(value: Value | None) -> str:
    return "-" if value is None else str(value)


def _shortened(name: str) -> str:
    if len(name) <= _LONGEST_NAME:
        return name
    kept = (_LONGEST_NAME - 3) // 2
    return f"{name[:kept]}...{name[-kept:]}"

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
from typing import Any, TypeAlias

from millrace._src.checkpoint.nearest_names import beginnings

LOADED = "loaded"
MISSING = "missing in checkpoint"
UNUSED = "unused in checkpoint"
WRONG_SHAPE = "wrong shape"
WRONG_DTYPE = "wrong dtype"

_MAX_LINES = 26
_MAX_NAME_LENGTH = 52


@dataclass(frozen=True, slots=True)
class ReportedValue:
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
      name: the path that leads to the value: from the root of the program, for an unused value that of the checkpoint.
      program: the value in the program; None if it has none.
      saved: the value in the checkpoint; None if it has none.
      nearest_name: a name of the other side that may be the same value; None if there is none like it.
      note: what else is to be said.
      is_waiting: whether a saved value waits for an object that is not made yet.
    """

    state: str
    name: str
    program: ReportedValue | None = None
    saved: ReportedValue | None = None
    nearest_name: str | None = None
    note: str = ""
    is_waiting: bool = False

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The texts of the row."""
        hint = f"did you mean {self.nearest_name}?" if self.nearest_name else self.note
        return self.state, _shorten(self.name), _text(self.program), _text(self.saved), hint


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
        if not self.rows:
            return f"No values in the program, and none in {self.path}."
        if self.is_complete:
            return f"All {_count(self.loaded)} were restored from {self.path}."
        if self.is_refused:
            verb = "does" if len(self.misfits) == 1 else "do"
            return f"Nothing was restored from {self.path}: {_count(self.misfits)} {verb} not fit."
        counts = [f"{_count(self.loaded)} restored from {self.path}"]
        counts += [f"{len(rows)} {state}" for state, rows in self._by_state.items() if state != LOADED]
        return ", ".join(counts) + "."

    def __str__(self) -> str:
        return "\n".join([self.summary, *_table(self._lines())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines = [f"<p>{html.escape(self.summary)}</p>", "<table>", _html_row(_TITLES, "th")]
        return "\n".join([*lines, *(_html_row(cells, "td") for cells in self._lines()), "</table>"])

    def _lines(self) -> list[_Cells]:
        """Returns the texts of the lines to show; rows that are too many are counted."""
        groups = _find_renamed(self.missing, self.unused)
        renamed = {row.name for group in groups for row in group}
        taken = {row.nearest_name for group in groups for row in group}
        kinds = [
            ("that do not fit", [row.cells for row in self.misfits]),
            ("that may be renamed", [_renamed_cells(group) for group in groups]),
            (MISSING, [row.cells for row in self.missing if row.name not in renamed]),
            (UNUSED, [row.cells for row in self.unused if row.name not in taken]),
            ("that fit" if self.is_refused else LOADED, [self._loaded_cells(row) for row in self.loaded]),
        ]
        has_problems = len(self.loaded) < len(self.rows)
        shares = _shares([len(lines) for _, lines in kinds], _MAX_LINES, least_of_last=has_problems)
        shown: list[_Cells] = []
        for (name, lines), share in zip(kinds, shares):
            shown.extend(lines[:share])
            if len(lines) > share:
                shown.append(("", f"... and {len(lines) - share} more {name}", "", "", ""))
        return shown

    def _loaded_cells(self, row: ReportRow) -> _Cells:
        return ("fits", *row.cells[1:]) if self.is_refused else row.cells


_Cells: TypeAlias = tuple[str, str, str, str, str]

_TITLES = ("", "name", "program", "checkpoint", "")

_FEW = 3


def _count(rows: Sequence[Any]) -> str:
    return "1 value" if len(rows) == 1 else f"{len(rows)} values"


def _find_renamed(missing: Sequence[ReportRow], unused: Sequence[ReportRow]) -> list[list[ReportRow]]:
    """Returns missing values whose nearest name has a value of the same kind, by what seems to be renamed."""
    saved = {row.name: str(row.saved) for row in unused}
    groups: dict[tuple[str, str], list[ReportRow]] = {}
    for row in missing:
        if row.nearest_name is not None and saved.get(row.nearest_name) == str(row.program):
            ours, theirs, _ = beginnings(row.name, row.nearest_name)
            groups.setdefault((ours, theirs), []).append(row)
    return list(groups.values())


def _renamed_cells(group: Sequence[ReportRow]) -> _Cells:
    row = group[0]
    other = row.nearest_name or ""
    if len(group) > 1:
        ours, theirs, _ = beginnings(row.name, other)
        return "renamed?", _shorten(f"{ours}/*"), _count(group), _count(group), f"did you mean {theirs}/*?"
    return "renamed?", _shorten(row.name), _text(row.program), _text(row.program), f"did you mean {other}?"


def _shares(counts: Sequence[int], lines: int, *, least_of_last: bool) -> list[int]:
    """Distributes lines over kinds of rows: a few for each, the rest in order.

    Args:
      counts: how many rows there are of each kind.
      lines: how many lines there are.
      least_of_last: whether the last kind gets a few lines at most.
    """
    shares = [min(count, _FEW) for count in counts]
    spare = lines - sum(shares) - sum(count > _FEW for count in counts)
    for index, count in enumerate(counts[:-1] if least_of_last else counts):
        more = max(0, min(count - shares[index], spare))
        shares[index] += more
        spare -= more
    return shares


def _table(lines: Sequence[_Cells]) -> list[str]:
    if not lines:
        return []
    widths = [max(len(line[column]) for line in (_TITLES, *lines)) for column in range(len(_TITLES))]
    return ["", *(_line(line, widths) for line in (_TITLES, *lines))]


def _line(cells: _Cells, widths: Sequence[int]) -> str:
    return ("  " + "  ".join(f"{text:{width}}" for text, width in zip(cells, widths))).rstrip()


def _html_row(cells: Iterable[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _text(value: ReportedValue | None) -> str:
    return "-" if value is None else str(value)


def _shorten(name: str) -> str:
    if len(name) <= _MAX_NAME_LENGTH:
        return name
    kept = (_MAX_NAME_LENGTH - 3) // 2
    return f"{name[:kept]}...{name[-kept:]}"

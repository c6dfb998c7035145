"""Files of named arrays under `inspect`: a table of what is there, statistics of the values, the difference of two.

Tests: tests/command_line/test_inspect.py
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.reports import Report, count_text, shape_text
from millrace._src.core.array_namespace import Array
from millrace._src.interop.array_files.array_file import ArrayFile, ArrayInfo
from millrace._src.util.text_table import size_text, table

_CHUNK = 1 << 20
_STATISTICS = ("min", "max", "mean", "std", "nan", "inf")


def array_file_report(title: str, file: ArrayFile, pattern: str | None, with_statistics: bool) -> Report:
    """Returns the report of one file.

    Args:
      title: what kind of file, and which.
      file: the file.
      pattern: which names are shown, with `*` and `?` as in a shell; None for all.
      with_statistics: whether the values are read and summed up.

    Raises: CommandError: if the pattern fits no name.
    """
    infos = _matching(file.arrays.values(), pattern)
    rows = [_facts(info) | (_statistics(file.read(info.name)) if with_statistics else {}) for info in infos]
    total = sum(info.size for info in infos)
    data = {"kind": "arrays", "file": title, "bytes": total, "tensors": rows}
    columns = ["name", "dtype", "shape", "bytes", *(_STATISTICS if with_statistics else ())]
    cells = [[shape_text(row[c]) if c == "shape" else row[c] for c in columns] for row in rows]
    summary = f"{title}\n{count_text(len(infos), 'tensor')}, {size_text(total)}"
    return Report(data, [summary, *([table(columns, cells, columns[3:])] if rows else [])])


def _matching(infos: Iterable[ArrayInfo], pattern: str | None) -> list[ArrayInfo]:
    if pattern is None:
        return list(infos)
    matching = [info for info in infos if fnmatch.fnmatchcase(info.name, pattern)]
    if not matching:
        raise CommandError(f"no tensor has a name like {pattern!r} (`*` matches anything).")
    return matching


def _facts(info: ArrayInfo) -> dict[str, Any]:
    return {"name": info.name, "dtype": info.dtype.name, "shape": list(info.shape), "bytes": info.size}


def _statistics(array: Array) -> dict[str, Any]:
    """Returns smallest and largest value, mean and standard deviation of the finite values, and how many are not."""
    if array.dtype.hasobject:
        return dict.fromkeys(_STATISTICS)
    if array.dtype.kind == "c":
        return dict.fromkeys(_STATISTICS) | {"nan": int(np.count_nonzero(np.isnan(array)))}
    totals = _Totals()
    for chunk in _chunks(array):
        totals.add(_comparable(chunk))
    return dict(zip(_STATISTICS, totals.values(), strict=True))


def _chunks(array: Array) -> Iterator[Array]:
    """Yields the elements of an array in parts: what is computed of them takes little memory, however large it is."""
    flat = array.reshape(-1)
    return (flat[start : start + _CHUNK] for start in range(0, flat.size, _CHUNK))


class _Totals:
    """The statistics of what has been added; the variance is joined chunk by chunk, as Chan, Golub and LeVeque do."""

    def __init__(self) -> None:
        self.count = self.nan_count = self.inf_count = 0
        self.smallest: Any = None
        self.largest: Any = None
        self.mean = self.squares = 0.0

    def add(self, values: Array) -> None:
        """Takes more values into account."""
        nan_count, inf_count = int(np.count_nonzero(np.isnan(values))), int(np.count_nonzero(np.isinf(values)))
        self.nan_count, self.inf_count = self.nan_count + nan_count, self.inf_count + inf_count
        finite = values[np.isfinite(values)] if nan_count or inf_count else values
        if not finite.size:
            return
        smallest, largest = finite.min().item(), finite.max().item()
        self.smallest = smallest if self.smallest is None else min(self.smallest, smallest)
        self.largest = largest if self.largest is None else max(self.largest, largest)
        with np.errstate(all="ignore"):  # sums of the largest numbers are infinite
            mean = float(finite.mean(dtype=np.float64))
            squares = float(np.square(finite - mean, dtype=np.float64).sum())
        difference, count = mean - self.mean, self.count + finite.size
        self.squares += squares + difference * (self.count * finite.size / count) * difference
        self.mean += difference * finite.size / count
        self.count = count

    def values(self) -> list[Any]:
        """Returns the statistics in the order of `_STATISTICS`."""
        moments = [self.mean, math.sqrt(self.squares / self.count)] if self.count else [None, None]
        return [self.smallest, self.largest, *moments, self.nan_count, self.inf_count]


def _comparable(array: Array) -> Array:
    """Returns the values in a dtype in which NumPy computes: those of ml_dtypes become float32."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    return array if array.dtype.isbuiltin == 1 else array.astype(np.float32)


# --- two files -------------------------------------------------------------------------------------------------------


def difference_report(titles: tuple[str, str], files: tuple[ArrayFile, ArrayFile], pattern: str | None) -> Report:
    """Returns what differs between two files.

    Raises: CommandError: if the pattern fits no name of both.
    """
    left, right = ({info.name: info for info in file.arrays.values()} for file in files)
    names = [info.name for info in _matching((left | right).values(), pattern)]
    only_left = [name for name in names if name not in right]
    only_right = [name for name in names if name not in left]
    shared = [name for name in names if name in left and name in right]
    changes = [change for name in shared if (change := _change(name, *files)) is not None]
    data = {
        "kind": "difference",
        "files": list(titles),
        "only_first": only_left,
        "only_second": only_right,
        "changed": changes,
        "equal": len(shared) - len(changes),
    }
    return Report(data, _difference_text(titles, data))


def _change(name: str, first: ArrayFile, second: ArrayFile) -> dict[str, Any] | None:
    """Returns what differs between two arrays of one name; None where they are equal, NaN to NaN included."""
    old, new = first.arrays[name], second.arrays[name]
    if (old.dtype, old.shape) != (new.dtype, new.shape):
        texts = [f"{info.dtype.name} {shape_text(info.shape)}" for info in (old, new)]
        return {"name": name, "change": f"{texts[0]} -> {texts[1]}", "elements": None, "max_abs": None}
    count, largest = 0, None
    for old_values, new_values in zip(_chunks(first.read(name)), _chunks(second.read(name)), strict=True):
        part_count, part_largest = _differing(old_values, new_values)
        count += part_count
        if part_largest is not None:
            largest = part_largest if largest is None else float(np.fmax(largest, part_largest))
    if not count:
        return None
    return {"name": name, "change": "values", "elements": count, "max_abs": largest}


def _differing(old: Array, new: Array) -> tuple[int, float | None]:
    """Returns how many elements differ, and the largest difference; None for strings, and where none differs."""
    if old.dtype.hasobject:
        return int(np.count_nonzero(old != new)), None
    old, new = _comparable(old), _comparable(new)
    differs = (old != new) & ~(np.isnan(old) & np.isnan(new))
    count = int(np.count_nonzero(differs))
    if not count:
        return 0, None
    wide = np.complex128 if old.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        differences = np.abs(old[differs].astype(wide) - new[differs].astype(wide))
    return count, float(np.fmax.reduce(differences))


def _difference_text(titles: tuple[str, str], data: dict[str, Any]) -> list[str]:
    changes = data["changed"]
    paragraphs = [f"first:  {titles[0]}\nsecond: {titles[1]}"]
    for key, words in (("only_first", "only in the first"), ("only_second", "only in the second")):
        if data[key]:
            paragraphs.append("\n".join([f"{words} ({len(data[key])}):", *(f"  {name}" for name in data[key])]))
    if changes:
        columns = ["name", "change", "elements", "max_abs"]
        rows = [[change[column] for column in columns] for change in changes]
        paragraphs.append(f"changed ({len(changes)}):\n" + table(columns, rows, columns[2:]))
    return [*paragraphs, f"equal: {count_text(data['equal'], 'tensor')}"]

"""Files of named arrays under `inspect`: a table of what is there, statistics of the values, the difference of two."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from typing import Any

import numpy as np

from millrace._src.command_line.failures import CommandError
from millrace._src.command_line.reports import Report, counted, shape_text, size_text, table
from millrace._src.core.array_namespace import Array
from millrace._src.interop.array_files.array_file import ArrayFile, ArrayInfo

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
    summary = f"{title}\n{counted(len(infos), 'tensor')}, {size_text(total)}"
    return Report(data, [summary, *([table(columns, cells, columns[3:])] if rows else [])])


def _matching(infos: Iterable[ArrayInfo], pattern: str | None) -> list[ArrayInfo]:
    if pattern is None:
        return list(infos)
    matching = [info for info in infos if fnmatch.fnmatchcase(info.name, pattern)]
    if not matching:
        raise CommandError(f"no tensor has a name like {pattern!r} (`*` stands for any letters).")
    return matching


def _facts(info: ArrayInfo) -> dict[str, Any]:
    return {"name": info.name, "dtype": info.dtype.name, "shape": list(info.shape), "bytes": info.size}


def _statistics(array: Array) -> dict[str, Any]:
    """Returns smallest and largest value, mean and standard deviation of the finite values, and how many are not."""
    if array.dtype.hasobject or array.dtype.kind == "c":
        nan_count = int(np.isnan(array).sum()) if array.dtype.kind == "c" else None
        return dict.fromkeys(_STATISTICS) | {"nan": nan_count}
    values = _comparable(array)
    nan_count, inf_count = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    finite = values[np.isfinite(values)] if nan_count or inf_count else values
    if not finite.size:
        return dict.fromkeys(_STATISTICS) | {"nan": nan_count, "inf": inf_count}
    numbers = (finite.min().item(), finite.max().item(), *_moments(finite))
    return dict(zip(_STATISTICS, (*numbers, nan_count, inf_count), strict=True))


def _moments(values: Array) -> tuple[float, float]:
    mean = values.mean(dtype=np.float64)
    return float(mean), float(np.sqrt(np.square(values - mean, dtype=np.float64).mean()))


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
    old_values, new_values = first.read(name), second.read(name)
    if old_values.dtype.hasobject:
        differs, largest = old_values != new_values, None
    else:
        old_values, new_values = _comparable(old_values), _comparable(new_values)
        both_nan = np.isnan(old_values) & np.isnan(new_values)
        differs = (old_values != new_values) & ~both_nan
        largest = _largest_difference(old_values[differs], new_values[differs])
    count = int(np.count_nonzero(differs))
    if not count:
        return None
    return {"name": name, "change": "values", "elements": count, "max_abs": largest}


def _largest_difference(old: Array, new: Array) -> float | None:
    if not old.size:
        return None
    wide = np.complex128 if old.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        return float(np.abs(old.astype(wide) - new.astype(wide)).max())


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
    return [*paragraphs, f"equal: {counted(data['equal'], 'tensor')}"]

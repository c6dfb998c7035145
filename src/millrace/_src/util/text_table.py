"""Tables and sizes as text, for what people read on a screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], right: Iterable[str] = ()) -> str:
    """Lays out a table: as wide as its cells, with the columns `right` flush right."""
    texts = [[cell(item) for item in row] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(columns, *texts, strict=True)]
    flush_right = [column in set(right) for column in columns]
    lines = [columns, ["-" * width for width in widths], *texts]
    return "\n".join(_line(line, widths, flush_right) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], flush_right: Sequence[bool]) -> str:
    padded = [
        text.rjust(width) if is_right else text.ljust(width)
        for text, width, is_right in zip(cells, widths, flush_right, strict=True)
    ]
    return "  ".join(padded).rstrip()


def cell(value: object) -> str:
    """Writes a value as it stands in a table: floats with six digits, "-" for nothing."""
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def size_text(count: int) -> str:
    """Writes a number of bytes: `512 bytes`, `3.4 MiB`."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} {'byte' if count == 1 else 'bytes'}" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"

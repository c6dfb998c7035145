"""What `inspect` says of a file: data for machines, and the same as text for people.

Tests: tests/command_line/test_inspect.py
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """What is said of a file.

    Attributes:
      data: nothing but dicts, lists, texts, numbers and None.
      paragraphs: the text, in paragraphs.
    """

    data: dict[str, Any]
    paragraphs: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Returns the report for people."""
        return "\n\n".join(self.paragraphs) + "\n"

    def json(self) -> str:
        """Returns the report for machines; numbers that JSON does not have are texts."""
        return json.dumps(_plain(self.data), indent=1, ensure_ascii=False) + "\n"


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def count_text(count: int, noun: str) -> str:
    """Writes a number of things: `1 tensor`, `2 tensors`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shape_text(shape: Sequence[int | None]) -> str:
    """Writes a shape in brackets, `?` for an unknown dimension."""
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"

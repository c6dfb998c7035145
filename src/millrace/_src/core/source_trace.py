"""The location in the user's program where an op was made.

Tracing records, for each operation, the innermost frames outside Millrace. A frame is kept as its code object and
instruction offset, which costs a microsecond; line and column (PEP 657) are computed only for an error message.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import NamedTuple, TypeAlias

_PACKAGE = __file__[: __file__.rindex("_src")]
_MAX_FRAMES = 8
_own_files: set[str] = set()
"""The files of Millrace that were met: half of the frames around an operation are in a few of these."""


CodeLocation: TypeAlias = tuple[CodeType, int]
"""A `SourceFrame` in short: a tuple of what Python's garbage collector need not look at is not looked at either."""


class SourceFrame(NamedTuple):
    """One frame of the user's program."""

    code: CodeType
    lasti: int

    @property
    def line(self) -> int:
        """The number of the line; the line where the function begins if the instruction has none."""
        spans = self.code.co_lines()
        line = next((line for start, end, line in spans if start <= self.lasti < end), None)
        return self.code.co_firstlineno if line is None else line

    @property
    def filename(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_name

    def column(self) -> int | None:
        """Returns the zero-based column of the expression, where Python knows the column."""
        for index, position in enumerate(self.code.co_positions()):
            if index == self.lasti // 2:
                return position[2]
        return None

    def __str__(self) -> str:
        return f'File "{self.filename}", line {self.line}, in {self.function}'


def is_internal(filename: str) -> bool:
    """Returns whether a source file belongs to Millrace itself."""
    return filename.startswith(_PACKAGE)


def user_location(depth: int = 1) -> CodeLocation | None:
    """Returns the innermost frame outside Millrace in its short form, or None at top level."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename not in _own_files:
            if not is_internal(filename):
                return frame.f_code, frame.f_lasti
            _own_files.add(filename)
        frame = frame.f_back
    return None


def user_frame(depth: int = 1) -> SourceFrame | None:
    """Returns the innermost frame outside Millrace, or None at top level."""
    location = user_location(depth + 1)
    return None if location is None else SourceFrame(*location)


def user_frames(depth: int = 1, limit: int = _MAX_FRAMES) -> list[SourceFrame]:
    """Returns the innermost frames outside Millrace, innermost first."""
    frames: list[SourceFrame] = []
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and len(frames) < limit:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            frames.append(SourceFrame(frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return frames

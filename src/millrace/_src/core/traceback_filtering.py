"""Leaving Millrace's own frames out of the tracebacks of errors in the user's functions."""

from __future__ import annotations

import types

from millrace._src.core.source_trace import is_internal
from millrace._src.util.export import export

_is_enabled = True


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Leaves Millrace's own frames out of the tracebacks of errors while a function is traced; the default."""
    global _is_enabled
    _is_enabled = True


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Shows all frames in tracebacks."""
    global _is_enabled
    _is_enabled = False


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns whether Millrace's own frames are left out of tracebacks.

    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _is_enabled


def filter_traceback(error: BaseException) -> None:
    """Takes Millrace's own frames out of an error's traceback, if the traceback holds any of the user's."""
    if not _is_enabled:
        return
    entries = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    shown_entries = [e for e in entries if not is_internal(e.tb_frame.f_code.co_filename)]
    following: types.TracebackType | None = None
    for e in reversed(shown_entries):
        following = types.TracebackType(following, e.tb_frame, e.tb_lasti, e.tb_lineno)
    if following is not None:
        error.__traceback__ = following

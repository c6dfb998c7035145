"""Errors in states: an error that waits for its place among the elements, as plain values."""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors

_MARK = "error"


def saved_error(error: BaseException) -> Any:
    """Returns an error as the state of a cursor may hold it."""
    if isinstance(error, errors.OpError):
        return _MARK, error.error_code, error.message
    return _MARK, errors.UNKNOWN, f"{type(error).__name__}: {error}"


def restored_error(state: Any) -> Exception | None:
    """Returns the error that `saved_error` gave; None for the state of something else."""
    if not isinstance(state[0], str) or state[0] != _MARK:
        return None
    _, code, message = state
    return errors.exception_type_from_error_code(code)(None, None, message)  # type: ignore[call-arg]  # of a subclass

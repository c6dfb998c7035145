"""Arguments that have an old name beside the new one, as TensorFlow 1's functions do."""

from __future__ import annotations

from typing import Any


def one_of(old_name: str, old: object, new_name: str, new: object, default: object = None) -> Any:
    """Returns an argument that is given under its old or its new name; the default where it is given under neither.

    Raises: ValueError: if both are given.
    """
    if old is None:
        return default if new is None else new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old


def require(value: object, complaint: str) -> Any:
    """Returns an argument that must not be None.

    Raises: ValueError: if it is None.
    """
    if value is None:
        raise ValueError(complaint)
    return value

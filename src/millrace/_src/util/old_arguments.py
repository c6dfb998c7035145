"""Arguments that have an old name beside the new one, as TensorFlow 1's functions do."""

from __future__ import annotations

from typing import Any


def one_of(old_name: str, old: object, new_name: str, new: object) -> Any:
    """Returns an argument that is given under its old or its new name; None where it is given under neither.

    Raises: ValueError: if both are given.
    """
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old

"""Whether `==` between tensors asks for identity, as in TensorFlow 1, where tensors are keys of dictionaries.

Plain graphs compare so always. A program can ask for it everywhere; the library's own comparisons stay element-wise.
"""

from __future__ import annotations


class _Setting:
    """Holds what the program asked for."""

    by_identity = False


def compare_by_identity(on: bool) -> None:
    """Lets `==` and `!=` between tensors or variables in a program's code ask for identity, or compare elements."""
    _Setting.by_identity = on


def is_identity_asked_for() -> bool:
    """Tells whether tensors and variables are to be equal to themselves alone, and so can be keys."""
    return _Setting.by_identity

"""Whether `==` between tensors asks for identity, as in TensorFlow 1, where tensors are keys of dictionaries.

Plain graphs compare so always. A program can ask for it everywhere; the library's own comparisons stay element-wise.
"""

from __future__ import annotations

from millrace._src.util.callers import is_library_code


class _Setting:
    """Holds what the program asked for."""

    by_identity = False


def compare_by_identity(on: bool) -> None:
    """Lets `==` and `!=` between tensors or variables in a program's code ask for identity, or compare elements."""
    _Setting.by_identity = on


def hashes_by_identity() -> bool:
    """Tells whether all tensors and variables can be keys."""
    return _Setting.by_identity


def compares_by_identity() -> bool:
    """Tells whether the comparison that asks compares identities, which its caller's code decides too."""
    return _Setting.by_identity and not is_library_code(2)

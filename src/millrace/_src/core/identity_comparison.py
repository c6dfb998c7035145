"""Whether `==` between tensors asks for identity, as in TensorFlow 1, where tensors are keys of dictionaries.

Plain graphs compare so always. A program can ask for it everywhere; the library's own comparisons stay element-wise.

Tests: tests/compat_v1/test_object_switches.py
"""

from __future__ import annotations


class requested:
    """Holds what the program asked for; an attribute, for every `==` looks at it."""

    identity = False


def compare_by_identity(on: bool) -> None:
    """Lets `==` and `!=` between tensors or variables in a program's code ask for identity, or compare elements."""
    requested.identity = on

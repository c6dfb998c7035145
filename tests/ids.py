"""Names of parametrized tests."""

from __future__ import annotations

import re


def stable_repr(value: object) -> str:
    """`repr` without memory addresses: workers of a parallel run compare the names of the tests they collected."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))

"""The class that `tf.test.TestCase` derives from: absl-py's where it is installed, one on `unittest` otherwise.

Tests: tests/oracle/programs/unit_tests.py
"""

from __future__ import annotations

import functools
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from millrace._src.testing.plain_case import PlainTestCase


@functools.cache
def has_absl() -> bool:
    """Returns whether absl-py is installed."""
    return find_spec("absl") is not None and find_spec("absl.testing") is not None


def base_case() -> type[Any]:
    """Returns the class of test cases to build on."""
    return import_module("absl.testing.absltest").TestCase if has_absl() else PlainTestCase

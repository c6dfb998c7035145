"""The page about functions runs as it stands."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import millrace as tf

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tour" / "functions.md"


def test_the_tour_of_functions_prints_what_it_says() -> None:
    if not PAGE.exists():
        pytest.skip("the documentation is not part of this installation")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags, globs={"tf": tf})
    assert results.failed == 0 and results.attempted > 15

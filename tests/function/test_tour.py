"""The pages of the tour run as they stand."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import millrace as tf

TOUR = Path(__file__).resolve().parents[2] / "docs" / "tour"


@pytest.mark.parametrize(("page", "least"), [("functions.md", 16), ("autograph.md", 11), ("autodiff.md", 40)])
def test_a_page_of_the_tour_prints_what_it_says(page: str, least: int) -> None:
    if not TOUR.exists():
        pytest.skip("the documentation is not part of this installation")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    results = doctest.testfile(str(TOUR / page), module_relative=False, optionflags=flags, globs={"tf": tf})
    assert results.failed == 0 and results.attempted >= least

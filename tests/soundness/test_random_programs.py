"""Random programs show the same in all modes: eager, graphs as traced and optimized, clusters, XLA.

pytest tests/soundness                                 200 programs; every twentieth also where a compiler is needed
MILLRACE_RANDOM_PROGRAMS=10000 pytest tests/soundness  10,000 programs
python -m tests.soundness 10000                        the same, told as it goes, all ways for every fourth program
python -m tests.soundness --show 43                    the text of a program
"""

from __future__ import annotations

import importlib.util
import os

import pytest

from tests.soundness.comparison import complaints

COUNT = int(os.environ.get("MILLRACE_RANDOM_PROGRAMS", "200"))
_PART = 20
_HAS_COMPILER = importlib.util.find_spec("jax") is not None


@pytest.mark.parametrize("start", range(0, COUNT, _PART))
def test_random_programs_show_the_same_in_all_ways(start: int) -> None:
    seeds = range(start, min(start + _PART, COUNT))
    assert [c for seed in seeds for c in complaints(seed, compiled=_HAS_COMPILER and seed % _PART == 0)] == []

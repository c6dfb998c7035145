"""The engine that a test of the conformance suite runs on: each in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from millrace._src.core.engine import Engine
from tests.contracts.engines.all_engines import NAMES, running_on


@pytest.fixture(params=NAMES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Runs the functions of the test on one engine."""
    with running_on(request.param) as chosen:
        yield chosen

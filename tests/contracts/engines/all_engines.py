"""The engines that the conformance suite runs on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from millrace._src.core.engine import Engine
from millrace._src.engines import tiers
from millrace._src.passes.pipeline import optimize
from tests.contracts.engines.lists_engine import ListsEngine

ENGINES: dict[str, Callable[[], Engine]] = {**tiers.ENGINES, "lists": ListsEngine}
NAMES = [pytest.param(name, marks=[pytest.mark.xla] * (name == "xla")) for name in ENGINES]


@contextlib.contextmanager
def running_on(name: str) -> Iterator[Engine]:
    """Makes an engine run every function that is compiled in the scope."""
    engine = ENGINES[name]()
    with pytest.MonkeyPatch.context() as patch:
        for jit_compile in tiers.WAYS:
            patch.setitem(tiers.WAYS, jit_compile, lambda graph: engine.compile(optimize(graph, keep_clusters=False)))
        yield engine

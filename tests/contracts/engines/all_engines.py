"""The engines that the conformance suite runs on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from millrace._src.core.engine import Engine, Program
from millrace._src.engines import engine_table, tiers
from millrace._src.engines.engine_table import EngineEntry
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.passes.pipeline import optimize
from tests.contracts.engines.lists_engine import ListsEngine

ENGINES = {**engine_table.ENGINES, "lists": EngineEntry(ListsEngine, "lists")}
NAMES = [pytest.param(name, marks=[pytest.mark.xla] * (name == "xla")) for name in ENGINES]


@contextlib.contextmanager
def running_on(name: str) -> Iterator[Engine]:
    """Makes an engine run every function that is compiled in the scope."""
    engine = ENGINES[name].make()

    def make_program(graph: FuncGraph) -> Program:
        return engine.compile(optimize(graph, keep_clusters=False))

    with pytest.MonkeyPatch.context() as patch:
        for jit_compile in tiers.PROGRAM_MAKERS:
            patch.setitem(tiers.PROGRAM_MAKERS, jit_compile, make_program)
        yield engine

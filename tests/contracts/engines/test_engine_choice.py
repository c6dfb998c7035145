"""An engine that is one line of the engine table takes part in the choice of tiers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

import millrace as tf
from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.engine_table import ENGINES, JIT_ENGINE, EngineEntry, candidate_engines
from millrace._src.engines.tier_settings import Pin, settings
from tests.contracts.engines.lists_engine import ListsEngine


@pytest.fixture(autouse=True)
def lists_registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Registers the toy engine, which is the only other engine then, and makes functions hot at once."""
    without_compiler = dataclasses.replace(ENGINES[JIT_ENGINE], is_installed=lambda: False)
    monkeypatch.setitem(ENGINES, JIT_ENGINE, without_compiler)
    monkeypatch.setitem(ENGINES, "lists", EngineEntry(ListsEngine, "the engine of lists"))
    monkeypatch.setattr(settings, "waits", True)
    monkeypatch.setattr(settings, "threshold", 0.0)
    monkeypatch.setattr(settings, "pin", Pin.AUTO)
    yield
    compiler.wait()


def test_one_line_of_the_table_makes_a_candidate() -> None:
    assert list(candidate_engines()) == [JIT_ENGINE, "lists"]


def test_the_pinned_choice_is_the_engine_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "pin", Pin.COMPILED)
    f = tf.function(lambda x: tf.tanh(x) * 2.0, autograph=False)
    x = tf.constant([0.0, 0.5])
    expected = (tf.tanh(x) * 2.0).numpy()
    for _ in range(3):
        assert f(x).numpy() == pytest.approx(expected)
    assert f.tier.name == "lists"


def test_a_trial_compares_the_engine_with_numpy() -> None:
    f = tf.function(lambda x: tf.tanh(tf.matmul(x, x)), autograph=False)
    x = tf.ones([24, 24])
    for _ in range(60):
        f(x)
    assert f.tier.name == "numpy"
    assert "as fast as lists" in f.tier.reason or "lists was given up" in f.tier.reason


def test_an_engine_that_leaves_the_graph_is_no_candidate() -> None:
    f = tf.function(lambda x: x + tf.random.uniform([2]), autograph=False)
    for _ in range(3):
        f(tf.constant([0.0, 0.5]))
    assert f.tier.name == "numpy"
    assert "lists: its random numbers are drawn there." in f.tier.reason


def test_a_graph_that_no_engine_runs_exactly_says_so_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    f = tf.function(lambda x: tf.strings.as_string(x), autograph=False)
    for _ in range(3):
        f(tf.constant([0.0]))
    assert "the engine of lists would not run AsString" in f.tier.reason

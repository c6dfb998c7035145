"""The pins and the numbers of automatic tiers."""

from __future__ import annotations

import sys

import pytest

import millrace as tf
from millrace._src.core.runtime_options import disable_op_determinism
from millrace._src.engines.compile_costs import CompileCosts
from millrace._src.engines.tier_settings import Pin, TierChoice, TierSettings, settings_from


@pytest.fixture(autouse=True)
def nothing_stays_pinned():
    yield
    tf.config.optimizer.set_jit("")
    disable_op_determinism()


def test_without_variables_the_time_decides():
    settings = settings_from({})
    assert (settings.pin, settings.waits, settings.threshold, settings.choice) == (
        Pin.AUTO,
        False,
        1.0,
        TierChoice.FASTEST,
    )


def test_variables_of_the_environment_set_everything():
    settings = settings_from(
        {
            "MILLRACE_TIER": "xla",
            "MILLRACE_TIER_WAIT": "1",
            "MILLRACE_TIER_THRESHOLD": "0",
            "MILLRACE_TIER_CHOICE": "alternate",
        }
    )
    assert (settings.pin, settings.waits, settings.threshold) == (Pin.COMPILED, True, 0.0)
    assert settings.choice is TierChoice.ALTERNATE


@pytest.mark.parametrize("text", ["", "0"])
def test_an_empty_variable_is_one_that_is_not_set(text):
    assert not settings_from({"MILLRACE_TIER_WAIT": text}).waits
    assert settings_from({"MILLRACE_TIER": ""}).pin is Pin.AUTO


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("MILLRACE_TIER", "cpu", "MILLRACE_TIER is one of 'auto', 'numpy', 'xla'; received 'cpu'"),
        ("MILLRACE_TIER_CHOICE", "slowest", "MILLRACE_TIER_CHOICE is one of 'fastest', 'alternate'"),
        ("MILLRACE_TIER_THRESHOLD", "low", "MILLRACE_TIER_THRESHOLD is a number; received 'low'"),
    ],
)
def test_a_value_that_a_variable_cannot_have_is_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        settings_from({name: value})


def test_large_graphs_and_a_compiler_to_import_raise_the_expected_time(monkeypatch):
    settings = TierSettings(threshold=2.0, import_seconds=1.0, costs=CompileCosts(0.25, 0.5))
    monkeypatch.setitem(sys.modules, "jax", sys)
    assert settings.estimate_seconds(3) == 2 * 1.75
    monkeypatch.delitem(sys.modules, "jax")
    assert settings.estimate_seconds(3) == 2 * 2.75


@pytest.mark.parametrize(
    "given, pin",
    [(True, Pin.COMPILED), ("autoclustering", Pin.COMPILED), (False, Pin.NUMPY), ("", Pin.AUTO), (None, Pin.AUTO)],
)
def test_set_jit_pins_functions(given, pin):
    tf.config.optimizer.set_jit(given)
    assert TierSettings().pin_in_force() is pin


def test_set_jit_wins_over_the_environment():
    tf.config.optimizer.set_jit(True)
    assert TierSettings(pin=Pin.NUMPY).pin_in_force() is Pin.COMPILED


def test_determinism_keeps_functions_where_they_are_pinned_or_on_numpy():
    tf.config.experimental.enable_op_determinism()
    assert TierSettings().pin_in_force() is Pin.NUMPY
    assert TierSettings(pin=Pin.COMPILED).pin_in_force() is Pin.COMPILED
    tf.config.optimizer.set_jit(True)
    assert TierSettings().pin_in_force() is Pin.COMPILED

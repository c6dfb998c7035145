"""What all tests share: how Hypothesis runs, what a marker needs, and that no test leaves process-wide state behind."""

from __future__ import annotations

import gc
import importlib.util
import logging
import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest

# Hooks: a run that leaves files in the repository's root fails.
from tests.stray_files import pytest_configure, pytest_sessionfinish, pytest_terminal_summary

__all__ = ["pytest_configure", "pytest_sessionfinish", "pytest_terminal_summary"]

# No test depends on time: functions stay where they start, and calls wait for the compiler, unless the environment or
# a test of the tiers says otherwise. Programs that tests start inherit this.
os.environ.setdefault("MILLRACE_TIER", "numpy")
os.environ.setdefault("MILLRACE_TIER_WAIT", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell leaves it for programs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["MILLRACE_COMPILE_CACHE"] = "0"  # tests leave nothing in the home of who runs them

hypothesis.settings.register_profile("local", deadline=None, max_examples=30)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=30, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test of the XLA engine is skipped, with its reason, where JAX is not installed."""
    if importlib.util.find_spec("jax") is not None:
        return
    for item in items:
        if item.get_closest_marker("xla"):
            item.add_marker(pytest.mark.skip(reason="needs JAX: pip install 'millrace[xla]'"))


@pytest.fixture(scope="session", autouse=True)
def compiler_is_loaded() -> None:
    """Loads the compiler first where tests race with it: loading changes the environment for a while."""
    if os.environ["MILLRACE_TIER_WAIT"] == "0" and importlib.util.find_spec("jax") is not None:
        from millrace._src.engines.engine_table import compiling_engine

        compiling_engine()


@pytest.fixture(autouse=True)
def every_function_is_converted(request: pytest.FixtureRequest) -> Iterator[None]:
    """A function that AutoGraph leaves as it is fails the test, unless the marker `unconverted` says that it may."""
    said: list[str] = []

    def note(record: logging.LogRecord) -> bool:
        if record.msg.startswith("AutoGraph could not transform"):
            said.append(record.getMessage())
        return True

    logger = logging.getLogger("tensorflow")
    logger.addFilter(note)
    yield
    logger.removeFilter(note)
    assert not said or request.node.get_closest_marker("unconverted"), said[0]


@pytest.fixture(autouse=True, scope="module")
def the_collector_skips_what_is_old() -> None:
    """Keeps the garbage collector from going through all that earlier tests have loaded, in each test again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def interrupts_are_left_as_they_were() -> Iterator[None]:
    """A debugger that a test used takes Ctrl-C."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    if signal.getsignal(signal.SIGINT) is not handler:
        signal.signal(signal.SIGINT, handler)


@pytest.fixture(autouse=True)
def no_seed_is_left() -> Iterator[None]:
    """Draws of the next test do not depend on which test ran before."""
    import millrace as tf  # not above: Millrace reads the environment that this module sets

    yield
    tf.random.set_seed(None)


@pytest.fixture(autouse=True)
def environment_is_left_as_it_was() -> Iterator[None]:
    before = dict(os.environ)
    yield
    after = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
    before.pop("PYTEST_CURRENT_TEST", None)
    assert after == before, "this test changed os.environ; use monkeypatch.setenv"


@pytest.fixture
def on_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pins functions to the NumPy tier, for a test that asks for the same bits or looks at that tier itself."""
    from millrace._src.engines.tier_settings import Pin, settings

    monkeypatch.setattr(settings, "pin", Pin.NUMPY)

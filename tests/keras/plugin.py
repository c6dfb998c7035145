"""A pytest plugin that runs Keras's own tests on Millrace.

Problem: Keras's wheel holds its tests, but not the configuration they are run with, and they know nothing of Millrace.
Some fail for a reason that is known, here or on TensorFlow itself; that must be neither hidden nor forgotten.

Idea: before the first import of Keras, `import tensorflow` is made to give Millrace and the backend is chosen. Tests
are then judged by two lists. `known_failures.toml` says what does not work yet: such a test has to fail.
`baseline.json` says what real TensorFlow does: a test that fails there may fail here, and only a test that is skipped
there may be skipped here. `python -m tests.keras` starts pytest with this plugin.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.keras.expectations import SKIPPED_HERE, Expectations, name_of

FRAMEWORK = os.environ.get("MILLRACE_KERAS_FRAMEWORK", "millrace")
"""What stands under the name `tensorflow`: `millrace`, or `tensorflow` itself to measure the baseline."""
JUDGED = FRAMEWORK == "millrace" and "MILLRACE_KERAS_UNJUDGED" not in os.environ
"""Whether the two lists are asked."""
TIME_LIMIT = int(os.environ.get("MILLRACE_KERAS_TIME_LIMIT", "120"))
"""Seconds after which a test is stopped."""
OPTIONAL = ("torch", "grain", "jax", "onnxruntime", "pandas", "sklearn")
"""Packages that some files of tests import at the top and few tests use."""
_IGNORED = "Deprecation Import Runtime PendingDeprecation Future User".split()
WARNINGS = ("error", *(f"ignore::{kind}Warning" for kind in _IGNORED))
"""Which warnings fail a test: as in Keras's own configuration."""

_ADDRESS = re.compile(r" ?at ?0x[0-9a-f]+")


class AbsentName:
    """Stands for a name of a package that is not installed: the test that uses it is skipped, not the others."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return AbsentName(f"{self._name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Any:
        pytest.skip(f"{SKIPPED_HERE}: {self._name} is not installed", allow_module_level=True)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)

    def __instancecheck__(self, value: Any) -> bool:
        return False

    def __subclasscheck__(self, kind: type) -> bool:
        return False


class AbsentModule(types.ModuleType):
    """A module of such names."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return AbsentName(f"{self.__name__}.{name}")


class AbsentPackages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds such modules for every import below the packages."""

    def __init__(self, packages: list[str]) -> None:
        self.packages = packages

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] not in self.packages:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing in it."""


def install_framework() -> None:
    """Makes the framework under test and Keras's backend the ones that `import keras` finds."""
    os.environ["KERAS_BACKEND"] = "tensorflow"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("JAX_DEFAULT_DTYPE_BITS", "32")
    if importlib.util.find_spec("torch"):
        importlib.import_module("torch")  # TensorFlow's libraries must not be loaded before torch's
    if FRAMEWORK == "millrace":
        import millrace

        millrace.install_as_tensorflow()


def install_conftest() -> None:
    """Some tests import `skip_if_backend` from the `conftest.py` of Keras's repository, which the wheel leaves out."""
    module = types.ModuleType("conftest")
    vars(module)["skip_if_backend"] = lambda name, reason: pytest.mark.skipif(name == "tensorflow", reason=reason)
    sys.modules["conftest"] = module


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requires_trainable_backend: Keras's: TensorFlow's is one")
    config.addinivalue_line("markers", "multi_device: Keras's: needs several devices")
    for line in WARNINGS:
        config.addinivalue_line("filterwarnings", line)
    install_framework()
    install_conftest()
    importlib.import_module("keras")  # first: Keras asks what is installed
    sys.meta_path.append(AbsentPackages([name for name in OPTIONAL if importlib.util.find_spec(name) is None]))
    record = os.environ.get("MILLRACE_KERAS_RECORD")
    if record and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(record)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out a file that cannot be imported, as `known_failures.toml` says."""
    if not (JUDGED and collection_path.suffix == ".py"):
        return None
    name = name_of(collection_path.relative_to(config.rootpath).as_posix())
    return True if name in _expectations().known_failures else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Takes addresses of functions out of the names of tests: a name has to be the same in every process."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        name_of_value = mark.kwargs.get("ids")
        if callable(name_of_value):
            mark.kwargs["ids"] = lambda value, given=name_of_value: _ADDRESS.sub("", str(given(value)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    expectations = _expectations() if JUDGED else None
    for item in items:
        if item.get_closest_marker("multi_device"):
            item.add_marker(pytest.mark.skip(reason="needs several devices"))
        if expectations:
            for mark in expectations.marks(name_of(item.nodeid)):
                item.add_marker(mark)


@functools.cache
def _expectations() -> Expectations:
    return Expectations.load()


def _is_absent(package: str) -> bool:
    return package not in sys.modules and importlib.util.find_spec(package) is None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Fails a test that skips itself here and not on TensorFlow, unless a package is missing."""
    report: Any = yield
    if not (JUDGED and report.skipped and not hasattr(report, "wasxfail")):
        return report
    said = message_of(report)
    lacks_package = SKIPPED_HERE in said or any(_is_absent(name) for name in re.findall(r"`(\w+)`", said))
    if not lacks_package and name_of(item.nodeid) not in _expectations().skipped_on_tensorflow:
        report.outcome, report.longrepr = "failed", f"skipped here, not on TensorFlow: {said}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Stops a test that hangs."""

    def stop(*_: Any) -> None:
        pytest.fail(f"took more than {TIME_LIMIT} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(TIME_LIMIT)
    try:
        return (yield)
    finally:
        signal.alarm(0)


class Recorder:
    """Writes a line of JSON for each test: its name, outcome, seconds, and what was said."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a", encoding="utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            self.write(name_of(report.nodeid), report.outcome, 0.0, report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.write(name_of(report.nodeid), report.outcome, report.duration, report)

    def write(self, name: str, outcome: str, seconds: float, report: Any) -> None:
        line = {"name": name, "outcome": outcome, "seconds": round(seconds, 3), "said": message_of(report)}
        if hasattr(report, "wasxfail"):
            line["expected"] = True
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def message_of(report: Any) -> str:
    """The reason of a skip or the last lines of an error, with the line of the sources where it arose."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        return str(report.longrepr or "")[-2000:]
    return f"{crash.message[:1500]}  [{Path(crash.path).name}:{crash.lineno}]"

"""`tf.test.main` and the decorators, with absl-py and without it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import pytest

import millrace as tf

PROGRAM = """
import sys
if not WITH_ABSL:
    sys.modules["absl"] = sys.modules["absl.testing"] = None
    import importlib.util as util
    original = util.find_spec
    util.find_spec = lambda name, package=None: None if name.startswith("absl") else original(name, package)
import millrace as tf

class Some(tf.test.TestCase):
    def test_good(self):
        self.assertAllEqual(tf.constant([1]), [1])
        self.assertEmpty([])
        print("base:", tf.test.TestCase.__mro__[3].__module__)

    def test_bad(self):
        self.assertAllEqual(tf.constant([1]), [2])

class Speed(tf.test.Benchmark):
    def benchmark_it(self):
        self.report_benchmark(iters=1)

if __name__ == "__main__":
    tf.test.main()
"""
HAS_ABSL = importlib.util.find_spec("absl") is not None
ABSL_MODES = [False, pytest.param(True, marks=pytest.mark.skipif(not HAS_ABSL, reason="absl-py is not installed"))]


def _run(folder: Path, with_absl: bool, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = folder / "program.py"
    path.write_text(PROGRAM.replace("WITH_ABSL", str(with_absl)))
    return subprocess.run([sys.executable, str(path), *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("with_absl", ABSL_MODES)
def test_the_tests_of_a_program_run(tmp_path: Path, with_absl: bool) -> None:
    done = _run(tmp_path, with_absl)
    assert done.returncode == 1, done.stderr
    assert "Ran 3 tests" in done.stderr and "FAILED (failures=1, skipped=1)" in done.stderr
    assert ("base: absl" in done.stdout) == with_absl


@pytest.mark.parametrize("with_absl", ABSL_MODES)
def test_a_test_is_chosen_by_its_name(tmp_path: Path, with_absl: bool) -> None:
    done = _run(tmp_path, with_absl, "Some.test_good")
    assert done.returncode == 0 and "Ran 1 test" in done.stderr, done.stderr


@pytest.mark.parametrize("arguments", [["--benchmark_filter=Speed"], ["--benchmark_filter", "all"]])
@pytest.mark.parametrize("with_absl", ABSL_MODES)
def test_benchmarks_run_in_place_of_tests(tmp_path: Path, with_absl: bool, arguments: list[str]) -> None:
    done = _run(tmp_path, with_absl, *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('name: "Speed.benchmark_it"') == 1 and "Ran " not in done.stderr


def test_a_test_is_skipped_where_a_condition_holds() -> None:
    class Some(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not here")
        def test_skipped(self) -> None:
            self.fail("never")

        @tf.test.disable_with_predicate(lambda: False, "not here")
        def test_kept(self) -> None:
            """Its text."""
            self.fail("always")

    result = unittest.TestResult()
    for name in ("test_skipped", "test_kept"):
        Some(name).run(result)
    assert [reason for _, reason in result.skipped] == ["not here"] and len(result.failures) == 1
    assert (Some.test_kept.__name__, Some.test_kept.__doc__) == ("test_kept", "Its text.")


@pytest.mark.parametrize(
    "decorator", [lambda cls: tf.test.with_eager_op_as_function(cls), tf.test.with_eager_op_as_function()]
)
def test_eager_ops_run_in_one_mode(decorator: Any) -> None:
    class Some(tf.test.TestCase):
        pass

    assert decorator(Some) is Some

"""`tf.test.main` and the decorators of tests."""

from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from importlib import import_module
from typing import Any

from millrace._src.testing.base_case import has_absl
from millrace._src.testing.benchmark import run_benchmarks
from millrace._src.util.export import export

_FILTER = "--benchmark_filter"


@export("test.main")
def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the program, or its benchmarks; then the process ends.

    Args: argv: The command line, `sys.argv` if None. `--benchmark_filter=<regular expression or all>` runs benchmarks;
      the rest chooses tests, as absl-py reads it where it is installed, and as `unittest` does otherwise.
    """
    pattern, rest = _without_filter(sys.argv if argv is None else argv)
    if pattern is not None:
        _run(lambda *_: run_benchmarks(pattern), rest)
    elif has_absl():
        import_module("absl.testing.absltest").main(argv=rest)
    else:
        unittest.main(argv=rest)


def _run(program: Callable[..., None], arguments: list[str]) -> None:
    """Runs a function as the main program, which parses flags where absl-py is installed."""
    if has_absl():
        import_module("absl.app").run(program, argv=arguments)
    program()
    sys.exit(0)


def _without_filter(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Returns the value of `--benchmark_filter` and the other arguments."""
    rest = list(arguments)
    for index, argument in enumerate(rest):
        name, is_given, value = argument.partition("=")
        if name == _FILTER and is_given:
            return value, rest[:index] + rest[index + 1 :]
        if name == _FILTER and index + 1 < len(rest):
            return rest[index + 1], rest[:index] + rest[index + 2 :]
    return None, rest


@export("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Callable[[Any], Any]:
    """Skips a test where a condition holds.

    >>> class SomeTest(tf.test.TestCase):
    ...     @tf.test.disable_with_predicate(tf.test.is_built_with_cuda, "needs no GPU")
    ...     def test_it(self):
    ...         self.assertLen([1], 1)

    Args:
      pred: The condition, asked when the test starts.
      skip_message: Why the test is skipped.

    Returns: A decorator of test methods.
    """

    def decorator(method: Any) -> Any:
        @functools.wraps(method)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return method(self, *args, **kwargs)

        return wrapper

    return decorator


@export("test.with_eager_op_as_function")
def with_eager_op_as_function(cls: object = None, only_as_function: bool = False) -> Any:
    """Leaves a class of tests as it is: eager ops run in one mode only.

    >>> @tf.test.with_eager_op_as_function
    ... class SomeTest(tf.test.TestCase):
    ...     pass

    Args:
      cls: The class; without it, the decorator itself is returned.
      only_as_function: Whether only one of two modes is tested, where there are two.
    """
    return cls if cls is not None else lambda decorated: decorated

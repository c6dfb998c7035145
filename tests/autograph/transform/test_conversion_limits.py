"""Long and deep functions are converted in proportion; others run as they are, and one warning says so."""

from __future__ import annotations

import asyncio
import linecache
import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf
from millrace._src.autograph.api import for_tracing
from millrace._src.autograph.transform.function_conversion import Conversion
from millrace._src.autograph.transform.source import function_node


def _made(lines: list[str], name: str) -> Any:
    """A function `f` whose source `linecache` knows under a file name."""
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


def _calls_made_by(run: Callable[[], Any]) -> int:
    """How many Python functions are called: a measure of work that no other process changes."""
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def _straight(size: int) -> list[str]:
    return [
        "def f(x):",
        *[f"    x = abs(x) + {i}" for i in range(size)],
        "    if x > 0:",
        "        x = 1",
        "    return x",
    ]


def _branches(size: int) -> list[str]:
    branch = ["    if x > {}:", "        x = x + 1", "    else:", "        x = x - {}"]
    return ["def f(x):", *[line.format(i) for i in range(size // 4) for line in branch], "    return x"]


def _loops(size: int) -> list[str]:
    loop = ["    for i in range({}):", "        if x > i:", "            break", "        x = x + i", "        y = x"]
    return ["def f(x):", *[line.format(i) for i in range(size // 5) for line in loop], "    return x"]


@pytest.mark.parametrize("shape", [_straight, _branches, _loops])
def test_the_work_of_a_conversion_grows_with_the_length_of_the_function(shape: Callable[[int], list[str]]) -> None:
    def work(size: int) -> int:
        function = _made(shape(size), f"<{shape.__name__} of {size} lines>")

        def convert() -> None:
            Conversion(function_node(function), function.__code__, lambda _: None).continuation(0)

        return _calls_made_by(convert)

    work(20)  # templates are parsed once
    assert work(400) < 2.2 * work(200)


def test_a_function_of_two_thousand_lines_is_converted() -> None:
    function = _made(_branches(2000), "<2000 lines>")
    assert for_tracing(function)(100) == function(100)


@pytest.mark.parametrize("depth", [20, 97])
def test_a_hundred_levels_of_nesting_are_converted(depth: int) -> None:
    ifs = [f"{' ' * (i + 1)}if x > {i}:" for i in range(depth)]
    function = _made(["def f(x):", *ifs, " " * (depth + 1) + "x = x + 1", " return x"], f"<{depth} levels>")
    assert for_tracing(function)(1000) == 1001
    traced = tf.function(function)
    assert [traced(tf.constant(x)).numpy() for x in (3, 1000)] == [3, 1001]


def _warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "could not transform" in record.getMessage()]


@pytest.mark.unconverted
def test_a_generator_runs_as_it_is_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    def numbers(n: int) -> Any:
        if n > 0:
            yield n
        yield 0

    def total(x: Any) -> Any:
        for number in numbers(2):
            x = x + number
        return x

    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert for_tracing(numbers) is numbers
        assert tf.function(total)(tf.constant(1)).numpy() == 3
        assert list(for_tracing(numbers)(1)) == [1, 0]
    (message,) = _warnings(caplog)
    assert message == (
        f"AutoGraph could not transform {numbers} and will run it as-is.\nCause: generators are not supported\n"
        "To silence this warning, decorate the function with @tf.autograph.experimental.do_not_convert"
    )


@pytest.mark.unconverted
def test_coroutines_and_asynchronous_generators_run_as_they_are_with_one_warning_each(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def waits(x: int) -> int:
        if x > 0:
            await asyncio.sleep(0)
        return x

    async def yields(x: int) -> Any:
        if x > 0:
            yield x

    with caplog.at_level(logging.WARNING, "tensorflow"):
        for _ in range(2):
            assert for_tracing(waits) is waits
            assert for_tracing(yields) is yields
    assert [message.count("Cause: coroutines are not supported") for message in _warnings(caplog)] == [1, 1]
    assert asyncio.run(for_tracing(waits)(3)) == 3


def test_a_function_that_defines_a_generator_is_converted() -> None:
    def outer(x: Any) -> Any:
        def numbers() -> Any:
            yield x
            if x is not None:
                yield 1

        total = 0
        for number in numbers():
            total = total + number
        if total > 3:
            total = total * 2
        return total

    traced = tf.function(outer)
    assert [traced(tf.constant(x)).numpy() for x in (1, 5)] == [2, 12]


@pytest.mark.unconverted
def test_a_parameter_with_the_name_of_the_operators_is_refused_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def clashes(ag__: int) -> int:
        return ag__ if ag__ > 0 else 0

    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert for_tracing(clashes)(3) == 3
    (message,) = _warnings(caplog)
    assert "Cause: the name ag__ is reserved for converted code" in message

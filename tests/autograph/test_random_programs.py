"""Random programs give one answer: as plain Python, converted, on eager tensors, as a graph, and compiled.

A graph may also refuse a program, in the words for what it cannot express; that is counted, and must be rare.
"""

from __future__ import annotations

import copy
import linecache
import os
import re
import textwrap
import types
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millrace._src.autograph.operators.calls import convert_function
from tests.autograph import modes
from tests.autograph.framework import tf
from tests.autograph.random_programs import HEADER, ArraysAsTensors, Program, make

INHERENT = (
    r"'\w+' must also be initialized in the (main|else) branch",
    r"'[\w.\[\]']+' has dtype \w+ (in the main branch|before the loop), but dtype",
    r"'\w+' (must|does not) have the same nested structure",
    r"'\w+' is None at the end of the (main branch|else branch|iteration)",
    r"'\w+' must be defined before the loop",
)
"""What a graph cannot express: a value missing in a branch, or of another dtype or structure."""
_QUIET = {"derandomize": True, "deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
_FOUND = {
    "a branch of a ternary calls a function that assigns": """
        def bump():
            nonlocal a
            a += 1
            return a

        b = bump() if v[0] > n else b
        return a, b
    """,
    "a loop in a block left by a return": """
        with scope():
            for i in range(3):
                return i
        return 9
    """,
    "a list that a loop in a block built": """
        grown = []
        with scope():
            for x in v:
                grown.append(x)
        return (grown,)
    """,
    "items of a list at points that only the loop knows": """
        xs = [a, b, 3]
        for j in tf.range(2):
            for i in range(3):
                xs[i] = j
        return xs
    """,
    "an operand keeps a value": """
        x = (u := a + 1) > 1 or a > 5
        return u, x
    """,
    "a loop in a block whose iterations a tensor leaves inside another block": """
        try:
            for i in range(3):
                with scope():
                    if a < v[1] <= 5:
                        continue
                    else:
                        return a, b
        finally:
            n = 1
        return b, a
    """,
    "the flag of a break inside try, in a loop that no iteration may reach": """
        def bump(x):
            nonlocal a
            a = v[1]
            return a
        with scope():
            k = 0
            while k < 2 and b >= n - 3:
                k += 1
                j = a * 0
                while b <= n and j < 2:
                    j += 1
                    try:
                        b = bump(b)
                        if n > 3:
                            raise ValueError
                    except ValueError:
                        break
        return a, b
    """,
    "a loop without iterations whose variable another branch reads": """
        with scope():
            if n > 5:
                for i in range(3):
                    return i
            else:
                for i in tf.range(a % 2):
                    b = b + i
                    break
        return b
    """,
    "a loop without iterations whose variable a lambda in another loop captures": """
        for i in tf.range(a % 2):
            b = b + i
        for i in tf.range(3):
            b += (lambda z: i + z)(a)
        return b
    """,
    "items of a list that one branch assigns and the other leaves with": """
        xs = [a, b, 3]
        k = a * 0
        while k < 4 and k == v[a % 3]:
            k += 1
            for i in range(3):
                if xs[i] > 2:
                    return xs[0], xs[1]
                else:
                    xs[i] = 5
        return xs[0], xs[1]
    """,
    "a condition of parts, the first of them nested": """
        k = a * 0
        while (not 17 < a and (n == a or n > 1)) and k < 4:
            k += 1
        return k
    """,
}

programs = st.composite(lambda draw: make(lambda count: draw(st.integers(0, count - 1))))()


def load(program: Program, name: str, framework: Any) -> types.FunctionType:
    """The function of a program, with `framework` as its `tf`; tracebacks and AutoGraph find its source."""
    file = f"<random program {name}>"
    linecache.cache[file] = (len(program.source), None, program.source.splitlines(keepends=True), file)
    module: dict[str, Any] = {"__name__": "random_program", "tf": framework}
    exec(compile(program.source, file, "exec"), module)
    function: types.FunctionType = module["program"]
    return function


def answers(function: Callable[..., Any], args: Sequence[tuple[Any, ...]], tensors: bool) -> list[Any]:
    """What a function returns for each argument tuple."""
    found = []
    for given_ in copy.deepcopy(args):
        *values, number = given_
        found.append(function(*[tf.constant(value) if tensors else value for value in values], number))
    return found


def plain_answers(program: Program) -> list[Any] | None:
    """What plain Python answers; None if a number gets too large."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        try:
            return answers(load(program, "plain", ArraysAsTensors), program.args, tensors=False)
        except (FloatingPointError, RuntimeWarning, OverflowError):
            return None


def assert_same(expected: Sequence[Any], found: Sequence[Any], mode: str, program: Program) -> None:
    """Raises AssertionError unless the answers are the same."""
    for point, (left, right) in enumerate(zip(expected, found, strict=True)):
        try:
            modes.assert_same_value(left, right)
        except AssertionError as error:
            told = f"{mode} {program.args[point]}: {left} and {right}\n{error}\n{program.source}"
            raise AssertionError(told) from None


def is_inherent(error: Exception) -> bool:
    """Whether an error says that a graph cannot express the program."""
    return isinstance(error, (TypeError, ValueError)) and any(re.search(words, str(error)) for words in INHERENT)


def check(program: Program, name: str, seen: Counter[str], compiled: bool) -> None:
    """Runs a program in all modes and compares.

    Args:
        program: The program.
        name: Names its file.
        seen: Counts the programs by outcome.
        compiled: Whether to compile it too.
    """
    expected = plain_answers(program)
    if expected is None:
        seen["too large"] += 1
        return
    seen["programs"] += 1
    on_arrays = load(program, f"{name} on arrays", ArraysAsTensors)
    assert_same(expected, answers(convert_function(on_arrays), program.args, tensors=False), "converted", program)
    function = load(program, name, tf)
    assert_same(expected, answers(convert_function(function), program.args, tensors=True), "converted eager", program)
    if not program.stores:
        assert_same(expected, answers(function, program.args, tensors=True), "eager", program)
    for mode, options in (("graph", {}), ("xla", {"jit_compile": True})):
        if mode == "graph" or compiled:
            try:
                found = answers(tf.function(function, **options), program.args, tensors=True)
            except Exception as error:
                if not is_inherent(error):
                    error.add_note(program.source)
                    raise
                seen[f"refused: {mode}"] += 1
                return
            assert_same(expected, found, mode, program)
            seen[mode] += 1


def _run(count: int, choose: Any) -> Counter[str]:
    """Checks `count` programs; every tenth is compiled too if `choose` says so."""
    seen: Counter[str] = Counter()

    @settings(max_examples=count, **_QUIET)
    @given(programs)
    def each(program: Program) -> None:
        number = seen["all"] = seen["all"] + 1
        check(program, str(number), seen, compiled=choose(number))

    each()
    return seen


def test_random_programs_agree_in_all_modes() -> None:
    seen = _run(300, lambda number: False)
    assert seen["refused: graph"] < seen["programs"] / 10, seen


@pytest.mark.xla
def test_random_programs_agree_when_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())  # importing jax writes into it
    seen = _run(30, lambda number: True)
    assert seen["xla"], seen


@pytest.mark.slow
def test_ten_thousand_random_programs_agree() -> None:
    seen = _run(10_000, lambda number: False)
    print(dict(seen))
    assert seen["refused: graph"] < seen["programs"] / 10, seen


@pytest.mark.parametrize("name", list(_FOUND))
def test_a_program_that_failed_agrees(name: str) -> None:
    body = textwrap.indent(textwrap.dedent(_FOUND[name]), "    ")
    args = [(np.int32(a), np.int32(3), np.array([2, 5, a], np.int32), 4) for a in (1, 6)]
    seen: Counter[str] = Counter()
    check(Program(f"{HEADER}def program(a, b, v, n):\n{body}\n", args, False), name, seen, compiled=False)
    assert seen["graph"]

"""Random functions have one derivative: by tapes, graphs, compiled ones, accumulators, and by differences of values."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import millrace as tf
from tests.autodiff.derivative_checks import Check, Disagreement
from tests.autodiff.random_function_answers import program_of
from tests.autodiff.random_function_reduction import reduced
from tests.autodiff.random_functions import Program, make

_QUIET = {"derandomize": True, "deadline": None, "suppress_health_check": list(HealthCheck), "database": None}

programs = st.composite(lambda draw: make(lambda count: draw(st.integers(0, count - 1))))()


@pytest.fixture(autouse=True)
def no_word_of_retracing() -> Any:
    """Every program makes functions that are called once, which the log would remark on."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    yield
    logger.setLevel(level)


def check(source: str, *inputs: Any, variables: tuple[Any, ...] = (), compiled: bool = False) -> Counter[str]:
    """Compares all modes for a program given as text."""
    arrays = [(*[np.array(x, np.float64) for x in part],) for part in (inputs, variables)]
    seen: Counter[str] = Counter()
    Check(Program(source, arrays[0], arrays[1], 2, 0), tf, seen, compiled).run()
    return seen


def test_random_functions_have_one_derivative() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=4, **_QUIET)
    @given(programs)
    def each(program: Program) -> None:
        Check(program, tf, seen).run()

    each()
    assert seen["numeric second order"] + seen["too large"] + seen["kink: numeric second order"] == seen["programs"]
    assert seen["numeric"] > seen["programs"] / 2, seen


@pytest.mark.xla
def test_random_functions_have_one_derivative_when_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())  # importing jax writes into it
    seen: Counter[str] = Counter()
    for seed in (1,):
        Check(program_of(seed), tf, seen, compiled=True).run()
    assert seen["xla inside"] == 1, seen


@pytest.mark.slow
@pytest.mark.xla
def test_a_thousand_random_functions_have_one_derivative() -> None:
    seen: Counter[str] = Counter()
    for seed in range(1000):
        Check(program_of(seed), tf, seen, compiled=seed % 10 == 0).run()
    print(dict(seen))
    assert seen["numeric"] > seen["programs"] * 0.9, seen


# --- the tools themselves --------------------------------------------------------------------------------------------


def test_values_have_the_shapes_that_are_written() -> None:
    for seed in range(100):
        program = program_of(seed)
        found = re.findall(r"^    (t\d+) = .*  # (\(.*\))$", program.source.partition("def program(")[2], re.MULTILINE)
        assert found, program.source
        line = f"    return ({', '.join(name for name, _ in found)},)\n"
        source = program.source[: program.source.rindex("    return (")] + line
        results = Check(
            Program(source, program.inputs, program.variables, program.count, 0), tf, Counter()
        ).case.value()
        assert [str(r.shape) for r in results] == [shape for _, shape in found], source


def test_programs_of_equal_choices_are_equal() -> None:
    first, second = (make(random.Random(7).randrange) for _ in range(2))
    assert first.source == second.source
    np.testing.assert_array_equal(first.inputs[0], second.inputs[0])


def test_a_wrong_gradient_is_found() -> None:
    source = """
@tf.custom_gradient
def f(x):
    return tf.sin(x), lambda dy: dy * tf.cos(x) * 1.001

def program(x0, n):
    return (f(x0),)
"""
    with pytest.raises(Disagreement, match="pushed"):
        check(source, [0.3, 0.7])
    with pytest.raises(Disagreement, match="numeric"):
        check(source + "# tripled", [0.3, 0.7])


def test_a_wrong_second_derivative_is_found() -> None:
    source = """
@tf.custom_gradient
def f(x):
    return tf.sin(x), lambda dy: dy * tf.stop_gradient(tf.cos(x))

def program(x0, n):
    return (f(x0),)
"""
    with pytest.raises(Disagreement, match="numeric second order"):
        check(source + "# tripled", [0.3, 0.7])


def test_stopped_gradients_and_rules_that_are_no_derivatives_agree_with_differences() -> None:
    source = """
def program(x0, n):
    t = stop(tf.sin(x0)) * x0 + passed(x0 * 3.0)
    return (t * tf.cast(tf.cast(x0, LOW), tf.float64), tripled(t))
"""
    seen = check(source, [0.3, 0.7])
    assert seen["numeric"] == seen["numeric second order"] == 1


def test_a_kink_within_the_step_is_no_disagreement() -> None:
    seen = check("def program(x0, n):\n    return (tf.abs(x0) * x0 + tf.nn.relu(x0),)\n", [1e-6])
    assert seen["kink: numeric"] == 1


def test_a_program_that_fails_is_made_smaller() -> None:
    source = """
def helper(a):
    return a * 2.0

def program(x0, n):
    t1 = helper(x0)  # (2,)
    for i in tf.range(n):
        t1 = tf.sin(t1) + tf.tanh(x0 * 3.0)
    t2 = tf.cos(t1)  # (2,)
    return (t1, t2)
"""
    program = Program(source, (np.array([0.3, 0.7]),), (), 2, 0)
    smaller = reduced(program, lambda p: "fails" if "tanh" in p.source and "return" in p.source else None)
    assert smaller.source.split() == "def program(x0, n): t1 = tf.tanh(x0) return (t1,)".split()

"""What only one operand of a choice needs is computed where the choice takes that operand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.passes.pipeline import optimize

SPECS = (tf.TensorSpec([64, 64], tf.float32), tf.TensorSpec([], tf.bool))
X = np.linspace(-2, 2, 64 * 64, dtype=np.float32).reshape(64, 64)


def program(f: Callable[..., Any]) -> Any:
    graph = tf.function(f, autograph=False).get_concrete_function(*SPECS).graph
    return eager_engine().compile(optimize(graph))


def check(f: Callable[..., Any]) -> str:
    """Compares a program with eager calls; returns its source."""
    compiled = program(f)
    for taken in (True, False):
        expected = tf.nest.flatten(f(tf.constant(X), tf.constant(taken)))
        found = compiled.run(X.copy(), np.array(taken))
        for array, tensor in zip(found, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(array), tensor.numpy())
    return str(compiled.source)


def lines_in_branches(source: str) -> int:
    return len(re.findall(r"^ {12,}v\d+ = \w+\(", source, re.M))


def test_a_mirrored_picture_is_made_in_its_branch() -> None:
    assert lines_in_branches(check(lambda x, c: tf.where(c, tf.reverse(x, [1]), x) + 1.0)) == 1


def test_both_operands_and_what_they_alone_need_are_made_in_branches() -> None:
    source = check(lambda x, c: tf.where(c, tf.exp(tf.sin(x)) * x, tf.transpose(tf.cos(x))))
    assert lines_in_branches(source) == 5


def test_choices_in_choices_are_branches_in_branches() -> None:
    def f(x: Any, c: Any) -> Any:
        inner = tf.where(tf.reduce_sum(x) > 1.0, tf.sin(x), tf.cos(x))
        return tf.where(c, tf.exp(inner), x)

    source = check(f)
    assert lines_in_branches(source) >= 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x, c: (tf.where(c, (y := tf.sin(x)), x), y),
        lambda x, c: tf.where(c, (y := tf.sin(x)), x) * y,
        lambda x, c: tf.where(c, (y := tf.sin(x)), y),
        lambda x, c: tf.where(c, tf.sin(x[:1]), x),
        lambda x, c: tf.where(c, x, tf.reduce_max(tf.sin(x))),
        lambda x, c: tf.where(tf.fill([64, 64], c), tf.sin(x), x),
        lambda x, c: tf.where(c, tf.sin(x[:4, :4]), x[:4, :4]),
    ],
)
def test_what_others_read_what_is_repeated_and_what_is_small_is_made_always(f: Callable[..., Any]) -> None:
    assert lines_in_branches(check(f)) == 0


def test_what_may_be_refused_is_computed_always() -> None:
    def f(x: Any, c: Any) -> Any:
        return tf.where(c, tf.gather(x, tf.fill([64], 99)), x)

    for taken in (True, False):
        with pytest.raises(tf.errors.InvalidArgumentError):
            program(f).run(X, np.array(taken))


def test_random_numbers_are_drawn_always() -> None:
    tf.random.set_seed(3)
    drawing = tf.function(lambda x, c: tf.where(c, tf.random.uniform([64, 64], seed=1), x), jit_compile=False)
    first = [drawing(X, tf.constant(taken)).numpy() for taken in (True, False, True)]
    tf.random.set_seed(3)
    again = [drawing(X, tf.constant(taken)).numpy() for taken in (False, False, True)]
    np.testing.assert_array_equal(first[2], again[2])
    assert (first[0] != first[2]).any()


def test_variables_keep_the_order_of_reads_and_writes() -> None:
    variable = tf.Variable(X)

    @tf.function(jit_compile=False, autograph=False)
    def f(c: Any) -> Any:
        before = variable.read_value()
        variable.assign_add(tf.ones_like(before))
        return tf.where(c, tf.abs(before), variable.read_value())

    np.testing.assert_array_equal(f(tf.constant(True)).numpy(), np.abs(X))
    np.testing.assert_array_equal(f(tf.constant(False)).numpy(), X + np.float32(1) + np.float32(1))


def test_loops_compute_lazily_too() -> None:
    def f(x: Any, c: Any) -> Any:
        return tf.while_loop(
            lambda i, y: i < 5,
            lambda i, y: (i + 1, tf.where(tf.equal(i % 2, 0), tf.sin(y), tf.where(c, tf.cos(y), y))),
            (tf.constant(0), x),
        )[1]

    check(f)


@pytest.mark.parametrize(
    "operand",
    [
        lambda x, size: x + tf.repeat(tf.reshape(x, [-1]), size)[:63],
        lambda x, size: tf.strings.to_number(tf.fill([64, 64], "abc")),
        lambda x, size: tf.strings.length(tf.strings.substr(tf.fill([64, 64], "abc"), 7 * size, 1)),
    ],
    ids=["sizes that do not fit", "texts that are no numbers", "positions behind texts"],
)
def test_operands_that_are_not_taken_are_refused_as_in_eager_mode(operand: Callable[..., Any]) -> None:
    def f(c: Any, x: Any, size: Any) -> Any:
        y = tf.cast(operand(x, size), tf.float32)
        return tf.where(c, y, tf.reshape(x, [64, 64]))

    arguments = (tf.constant(False), tf.constant(X), tf.constant(1))
    for call in (f, tf.function(f, autograph=False, jit_compile=False)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(*arguments)

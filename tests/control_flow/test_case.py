"""`tf.case`: which function runs, and what is refused."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import millrace as tf

graph = partial(tf.function, autograph=False)
MODES = [pytest.param(lambda f: f, id="eager"), pytest.param(graph, id="graph")]
both = pytest.mark.parametrize("mode", MODES)


@both
def test_case_takes_the_first_true_predicate(mode: Any) -> None:
    def f(x):
        pairs = [(x < 3, lambda: tf.constant(1)), (x < 9, lambda: tf.constant(2))]
        return tf.case(pairs, default=lambda: tf.constant(3))

    g = mode(f)
    assert [g(tf.constant(n)).numpy() for n in (1, 5, 20)] == [1, 2, 3]


@both
def test_case_without_a_true_predicate_and_without_default_raises(mode: Any) -> None:
    f = mode(lambda x: tf.case([(x < 3, lambda: tf.constant(1)), (x < 9, lambda: tf.constant(2))]))
    assert f(tf.constant(5)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(20))


@both
def test_exclusive_case_refuses_two_true_predicates(mode: Any) -> None:
    def f(x):
        pairs = [(x < 3, lambda: tf.constant(1)), (x < 9, lambda: tf.constant(2))]
        return tf.case(pairs, default=lambda: tf.constant(3), exclusive=True)

    g = mode(f)
    assert g(tf.constant(5)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        g(tf.constant(1))


@pytest.mark.parametrize(
    ("pairs", "kind"),
    [
        ([], (ValueError, TypeError)),
        ([1], TypeError),
        ([(True, lambda: 1)], TypeError),
        ([(None, lambda: 1)], TypeError),
    ],
    ids=["empty", "no pair", "Python bool", "none"],
)
def test_malformed_pairs_raise(pairs: Any, kind: Any) -> None:
    with pytest.raises(kind):
        tf.case(pairs)

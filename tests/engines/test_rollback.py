"""Calls that are taken back."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.rollback import run_or_take_back


def _failing(x, handle):
    handle[()].value = handle[()].value + 1
    raise ValueError("no")


def test_a_call_that_succeeds_keeps_its_effects():
    v = tf.Variable(1.0)

    def run(x, handle):
        handle[()].value = handle[()].value + 1
        return [x]

    assert run_or_take_back(run, [5, v.handle._eager_array], [1], lambda error: 1 / 0) == [5]
    assert float(v) == 2.0


def test_a_call_that_fails_leaves_variables_as_they_were():
    v = tf.Variable(1.0)
    seen = []

    def otherwise(error):
        seen.append((str(error), float(v)))
        return [7]

    assert run_or_take_back(_failing, [5, v.handle._eager_array], [1], otherwise) == [7]
    assert seen == [("no", 1.0)]


def test_resources_that_are_no_variables_stay_as_they_are():
    handle = np.empty((), object)
    handle[()] = object()

    def run(handle):
        raise KeyError("table")

    with pytest.raises(KeyError, match="table"):
        run_or_take_back(run, [handle], [0], _reraise)


def _reraise(error):
    raise error

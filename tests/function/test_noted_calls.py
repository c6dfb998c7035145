"""Calls that are noted: each trace once, in the order of the first calls, and nothing after the end."""

from __future__ import annotations

from typing import Any

import millrace as tf
from millrace._src.function import noted_calls


def test_traces_come_in_the_order_of_their_first_calls() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x + 1

    first, second = f.get_concrete_function(tf.constant([1])), f.get_concrete_function(tf.constant(1))
    noted_calls.start()
    for x in ([1], 1, [2]):
        f(tf.constant(x))
    called = noted_calls.stop()
    f(tf.constant(1))
    assert [concrete.graph for concrete in called] == [first.graph, second.graph]
    assert noted_calls.stop() == []

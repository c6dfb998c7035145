"""Eager calls whose attributes are made for one call are not remembered."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.ops.uncached_calls import call_eagerly


def test_it_is_the_call_of_the_op() -> None:
    (total,) = call_eagerly(get_op("AddV2"), [1, [2, 3]], {})
    assert total.numpy().tolist() == [3, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be equal|Incompatible shapes"):
        call_eagerly(get_op("AddV2"), [[1, 2], [1, 2, 3]], {})


def test_tapes_are_told() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = call_eagerly(get_op("Mul"), [x, x], {})
    assert tape.gradient(y, x).numpy() == 6.0


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("StringFormat", lambda i: tf.strings.format(f"{i} {{}}", [tf.constant(1)])),
        ("StringFormat", lambda i: tf.print("step", i, tf.constant(1.5))),
        ("EagerPyFunc", lambda i: tf.py_function(lambda: i, [], tf.int32)),
    ],
)
def test_caches_do_not_grow(op: str, call: Any, capfd: Any) -> None:
    definition = get_op(op)
    before = len(definition.kernel_cache), len(definition.calls), len(definition.bound)
    for i in range(5):
        call(i)
    assert (len(definition.kernel_cache), len(definition.calls), len(definition.bound)) == before

"""Kernels bound for eager calls: what is used stays, what is not goes, and memory is bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.core.kernel_cache import GENERATION, KernelCache
from millrace._src.core.op_registry import get_op


@pytest.fixture
def bindings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the ops whose kernels are bound."""
    engine, names = eager_engine(), []
    bind = engine.bind

    def noted(op: Any, dtypes: Any, attrs: Any) -> Any:
        names.append(op.name)
        return bind(op, dtypes, attrs)

    monkeypatch.setattr(engine, "bind", noted)
    yield names


def test_ten_thousand_values_of_an_attribute_leave_two_generations() -> None:
    x = tf.constant([-1.0, 2.0])
    for i in range(10_000):
        tf.nn.leaky_relu(x, alpha=i / 10_000)
    assert len(get_op("LeakyRelu").kernel_cache.keys()) <= 2 * GENERATION


def test_what_is_used_stays_while_others_come_and_go(bindings: list[str]) -> None:
    x = tf.constant([-1.0, 2.0])
    tf.nn.leaky_relu(x, alpha=0.123)
    bindings.clear()
    for i in range(5 * GENERATION):
        tf.nn.leaky_relu(x, alpha=1.0 + i)
        if i % 20 == 0:
            tf.nn.leaky_relu(x, alpha=0.123)
    assert len(bindings) == 5 * GENERATION


def test_a_hit_writes_nothing() -> None:
    cache = KernelCache(generation=3)
    for key in "abc":
        cache.keep(key, key)
    assert [cache.find("a") for _ in range(5)] == ["a"] * 5
    assert list(cache.young) == ["a", "b", "c"]


def test_the_oldest_generation_goes_and_what_is_asked_for_is_young_again() -> None:
    cache = KernelCache(generation=2)
    for key in "abcd":
        cache.keep(key, key.upper())
    assert cache.find("a") == "A"
    cache.keep("e", "E")
    assert sorted(cache.keys()) == ["a", "c", "d", "e"]
    assert cache.find("b") is None
    assert cache.find([]) is None


def test_a_kernel_is_bound_once_for_each_set_of_dtypes_and_attributes(bindings: list[str]) -> None:
    x, y = tf.constant([[1.5]]), tf.constant([[2]])
    for _ in range(3):
        tf.raw_ops.BatchMatMulV2(x=x, y=x, adj_x=True)
        tf.raw_ops.BatchMatMulV2(x=y, y=y, adj_x=True)
    assert bindings.count("BatchMatMulV2") <= 2


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("StringFormat", lambda i: tf.strings.format(f"{i} {{}}", [tf.constant(1)])),
        ("StringFormat", lambda i: tf.print("step", i, tf.constant(1.5))),
        ("EagerPyFunc", lambda i: tf.py_function(lambda: i, [], tf.int32)),
        ("PyFunc", lambda i: tf.numpy_function(lambda: np.int32(i), [], tf.int32)),
        ("PyFuncStateless", lambda i: tf.raw_ops.PyFuncStateless(input=[], token="none", Tout=[])),
    ],
)
def test_attributes_made_for_one_call_are_not_kept(op: str, call: Any, capfd: Any) -> None:
    before = get_op(op).kernel_cache.keys()
    for i in range(5):
        try:
            call(i)
        except tf.errors.InternalError as error:
            assert "pyfunc" in str(error) or "none" in str(error)  # a token that names no function
    assert get_op(op).kernel_cache.keys() == before


def test_tapes_are_told_of_a_call_that_is_not_kept() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32)
    assert tape.gradient(y, x).numpy() == 6.0


def test_a_tensor_is_not_taken_for_a_list_that_was_given_before() -> None:
    x = tf.constant([1.0, 2.0])
    assert tf.raw_ops.Pack(values=[x], axis=0).shape == (1, 2)
    with pytest.raises(TypeError, match="Expected list for 'values'"):
        tf.raw_ops.Pack(values=x, axis=0)


def test_lists_that_are_split_in_another_way_are_other_calls() -> None:
    x = tf.constant(1.0)
    op = get_op("Pack")
    before = op.kernel_cache.keys()
    tf.raw_ops.Pack(values=[x] * 23, axis=-1)  # as no other test of the process calls the op
    assert {key[0] for key in op.kernel_cache.keys() - before} == {(tf.float32,) * 23}

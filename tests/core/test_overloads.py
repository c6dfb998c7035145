"""Overloads of public functions: which one a call selects, and what a function without overloads pays: nothing."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core import overloads
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.op_homes import ELEMENTWISE_OVERLOAD_HOMES, OVERLOAD_HOMES
from millrace._src.core.overloads import overload, overload_elementwise, overload_of, switch_on
from millrace._src.util.export import export


class Boxed(CompositeTensor):
    """A composite with one tensor."""

    def __init__(self, values: Any) -> None:
        self.values = tf.constant(values)


class SpecialBox(Boxed):
    """A subclass, for which the overloads of the base count."""


@overload("concat", "compat.v1.boxed", Boxed)
def boxed_concat(values: Any, axis: Any, name: str = "concat") -> Any:
    return ["concat", axis, name]


@overload_elementwise("unary", Boxed)
def boxed_unary(function: Any, x: Any) -> Any:
    return Boxed(function(x.values))


@overload_elementwise("binary", Boxed)
def boxed_binary(function: Any, x: Any, y: Any) -> Any:
    return Boxed(function(*[operand.values if isinstance(operand, Boxed) else operand for operand in (x, y)]))


@pytest.fixture(autouse=True)
def _switched_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Enters this file's class where the generated tables hold the classes of the package."""
    monkeypatch.setitem(OVERLOAD_HOMES, "Boxed", {"concat": __name__, "compat.v1.boxed": __name__})
    monkeypatch.setitem(ELEMENTWISE_OVERLOAD_HOMES, "Boxed", {"unary": __name__, "binary": __name__})
    _ = tf.concat, tf.math.tanh, tf.cast  # are exported when their modules are imported
    switch_on(Boxed)
    switch_on(Boxed)
    yield
    overloads._switched_on.discard(Boxed)


def test_value_in_a_list_selects_the_overload() -> None:
    assert tf.concat([tf.constant([1]), Boxed(1)], 0) == ["concat", 0, "concat"]
    assert tf.concat(axis=1, values=(Boxed(1),), name="n") == ["concat", 1, "n"]


def test_tensors_go_to_the_function_itself() -> None:
    np.testing.assert_array_equal(tf.concat([[1], [2]], 0), [1, 2])
    np.testing.assert_array_equal(tf.concat([tf.constant([1]), tf.constant([2])], axis=0), [1, 2])


def test_elementwise_handler_gets_the_other_arguments_with_the_function() -> None:
    np.testing.assert_allclose(tf.math.tanh(Boxed([0.0, 1.0])).values, np.tanh([0.0, 1.0]), rtol=1e-6)
    assert tf.cast(Boxed([1, 2]), tf.float16).values.dtype == tf.float16


def test_subclass_takes_the_overloads_of_its_base() -> None:
    assert tf.concat([SpecialBox(1)], 0) == ["concat", 0, "concat"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (lambda t, b: t + b, 13),
        (lambda t, b: t - b, 7),
        (lambda t, b: t * b, 30),
        (lambda t, b: t / b, 10 / 3),
        (lambda t, b: t // b, 3),
        (lambda t, b: t % b, 1),
        (lambda t, b: t**b, 1000),
        (lambda t, b: t > b, True),
        (lambda t, b: t >= b, True),
        (lambda t, b: t < b, False),
        (lambda t, b: t <= b, False),
        (lambda t, b: t == b, False),
        (lambda t, b: t != b, True),
    ],
)
def test_operator_of_a_tensor_calls_the_overload_of_the_function(expression: Any, expected: Any) -> None:
    np.testing.assert_allclose(expression(tf.constant(10), Boxed(3)).values, expected)


def test_function_exported_after_the_switch_asks_too() -> None:
    @export("compat.v1.boxed")
    def late(values: Any, axis: Any, name: str = "late") -> Any:
        return "itself"

    assert late(1, 0) == "itself"
    assert late(Boxed(1), 0) == ["concat", 0, "late"]


def test_keyword_arguments_count_after_a_call_with_a_dictionary() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tf.ragged.constant([[1]])  # gates are in place
    with pytest.raises(ValueError, match="unsupported type"):
        tf.reduce_sum({"a": x})
    assert tf.reduce_sum(x, axis=0).numpy().tolist() == [4.0, 6.0]


def test_gate_keeps_parameters_cells_and_source() -> None:
    factor = 3

    @export("test_only.gated", v1=[])
    def gated(a: int, /, b: int = 2, *rest: int, c: int, d: int = 4, **others: int) -> Any:
        return a, b, rest, c, d, others, factor

    signature, source = inspect.signature(gated), inspect.getsource(gated)
    overloads.gate_of(gated)
    assert gated(1, 5, 6, c=7, e=8) == (1, 5, (6,), 7, 4, {"e": 8}, 3)
    assert inspect.signature(gated) == signature and inspect.getsource(gated) == source
    with pytest.raises(TypeError, match=r"gated\(\) missing 1 required keyword-only argument: 'c'"):
        gated(1)  # type: ignore[call-arg]


def test_overload_of_nothing_is_none() -> None:
    assert overload_of("concat", [tf.constant(1)], 0) is None
    assert overload_of("no.such.name", Boxed(1)) is None


def test_functions_are_left_alone_until_a_value_needs_overloads() -> None:
    program = (
        "import millrace as tf\n"
        "isinstance(tf.constant(1), (tf.RaggedTensor, tf.SparseTensor))\n"
        "before = tf.concat.__code__, tf.tanh.__code__\n"
        "tf.concat([[1], [2]], 0), tf.tanh(1.0)\n"
        "from millrace._src.core import overloads\n"
        "assert (tf.concat.__code__, tf.tanh.__code__) == before and not overloads._gates\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

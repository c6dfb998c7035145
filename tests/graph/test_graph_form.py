"""Graphs of the same form compute the same thing; whatever a program depends on is part of the form."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.graph_form import form_of

X = tf.constant(np.ones((200, 3), np.float32))


def form(body: Callable[[Any], Any], shape: Any = (2, 3), dtype: Any = tf.float32) -> Hashable | None:
    """Returns the form of a traced function of one tensor."""
    graph = FuncGraph("f")
    with graph.as_default():
        result = body(graph.add_placeholder(dtype, shape, "x"))
    return form_of(graph, [result])


def twice(body: Callable[[Any], Any]) -> list[Hashable | None]:
    return [form(body) for _ in range(2)]


@pytest.mark.parametrize(
    "body",
    [
        lambda x: tf.nn.relu(x @ tf.ones([3, 3])),
        lambda x: x + tf.constant([1.0, 2.0, 3.0]),
        lambda x: tf.split(x, 3, axis=1)[1],
        lambda x: X @ tf.transpose(x),  # a capture
    ],
    ids=["ops", "constant", "several outputs", "capture"],
)
def test_a_function_traced_twice_has_one_form(body: Callable[[Any], Any]) -> None:
    first, second = twice(body)
    assert first is not None
    assert first == second
    assert hash(first) == hash(second)


def test_values_of_constants_and_attributes_are_part_of_the_form() -> None:
    forms = [form(lambda x, factor=factor: x * factor) for factor in (2.0, 3.0)]
    forms += [form(lambda x, alpha=alpha: tf.nn.leaky_relu(x, alpha)) for alpha in (0.1, 0.2)]
    assert None not in forms
    assert len(set(forms)) == 4


def test_shapes_and_dtypes_are_part_of_the_form() -> None:
    def body(x: Any) -> Any:
        return x + x

    assert len({form(body), form(body, (2, 4)), form(body, (None, 3)), form(body, dtype=tf.float64)}) == 4


def test_the_location_in_the_program_is_part_of_the_form_for_errors_name_it() -> None:
    assert form(lambda x: x + x) != form(lambda x: x + x)


def test_which_tensors_are_captured_in_which_order_is_part_of_the_form() -> None:
    other = tf.constant(np.ones((200, 3), np.float32))

    def body(x: Any, first: Any, second: Any) -> Any:
        return tf.concat([first, second], 0) @ tf.transpose(x)

    assert form(lambda x: body(x, X, other)) is not None
    forms = [form(lambda x, second=second: body(x, X, second)) for second in (X, other)]
    assert forms[0] != forms[1]


def test_handles_are_known_by_what_they_refer_to() -> None:
    variables = [tf.Variable(tf.ones([3])), tf.Variable(tf.zeros([3])), tf.Variable(1.0)]
    forms = [form(lambda x, v=v: x + v) for v in variables]
    assert forms[0] == forms[1]
    assert forms[0] != forms[2]


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x + tf.random.normal([3]),
        lambda x: tf.print(x) or x,
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x),
        lambda x: x + tf.constant(np.ones((2_000, 3), np.float32))[:2],
    ],
    ids=["random", "prints", "holds graphs", "large constant"],
)
def test_effects_inner_graphs_and_large_constants_have_no_form(body: Callable[[Any], Any]) -> None:
    assert form(body) is None


def test_a_function_that_python_has_specialized_meanwhile_keeps_its_form() -> None:
    def body(x: Any) -> Any:
        return tf.matmul(x[:, None], x[None])

    assert len({form(body, (2,)) for _ in range(200)}) == 1

"""Walks over graphs: what is needed, in an order it can run in; cycles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.graph.traversal import find_required_operations, topological_order


@st.composite
def graphs(draw: Any) -> tuple[Any, list[Any]]:
    """A graph of random nodes, and its operations shuffled."""
    with tf.Graph().as_default() as g:
        ops = [tf.constant(1.0).op]
        for _ in range(draw(st.integers(0, 12))):
            inputs = draw(st.lists(st.sampled_from(ops), min_size=1, max_size=3))
            controls = draw(st.lists(st.sampled_from(ops), max_size=2))
            with g.control_dependencies(controls):
                ops.append(tf.add_n([op.outputs[0] for op in inputs]).op)
    return g, draw(st.permutations(g.get_operations()))


def depends(op: Any) -> set[Any]:
    return {t.op for t in op.inputs} | set(op.control_inputs)


def ancestors(roots: Any) -> set[Any]:
    found: set[Any] = set()
    stack = list(roots)
    while stack:
        op = stack.pop()
        if op not in found:
            found.add(op)
            stack.extend(depends(op))
    return found


@given(graphs())
def test_each_operation_comes_after_what_it_needs(drawn: Any) -> None:
    _, operations = drawn
    order = topological_order(operations)
    assert set(order) == set(operations)
    assert len(order) == len(operations)
    position = {op: i for i, op in enumerate(order)}
    assert all(position[d] < position[op] for op in order for d in depends(op))


@given(graphs())
def test_an_order_that_is_right_is_kept(drawn: Any) -> None:
    g, _ = drawn
    assert topological_order(g.get_operations()) == g.get_operations()


@given(graphs(), st.data())
def test_exactly_the_ancestors_of_the_roots_are_required(drawn: Any, data: Any) -> None:
    g, operations = drawn
    roots = data.draw(st.lists(st.sampled_from(g.get_operations()), max_size=3))
    needed = find_required_operations(operations, roots)
    assert set(needed) == ancestors(roots)
    position = {op: i for i, op in enumerate(needed)}
    assert all(position[d] < position[op] for op in needed for d in depends(op))


def test_effects_are_required_unless_they_are_not_wanted() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0)
        tf.raw_ops.PrintV2(input="hello")
        y = x * 2.0
    with_effects = [op.type for op in find_required_operations(g.get_operations(), [y.op])]
    assert "PrintV2" in with_effects
    without = [op.type for op in find_required_operations(g.get_operations(), [y.op], with_effects=False)]
    assert without == ["Const", "Const", "Mul"]


def test_what_is_given_is_not_required_nor_what_it_needs() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0)
        y = tf.exp(x)
        z = tf.sin(y)
    assert find_required_operations(g.get_operations(), [z.op], stop=[y.op]) == [z.op]


def test_a_circle_is_an_error() -> None:
    with tf.Graph().as_default() as g:
        x = tf.exp(tf.constant(1.0), name="x")
        y = tf.exp(x, name="y")
    x.op._add_control_inputs([y.op])
    with pytest.raises(ValueError, match="cycle"):
        topological_order(g.get_operations())


def test_a_chain_of_many_operations_needs_no_recursion() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0)
        for _ in range(3000):
            x = tf.identity(x)
    operations = g.get_operations()[::-1]
    assert topological_order(operations) == operations[::-1]

"""Protocol buffers are compared field by field, numbers maybe with a tolerance."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.testing.proto_comparison import ProtoAssertions


class Case(ProtoAssertions):
    """A case that no runner runs."""

    def runTest(self) -> None:
        pass


check = Case().assertProtoEquals
NodeDef, AttrValue, GraphDef = tf.compat.v1.NodeDef, tf.compat.v1.AttrValue, tf.compat.v1.GraphDef


def test_equal_messages_pass_in_any_order_of_their_maps() -> None:
    first, second = NodeDef(name="a"), NodeDef(name="a")
    for node, names in ((first, "xy"), (second, "yx")):
        for name in names:
            node.attr[name].i = ord(name)
    check(first, second)


@pytest.mark.parametrize("expected", [NodeDef(name="b"), 'name: "b"', NodeDef(name="a", op="X"), NodeDef()])
def test_a_difference_is_shown_line_by_line(expected: Any) -> None:
    with pytest.raises(AssertionError, match=r'[+-] name: "a"|op: "X"'):
        check(expected, NodeDef(name="a"))


def test_lists_and_maps_are_compared(tmp_path: Any) -> None:
    graph = GraphDef(node=[NodeDef(name="a"), NodeDef(name="b")])
    check('node { name: "a" } node { name: "b" }', graph)
    with pytest.raises(AssertionError, match="why"):
        check('node { name: "b" } node { name: "a" }', graph, "why")
    with pytest.raises(AssertionError):
        check('node { name: "a" }', graph)
    one, other = NodeDef(), NodeDef()
    one.attr["x"].i, other.attr["x"].i = 1, 2
    with pytest.raises(AssertionError):
        check(one, other)


def test_numbers_may_be_apart_by_a_tolerance() -> None:
    close, far = AttrValue(f=1.5001), AttrValue(f=1.6)
    check(close, AttrValue(f=1.5), relative_tolerance=1e-3)
    check(AttrValue(f=float("nan")), AttrValue(f=float("nan")))
    for message, tolerance in ((far, 1e-3), (close, None)):
        with pytest.raises(AssertionError, match=r"f: 1.5"):
            check(message, AttrValue(f=1.5), relative_tolerance=tolerance)


def test_messages_of_two_classes_are_not_compared() -> None:
    for other in (GraphDef(), 3, None):
        with pytest.raises(AssertionError, match="Can't compare protos of type"):
            check(other, NodeDef())


def test_a_graph_must_have_the_versions_of_its_producer() -> None:
    graph = tf.Graph().as_graph_def()
    Case().assertProtoEqualsVersion("", graph)
    Case().assertProtoEqualsVersion(GraphDef(), GraphDef(versions={"producer": 3, "min_consumer": 2}), 3, 2)
    with pytest.raises(AssertionError, match="producer: 4"):
        Case().assertProtoEqualsVersion("", graph, producer=4)

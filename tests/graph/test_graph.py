"""`tf.Graph`: names, lookup, scopes, control dependencies, shape inference, collections, refusals."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf


def names(g: Any) -> list[str]:
    return [op.name for op in g.get_operations()]


# --- names ----------------------------------------------------------------------------------------


def test_unique_names_are_those_of_tensorflow() -> None:
    g = tf.Graph()
    given_names = ["a", "a", "A", "a_1", "a", "a_2", "a", "b/c", "b", "b/c", "a_1"]
    assert [g.unique_name(n) for n in given_names] == [
        "a", "a_1", "A_2", "a_1_1", "a_3", "a_2_1", "a_4", "b/c", "b", "b/c_1", "a_1_2",
    ]  # fmt: skip
    assert g.unique_name("b", mark_as_used=False) == "b_1"
    assert g.unique_name("b") == "b_1"


@given(st.lists(st.sampled_from(["a", "A", "a_1", "a_2", "b", "a_1_1"]), max_size=30))
def test_no_two_unique_names_are_equal_in_any_case(wanted: list[str]) -> None:
    g = tf.Graph()
    made = [g.unique_name(n) for n in wanted]
    assert len({n.lower() for n in made}) == len(made)


def test_an_operation_that_failed_keeps_its_name_reserved() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError):
            tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        assert tf.matmul(tf.ones([2, 3]), tf.ones([3, 3])).op.name == "MatMul_1"


@pytest.mark.parametrize("name", ["a b", "_a", "-a", "a:0", "é", "a$"])
def test_an_invalid_name_raises(name: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="not a valid"):
        tf.constant(1, name=name)


def test_name_scopes_are_unique_and_can_be_entered_again() -> None:
    with tf.Graph().as_default() as g:
        with tf.name_scope("a") as first:
            tf.no_op(name="x")
        with tf.name_scope("a"):
            tf.no_op(name="x")
            with tf.name_scope("b"):
                tf.no_op(name="y")
        with tf.name_scope(first):
            tf.no_op(name="x")
        with g.name_scope(None):
            tf.no_op(name="top")
        assert g.get_name_scope() == ""
    assert names(g) == ["a/x", "a_1/x", "a_1/b/y", "a/x_1", "top"]


@pytest.mark.parametrize("name", ["a b", "_a", "é"])
def test_an_invalid_scope_name_raises(name: str) -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="is not a valid root scope name"),
        tf.name_scope(name),
    ):
        pass


# --- lookup ---------------------------------------------------------------------------------------


def build() -> Any:
    with tf.Graph().as_default() as g:
        tf.split(tf.constant([1.0, 2.0], name="c"), 2, name="s")
    return g


def test_operations_and_tensors_are_found_by_name() -> None:
    g = build()
    op = g.get_operation_by_name("s")
    assert op.type == "Split"
    assert g.get_tensor_by_name("s:1") is op.outputs[1]
    assert g.as_graph_element("s:1") is op.outputs[1]
    assert g.as_graph_element("s") is op
    assert g.as_graph_element(op) is op
    assert g.as_graph_element(op.outputs[0]) is op.outputs[0]


@pytest.mark.parametrize(
    ("look", "kind", "words"),
    [
        (lambda g: g.get_operation_by_name("nothing"), KeyError, "refers to an Operation not in the graph"),
        (lambda g: g.get_operation_by_name(3), TypeError, "Operation names are strings"),
        (lambda g: g.get_operation_by_name("s:0"), ValueError, "appears to refer to a Tensor"),
        (lambda g: g.get_tensor_by_name("s"), ValueError, "refers to an Operation, not a Tensor"),
        (lambda g: g.get_tensor_by_name("nothing"), ValueError, "looks like an .invalid. Operation name"),
        (lambda g: g.get_tensor_by_name("nothing:0"), KeyError, "does not exist in the graph"),
        (lambda g: g.get_tensor_by_name("s:2"), KeyError, "exists but only has 2 outputs"),
        (lambda g: g.get_tensor_by_name("s:x"), ValueError, "looks a like a Tensor name, but is not a valid one"),
        (lambda g: g.get_tensor_by_name(None), TypeError, "Tensor names are strings"),
        (lambda g: g.as_graph_element(3), TypeError, "Can not convert a int into a Tensor or Operation"),
        (lambda g: g.as_graph_element(build().get_operations()[0]), ValueError, "is not an element of this graph"),
        (lambda g: g.as_graph_element("s", allow_operation=False), ValueError, "refers to an Operation, not a Tensor"),
        (lambda g: g.as_graph_element(g.get_tensor_by_name("s:0"), allow_tensor=False), TypeError, "Can not convert"),
    ],
)
def test_what_is_not_there_raises(look: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        look(build())


# --- operations -----------------------------------------------------------------------------------


def test_an_operation_knows_its_neighbours_and_attributes() -> None:
    with tf.Graph().as_default():
        a = tf.constant([[1.0]], name="a")
        with tf.control_dependencies([tf.no_op(name="before")]):
            m = tf.matmul(a, a, transpose_b=True, name="m")
    op = m.op
    assert [t.name for t in op.inputs] == ["a:0", "a:0"]
    assert [t.name for t in op.outputs] == ["m:0"]
    assert op.values() == tuple(op.outputs)
    assert [c.name for c in op.control_inputs] == ["before"]
    assert op.get_attr("transpose_b") is True
    assert op.get_attr("T") == tf.float32
    assert repr(op) == "<tf.Operation 'm' type=MatMul>"
    assert op.node_def.op == "MatMul"
    with pytest.raises(ValueError, match="has no attr named 'nothing'"):
        op.get_attr("nothing")


def test_get_attr_gives_strings_as_bytes_and_lists_as_lists() -> None:
    with tf.Graph().as_default():
        y = tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), strides=[1, 2, 2, 1], padding="SAME")
    assert y.op.get_attr("padding") == b"SAME"
    assert y.op.get_attr("strides") == [1, 2, 2, 1]


# --- control dependencies -------------------------------------------------------------------------


def controls(op: Any) -> list[str]:
    return [c.name for c in getattr(op, "op", op).control_inputs]


def test_control_dependencies_nest_and_can_be_cleared() -> None:
    with tf.Graph().as_default() as g:
        z, a, m = (tf.no_op(name=n) for n in "zam")
        with g.control_dependencies([z]):
            with g.control_dependencies([m, a, z]):
                c, d = tf.constant(1), tf.no_op(name="d")
                with g.control_dependencies(None):
                    e = tf.no_op(name="e")
                    with g.control_dependencies([a]):
                        f = tf.no_op(name="f")
            h = tf.no_op(name="h")
        i = tf.no_op(name="i")
    assert [controls(op) for op in (c, d, e, f, h, i)] == [["z", "m", "a"], ["z", "m", "a"], [], ["a"], ["z"], []]


def test_an_operation_does_not_wait_twice_for_what_its_inputs_wait_for() -> None:
    with tf.Graph().as_default() as g:
        a = tf.no_op(name="a")
        x = tf.constant(1.0)
        with g.control_dependencies([a]):
            y = x + 1.0
            z = y * 2.0
            w = x * 3.0
    assert controls(y) == ["a"] or controls(y) == []
    assert controls(z) == []
    assert controls(w) in (["a"], [])


def test_control_dependencies_take_tensors_operations_and_variables() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0, name="x")
        with g.control_dependencies([x, x.op, tf.no_op(name="n")]):
            y = tf.no_op(name="y")
        assert controls(y) == ["x", "n"]
        for wrong in (3, object()):
            with pytest.raises((TypeError, ValueError)), g.control_dependencies([wrong]):
                pass


def test_control_dependencies_in_eager_mode_call_functions() -> None:
    called = []
    with tf.control_dependencies([lambda: called.append(1), tf.constant(1)]):
        pass
    assert called == [1]
    with tf.control_dependencies(None):
        pass


def test_an_exception_ends_the_scope() -> None:
    with tf.Graph().as_default() as g:
        with pytest.raises(ZeroDivisionError), g.control_dependencies([tf.no_op()]), g.name_scope("s"):
            raise ZeroDivisionError
        op = tf.no_op(name="after")
    assert op.name == "after"
    assert controls(op) == []


# --- the rest -------------------------------------------------------------------------------------


def test_a_finalized_graph_takes_no_operations() -> None:
    g = tf.Graph()
    g.finalize()
    assert g.finalized
    with g.as_default(), pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        tf.constant(1)


def test_an_error_of_shape_inference_names_the_node_and_the_shapes() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"MatMul.*with input shapes: \[2,3\], \[2,3\]"):
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def test_collections() -> None:
    g = tf.Graph()
    g.add_to_collection("k", 1)
    g.add_to_collections(["k", "l"], 2)
    copy = g.get_collection("k")
    copy.append(3)
    assert g.get_collection("k") == [1, 2]
    g.get_collection_ref("k").append(4)
    assert g.get_collection("k") == [1, 2, 4]
    assert sorted(g.get_all_collection_keys()) == ["k", "l"]
    g.clear_collection("k")
    assert g.get_collection("k") == []


def test_the_version_grows_with_the_graph() -> None:
    with tf.Graph().as_default() as g:
        before = g.version
        tf.constant(1)
    assert g.version == before + 1


def test_devices_are_requested() -> None:
    with tf.Graph().as_default() as g:
        with g.device("/CPU:0"):
            x = tf.constant(1)
        y = tf.constant(1)
    assert "CPU:0" in x.op.device
    assert y.op.device == ""


def test_a_dropped_graph_is_freed() -> None:
    with tf.Graph().as_default() as g:
        tf.constant(1) + 2
    seen = weakref.ref(g)
    del g
    gc.collect()
    assert seen() is None


def test_prevented_feeds_and_fetches() -> None:
    with tf.Graph().as_default() as g:
        x = tf.constant(1)
        y = tf.constant(2)
        g.prevent_feeding(x)
        g.prevent_fetching(y.op)
    assert (g.is_feedable(x), g.is_feedable(y)) == (False, True)
    assert (g.is_fetchable(x), g.is_fetchable(y)) == (True, False)


def test_a_list_of_control_inputs_is_the_callers_own() -> None:
    with tf.Graph().as_default():
        before = tf.no_op(name="before")
        with tf.control_dependencies([before]):
            op = tf.no_op()
    op.control_inputs.clear()
    assert op.control_inputs == [before]

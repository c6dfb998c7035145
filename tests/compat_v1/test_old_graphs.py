"""Graphs with reference variables and old control flow, as messages: names, order, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf

v1 = tf.compat.v1

_VARIABLE = """
node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1.0 } } } }
node { name: "set" op: "Assign" input: "v" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bump" op: "AssignAdd" input: "v" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "before" op: "Identity" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "after" op: "Identity" input: "v" input: "^bump" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "both" op: "NoOp" input: "^set" }
"""


def _graph_def(text: str) -> Any:
    return text_format.Parse(text, v1.GraphDef())


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_graph_def(_VARIABLE), name="")
    with v1.Session(graph=graph) as sess:
        yield sess


def test_a_reference_variable_is_known_by_its_old_names(session: Any) -> None:
    with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
        session.run("v:0")
    assert session.run("both") is None and session.run("v:0") == 1.0
    assert session.run("bump:0") == 2.0 and session.run("before:0") == 2.0
    assert [float(session.run("after:0")) for _ in range(2)] == [3.0, 4.0]
    assert session.run("set:0") == 1.0 and session.run("one:0", {"one:0": 5.0}) == 5.0


def test_elements_are_returned_and_inputs_replaced() -> None:
    with tf.Graph().as_default() as graph:
        five = tf.constant(5.0)
        assign, value = tf.import_graph_def(
            _graph_def(_VARIABLE), {"one:0": five}, return_elements=["set", "after:0"], name="old"
        )
        assert (assign.name, value.name) == ("old/set", "old/after:0")
    with v1.Session(graph=graph) as sess:
        sess.run(assign)
        assert sess.run(value) == 10.0
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"not found in graph_def: \[no:0\]"):
        tf.import_graph_def(_graph_def(_VARIABLE), {"no:0": tf.constant(1.0)})


def test_a_graph_with_a_wrong_node_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="Unknown input node 'w'"):
        tf.import_graph_def(_graph_def(_VARIABLE.replace('input: "v" input: "one"', 'input: "w" input: "one"')))
    lonely = 'node { name: "a" op: "Exit" input: "a" attr { key: "T" value { type: DT_FLOAT } } }'
    with tf.Graph().as_default(), pytest.raises(tf.errors.OpError):
        tf.import_graph_def(_graph_def(lonely))

"""Graphs with ops that are not called anywhere: import, export, gradients, errors. Nothing of them runs."""

from __future__ import annotations

from google.protobuf import text_format

from tests.oracle.support import attempt

IMAGES = (
    'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
    'attr { key: "shape" value { shape { dim { size: 2 } dim { size: 2 } dim { size: 3 } } } } } '
    'node { name: "d" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
    'attr { key: "shape" value { shape { } } } } '
)
CASES = {
    "hue": IMAGES + 'node { name: "n" op: "AdjustHue" input: "x" input: "d" input: "^d" device: "/device:CPU:0" }',
    "hue_of_integers": IMAGES + 'node { name: "n" op: "AdjustHue" input: "x" input: "d" attr { key: "T" value { type: DT_INT32 } } }',
    "hue_of_one": IMAGES + 'node { name: "n" op: "AdjustHue" input: "x" }',
    "barrier": 'node { name: "n" op: "Barrier" attr { key: "component_types" value { list { type: DT_INT8 } } } }',
    "barrier_without_types": 'node { name: "n" op: "Barrier" }',
    "barrier_of_wrong_kind": 'node { name: "n" op: "Barrier" attr { key: "component_types" value { i: 3 } } }',
    "summary": IMAGES + 'node { name: "n" op: "AudioSummary" input: "x" input: "x" }',
    "reference": 'node { name: "n" op: "TemporaryVariable" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }',
    "assign_to_a_value": IMAGES + 'node { name: "n" op: "Assign" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }',
    "unknown": 'node { name: "n" op: "NoOpOfThatName" }',
}


def _graph_def(tf, text):
    return text_format.Parse(text, tf.compat.v1.GraphDef())


def _described(tf, case):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_graph_def(tf, CASES[case]), name="")
        node = graph.get_operation_by_name("n")
        return [str(node.node_def), [tensor.dtype.name for tensor in node.outputs], len(node.control_inputs)]


def prog_nodes(tf, np):
    """The node as it is written after import, its outputs, or the complaint."""
    return {case: attempt(lambda: _described(tf, case), words=5) for case in CASES}


def prog_defaults_are_written(tf, np):
    """An exported graph states what the file left out."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_graph_def(tf, CASES["barrier"]), name="")
        return sorted(graph.as_graph_def().node[0].attr)


def prog_gradient(tf, np):
    """An op without a gradient is a LookupError."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_graph_def(tf, CASES["hue"]), name="")
        y, x = graph.get_tensor_by_name("n:0"), graph.get_tensor_by_name("x:0")
        return attempt(lambda: tf.gradients(y, x), words=7)

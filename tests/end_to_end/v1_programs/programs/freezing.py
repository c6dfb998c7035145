"""Freezing: variables become constants, the graph is written, read back and run without a checkpoint."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None, 2], name="input")
    w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
    unused = tf.get_variable("unused", initializer=5.0)
    y = tf.nn.relu(tf.matmul(x, w) - 3.0, name="output")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["output"])
    tf.train.write_graph(frozen, folder, "frozen.pb", as_text=False)
print(sorted({node.op for node in frozen.node if node.op not in ("Identity", "ReadVariableOp")}))
graph_def = tf.GraphDef()
with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "rb") as f:
    graph_def.ParseFromString(f.read())
with tf.Graph().as_default():
    replaced = tf.constant([[1.0, 1.0]])
    output, = tf.import_graph_def(graph_def, return_elements=["output:0"], name="prefix")
    other, = tf.import_graph_def(graph_def, input_map={"input:0": replaced}, return_elements=["output:0"], name="other")
    print(output.name, other.name)
    with tf.Session() as sess:
        print(sess.run(output, {"prefix/input:0": [[1.0, 0.0], [2.0, 1.0]]}).tolist(), sess.run(other).tolist())

"""Graphs of TensorFlow 1 imported within `wrap_function`: variables, savers, functions of their tensors, training."""

from __future__ import annotations

import os
import tempfile

from tests.oracle.support import attempt


def _saved(tf, np):
    """Saves a trained graph of TensorFlow 1; returns the path of the checkpoint."""
    v1 = tf.compat.v1
    path = os.path.join(tempfile.mkdtemp(), "model.ckpt")
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        target = v1.placeholder(tf.float32, [None, 3], name="target")
        w = v1.get_variable("w", [2, 3], initializer=v1.ones_initializer(), use_resource=True)
        b = v1.get_variable("b", [3], initializer=v1.zeros_initializer(), use_resource=True, trainable=False)
        kind = {"collections": [v1.GraphKeys.LOCAL_VARIABLES], "use_resource": True, "trainable": False}
        v1.get_variable("calls", [], tf.int64, initializer=v1.zeros_initializer(), **kind)
        y = tf.add(tf.matmul(x, w), b, name="y")
        loss = tf.reduce_mean(tf.square(y - target), name="loss")
        v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
        saver = v1.train.Saver()
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run([w.assign(np.arange(6.0).reshape(2, 3)), b.assign([10.0, 20.0, 30.0])])
            saver.save(session, path)
    return path


def _imported(tf, path, **kwargs):
    v1 = tf.compat.v1
    return v1.wrap_function(lambda: v1.train.import_meta_graph(path + ".meta", **kwargs) and None, [])


def _told(variables):
    return [(v.name, v.shape.as_list(), v.dtype, v.trainable) for v in variables]


def prog_variables_are_listed(tf, np):
    """Global variables first, then local ones; also under a scope, twice."""
    v1 = tf.compat.v1
    path = _saved(tf, np)
    one = _imported(tf, path)

    def twice():
        v1.train.import_meta_graph(path + ".meta", import_scope="one")
        v1.train.import_meta_graph(path + ".meta", import_scope="two")

    two = v1.wrap_function(twice, [])
    with tf.name_scope("outer"):
        scoped = _imported(tf, path)
    collections = {key: [v.name for v in one.graph.get_collection(key)] for key in ("variables", "local_variables")}
    told = [_told(w.variables) for w in (one, two, scoped)]
    return told, _told(one.trainable_variables), collections, [tensor.name for tensor in one.inputs]


def prog_a_saver_restores_them(tf, np):
    """From a list, a dictionary and a part of the variables; errors of a saver of nothing."""
    v1 = tf.compat.v1
    path = _saved(tf, np)
    wrapped = _imported(tf, path)
    w, b, calls = wrapped.variables
    v1.train.Saver([w, b]).restore(sess=None, save_path=path)
    first = [w.numpy(), b.numpy()]
    y = wrapped.prune("x:0", "y:0")
    results = [y(tf.ones([1, 2]))]
    w.assign(tf.zeros([2, 3]))
    results.append(y(tf.ones([1, 2])))
    v1.train.Saver({"w": w}).restore(None, path)
    results.append(y(tf.ones([2, 2])))
    missing = attempt(lambda: v1.train.Saver([w, b, calls]).restore(None, path), words=0)
    nothing = [attempt(lambda: v1.train.Saver([]).save(None, path + "2"), words=4)]
    nothing.append(attempt(lambda: v1.train.Saver({}).restore(None, path), words=4))
    return first, results, missing, nothing


def prog_they_are_saved_again(tf, np):
    """By a saver, in eager mode, and as objects of a checkpoint."""
    v1 = tf.compat.v1
    path = _saved(tf, np)
    wrapped = _imported(tf, path)
    w, b, _ = wrapped.variables
    v1.train.Saver([w, b]).restore(None, path)
    again = v1.train.Saver([w, b]).save(None, path + "-again")
    objects = tf.train.Checkpoint(w=w, b=b).save(path + "-objects")
    names = [[name for name, _ in tf.train.list_variables(p)] for p in (again, objects)]
    return names, tf.train.load_variable(again, "w"), tf.train.load_variable(objects, "b/.ATTRIBUTES/VARIABLE_VALUE")


def prog_operations_of_the_graph_work_on_them(tf, np):
    """Initializers, the graph's own restore operation, its training."""
    path = _saved(tf, np)
    wrapped = _imported(tf, path)
    w, b, calls = wrapped.variables
    wrapped.prune([], ["w/Assign", "b/Assign", "calls/Assign"])()
    values = [w.numpy(), b.numpy(), calls.numpy()]
    restored = wrapped.prune("save/Const:0", "save/restore_all")(tf.constant(path))
    values += [w.numpy(), b.numpy()]
    step = wrapped.prune(["x:0", "target:0"], {"loss": "loss:0", "train": "train"})
    loss_now = wrapped.prune(["x:0", "target:0"], "loss:0")
    losses = []
    for _ in range(4):
        step(tf.ones([2, 2]), tf.zeros([2, 3]))
        losses.append(loss_now(tf.ones([2, 2]), tf.zeros([2, 3])))
    return values, restored, losses, w.numpy(), b.numpy()


def prog_tapes_and_functions(tf, np):
    """Gradients by imported variables, through `prune` and calls, in and out of `tf.function`."""
    v1 = tf.compat.v1
    path = _saved(tf, np)

    def model(x):
        v1.train.import_meta_graph(path + ".meta", input_map={"x:0": x})
        return v1.get_default_graph().get_tensor_by_name("y:0")

    wrapped = v1.wrap_function(model, [tf.TensorSpec([None, 2], tf.float32)])
    part = _imported(tf, path)
    found = []
    for function, variables in ((wrapped, wrapped.variables), (part.prune("x:0", "y:0"), part.variables)):
        w, b, _ = variables
        v1.train.Saver([w, b]).restore(None, path)
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(function(tf.ones([2, 2])) ** 2.0)
        found.append([total, tape.gradient(total, [w, b]), [v.name for v in tape.watched_variables()]])

        @tf.function
        def step(x, function=function, w=w):
            with tf.GradientTape() as inner:
                total = tf.reduce_sum(function(x))
            return total, inner.gradient(total, w)

        for _ in range(2):
            total, gradient = step(tf.ones([2, 2]))
            w.assign_sub(gradient)
            found.append([total, gradient, w.numpy()])
        found.append([v.name for v in function.variables])
    return found


def prog_variables_of_a_graph_def(tf, np):
    """Without a meta graph there are no collections: parts of one wrapped function share the variables."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        counter = v1.get_variable("wrapped_counter", [], initializer=v1.zeros_initializer(), use_resource=True)
        tf.identity(counter.assign_add(1.0, read_value=True), name="next")
    graph_def = graph.as_graph_def()
    wrapped = v1.wrap_function(lambda: tf.graph_util.import_graph_def(graph_def, name="") and None, [])
    wrapped.prune([], "wrapped_counter/Assign")()
    count = wrapped.prune([], "next:0")
    counts = [count(), count(), wrapped.prune([], "next:0")()]
    return len(wrapped.variables), counts, wrapped.prune([], "wrapped_counter/Read/ReadVariableOp:0")()


def prog_names_that_are_not_there(tf, np):
    """Feeds and fetches of `prune`."""
    wrapped = _imported(tf, _saved(tf, np))
    return [
        attempt(lambda: wrapped.prune("nothing:0", "y:0"), words=0),
        attempt(lambda: wrapped.prune("x:0", "nothing:0"), words=0),
        attempt(lambda: wrapped.prune("x:0", {"a": "nothing"}), words=0),
        attempt(lambda: wrapped.prune([], "y:0"), words=0),
    ]

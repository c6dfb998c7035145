"""`tf.compat.v1.Session`: fetches, feeds, errors, state, default sessions, runs in parts, callables."""

from __future__ import annotations

import collections
import re

import numpy as np

_Pair = collections.namedtuple("_Pair", "a b")


def _outcome(step):
    """What a step gives, or the class of its error and the first words of its message."""
    try:
        return _plain(step())
    except Exception as error:
        text = getattr(error, "message", None) or str(error)
        complaint = re.sub(r"(?s)^Graph execution error:\n\n", "", text)
        if "Node: '" in complaint:
            complaint = complaint.partition("Node: '")[2].partition("\n")[2]
        place = re.sub(r"_\d+$", "", getattr(getattr(error, "op", None), "name", ""))
        return [type(error).__name__, re.sub(r"0x[0-9a-f]+", "0x", complaint.splitlines()[0])[:110], place]


def _plain(value):
    if isinstance(value, dict):
        return [type(value).__name__, *[[k, _plain(v)] for k, v in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(_plain, value)]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, np.generic):
        return [type(value).__name__, value.item()]
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    return type(value).__name__


def _graph(tf):
    v1 = tf.compat.v1
    g = tf.Graph()
    with g.as_default():
        n = {}
        n["x"] = v1.placeholder(tf.float32, [None, 2], name="x")
        n["s"] = v1.placeholder(tf.int32, name="s")
        n["t"] = v1.placeholder(tf.string, [], name="t")
        n["y"] = n["x"] * 2.0
        n["c"] = tf.constant(3, name="c")
        n["d"] = n["c"] + 1
        n["group"] = tf.group(n["y"], name="group")
        n["bf"] = tf.constant(1.5, tf.bfloat16)
        n["z"] = tf.constant(1 + 2j, tf.complex64)
        n["q"] = tf.constant([1, 2]) // tf.constant([1, 0])
        n["pd"] = v1.placeholder_with_default(5, [], name="pd")
        n["pd2"] = n["pd"] * 2
        n["ck"] = tf.debugging.check_numerics(n["x"], "bad")
        n["ga"] = tf.gather([1, 2], n["s"])
        n["sp"] = v1.sparse_placeholder(tf.float32, name="sp")
        n["sp2"] = n["sp"] * 2.0
        n["rg"] = v1.ragged.placeholder(tf.int32, 1, [])
        n["rg2"] = n["rg"] + 1
    return v1, g, n


_X = np.ones((1, 2), np.float32)


def _fetch(make):
    def program(tf):
        v1, g, n = _graph(tf)
        with v1.Session(graph=g) as sess:
            return _outcome(lambda: sess.run(make(n), {n["x"]: _X, n["s"]: 1, n["t"]: "a"}))

    return program


def _feed(fetch, key, value):
    def program(tf):
        v1, g, n = _graph(tf)
        with v1.Session(graph=g) as sess:
            feed = {n[key] if isinstance(key, str) and key in n else key: value(v1) if callable(value) else value}
            return _outcome(lambda: sess.run(n[fetch], feed))

    return program


PROGRAMS = {
    "fetch_tensor": _fetch(lambda n: n["c"]),
    "fetch_name": _fetch(lambda n: "c:0"),
    "fetch_operation_name": _fetch(lambda n: "c"),
    "fetch_operation": _fetch(lambda n: n["group"]),
    "fetch_list": _fetch(lambda n: [n["c"], n["d"], n["c"]]),
    "fetch_tuple": _fetch(lambda n: (n["c"], [n["d"]])),
    "fetch_dict": _fetch(lambda n: {"a": n["c"], "b": [n["d"], n["c"].op]}),
    "fetch_namedtuple": _fetch(lambda n: list(_Pair(n["c"], n["d"]))),
    "fetch_ordered_dict": _fetch(lambda n: collections.OrderedDict([("z", n["c"]), ("a", n["d"])])),
    "fetch_nothing": _fetch(lambda n: []),
    "fetch_none": _fetch(lambda n: None),
    "fetch_number": _fetch(lambda n: 3),
    "fetch_none_in_list": _fetch(lambda n: [n["c"], None]),
    "fetch_unknown_tensor": _fetch(lambda n: "no:0"),
    "fetch_unknown_operation": _fetch(lambda n: "no"),
    "fetch_unknown_output": _fetch(lambda n: "c:5"),
    "fetch_no_name": _fetch(lambda n: "c:x"),
    "fetch_bfloat16": _fetch(lambda n: [n["z"], "add:0"]),
    "fetch_the_fed": _fetch(lambda n: [n["s"], n["x"]]),
    "feed_placeholder": _feed("y", "x", _X),
    "feed_name": _feed("y", "x:0", _X),
    "feed_operation_name": _feed("y", "nothing", _X),
    "feed_number_key": _feed("y", 3, _X),
    "feed_list": _feed("y", "x", [[1, 2], [3, 4]]),
    "feed_wrong_columns": _feed("y", "x", np.ones((1, 3))),
    "feed_wrong_rank": _feed("y", "x", np.ones(3)),
    "feed_text": _feed("y", "x", "abc"),
    "feed_none": _feed("y", "x", None),
    "feed_constant": _feed("d", "c", 10),
    "feed_float_for_integer": _feed("d", "c", 1.9),
    "feed_float64": _feed("d", "c", np.float64(2.0)),
    "feed_too_large": _feed("d", "c", 2**40),
    "feed_bool": _feed("d", "c", True),
    "feed_between": _feed("y", "y", _X * 7),
    "feed_text_for_string": _feed("t", "t", b"hey"),
    "feed_number_for_string": _feed("t", "t", 3),
    "feed_default": _feed("pd2", "pd", 7),
    "feed_sparse": _feed("sp2", "sp", lambda v1: v1.SparseTensorValue([[0, 0]], [1.0], [2, 2])),
    "feed_sparse_tuple": _feed("sp2", "sp", ([[0, 0]], [1.0], [2, 2])),
    "feed_nothing": _feed("y", "c", 3),
    "fail_division": _feed("q", "c", 3),
    "fail_check": _feed("ck", "x", [[np.nan, 1.0]]),
    "fail_gather": _feed("ga", "s", 5),
    "no_feed_shapeless": _feed("s", "c", 3),
}


def _program(function):
    PROGRAMS[function.__name__.lstrip("_")] = function
    return function


@_program
def _sparse_and_ragged_values(tf):
    v1, g, n = _graph(tf)
    with v1.Session(graph=g) as sess:
        sparse = sess.run(n["sp2"], {n["sp"]: ([[0, 1]], [1.5], [2, 2])})
        ragged = sess.run(n["rg2"], {n["rg"]: v1.ragged.constant_value([[1], [2, 3]], dtype=np.int32)})
        return [type(sparse).__name__, _plain(sparse.values), type(ragged).__name__, ragged.to_list()]


@_program
def _eval_and_run(tf):
    v1, g, n = _graph(tf)
    steps = [lambda: n["c"].eval(), lambda: n["c"].op.run(), lambda: v1.get_default_session() is None]
    found = [_outcome(step) for step in steps]
    sess = v1.Session(graph=g)
    with sess.as_default():
        found += [_outcome(step) for step in steps] + [_outcome(lambda: n["d"].eval({n["c"]: 9}))]
        with tf.Graph().as_default():
            other = tf.constant(1)
            found += [_outcome(lambda: other.eval()), _outcome(lambda: other.op.run())]
        found += [_outcome(lambda: other.eval(session=sess)), _outcome(lambda: other.op.run(session=sess))]
    return [*found, _outcome(lambda: n["c"].eval(session=sess))]


@_program
def _with_session(tf):
    v1, g, n = _graph(tf)
    with v1.Session(graph=g) as sess:
        inside = [v1.get_default_graph() is g, v1.get_default_session() is sess, tf.executing_eagerly()]
    return [inside, _outcome(lambda: sess.run(n["c"])), sess.graph is g, v1.get_default_session() is None]


@_program
def _closed(tf):
    v1, g, n = _graph(tf)
    sess = v1.Session(graph=g)
    call = sess.make_callable(n["c"])
    sess.close()
    return [call is not None, _outcome(lambda: sess.run(n["c"])), _outcome(sess.close)]


@_program
def _impossible(tf):
    v1 = tf.compat.v1
    return [
        _outcome(lambda: v1.Session(graph=tf.Graph()).run("x")),
        _outcome(lambda: v1.Session(graph=3))[0],
        _outcome(lambda: v1.Session(config=3))[0],
        _outcome(lambda: v1.Session(3))[0],
        _outcome(lambda: v1.Session("moon"))[0],
    ]


@_program
def _grown_and_finalized(tf):
    v1, g, n = _graph(tf)
    sess = v1.Session(graph=g)
    first = _outcome(lambda: sess.run(n["c"]))
    with g.as_default():
        e = n["c"] * 5
    second = _outcome(lambda: sess.run(e))
    g.finalize()

    def add():
        with g.as_default():
            return tf.constant(4)

    return [first, second, _outcome(lambda: sess.run([e, n["d"]])), _outcome(add)]


@_program
def _callables(tf):
    v1, g, n = _graph(tf)
    sess = v1.Session(graph=g)
    call = sess.make_callable([n["y"], n["c"]], [n["x"]])
    named = sess.make_callable(n["group"], feed_list=["x:0"])
    with_options = sess.make_callable(n["d"], [n["c"]], accept_options=True)
    return [
        _outcome(lambda: call(_X)),
        _outcome(lambda: call(np.ones((1, 3), np.float32))),
        _outcome(lambda: named(_X)),
        _outcome(lambda: with_options(5, options=v1.RunOptions(), run_metadata=v1.RunMetadata())),
        _outcome(call)[0],
    ]


@_program
def _variables_of_sessions(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer(), use_resource=True)
        add = v1.assign_add(v, [1.0, 2.0])
        init = v1.global_variables_initializer()
    one, two = v1.Session(graph=g), v1.Session(graph=g)
    found = [_outcome(lambda: one.run(v))[0], _outcome(lambda: one.run(init))]
    found += [_outcome(lambda: one.run(add)) for _ in range(2)]
    return [*found, _outcome(lambda: two.run(init)), _outcome(lambda: two.run(v)), _outcome(lambda: one.run(v))]


@_program
def _control_dependencies(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        v = v1.get_variable("v", [], initializer=v1.zeros_initializer(), use_resource=True)
        w = v1.get_variable("w", [], initializer=v1.zeros_initializer(), use_resource=True)
        bump = v1.assign_add(v, 1.0)
        with tf.control_dependencies([bump]):
            after = v.read_value() + 10.0
            with tf.control_dependencies(None):
                apart = tf.identity(w)
        other = v1.assign_add(w, 5.0)
    sess = v1.Session(graph=g)
    sess.run([v.initializer, w.initializer])
    return [_outcome(lambda: sess.run(t)) for t in (after, after, apart, other.op, w, v)]


@_program
def _random_streams(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        v1.set_random_seed(7)
        a = tf.random.uniform([2])
        b = tf.random.normal([2], seed=3)
        c = a + b
    one, two = v1.Session(graph=g), v1.Session(graph=g)
    return [_outcome(lambda: s.run(t)) for s in (one, two) for t in (a, b, c, [a, b], c)]


@_program
def _partial_runs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        a, b = v1.placeholder(tf.float32, [], name="a"), v1.placeholder(tf.float32, [], name="b")
        total = tf.add(a, b, name="total")
        scaled = tf.multiply(total, 10.0, name="scaled")
        last = tf.add(scaled, a, name="last")
    sess = v1.Session(graph=g)
    handle = sess.partial_run_setup([total, scaled, last], [a, b])
    found = [
        _outcome(lambda: sess.partial_run(handle, total, {a: 1.0, b: 2.0})),
        _outcome(lambda: sess.partial_run(handle, scaled)),
        _outcome(lambda: sess.partial_run(handle, scaled)),
        _outcome(lambda: sess.partial_run(handle, [last])),
        _outcome(lambda: sess.partial_run(handle, [last])),
        _outcome(lambda: sess.partial_run_setup([total], [a, total])),
    ]
    handle = sess.partial_run_setup([total], [a, b])
    found.append(_outcome(lambda: sess.partial_run(handle, scaled, {a: 1.0, b: 1.0})))
    handle = sess.partial_run_setup([total], [a, b])
    return [*found, _outcome(lambda: sess.partial_run(handle, total, {scaled: 1.0}))]


@_program
def _session_tensors(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        a = v1.placeholder(tf.float32, [2], name="a")
        kept, added = v1.get_session_handle(a * 2.0), a + 1.0
    sess = v1.Session(graph=g)
    handle = sess.run(kept, {a: [1.0, 2.0]})
    found = [str(handle), _outcome(handle.eval), _outcome(lambda: sess.run(added, {a: handle}))]
    with g.as_default():
        holder, tensor = v1.get_session_tensor(handle.handle, tf.float32)
        deleted, delete = v1.delete_session_tensor(handle.handle)
    found += [_outcome(lambda: sess.run(tensor, {holder: handle.handle}))]
    found += [_outcome(lambda: sess.run(delete, {deleted: handle.handle})) for _ in range(2)]
    return [*found, _outcome(lambda: sess.run(tensor, {holder: handle.handle})), tensor.op.type]


@_program
def _interactive(tf):
    v1 = tf.compat.v1
    g = tf.Graph()
    sess = v1.InteractiveSession(graph=g)
    found = [v1.get_default_session() is sess, v1.get_default_graph() is g, _outcome(lambda: (tf.constant(2) * 3).eval())]
    sess.close()
    return [*found, v1.get_default_session() is None, tf.executing_eagerly()]


@_program
def _reset(tf):
    v1, g, n = _graph(tf)
    sess = v1.Session(graph=g)
    found = [_outcome(lambda: sess.run(n["c"])), _outcome(lambda: v1.Session.reset(""))]
    return [*found, _outcome(lambda: sess.run(n["c"]))]


@_program
def _equality_and_hash(tf):
    v1, g, n = _graph(tf)
    x, c = n["x"], n["y"]
    outside = [hash(x) == hash(x), {x: 1}[x], x in {x: 2}]
    with g.as_default():
        inside = [x == x, x != c, len({x, c, x})]

    @tf.function
    def odd(value):
        return tf.where(value % 2 == 0, 0, 1)

    with g.as_default():
        traced = odd(tf.constant(4))
    return [outside, inside, _outcome(lambda: v1.Session(graph=g).run(traced))]


@_program
def _queues_between_runs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        queue = tf.queue.FIFOQueue(3, [tf.int32], [[]])
        value = v1.placeholder(tf.int32, [])
        put, get, size, close = queue.enqueue(value), queue.dequeue(), queue.size(), queue.close()
    sess = v1.Session(graph=g)
    found = [_outcome(lambda v=v: sess.run(put, {value: v})) for v in (4, 5)]
    found += [_outcome(lambda: sess.run(t)) for t in (size, get, close, get)]
    return [*found, _outcome(lambda: sess.run(get))[0], _outcome(lambda: sess.run(put, {value: 1}))[0]]


@_program
def _timeout(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as g:
        get = tf.queue.FIFOQueue(3, [tf.int32], [[]]).dequeue()
    return _outcome(lambda: v1.Session(graph=g).run(get, options=v1.RunOptions(timeout_in_ms=20)))[0]


def _of_two(program):
    return lambda tf, np: program(tf)


globals().update({f"prog_{name}": _of_two(program) for name, program in PROGRAMS.items()})

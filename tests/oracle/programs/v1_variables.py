"""tf.compat.v1: get_variable, variable scopes, collections, assignments."""

from __future__ import annotations

from tests.oracle.programs._v1_helpers import eagerly, in_session, initialized, named, operations, said


def _reuse(tf, v1, s, np):
    with v1.variable_scope("a"):
        v = v1.get_variable("v", [1])
    with v1.variable_scope("a", reuse=True):
        return [
            v1.get_variable("v") is v,
            said(lambda: v1.get_variable("v", [2])),
            said(lambda: v1.get_variable("v", [1], tf.int32)),
            said(lambda: v1.get_variable("w", [1])),
        ]


def _auto_reuse(tf, v1, s, np):
    with v1.variable_scope("a", reuse=v1.AUTO_REUSE) as scope:
        return str(scope.reuse), v1.get_variable("v", [1]) is v1.get_variable("v", [1])


def _scope_names(tf, v1, s, np):
    found = []
    with v1.variable_scope("a") as a:
        with v1.variable_scope("b") as b:
            found += [a.name, b.name, a.original_name_scope, b.original_name_scope, v1.get_variable("v", [1]).name]
    with v1.variable_scope("a") as again:
        found += [again.original_name_scope, tf.constant(1, name="c").name, v1.get_variable("w", [1]).name]
    with v1.variable_scope(a) as opened:
        found += [opened.original_name_scope, tf.constant(1, name="c").name, opened is a]
    with v1.variable_scope(b, auxiliary_name_scope=False) as opened:
        found += [opened.original_name_scope, tf.constant(1, name="c").name, v1.get_variable("x", [1]).name]
    with tf.name_scope("n"), v1.variable_scope("m") as inner:
        found += [inner.name, inner.original_name_scope, v1.get_variable("x", [1]).name]
    with v1.variable_scope("") as root:
        found += [root.name, root.original_name_scope, v1.get_variable("y", [1]).name]
    return found


def _default_names(tf, v1, s, np):
    def name(default):
        with v1.variable_scope(None, default) as scope:
            return scope.name

    found = [name("d"), name("d")]
    with v1.variable_scope("a") as a:
        found += [name("d"), name("d")]
    with v1.variable_scope("a"):
        found += [name("d")]
    with v1.variable_scope(a):
        found += [name("d"), name("d")]
    with v1.variable_scope(v1.get_variable_scope()):
        found += [name("d")]
    return [*found, name("d"), name("a")]


def _inherited(tf, v1, s, np):
    with v1.variable_scope("a", initializer=v1.ones_initializer(), dtype=tf.float64) as a:
        v = v1.get_variable("v", [2])
        with v1.variable_scope("b", dtype=tf.float32) as b:
            w = v1.get_variable("w", [2])
    initialized(v1, s)
    return [a.dtype, b.dtype, v.dtype, w.dtype, a.use_resource, a.partitioner, a.reuse, *s.run([v, w])]


def _reuse_flags(tf, v1, s, np):
    found = []
    with v1.variable_scope("a") as a:
        a.reuse_variables()
        found.append(a.reuse)
        for reuse in (False, None, v1.AUTO_REUSE):
            with v1.variable_scope("b", reuse=reuse) as b:
                found.append(str(b.reuse))
    with v1.variable_scope("a") as again:
        found.append(again.reuse)
    with v1.variable_scope(a) as again:
        found.append(again.reuse)
    return found


def _getters(tf, v1, s, np):
    seen = []

    def ending(end):
        def getter(getter, name, *args, **kwargs):
            seen.append((name, args, sorted(kwargs), kwargs["trainable"], kwargs["reuse"], kwargs["shape"]))
            return getter(name + end, *args, **kwargs)

        return getter

    with v1.variable_scope("a", custom_getter=ending("_1")), v1.variable_scope("b", custom_getter=ending("_2")):
        v = v1.get_variable("v", [1])
        w = v1.get_variable("w", [1], custom_getter=lambda getter, *args, **kwargs: getter(*args, **kwargs) * 2)
    return v.name, type(w).__name__ != type(v).__name__, seen


def _regularizers(tf, v1, s, np):
    seen = []

    def regularizer(variable):
        seen.append(variable.name)
        return tf.reduce_sum(variable)

    with v1.variable_scope("b", regularizer=regularizer):
        v1.get_variable("w", [2], regularizer=v1.no_regularizer)
        v1.get_variable("v", [2])
        v1.get_variable("n", [2], regularizer=lambda variable: None)
    with v1.variable_scope("b", reuse=True):
        v1.get_variable("v", [2])
    return seen, len(v1.get_collection("regularization_losses")), operations(tf, "b/v/Regularizer")


def _bad_get_variable(tf, v1, s, np):
    return [
        said(call)
        for call in [
            lambda: v1.get_variable("v"),
            lambda: v1.get_variable("v", initializer=v1.zeros_initializer()),
            lambda: v1.get_variable("v", [1], initializer=tf.zeros([1])),
            lambda: v1.get_variable("v", [2], initializer=3),
            lambda: v1.get_variable("v", [None, 2]),
            lambda: v1.get_variable("v", dtype=tf.int32, initializer=3.0),
            lambda: v1.get_variable("v", [2], collections="a"),
            lambda: v1.get_variable("v", [2], tf.complex64),
            lambda: v1.get_variable("a b", [2]),
            lambda: v1.get_variable("v", [2], custom_getter=3),
            lambda: v1.get_variable("v", [2], constraint=3),
            lambda: v1.variable_scope(None),
            lambda: v1.variable_scope(3).__enter__(),
            lambda: v1.variable_scope("a", reuse=3).__enter__(),
            lambda: v1.variable_scope("a", auxiliary_name_scope=3),
        ]
    ]


def _initial_values(tf, v1, s, np):
    variables = [
        v1.get_variable("a", [2], tf.int32),
        v1.get_variable("b", [2], tf.bool),
        v1.get_variable("c", [2], tf.string),
        v1.get_variable("d", initializer=tf.constant([1.0, 2.0])),
        v1.get_variable("e", initializer=[1, 2]),
        v1.get_variable("f", initializer=lambda: [1.0, 2.0]),
        v1.get_variable("g", [2], initializer=v1.ones_initializer),
        v1.get_variable("h", [2], initializer=lambda shape, dtype, partition_info: tf.fill(shape, 3.0)),
        v1.get_variable("i", [2], initializer=tf.ones_initializer()),
        v1.get_variable("j", initializer=["x", "y"]),
    ]
    initialized(v1, s)
    return s.run(variables)


def _operations_of_a_variable(tf, v1, s, np):
    with v1.variable_scope("a"):
        v1.get_variable("v", [2, 3])
    v1.Variable([1.0, 2.0], name="q")
    v1.Variable(tf.zeros([2]), name="z")
    classes = [op.colocation_groups() for op in tf.compat.v1.get_default_graph().get_operations()]
    return operations(tf), classes


def _constructor(tf, v1, s, np):
    placeholder = v1.placeholder(tf.float32, [None])
    return [
        said(call)
        for call in [
            lambda: v1.Variable(),
            lambda: v1.Variable(3.0, constraint=4),
            lambda: v1.Variable(3.0, collections="x"),
            lambda: v1.Variable(3.0, shape=[2]),
            lambda: v1.Variable(3.0, shape=None, expected_shape=[1]).shape,
            lambda: v1.Variable(placeholder).shape,
            lambda: v1.Variable(placeholder, use_resource=False),
            lambda: v1.Variable(placeholder, validate_shape=False, use_resource=False).dtype.base_dtype,
            lambda: v1.Variable(lambda: 3.0, dtype=tf.float64).dtype,
            lambda: v1.Variable(3.0, trainable=False, name="n").trainable,
        ]
    ]


def _collections_of_variables(tf, v1, s, np):
    v1.Variable(1.0, name="a")
    v1.Variable(1.0, name="b", trainable=False)
    v1.Variable(1.0, name="c", collections=["mine", "other"])
    v1.get_local_variable("d", [1], collections=["mine"])
    with v1.variable_scope("s") as scope:
        v1.get_variable("e", [1])
    return [
        named(v1.global_variables()),
        named(v1.trainable_variables()),
        named(v1.local_variables()),
        named(v1.get_collection("mine")),
        named(v1.global_variables("s/")),
        named(v1.all_variables()),
        named(scope.global_variables()),
        named(scope.trainable_variables()),
        named(scope.local_variables()),
        v1.model_variables(),
        v1.moving_average_variables(),
    ]


def _collections(tf, v1, s, np):
    v1.add_to_collection("q", 3)
    v1.add_to_collections(["q", "r"], 4)
    v1.add_to_collections("t", 5)
    v1.get_collection_ref("r").append(6)
    copy = v1.get_collection("q")
    copy.append(7)
    return v1.get_collection("q"), v1.get_collection("r"), v1.get_collection("t"), v1.get_collection("none")


def _keys(tf, np):
    keys = tf.compat.v1.GraphKeys
    return {name: getattr(keys, name) for name in dir(keys) if name.isupper() and not name.startswith("_")}


def _initializers_of_variables(tf, v1, s, np):
    v, w = v1.get_variable("v", initializer=[1.0]), v1.get_local_variable("w", initializer=2.0)
    missing = v1.report_uninitialized_variables()
    found = [
        s.run(missing),
        s.run(v1.is_variable_initialized(v)),
        said(lambda: s.run(v1.assert_variables_initialized([v]))),
    ]
    s.run(v1.variables_initializer([v], name="mine"))
    found += [s.run(missing), s.run(v)]
    s.run(v1.local_variables_initializer())
    found += [s.run(missing), s.run(w), s.run(v1.report_uninitialized_variables([]))]
    return found, operations(tf, "mine"), operations(tf, "init")


def _uninitialized(tf, v1, s, np):
    v = v1.get_variable("v", [2])
    return said(lambda: s.run(v), 4), said(lambda: s.run(v + 1.0), 4)


def _assignments(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[1.0, 2.0])
    initialized(v1, s)
    found = []
    for call in [
        lambda: v1.assign(v, [3.0, 4.0]),
        lambda: v1.assign_add(v, [1.0, 1.0]),
        lambda: v1.assign_sub(v, [2.0, 1.0], name="less"),
        lambda: v1.scatter_add(v, [0], [1.0]),
        lambda: v1.scatter_sub(v, [0, 0], [1.0, 1.0]),
        lambda: v1.scatter_mul(v, [1], [2.0]),
        lambda: v1.scatter_div(v, [1], [4.0]),
        lambda: v1.scatter_min(v, [0], [-1.0]),
        lambda: v1.scatter_max(v, [0], [9.0]),
        lambda: v1.scatter_update(v, [1], [5.0]),
        lambda: v1.scatter_nd_add(v, [[0]], [1.0]),
        lambda: v1.scatter_nd_sub(v, [[1]], [1.0]),
        lambda: v1.scatter_nd_update(v, [[0]], [0.5]),
    ]:
        result = call()
        found.append((result.op.type, result.name, s.run(result)))
    return found


def _bad_assignments(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[1.0, 2.0])
    return [
        said(lambda: v1.assign(v, [1.0])),
        said(lambda: v1.assign(v, ["a", "b"]), 0),
        said(lambda: v1.count_up_to(v, 3), 0),
    ]


def _counting(tf, v1, s, np):
    v = v1.get_variable("v", initializer=1)
    initialized(v1, s)
    step = v1.count_up_to(v, 3)
    return s.run(step), s.run(step), said(lambda: s.run(step), 0), s.run(v)


def _batch_scatter(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]])
    initialized(v1, s)
    return s.run(v1.batch_scatter_update(v, [[0], [1]], [[7.0], [8.0]]))


def _definitions(tf, v1, s, np):
    with v1.variable_scope("a"):
        v = v1.get_variable(
            "v",
            initializer=[1.0],
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
    part = list(v1.get_variable("p", [4], partitioner=v1.fixed_size_partitioner(2)))[1]
    proto = v.to_proto()
    again = v1.Variable(variable_def=proto)
    initialized(v1, s)
    return [
        str(proto),
        str(part.to_proto()),
        str(v.to_proto(export_scope="a")),
        v.to_proto(export_scope="b"),
        [again.name, again.initializer.name, again.trainable, again.dtype, again.shape, s.run(again)],
        said(lambda: v1.Variable(3.0, variable_def=proto)),
    ]


def _loading(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[1.0, 2.0])
    found = []
    v.load([5.0, 6.0], s)
    found.append(v.eval(s))
    with s.as_default():
        v.load([7.0, 8.0])
        found.append(v.eval())
    return [*found, v.initial_value.name, v.initializer.name, v.op.name, v.value().name, v.read_value().name]


def _caching_device(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[1.0], caching_device="/cpu:0")
    y = v + 1.0
    initialized(v1, s)
    return s.run(y), operations(tf, "v/Read"), operations(tf, "add")


def _functions_in_a_graph(tf, v1, s, np):
    @tf.function
    def scaled(x):
        with v1.variable_scope("fs", reuse=v1.AUTO_REUSE):
            return v1.get_variable("v", [1], initializer=v1.ones_initializer()) * x

    values = scaled(tf.constant(2.0)), scaled(tf.constant([3.0]))
    initialized(v1, s)
    return s.run(values), named(v1.global_variables())


def _eager(tf, v1, np):
    v = v1.get_variable("v", initializer=[1.0])
    with v1.variable_scope("a", reuse=True) as scope:
        w = v1.get_variable("w", initializer=[2.0])
        inside = tf.Variable(1.0).name
    return [
        v.name,
        w.name,
        inside,
        str(scope.reuse),
        scope.original_name_scope,
        v is v1.get_variable("v", initializer=[1.0]),
        v1.global_variables_initializer(),
        v1.variables_initializer([v]),
        v.initializer,
        bool(v1.is_variable_initialized(v)),
        said(lambda: v.initial_value),
        said(lambda: v.to_proto()),
    ]


def _eager_function(tf, v1, np):
    @tf.function
    def scaled(x):
        with v1.variable_scope("of_a_function", reuse=v1.AUTO_REUSE):
            return v1.get_variable("v", [1], initializer=v1.ones_initializer()) * x

    return scaled(tf.constant(2.0)), scaled(tf.constant([3.0]))


def _op_scopes(tf, v1, s, np):
    value = tf.constant(1)
    with v1.variable_op_scope([value], None, "x") as scope, v1.op_scope([value], None, "y") as name:
        return scope.name, name, v1.get_variable("v", [1]).name, tf.constant(1, name="c").name


def _creators(tf, v1, s, np):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(sorted(kwargs))
        kwargs["name"] = "other"
        return next_creator(**kwargs)

    with v1.variable_creator_scope(creator):
        return v1.get_variable("v", [1]).name, v1.Variable(1.0).name, seen


def _references(tf, v1, s, np):
    v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    initialized(v1, s)
    changed = v1.assign_add(v, [1.0, 1.0])
    return (
        isinstance(v, v1.Variable),
        v.dtype.base_dtype,
        s.run(v),
        s.run(changed),
        s.run(v.initialized_value()),
        v.op.name,
        v.initializer.name,
    )


_IN_A_SESSION = {
    "reuse": _reuse,
    "auto_reuse": _auto_reuse,
    "scope_names": _scope_names,
    "default_names": _default_names,
    "inherited": _inherited,
    "reuse_flags": _reuse_flags,
    "getters": _getters,
    "regularizers": _regularizers,
    "bad_get_variable": _bad_get_variable,
    "initial_values": _initial_values,
    "operations_of_a_variable": _operations_of_a_variable,
    "constructor": _constructor,
    "collections_of_variables": _collections_of_variables,
    "collections": _collections,
    "initializers_of_variables": _initializers_of_variables,
    "uninitialized": _uninitialized,
    "assignments": _assignments,
    "bad_assignments": _bad_assignments,
    "counting": _counting,
    "batch_scatter": _batch_scatter,
    "definitions": _definitions,
    "loading": _loading,
    "caching_device": _caching_device,
    "functions_in_a_graph": _functions_in_a_graph,
    "op_scopes": _op_scopes,
    "creators": _creators,
    "references": _references,
}
_EAGERLY = {
    "eager": _eager,
    "eager_function": _eager_function,
}

globals().update(
    {
        **{f"prog_{name}": in_session(call) for name, call in _IN_A_SESSION.items()},
        **{f"prog_{name}": eagerly(call) for name, call in _EAGERLY.items()},
        "prog_keys": _keys,
    }
)

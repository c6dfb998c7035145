"""tf.compat.v1: partitioned variables and templates."""

from __future__ import annotations

from tests.oracle.programs._v1_helpers import eagerly, in_session, initialized, named, operations, said


def _partition(tf, v1, s, np):
    whole = v1.get_variable("v", [10, 3], partitioner=v1.fixed_size_partitioner(3), initializer=v1.ones_initializer())
    parts = [(p.name, p.shape.as_list(), p._save_slice_info.spec) for p in whole]
    initialized(v1, s)
    s.run([part.assign(tf.fill(part.shape, float(i))) for i, part in enumerate(whole)])
    joined = s.run(whole.as_tensor())
    s.run(whole.assign(tf.reshape(tf.range(30.0), [10, 3])))
    return parts, whole.name, whole.shape, whole.dtype, len(whole), joined, s.run(tf.convert_to_tensor(whole))


def _partition_operations(tf, v1, s, np):
    whole = v1.get_variable("v", [5], partitioner=v1.fixed_size_partitioner(2), initializer=v1.zeros_initializer())
    whole.as_tensor()
    tf.convert_to_tensor(whole)
    return operations(tf)


def _partition_reuse(tf, v1, s, np):
    whole = v1.get_variable("v", [4], partitioner=v1.fixed_size_partitioner(2))
    v1.get_variable("w", [4])
    found = [
        said(lambda: v1.get_variable("v", [4])),
        said(lambda: v1.get_variable("w", [4], partitioner=v1.fixed_size_partitioner(2))),
    ]
    with v1.variable_scope("", reuse=True):
        found += [
            v1.get_variable("v", [4]) is whole,
            v1.get_variable("v", [4], partitioner=v1.fixed_size_partitioner(2)) is whole,
            said(lambda: v1.get_variable("v", [4], partitioner=v1.fixed_size_partitioner(4))),
            said(lambda: v1.get_variable("v", [5], partitioner=v1.fixed_size_partitioner(2))),
        ]
    return found


def _partition_values(tf, v1, s, np):
    by_two = v1.fixed_size_partitioner(2)
    wholes = [
        v1.get_variable("a", initializer=tf.range(5.0), partitioner=by_two),
        v1.get_variable(
            "b",
            [5],
            initializer=lambda shape, dtype, partition_info: tf.fill(shape, partition_info.var_offset[0]),
            partitioner=by_two,
        ),
        v1.get_variable("c", [3, 3], initializer=v1.initializers.identity(), partitioner=by_two),
        v1.get_variable(
            "d", [2, 5], initializer=v1.ones_initializer(), partitioner=v1.fixed_size_partitioner(2, axis=1)
        ),
    ]
    s.run([part.initializer for whole in wholes for part in whole])
    return [s.run(list(whole)) for whole in wholes]


def _bad_partitioners(tf, v1, s, np):
    def get(partitioner, shape=(4, 4)):
        return said(lambda: v1.get_variable("bad", list(shape), partitioner=partitioner))

    return [
        get(3),
        get(lambda shape, dtype: 3),
        get(lambda shape, dtype: [2]),
        get(lambda shape, dtype: [0, 1]),
        get(lambda shape, dtype: [2, 2]),
        get(lambda shape, dtype: [5, 1]),
        said(lambda: v1.get_variable("bad", partitioner=lambda shape, dtype: [2])),
        said(lambda: v1.variable_axis_size_partitioner(0)),
        said(lambda: v1.variable_axis_size_partitioner(8, bytes_per_string_element=0)),
        said(lambda: v1.min_max_variable_partitioner(1, axis=5)(shape=tf.TensorShape([3]), dtype=tf.float32)),
    ]


def _partitioners(tf, v1, np):
    made = [
        v1.fixed_size_partitioner(3),
        v1.variable_axis_size_partitioner(64),
        v1.variable_axis_size_partitioner(64, max_shards=5),
        v1.min_max_variable_partitioner(4, min_slice_size=64),
        v1.min_max_variable_partitioner(40, min_slice_size=16, bytes_per_string_element=4),
    ]
    shapes = [
        ([100, 4], "float32"),
        ([100, 4], "string"),
        ([100, 4], "float64"),
        ([4], "float32"),
        ([5, 5, 5], "int64"),
        ([1, 1], "bool"),
    ]
    return [[p(shape=tf.TensorShape(shape), dtype=tf.dtypes.as_dtype(dtype)) for p in made] for shape, dtype in shapes]


def _created_partitions(tf, v1, s, np):
    made = [
        v1.create_partitioned_variables([5, 4], [1, 2], v1.zeros_initializer()),
        v1.create_partitioned_variables([5, 4], [1, 1], tf.zeros([5, 4])),
        v1.create_partitioned_variables([5], [2], tf.range(5.0), name="n", trainable=False),
    ]
    initialized(v1, s)
    return [
        *[[(part.name, s.run(part)) for part in parts] for parts in made],
        said(lambda: v1.create_partitioned_variables([5, 4], [2, 2], v1.zeros_initializer())),
        said(lambda: v1.create_partitioned_variables([5, 4], [2], v1.zeros_initializer())),
    ]


def _template(tf, v1, s, np):
    def scaled(x, by=1.0):
        return v1.get_variable("w", [], initializer=v1.ones_initializer()) * x * by

    first = v1.make_template("t", scaled, by=3.0)
    values = [first(1.0), first(2.0)]
    second = v1.make_template("t", scaled, create_scope_now_=True)
    third = v1.make_template("t", scaled, unique_name_="q")
    values += [second(1.0), third(1.0)]
    initialized(v1, s)
    listed = ("variables", "trainable_variables", "non_trainable_variables", "global_variables", "local_variables")
    return [
        named(values),
        s.run(values),
        named(v1.global_variables()),
        [t.variable_scope_name for t in (first, second, third)],
        first.name,
        {name: named(getattr(first, name)) for name in listed},
        said(lambda: v1.make_template("t", scaled, unique_name_="q")(1.0), 4),
    ]


def _bad_templates(tf, v1, s, np):
    count = []

    def grows():
        count.append(1)
        return v1.get_variable(f"w{len(count)}", [])

    grown = v1.make_template("g", grows)
    plain = v1.make_template("p", lambda: v1.Variable(1.0))
    grown(), plain()
    return [
        said(lambda: v1.make_template(None, grows)),
        said(grown),
        said(plain),
        said(lambda: v1.make_template("e", lambda: {}["x"])(), 1),
    ]


def _nested_templates(tf, v1, s, np):
    inner = v1.make_template("in", lambda: v1.get_variable("w", []))
    outer = v1.make_template("out", lambda: [inner(), v1.make_template("own", lambda: v1.get_variable("w", []))()])
    getter = v1.make_template(
        "c", lambda: v1.get_variable("w", []), custom_getter_=lambda g, name, *a, **k: g(name + "_x", *a, **k)
    )
    return named(outer()), named(outer()), getter().name, getter().name


def _eager_template(tf, v1, np):
    def body():
        return v1.get_variable("w", [2]), v1.get_variable("f", [], trainable=False)

    first, second = v1.make_template("t", body), v1.make_template("t", body)
    made, again, others = first(), first(), second()
    return (
        named(made),
        [a is b for a, b in zip(made, again)],
        named(others),
        named(first.variables),
        named(first.trainable_variables),
        named(first.non_trainable_variables),
    )


def _lookups(tf, v1, s, np):
    table = v1.get_variable("e", initializer=tf.reshape(tf.range(20.0), [10, 2]), partitioner=v1.fixed_size_partitioner(3))
    s.run([part.initializer for part in table])
    sparse = tf.sparse.from_dense([[3, 7], [0, 1]])
    return s.run(
        [
            v1.nn.embedding_lookup(table, [0, 3, 7, 9]),
            v1.nn.embedding_lookup(table, [0, 3, 7, 9], partition_strategy="div"),
            tf.nn.embedding_lookup(table, [0, 3, 7, 9]),
            v1.nn.embedding_lookup_sparse(table, sparse, None, combiner="sum"),
            tf.nn.embedding_lookup_sparse(table, sparse, None, combiner="sum"),
            tf.gather(table, [3]),
            tf.matmul(tf.ones([1, 10]), table),
            tf.reduce_sum(table),
        ]
    )


globals().update(
    {
        "prog_partition": in_session(_partition),
        "prog_lookups": in_session(_lookups),
        "prog_partition_operations": in_session(_partition_operations),
        "prog_partition_reuse": in_session(_partition_reuse),
        "prog_partition_values": in_session(_partition_values),
        "prog_bad_partitioners": in_session(_bad_partitioners),
        "prog_partitioners": eagerly(_partitioners),
        "prog_created_partitions": in_session(_created_partitions),
        "prog_template": in_session(_template),
        "prog_bad_templates": in_session(_bad_templates),
        "prog_nested_templates": in_session(_nested_templates),
        "prog_eager_template": eagerly(_eager_template),
    }
)

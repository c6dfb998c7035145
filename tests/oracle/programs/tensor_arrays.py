"""`tf.TensorArray` and the ops on lists of tensors, eager and in graphs."""

from __future__ import annotations

from typing import Any

from tests.oracle.programs._list_helpers import both, outcome
from tests.oracle.support import nodes


def _traced(tf: Any, call: Any, *arguments: Any) -> list[str]:
    return nodes(tf.function(call, autograph=False).get_concrete_function(*arguments).graph)


def prog_write_read(tf: Any, np: Any) -> Any:
    def f() -> Any:
        ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
        ta = ta.write(0, 1.0).write(2, 3.0).write(0, 4.0)
        return ta.read(0), ta.read(1), ta.read(2)

    return both(tf, f)


def prog_python_values_take_the_dtype(tf: Any, np: Any) -> Any:
    return both(tf, lambda: tf.TensorArray(tf.float64, 2).write(0, 1).write(1, 2.5).stack())


def prog_unwritten(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.float32, 3).write(1, [1.0, 2.0]).stack()),
        both(tf, lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).stack()),
        both(tf, lambda: tf.TensorArray(tf.float32, 2, element_shape=[]).read(1)),
        both(tf, lambda: tf.TensorArray(tf.string, 2, element_shape=[]).read(1)),
        both(tf, lambda: tf.TensorArray(tf.float32, 0, element_shape=[2]).stack()),
        both(tf, lambda: tf.TensorArray(tf.float32, 2).write(0, [1.0]).concat()),
    ]


def prog_unwritten_of_unknown_shape(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.float32, 3).read(0)),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).stack()),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).gather([1])),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).concat()),
    ]


def prog_out_of_range(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.float32, 3).read(3)),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).read(-1)),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).write(3, 1.0).stack()),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).write(-1, 1.0).stack()),
        outcome(lambda: tf.TensorArray(tf.float32, 3).scatter([3], [1.0])),
        outcome(
            lambda: tf.function(
                lambda: tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0]).gather([3]), autograph=False
            )()
        ),
    ]


def prog_read_twice(tf: Any, np: Any) -> Any:
    def twice(clear: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 2, clear_after_read=clear).unstack([1.0, 2.0])
        return ta.read(0), ta.read(0)

    return [outcome(lambda: twice(None)), twice(False), tf.function(lambda: twice(None), autograph=False)()]


def prog_write_after_read(tf: Any, np: Any) -> Any:
    def f() -> Any:
        ta = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
        first = ta.read(0)
        return first, ta.write(0, first * 5.0).stack()

    return both(tf, f)


def prog_dtype_mismatch(tf: Any, np: Any) -> Any:
    def f() -> Any:
        return tf.TensorArray(tf.float32, 2).write(0, tf.constant(1)).stack()

    return both(tf, f)


def prog_shape_mismatch(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.float32, 3).write(0, [1.0]).write(1, [1.0, 2.0])),
        both(tf, lambda: tf.TensorArray(tf.float32, 3, element_shape=[2]).write(0, 1.0)),
        both(tf, lambda: tf.TensorArray(tf.float32, 3, element_shape=[2], infer_shape=False).write(0, 1.0)),
        both(tf, lambda: tf.TensorArray(tf.float32, 3, element_shape=[None]).write(0, [1.0]).write(1, [1.0, 2.0])),
    ]


def prog_different_shapes(tf: Any, np: Any) -> Any:
    def array() -> Any:
        return tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1.0]).write(1, [2.0, 3.0])

    return [both(tf, lambda: array().concat()), both(tf, lambda: array().read(1)), both(tf, lambda: array().stack())]


def prog_unstack(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.int32, 3).unstack([[1, 2], [3, 4], [5, 6]]).stack()),
        both(tf, lambda: tf.TensorArray(tf.int32, 3).unstack([[1, 2], [3, 4], [5, 6]]).read(1)),
        both(tf, lambda: tf.TensorArray(tf.float32, 0, dynamic_size=True).unstack([1.0, 2.0]).stack()),
        outcome(lambda: tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0, 4.0])),
        outcome(lambda: tf.TensorArray(tf.float32, 3).unstack(1.0)),
        tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0]).size(),
    ]


def prog_gather(tf: Any, np: Any) -> Any:
    def gather(indices: Any) -> Any:
        return tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0]).gather(indices)

    return [both(tf, lambda: gather([2, 0])), both(tf, lambda: gather(tf.zeros([0], tf.int32)))]


def prog_scatter(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.float32, 3).scatter([2, 0], [1.0, 2.0]).stack()),
        both(tf, lambda: tf.TensorArray(tf.float32, 3).unstack([7.0, 8.0, 9.0]).scatter([1], [2.0]).stack()),
        tf.TensorArray(tf.float32, 0, dynamic_size=True).scatter([3, 1], [[1.0], [2.0]]).stack(),
    ]


def prog_split(tf: Any, np: Any) -> Any:
    def split(lengths: Any) -> Any:
        return tf.TensorArray(tf.float32, len(lengths), infer_shape=False).split([1.0, 2.0, 3.0], lengths)

    return [
        both(tf, lambda: split([1, 2]).concat()),
        both(tf, lambda: split([1, 2]).read(1)),
        both(tf, lambda: split([1, 1, 1]).stack()),
        both(tf, lambda: split([3, 0]).read(1)),
    ]


def prog_split_refusals(tf: Any, np: Any) -> Any:
    def split(size: int, lengths: Any) -> Any:
        return tf.TensorArray(tf.float32, size, infer_shape=False).split([1.0, 2.0, 3.0], lengths).concat()

    return [both(tf, lambda: split(2, [1, 1])), outcome(lambda: split(3, [1, 2])), outcome(lambda: split(1, [1, 2]))]


def prog_split_of_two_ranks(tf: Any, np: Any) -> Any:
    def f() -> Any:
        return tf.TensorArray(tf.float32, 2).unstack(tf.ones([2, 2])).split(tf.ones([4, 2]), [1, 3]).concat()

    return outcome(lambda: tf.function(f, autograph=False)(), 10)


def prog_concat(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.int32, 2).unstack([[[1, 2]], [[3, 4]]]).concat()),
        outcome(lambda: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).concat()),
        outcome(
            lambda: tf.function(lambda: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).concat(), autograph=False)(),
            8,
        ),
    ]


def prog_size(tf: Any, np: Any) -> Any:
    def grown() -> Any:
        ta = tf.TensorArray(tf.float32, 1, dynamic_size=True)
        return ta.size(), ta.write(4, 1.0).size()

    return [both(tf, grown), both(tf, lambda: tf.TensorArray(tf.float32, tf.constant(5)).size())]


def prog_dynamic_size(tf: Any, np: Any) -> Any:
    def f() -> Any:
        ta = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in range(3):
            ta = ta.write(i, float(i))
        return ta.stack(), ta.size()

    return both(tf, f)


def prog_element_shape(tf: Any, np: Any) -> Any:
    shapes = []

    def f() -> Any:
        ta = tf.TensorArray(tf.float32, 2)
        shapes.append(ta.element_shape)
        shapes.append(ta.write(0, [1.0, 2.0]).element_shape)
        shapes.append(ta.element_shape)
        shapes.append(tf.TensorArray(tf.float32, 2, element_shape=[None, 2]).write(0, [[1.0, 2.0]]).element_shape)
        loose = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None])
        shapes.append(loose.write(0, [1.0]).element_shape)

    f()
    tf.function(f, autograph=False)()
    return shapes


def prog_properties(tf: Any, np: Any) -> Any:
    ta = tf.TensorArray("int32", 2, name="n", tensor_array_name="t", colocate_with_first_write_call=False)
    found = [ta.dtype, ta.dynamic_size, ta.handle, ta.flow, ta.element_shape, ta.identity() is ta, type(ta)]
    ta.close()
    return [*found, ta.size()]


def prog_properties_in_a_graph(tf: Any, np: Any) -> Any:
    found = []

    @tf.function(autograph=False)
    def f() -> Any:
        ta = tf.TensorArray(tf.float32, 2, dynamic_size=True)
        found.extend([ta.dtype, ta.dynamic_size, ta.handle, ta.flow.dtype, ta.flow.shape, ta.identity() is ta])
        found.append(tf.TensorArray(tf.float32, 2).dynamic_size)
        return ta.size()

    return [f(), found]


def prog_constructor_refusals(tf: Any, np: Any) -> Any:
    def graph(call: Any) -> Any:
        return outcome(lambda: tf.function(lambda: call().size(), autograph=False)())

    return [
        outcome(lambda: tf.TensorArray(tf.float32)),
        outcome(lambda: tf.TensorArray(tf.float32, handle=tf.constant(1.0))),
        outcome(lambda: tf.TensorArray(tf.float32, flow=tf.constant(1.0))),
        graph(lambda: tf.TensorArray(tf.float32)),
        graph(lambda: tf.TensorArray(tf.float32, flow=tf.constant(1.0))),
        outcome(lambda: tf.TensorArray(tf.float32, 2.5)),
        outcome(lambda: len(tf.TensorArray(tf.float32, 2))),
        outcome(lambda: list(tf.TensorArray(tf.float32, 2))),
        outcome(lambda: tf.TensorArray(tf.float32, 2).write(1.5, 1.0)),
    ]


def prog_grad_method(tf: Any, np: Any) -> Any:
    return [
        outcome(lambda: tf.TensorArray(tf.float32, 2).grad("g")),
        outcome(lambda: tf.function(lambda: tf.TensorArray(tf.float32, 2).grad("g"), autograph=False)()),
    ]


def prog_eager_writes_are_seen(tf: Any, np: Any) -> Any:
    ta = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    other = ta.write(0, 1.0)
    ta.write(1, 2.0).mark_used()
    return other.stack(), ta.stack()


def prog_graph_writes_are_not(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f() -> Any:
        ta = tf.TensorArray(tf.float32, 2, element_shape=[])
        other = ta.write(0, 1.0)
        return ta.stack(), other.stack()

    return f()


def prog_flow(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f() -> Any:
        ta = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
        again = tf.TensorArray(tf.float32, flow=ta.flow)
        return again.stack(), again.size(), again.read(1)

    return f()


def prog_strings(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: tf.TensorArray(tf.string, 2).unstack(["a", "b"]).stack()),
        both(tf, lambda: tf.TensorArray(tf.string, 3, element_shape=[]).write(1, "x").stack()),
    ]


def prog_dtypes(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda d=d: tf.TensorArray(d, 2).write(0, tf.cast([1, 0], d)).stack())
        for d in (tf.int8, tf.uint8, tf.int64, tf.float16, tf.bfloat16, tf.float64, tf.complex64, tf.bool)
    ]


def prog_spec(tf: Any, np: Any) -> Any:
    spec = tf.TensorArraySpec
    one = spec([None, 2], tf.int32, dynamic_size=True, infer_shape=False)
    array = tf.TensorArray(tf.float32, 2, element_shape=[1, 2])
    return [
        one,
        spec(),
        tf.type_spec_from_value(array),
        spec.from_value(array) == spec([1, 2]),
        spec([None, 2]).is_compatible_with(array),
        spec([2]).is_compatible_with(array),
        spec([1, 2], tf.int32).is_compatible_with(array),
        spec([1, 2], dynamic_size=True).is_compatible_with(array),
        spec([1]) == spec([2]),
        hash(spec([1])) == hash(spec([1])),
        spec([1]).most_specific_common_supertype([spec([1], tf.int32)]),
    ]


def prog_while_loop(tf: Any, np: Any) -> Any:
    def f(n: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=n)
        _, ta = tf.while_loop(
            lambda i, _: i < n, lambda i, ta: (i + 1, ta.write(i, tf.cast(i, tf.float32) ** 2)), (0, ta)
        )
        return ta.stack(), ta.size()

    return [
        f(4),
        tf.function(f, autograph=False)(4),
        tf.function(f, autograph=False)(tf.constant(4)),
        tf.function(f, autograph=False)(tf.constant(0)),
    ]


def prog_while_loop_shapes(tf: Any, np: Any) -> Any:
    shapes = []

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=3)
        _, after = tf.while_loop(lambda i, _: i < 3, lambda i, ta: (i + 1, ta.write(i, x)), (0, ta))
        shapes.extend([ta.element_shape, after.element_shape, after.stack().shape, after.concat().shape])
        grown = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        _, grown = tf.while_loop(lambda i, _: i < 3, lambda i, ta: (i + 1, ta.write(i, x)), (0, grown))
        shapes.extend([grown.stack().shape, grown.size().shape])
        return after.stack(), grown.stack()

    return [f(tf.constant([1.0, 2.0])), shapes]


def prog_while_loop_invariants(tf: Any, np: Any) -> Any:
    def f(invariant: Any) -> Any:
        def body(i: Any, d: Any) -> Any:
            return i + 1, {"a": tf.concat([d["a"], d["a"]], 0), "b": (d["b"][0], d["b"][1].write(i, 1.0))}

        start = {"a": tf.ones([1]), "b": (tf.zeros([2]), tf.TensorArray(tf.float32, 2))}
        shapes = {"a": tf.TensorShape([None]), "b": (tf.TensorShape([2]), tf.TensorShape(invariant))}
        _, d = tf.while_loop(lambda i, _: i < 2, body, (0, start), shape_invariants=(tf.TensorShape([]), shapes))
        return d["a"], d["b"][0], d["b"][1].stack()

    return [both(tf, lambda: f(None)), both(tf, lambda: f([]))]


def prog_two_arrays_swap_in_a_loop(tf: Any, np: Any) -> Any:
    def f() -> Any:
        a, b = (tf.TensorArray(tf.int32, 4, element_shape=[]) for _ in range(2))
        _, a, b = tf.while_loop(lambda i, *_: i < 4, lambda i, a, b: (i + 1, b.write(i, i), a), (0, a, b))
        return a.stack(), b.stack()

    return tf.function(f, autograph=False)()


def prog_cond(tf: Any, np: Any) -> Any:
    shapes = []

    @tf.function(autograph=False)
    def f(flag: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 2)
        ta = tf.cond(flag, lambda: ta.write(0, [1.0]), lambda: ta.write(1, [2.0]))
        shapes.append(ta.stack().shape)
        return ta.stack(), ta.size()

    return [f(tf.constant(True)), f(tf.constant(False)), shapes]


def prog_switch_case(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(i: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
        ta = tf.switch_case(i, [lambda: ta, lambda: ta.write(0, 9.0), lambda: ta.scatter([1, 2], [7.0, 8.0])])
        return ta.stack()

    return [f(tf.constant(i)) for i in range(3)]


def prog_nested_loops(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(n: Any) -> Any:
        def outer(i: Any, rows: Any) -> Any:
            row = tf.TensorArray(tf.int32, n)
            _, row = tf.while_loop(lambda j, _: j < n, lambda j, r: (j + 1, r.write(j, i * 10 + j)), (0, row))
            return i + 1, rows.write(i, row.stack())

        rows = tf.TensorArray(tf.int32, n, element_shape=[None])
        return tf.while_loop(lambda i, _: i < n, outer, (0, rows))[1].stack()

    return f(tf.constant(3))


def prog_gradient_eager(tf: Any, np: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x * x)
        ta = ta.write(1, ta.read(0) * 2.0)
        y = tf.reduce_sum(ta.stack() * [1.0, 2.0, 3.0])
    return tape.gradient(y, x)


def _through(tf: Any, x: Any) -> dict[str, Any]:
    """One value per way through an array."""

    def array(values: Any) -> Any:
        return tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(values)

    pieces = tf.TensorArray(tf.float32, 2, infer_shape=False)
    return {
        "stack": array(x * x).stack(),
        "read": array(x).read(1) * array(x).read(2),
        "write": array(x).write(0, x[1]).stack(),
        "gather": array(x * x).gather([2, 0]),
        "scatter": array(x).scatter([0, 1], x[:2] * 3.0).stack(),
        "concat": tf.TensorArray(tf.float32, 3).unstack(x[:, None] * 2.0).concat() ** 2,
        "split": pieces.split(x * x, [1, 2]).concat(),
        "split and read": pieces.split(x * x, [1, 2]).read(1),
        "identity": array(x).identity().stack(),
    }


def prog_gradients_in_a_graph(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        return {name: tf.gradients(y, x)[0] for name, y in _through(tf, x).items()}

    return f(tf.constant([1.0, 2.0, 3.0]))


def prog_gradients_by_tape(tf: Any, np: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    found = {}
    for name in _through(tf, x):
        for mode in (lambda f: f, lambda f: tf.function(f, autograph=False)):
            run = mode(lambda x, name=name: _through(tf, x)[name])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = run(x)
            found.setdefault(name, []).append(tape.gradient(y, x))
    return found


def prog_gradient_of_a_loop_that_writes(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 4)
        _, _, ta = tf.while_loop(
            lambda i, *_: i < 4, lambda i, y, ta: (i + 1, y * x, ta.write(i, y)), (0, tf.ones_like(x), ta)
        )
        return ta.stack()

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


def prog_gradient_of_a_loop_that_reads(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 3).unstack(x)
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * ta.read(i)), (0, tf.constant(1.0)))[1]

    x = tf.constant([2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


def prog_gradient_of_a_loop_that_reads_what_it_wrote(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 5).write(0, x).write(1, x * x)
        body = lambda i, ta: (i + 1, ta.write(i, ta.read(i - 1) * ta.read(i - 2)))
        ta = tf.while_loop(lambda i, _: i < 5, body, (2, ta))[1]
        y = ta.stack()
        return y, tf.gradients(y, x)[0]

    return f(tf.constant(1.5))


def prog_gradient_with_a_branch(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any, flag: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 2).unstack([x, x * x])
        ta = tf.cond(flag, lambda: ta.write(0, x * 5.0), lambda: ta)
        y = tf.reduce_sum(ta.stack())
        return y, tf.gradients(y, x)[0]

    return [f(tf.constant(3.0), tf.constant(True)), f(tf.constant(3.0), tf.constant(False))]


def prog_second_order(tf: Any, np: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, 3).unstack([x, x * x, x**3])
        y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * ta.read(i)), (0, tf.constant(1.0)))[1]
        first = tf.gradients(y, x)[0]
        return y, first, tf.gradients(first, x)[0]

    return f(tf.constant(1.5))


def prog_nodes(tf: Any, np: Any) -> Any:
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=3)
        ta = ta.write(0, x).write(1, x).unstack(tf.ones([3, 2]))
        read, stacked, gathered = ta.read(1), ta.stack(), ta.gather([0, 2])
        ta = ta.scatter([0, 1], tf.ones([2, 2]))
        return read, stacked, gathered, ta.size(), ta.identity().concat()

    return _traced(tf, f, tf.ones([2]))


def prog_nodes_dynamic(tf: Any, np: Any) -> Any:
    def f(n: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=n, dynamic_size=True, element_shape=[None]).write(n, [1.0])
        ta.close()
        return ta.stack(), ta.concat(), ta.size(), ta.read(0), ta.gather([0])

    return _traced(tf, f, tf.TensorSpec([], tf.int32))


def prog_nodes_scalars(tf: Any, np: Any) -> Any:
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=3, element_shape=[]).unstack(x)
        return ta.read(0), ta.stack(), ta.gather([1]), ta.write(0, 1.0).scatter([1], [2.0]).stack()

    return _traced(tf, f, tf.ones([3]))


def prog_nodes_named(tf: Any, np: Any) -> Any:
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=2, name="arr", infer_shape=False).split(x, [1, 3], name="spl")
        found = ta.concat(name="cc"), ta.read(0, name="rr"), ta.size(name="ss"), ta.stack(name="tt")
        ta = ta.write(0, x[:1], name="ww").unstack(x[None], name="uu").scatter([0], x[None], name="sc")
        return *found, ta.gather([0], name="gg")

    return _traced(tf, f, tf.ones([4, 2]))


def prog_nodes_of_a_loop(tf: Any, np: Any) -> Any:
    def f(x: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=3)
        return tf.while_loop(lambda i, _: i < 3, lambda i, ta: (i + 1, ta.write(i, x)), (tf.constant(0), ta))[1].stack()

    return _traced(tf, f, tf.ones([2]))


def prog_nodes_of_a_branch(tf: Any, np: Any) -> Any:
    def f(x: Any, flag: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=3)
        return tf.cond(flag, lambda: ta.write(0, x), lambda: ta).stack()

    return _traced(tf, f, tf.ones([2]), tf.constant(True))

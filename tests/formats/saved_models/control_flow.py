"""SavedModels of conditions, loops, cases, loops of AutoGraph, and what they capture."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models

CONTROL_FLOW = Models("control_flow")


def _of_number(tf: Any, f: Any, dtype: Any = None) -> Any:
    return tf.function(f, input_signature=[tf.TensorSpec([], dtype or tf.float32)])


@CONTROL_FLOW(
    yes=lambda tf, m: m.f(tf.constant(2.0)),
    no=lambda tf, m: m.f(tf.constant(-2.0)),
    nested=lambda tf, m: [m.nested(tf.constant(x)).numpy() for x in (-1.0, 5.0, 50.0)],
    state=lambda tf, m: m.v,
)
def conditions(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(1.0)
    root.f = _of_number(tf, lambda x: tf.cond(x > 0.0, lambda: root.v.assign_add(x), lambda: root.v * 10.0))

    def nested(x):
        return tf.cond(x < 0.0, lambda: 0.0, lambda: tf.cond(x < 10.0, lambda: x + root.v, lambda: x * 2.0))

    root.nested = _of_number(tf, nested)
    return root


@CONTROL_FLOW(
    sum=lambda tf, m: m.sum(tf.constant(5)),
    zero=lambda tf, m: m.sum(tf.constant(0)),
    power=lambda tf, m: m.power(tf.constant(3)),
    growing=lambda tf, m: m.growing(tf.constant(3)),
)
def loops(tf: Any) -> Any:
    root = tf.Module()
    root.base = tf.Variable(2)

    def total(n):
        return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])[1]

    def power(n):
        return tf.while_loop(lambda i, p: i < n, lambda i, p: [i + 1, p * root.base], [0, 1], maximum_iterations=10)[1]

    def growing(n):
        invariants = [tf.TensorShape([]), tf.TensorShape([None])]
        return tf.while_loop(
            lambda i, x: i < n, lambda i, x: [i + 1, tf.concat([x, [i]], 0)], [0, tf.constant([7])], invariants
        )[1]

    root.sum, root.power, root.growing = (_of_number(tf, f, tf.int32) for f in (total, power, growing))
    return root


@CONTROL_FLOW(
    cases=lambda tf, m: [m.case(tf.constant(x)).numpy() for x in (0, 1, 2, 7)],
    switch=lambda tf, m: [m.switch(tf.constant(x)).numpy() for x in (-1, 0, 1, 2, 9)],
)
def cases(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(100)

    def case(x):
        pairs = [(tf.equal(x, 0), lambda: x + 10), (tf.equal(x, 1), lambda: x + root.v)]
        return tf.case(pairs, default=lambda: -x)

    root.case = _of_number(tf, case, tf.int32)
    root.switch = _of_number(tf, lambda x: tf.switch_case(x, [lambda: 1, lambda: root.v + 1, lambda: x * 3]), tf.int32)
    return root


@CONTROL_FLOW(
    collatz=lambda tf, m: [m.collatz(tf.constant(n)).numpy() for n in (1, 6, 27)],
    break_out=lambda tf, m: m.first_above(tf.constant([1, 5, 9, 12]), tf.constant(6)),
    not_found=lambda tf, m: m.first_above(tf.constant([1, 5]), tf.constant(6)),
    nested=lambda tf, m: m.table(tf.constant(3)),
)
def autograph_loops(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)])
    def first_above(x, limit):
        found = -1
        for item in x:
            if item <= limit:
                continue
            found = item
            break
        return found

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def table(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(i):
                if j == 1:
                    break
                total += i * 10 + j
        return total

    root.collatz, root.first_above, root.table = collatz, first_above, table
    return root


@CONTROL_FLOW(
    gradient=lambda tf, m: _gradient(tf, m.power),
    cond_gradient=lambda tf, m: [_gradient(tf, m.branch), _gradient(tf, m.branch, -3.0)],
    inside=lambda tf, m: m.slope(tf.constant(2.0)),
    second=lambda tf, m: m.second(tf.constant(2.0)),
)
def gradients_of_control_flow(tf: Any) -> Any:
    root = tf.Module()

    def power(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x)
        return tape.gradient(y, x)

    root.power = _of_number(tf, power)
    root.branch = _of_number(tf, lambda x: tf.cond(x > 0.0, lambda: x * x, lambda: -x))
    root.slope = _of_number(tf, slope)
    root.second = _of_number(tf, lambda x: tf.gradients(tf.gradients(power(x), x), x)[0])
    return root


def _gradient(tf: Any, f: Any, at: float = 2.0) -> Any:
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@CONTROL_FLOW(
    looked_up=lambda tf, m: [
        m.f(tf.constant(True), tf.constant("b")).numpy(),
        m.f(tf.constant(False), tf.constant("b")).numpy(),
    ],
    counted=lambda tf, m: [m.count(tf.constant(4)).numpy(), m.v.numpy()],
)
def resources_in_branches(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(5, dtype=tf.int64)
    root.table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1
    )

    @tf.function(input_signature=[tf.TensorSpec([], tf.bool), tf.TensorSpec([], tf.string)])
    def f(use_table, key):
        if use_table:
            return root.table.lookup(key)
        return root.v + 0

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def count(n):
        for i in tf.range(n):
            if i % 2 == 0:
                root.v.assign_add(root.table.lookup(tf.constant("a")))
        return root.v.read_value()

    root.f, root.count = f, count
    return root


@CONTROL_FLOW(
    functional=lambda tf, m: m.functional(tf.constant([3.0, 1.0])),
    called=lambda tf, m: m.called(tf.constant(3.0)),
)
def functions_in_branches(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(4.0)

    @tf.function
    def helper(x):
        if x > 2.0:
            return x * root.v
        return x - root.v

    root.called = _of_number(tf, lambda x: tf.cond(x > 0.0, lambda: helper(x), lambda: helper(-x)))
    root.functional = tf.function(
        lambda x: tf.map_fn(helper, x) + tf.foldl(lambda a, b: a + b, x), input_signature=[tf.TensorSpec([None])]
    )
    return root


@CONTROL_FLOW(
    vectorized=lambda tf, m: m.f(tf.constant([[1.0, 2.0], [3.0, 4.0]])),
    jacobian=lambda tf, m: m.jacobian(tf.constant([1.0, 2.0])),
)
def vectorized(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(
        lambda x: tf.vectorized_map(lambda row: tf.reduce_sum(row * row), x), input_signature=[tf.TensorSpec([None, 2])]
    )

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    root.jacobian = jacobian
    return root

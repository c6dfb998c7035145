"""SavedModels of variables: dtypes, shapes, metadata, and who holds them."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models, Saved

VARIABLES = Models("variables")

_NUMERIC = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_COMPLEX = ("complex64", "complex128")


def _value_of(name: str) -> Any:
    return lambda tf, m: getattr(m, name)


@VARIABLES(**{name: _value_of(name) for name in (*_NUMERIC, *_UNSIGNED, *_COMPLEX, "bool", "text")})
def every_dtype(tf: Any) -> Any:
    root = tf.Module()
    for name in (*_NUMERIC, *_UNSIGNED):
        setattr(root, name, tf.Variable([[1, 2], [3, 100]], dtype=getattr(tf, name)))
    for name in _COMPLEX:
        setattr(root, name, tf.Variable([1 + 2j, -3.5j], dtype=getattr(tf, name)))
    root.bool = tf.Variable([True, False, True])
    root.text = tf.Variable([b"", b"a\0b", "é日本".encode()])
    return root


@VARIABLES(
    shape=lambda tf, m: m.v.shape,
    value=lambda tf, m: m.v,
    grown=lambda tf, m: m.grow(tf.constant([4.0, 5.0])),
    after=lambda tf, m: m.v,
)
def shape_is_relaxed(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable([1.0], shape=[None])

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def grow(values):
        root.v.assign(tf.concat([root.v, values], 0))
        return tf.size(root.v)

    root.grow = grow
    return root


@VARIABLES(
    rank_unknown=lambda tf, m: m.v.shape,
    assigned=lambda tf, m: m.set(tf.constant([[1, 2]])),
    value=lambda tf, m: m.v,
)
def rank_is_unknown(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(3, shape=tf.TensorShape(None))

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def set_value(value):
        root.v.assign(value)
        return tf.rank(root.v)

    root.set = set_value
    return root


@VARIABLES(
    trainable=lambda tf, m: [m.a.trainable, m.b.trainable, m.c.trainable],
    aggregation=lambda tf, m: [m.a.aggregation.name, m.b.aggregation.name, m.c.aggregation.name],
    synchronization=lambda tf, m: [m.a.synchronization.name, m.b.synchronization.name],
    names=lambda tf, m: [m.a.name, m.b.name, m.c.name],
)
def flags_of_variables(tf: Any) -> Any:
    root = tf.Module()
    root.a = tf.Variable(1.0, name="first")
    root.b = tf.Variable(2.0, trainable=False, aggregation=tf.VariableAggregation.SUM, name="scope/second")
    root.c = tf.Variable(
        3.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN, name="first"
    )
    return root


@VARIABLES(
    sum=lambda tf, m: m.sum(),
    same=lambda tf, m: m.left.v is m.right.v,
    changed=lambda tf, m: [m.left.v.assign(5.0).numpy(), m.sum().numpy()],
)
def shared_variable(tf: Any) -> Any:
    root, root_left, root_right = tf.Module(), tf.Module(), tf.Module()
    root.left, root.right = root_left, root_right
    root.left.v = root.right.v = tf.Variable(1.0)
    root.sum = tf.function(lambda: root_left.v + root_right.v, input_signature=[])
    return root


@VARIABLES(
    value=lambda tf, m: m.child.parent.child.v,
    cycle=lambda tf, m: m.child.parent is m,
    itself=lambda tf, m: m.me is m,
)
def cycle_of_objects(tf: Any) -> Any:
    root = tf.Module()
    root.me = root
    root.child = tf.Module()
    root.child.parent = root
    root.child.v = tf.Variable([1, 2])
    return root


@VARIABLES(empty=lambda tf, m: m.empty, scalar=lambda tf, m: m.scalar, joined=lambda tf, m: m.joined())
def empty_and_scalar(tf: Any) -> Any:
    root = tf.Module()
    root.empty = tf.Variable(tf.zeros([0, 3]))
    root.scalar = tf.Variable(7)
    root.joined = tf.function(lambda: tf.concat([root.empty, tf.ones([1, 3])], 0), input_signature=[])
    return root


@VARIABLES(
    count=lambda tf, m: [m.count().numpy(), m.count().numpy()],
    state=lambda tf, m: m.counter,
)
def counter(tf: Any) -> Any:
    class Counter(tf.Module):
        def __init__(self):
            super().__init__(name="counter")
            self.counter = tf.Variable(0, dtype=tf.int64)

        @tf.function(input_signature=[])
        def count(self):
            return self.counter.assign_add(2)

    return Counter()


@VARIABLES(
    first=lambda tf, m: m(tf.constant([[1.0, 2.0]])),
    weights=lambda tf, m: m.layers[0].w,
    depth=lambda tf, m: len(m.layers),
)
def nested_modules(tf: Any) -> Any:
    class Dense(tf.Module):
        def __init__(self, inputs, outputs, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.w = tf.Variable(
                    tf.reshape(tf.range(inputs * outputs, dtype=tf.float32), [inputs, outputs]), name="w"
                )
                self.b = tf.Variable(tf.zeros([outputs]), name="b")

        @tf.Module.with_name_scope
        def __call__(self, x):
            return tf.nn.relu(tf.matmul(x, self.w) + self.b)

    class Network(tf.Module):
        def __init__(self):
            super().__init__(name="network")
            self.layers = [Dense(2, 3, "one"), Dense(3, 1, "two")]

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    return Network()


@VARIABLES(lazily=lambda tf, m: m.f(tf.ones([2])), variable=lambda tf, m: m.w)
def made_on_first_call(tf: Any) -> Any:
    class Lazy(tf.Module):
        w = None

        @tf.function
        def f(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.fill([2], 3.0), name="lazy")
            return x * self.w

    root = Lazy()
    root.f(tf.ones([2]))
    return root


@VARIABLES(
    value=lambda tf, m: m.f(),
    assigned=lambda tf, m: [m.v.assign_add([1.0, 1.0]).numpy().tolist(), m.f().numpy().tolist()],
    scattered=lambda tf, m: m.v.scatter_nd_update([[0]], [9.0]),
    gradient=lambda tf, m: _gradient(tf, m),
)
def variable_in_use(tf: Any) -> Any:
    root = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    root.f = tf.function(lambda: root.v * root.v, input_signature=[])
    return root


def _gradient(tf: Any, m: Any) -> Any:
    with tf.GradientTape() as tape:
        y = m.f()
    return tape.gradient(y, m.v)


@VARIABLES(value=lambda tf, m: m.f(tf.constant(2.0)))
def captured_but_not_attached(tf: Any) -> Any:
    """A tensor made outside is a constant of the file; a variable must be attached."""
    outside = tf.constant([1.0, 2.0, 3.0])
    root = tf.Module()
    root.f = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([])])
    return root


@VARIABLES(
    attributes=lambda tf, m: [hasattr(m, "int"), hasattr(m, "list")],
    product=lambda tf, m: m.product(),
)
def tensors_as_attributes(tf: Any) -> Any:
    root = tf.Module()
    root.int, root.float = tf.constant(3), tf.constant(0.5)
    root.text = tf.constant("text")
    root.list = tf.constant([[1, 2], [3, 4]], tf.int64)
    root.product = tf.function(lambda: root.int * 2, input_signature=[])
    return Saved(root)


@VARIABLES(
    large=lambda tf, m: tf.reduce_sum(m.f()),
    many=lambda tf, m: len(m.variables),
    last=lambda tf, m: m.variables[39],
)
def many_variables(tf: Any) -> Any:
    class Many(tf.train.Checkpoint):
        pass

    root = Many(variables=[tf.Variable(tf.fill([index % 3], float(index))) for index in range(40)])
    root.f = tf.function(lambda: tf.concat(list(root.variables), 0), input_signature=[])
    return root

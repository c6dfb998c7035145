"""tf.compat.v1.initializers: values under seeds, configurations, operations, refusals."""

from __future__ import annotations

from tests.oracle.programs._v1_helpers import eagerly, in_session, operations, said
from tests.oracle.support import Approx

_MADE = {
    "zeros": lambda i: i.zeros(),
    "ones": lambda i: i.ones(),
    "constant": lambda i: i.constant([1, 2, 3, 4, 5, 6]),
    "random_uniform": lambda i: i.random_uniform(-1.0, 1.0, seed=3),
    "random_normal": lambda i: i.random_normal(1.0, 0.5, seed=3),
    "truncated_normal": lambda i: i.truncated_normal(seed=3),
    "uniform_unit_scaling": lambda i: i.uniform_unit_scaling(1.5, seed=3),
    "variance_scaling": lambda i: i.variance_scaling(2.0, "fan_out", "uniform", seed=3),
    "untruncated": lambda i: i.variance_scaling(2.0, "fan_avg", "untruncated_normal", seed=3),
    "glorot_uniform": lambda i: i.glorot_uniform(seed=3),
    "glorot_normal": lambda i: i.glorot_normal(seed=3),
    "he_normal": lambda i: i.he_normal(seed=3),
    "he_uniform": lambda i: i.he_uniform(seed=3),
    "lecun_normal": lambda i: i.lecun_normal(seed=3),
    "lecun_uniform": lambda i: i.lecun_uniform(seed=3),
}


def _values(make):
    def program(tf, v1, s, np):
        tf.compat.v1.get_default_graph().seed = 5
        tensors = [make(v1.initializers)([2, 3]), make(v1.initializers)([2, 3], tf.float64), make(v1.initializers)([6])]
        return s.run(tensors)

    return program


def _configurations(tf, v1, np):
    found = {}
    for name, make in _MADE.items():
        initializer = make(v1.initializers)
        config = initializer.get_config()
        found[name] = (
            config,
            type(initializer).from_config(dict(config)).get_config() == config,
            type(initializer).__name__,
        )
    return found


def _operations_of_initializers(tf, v1, s, np):
    for name, make in _MADE.items():
        with tf.name_scope(name):
            make(v1.initializers)([2, 3])
    v1.initializers.identity(2.0)([2, 3])
    return operations(tf)


def _orthogonal(tf, v1, s, np):
    found = []
    for shape in ([3, 3], [2, 5], [5, 2], [2, 2, 3]):
        tensor = v1.initializers.orthogonal(gain=2.0, seed=4)(shape)
        matrix = s.run(tensor).reshape(-1, shape[-1])
        square = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
        found.append((tensor.shape, np.allclose(square, 4 * np.eye(len(square)), atol=1e-4)))
    values = s.run(v1.initializers.orthogonal(seed=4)([3, 2]))
    return found, Approx(values, 1e-4, 1e-5), operations(tf)[:14]


def _identity(tf, v1, np):
    make = v1.initializers.identity
    return make()([2, 2]), make(3.0)([2, 3]), make(dtype=tf.float64)([3, 2]), make()([2, 2], dtype=tf.float16)


def _constants_in_a_graph(tf, v1, s, np):
    make = v1.constant_initializer
    return [
        s.run(make([1, 2])([4])),
        s.run(make(3)([2, 2])),
        said(lambda: make([1, 2, 3, 4, 5])([3])),
        s.run(make(np.arange(4.0), dtype=tf.int32)([2, 2])),
        s.run(make("a", dtype=tf.string)([2])),
        s.run(v1.zeros_initializer()([2], tf.string)),
        s.run(v1.zeros_initializer(tf.bool)([2])),
    ]


def _refused(tf, v1, np):
    i = v1.initializers
    return [
        said(call, 4)
        for call in [
            lambda: i.variance_scaling(0),
            lambda: i.variance_scaling(mode="x"),
            lambda: i.variance_scaling(distribution="x"),
            lambda: i.constant(None),
            lambda: i.constant([1, 2])([2, 2]),
            lambda: i.constant([1, 2], verify_shape=True)([4]),
            lambda: i.constant([1, 2])([4], verify_shape=True),
            lambda: i.constant(2.5)([2], tf.int32),
            lambda: i.identity()([2]),
            lambda: i.identity()([2, 2, 2]),
            lambda: i.orthogonal()([3]),
            lambda: i.identity(dtype=tf.int32),
            lambda: i.orthogonal(dtype=tf.int32),
            lambda: i.random_normal(dtype=tf.int32),
            lambda: i.truncated_normal(dtype=tf.string),
            lambda: i.random_uniform(dtype=tf.int32)([2]),
            lambda: i.random_uniform()([2], tf.bool),
            lambda: i.ones()([2], tf.string),
            lambda: i.zeros.from_config({"x": 1}),
        ]
    ]


def _shapes(tf, v1, np):
    made = [make(v1.initializers) for make in _MADE.values()][:2] + [v1.glorot_uniform_initializer()]
    return [
        [made_by(shape).shape for made_by in made] for shape in ([], [0], [2], [2, 3, 4], (2, 2), tf.constant([2, 2]))
    ]


def _aliases(tf, np):
    v1 = tf.compat.v1
    names = "constant glorot_normal glorot_uniform ones orthogonal random_normal random_uniform truncated_normal uniform_unit_scaling variance_scaling zeros"
    return {name: getattr(v1, f"{name}_initializer") is getattr(v1.initializers, name) for name in names.split()}


globals().update(
    {
        **{f"prog_values_of_{name}": in_session(_values(make)) for name, make in _MADE.items()},
        "prog_configurations": eagerly(_configurations),
        "prog_operations": in_session(_operations_of_initializers),
        "prog_orthogonal": in_session(_orthogonal),
        "prog_identity": eagerly(_identity),
        "prog_constants_in_a_graph": in_session(_constants_in_a_graph),
        "prog_refused": eagerly(_refused),
        "prog_shapes": eagerly(_shapes),
        "prog_aliases": _aliases,
    }
)

"""tf.autodiff.ForwardAccumulator and tf.test.compute_gradient: values, dtypes, None-ness, nesting, errors."""

from __future__ import annotations

from tests.oracle.modes import in_modes
from tests.oracle.support import Approx, attempt, logged


def _jvp(tf, f, x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        y = f(x)
    return acc.jvp(y)


def _add(name, function, point, modes=("eager", "graph", "xla")):
    """Programs for the tangent and the two Hessian-vector products of `function(tf, x)`, reduced to a number."""

    def computation(tf, np):
        array = np.array(point, np.float64)
        x, v = tf.constant(array), tf.constant(np.cos(np.arange(array.size) + 1.0).reshape(array.shape))

        def scalar(x):
            return tf.reduce_sum(function(tf, x) ** 2)

        def all_products(x, v):
            with tf.autodiff.ForwardAccumulator(x, v) as acc:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = scalar(x)
                gradient = tf.convert_to_tensor(tape.gradient(y, x))
            with tf.GradientTape() as outer:
                outer.watch(x)
                d = _jvp(tf, scalar, x, v)
            reverse_over_forward = tf.convert_to_tensor(outer.gradient(d, x))
            found = [_jvp(tf, lambda x: function(tf, x), x, v), acc.jvp(y), acc.jvp(gradient), reverse_over_forward]
            found.append(_jvp(tf, lambda x: _jvp(tf, scalar, x, v), x, v))
            return [Approx(t, 1e-6, 1e-8) for t in found] if tf.executing_eagerly() else found

        return all_products, [x, v]

    computation.__name__ = name
    in_modes(*modes)(computation)


_V = [0.5, -1.2, 2.0, 0.3]
_M = [[0.5, -1.0], [1.5, 0.7]]
_POSITIVE = [0.5, 1.2, 2.0, 0.3]

_FUNCTIONS = {
    "power": (lambda tf, x: x**3, _V),
    "trigonometry": (lambda tf, x: tf.sin(x) * tf.cos(x) + tf.atan(x), _V),
    "tanh_sigmoid": (lambda tf, x: tf.tanh(x) * tf.sigmoid(x), _V),
    "quotient": (lambda tf, x: x / (1.0 + x * x), _V),
    "logarithm": (lambda tf, x: tf.math.log(x) * tf.sqrt(x), _POSITIVE),
    "softmax": (lambda tf, x: tf.nn.softmax(x), _V),
    "log_softmax": (lambda tf, x: tf.nn.log_softmax(x * x), _V),
    "cross_entropy": (lambda tf, x: tf.nn.softmax_cross_entropy_with_logits([[0.3, 0.7], [1.0, 0.0]], x), _M),
    "matmul": (lambda tf, x: tf.matmul(x, tf.matmul(x, x, transpose_b=True)), _M),
    "einsum": (lambda tf, x: tf.einsum("ij,jk,ik->i", x, x, x), _M),
    "inverse": (lambda tf, x: tf.linalg.inv(x), _M),
    "determinant": (lambda tf, x: tf.linalg.det(x) * x, _M),
    "reductions": (lambda tf, x: tf.reduce_mean(x * x, 0) + tf.reduce_logsumexp(x, 1), _M),
    "product_and_maximum": (lambda tf, x: tf.reduce_prod(x) * tf.reduce_max(x), _V),
    "cumsum_reverse": (lambda tf, x: tf.cumsum(x * x)[::-1] * x, _V),
    "gather_concat": (lambda tf, x: tf.concat([tf.gather(x * x, [3, 0, 0]), x[1:3] * x[:2]], 0), _V),
    "pad_tile_transpose": (lambda tf, x: tf.tile(tf.transpose(tf.pad(x * x, [[1, 0], [0, 2]])), [2, 1]), _M),
    "where_clip": (lambda tf, x: tf.where(x > 0.4, x**2, tf.exp(x)) * tf.clip_by_value(x, -1.0, 1.0), _V),
    "relu_softplus": (lambda tf, x: tf.nn.relu(x) * tf.nn.softplus(x), _V),
    "stop_gradient": (lambda tf, x: tf.stop_gradient(x) * x * x, _V),
    "conv": (
        lambda tf, x: tf.nn.conv2d(tf.reshape(x, [1, 4, 1, 1]), tf.reshape(x[:2], [2, 1, 1, 1]), 1, "SAME"),
        _V,
    ),
}
_NOT_IN_GRAPHS = ("reductions", "where_clip")
"""TensorFlow 2.21 itself fails on these, and on loops, where accumulators nest in a graph."""
for _name, (_function, _point) in _FUNCTIONS.items():
    _add(_name, _function, _point, ("eager",) if _name in _NOT_IN_GRAPHS else ("eager", "graph", "xla"))


def _loop(tf, x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, tf.sin(y) * x], [0, x], maximum_iterations=3)[1]


_add("loop", _loop, _V, ("eager",))
_add("scan", lambda tf, x: tf.scan(lambda c, t: tf.sin(c) * t, x), _V, ("eager",))
_add("map", lambda tf, x: tf.map_fn(lambda t: t * t * x[0], x), _V, ("eager",))


# --- structures, modes, errors ---------------------------------------------------------------------------------------


def _tools(tf):
    return tf.autodiff.ForwardAccumulator, tf.constant(3.0), tf.constant(1.0)


def prog_structures(tf, np):
    acc_class, x, v = _tools(tf)
    y = tf.constant([1.0, 2.0])
    with acc_class({"a": x, "b": (y, [x + 0.0])}, {"a": v, "b": (y, [v])}) as acc:
        z = {"p": x * y, "q": [x]}
    return acc.jvp(z), acc.jvp([]), acc.jvp(x)


def prog_unconnected(tf, np):
    acc_class, x, v = _tools(tf)
    acc, others = acc_class(x, v), [tf.constant(1.0), tf.constant([2, 3])]
    zero = tf.UnconnectedGradients.ZERO
    return acc.jvp(others), acc.jvp(others, zero), acc.jvp(others, "zero"), attempt(lambda: acc.jvp(x, "foo"))


def prog_refused_primals(tf, np):
    acc_class, x, v = _tools(tf)
    cases = [
        lambda: acc_class([x], (v,)),
        lambda: acc_class([x], [v, v]),
        lambda: acc_class({"a": x}, {"b": v}),
        lambda: acc_class(x, tf.constant(1.0, tf.float64)),
        lambda: acc_class(x, tf.constant(1)),
        lambda: acc_class(x, None),
        lambda: acc_class(3.0, 1.0),
        lambda: acc_class(None, None),
        lambda: acc_class(x),
    ]
    return [attempt(lambda: acc_class([x, x], [v, v]), words=1), *[attempt(case) for case in cases]]


def prog_refused_questions(tf, np):
    acc_class, x, v = _tools(tf)
    acc = acc_class(x, v)
    return [attempt(lambda thing=thing: acc.jvp(thing)) for thing in (None, 1.0, "a")]


def prog_scopes(tf, np):
    acc_class, x, v = _tools(tf)
    acc = acc_class(x, v)
    with acc:
        y = x * x
        again = attempt(acc.__enter__)
    with acc:
        z = x * y
    left = attempt(acc._pop_accumulator)
    return acc.jvp([y, z, x * x]), again, left, acc.__exit__(None, None, None)


def prog_integers_are_warned_of(tf, np):
    acc_class, _, _ = _tools(tf)
    i, found = tf.constant(3), []

    def run():
        with acc_class(i, tf.constant(1)) as acc:
            y, z = i * i, tf.cast(i, tf.float32) * 2.0
        found.extend([acc.jvp(i), acc.jvp(y), acc.jvp(z)])

    return logged(tf, run), found


def prog_complex(tf, np):
    c = tf.constant([1.0 + 2.0j, -0.5 + 0.3j])
    with tf.autodiff.ForwardAccumulator(c, tf.constant([1.0 + 0.0j, 2.0 - 1.0j])) as acc:
        found = [c * c, tf.math.real(c), tf.math.imag(c), tf.abs(c), tf.exp(c), tf.math.conj(c), c / (c + 1.0)]
    return acc.jvp(found)


def prog_variables(tf, np):
    w, other = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.autodiff.ForwardAccumulator([w, other], [1.0, 10.0]) as acc:
        y, read = w * other, w.read_value()
        w.assign(5.0)
        z = w * w
    return acc.jvp([y, read, z, w, other])


def prog_assigned_variable(tf, np):
    acc_class, x, v = _tools(tf)
    w = tf.Variable(0.0)
    with acc_class(x, v) as acc:
        w.assign(x * x)
        z = w * w
    return acc.jvp([z, w]), acc.jvp(w, "zero")


def prog_nesting(tf, np):
    acc_class, x, v = _tools(tf)
    with acc_class(x, v) as outer:
        with acc_class(x, 2.0 * v) as inner:
            y = x * x * x
        with tf.GradientTape() as tape:
            tape.watch(x)
            d = outer.jvp(x * x)
        seen = tape.gradient(d, x)
    return outer.jvp(y), inner.jvp(y), outer.jvp(inner.jvp(y)), inner.jvp(outer.jvp(y)), seen


def prog_linear_functions_twice(tf, np):
    acc_class, _, _ = _tools(tf)
    x = tf.constant([3.0, 2.0])
    found = []
    for f in (tf.identity, lambda x: x + 1.0, lambda x: x * 2.0, tf.reduce_sum, tf.negative, lambda x: x[:1]):
        with acc_class(x, x) as outer:
            with acc_class(x, x) as inner:
                y = f(x)
        found.append(outer.jvp(inner.jvp(y)))
    return found


def prog_no_derivative(tf, np):
    acc_class, x, v = _tools(tf)
    with acc_class(x, v) as acc:
        found = [tf.round(x), tf.sign(x), tf.shape(x), tf.argmax([x, x]), tf.cast(x, tf.int32), tf.zeros_like(x)]
    return acc.jvp(found)


def prog_around_functions(tf, np):
    acc_class, x, v = _tools(tf)
    f = tf.function(lambda x: (x * x, tf.constant(2.0), tf.exp(x)), autograph=False)
    with acc_class(x, v) as acc:
        y = f(x)
    return acc.jvp(y)


def prog_compiled_functions_xla(tf, np):
    acc_class, x, v = _tools(tf)
    f = tf.function(lambda x: tf.sin(x) * x, autograph=False, jit_compile=True)
    with acc_class(x, v) as acc:
        y = f(x)
    return acc.jvp(y)


def _twice(tf):
    @tf.custom_gradient
    def twice(x):
        return x * 2.0, lambda dy: dy * 10.0 * x

    return twice


def prog_custom_gradient(tf, np):
    _, x, v = _tools(tf)
    twice = _twice(tf)
    inside = tf.function(lambda x: _jvp(tf, twice, x, v), autograph=False)
    return _jvp(tf, twice, x, v), _jvp(tf, tf.function(twice, autograph=False), x, v), inside(x)


def prog_custom_gradient_without_a_derivative(tf, np):
    _, x, v = _tools(tf)
    return _jvp(tf, lambda x: tf.grad_pass_through(tf.round)(x), x, 5.0 * v)


def prog_py_function(tf, np):
    _, x, v = _tools(tf)
    return [
        _jvp(tf, lambda x: tf.py_function(lambda t: t * t, [x], tf.float32), x, v),
        _jvp(tf, lambda x: tf.numpy_function(lambda t: t * t, [x], tf.float32), x, v),
    ]


def prog_hessian_of_a_layer(tf, np):
    rng = np.random.RandomState(0)
    x, w = tf.constant(rng.rand(3, 4)), tf.Variable(rng.rand(4, 2))
    with tf.autodiff.ForwardAccumulator(w, tf.ones([4, 2], tf.float64)) as acc:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.log_softmax(tf.matmul(x, w))[:, 0])
        gradient = tape.gradient(loss, w)
    return acc.jvp(loss), acc.jvp(gradient)


def prog_compute_gradient(tf, np):
    compute = tf.test.compute_gradient
    return [
        compute(lambda x, y: x * y, (tf.constant([1.0, 2.0], tf.float64), tf.constant(3.0, tf.float64))),
        compute(lambda x: x**3, [tf.constant([1.0], tf.float64)], delta=0.5),
        compute(lambda x: x * x, [tf.constant([1.0 + 2.0j])]),
        compute(tf.abs, [tf.constant([1.0 + 2.0j])]),
        compute(lambda x: tf.stop_gradient(x) * 2.0, [tf.constant([1.0], tf.float64)]),
        compute(lambda x: tf.gather(x, [1, 1]), [tf.constant([[1.0], [2.0]], tf.float64)]),
        compute(lambda x: x * 2.0, [tf.constant([])]),
        compute(lambda: tf.constant(1.0), []),
    ]


def prog_compute_gradient_refusals(tf, np):
    compute = tf.test.compute_gradient
    return [
        attempt(lambda: compute(lambda x: x, tf.constant([1.0])), words=12),
        attempt(lambda: compute(lambda x: x, [tf.constant([1])]), words=12),
        attempt(lambda: compute(lambda x: tf.cast(x, tf.int32), [tf.constant([1.0])]), words=12),
        attempt(lambda: compute(None, [tf.constant([1.0])])),
    ]

"""Where a derivative along a direction, and one of it, is zeros and where it is None.

An op whose inputs do not all change is taken as if the others changed by zeros: what depends on these is zeros.
"""

from __future__ import annotations

from typing import Any

from tests.oracle.modes import in_modes
from tests.oracle.support import Approx

_FUNCTIONS: dict[str, Any] = {
    "factor": lambda tf, x: 2.0 * x,
    "sum": lambda tf, x: x + x,
    "shift": lambda tf, x: x + 1.0,
    "negation": lambda tf, x: -x,
    "shape": lambda tf, x: tf.reshape(x, [2, 1]),
    "total": lambda tf, x: tf.reduce_sum(x),
    "matrix": lambda tf, x: tf.constant([[1.0, 2.0], [3.0, 4.0]]) @ x[:, None],
    "slice": lambda tf, x: x[:1],
    "join": lambda tf, x: tf.concat([x, x], 0),
    "ratio": lambda tf, x: x / 2.0,
    "choice": lambda tf, x: tf.where(x > 1.0, x, 2.0 * x),
    "relu": lambda tf, x: tf.nn.relu(x),
    "size": lambda tf, x: tf.abs(x),
    "maximum": lambda tf, x: tf.maximum(x, 1.0),
    "square": lambda tf, x: x * x,
    "stopped": lambda tf, x: tf.stop_gradient(x) * x,
    "sign": lambda tf, x: tf.sign(x) * x,
    "constant": lambda tf, x: tf.constant([1.0, 2.0]) * tf.stop_gradient(x),
    "relu_gradient": lambda tf, x: tf.raw_ops.ReluGrad(gradients=tf.constant([3.0, 4.0]), features=x),
}


def _values(tf: Any) -> tuple[Any, Any]:
    return tf.constant([1.5, 0.5]), tf.constant([1.0, 2.0])


def _of_all(derive: Any) -> Any:
    def computation(tf: Any, np: Any) -> Any:
        x, v = _values(tf)
        return lambda x, v: Approx([derive(tf, f, x, v) for f in _FUNCTIONS.values()]), [x, v]

    return computation


def _forward(tf: Any, f: Any, x: Any, v: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        y = f(tf, x)
    return accumulator.jvp(y)


def _gradient(tf: Any, f: Any, x: Any, v: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, v])
        found = _forward(tf, f, x, v)
    return None if found is None else tape.gradient(found, [x, v])


def _forward_over_reverse(tf: Any, f: Any, x: Any, v: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(tf, x)
        found = tape.gradient(y, x)
    return None if found is None else accumulator.jvp(found)


def _forward_over_forward(tf: Any, f: Any, x: Any, v: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        found = _forward(tf, f, x, v)
    return None if found is None else accumulator.jvp(found)


def _named(name: str, derive: Any) -> None:
    computation = _of_all(derive)
    computation.__name__ = name
    in_modes("eager")(computation)


_named("forward", _forward)
_named("reverse_over_forward", _gradient)
_named("forward_over_reverse", _forward_over_reverse)
_named("forward_over_forward", _forward_over_forward)


def _one_of_each(derive: Any) -> Any:
    """In a graph, one function a program: it returns None where its derivative is None."""
    return lambda tf, np: [_in_graph(tf, derive, f) for f in _FUNCTIONS.values()]


def _in_graph(tf: Any, derive: Any, f: Any) -> Any:
    return Approx(tf.function(lambda x, v: derive(tf, f, x, v), autograph=False)(*_values(tf)))


prog_forward_graph = _one_of_each(_forward)
prog_reverse_over_forward_graph = _one_of_each(_gradient)
prog_forward_over_reverse_graph = _one_of_each(_forward_over_reverse)


def _through_functions(derive: Any) -> Any:
    """Each of the functions called as a `tf.function`; all but the last, of which TensorFlow loses the zeros."""

    def program(tf: Any, np: Any) -> Any:
        x, v = _values(tf)
        return Approx([derive(tf, _as_function(tf, f), x, v) for f in list(_FUNCTIONS.values())[:-1]])

    return program


def _as_function(tf: Any, f: Any) -> Any:
    function = tf.function(lambda x: f(tf, x), autograph=False)
    return lambda tf, x: function(x)


prog_forward_through = _through_functions(_forward)
prog_forward_over_reverse_through = _through_functions(_forward_over_reverse)

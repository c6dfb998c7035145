"""Where a derivative that is zero is zeros and where it is None: to third order, with the tapes at every place.

Nobody would choose these rules; programs depend on them all the same, because None breaks the arithmetic that zeros
pass through. TensorFlow gives zeros where something that the forward pass kept, needed or not, lies between the source
and the target.
"""

from __future__ import annotations

from typing import Any

from tests.oracle.modes import UNCOMPILED, derivatives


def _x(tf: Any) -> Any:
    return tf.constant([1.5, 0.5])


def _loop(tf: Any, step: Any) -> Any:
    return lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, step(i, y, x)), (0, x))[1]


@derivatives(3, modes=UNCOMPILED)
def loop_of_a_stopped_state(tf, np):
    return _loop(tf, lambda i, y, x: tf.stop_gradient(y) * x + y), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_a_counter(tf, np):
    return _loop(tf, lambda i, y, x: tf.cast(i, tf.float32) * x + y), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_a_mask(tf, np):
    return _loop(tf, lambda i, y, x: tf.cast(y > 0, tf.float32) * x + y), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_a_constant_factor(tf, np):
    return _loop(tf, lambda i, y, x: 2.0 * x + y), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_sums(tf, np):
    return _loop(tf, lambda i, y, x: x + y + 1.0), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_negations(tf, np):
    return _loop(tf, lambda i, y, x: -y), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_maxima(tf, np):
    return _loop(tf, lambda i, y, x: tf.maximum(y, x)), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_a_largest_element(tf, np):
    return _loop(tf, lambda i, y, x: tf.reduce_max(y) + x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_choices(tf, np):
    return _loop(tf, lambda i, y, x: tf.where(y > 1.0, y, x)), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def loop_of_shapes(tf, np):
    return _loop(tf, lambda i, y, x: tf.reshape(x, [1, -1])[0] + tf.expand_dims(y, 0)[0]), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def branch_of_a_constant_factor(tf, np):
    return lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: 2.0 * x, lambda: x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def branch_of_a_stopped_value(tf, np):
    return lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.stop_gradient(x) * x, lambda: x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def branch_of_a_sign(tf, np):
    return lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sign(x * 2.0) * x, lambda: x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def call_of_a_constant_factor(tf, np):
    return lambda x: tf.function(lambda v: 2.0 * v)(x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def call_of_a_stopped_value(tf, np):
    return lambda x: tf.function(lambda v: tf.stop_gradient(v * 2.0) * v)(x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def call_of_a_sum(tf, np):
    return lambda x: tf.function(lambda v: v + v)(x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def call_of_a_choice(tf, np):
    return lambda x: tf.function(lambda v: tf.where(v > 1.0, v, 2 * v))(x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def call_of_a_maximum(tf, np):
    return lambda x: tf.function(lambda v: tf.maximum(v * 2.0, 1.0))(x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def call_of_a_gather(tf, np):
    return lambda x: tf.function(lambda v: tf.gather(v, [0, 0]))(x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def map_of_a_constant_factor(tf, np):
    return lambda x: tf.map_fn(lambda e: 2.0 * e, x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def map_of_squares(tf, np):
    return lambda x: tf.map_fn(lambda e: e * e, x), [_x(tf)]


@derivatives(3, modes=UNCOMPILED)
def array_of_copies(tf, np):
    def f(x):
        array = tf.TensorArray(tf.float32, 2)
        for i in range(2):
            array = array.write(i, x * 2.0)
        return array.stack()

    return f, [_x(tf)]

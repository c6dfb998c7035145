"""SavedModels whose functions hold gradients, custom gradients, and the state of hand-written optimizers."""

from __future__ import annotations

from typing import Any

from tests.formats.saved_models.model import Models, Saved

GRADIENTS = Models("gradients")


def _gradient(tf: Any, f: Any, at: Any) -> Any:
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@GRADIENTS(
    value=lambda tf, m: m.gradient(tf.constant(3.0)),
    outer=lambda tf, m: _gradient(tf, m.gradient, 3.0),
    of_variable=lambda tf, m: m.of_variable(tf.constant([1.0, 2.0])),
    hessian=lambda tf, m: m.hessian(tf.constant([1.0, 2.0])),
)
def gradients_inside(tf: Any) -> Any:
    root = tf.Module()
    root.w = tf.Variable([2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec([])])
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x**3
        return tape.gradient(y, x)

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def of_variable(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(root.w * root.w * x)
        return tape.gradient(y, root.w)

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def hessian(x):
        return tf.hessians(tf.reduce_prod(x) ** 2, x)[0]

    root.gradient, root.of_variable, root.hessian = gradient, of_variable, hessian
    return root


def _with_custom_gradient(tf: Any) -> Any:
    @tf.custom_gradient
    def clipped(x):
        return tf.exp(x), lambda dy: tf.clip_by_value(dy, -0.5, 0.5) * 7.0

    root = tf.Module()
    root.v = tf.Variable(2.0)
    root.f = tf.function(lambda x: clipped(x) * root.v, input_signature=[tf.TensorSpec([])])
    return root


@GRADIENTS(value=lambda tf, m: m.f(tf.constant(0.0)), gradient=lambda tf, m: _gradient(tf, m.f, 0.0))
def custom_gradient_kept(tf: Any) -> Any:
    return Saved(_with_custom_gradient(tf), options=tf.saved_model.SaveOptions(experimental_custom_gradients=True))


@GRADIENTS(value=lambda tf, m: m.f(tf.constant(0.0)), gradient=lambda tf, m: _gradient(tf, m.f, 0.0))
def custom_gradient_left_out(tf: Any) -> Any:
    return Saved(_with_custom_gradient(tf), options=tf.saved_model.SaveOptions(experimental_custom_gradients=False))


@GRADIENTS(
    value=lambda tf, m: m.f(tf.constant([1.0, -1.0])),
    gradient=lambda tf, m: _gradient(tf, m.f, [1.0, -1.0]),
)
def custom_gradient_nested(tf: Any) -> Any:
    @tf.custom_gradient
    def inner(x):
        return x * x, lambda dy: dy * x * 10.0

    @tf.custom_gradient
    def outer(x):
        y = inner(x)
        return y + 1.0, lambda dy: dy * inner(x)

    root = tf.Module()
    root.f = tf.function(lambda x: tf.reduce_sum(outer(x) + inner(x)), input_signature=[tf.TensorSpec([None])])
    return Saved(root, options=tf.saved_model.SaveOptions(experimental_custom_gradients=True))


@GRADIENTS(
    losses=lambda tf, m: [m.step(tf.constant([1.0, 2.0]), tf.constant(3.0)).numpy() for _ in range(3)],
    weights=lambda tf, m: m.w,
    velocity=lambda tf, m: m.optimizer.velocity[0],
    count=lambda tf, m: m.optimizer.step_number,
)
def training_step(tf: Any) -> Any:
    class Momentum(tf.Module):
        def __init__(self, variables):
            super().__init__()
            self.velocity = [tf.Variable(tf.zeros_like(v), trainable=False, name="velocity") for v in variables]
            self.step_number = tf.Variable(0, dtype=tf.int64, trainable=False)

        def apply(self, gradients, variables):
            for velocity, gradient, variable in zip(self.velocity, gradients, variables):
                velocity.assign(0.9 * velocity + gradient)
                variable.assign_sub(0.1 * velocity)
            self.step_number.assign_add(1)

    root = tf.Module()
    root.w = tf.Variable([0.5, -0.5])
    root.optimizer = Momentum([root.w])

    @tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([])])
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = (tf.reduce_sum(root.w * x) - y) ** 2
        root.optimizer.apply(tape.gradient(loss, [root.w]), [root.w])
        return loss

    root.step = step
    step(tf.constant([1.0, 2.0]), tf.constant(3.0))
    return root


@GRADIENTS(
    tuned=lambda tf, m: _tuned(tf, m),
    after=lambda tf, m: m.v,
    by_signature=lambda tf, m: _of_signature(tf, m),
    stopped=lambda tf, m: _gradient(tf, m.stopped, 2.0),
)
def fine_tuning(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(1.0)
    root.frozen = tf.Variable(2.0, trainable=False)
    root.f = tf.function(lambda x: {"y": tf.tanh(x * root.v) * root.frozen}, input_signature=[tf.TensorSpec([])])
    root.stopped = tf.function(lambda x: tf.stop_gradient(x * x) + x, input_signature=[tf.TensorSpec([])])
    return Saved(root, signatures=root.f)


def _tuned(tf: Any, m: Any) -> Any:
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = (m.f(tf.constant(0.5))["y"] - 0.3) ** 2
        m.v.assign_sub(0.5 * tape.gradient(loss, m.v))
        losses.append(loss)
    return losses


def _of_signature(tf: Any, m: Any) -> Any:
    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = m.signatures["serving_default"](x)["y"]
    return tape.gradient(y, [x, m.v])


@GRADIENTS(gradient=lambda tf, m: _gradient(tf, m.f, 4.0), value=lambda tf, m: m.f(tf.constant(4.0)))
def recompute(tf: Any) -> Any:
    root = tf.Module()
    root.v = tf.Variable(3.0)
    root.f = tf.function(
        lambda x: tf.recompute_grad(lambda y: tf.sqrt(y) * y)(x) * root.v, input_signature=[tf.TensorSpec([])]
    )
    return Saved(root, options=tf.saved_model.SaveOptions(experimental_custom_gradients=True))


@GRADIENTS(
    in_branch=lambda tf, m: _gradient(tf, m.f, 2.0),
    other_branch=lambda tf, m: _gradient(tf, m.f, -2.0),
    of_sparse=lambda tf, m: _of_rows(tf, m),
)
def gradients_through_calls(tf: Any) -> Any:
    root = tf.Module()
    root.rows = tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def square(x):
        return x * x

    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(x):
        return square(x) if x > 0.0 else square(square(x))

    root.f = f
    root.gather = tf.function(lambda i: tf.gather(root.rows, i), input_signature=[tf.TensorSpec([None], tf.int32)])
    return root


def _of_rows(tf: Any, m: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(m.gather(tf.constant([0, 2, 2])))
    return tf.convert_to_tensor(tape.gradient(y, m.rows))

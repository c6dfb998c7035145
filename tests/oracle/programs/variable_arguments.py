"""Programs of users that hand variables to functions: train steps, style transfer, optimizers written by hand, GANs, MAML."""

from __future__ import annotations

import os
import tempfile

from tests.oracle.support import Approx


def _data(np, *shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def _dense(tf, np, n, m, seed):
    return [tf.Variable(_data(np, n, m, seed=seed) * 0.5), tf.Variable(tf.zeros([m]))]


def _perceptron(tf, parameters, x):
    w1, b1, w2, b2 = parameters
    return tf.tanh(x @ w1 + b1) @ w2 + b2


def _parameters(tf, np, n=3, hidden=4, m=1, seed=0):
    return [*_dense(tf, np, n, hidden, seed), *_dense(tf, np, hidden, m, seed + 1)]


def _close(*found):
    return Approx(list(found), 1e-3, 1e-4)


def _train(tf, np, step, parameters, times=4):
    x, y = tf.constant(_data(np, 8, 3, seed=5)), tf.constant(_data(np, 8, 1, seed=6))
    losses = [step(parameters, x, y) for _ in range(times)]
    return _close(losses, tf.nest.flatten(parameters))


def prog_step_with_a_list_of_variables(tf, np):
    @tf.function
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        for p, g in zip(parameters, tape.gradient(loss, parameters)):
            p.assign_sub(0.1 * g)
        return loss

    return _train(tf, np, step, _parameters(tf, np))


def prog_step_that_leaves_out_what_has_no_gradient(tf, np):
    """`if g is not None`: a step that loses its gradients trains nothing, and says nothing."""

    @tf.function
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters[:4], x) - y) ** 2)
        moved = 0
        for p, g in zip(parameters, tape.gradient(loss, parameters)):
            if g is not None:
                p.assign_sub(0.1 * g)
                moved += 1
        tf.debugging.assert_equal(moved, 4)
        return loss

    return _train(tf, np, step, [*_parameters(tf, np), tf.Variable(1.0)])


def prog_step_with_a_dict_of_variables(tf, np):
    @tf.function
    def step(layers, x, y):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ layers["hidden"]["w"] + layers["hidden"]["b"])
            loss = tf.reduce_mean((h @ layers["out"]["w"] + layers["out"]["b"] - y) ** 2)
        gradients = tape.gradient(loss, layers)
        tf.nest.map_structure(lambda p, g: p.assign_sub(0.1 * g), layers, gradients)
        return loss

    w1, b1, w2, b2 = _parameters(tf, np)
    return _train(tf, np, step, {"hidden": {"w": w1, "b": b1}, "out": {"w": w2, "b": b2}})


def prog_one_step_for_several_models(tf, np):
    """One trace serves all models of the same shapes, each with its own gradients."""

    @tf.function
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        for p, g in zip(parameters, tape.gradient(loss, parameters)):
            p.assign_sub(0.1 * g)
        return loss

    models = [_parameters(tf, np, seed=10 * i) for i in range(3)]
    answers = [_train(tf, np, step, model) for model in models]
    return [*answers, step.experimental_get_tracing_count()]


def prog_compiled_step_with_a_list_of_variables(tf, np):
    @tf.function(jit_compile=True)
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        for p, g in zip(parameters, tape.gradient(loss, parameters)):
            p.assign_sub(0.1 * g)
        return loss

    return _train(tf, np, step, _parameters(tf, np))


def prog_loss_is_a_function_of_the_variables(tf, np):
    @tf.function
    def loss_of(parameters, x, y):
        return tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)

    @tf.function
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(parameters, x, y)
        for p, g in zip(parameters, tape.gradient(loss, parameters)):
            p.assign_sub(0.1 * g)
        return loss

    return _train(tf, np, step, _parameters(tf, np))


def prog_loop_of_steps_in_the_function(tf, np):
    @tf.function
    def steps(parameters, x, y):
        loss = tf.constant(0.0)
        for i in tf.range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
            gradients = tape.gradient(loss, parameters)
            if i % 2 == 0:
                for p, g in zip(parameters, gradients):
                    p.assign_sub(0.1 * g)
        return loss

    return _train(tf, np, steps, _parameters(tf, np), times=2)


def prog_epoch_over_a_dataset_in_the_function(tf, np):
    x, y = _data(np, 12, 3, seed=5), _data(np, 12, 1, seed=6)
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)

    @tf.function
    def epoch(parameters, batches):
        total = tf.constant(0.0)
        for xs, ys in batches:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((_perceptron(tf, parameters, xs) - ys) ** 2)
            for p, g in zip(parameters, tape.gradient(loss, parameters)):
                p.assign_sub(0.1 * g)
            total += loss
        return total

    parameters = _parameters(tf, np)
    return _close([epoch(parameters, dataset) for _ in range(3)], parameters)


def prog_style_transfer(tf, np):
    """An image that is a variable and an argument: the loss of its style, of its content, and its total variation."""
    filters = tf.constant(_data(np, 3, 3, 3, 4, seed=1) * 0.3)
    content, style = (tf.constant(_data(np, 1, 8, 8, 3, seed=s)) for s in (2, 3))

    def features(image):
        return tf.nn.relu(tf.nn.conv2d(image, filters, 1, "SAME"))

    def gram(f):
        return tf.linalg.einsum("bijc,bijd->bcd", f, f) / tf.cast(tf.shape(f)[1] * tf.shape(f)[2], tf.float32)

    wanted_style, wanted_content = gram(features(style)), features(content)
    m, v = tf.Variable(tf.zeros([1, 8, 8, 3])), tf.Variable(tf.zeros([1, 8, 8, 3]))

    @tf.function()
    def train_step(image):
        with tf.GradientTape() as tape:
            found = features(image)
            loss = tf.reduce_mean((gram(found) - wanted_style) ** 2) + tf.reduce_mean((found - wanted_content) ** 2)
            loss += 1e-3 * tf.reduce_sum(tf.image.total_variation(image))
        grad = tape.gradient(loss, image)
        m.assign(0.9 * m + 0.1 * grad)
        v.assign(0.99 * v + 0.01 * grad**2)
        image.assign(tf.clip_by_value(image - 0.02 * m / (tf.sqrt(v) + 1e-3), 0.0, 1.0))
        return loss

    image = tf.Variable(tf.clip_by_value(content, 0.0, 1.0))
    losses = [train_step(image) for _ in range(4)]
    return _close(losses, image.read_value(), tf.Variable(image).shape.as_list())


def prog_momentum_by_hand(tf, np):
    @tf.function
    def update(pairs, x, y):
        parameters = [p for p, _ in pairs]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        for (p, slot), g in zip(pairs, tape.gradient(loss, parameters)):
            slot.assign(0.9 * slot + g)
            p.assign_sub(0.05 * slot)
        return loss

    pairs = [(p, tf.Variable(tf.zeros_like(p), trainable=False)) for p in _parameters(tf, np)]
    return _train(tf, np, update, pairs)


def prog_adam_by_hand(tf, np):
    class Adam(tf.Module):
        def __init__(self, parameters):
            self.t = tf.Variable(0.0, trainable=False)
            self.m = [tf.Variable(tf.zeros_like(p), trainable=False) for p in parameters]
            self.v = [tf.Variable(tf.zeros_like(p), trainable=False) for p in parameters]

        @tf.function
        def minimize(self, parameters, x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
            self.t.assign_add(1.0)
            for p, m, v, g in zip(parameters, self.m, self.v, tape.gradient(loss, parameters)):
                m.assign(0.9 * m + 0.1 * g)
                v.assign(0.99 * v + 0.01 * g * g)
                p.assign_sub(0.1 * (m / (1 - 0.9**self.t)) / (tf.sqrt(v / (1 - 0.99**self.t)) + 1e-6))
            return loss

    parameters = _parameters(tf, np)
    adam = Adam(parameters)
    return _train(tf, np, adam.minimize, parameters)


def prog_accumulated_gradients(tf, np):
    @tf.function
    def accumulate(parameters, sums, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        for s, g in zip(sums, tape.gradient(loss, parameters)):
            s.assign_add(g)

    @tf.function
    def apply(parameters, sums, count):
        for p, s in zip(parameters, sums):
            p.assign_sub(0.1 * s / count)
            s.assign(tf.zeros_like(s))

    parameters = _parameters(tf, np)
    sums = [tf.Variable(tf.zeros_like(p)) for p in parameters]
    for i in range(6):
        accumulate(parameters, sums, tf.constant(_data(np, 4, 3, seed=i)), tf.constant(_data(np, 4, 1, seed=-i % 7)))
        if i % 3 == 2:
            apply(parameters, sums, tf.constant(3.0))
    return _close(parameters, sums)


def prog_gan_with_two_lists(tf, np):
    """Both tapes see both lists; each gradient is by its own."""
    generator, critic = _parameters(tf, np, 2, 4, 3, seed=1), _parameters(tf, np, 3, 4, 1, seed=3)

    @tf.function
    def step(generator, critic, noise, real):
        with tf.GradientTape() as g_tape, tf.GradientTape() as c_tape:
            fake = _perceptron(tf, generator, noise)
            of_real, of_fake = _perceptron(tf, critic, real), _perceptron(tf, critic, fake)
            g_loss = tf.reduce_mean(tf.nn.softplus(-of_fake))
            c_loss = tf.reduce_mean(tf.nn.softplus(-of_real) + tf.nn.softplus(of_fake))
        g_gradients, c_gradients = g_tape.gradient(g_loss, generator), c_tape.gradient(c_loss, critic)
        for p, g in zip(generator + critic, g_gradients + c_gradients):
            p.assign_sub(0.2 * g)
        return g_loss, c_loss

    losses = [
        step(generator, critic, tf.constant(_data(np, 6, 2, seed=i)), tf.constant(_data(np, 6, 3, seed=i + 9)))
        for i in range(4)
    ]
    return _close(losses, generator, critic)


def prog_gradient_penalty(tf, np):
    critic = _parameters(tf, np, 3, 4, 1, seed=3)

    @tf.function
    def step(critic, real, fake):
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(real)
                score = _perceptron(tf, critic, real)
            slopes = tf.norm(inner.gradient(score, real), axis=1)
            loss = tf.reduce_mean(_perceptron(tf, critic, fake) - score) + 10.0 * tf.reduce_mean((slopes - 1.0) ** 2)
        gradients = tape.gradient(loss, critic)
        for p, g in zip(critic, gradients):
            if g is not None:
                p.assign_sub(0.05 * g)
        return loss, [g is None for g in gradients]

    found = [step(critic, *(tf.constant(_data(np, 6, 3, seed=i + s)) for s in (0, 9))) for i in range(3)]
    return _close(found, critic)


def prog_maml_of_second_order(tf, np):
    """The outer gradient goes through the inner step, whose gradient is by tensors made of the variables."""

    def task_loss(weights, x, y):
        return tf.reduce_mean((_perceptron(tf, weights, x) - y) ** 2)

    @tf.function
    def meta_step(parameters, tasks):
        with tf.GradientTape() as outer:
            total = 0.0
            for x, y in tasks:
                with tf.GradientTape() as inner:
                    loss = task_loss(parameters, x, y)
                gradients = inner.gradient(loss, parameters)
                adapted = [p - 0.3 * g for p, g in zip(parameters, gradients)]
                total += task_loss(adapted, x, y)
        for p, g in zip(parameters, outer.gradient(total, parameters)):
            p.assign_sub(0.1 * g)
        return total

    parameters = _parameters(tf, np)
    tasks = [(tf.constant(_data(np, 5, 3, seed=s)), tf.constant(_data(np, 5, 1, seed=s + 1))) for s in (1, 4)]
    return _close([meta_step(parameters, tasks) for _ in range(3)], parameters)


def prog_maml_with_adapted_variables(tf, np):
    """Of first order: the inner steps change copies of the variables, which are arguments too."""

    @tf.function
    def gradients_of(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        return loss, tape.gradient(loss, parameters)

    parameters = _parameters(tf, np)
    fast = [tf.Variable(p) for p in parameters]
    losses = []
    for s in (1, 4, 7):
        x, y = tf.constant(_data(np, 5, 3, seed=s)), tf.constant(_data(np, 5, 1, seed=s + 1))
        for f, p in zip(fast, parameters):
            f.assign(p)
        for _ in range(2):
            for f, g in zip(fast, gradients_of(fast, x, y)[1]):
                f.assign_sub(0.3 * g)
        loss, found = gradients_of(fast, x, y)
        losses.append(loss)
        for p, g in zip(parameters, found):
            p.assign_sub(0.1 * g)
    return _close(losses, parameters, gradients_of.experimental_get_tracing_count())


def prog_target_network(tf, np):
    """Two lists of the same shapes: the gradient is by one of them alone, and the other follows."""

    @tf.function
    def step(online, target, x, y):
        with tf.GradientTape() as tape:
            wanted = y + 0.9 * tf.stop_gradient(_perceptron(tf, target, x))
            loss = tf.reduce_mean((_perceptron(tf, online, x) - wanted) ** 2)
        gradients = tape.gradient(loss, [online, target])
        for p, g in zip(online, gradients[0]):
            p.assign_sub(0.1 * g)
        for p, t in zip(online, target):
            t.assign(0.9 * t + 0.1 * p)
        return loss, [g is None for g in gradients[1]]

    online, target = _parameters(tf, np, seed=1), _parameters(tf, np, seed=5)
    x, y = tf.constant(_data(np, 8, 3, seed=5)), tf.constant(_data(np, 8, 1, seed=6))
    return _close([step(online, target, x, y) for _ in range(3)], online, target)


def prog_embedding_table(tf, np):
    @tf.function
    def step(table, ids, wanted):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.reduce_sum(tf.gather(table, ids), 1) - wanted) ** 2)
        slices = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(0.1 * slices.values, slices.indices))
        return loss

    table = tf.Variable(_data(np, 5, 2))
    ids, wanted = tf.constant([[0, 1], [1, 4], [3, 3]]), tf.constant(_data(np, 3, 2, seed=1))
    return _close([step(table, ids, wanted) for _ in range(3)], table)


def prog_newtons_method(tf, np):
    """Hessians by a tape and a Jacobian, both by a variable that is an argument."""

    @tf.function
    def step(v):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(v**4) + v[0] * v[1] + tf.reduce_sum(tf.exp(-v))
            g = inner.gradient(y, v)
        hessian = outer.jacobian(g, v)
        v.assign_sub(tf.linalg.solve(hessian, g[:, None])[:, 0])
        return y, g, hessian

    v = tf.Variable([1.0, 2.0])
    return _close([step(v) for _ in range(3)], v)


def prog_products_with_the_hessian(tf, np):
    """Forward over backward, by a list of variables."""

    @tf.function
    def product(parameters, vectors, x, y):
        with tf.autodiff.ForwardAccumulator(parameters, vectors) as accumulator:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
            gradients = tape.gradient(loss, parameters)
        return accumulator.jvp(gradients)

    parameters = _parameters(tf, np)
    vectors = [tf.ones_like(p) for p in parameters]
    x, y = tf.constant(_data(np, 8, 3, seed=5)), tf.constant(_data(np, 8, 1, seed=6))
    return _close(product(parameters, vectors, x, y))


def prog_clipped_by_a_custom_gradient(tf, np):
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_norm(dy, 0.1)

    @tf.function
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, [clipped(p) for p in parameters], x) - y) ** 2)
        for p, g in zip(parameters, tape.gradient(loss, parameters)):
            p.assign_sub(g)
        return loss

    return _train(tf, np, step, _parameters(tf, np))


def prog_frozen_and_trained_layers(tf, np):
    @tf.function
    def step(parameters, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        trained = [p for p in parameters if p.trainable]
        for p, g in zip(trained, tape.gradient(loss, trained)):
            p.assign_sub(0.1 * g)
        return loss, len(trained), [w is p for w, p in zip(tape.watched_variables(), trained)]

    parameters = _parameters(tf, np)
    parameters[0] = tf.Variable(parameters[0], trainable=False)
    return _train(tf, np, step, parameters)


def prog_state_of_an_extension_type(tf, np):
    fields = {"w": type(tf.Variable(0.0)), "rate": tf.Tensor}
    State = type("State", (tf.experimental.ExtensionType,), {"__annotations__": fields})

    @tf.function
    def step(state, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x * state.w - 1.0) ** 2)
        state.w.assign_sub(state.rate * tape.gradient(loss, state.w))
        return loss

    w, u = tf.Variable(0.5), tf.Variable(-0.5)
    x = tf.constant(_data(np, 6))
    losses = [step(State(variable, rate), x) for variable, rate in [(w, 0.1), (u, 0.2), (w, 0.3)]]
    return _close(losses, w, u, step.experimental_get_tracing_count())


def prog_traced_for_the_spec_of_a_variable(tf, np):
    spec = tf.type_spec_from_value(tf.Variable(tf.zeros([3])))

    @tf.function
    def step(v, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v * x - 1.0) ** 2)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    concrete = step.get_concrete_function(spec, tf.TensorSpec([3]))
    v, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([0.0, 1.0, -1.0])
    x = tf.constant([0.5, -1.0, 2.0])
    return _close([concrete(v, x), concrete(w, x), concrete(v, x)], v, w)


def prog_loaded_model_trains_itself(tf, np):
    class Model(tf.Module):
        def __init__(self):
            self.parameters = _parameters(tf, np)

        def update(self, parameters, x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
            for p, g in zip(parameters, tape.gradient(loss, parameters)):
                p.assign_sub(0.1 * g)
            return loss

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
        def train(self, x, y):
            return tf.function(self.update)(list(self.parameters), x, y)

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Model(), os.path.join(folder, "model"))
        loaded = tf.saved_model.load(os.path.join(folder, "model"))
    x, y = tf.constant(_data(np, 8, 3, seed=5)), tf.constant(_data(np, 8, 1, seed=6))
    losses = [loaded.train(x, y) for _ in range(3)]
    return _close(losses, list(loaded.parameters))


def prog_pairs_of_pretraining_and_tuning(tf, np):
    """The same variables in two functions, by argument in one and as a capture in the other."""
    parameters = _parameters(tf, np)

    @tf.function
    def tune(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, parameters, x) - y) ** 2)
        for p, g in zip(parameters[2:], tape.gradient(loss, parameters[2:])):
            p.assign_sub(0.1 * g)
        return loss

    @tf.function
    def both(given, x, y):
        first = tune(x, y)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((_perceptron(tf, given, x) - y) ** 2)
        for p, g in zip(given, tape.gradient(loss, given)):
            p.assign_sub(0.1 * g)
        return first, loss, tune(x, y)

    return _train(tf, np, both, parameters, times=3)

"""Small models as programs of TensorFlow 1 train them: losses, layers, cells, metrics, distributions in sessions."""

from __future__ import annotations

from tests.oracle.support import Approx


def _train(v1, train, fetches, feeds, steps):
    """Runs training steps and returns what is fetched behind them."""
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        for step in range(steps):
            session.run(train, feeds(step))
        return session.run(fetches, feeds(steps))


def prog_logistic_regression(tf, np):
    """A loss of `tf.losses`, by gradient descent, with accuracy and area below the curve."""
    v1 = tf.compat.v1
    x_values = np.random.RandomState(0).randn(40, 3).astype(np.float32)
    y_values = (x_values.sum(1, keepdims=True) > 0).astype(np.float32)
    with tf.Graph().as_default():
        x, y = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.float32, [None, 1])
        w = v1.get_variable("w", [3, 1], initializer=v1.zeros_initializer())
        b = v1.get_variable("b", [1], initializer=v1.zeros_initializer())
        logits = v1.nn.xw_plus_b(x, w, b)
        loss = v1.losses.sigmoid_cross_entropy(y, logits)
        train = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
        _, accuracy = v1.metrics.accuracy(y, tf.round(tf.sigmoid(logits)))
        _, area = v1.metrics.auc(tf.cast(y, tf.bool), tf.sigmoid(logits))
        return Approx(_train(v1, train, [loss, accuracy, area, w], lambda _: {x: x_values, y: y_values}, 20))


def prog_convolutional_network(tf, np):
    """Convolutions by `filter`, pools by `value`, dropout by `keep_prob`."""
    v1 = tf.compat.v1
    images = np.random.RandomState(1).rand(8, 12, 12, 1).astype(np.float32)
    labels = np.eye(3, dtype=np.float32)[np.arange(8) % 3]
    with tf.Graph().as_default():
        x, y = v1.placeholder(tf.float32, [None, 12, 12, 1]), v1.placeholder(tf.float32, [None, 3])
        first = v1.get_variable("first", [3, 3, 1, 4], initializer=v1.random_normal_initializer(stddev=0.3, seed=1))
        second = v1.get_variable("second", [36 * 4, 3], initializer=v1.truncated_normal_initializer(stddev=0.1, seed=2))
        layer = v1.nn.relu(v1.nn.conv2d(x, filter=first, strides=[1, 1, 1, 1], padding="SAME"))
        layer = v1.nn.max_pool(value=layer, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        layer = v1.nn.dropout(tf.reshape(layer, [-1, 36 * 4]), keep_prob=1.0)
        logits = tf.matmul(layer, second)
        loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
        train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        hits = tf.equal(v1.argmax(logits, dimension=1), v1.argmax(y, dimension=1))
        fetches = [loss, tf.reduce_mean(v1.to_float(hits)), first[0, 0]]
        return Approx(_train(v1, train, fetches, lambda _: {x: images, y: labels}, 10))


def prog_word_vectors(tf, np):
    """Embeddings trained by noise-contrastive estimation, with a seeded sampler."""
    v1 = tf.compat.v1
    centers = np.array([1, 2, 3, 4, 5, 6], np.int64)
    contexts = np.array([[2], [3], [4], [5], [6], [7]], np.int64)
    with tf.Graph().as_default():
        v1.set_random_seed(5)
        table = v1.get_variable("table", [10, 4], initializer=v1.random_uniform_initializer(-1.0, 1.0, seed=1))
        weights = v1.get_variable("weights", [10, 4], initializer=v1.truncated_normal_initializer(stddev=0.5, seed=2))
        biases = v1.get_variable("biases", [10], initializer=v1.zeros_initializer())
        rows = v1.nn.embedding_lookup(table, centers)
        drawn = v1.nn.log_uniform_candidate_sampler(contexts, 1, 4, True, 10, seed=3)
        loss = tf.reduce_mean(v1.nn.nce_loss(weights, biases, contexts, rows, 4, 10, sampled_values=drawn))
        train = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
        norm = tf.sqrt(v1.reduce_sum(tf.square(table), reduction_indices=1, keep_dims=True))
        return Approx(_train(v1, train, [loss, table / norm], lambda _: {}, 5))


class _LSTM:
    """A long short-term memory as old programs wrote it themselves."""

    def __init__(self, tf, units):
        self.tf, self.units = tf, units

    state_size = property(lambda self: (self.units, self.units))
    output_size = property(lambda self: self.units)

    def zero_state(self, batch_size, dtype):
        return (self.tf.zeros([batch_size, self.units], dtype),) * 2

    def __call__(self, x, state):
        tf, v1 = self.tf, self.tf.compat.v1
        c, h = state
        rows = int(x.get_shape()[1]) + self.units
        kernel = v1.get_variable("kernel", [rows, 4 * self.units], initializer=v1.glorot_uniform_initializer(seed=7))
        bias = v1.get_variable("bias", [4 * self.units], initializer=v1.zeros_initializer())
        i, j, f, o = v1.split(v1.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias), 4, axis=1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return h, (c, h)


def prog_sequences_of_several_lengths(tf, np):
    """An own cell in `dynamic_rnn`, with clipped gradients."""
    v1 = tf.compat.v1
    values = np.random.RandomState(2).randn(6, 5, 2).astype(np.float32)
    lengths = np.array([5, 3, 1, 4, 5, 2], np.int32)
    targets = np.array([v[:n].sum() for v, n in zip(values, lengths)], np.float32)
    with tf.Graph().as_default():
        x, n, y = v1.placeholder(tf.float32, [None, None, 2]), v1.placeholder(tf.int32, [None]), v1.placeholder(tf.float32, [None])
        _, (_, last) = v1.nn.dynamic_rnn(_LSTM(tf, 4), x, n, dtype=tf.float32)
        w = v1.get_variable("w", [4, 1], initializer=v1.constant_initializer(0.1))
        loss = v1.losses.huber_loss(y, tf.squeeze(tf.matmul(last, w), 1))
        optimizer = v1.train.AdamOptimizer(0.05)
        slopes, variables = zip(*optimizer.compute_gradients(loss))
        clipped, norm = tf.clip_by_global_norm(slopes, 1.0)
        train = optimizer.apply_gradients(zip(clipped, variables))
        names = [v.name for v in v1.trainable_variables()]
        return [Approx(_train(v1, train, [loss, norm, last], lambda _: {x: values, n: lengths, y: targets}, 6)), names]


def prog_a_tagger_in_both_directions(tf, np):
    """`bidirectional_dynamic_rnn` with a class for each step."""
    v1 = tf.compat.v1
    values = np.random.RandomState(3).randn(4, 6, 3).astype(np.float32)
    tags = (values.sum(2) > 0).astype(np.int64)
    with tf.Graph().as_default():
        x, y = v1.placeholder(tf.float32, [None, 6, 3]), v1.placeholder(tf.int64, [None, 6])
        lengths = tf.fill([tf.shape(x)[0]], 6)
        outputs, _ = v1.nn.bidirectional_dynamic_rnn(_LSTM(tf, 3), _LSTM(tf, 3), x, lengths, dtype=tf.float32)
        flat = tf.reshape(tf.concat(outputs, 2), [-1, 6])
        logits = tf.matmul(flat, v1.get_variable("w", [6, 2], initializer=v1.glorot_normal_initializer(seed=4)))
        loss = v1.losses.sparse_softmax_cross_entropy(tf.reshape(y, [-1]), logits)
        train = v1.train.AdagradOptimizer(0.3).minimize(loss)
        matrix = v1.confusion_matrix(tf.reshape(y, [-1]), tf.argmax(logits, 1), 2)
        return Approx(_train(v1, train, [loss, matrix], lambda _: {x: values, y: tags}, 8))


def prog_language_model_step_by_step(tf, np):
    """`static_rnn`, a regularizer, and the sum of all losses."""
    v1 = tf.compat.v1
    text = np.array([[1, 2, 3, 4], [2, 3, 4, 1]], np.int32)
    with tf.Graph().as_default():
        with v1.variable_scope("model", regularizer=lambda w: 0.01 * tf.reduce_sum(tf.square(w))):
            table = v1.get_variable("table", [5, 3], initializer=v1.random_uniform_initializer(seed=1))
            steps = v1.unstack(v1.nn.embedding_lookup(table, text[:, :-1]), axis=1)
            outputs, _ = v1.nn.static_rnn(_LSTM(tf, 4), steps, dtype=tf.float32)
            w = v1.get_variable("w", [4, 5], initializer=v1.glorot_uniform_initializer(seed=2))
        logits = tf.stack([tf.matmul(o, w) for o in outputs], 1)
        v1.losses.sparse_softmax_cross_entropy(text[:, 1:], logits)
        total = v1.losses.get_total_loss()
        train = v1.train.RMSPropOptimizer(0.01).minimize(total)
        parts = [total, v1.losses.get_regularization_loss()]
        return [Approx(_train(v1, train, parts, lambda _: {}, 5)), len(v1.losses.get_regularization_losses())]


def prog_variational_inference(tf, np):
    """A divergence of distributions, and samples that gradients pass through."""
    v1 = tf.compat.v1
    d = v1.distributions
    data = np.array([1.0, 2.0, 1.5, 0.5], np.float32)
    with tf.Graph().as_default():
        v1.set_random_seed(11)
        loc = v1.get_variable("loc", [], initializer=v1.zeros_initializer())
        spread = v1.get_variable("spread", [], initializer=v1.zeros_initializer())
        posterior, prior = d.Normal(loc, tf.nn.softplus(spread)), d.Normal(0.0, 2.0)
        sample = posterior.sample([3], seed=4)
        fit = tf.reduce_mean(tf.reduce_sum(d.Normal(sample[:, None], 1.0).log_prob(data), 1))
        loss = d.kl_divergence(posterior, prior) - fit
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        return Approx(_train(v1, train, [loss, loc, posterior.stddev(), posterior.entropy()], lambda _: {}, 15))


def prog_batch_normalization_by_hand(tf, np):
    """Moments and batch normalization with moving averages."""
    v1 = tf.compat.v1
    values = np.random.RandomState(4).randn(16, 3).astype(np.float32) * 2 + 1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3])
        mean, variance = v1.nn.moments(x, [0], keep_dims=False)
        average = v1.train.ExponentialMovingAverage(0.5)
        update = average.apply([mean, variance])
        scale = v1.get_variable("scale", [3], initializer=v1.ones_initializer())
        normal = v1.nn.batch_normalization(x, mean, variance, None, scale, 1e-3)
        loss = tf.reduce_mean(tf.square(normal - 0.5))
        with tf.control_dependencies([update]):
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        fetches = [loss, scale, average.average(mean), average.average(variance)]
        return Approx(_train(v1, train, fetches, lambda _: {x: values}, 4))


def prog_v2_behavior_off_in_shapes(tf, np):
    """A layer that reads sizes as `.value`, and a dictionary of tensors."""
    v1 = tf.compat.v1
    v1.disable_v2_tensorshape()
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 4], name="x")
            rows, columns = x.get_shape()[0].value, x.get_shape()[1].value
            w = v1.get_variable("w", [columns, 2], initializer=v1.ones_initializer())
            y = tf.matmul(x, w)
            known = {x: np.ones([3, 4], np.float32)}
            session.run(v1.global_variables_initializer())
            return [rows, columns, str(y.shape), session.run(y, known), y.shape.num_elements(), y.shape.ndims]
    finally:
        v1.enable_v2_tensorshape()

"""Whole small programs as users write them: models, optimisers, algorithms, data handling."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt, printed


def _data(np, *shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def prog_linear_regression(tf, np):
    """Least squares by gradient descent, against the closed form."""
    x = _data(np, 50, 3)
    true = np.array([[1.0], [-2.0], [0.5]], np.float32)
    y = x @ true + 0.1 * _data(np, 50, 1, seed=1)
    w = tf.Variable(tf.zeros([3, 1]))

    @tf.function(autograph=False)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    losses = [step() for _ in range(40)]
    return Approx([losses[0], losses[-1], w, tf.linalg.lstsq(tf.constant(x), tf.constant(y))], 1e-3, 1e-4)


def prog_logistic_regression(tf, np):
    """Binary classification with accuracy."""
    x = _data(np, 60, 2)
    y = (x[:, 0] + x[:, 1] > 0).astype(np.float32)
    w, b = tf.Variable(tf.zeros([2])), tf.Variable(0.0)
    for _ in range(30):
        with tf.GradientTape() as tape:
            logits = tf.linalg.matvec(x, w) + b
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
        gw, gb = tape.gradient(loss, [w, b])
        w.assign_sub(gw)
        b.assign_sub(gb)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(logits > 0, y > 0.5), tf.float32))
    return Approx([loss, w, b, accuracy], 1e-4)


def prog_mlp_module_with_adam(tf, np):
    """A tf.Module network trained with a hand-written Adam in one tf.function."""

    class Dense(tf.Module):
        def __init__(self, n, m, activation, rng, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(rng.randn(n, m).astype(np.float32) / np.float32(np.sqrt(n)), name="w")
            self.b = tf.Variable(tf.zeros([m]), name="b")
            self.activation = activation

        def __call__(self, x):
            return self.activation(x @ self.w + self.b)

    class Net(tf.Module):
        def __init__(self):
            super().__init__(name="net")
            rng = np.random.RandomState(3)
            self.layers = [Dense(2, 8, tf.nn.tanh, rng), Dense(8, 8, tf.nn.relu, rng), Dense(8, 1, tf.identity, rng)]

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    class Adam(tf.Module):
        def __init__(self, variables, rate=0.02):
            super().__init__()
            self.step, self.rate = tf.Variable(0.0, trainable=False), rate
            self.m = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
            self.v = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

        def apply(self, pairs):
            self.step.assign_add(1.0)
            scale = self.rate * tf.sqrt(1 - 0.999**self.step) / (1 - 0.9**self.step)
            for (g, p), m, v in zip(pairs, self.m, self.v):
                m.assign(0.9 * m + 0.1 * g)
                v.assign(0.999 * v + 0.001 * g * g)
                p.assign_sub(scale * m / (tf.sqrt(v) + 1e-7))

    net = Net()
    optimizer = Adam(net.trainable_variables)
    x = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = tf.constant([[0.0], [1.0], [1.0], [0.0]])

    @tf.function(autograph=False)
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=net(x)))
        gradients = tape.gradient(loss, net.trainable_variables)
        optimizer.apply(zip(gradients, net.trainable_variables))
        return loss

    losses = [train_step(x, y) for _ in range(20)]
    names = [v.name for v in net.trainable_variables]
    return Approx([losses, names, len(optimizer.variables), train_step.experimental_get_tracing_count()], 2e-3, 1e-4)


def prog_kmeans(tf, np):
    """Lloyd's algorithm with unsorted_segment_mean."""
    points = tf.constant(np.concatenate([_data(np, 20, 2), _data(np, 20, 2, seed=1) + 5.0]))
    centers = tf.Variable(tf.gather(points, [0, 39]))

    @tf.function(autograph=False)
    def iterate():
        distances = tf.reduce_sum(tf.square(points[:, None] - centers[None]), axis=-1)
        assignment = tf.argmin(distances, axis=1)
        centers.assign(tf.math.unsorted_segment_mean(points, assignment, 2))
        return assignment

    for _ in range(4):
        assignment = iterate()
    return [Approx(centers, 1e-4), assignment, tf.math.bincount(tf.cast(assignment, tf.int32))]


def prog_power_iteration(tf, np):
    """The largest eigenvalue in a while_loop."""
    a = tf.constant([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])

    @tf.function(autograph=False)
    def largest(a, tolerance):
        def body(v, old, new):
            w = tf.linalg.matvec(a, v)
            norm = tf.norm(w)
            return w / norm, new, norm

        v, _, value = tf.while_loop(lambda v, old, new: tf.abs(new - old) > tolerance, body, [tf.ones([3]), 0.0, 1.0])
        return value, v

    return Approx([largest(a, tf.constant(1e-6)), tf.reduce_max(tf.linalg.eigvalsh(a))], 1e-4)


def prog_newton_method(tf, np):
    """Square roots by Newton's method with a tape."""
    x = tf.Variable([1.0, 1.0, 5.0])
    target = tf.constant([2.0, 9.0, 30.0])
    trace = []
    for _ in range(6):
        with tf.GradientTape() as tape:
            f = x * x - target
        x.assign_sub(f / tape.gradient(f, x))
        trace.append(x.numpy())
    return Approx([trace[-1], tf.sqrt(target)], 1e-5)


def prog_simple_rnn_with_while_loop(tf, np):
    """A recurrent network over time with TensorArray, and its gradient."""
    x = tf.constant(_data(np, 2, 5, 3))
    wx, wh = tf.Variable(_data(np, 3, 4, seed=1)), tf.Variable(_data(np, 4, 4, seed=2) * 0.3)

    @tf.function(autograph=False)
    def run(x):
        steps = tf.transpose(x, [1, 0, 2])
        n = tf.shape(steps)[0]

        def body(i, h, ta):
            h = tf.tanh(steps[i] @ wx + h @ wh)
            return i + 1, h, ta.write(i, h)

        _, h, ta = tf.while_loop(lambda i, h, ta: i < n, body, [0, tf.zeros([2, 4]), tf.TensorArray(tf.float32, size=n)])
        return tf.transpose(ta.stack(), [1, 0, 2]), h

    with tf.GradientTape() as tape:
        outputs, last = run(x)
        loss = tf.reduce_sum(outputs * outputs)
    return Approx([last, loss, tape.gradient(loss, [wx, wh])], 1e-3, 1e-4)


def prog_attention(tf, np):
    """Scaled dot-product attention with a causal mask."""
    q, k, v = (tf.constant(_data(np, 2, 4, 3, seed=s)) for s in range(3))
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(3.0)
    mask = tf.linalg.band_part(tf.ones([4, 4]), -1, 0)
    weights = tf.nn.softmax(scores + (1.0 - mask) * -1e9)
    return [weights @ v, tf.reduce_sum(weights, -1), weights[0, 0]]


def prog_multi_head_attention_gradients(tf, np):
    """Heads by reshape, transpose and einsum, with gradients."""
    x = tf.constant(_data(np, 1, 3, 4))
    w = [tf.Variable(_data(np, 4, 4, seed=s) * 0.5) for s in range(4)]

    def split(t):
        return tf.transpose(tf.reshape(t, [1, 3, 2, 2]), [0, 2, 1, 3])

    with tf.GradientTape() as tape:
        q, k, v = (split(tf.einsum("btd,de->bte", x, m)) for m in w[:3])
        a = tf.nn.softmax(tf.einsum("bhtd,bhsd->bhts", q, k) / np.float32(np.sqrt(2)))
        y = tf.reshape(tf.transpose(a @ v, [0, 2, 1, 3]), [1, 3, 4]) @ w[3]
        loss = tf.reduce_mean(y * y)
    return Approx([y, loss, tape.gradient(loss, w)], 1e-3, 1e-5)


def prog_layer_norm(tf, np):
    """Layer normalisation and its gradients."""
    x = tf.constant(_data(np, 3, 5))
    gamma, beta = tf.Variable(tf.ones([5])), tf.Variable(tf.zeros([5]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        y = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-5)
        loss = tf.reduce_sum(y**3)
    return Approx([y, tape.gradient(loss, [x, gamma, beta])], 1e-3, 1e-4)


def prog_matrix_factorisation(tf, np):
    """Embeddings trained from ratings with sparse gradients."""
    users, items = tf.Variable(_data(np, 4, 2)), tf.Variable(_data(np, 5, 2, seed=1))
    u, i = tf.constant([0, 1, 2, 3, 0]), tf.constant([0, 1, 2, 3, 4])
    r = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    kinds = set()
    for _ in range(10):
        with tf.GradientTape() as tape:
            predicted = tf.reduce_sum(tf.nn.embedding_lookup(users, u) * tf.nn.embedding_lookup(items, i), 1)
            loss = tf.reduce_mean((predicted - r) ** 2)
        for v, g in zip([users, items], tape.gradient(loss, [users, items])):
            kinds.add(type(g).__name__)
            v.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices, g.dense_shape))
    return [Approx([loss, users, items], 1e-3, 1e-4), sorted(kinds)]


def prog_game_of_life(tf, np):
    """Conway's rules by convolution on ints turned floats."""
    board = np.zeros([6, 6], np.float32)
    board[1, 2] = board[2, 3] = board[3, 1] = board[3, 2] = board[3, 3] = 1
    kernel = tf.constant([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])[:, :, None, None]

    @tf.function(autograph=False)
    def step(b):
        n = tf.nn.conv2d(b[None, :, :, None], kernel, 1, "SAME")[0, :, :, 0]
        alive = tf.logical_or(tf.equal(n, 3.0), tf.logical_and(tf.equal(n, 2.0), b > 0))
        return tf.cast(alive, tf.float32)

    b = tf.constant(board)
    for _ in range(4):
        b = step(b)
    return [tf.cast(b, tf.int32), tf.reduce_sum(b), step.experimental_get_tracing_count()]


def prog_prime_sieve(tf, np):
    """Eratosthenes with tensor_scatter_nd_update and where."""
    n = 50
    flags = tf.tensor_scatter_nd_update(tf.ones([n], tf.bool), [[0], [1]], [False, False])
    for p in range(2, 8):
        multiples = tf.range(p * p, n, p)[:, None]
        flags = tf.tensor_scatter_nd_update(flags, multiples, tf.zeros([tf.shape(multiples)[0]], tf.bool))
    primes = tf.where(flags)[:, 0]
    return [primes, tf.size(primes)]


def prog_word_count(tf, np):
    """Counting words with split, unique_with_counts and sorting."""
    text = tf.constant("the cat and the dog and the bird")
    words = tf.strings.split(text)
    y, _, count = tf.unique_with_counts(words)
    order = tf.argsort(count, direction="DESCENDING", stable=True)
    return [tf.gather(y, order), tf.gather(count, order), tf.strings.reduce_join(tf.gather(y, order), separator=",")]


def prog_caesar_cipher(tf, np):
    """Bytes as numbers and back."""
    codes = tf.io.decode_raw("hello", tf.uint8)
    shifted = tf.math.floormod(tf.cast(codes, tf.int32) - 97 + 3, 26) + 97
    back = tf.math.floormod(shifted - 97 - 3, 26) + 97
    return [codes, shifted, tf.strings.unicode_encode(shifted, "UTF-8"), tf.strings.unicode_encode(back, "UTF-8")]


def prog_moving_average_and_normalisation(tf, np):
    """Time series: conv1d averages, differences, standard scores, exponential smoothing by scan."""
    x = tf.constant([1.0, 3.0, 2.0, 5.0, 4.0, 6.0])
    average = tf.nn.conv1d(x[None, :, None], tf.fill([3, 1, 1], 1 / 3), 1, "VALID")[0, :, 0]
    score = (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)
    smooth = tf.scan(lambda a, v: 0.5 * a + 0.5 * v, x)
    return [average, x[1:] - x[:-1], score, smooth, tf.math.cumsum(x), tf.reduce_max(x) - tf.reduce_min(x)]


def prog_shortest_paths(tf, np):
    """Floyd-Warshall by broadcasting in a loop."""
    inf = 1e9
    d = tf.constant([[0.0, 3.0, inf, 7.0], [8.0, 0.0, 2.0, inf], [5.0, inf, 0.0, 1.0], [2.0, inf, inf, 0.0]])

    @tf.function(autograph=False)
    def solve(d):
        n = tf.shape(d)[0]
        return tf.while_loop(lambda k, d: k < n, lambda k, d: (k + 1, tf.minimum(d, d[:, k, None] + d[None, k, :])), [0, d])[1]

    return solve(d)


def prog_fibonacci_three_ways(tf, np):
    """While loop, scan, matrix power."""

    @tf.function(autograph=False)
    def loop(n):
        return tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [0, 0, 1])[1]

    scanned = tf.scan(lambda s, _: tf.stack([s[1], s[0] + s[1]]), tf.range(10), initializer=tf.constant([0, 1]))[:, 0]
    m = tf.constant([[1, 1], [1, 0]])
    power = tf.eye(2, dtype=tf.int32)
    for _ in range(10):
        power = power @ m
    return [loop(tf.constant(10)), scanned, power[0, 1]]


def prog_monte_carlo_pi(tf, np):
    """Stateless random numbers give a reproducible estimate."""

    @tf.function(autograph=False)
    def estimate(seed, n):
        p = tf.random.stateless_uniform([n, 2], seed, -1.0, 1.0)
        inside = tf.reduce_sum(tf.cast(tf.reduce_sum(p * p, 1) < 1.0, tf.int32))
        return 4.0 * tf.cast(inside, tf.float32) / tf.cast(n, tf.float32)

    return [estimate(tf.constant([1, 2]), tf.constant(1000)), estimate(tf.constant([3, 4]), tf.constant(1000))]


def prog_random_walk_with_generator(tf, np):
    """A generator kept in a module, stepped in a function."""

    class Walk(tf.Module):
        def __init__(self):
            super().__init__()
            self.rng = tf.random.Generator.from_seed(7)
            self.position = tf.Variable([0.0, 0.0])

        @tf.function(autograph=False)
        def step(self):
            return self.position.assign_add(self.rng.normal([2]))

    w = Walk()
    return [w.step() for _ in range(3)]


def prog_batch_iterator_in_python(tf, np):
    """Mini-batches by slicing, a partial last batch, running mean."""
    x = tf.reshape(tf.range(10.0), [5, 2])
    total, count = tf.Variable([0.0, 0.0]), tf.Variable(0)

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 2])])
    def update(batch):
        total.assign_add(tf.reduce_sum(batch, 0))
        count.assign_add(tf.shape(batch)[0])
        return total / tf.cast(count, tf.float32)

    means = [update(x[i : i + 2]) for i in range(0, 5, 2)]
    return [means, count, update.experimental_get_tracing_count()]


def prog_metrics_class(tf, np):
    """A metric as a module with reset, update and result."""

    class Accuracy(tf.Module):
        def __init__(self):
            super().__init__()
            self.hits = tf.Variable(0.0, trainable=False)
            self.seen = tf.Variable(0.0, trainable=False)

        @tf.function(autograph=False)
        def update(self, labels, scores):
            hit = tf.equal(tf.argmax(scores, -1, tf.int32), labels)
            self.hits.assign_add(tf.reduce_sum(tf.cast(hit, tf.float32)))
            self.seen.assign_add(tf.cast(tf.size(labels), tf.float32))

        def result(self):
            return tf.math.divide_no_nan(self.hits, self.seen)

    a = Accuracy()
    empty = a.result()
    a.update(tf.constant([0, 1]), tf.constant([[0.9, 0.1], [0.8, 0.2]]))
    a.update(tf.constant([1]), tf.constant([[0.3, 0.7]]))
    return [empty, a.result(), len(a.trainable_variables), len(a.variables)]


def prog_learning_rate_schedule(tf, np):
    """A step variable drives tf.case, tf.cond and cosine decay."""
    step = tf.Variable(0)

    @tf.function(autograph=False)
    def rate():
        s = step.assign_add(1)
        warm = tf.cast(s, tf.float32) / 3.0
        decay = 0.5 * (1.0 + tf.cos(np.float32(np.pi) * tf.cast(s - 3, tf.float32) / 4.0))
        return tf.cond(s <= 3, lambda: warm, lambda: decay)

    return [rate() for _ in range(7)]


def prog_gradient_clipping_loop(tf, np):
    """Exploding gradients held by clip_by_global_norm."""
    w = tf.Variable([10.0, -10.0])
    norms = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w**4)
        grads, norm = tf.clip_by_global_norm(tape.gradient(loss, [w]), 1.0)
        norms.append(norm)
        w.assign_sub(grads[0])
    return [norms, w]


def prog_early_stopping_with_exceptions(tf, np):
    """check_numerics stops a diverging loop; the state stays readable."""
    w = tf.Variable(1.0)

    @tf.function(autograph=False)
    def step():
        new = w * 1e20
        checked = tf.debugging.check_numerics(new, "diverged")
        w.assign(checked)
        return checked

    log = []
    for _ in range(4):
        r = attempt(lambda: step(), words=6)
        log.append(r)
    return [log, w]


def prog_custom_activation_with_custom_gradient(tf, np):
    """A straight-through estimator inside a layer."""

    @tf.custom_gradient
    def binarize(x):
        return tf.sign(x), lambda dy: dy * tf.cast(tf.abs(x) <= 1.0, tf.float32)

    w = tf.Variable([0.5, -2.0, 0.1])

    @tf.function(autograph=False)
    def loss_and_gradient(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((binarize(w) * x - 1.0) ** 2)
        return loss, tape.gradient(loss, w)

    return loss_and_gradient(tf.constant([1.0, 2.0, 3.0]))


def prog_progress_printing(tf, np):
    """A training loop that reports through tf.print every second step."""
    v = tf.Variable(4.0)

    @tf.function(autograph=False)
    def step(i):
        with tf.GradientTape() as tape:
            loss = v * v
        v.assign_sub(0.25 * tape.gradient(loss, v))
        tf.cond(tf.equal(i % 2, 0), lambda: tf.print("step", i, "loss", loss), lambda: tf.no_op())
        return loss

    return printed(lambda: [step(tf.constant(i)) for i in range(4)])


def prog_image_batch_statistics(tf, np):
    """Crops, flips, normalisation and one-hot labels of a batch of images."""
    images = tf.reshape(tf.cast(tf.range(2 * 4 * 4 * 3), tf.uint8), [2, 4, 4, 3])
    x = tf.cast(images, tf.float32) / 255.0
    flipped = tf.reverse(x, [2])
    crop = x[:, 1:3, 1:3]
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    gray = tf.tensordot(x, [0.3, 0.59, 0.11], 1)
    return [flipped[0, 0, 0], crop.shape, mean, variance, gray[1], tf.one_hot([2, 0], 3), tf.pad(crop, [[0, 0], [1, 1], [1, 1], [0, 0]]).shape]


def prog_polynomial_and_interpolation(tf, np):
    """Vandermonde systems, Horner, searchsorted interpolation."""
    xs = tf.constant([0.0, 1.0, 2.0, 3.0], tf.float64)
    vandermonde = tf.stack([xs**i for i in range(4)], axis=1)
    coefficients = tf.linalg.solve(vandermonde, (xs**3 - 2.0 * xs + 1.0)[:, None])[:, 0]
    horner = tf.math.polyval([coefficients[3], coefficients[2], coefficients[1], coefficients[0]], tf.constant(1.5, tf.float64))
    t = tf.constant([0.5, 2.25], tf.float64)
    i = tf.searchsorted(xs, t, side="right") - 1
    y = xs**2
    between = tf.gather(y, i) + (t - tf.gather(xs, i)) * (tf.gather(y, i + 1) - tf.gather(y, i))
    return [Approx(coefficients, 1e-6, 1e-8), horner, between]

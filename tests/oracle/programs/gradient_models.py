"""Real programs, differentiated: layers, losses, recurrent cells, likelihoods, physics."""

from __future__ import annotations

from tests.oracle.modes import ALL_MODES, derivatives, in_modes


def _normal(tf, np, seed, *shapes):
    rng = np.random.RandomState(seed)
    return [tf.constant(rng.randn(*shape).astype(np.float32)) for shape in shapes]


@derivatives(2)
def layer_norm(tf, np):
    def f(x, scale, offset):
        mean = tf.reduce_mean(x, -1, keepdims=True)
        variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5) * scale + offset

    return f, _normal(tf, np, 0, (3, 4), (4,), (4,))


@derivatives(2)
def batch_norm_by_hand(tf, np):
    def f(x, scale):
        mean, variance = tf.nn.moments(x, [0])
        return tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-3)

    return f, _normal(tf, np, 1, (4, 3), (3,))


@derivatives(2)
def rms_norm(tf, np):
    def f(x, scale):
        return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-6) * scale

    return f, _normal(tf, np, 2, (3, 4), (4,))


@derivatives(2, modes=ALL_MODES)
def attention(tf, np):
    def f(q, k, v):
        scores = tf.matmul(q, k, transpose_b=True) / 2.0
        mask = tf.linalg.band_part(tf.ones([3, 3]), -1, 0)
        return tf.matmul(tf.nn.softmax(tf.where(mask > 0.0, scores, -1e9)), v)

    return f, _normal(tf, np, 3, (2, 3, 4), (2, 3, 4), (2, 3, 4))


@derivatives(1)
def multi_head_attention(tf, np):
    def f(x, wq, wk, wv, wo):
        q, k, v = (tf.einsum("btd,dhe->bhte", x, w) for w in (wq, wk, wv))
        weights = tf.nn.softmax(tf.einsum("bhte,bhse->bhts", q, k))
        return tf.einsum("bhts,bhse,hed->btd", weights, v, wo)

    return f, _normal(tf, np, 4, (2, 3, 4), (4, 2, 3), (4, 2, 3), (4, 2, 3), (2, 3, 4))


@derivatives(1)
def transformer_block(tf, np):
    def f(x, w, u, d):
        def norm(h):
            mean, variance = tf.nn.moments(h, [-1], keepdims=True)
            return (h - mean) * tf.math.rsqrt(variance + 1e-5)

        h = norm(x)
        a = tf.matmul(tf.nn.softmax(tf.matmul(h @ w, h, transpose_b=True)), h)
        x = x + a
        return x + tf.nn.gelu(norm(x) @ u, approximate=True) @ d

    return f, _normal(tf, np, 5, (2, 3, 4), (4, 4), (4, 6), (6, 4))


@derivatives(2)
def lstm_cell(tf, np):
    def f(x, h, c, w, b):
        i, g, o, k = tf.split(tf.concat([x, h], 1) @ w + b, 4, axis=1)
        c = tf.sigmoid(k + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    return f, _normal(tf, np, 6, (2, 3), (2, 2), (2, 2), (5, 8), (8,))


@derivatives(2)
def gru_cell(tf, np):
    def f(x, h, w, u, v):
        z, r = tf.split(tf.sigmoid(tf.concat([x, h], 1) @ w), 2, axis=1)
        return z * h + (1.0 - z) * tf.tanh(x @ u + (r * h) @ v)

    return f, _normal(tf, np, 7, (2, 3), (2, 2), (5, 4), (3, 2), (2, 2))


@derivatives(2)
def lstm_over_time(tf, np):
    def f(x, w, b):
        def step(state, e):
            h, c = state
            i, g, o, k = tf.split(tf.concat([e, h], 1) @ w + b, 4, axis=1)
            c = tf.sigmoid(k) * c + tf.sigmoid(i) * tf.tanh(g)
            return tf.sigmoid(o) * tf.tanh(c), c

        return tf.scan(step, x, initializer=(tf.zeros([2, 2]), tf.zeros([2, 2])))[0]

    return f, _normal(tf, np, 8, (4, 2, 3), (5, 8), (8,))


@derivatives(1)
def rnn_with_dynamic_length(tf, np):
    def f(x, w, u, n):
        def body(t, h, ta):
            h = tf.tanh(x[t] @ w + h @ u)
            return t + 1, h, ta.write(t, h)

        start = (0, tf.zeros([2, 3]), tf.TensorArray(tf.float32, 5, element_shape=[2, 3]))
        _, h, _ = tf.while_loop(lambda t, *_: t < n, body, start)
        return h

    return f, [*_normal(tf, np, 9, (5, 2, 3), (3, 3), (3, 3)), tf.constant(4)]


@derivatives(1)
def conv_net(tf, np):
    def f(x, k1, k2, w):
        h = tf.nn.relu(tf.nn.conv2d(x, k1, 1, "SAME"))
        h = tf.nn.max_pool2d(h, 2, 2, "VALID")
        h = tf.nn.relu(tf.nn.conv2d(h, k2, 2, "SAME"))
        return tf.reshape(h, [2, -1]) @ w

    return f, _normal(tf, np, 10, (2, 8, 8, 1), (3, 3, 1, 3), (3, 3, 3, 2), (8, 3))


@derivatives(2)
def small_convolution(tf, np):
    return lambda x, k: tf.nn.conv2d(x * x, k, 1, "VALID") ** 2, _normal(tf, np, 11, (1, 4, 4, 1), (2, 2, 1, 2))


@derivatives(1)
def separable_convolution(tf, np):
    def f(x, d, p):
        return tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME")

    return f, _normal(tf, np, 12, (1, 4, 4, 2), (3, 3, 2, 2), (1, 1, 4, 3))


@derivatives(1)
def transposed_convolution(tf, np):
    return lambda x, k: tf.nn.conv2d_transpose(x, k, [1, 6, 6, 2], 2, "SAME"), _normal(tf, np, 13, (1, 3, 3, 1), (3, 3, 2, 1))


@derivatives(1)
def squeeze_and_excite(tf, np):
    def f(x, a, b):
        s = tf.sigmoid(tf.nn.relu(tf.reduce_mean(x, [1, 2]) @ a) @ b)
        return x * s[:, None, None, :]

    return f, _normal(tf, np, 14, (2, 3, 3, 4), (4, 2), (2, 4))


@derivatives(2)
def gaussian_log_likelihood(tf, np):
    """By Cholesky factors."""

    def f(x, a):
        covariance = tf.matmul(a, a, transpose_b=True) + 2.0 * tf.eye(3)
        factor = tf.linalg.cholesky(covariance)
        solved = tf.linalg.triangular_solve(factor, x)
        return -0.5 * tf.reduce_sum(solved**2) - tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))

    return f, _normal(tf, np, 15, (3, 2), (3, 3))


@derivatives(2, rtol=1e-3, atol=1e-3)
def gaussian_process_likelihood(tf, np):
    def f(scale, noise, y):
        x = tf.linspace(0.0, 1.0, 4)
        d = (x[:, None] - x[None, :]) ** 2
        kernel = tf.exp(-d / scale**2) + tf.eye(4) * noise
        factor = tf.linalg.cholesky(kernel)
        alpha = tf.linalg.cholesky_solve(factor, y[:, None])
        return 0.5 * tf.reduce_sum(y * alpha[:, 0]) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))

    return f, [tf.constant(0.5), tf.constant(0.2), *_normal(tf, np, 16, (4,))]


@derivatives(2)
def vae_loss(tf, np):
    """The reparametrized sample and the divergence."""

    def f(x, encoder, decoder, noise):
        mean, log_variance = tf.split(x @ encoder, 2, axis=1)
        z = mean + tf.exp(0.5 * log_variance) * noise
        reconstruction = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(x), logits=z @ decoder)
        divergence = -0.5 * tf.reduce_sum(1.0 + log_variance - mean**2 - tf.exp(log_variance), 1)
        return tf.reduce_mean(tf.reduce_sum(reconstruction, 1) + divergence)

    return f, _normal(tf, np, 17, (3, 4), (4, 4), (2, 4), (3, 2))


@derivatives(2)
def mixture_density(tf, np):
    def f(x, logits, means):
        squares = -0.5 * (x[:, None] - means) ** 2
        return -tf.reduce_mean(tf.reduce_logsumexp(tf.nn.log_softmax(logits) + squares, 1))

    return f, _normal(tf, np, 18, (4,), (3,), (3,))


@derivatives(2)
def logistic_regression(tf, np):
    def f(x, w, b):
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.constant([1.0, 0.0, 1.0]), logits=tf.linalg.matvec(x, w) + b)
        return tf.reduce_mean(loss) + 0.01 * tf.nn.l2_loss(w)

    return f, [*_normal(tf, np, 19, (3, 2), (2,)), tf.constant(0.1)]


@derivatives(2)
def softmax_regression(tf, np):
    def f(x, w):
        return tf.nn.softmax_cross_entropy_with_logits(labels=[[0.2, 0.8, 0.0], [0.0, 0.0, 1.0]], logits=x @ w)

    return f, _normal(tf, np, 20, (2, 4), (4, 3))


@derivatives(2)
def two_layer_network(tf, np):
    def f(x, a, b, c, d):
        return tf.reduce_mean((tf.tanh(x @ a + b) @ c + d) ** 2)

    return f, _normal(tf, np, 21, (3, 2), (2, 4), (4,), (4, 1), (1,))


@derivatives(2)
def contrastive_loss(tf, np):
    def f(a, b):
        a, b = tf.math.l2_normalize(a, 1), tf.math.l2_normalize(b, 1)
        logits = tf.matmul(a, b, transpose_b=True) / 0.5
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(3), logits=logits)

    return f, _normal(tf, np, 22, (3, 4), (3, 4))


@derivatives(2)
def huber_loss(tf, np):
    def f(x, y):
        error = tf.abs(x - y)
        return tf.reduce_mean(tf.where(error < 1.0, 0.5 * error**2, error - 0.5))

    return f, _normal(tf, np, 23, (5,), (5,))


@derivatives(2)
def focal_loss(tf, np):
    def f(x):
        p = tf.sigmoid(x)
        return -((1.0 - p) ** 2.0) * tf.math.log(p) - 0.25 * p**2.0 * tf.math.log1p(-p)

    return f, _normal(tf, np, 24, (4,))


@derivatives(2)
def polynomial_fit(tf, np):
    """Solved in closed form, differentiated through the solver."""

    def f(y):
        x = tf.linspace(-1.0, 1.0, 5)
        v = tf.stack([x**0, x, x**2], 1)
        return tf.linalg.lstsq(v, y[:, None], l2_regularizer=0.1)

    return f, _normal(tf, np, 25, (5,))


@derivatives(2, rtol=1e-3, atol=1e-3)
def log_determinant(tf, np):
    def f(a):
        m = tf.matmul(a, a, transpose_b=True) + tf.eye(3)
        return tf.linalg.logdet(m) + tf.reduce_sum(tf.linalg.inv(m))

    return f, _normal(tf, np, 26, (3, 3))


@derivatives(1, rtol=1e-3, atol=1e-3)
def eigenvalues(tf, np):
    def f(a):
        return tf.linalg.eigvalsh(a + tf.transpose(a))

    return f, _normal(tf, np, 27, (3, 3))


@derivatives(1, rtol=1e-3, atol=1e-3)
def singular_values(tf, np):
    return lambda a: tf.linalg.svd(a, compute_uv=False), _normal(tf, np, 28, (3, 2))


@derivatives(2)
def kalman_step(tf, np):
    def f(mean, root, measured):
        cov = tf.matmul(root, root, transpose_b=True) + tf.eye(2)
        h = tf.constant([[1.0, 0.5]])
        s = h @ cov @ tf.transpose(h) + 0.1
        gain = cov @ tf.transpose(h) / s
        mean = mean + gain @ (measured - h @ mean)
        return mean, (tf.eye(2) - gain @ h) @ cov

    return f, _normal(tf, np, 29, (2, 1), (2, 2), (1, 1))


@derivatives(2)
def neural_ode(tf, np):
    """Runge-Kutta of fourth order in a loop."""

    def f(y, w):
        def field(y):
            return tf.tanh(y @ w)

        def body(i, y):
            a = field(y)
            b = field(y + 0.05 * a)
            c = field(y + 0.05 * b)
            d = field(y + 0.1 * c)
            return i + 1, y + 0.1 / 6.0 * (a + 2.0 * b + 2.0 * c + d)

        return tf.while_loop(lambda i, y: i < 4, body, (0, y))[1]

    return f, _normal(tf, np, 30, (1, 3), (3, 3))


@derivatives(2)
def hidden_markov_model(tf, np):
    """The forward algorithm in log space."""

    def f(transition, emission):
        log_t, log_e = tf.nn.log_softmax(transition), tf.nn.log_softmax(emission)
        columns = tf.gather(log_e, [0, 2, 1, 0], axis=1)

        def step(alpha, column):
            return tf.reduce_logsumexp(alpha[:, None] + log_t, 0) + column

        alpha = tf.foldl(step, tf.transpose(columns), initializer=tf.zeros([2]))
        return tf.reduce_logsumexp(alpha)

    return f, _normal(tf, np, 31, (2, 2), (2, 3))


@derivatives(2)
def normalizing_flow(tf, np):
    def f(x, s, t):
        total = tf.zeros([3])
        for _ in range(2):
            a, b = tf.split(x, 2, axis=1)
            scale = tf.tanh(a @ s)
            x = tf.concat([b * tf.exp(scale) + a @ t, a], 1)
            total += tf.reduce_sum(scale, 1)
        return tf.reduce_mean(-0.5 * tf.reduce_sum(x**2, 1) + total)

    return f, _normal(tf, np, 32, (3, 4), (2, 2), (2, 2))


@derivatives(2)
def soft_dtw(tf, np):
    """A dynamic program, unrolled."""

    def f(a, b):
        d = (a[:, None] - b[None, :]) ** 2
        r = [[tf.constant(0.0) if i == j == 0 else tf.constant(1e3) for j in range(4)] for i in range(4)]
        for i in range(1, 4):
            for j in range(1, 4):
                before = tf.stack([r[i - 1][j - 1], r[i - 1][j], r[i][j - 1]])
                r[i][j] = d[i - 1, j - 1] - tf.reduce_logsumexp(-before)
        return r[3][3]

    return f, _normal(tf, np, 34, (3,), (3,))


@derivatives(1)
def bilinear_sampling(tf, np):
    def f(image, points):
        low = tf.floor(points)
        weight = points - low
        i = tf.cast(low, tf.int32)

        def at(dy, dx):
            return tf.gather_nd(image, i + tf.constant([dy, dx]))

        wy, wx = weight[:, 0], weight[:, 1]
        top = at(0, 0) * (1.0 - wx) + at(0, 1) * wx
        bottom = at(1, 0) * (1.0 - wx) + at(1, 1) * wx
        return top * (1.0 - wy) + bottom * wy

    return f, [*_normal(tf, np, 35, (4, 4)), tf.constant([[0.3, 1.6], [2.2, 0.5], [1.1, 1.9]])]


@in_modes()
def gradient_penalty(tf, np):
    """WGAN-GP: the gradient by the weights of a norm of the gradient by the input."""

    def f(x, w, u):
        with tf.GradientTape() as outer:
            outer.watch([w, u])
            with tf.GradientTape() as inner:
                inner.watch(x)
                score = tf.nn.leaky_relu(x @ w) @ u
            g = inner.gradient(score, x)
            penalty = tf.reduce_mean((tf.norm(g, axis=1) - 1.0) ** 2)
        return penalty, outer.gradient(penalty, [w, u])

    return f, _normal(tf, np, 36, (4, 3), (3, 5), (5, 1))


@in_modes()
def physics_informed_loss(tf, np):
    """u'' + u at points, by the weights of a network."""

    def f(x, a, b, c):
        with tf.GradientTape() as outer:
            outer.watch([a, b, c])
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    u = tf.tanh(x @ a + b) @ c
                du = first.gradient(u, x)
            d2u = second.gradient(du, x)
            loss = tf.reduce_mean((d2u + u) ** 2)
        return loss, outer.gradient(loss, [a, b, c])

    return f, _normal(tf, np, 37, (6, 1), (1, 5), (5,), (5, 1))


@in_modes()
def heat_equation_residual(tf, np):
    """Partial derivatives of different orders in two variables."""

    def f(t, x, a, b):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape(persistent=True) as first:
                first.watch([t, x])
                u = tf.tanh(tf.concat([t, x], 1) @ a) @ b
            du_dx = first.gradient(u, x)
        return first.gradient(u, t) - second.gradient(du_dx, x)

    return f, _normal(tf, np, 38, (4, 1), (4, 1), (2, 3), (3, 1))


@in_modes()
def meta_learning_step(tf, np):
    """The gradient of the loss after one step, by the weights before it."""

    def f(w, x, y, rate):
        with tf.GradientTape() as outer:
            outer.watch([w, rate])
            with tf.GradientTape() as inner:
                inner.watch(w)
                loss = tf.reduce_mean((tf.tanh(x @ w) - y) ** 2)
            adapted = w - rate * inner.gradient(loss, w)
            after = tf.reduce_mean((tf.tanh(x @ adapted) - 2.0 * y) ** 2)
        return loss, after, outer.gradient(after, [w, rate])

    return f, [*_normal(tf, np, 39, (3, 1), (5, 3), (5, 1)), tf.constant(0.3)]


@in_modes()
def hessian_vector_products(tf, np):
    """Reverse over reverse, with two tapes and with output_gradients."""

    def f(w, x, v):
        def loss(w):
            return tf.reduce_mean(tf.math.softplus(tf.linalg.matvec(x, w)))

        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w)
                y = loss(w)
            product = tf.reduce_sum(inner.gradient(y, w) * tf.stop_gradient(v))
        first = outer.gradient(product, w)
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w)
                y = loss(w)
            g = inner.gradient(y, w)
        return first, outer.gradient(g, w, output_gradients=v)

    return f, _normal(tf, np, 40, (3,), (5, 3), (3,))


@in_modes()
def conjugate_gradient_with_hessian_products(tf, np):
    """A Newton step without the Hessian."""

    def f(w):
        def product(v):
            with tf.GradientTape() as outer:
                outer.watch(w)
                with tf.GradientTape() as inner:
                    inner.watch(w)
                    y = tf.reduce_sum(w**4) + tf.reduce_sum(w) ** 2
                g = inner.gradient(y, w)
            return g, outer.gradient(g, w, output_gradients=v)

        g, _ = product(tf.zeros_like(w))
        x, r = tf.zeros_like(w), -g
        p, rs = r, tf.reduce_sum(r * r)
        for _ in range(3):
            hp = product(p)[1]
            alpha = rs / tf.reduce_sum(p * hp)
            x, r = x + alpha * p, r - alpha * hp
            new = tf.reduce_sum(r * r)
            p, rs = r + new / rs * p, new
        return x

    return f, _normal(tf, np, 41, (3,))


@in_modes()
def adversarial_example(tf, np):
    def f(x, w):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=x @ w)
        return x + 0.1 * tf.sign(tape.gradient(loss, x))

    return f, _normal(tf, np, 42, (2, 4), (4, 3))


@in_modes()
def score_matching(tf, np):
    """The trace of the Jacobian of the score."""

    def f(x, a, b):
        with tf.GradientTape() as tape:
            tape.watch(x)
            score = tf.tanh(x @ a) @ b
        jacobian = tape.batch_jacobian(score, x)
        return tf.reduce_mean(tf.linalg.trace(jacobian) + 0.5 * tf.reduce_sum(score**2, 1))

    return f, _normal(tf, np, 43, (4, 2), (2, 5), (5, 2))


@in_modes("eager", "graph")
def adam_training(tf, np):
    """Five steps of Adam; the loss of each."""
    x, y = _normal(tf, np, 44, (6, 3), (6, 1))
    w, b = tf.Variable(_normal(tf, np, 45, (3, 1))[0]), tf.Variable([0.0])
    slots = [(tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for v in (w, b)]
    step = tf.Variable(0.0)

    def f():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.tanh(x @ w) + b - y) ** 2)
        step.assign_add(1.0)
        for v, g, (m, s) in zip([w, b], tape.gradient(loss, [w, b]), slots):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.99 * s + 0.01 * g * g)
            v.assign_sub(0.05 * (m / (1 - 0.9**step)) / (tf.sqrt(s / (1 - 0.99**step)) + 1e-7))
        return loss

    def train():
        return [f() for _ in range(5)], w.read_value(), b.read_value()

    return train, []


@in_modes("eager", "graph")
def gradient_clipping(tf, np):
    def f(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.reduce_sum(tf.exp(x @ w))
        clipped, norm = tf.clip_by_global_norm(tape.gradient(y, [x, w]), 1.0)
        return clipped, norm

    return f, _normal(tf, np, 46, (2, 3), (3, 2))

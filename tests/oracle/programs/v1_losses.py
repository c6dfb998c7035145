"""`tf.compat.v1.losses`: values, reductions, weights, collections, names."""

from __future__ import annotations

from tests.oracle.support import attempt

LABELS = [[0.0, 1.0, 0.5], [1.0, 0.25, 0.0]]
PREDICTIONS = [[0.3, 0.6, 2.5], [0.9, 0.75, 0.1]]
PROBABILITIES = [[0.3, 0.6, 0.5], [0.9, 0.75, 0.1]]
REDUCTIONS = (
    "none",
    "weighted_sum",
    "weighted_mean",
    "weighted_sum_over_batch_size",
    "weighted_sum_by_nonzero_weights",
)
WEIGHTS = (1.0, 0.0, 0.5, [[1.0], [0.0]], [[1.0, 2.0, 0.0]], [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])


def _all(loss, *arguments, **options):
    """The loss with all weights, and in all reductions."""
    found = [loss(*arguments, weights=w, **options) for w in WEIGHTS]
    return found + [loss(*arguments, weights=WEIGHTS[-1], reduction=r, **options) for r in REDUCTIONS]


def prog_absolute_difference(tf, np):
    """Values."""
    return _all(tf.compat.v1.losses.absolute_difference, LABELS, PREDICTIONS)


def prog_mean_squared_error(tf, np):
    """Values."""
    return _all(tf.compat.v1.losses.mean_squared_error, LABELS, PREDICTIONS)


def prog_huber_loss(tf, np):
    """Values on both sides of delta."""
    f = tf.compat.v1.losses.huber_loss
    return [_all(f, LABELS, PREDICTIONS), f(LABELS, PREDICTIONS, 1.0, 0.25), f(LABELS, PREDICTIONS, delta=3.0)]


def prog_hinge_loss(tf, np):
    """Values."""
    return _all(tf.compat.v1.losses.hinge_loss, [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], PREDICTIONS)


def prog_log_loss(tf, np):
    """Values, and a probability of 0."""
    f = tf.compat.v1.losses.log_loss
    return [_all(f, LABELS, PROBABILITIES), f([1.0, 0.0], [0.0, 1.0]), f([1.0], [0.0], epsilon=0.1)]


def prog_sigmoid_cross_entropy(tf, np):
    """Values and smoothed labels."""
    f = tf.compat.v1.losses.sigmoid_cross_entropy
    return [_all(f, LABELS, PREDICTIONS), f(LABELS, PREDICTIONS, label_smoothing=0.1), f([[1, 0]], [[0.5, -0.5]])]


def prog_softmax_cross_entropy(tf, np):
    """Values, weights of rows, smoothed labels."""
    f = tf.compat.v1.losses.softmax_cross_entropy
    labels = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    found = [f(labels, PREDICTIONS, weights=w) for w in (1.0, 2.0, [1.0, 0.0], [0.5, 2.0])]
    found += [f(labels, PREDICTIONS, [0.5, 0.0], reduction=r) for r in REDUCTIONS]
    return [*found, f(labels, PREDICTIONS, label_smoothing=0.3)]


def prog_sparse_softmax_cross_entropy(tf, np):
    """Labels and weights of one rank more."""
    f = tf.compat.v1.losses.sparse_softmax_cross_entropy
    return [
        f([1, 0], PREDICTIONS),
        f([[1], [0]], PREDICTIONS),
        f(np.array([1, 0], np.int64), PREDICTIONS, [1.0, 0.0]),
        f([[1], [0]], PREDICTIONS, [[0.5], [2.0]]),
        f([1, 0], PREDICTIONS, reduction="none"),
        attempt(lambda: f([1, 0, 2], PREDICTIONS), words=0),
    ]


def prog_cosine_distance(tf, np):
    """The axis, also by its old name."""
    f = tf.compat.v1.losses.cosine_distance
    a, b = tf.math.l2_normalize(LABELS, 1), tf.math.l2_normalize(PREDICTIONS, 1)
    return [
        f(a, b, axis=1),
        f(a, b, dim=1, weights=[[1.0], [0.5]]),
        f(a, b, 0),
        f(a, b, axis=1, reduction="none"),
        attempt(lambda: f(a, b)),
        attempt(lambda: f(a, b, axis=1, dim=1)),
    ]


def prog_mean_pairwise_squared_error(tf, np):
    """Weights of rows; one element has no pairs. In eager mode TensorFlow miscounts the pairs for scalar weights."""
    f = tf.compat.v1.losses.mean_pairwise_squared_error
    return [
        tf.function(lambda: f(LABELS, PREDICTIONS, loss_collection=None))(),
        tf.function(lambda: f(LABELS, PREDICTIONS, 0.5, loss_collection=None))(),
        f(LABELS, PREDICTIONS, [[1.0], [0.0]]),
        f(LABELS, PREDICTIONS, [[2.0], [0.5]]),
        f([[1.0]], [[2.0]]),
        f(LABELS, PREDICTIONS, 0.0),
    ]


def prog_compute_weighted_loss(tf, np):
    """Dtypes of losses, weights that do not fit."""
    f = tf.compat.v1.losses.compute_weighted_loss
    return [
        _all(f, LABELS),
        f(tf.constant([1, 2], tf.int32)),
        f(tf.constant([1.5, 2.5], tf.float16), [1.0, 0.0]),
        f(tf.constant([1.5, 2.5], tf.float64)),
        f([]),
        attempt(lambda: f(LABELS, [[1.0], [2.0], [3.0]]), words=8),
        attempt(lambda: f(LABELS, [1.0, 2.0, 3.0]), words=8),
        attempt(lambda: f(LABELS, reduction="mean"), words=6),
    ]


def prog_shapes_that_are_not_known(tf, np):
    """The check of the weights is an assertion in the graph."""

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def f(losses, weights):
        return tf.compat.v1.losses.compute_weighted_loss(losses, weights, loss_collection=None)

    weights = [1.0, [[1.0], [0.0]], [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]]
    found = [f(tf.constant(LABELS), tf.constant(w)) for w in weights]
    found.append(attempt(lambda: f(tf.constant(LABELS), tf.constant([1.0, 2.0])), words=0))
    return [*found, attempt(lambda: f(tf.constant(LABELS), tf.constant([[1.0, 2.0]])), words=0)]


def prog_refused(tf, np):
    """None and shapes that differ."""
    losses = tf.compat.v1.losses
    return [
        attempt(lambda: losses.absolute_difference(None, PREDICTIONS)),
        attempt(lambda: losses.mean_squared_error(LABELS, None)),
        attempt(lambda: losses.hinge_loss(LABELS, None)),
        attempt(lambda: losses.sigmoid_cross_entropy(None, PREDICTIONS)),
        attempt(lambda: losses.softmax_cross_entropy(None, PREDICTIONS)),
        attempt(lambda: losses.absolute_difference(LABELS, [[1.0, 2.0]])),
        attempt(lambda: losses.absolute_difference(LABELS, PREDICTIONS, None), words=0),
    ]


def prog_names_and_collections(tf, np):
    """Names of the results; what the graph has collected."""
    losses = tf.compat.v1.losses
    with tf.Graph().as_default() as graph:
        place = lambda *shape, dtype=tf.float32: tf.compat.v1.placeholder(dtype, shape)
        x, y = place(2, 3), place(2, 3)
        made = [
            losses.absolute_difference(x, y),
            losses.absolute_difference(x, y, scope="mine"),
            losses.absolute_difference(x, y, loss_collection=None),
            losses.cosine_distance(x, y, 1, loss_collection="others"),
            losses.hinge_loss(x, y),
            losses.huber_loss(x, y),
            losses.log_loss(x, y),
            losses.mean_pairwise_squared_error(x, y),
            losses.mean_squared_error(x, y, reduction="none"),
            losses.mean_squared_error(x, y, reduction="weighted_sum"),
            losses.sigmoid_cross_entropy(x, y),
            losses.softmax_cross_entropy(x, y),
            losses.sparse_softmax_cross_entropy(place(2, dtype=tf.int32), y),
            losses.compute_weighted_loss(x, y),
        ]
        names = [loss.name for loss in made]
        collected = [loss.name for loss in losses.get_losses()]
        some = [loss.name for loss in losses.get_losses("m")]
        others = [loss.name for loss in losses.get_losses(loss_collection="others")]
        return [names, collected, some, others, sorted(graph.get_all_collection_keys())]


def prog_total_loss(tf, np):
    """Sums of collected losses."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        none = [attempt(lambda: v1.losses.get_total_loss()), v1.losses.get_regularization_loss().name]
        v1.losses.mean_squared_error([1.0], [3.0], scope="first")
        v1.losses.add_loss(tf.constant(7.0, name="extra"))
        v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5, name="regular"))
        totals = [
            v1.losses.get_total_loss(),
            v1.losses.get_total_loss(False, "plain"),
            v1.losses.get_total_loss(scope="first"),
            v1.losses.get_regularization_loss(),
        ]
        found = [[t.name for t in totals], [t.name for t in v1.losses.get_regularization_losses()]]
        with v1.Session() as session:
            return [none, found, session.run(totals)]


def prog_eager_collections(tf, np):
    """Eager mode collects nothing."""
    losses = tf.compat.v1.losses
    losses.mean_squared_error([1.0], [3.0])
    losses.add_loss(tf.constant(1.0))
    return [losses.get_losses(), losses.get_regularization_losses()]


def prog_reductions(tf, np):
    """The ways to reduce."""
    reduction = tf.compat.v1.losses.Reduction
    names = ("NONE", "SUM", "MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS", "SUM_OVER_NONZERO_WEIGHTS")
    return [[getattr(reduction, n) for n in names], reduction.all(), attempt(lambda: reduction.validate("sum"))]


def prog_gradients(tf, np):
    """Gradients of losses with respect to predictions."""
    losses = tf.compat.v1.losses
    x = tf.constant(PROBABILITIES)
    found = []
    names = ("absolute_difference", "mean_squared_error", "huber_loss", "hinge_loss", "log_loss")
    for name in (*names, "sigmoid_cross_entropy", "softmax_cross_entropy"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = getattr(losses, name)(LABELS, x)
        found.append(tape.gradient(loss, x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = losses.mean_pairwise_squared_error(LABELS, x, [[1.0], [1.0]])
    return [*found, tape.gradient(loss, x)]


def prog_a_training_step(tf, np):
    """A loss in a session, by feeds."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x, y = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.float32, [None])
        w = v1.get_variable("w", [2, 1], initializer=v1.zeros_initializer())
        loss = v1.losses.mean_squared_error(y, tf.squeeze(tf.matmul(x, w), 1))
        total = v1.losses.get_total_loss()
        update = w.assign_sub(0.1 * v1.gradients(total, [w])[0])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            feeds = {x: [[1.0, 2.0], [3.0, 4.0]], y: [1.0, 2.0]}
            return [[session.run([loss, update], feeds)[0] for _ in range(3)], session.run(w)]

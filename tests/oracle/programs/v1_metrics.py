"""`tf.compat.v1.metrics`: values over several batches, variables, collections, names."""

from __future__ import annotations

from tests.oracle.support import attempt

LABELS = [[True, False, True, True], [False, False, True, False]]
SCORES = [[0.9, 0.2, 0.4, 0.5], [0.6, 0.1, 0.7, 0.3]]
WEIGHTS = [[1.0, 2.0, 0.0, 0.5], [1.0, 1.0, 3.0, 0.25]]
CLASSES = [[0, 2, 1, 1], [2, 2, 0, 1]]
GUESSES = [[0, 1, 1, 1], [2, 0, 0, 2]]
NUMBERS = [[1.0, 2.0, 4.0, 0.5], [3.0, -1.0, 0.0, 2.0]]
OTHERS = [[1.5, 2.0, 3.0, 0.0], [2.0, 1.0, 0.5, 2.0]]


def _stream(tf, make, batches):
    """What the updates and the values say after each batch; the names of results and variables."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        places = [v1.placeholder(tf.as_dtype(a.dtype), a.shape) for a in batches[0]]
        value, update = make(v1.metrics, *places)
        found = []
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            found.append(session.run(value))
            for batch in batches:
                found.append(session.run(update, dict(zip(places, batch))))
                found.append(session.run(value))
        variables = [(v.name, v.dtype.name, v.shape.as_list()) for v in v1.local_variables()]
        same = [v.name for v in v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)] == [v[0] for v in variables]
        return [found, value.name, variables, same, [v.name for v in v1.global_variables()]]


def _batches(np, *columns):
    return [tuple(np.array(column[i]) for column in columns) for i in range(2)]


def _floats(np, *columns):
    return [tuple(np.array(column[i], np.float32) for column in columns) for i in range(2)]


def prog_mean(tf, np):
    """With and without weights."""
    return [
        _stream(tf, lambda m, x: m.mean(x), _floats(np, NUMBERS)),
        _stream(tf, lambda m, x, w: m.mean(x, w), _floats(np, NUMBERS, WEIGHTS)),
        _stream(tf, lambda m, x: m.mean(x, 0.0, name="nothing"), _floats(np, NUMBERS)),
        _stream(tf, lambda m, x: m.mean(tf.reshape(x, [2, 2]), [[1.0], [0.0]]), _floats(np, NUMBERS)),
    ]


def prog_mean_tensor(tf, np):
    """With and without weights."""
    return [
        _stream(tf, lambda m, x: m.mean_tensor(x), _floats(np, NUMBERS)),
        _stream(tf, lambda m, x, w: m.mean_tensor(x, w), _floats(np, NUMBERS, WEIGHTS)),
    ]


def prog_accuracy(tf, np):
    """Integers, other dtypes, weights."""
    return [
        _stream(tf, lambda m, x, y: m.accuracy(x, y), _batches(np, CLASSES, GUESSES)),
        _stream(tf, lambda m, x, y, w: m.accuracy(x, y, w, name="right"), _batches(np, CLASSES, GUESSES, WEIGHTS)),
        _stream(tf, lambda m, x, y: m.accuracy(x, tf.cast(y, tf.float32)), _batches(np, CLASSES, GUESSES)),
        _stream(tf, lambda m, x, y: m.accuracy(x[:, None], y), _batches(np, CLASSES, GUESSES)),
    ]


def prog_errors(tf, np):
    """Means of errors."""
    batches, weighted = _floats(np, NUMBERS, OTHERS), _floats(np, NUMBERS, OTHERS, WEIGHTS)
    found = []
    for name in ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error"):
        found.append(_stream(tf, lambda m, x, y, name=name: getattr(m, name)(x, y), batches))
        found.append(_stream(tf, lambda m, x, y, w, name=name: getattr(m, name)(x, y, w), weighted))
    return found


def prog_mean_relative_error(tf, np):
    """A normalizer with a zero."""
    return [
        _stream(tf, lambda m, x, y: m.mean_relative_error(x, y, x), _floats(np, NUMBERS, OTHERS)),
        _stream(tf, lambda m, x, y, w: m.mean_relative_error(x, y, w, w), _floats(np, NUMBERS, OTHERS, WEIGHTS)),
    ]


def prog_mean_cosine_distance(tf, np):
    """Rows of vectors."""
    f = lambda m, x, y: m.mean_cosine_distance(tf.reshape(x, [2, 2]), tf.reshape(y, [2, 2]), 1)
    g = lambda m, x, y: m.mean_cosine_distance(tf.reshape(x, [2, 2]), tf.reshape(y, [2, 2]), 1, [[1.0], [0.5]])
    return [_stream(tf, f, _floats(np, NUMBERS, OTHERS)), _stream(tf, g, _floats(np, NUMBERS, OTHERS))]


def prog_percentage_below(tf, np):
    """A threshold."""
    return [
        _stream(tf, lambda m, x: m.percentage_below(x, 1.5), _floats(np, NUMBERS)),
        _stream(tf, lambda m, x, w: m.percentage_below(x, 1.5, w), _floats(np, NUMBERS, WEIGHTS)),
    ]


def prog_counts(tf, np):
    """The four kinds of answers."""
    guesses = [[s > 0.45 for s in row] for row in SCORES]
    found = []
    for name in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
        call = lambda m, *a, name=name: getattr(m, name)(*a)
        found.append(_stream(tf, call, _batches(np, LABELS, guesses)))
        found.append(_stream(tf, call, _batches(np, LABELS, guesses, WEIGHTS)))
    return found


def prog_precision_and_recall(tf, np):
    """Also where nothing is positive."""
    guesses = [[s > 0.45 for s in row] for row in SCORES]
    none = [[False] * 4] * 2
    found = []
    for name in ("precision", "recall"):
        call = lambda m, *a, name=name: getattr(m, name)(*a)
        found.append(_stream(tf, call, _batches(np, LABELS, guesses)))
        found.append(_stream(tf, call, _batches(np, LABELS, guesses, WEIGHTS)))
        found.append(_stream(tf, call, _batches(np, none, none)))
    return found


def prog_counts_at_thresholds(tf, np):
    """The four kinds of answers for three thresholds."""
    found = []
    for kind in ("true_positives", "false_positives", "true_negatives", "false_negatives"):
        call = lambda m, x, y, kind=kind: getattr(m, f"{kind}_at_thresholds")(x, y, [0.15, 0.5, 0.95])
        found.append(_stream(tf, call, _batches(np, LABELS, np.array(SCORES, np.float32))))
    call = lambda m, x, y, w: m.true_positives_at_thresholds(x, y, [0.15, 0.5], w)
    found.append(_stream(tf, call, _batches(np, LABELS, SCORES, WEIGHTS)))
    return found


def prog_rates_at_thresholds(tf, np):
    """Precision and recall for three thresholds."""
    found = []
    for name in ("precision_at_thresholds", "recall_at_thresholds"):
        call = lambda m, x, y, name=name: getattr(m, name)(x, y, [0.15, 0.5, 0.95])
        found.append(_stream(tf, call, _batches(np, LABELS, SCORES)))
    return found


def prog_auc(tf, np):
    """Both curves, all methods."""
    batches = _batches(np, LABELS, np.array(SCORES, np.float32))
    found = []
    for curve in ("ROC", "PR"):
        for method in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
            if (curve, method) != ("ROC", "careful_interpolation"):
                call = lambda m, x, y, c=curve, s=method: m.auc(x, y, num_thresholds=21, curve=c, summation_method=s)
                found.append(_stream(tf, call, batches)[:2])
    found.append(_stream(tf, lambda m, x, y, w: m.auc(x, y, w), _batches(np, LABELS, SCORES, WEIGHTS))[0])
    found.append(_stream(tf, lambda m, x, y: m.auc(x, y, thresholds=[0.25, 0.5, 0.75]), batches))
    return found


def prog_rates_at_rates(tf, np):
    """Sensitivity at specificity and the other way round."""
    batches, found = _batches(np, LABELS, np.array(SCORES, np.float32)), []
    for name in ("sensitivity_at_specificity", "specificity_at_sensitivity"):
        for rate in (0.0, 0.5, 0.75, 1.0):
            call = lambda m, x, y, name=name, rate=rate: getattr(m, name)(x, y, rate, num_thresholds=50)
            found.append(_stream(tf, call, batches)[:2])
    call = lambda m, x, y, w: m.sensitivity_at_specificity(x, y, 0.7, w, 10)
    found.append(_stream(tf, call, _batches(np, LABELS, SCORES, WEIGHTS)))
    return found


def prog_mean_per_class_accuracy(tf, np):
    """With and without weights."""
    f = lambda m, x, y: m.mean_per_class_accuracy(x, y, 3)
    g = lambda m, x, y, w: m.mean_per_class_accuracy(x, y, 4, tf.cast(w, tf.float32))
    return [
        _stream(tf, f, _batches(np, CLASSES, GUESSES)),
        _stream(tf, g, _batches(np, CLASSES, GUESSES, WEIGHTS)),
    ]


def prog_mean_iou(tf, np):
    """With and without weights; the update is the confusion matrix."""
    f = lambda m, x, y: m.mean_iou(x, y, 3)
    g = lambda m, x, y, w: m.mean_iou(x, y, 4, tf.cast(w, tf.float32))
    h = lambda m, x, y: m.mean_iou(tf.reshape(x, [2, 2]), tf.reshape(y, [2, 2]), 3)
    return [
        _stream(tf, f, _batches(np, CLASSES, GUESSES)),
        _stream(tf, g, _batches(np, CLASSES, GUESSES, WEIGHTS)),
        _stream(tf, h, _batches(np, CLASSES, GUESSES)),
    ]


def _ranking(np):
    scores = np.array([[0.1, 0.5, 0.3, 0.1], [0.4, 0.2, 0.1, 0.3], [0.2, 0.3, 0.1, 0.4]], np.float32)
    more = np.array([[0.6, 0.1, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.2, 0.4, 0.15]], np.float32)
    return [(np.array([[1, 2], [3, 0], [2, 2]], np.int64), scores), (np.array([[0, 3], [0, 1], [1, 2]], np.int64), more)]


def prog_precision_at_k(tf, np):
    """All classes and one, with weights."""
    batches = _ranking(np)
    return [
        _stream(tf, lambda m, x, y: m.precision_at_k(x, y, 2), batches),
        _stream(tf, lambda m, x, y: m.precision_at_k(x, y, 1, class_id=0), batches),
        _stream(tf, lambda m, x, y: m.precision_at_k(x, y, 2, weights=[1.0, 0.0, 2.0]), batches),
        _stream(tf, lambda m, x, y: m.sparse_precision_at_k(x, y, 3, name="first"), batches),
        _stream(tf, lambda m, x, y: m.precision_at_k(x[:, 0], y, 2), batches),
    ]


def prog_recall_at_k(tf, np):
    """All classes and one, with weights."""
    batches = _ranking(np)
    return [
        _stream(tf, lambda m, x, y: m.recall_at_k(x, y, 2), batches),
        _stream(tf, lambda m, x, y: m.recall_at_k(x, y, 1, class_id=1), batches),
        _stream(tf, lambda m, x, y: m.recall_at_k(x, y, 2, None, [1.0, 0.0, 2.0]), batches),
    ]


def prog_at_top_k(tf, np):
    """Predicted classes are given."""
    batches = _ranking(np)
    top = lambda y: tf.cast(tf.math.top_k(y, 2)[1], tf.int64)
    return [
        _stream(tf, lambda m, x, y: m.precision_at_top_k(x, top(y)), batches),
        _stream(tf, lambda m, x, y: m.precision_at_top_k(x, top(y), 2, 0), batches),
        _stream(tf, lambda m, x, y: m.recall_at_top_k(x, top(y), k=2), batches),
    ]


def prog_average_precision_at_k(tf, np):
    """With and without weights."""
    batches = _ranking(np)
    return [
        _stream(tf, lambda m, x, y: m.average_precision_at_k(x, y, 3), batches),
        _stream(tf, lambda m, x, y: m.average_precision_at_k(x, y, 2, [1.0, 0.0, 2.0]), batches),
        _stream(tf, lambda m, x, y: m.sparse_average_precision_at_k(x, y, 1), batches),
    ]


def prog_sparse_labels(tf, np):
    """Labels as a sparse tensor."""
    batches = _ranking(np)
    labels = lambda: tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2])
    return [
        _stream(tf, lambda m, x, y: m.precision_at_k(labels(), y, 2), batches),
        _stream(tf, lambda m, x, y: m.recall_at_k(labels(), y, 2, class_id=1), batches),
    ]


def prog_collections(tf, np):
    """Values and updates in collections; scopes."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with v1.variable_scope("outer"):
            first = v1.metrics.mean([1.0, 2.0], None, ["values", "others"], "updates")
            second = v1.metrics.accuracy([1, 2], [1, 3], updates_collections=["updates"], name="mine")
        third = v1.metrics.mean([1.0, 2.0])
        names = [[part.name for part in pair] for pair in (first, second, third)]
        kept = [[part.name for part in v1.get_collection(key)] for key in ("values", "others", "updates")]
        return [names, kept, [v.name for v in v1.local_variables()]]


def prog_eager(tf, np):
    """Eager mode has no such metrics."""
    m = tf.compat.v1.metrics
    names = [name for name in dir(m) if not name.startswith("_") and name != "recall_at_top_k"]
    found = {}
    for name in names:
        arguments = ([1.0], 2) if name in ("mean", "mean_tensor", "percentage_below") else ([1], [1], 2)
        found[name] = attempt(lambda name=name, arguments=arguments: getattr(m, name)(*arguments), words=3)
    return found


def prog_refused(tf, np):
    """Arguments that do not go together."""
    m = tf.compat.v1.metrics
    with tf.Graph().as_default():
        labels, scores = tf.constant([True, False]), tf.constant([0.5, 0.25])
        return [
            attempt(lambda: m.auc(labels, scores, curve="X")),
            attempt(lambda: m.auc(labels, scores, summation_method="X")),
            attempt(lambda: m.sensitivity_at_specificity(labels, scores, 1.5)),
            attempt(lambda: m.specificity_at_sensitivity(labels, scores, -0.5)),
            attempt(lambda: m.accuracy(tf.constant([1, 2]), tf.constant([1, 2, 3]))),
            attempt(lambda: m.mean_squared_error(tf.constant([1.0]), tf.constant([1.0, 2.0]))),
            attempt(lambda: m.mean([1.0, 2.0], [1.0, 2.0, 3.0])),
            attempt(lambda: m.average_precision_at_k(tf.constant([[0]], tf.int64), tf.constant([[0.5]]), 0)),
        ]


def prog_scores_out_of_range(tf, np):
    """Scores are checked when the graph runs."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        update = v1.metrics.auc(tf.constant([True]), tf.constant([1.5]))[1]
        session.run(v1.local_variables_initializer())
        return attempt(lambda: session.run(update), words=0)

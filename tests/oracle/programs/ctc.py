"""CTC: the loss of dense labels, unique labels."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt

LABELS = [[1, 2, 3], [1, 1, 2], [4, 0, 0]]
COUNTS, FRAMES = [3, 3, 1], [7, 6, 5]


def _logits(np):
    return (np.sin(np.arange(7 * 3 * 5) * 1.3) * 2).reshape(7, 3, 5).astype("float32")


def prog_dense_labels(tf, np):
    """Losses, with the arguments in every form."""
    x, f = _logits(np), tf.nn.ctc_loss
    unique = tf.nn.ctc_unique_labels(LABELS)
    losses = [f(LABELS, x, COUNTS, FRAMES), f(LABELS, x, COUNTS, FRAMES, blank_index=0), f(LABELS, x.transpose(1, 0, 2), COUNTS, FRAMES, logits_time_major=False), f(LABELS, x, COUNTS, FRAMES, unique=unique), f(np.array(LABELS, np.int64), x, np.array(COUNTS, np.int64), np.array(FRAMES, np.int64)), tf.compat.v1.nn.ctc_loss_v2(LABELS, x, COUNTS, FRAMES)]
    return [Approx(v, 2e-6) for v in losses]


def prog_blank_index(tf, np):
    """The blank is the last label, or one in the middle."""
    x, labels = _logits(np), np.array(LABELS) % 4
    return [Approx(tf.nn.ctc_loss(labels, x, COUNTS, FRAMES, blank_index=b), 2e-6) for b in (-1, 4)] + [Approx(tf.nn.ctc_loss([[0, 1, 3], [1, 1, 0], [4, 0, 0]], x, COUNTS, FRAMES, blank_index=2), 2e-6)]


def prog_half_precision(tf, np):
    """float16 logits."""
    return Approx(tf.nn.ctc_loss(LABELS, _logits(np).astype(np.float16), COUNTS, FRAMES), 4e-3)


def prog_labels_that_do_not_fit(tf, np):
    """Too few frames; none; no labels."""
    x = _logits(np)
    return [Approx(tf.nn.ctc_loss(LABELS, x, COUNTS, n), 2e-6) for n in ([2, 2, 1], [0, 0, 0], [3, 3, 0])] + [Approx(tf.nn.ctc_loss(LABELS, x, [0, 0, 0], FRAMES), 2e-6)]


def prog_padding(tf, np):
    """What stands behind the last label does not count."""
    x = _logits(np)
    return [Approx(tf.nn.ctc_loss(np.pad(LABELS, [(0, 0), (0, 4)], constant_values=v), x, COUNTS, FRAMES), 2e-6) for v in (0, 3, -1)]


def prog_gradient(tf, np):
    """With respect to logits."""
    out = []
    for options in ({}, {"blank_index": 0}, {"unique": tf.nn.ctc_unique_labels(LABELS)}):
        x = tf.constant(_logits(np))
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.nn.ctc_loss(LABELS, x, COUNTS, FRAMES, **options) * [1.0, 2.0, 3.0])
        out.append(Approx(tape.gradient(loss, x), 5e-6))
    return out


def prog_unknown_shapes(tf, np):
    """Nothing is known while tracing."""
    vector = tf.TensorSpec([None], tf.int32)
    f = tf.function(tf.nn.ctc_loss, input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None, None]), vector, vector])
    return Approx(f(LABELS, _logits(np), COUNTS, FRAMES), 2e-6)


def prog_training(tf, np):
    """Five steps of a small recognizer."""
    w = tf.Variable(np.cos(np.arange(20.0)).reshape(4, 5).astype("float32"))
    x = tf.constant(np.sin(np.arange(7 * 3 * 4) * 0.7).reshape(7, 3, 4).astype("float32"))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.ctc_loss(LABELS, x @ w, COUNTS, FRAMES))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    return [Approx(step(), 1e-5) for _ in range(5)]


def prog_errors(tf, np):
    """Lengths that are missing, sparse labels that are not sparse."""
    x = _logits(np)
    return [attempt(lambda: tf.nn.ctc_loss(LABELS, x, None, FRAMES), words=7), attempt(lambda: tf.nn.ctc_loss(LABELS, x, COUNTS, None), words=7), attempt(lambda: tf.compat.v1.nn.ctc_loss(LABELS, x, FRAMES), words=9)]


def prog_unique_labels(tf, np):
    """Rows of labels of several dtypes."""
    f = tf.nn.ctc_unique_labels
    return [f(LABELS), f([[1, 2, 1], [3, 3, 3]]), f([[3, 4, 4, 3]]), f(np.array(LABELS, np.int64)), f(tf.zeros([2, 3])), attempt(lambda: f([1, 2]), words=5)]


def _flat(tf, parts):
    return [Approx(p, 1e-4) if p.dtype.is_floating else p for p in tf.nest.flatten(list(parts))]


def prog_greedy_decoder(tf, np):
    """The op, with and without repetitions."""
    f, out = tf.raw_ops.CTCGreedyDecoder, []
    for options in ({}, {"merge_repeated": True}, {"blank_index": 0}, {"blank_index": 2, "merge_repeated": True}):
        out += [_flat(tf, f(inputs=_logits(np), sequence_length=n, **options)) for n in (FRAMES, [0, 1, 2])]
    return out


def prog_beam_search_decoder(tf, np):
    """The op, with beams of several widths."""
    f, out = tf.raw_ops.CTCBeamSearchDecoder, []
    for width, paths, merges in ((1, 1, True), (2, 2, False), (4, 2, True), (4, 3, False), (100, 3, False)):
        out.append(_flat(tf, f(inputs=_logits(np), sequence_length=FRAMES, beam_width=width, top_paths=paths, merge_repeated=merges)))
    return out


def prog_decoder_errors(tf, np):
    """Shapes, lengths, attributes."""
    x, out = _logits(np), []
    greedy = lambda x, n, **k: tf.raw_ops.CTCGreedyDecoder(inputs=x, sequence_length=n, **k)
    beams = lambda x, n, w=4, t=1: tf.raw_ops.CTCBeamSearchDecoder(inputs=x, sequence_length=n, beam_width=w, top_paths=t)
    for f in (greedy, beams):
        out += [attempt(lambda f=f: f(x[0], FRAMES), words=5), attempt(lambda f=f: f(x, [1, 1]), words=7), attempt(lambda f=f: f(x, [9, 1, 1]), words=3), attempt(lambda f=f: f(x[:, :0], np.zeros(0, np.int32)), words=5)]
    return out + [attempt(lambda: greedy(x, FRAMES, blank_index=9), words=11), attempt(lambda: beams(x, FRAMES, 2, 3), words=8), attempt(lambda: beams(x, FRAMES, 0), words=9), attempt(lambda: beams(x, [0, 0, 0], 4, 2), words=8)]


def prog_decoder_shapes(tf, np):
    """What a trace knows."""
    out = []
    for shape, lengths in (([7, 3, 5], [3]), (None, None), ([7, None, 5], [3])):
        f = tf.function(lambda x, n: tf.nest.flatten([list(tf.raw_ops.CTCGreedyDecoder(inputs=x, sequence_length=n)), list(tf.raw_ops.CTCBeamSearchDecoder(inputs=x, sequence_length=n, beam_width=5, top_paths=2))]), autograph=False)
        out.append([str(o.shape) for o in f.get_concrete_function(tf.TensorSpec(shape), tf.TensorSpec(lengths, tf.int32)).outputs])
    return out


INDICES = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0]]
VALUES = [1, 2, 3, 1, 1, 2, 0]


def _sparse_loss(tf, np, scores=None, indices=INDICES, values=VALUES, lengths=FRAMES, **options):
    scores = _logits(np) if scores is None else scores
    return tf.raw_ops.CTCLoss(inputs=scores, labels_indices=indices, labels_values=values, sequence_length=lengths, **options)


def prog_loss_op(tf, np):
    """The op of sparse labels, with its options."""
    options = [{}, {"preprocess_collapse_repeated": True}, {"ctc_merge_repeated": False}, {"preprocess_collapse_repeated": True, "ctc_merge_repeated": False}]
    return [Approx(v, 1e-5) for k in options for values in (VALUES, [1, 1, 1, 2, 2, 2, 3]) for v in _sparse_loss(tf, np, values=values, **k)]


def prog_loss_op_without_room(tf, np):
    """Too few frames for the labels, or for the blanks between them."""
    ignoring = {"ignore_longer_outputs_than_inputs": True}
    losses = [_sparse_loss(tf, np, values=[1, 1, 1, 2, 2, 2, 3], lengths=n, **k) for n, k in (([5, 5, 5], {}), ([4, 5, 5], {}), ([2, 5, 5], ignoring), ([0, 5, 5], ignoring))]
    return [Approx(v, 1e-5) for pair in losses for v in pair] + [attempt(lambda: _sparse_loss(tf, np, lengths=[2, 6, 5]), words=10)]


def prog_loss_op_errors(tf, np):
    """Shapes, lengths, indices, labels."""
    i, v = np.array(INDICES), np.array(VALUES, np.int32)
    bad = [{"scores": _logits(np)[0]}, {"lengths": [7, 7]}, {"lengths": [9, 9, 9]}, {"lengths": [-1, 6, 5]}, {"indices": i[:, 0]}, {"indices": np.tile(i, 2)}, {"values": v[:3]}, {"indices": i - 1}, {"indices": i[::-1]}, {"indices": i * 0}, {"indices": i[:6], "values": v[:6]}, {"values": [1, 2, -1, 1, 1, 2, 0]}, {"values": [1, 4, 3, 1, 1, 2, 0]}]
    return [attempt(lambda k=k: _sparse_loss(tf, np, **k), words=6) for k in bad]


def prog_loss_op_gradient(tf, np):
    """The gradient is the op's second output, weighted; there is no second derivative."""
    x = tf.constant(_logits(np))
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(_sparse_loss(tf, np, x)[0] * [1.0, 2.0, 3.0])
        gradient = tape.gradient(loss, x)
    return [Approx(gradient, 1e-5), attempt(lambda: outer.gradient(gradient, x), words=3)]

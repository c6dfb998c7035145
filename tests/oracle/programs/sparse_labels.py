"""CTC with sparse labels: losses, decoders; edit distances."""

from __future__ import annotations

from tests.oracle.support import Approx, attempt


def _scores(np):
    return (np.sin(np.arange(5 * 2 * 4) * 1.7) * 2).reshape(5, 2, 4).astype("float32")


def _labels(tf, values=(1, 2, 0), dtype="int32"):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant(values, dtype), [2, 2])


def prog_losses(tf, np):
    """The blank last, in the middle; batch first; half and double precision."""
    x, f = _scores(np), tf.nn.ctc_loss
    return [Approx(v, 2e-6) for v in (f(_labels(tf), x, None, [5, 3], blank_index=-1), f(_labels(tf, (3, 2, 0)), x, None, [5, 3], blank_index=1), f(_labels(tf), x.transpose(1, 0, 2), None, [5, 3], logits_time_major=False, blank_index=3), f(_labels(tf), x.astype("float64"), None, [5, 3], blank_index=-1))] + [Approx(f(_labels(tf), x.astype("float16"), None, [5, 3], blank_index=-1), 4e-3)]


def prog_old_losses(tf, np):
    """TensorFlow 1's loss, with its options."""
    x, f = _scores(np), tf.compat.v1.nn.ctc_loss
    return [Approx(v, 2e-6) for v in (f(_labels(tf), x, [5, 3]), f(_labels(tf), logits=x, sequence_length=[5, 3]), f(_labels(tf), x.transpose(1, 0, 2), [5, 3], time_major=False), f(_labels(tf), x, [5, 3], preprocess_collapse_repeated=True, ctc_merge_repeated=False), f(_labels(tf), x, [1, 1], ignore_longer_outputs_than_inputs=True))]


def prog_losses_refused(tf, np):
    """Missing blanks, labels out of range, too few frames, dense labels."""
    x, f, old = _scores(np), tf.nn.ctc_loss, tf.compat.v1.nn.ctc_loss
    calls = [lambda: f(_labels(tf), x, None, [5, 3]), lambda: f(_labels(tf), x, None, [5, 3], blank_index=0), lambda: old(_labels(tf), x, [1, 1]), lambda: old([[1, 2]], x, [5, 3]), lambda: old(_labels(tf), x, [5, 3], logits=x)]
    return [attempt(call, words=5) for call in calls]


def prog_gradients(tf, np):
    """Gradients of both losses."""
    x = tf.constant(_scores(np))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        losses = [tf.nn.ctc_loss(_labels(tf), x, None, [5, 3], blank_index=-1), tf.compat.v1.nn.ctc_loss(_labels(tf), x, [5, 3])]
    return [Approx(tape.gradient(loss, x), 1e-5, 1e-6) for loss in losses]


def prog_greedy(tf, np):
    """Greedy decoding with its options."""
    x, f = _scores(np), tf.nn.ctc_greedy_decoder
    found = [f(x, [5, 3]), f(x, [5, 3], merge_repeated=False), f(x, [5, 3], blank_index=0), f(x, [5, 3], blank_index=-2)]
    return [[decoded, Approx(score, 2e-6)] for decoded, score in found] + [attempt(lambda: f(x, [5, 3], blank_index=9), words=4)]


def prog_beam_search(tf, np):
    """Beam search, also TensorFlow 1's."""
    x, v1 = _scores(np), tf.compat.v1.nn
    found = [tf.nn.ctc_beam_search_decoder(x, [5, 3]), tf.nn.ctc_beam_search_decoder(x, [5, 3], beam_width=10, top_paths=2), v1.ctc_beam_search_decoder(x, [5, 3], 10, 2), v1.ctc_beam_search_decoder_v2(x, [5, 3], 10, 2)]
    return [[decoded, Approx(score, 2e-5)] for decoded, score in found]


def prog_edit_distance(tf, np):
    """Distances, over the length of the truth or not."""
    h = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
    t = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2])
    value = tf.compat.v1.SparseTensorValue([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
    return [tf.edit_distance(h, t), tf.edit_distance(h, t, normalize=False), tf.compat.v1.edit_distance(value, t), attempt(lambda: tf.edit_distance([["a"]], t)), attempt(lambda: tf.edit_distance(h, [["a"]]))]

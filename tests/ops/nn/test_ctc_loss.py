"""The CTC loss."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram

_FRAMES, _BATCH, _CLASSES = 4, 3, 4
_LOGITS = (np.sin(np.arange(_FRAMES * _BATCH * _CLASSES) * 1.3) * 2).reshape(_FRAMES, _BATCH, _CLASSES)
_LABELS = np.array([[1, 2], [1, 1], [3, 0]], np.int32)
_COUNTS, _LENGTHS = np.array([2, 2, 1], np.int32), np.array([4, 3, 2], np.int32)

GRADIENT_PROGRAMS = [
    GradientProgram("GatherV2", lambda x: tf.nn.ctc_loss(_LABELS, x, _COUNTS, _LENGTHS), [_LOGITS]),
    GradientProgram(
        "GatherV2",
        lambda x: tf.nn.ctc_loss(_LABELS % 3, x, _COUNTS, _LENGTHS, logits_time_major=False, blank_index=-1),
        [_LOGITS.transpose(1, 0, 2).copy()],
    ),
]


def _collapsed(path: tuple[int, ...], blank: int) -> tuple[int, ...]:
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


def _expected(logits: Any, labels: Any, blank: int) -> float:
    """Sums the probabilities of all paths that spell the labels, one by one."""
    probabilities = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    paths = itertools.product(range(logits.shape[1]), repeat=len(logits))
    rows = range(len(logits))
    total = sum(probabilities[rows, path].prod() for path in paths if _collapsed(path, blank) == tuple(labels))
    return float(-np.log(total))


def _losses(blank: int) -> list[float]:
    rows = enumerate(zip(_COUNTS, _LENGTHS, strict=True))
    return [_expected(_LOGITS[:frames, i], _LABELS[i, :count], blank) for i, (count, frames) in rows]


@pytest.mark.parametrize("spec", ["eager", [_FRAMES, _BATCH, _CLASSES], [None, None, None]])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_loss_counts_all_paths(spec: Any, dtype: str) -> None:
    def loss(x: Any) -> Any:
        return tf.nn.ctc_loss(_LABELS, x, _COUNTS, _LENGTHS, blank_index=0)

    function = loss if spec == "eager" else tf.function(loss, input_signature=[tf.TensorSpec(spec, dtype)])
    result = function(tf.constant(_LOGITS, dtype))
    assert result.dtype == dtype
    np.testing.assert_allclose(result, _losses(0), rtol=1e-6 if dtype == "float32" else 1e-12)


def test_lengths_and_labels_may_be_unknown_while_tracing() -> None:
    vector = tf.TensorSpec([None], tf.int32)
    signature = [tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None, None, None]), vector, vector]
    traced = tf.function(tf.nn.ctc_loss, input_signature=signature)
    np.testing.assert_allclose(traced(_LABELS, _LOGITS, _COUNTS, _LENGTHS), _losses(0), rtol=1e-5)


def test_arguments_say_the_same_in_other_ways() -> None:
    loss = tf.nn.ctc_loss(_LABELS, _LOGITS, _COUNTS, _LENGTHS)
    others = [
        tf.nn.ctc_loss(_LABELS, _LOGITS.transpose(1, 0, 2), _COUNTS, _LENGTHS, logits_time_major=False),
        tf.nn.ctc_loss(_LABELS, _LOGITS, _COUNTS, _LENGTHS, unique=tf.nn.ctc_unique_labels(_LABELS)),
        tf.nn.ctc_loss(_LABELS.astype("int64"), _LOGITS, _COUNTS.astype("int64"), _LENGTHS.tolist()),
        tf.nn.ctc_loss(_LABELS - 1, np.roll(_LOGITS, -1, -1), _COUNTS, _LENGTHS, blank_index=-1),
        tf.nn.ctc_loss(np.pad(_LABELS, [(0, 0), (0, 3)], constant_values=-1), _LOGITS, _COUNTS, _LENGTHS),
        tf.compat.v1.nn.ctc_loss_v2(_LABELS, _LOGITS, _COUNTS, _LENGTHS),
    ]
    for other in others:
        np.testing.assert_allclose(other, loss, rtol=1e-6)


def test_half_precision_is_summed_in_single() -> None:
    x = np.random.default_rng(0).normal(size=(200, 1, 5)).astype(np.float16)
    half = tf.nn.ctc_loss([[1, 2, 3]], x, [3], [200])
    assert half.dtype == tf.float16
    np.testing.assert_allclose(half, tf.nn.ctc_loss([[1, 2, 3]], x.astype("float32"), [3], [200]), rtol=1e-3)


def test_labels_that_do_not_fit_have_a_large_finite_loss_and_gradient() -> None:
    x = tf.constant(_LOGITS, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss(_LABELS, x, _COUNTS, [1, 2, 0])
    assert ((loss.numpy() > 700) & (loss.numpy() < 720)).all()
    assert np.isfinite(tape.gradient(loss, x).numpy()).all()


def test_no_labels_leave_the_blanks() -> None:
    loss = tf.nn.ctc_loss(_LABELS, _LOGITS, [0, 0, 0], _LENGTHS)
    np.testing.assert_allclose(loss, [_expected(_LOGITS[:n, i], (), 0) for i, n in enumerate(_LENGTHS)], rtol=1e-5)


@pytest.mark.xla
def test_the_loss_compiles() -> None:
    @tf.function(jit_compile=True)
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.nn.ctc_loss(_LABELS, x, _COUNTS, _LENGTHS)
        return loss, tape.gradient(loss, x)

    x = tf.constant(_LOGITS, tf.float32)
    loss, dx = gradient(x)
    np.testing.assert_allclose(loss, _losses(0), rtol=1e-5)
    np.testing.assert_allclose(dx, tf.function(gradient.python_function)(x)[1], atol=1e-5)


def test_bad_arguments_raise() -> None:
    with pytest.raises(ValueError, match="blank_index must be between -4 and 3, got: 4"):
        tf.nn.ctc_loss(_LABELS, _LOGITS, _COUNTS, _LENGTHS, blank_index=4)
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank 2"):
        tf.nn.ctc_loss(_LABELS[0], _LOGITS, _COUNTS, _LENGTHS)
    with pytest.raises(ValueError, match=r"Shape \(3, 4\) must have rank 3"):
        tf.nn.ctc_loss(_LABELS, _LOGITS[0], _COUNTS, _LENGTHS)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, 4\)"):
        tf.nn.ctc_loss(_LABELS + 4, _LOGITS, _COUNTS, _LENGTHS)
    with pytest.raises(TypeError, match=r"Expected argument `labels` to be a SparseTensor. Received labels="):
        tf.compat.v1.nn.ctc_loss(_LABELS, _LOGITS, _LENGTHS)


# --- sparse labels: what TensorFlow answers to the same scores --------------------------------------------------------

_SCORES = np.random.RandomState(0).randn(5, 2, 4).astype(np.float32)
_SPARSE = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 0], tf.int32), [2, 2])
_SPARSE_LOSS = [4.8031, 3.1673]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_loss_of_sparse_labels(dtype: str) -> None:
    loss = tf.nn.ctc_loss(_SPARSE, _SCORES.astype(dtype), None, [5, 3], blank_index=-1)
    assert loss.dtype == dtype
    np.testing.assert_allclose(loss, _SPARSE_LOSS, rtol=1e-3 if dtype == "float16" else 1e-4)


def test_the_blank_of_sparse_labels_may_be_any_label() -> None:
    labels = tf.SparseTensor(_SPARSE.indices, tf.constant([3, 2, 0], tf.int32), [2, 2])
    np.testing.assert_allclose(
        tf.nn.ctc_loss(labels, _SCORES, None, [5, 3], blank_index=1), [5.1558, 1.9684], atol=1e-4
    )
    loss = tf.nn.ctc_loss(_SPARSE, _SCORES.transpose(1, 0, 2), None, [5, 3], logits_time_major=False, blank_index=3)
    np.testing.assert_allclose(loss, _SPARSE_LOSS, atol=1e-4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="All labels must be nonnegative integers"):
        tf.nn.ctc_loss(_SPARSE, _SCORES, None, [5, 3], blank_index=0)
    with pytest.raises(ValueError, match="`blank_index` must be provided when `labels` is a `SparseTensor`"):
        tf.nn.ctc_loss(_SPARSE, _SCORES, None, [5, 3])


def test_scores_of_unknown_shape_with_sparse_labels() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, None, None])])
    def loss(scores: Any) -> Any:
        return tf.nn.ctc_loss(_SPARSE, scores, None, [5, 3], blank_index=-1)

    np.testing.assert_allclose(loss(tf.constant(_SCORES)), _SPARSE_LOSS, atol=1e-4)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, _SPARSE_LOSS),
        ({"preprocess_collapse_repeated": True, "ctc_merge_repeated": False}, [5.6692, 4.0768]),
        ({"sequence_length": [1, 1], "ignore_longer_outputs_than_inputs": True}, [0.0, 0.4640]),
    ],
)
def test_the_old_loss(options: Any, expected: Any) -> None:
    options = {"sequence_length": [5, 3]} | options
    np.testing.assert_allclose(tf.compat.v1.nn.ctc_loss(_SPARSE, _SCORES, **options), expected, atol=1e-4)
    batch_major = tf.compat.v1.nn.ctc_loss(_SPARSE, _SCORES.transpose(1, 0, 2), time_major=False, **options)
    np.testing.assert_allclose(batch_major, expected, atol=1e-4)
    np.testing.assert_allclose(tf.compat.v1.nn.ctc_loss(_SPARSE, logits=_SCORES, **options), expected, atol=1e-4)


def test_the_old_loss_refuses() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Not enough time for target transition sequence"):
        tf.compat.v1.nn.ctc_loss(_SPARSE, _SCORES, [1, 1])
    with pytest.raises(ValueError, match="Cannot specify both 'inputs' and 'logits'"):
        tf.compat.v1.nn.ctc_loss(_SPARSE, _SCORES, [5, 3], logits=_SCORES)


def test_gradients_of_both_losses_of_sparse_labels_agree() -> None:
    scores = tf.constant(_SCORES)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(scores)
        losses = [
            tf.nn.ctc_loss(_SPARSE, scores, None, [5, 3], blank_index=-1),
            tf.compat.v1.nn.ctc_loss(_SPARSE, scores, [5, 3]),
        ]
    new, old = (tape.gradient(loss, scores).numpy() for loss in losses)
    np.testing.assert_allclose(
        new[0], [[0.301, -0.1477, 0.1372, -0.2905], [-0.2863, 0.0366, 0.2512, -0.0015]], atol=1e-4
    )
    np.testing.assert_array_equal(new, old)

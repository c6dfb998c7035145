"""The CTC decoders."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_SCORES = (np.sin(np.arange(5 * 2 * 4) * 1.3) * 2).reshape(5, 2, 4).astype(np.float32)
_LENGTHS = np.array([5, 3], np.int32)
_NAN = float("nan")

SAMPLES = [
    *(
        Sample("CTCGreedyDecoder", (_SCORES.astype(t), _LENGTHS), options)
        for t in ("float32", "float64")
        for options in ({}, {"merge_repeated": True}, {"blank_index": 1})
    ),
    *(
        Sample("CTCBeamSearchDecoder", (_SCORES.astype(t), _LENGTHS), {"beam_width": 5, "top_paths": n})
        for t in ("float32", "float64")
        for n in (1, 3)
    ),
]


def _rows(indices: Any, values: Any, shape: Any) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(shape.numpy()[0])]
    for (row, column), value in zip(indices.numpy(), values.numpy(), strict=True):
        assert column == len(rows[row])
        rows[row].append(int(value))
    assert shape.numpy()[1] == max(map(len, rows))
    return rows


@pytest.mark.parametrize(
    ("frame", "labels"), [([3, _NAN, 1], [0]), ([1, 3, _NAN], []), ([1, _NAN, 3], [2]), ([_NAN, 3, 1], [0])]
)
def test_greedy_passes_over_nan_as_tensorflow_does(frame: list[float], labels: list[int]) -> None:
    inputs = np.array([[frame]], np.float32)
    _, values, _, scores = tf.raw_ops.CTCGreedyDecoder(inputs=inputs, sequence_length=[1], blank_index=1)
    assert values.numpy().tolist() == labels
    best = frame[0] if frame[0] != frame[0] else 3
    np.testing.assert_array_equal(scores, [[-best]])


def _collapsed(path: Any, blank: int) -> tuple[int, ...]:
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


@pytest.mark.parametrize("blank", [0, 2, -1])
def test_greedy_reads_the_best_labels(blank: int) -> None:
    best = [_SCORES[:n, i].argmax(-1).tolist() for i, n in enumerate(_LENGTHS)]
    for merges in (True, False):
        *parts, scores = tf.raw_ops.CTCGreedyDecoder(
            inputs=_SCORES, sequence_length=_LENGTHS, merge_repeated=merges, blank_index=blank
        )
        expected = [
            list(_collapsed(row, blank % 4)) if merges else [label for label in row if label != blank % 4]
            for row in best
        ]
        assert _rows(*parts) == expected
        totals = [-_SCORES[:n, i].max(-1).sum() for i, n in enumerate(_LENGTHS)]
        np.testing.assert_allclose(scores.numpy()[:, 0], totals, rtol=1e-6)


def test_a_wide_beam_finds_the_most_probable_of_all_sequences() -> None:
    logs = _SCORES - np.log(np.exp(_SCORES).sum(-1, keepdims=True))
    result = tf.raw_ops.CTCBeamSearchDecoder(
        inputs=_SCORES, sequence_length=_LENGTHS, beam_width=500, top_paths=4, merge_repeated=False
    )
    for i, length in enumerate(_LENGTHS):
        totals: dict[tuple[int, ...], float] = defaultdict(float)
        for path in itertools.product(range(4), repeat=int(length)):
            totals[_collapsed(path, 3)] += float(np.exp(logs[np.arange(length), i, path].sum()))
        best = sorted(totals.items(), key=lambda item: -item[1])[:4]
        np.testing.assert_allclose(result.log_probability[i], np.log([p for _, p in best]), rtol=1e-5)
        for k, (labels, _) in enumerate(best):
            parts = (result.decoded_indices[k], result.decoded_values[k], result.decoded_shape[k])
            assert tuple(_rows(*parts)[i]) == labels


def test_a_narrow_beam_loses_probability() -> None:
    totals = [
        tf.raw_ops.CTCBeamSearchDecoder(inputs=_SCORES, sequence_length=_LENGTHS, beam_width=n, top_paths=1)[-1].numpy()
        for n in (1, 3, 50)
    ]
    assert (totals[0] <= totals[1]).all()
    assert (totals[1] < totals[2]).any()


def test_repetitions_after_a_blank_are_merged_on_demand() -> None:
    scores = np.full((5, 1, 3), -5.0, np.float32)
    scores[range(5), 0, [0, 2, 0, 0, 1]] = 5.0
    for merges, expected in ((True, [0, 1]), (False, [0, 0, 1])):
        result = tf.raw_ops.CTCBeamSearchDecoder(
            inputs=scores, sequence_length=[5], beam_width=9, top_paths=1, merge_repeated=merges
        )
        assert result.decoded_values[0].numpy().tolist() == expected


def test_no_frames_give_no_labels() -> None:
    for length in (0, -1):
        result = tf.raw_ops.CTCBeamSearchDecoder(
            inputs=_SCORES, sequence_length=[length, length], beam_width=2, top_paths=1
        )
        assert result.decoded_shape[0].numpy().tolist() == [2, 0]
        assert result.log_probability.numpy().tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize(
    "decode",
    [
        lambda x, n: tf.raw_ops.CTCGreedyDecoder(inputs=x, sequence_length=n),
        lambda x, n: tf.raw_ops.CTCBeamSearchDecoder(inputs=x, sequence_length=n, beam_width=2, top_paths=1),
    ],
)
def test_scores_and_lengths_must_fit(decode: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="inputs is not a 3-Tensor"):
        decode(_SCORES[0], _LENGTHS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="inputs must not be empty"):
        decode(_SCORES[:, :0], _LENGTHS[:0])
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"len\(sequence_length\) != batch_size"):
        decode(_SCORES, [1])
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"sequence_length\(0\) <= 5"):
        decode(_SCORES, [9, 1])
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.function(decode)(_SCORES, tf.constant([1, 1, 1]))


def test_bad_attributes_raise() -> None:
    error = tf.errors.InvalidArgumentError
    with pytest.raises(error, match="blank_index expected to be between -4 and 3 but was 4"):
        tf.raw_ops.CTCGreedyDecoder(inputs=_SCORES, sequence_length=_LENGTHS, blank_index=4)
    for width, paths, message in ((2, 3, "requested more paths than"), (0, 1, "Value for attr 'beam_width' of 0")):
        with pytest.raises(error, match=message):
            tf.raw_ops.CTCBeamSearchDecoder(inputs=_SCORES, sequence_length=_LENGTHS, beam_width=width, top_paths=paths)
    with pytest.raises(error, match="Less leaves in the beam search than requested"):
        tf.raw_ops.CTCBeamSearchDecoder(inputs=_SCORES, sequence_length=[0, 0], beam_width=9, top_paths=2)


# --- the public functions: what TensorFlow answers to the same scores ------------------------------------------------

_RANDOM_SCORES = np.random.RandomState(0).randn(5, 2, 4).astype(np.float32)


def _sparse_parts(decoded: list[tf.SparseTensor]) -> list[Any]:
    return [(t.indices.numpy().tolist(), t.values.numpy().tolist(), t.dense_shape.numpy().tolist()) for t in decoded]


@pytest.mark.parametrize(
    ("options", "indices", "values", "shape"),
    [
        ({}, [[0, 0], [1, 0], [1, 1]], [0, 0, 2], [2, 2]),
        ({"merge_repeated": False}, [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [0, 0, 0, 0, 2], [2, 3]),
        ({"blank_index": 0}, [[0, 0], [0, 1], [1, 0]], [3, 3, 2], [2, 2]),
        ({"blank_index": -2}, [[0, 0], [0, 1], [0, 2], [1, 0]], [3, 0, 3, 0], [2, 3]),
    ],
)
def test_greedy_labels_are_sparse(options: Any, indices: Any, values: Any, shape: Any) -> None:
    decoded, scores = tf.nn.ctc_greedy_decoder(_RANDOM_SCORES, [5, 3], **options)
    assert _sparse_parts(decoded) == [(indices, values, shape)]
    assert decoded[0].dtype is tf.int64
    np.testing.assert_allclose(scores, [[-7.6154], [-3.4930]], atol=1e-4)


@pytest.mark.parametrize("version", ["v2", "v1"])
def test_paths_of_a_beam_search_are_sparse(version: str) -> None:
    nn = tf.nn if version == "v2" else tf.compat.v1.nn
    decoded, scores = nn.ctc_beam_search_decoder(_RANDOM_SCORES, [5, 3], beam_width=10, top_paths=2)
    best = ([[0, 0], [1, 0], [1, 1]], [0, 0, 2], [2, 2])
    assert _sparse_parts(decoded) == [best, ([[0, 0], [0, 1], [1, 0], [1, 1]], [2, 0, 0, 1], [2, 2])]
    np.testing.assert_allclose(scores, [[-2.0562, -2.2099], [-1.2680, -1.5635]], atol=1e-4)


def test_the_old_beam_search_merges_repetitions() -> None:
    scores = np.full((5, 1, 3), -9.0, np.float32)
    scores[range(5), 0, [0, 2, 0, 0, 1]] = 5.0
    values = [
        search(scores, [5])[0][0].values.numpy().tolist()
        for search in (tf.compat.v1.nn.ctc_beam_search_decoder, tf.nn.ctc_beam_search_decoder)
    ]
    assert values == [[0, 1], [0, 0, 1]]
    assert tf.compat.v1.nn.ctc_beam_search_decoder_v2 is tf.nn.ctc_beam_search_decoder


def test_decoders_in_functions() -> None:
    greedy = tf.function(tf.nn.ctc_greedy_decoder, autograph=False)
    (decoded,), _ = greedy(_RANDOM_SCORES, tf.constant([5, 3]))
    assert decoded.values.numpy().tolist() == [0, 0, 2]
    (best,), _ = tf.function(tf.nn.ctc_beam_search_decoder, autograph=False)(_RANDOM_SCORES, tf.constant([5, 3]))
    assert best.values.numpy().tolist() == [0, 0, 2]

"""The CTC loss of sparse labels as one op."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram, Sample

_SCORES = (np.sin(np.arange(4 * 3 * 4) * 1.3) * 2).reshape(4, 3, 4)
_INDICES = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], np.int64)
_VALUES = np.array([0, 1, 2, 2, 1], np.int32)
_LENGTHS = np.array([4, 4, 2], np.int32)
_ROWS = [(0, 1), (2, 2), (1,)]
_NO_SECOND = "the op computes the gradient itself"
_OPTIONS: list[dict[str, Any]] = [
    {},
    {"preprocess_collapse_repeated": True},
    {"ctc_merge_repeated": False},
    {"preprocess_collapse_repeated": True, "ctc_merge_repeated": False},
]


def _loss(
    scores: Any = _SCORES, indices: Any = _INDICES, values: Any = _VALUES, lengths: Any = _LENGTHS, **k: Any
) -> Any:
    return tf.raw_ops.CTCLoss(inputs=scores, labels_indices=indices, labels_values=values, sequence_length=lengths, **k)


SAMPLES = [
    Sample("CTCLoss", (_SCORES.astype(t), _INDICES, _VALUES, _LENGTHS), options, no_second=_NO_SECOND)
    for t in ("float32", "float64")
    for options in _OPTIONS
]
GRADIENT_PROGRAMS = [
    GradientProgram(
        "CTCLoss",
        lambda x, options=options: _loss(x, **options).loss,
        [_SCORES],
        no_second=_NO_SECOND,
    )
    for options in _OPTIONS
]


def _spelled(path: tuple[int, ...], *, merges: bool) -> tuple[int, ...]:
    labels = (label for label, _ in itertools.groupby(path)) if merges else path
    return tuple(label for label in labels if label != 3)


@pytest.mark.parametrize("options", _OPTIONS, ids=str)
def test_the_loss_counts_all_paths(options: dict[str, bool]) -> None:
    merges = options.get("ctc_merge_repeated", True)
    rows = [tuple(k for k, _ in itertools.groupby(row)) for row in _ROWS] if len(options) - (not merges) else _ROWS
    for i, (row, length) in enumerate(zip(rows, _LENGTHS, strict=True)):
        probabilities = np.exp(_SCORES[:length, i]) / np.exp(_SCORES[:length, i]).sum(-1, keepdims=True)
        paths = itertools.product(range(4), repeat=int(length))
        total = sum(
            probabilities[np.arange(length), path].prod() for path in paths if _spelled(path, merges=merges) == row
        )
        np.testing.assert_allclose(_loss(tf.constant(_SCORES), **options).loss[i], -np.log(total), rtol=1e-10)


def test_it_is_the_loss_of_dense_labels() -> None:
    dense = tf.nn.ctc_loss([[0, 1], [2, 2], [1, 0]], _SCORES, [2, 2, 1], _LENGTHS, blank_index=-1)
    np.testing.assert_allclose(_loss().loss, dense, rtol=1e-5)


def test_labels_that_do_not_fit_raise_or_do_not_count() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Not enough time for target transition sequence \(requ"):
        _loss(lengths=[1, 4, 2])
    loss, gradient = _loss(lengths=[1, 4, 2], ignore_longer_outputs_than_inputs=True)
    assert loss[0].numpy() == 0
    assert not gradient[:, 0].numpy().any()
    np.testing.assert_allclose(loss[1:], _loss().loss[1:], rtol=1e-6)


def test_repetitions_without_room_for_a_blank_are_impossible() -> None:
    loss, gradient = _loss(lengths=[4, 2, 2])
    assert np.isinf(loss[1].numpy())
    scores = np.exp(_SCORES[:2, 1])
    np.testing.assert_allclose(gradient[:2, 1], scores / scores.sum(-1, keepdims=True), rtol=1e-5)


def test_blanks_behind_the_labels_do_not_count() -> None:
    np.testing.assert_allclose(_loss(values=[0, 3, 2, 2, 1]).loss[0], _loss(_SCORES, *_without_second()).loss[0])


def _without_second() -> tuple[Any, Any]:
    return np.delete(_INDICES, 1, 0), np.delete(_VALUES, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scores": _SCORES[0]}, "inputs is not a 3-Tensor"),
        ({"lengths": [4, 4]}, r"len\(sequence_length\) != batch_size"),
        ({"lengths": [9, 4, 2]}, r"sequence_length\(0\) <= 4"),
        ({"lengths": [4, -1, 2]}, r"seq_len\(1\) < 0"),
        ({"lengths": [[4, 4, 2]]}, "sequence_length is not a vector"),
        ({"indices": _INDICES[:, 0]}, "labels_indices is not a matrix"),
        ({"indices": np.tile(_INDICES, 2)}, "Order length must be SparseTensor rank"),
        ({"values": _VALUES[:3]}, "labels_indices and labels_values must contain the same number of rows"),
        ({"values": _VALUES[:, None]}, "labels_values is not a vector"),
        ({"indices": _INDICES - 1}, r"indices\[0\] = \[-1,-1\] is out of bounds: need 0 <= index < \[3,1\]"),
        ({"indices": _INDICES[::-1]}, r"indices\[1\] = \[1,1\] is out of order"),
        ({"indices": _INDICES * 0}, r"indices\[1\] = \[0,0\] is repeated"),
        ({"indices": _INDICES[:4], "values": _VALUES[:4]}, "Labels length is zero in batch 2"),
        ({"values": [0, -1, 2, 2, 1]}, "All labels must be nonnegative integers, batch: 0 labels: 0,-1"),
        ({"values": [3, 1, 2, 2, 1]}, r"Saw a non-null label \(index >= num_classes - 1\) following a null label"),
    ],
)
def test_bad_inputs_raise(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _loss(**arguments)


def test_shapes_that_do_not_fit_raise_while_tracing() -> None:
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        tf.function(_loss)(tf.constant(_SCORES), lengths=tf.constant([1, 1]))
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 5 and 3"):
        tf.function(_loss)(tf.constant(_SCORES), values=tf.constant(_VALUES[:3]))

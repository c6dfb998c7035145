"""RaggedCross."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, check_refusal_while_tracing

_KEY = 956888297470
_LETTERS = np.array([b"a", b"b", b"c"], object), np.int64([0, 2, 3])
_MORE = np.array([b"d", b"e", b"f", b"g"], object), np.int64([0, 1, 4])
_NUMBERS = np.int64([1, 2, 3]), np.int64([0, 2, 3])
_SPARSE = np.int64([[0, 0], [1, 0], [1, 2]]), np.array([b"s", b"t", b"u"], object), np.int64([2, 3])
_TEXTS = np.array([[b"x", b"y"], [b"z", b"w"]], object)
_TENS = np.int64([[10], [-20]])


def _arguments(
    order: str, ragged: Any = (), sparse: Any = (), dense: Any = (), hashed: bool = False, **attrs: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the inputs and attributes of a call."""
    lists = [[f[i] for f in ragged] for i in range(2)] + [[f[i] for f in sparse] for i in range(3)] + [list(dense)]
    types = {"out_values_type": tf.int64 if hashed else tf.string, "out_row_splits_type": tf.int64}
    return tuple(lists), {
        "input_order": order,
        "hashed_output": hashed,
        "num_buckets": 0,
        "hash_key": _KEY,
    } | types | attrs


def _sample(*args: Any, **kwargs: Any) -> Sample:
    inputs, attrs = _arguments(*args, **kwargs)
    return Sample("RaggedCross", inputs, attrs)


SAMPLES = [
    _sample("RSD", [_LETTERS], [_SPARSE], [_TEXTS]),
    _sample("RR", [_LETTERS, _NUMBERS], hashed=True, num_buckets=100),
    _sample("", out_row_splits_type=tf.int32),
]


def _cross(*args: Any, **kwargs: Any) -> list[Any]:
    inputs, attrs = _arguments(*args, **kwargs)
    names = "ragged_values", "ragged_row_splits", "sparse_indices", "sparse_values", "sparse_shape", "dense_inputs"
    found = tf.raw_ops.RaggedCross(**dict(zip(names, inputs, strict=True)), **attrs)
    return [part.numpy().tolist() for part in found]


@pytest.mark.parametrize(
    ("arguments", "options", "expected"),
    [
        (("RR", [_LETTERS, _MORE]), {}, [[b"a_X_d", b"b_X_d", b"c_X_e", b"c_X_f", b"c_X_g"], [0, 2, 5]]),
        (
            ("RSD", [_LETTERS], [_SPARSE], [_TEXTS]),
            {},
            [
                [b"a_X_s_X_x", b"a_X_s_X_y", b"b_X_s_X_x", b"b_X_s_X_y"]
                + [b"c_X_t_X_z", b"c_X_t_X_w", b"c_X_u_X_z", b"c_X_u_X_w"],
                [0, 4, 8],
            ],
        ),
        (
            ("DSR", [_LETTERS], [_SPARSE], [_TENS]),
            {},
            [[b"10_X_s_X_a", b"10_X_s_X_b", b"-20_X_t_X_c", b"-20_X_u_X_c"], [0, 2, 4]],
        ),
        (("R", [_LETTERS]), {}, [[b"a", b"b", b"c"], [0, 2, 3]]),
        (
            ("RR", [_LETTERS, _MORE]),
            {"hashed": True},
            [
                [
                    1584069791037555375,
                    2292520902626215647,
                    1746051686049959641,
                    4546572711251652368,
                    857586637149637889,
                ],
                [0, 2, 5],
            ],
        ),
        (("RR", [_LETTERS, _MORE]), {"hashed": True, "num_buckets": 100}, [[82, 54, 41, 68, 89], [0, 2, 5]]),
        (("RR", [_LETTERS, _NUMBERS]), {"hashed": True, "num_buckets": 100}, [[85, 87, 83, 57, 94], [0, 4, 5]]),
        (
            ("R", [_NUMBERS]),
            {"hashed": True, "hash_key": 0},
            [[3322498177733977010, 906008698765557714, 4633539700532098499], [0, 2, 3]],
        ),
        (("R", [_LETTERS]), {"hashed": True, "out_values_type": tf.string}, [[b"a", b"b", b"c"], [0, 2, 3]]),
        (("RR", [(_LETTERS[0][:1], np.int64([0, 0, 1])), _NUMBERS]), {}, [[b"a_X_3"], [0, 0, 1]]),
        (("",), {}, [[], [0]]),
    ],
)
def test_every_combination_of_a_row(arguments: Any, options: Any, expected: Any) -> None:
    assert _cross(*arguments, **options) == expected


def _one(values: int, splits: list[int]) -> Any:
    return "R", [(np.array([b"a"] * values, object), np.array(splits, np.int64))]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("RX", [_LETTERS, _MORE]), "Unexpected input_order value."),
        (("R", [_LETTERS, _MORE]), "Invalid length for input_order"),
        (
            ("RD", [_LETTERS, _MORE]),
            'input_order "RD" specifies reading a dense tensor at index 0 from a list of 0 tensors.',
        ),
        (("RD", [_LETTERS], [], [_TEXTS[:1]]), "inputs must all have the same batch dimension size."),
        (
            _one(1, [0, 2]),
            "Invalid ragged splits: last element of ragged splits must be the number of ragged values(1)",
        ),
        (_one(1, [1, 1]), "Invalid ragged splits: first element of ragged splits  must be 0 but is 1"),
        (_one(1, []), "Invalid ragged splits: ragged splits must have at least one splits, but is empty"),
        (_one(2, [0, 2, 1]), "Invalid ragged splits: ragged splits must be monotonically increasing, but ragged_spl"),
        (("D", [], [], [_TEXTS[0]]), "tf.ragged.cross only supports inputs with rank=2."),
        (("S", [], [(_SPARSE[0][:, :1], _SPARSE[1], _SPARSE[2])]), "tf.ragged.cross only supports inputs with rank=2."),
    ],
)
def test_bad_features_are_refused(arguments: Any, words: str) -> None:
    check_refusal(lambda: _cross(*arguments), tf.errors.InvalidArgumentError, words)


def test_a_negative_number_of_buckets_is_refused() -> None:
    words = "Value for attr 'num_buckets' of -1 must be at least minimum 0"
    check_refusal(lambda: _cross("R", [_LETTERS], hashed=True, num_buckets=-1), tf.errors.InvalidArgumentError, words)


def test_wrong_ranks_are_refused_while_tracing() -> None:
    letters, splits = _LETTERS
    check_refusal_while_tracing(
        lambda: _cross("R", [(letters, splits[None])]), ValueError, "Shape must be rank 1 but is rank 2"
    )
    check_refusal_while_tracing(lambda: _cross("D", [], [], [_TEXTS[None]]), ValueError, "Shape must be rank 2 but")

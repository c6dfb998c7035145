"""ngrams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_NGRAMS = {
    "separator": "|",
    "ngram_widths": [2, 3],
    "left_pad": "L",
    "right_pad": "R",
    "preserve_short_sequences": True,
}

SAMPLES = [
    Sample(
        "StringNGrams",
        inputs=(np.array([b"a", b"b", b"c"], dtype=object), np.array([0, 2, 3])),
        attrs=_NGRAMS | {"pad_width": -1},
    ),
    Sample(
        "StringNGrams", inputs=(np.zeros([0], dtype=object), np.array([0], np.int32)), attrs=_NGRAMS | {"pad_width": 0}
    ),
]


@pytest.mark.parametrize(
    ("data", "width", "options", "expected"),
    [
        (["a", "b", "c", "d"], 2, {}, [b"a b", b"b c", b"c d"]),
        (["a", "b", "c"], [1, 2], {"separator": "_"}, [b"a", b"b", b"c", b"a_b", b"b_c"]),
        (["a"], 2, {"pad_values": ("<", ">"), "padding_width": 1}, [b"< a", b"a >"]),
        (["a", "b"], 2, {"pad_values": "#"}, [b"# a", b"a b", b"b #"]),
        (["a"], 3, {"preserve_short_sequences": True}, [b"a"]),
        (["a", "b"], [1, 5], {"preserve_short_sequences": True}, [b"a", b"b"]),
        ([["a", "b"], ["c", "d"]], 2, {}, [[b"a b"], [b"c d"]]),
        (["a", "b", "c"], 3, {"pad_values": ("L", "R")}, [b"L L a", b"L a b", b"a b c", b"b c R", b"c R R"]),
    ],
)
def test_ngrams(data: Any, width: Any, options: dict[str, Any], expected: Any) -> None:
    assert tf.strings.ngrams(data, width, **options).numpy().tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("a", 2), {}, ValueError, "Data must have rank>0"),
        ((["a"], 0), {}, ValueError, "All ngram_widths must be greater than 0. Got 0"),
        ((["a"], 2), {"pad_values": 5}, TypeError, "pad_values must be a string, tuple of strings, or None."),
        ((["a"], 2), {"pad_values": ("a", 2)}, TypeError, "pad_values must be a string, tuple of strings, or None."),
        ((["a"], 2), {"pad_values": "#", "padding_width": -1}, ValueError, "padding_width must be greater than 0."),
        ((["a"], 2), {"padding_width": 1}, ValueError, "pad_values must be provided if padding_width is set."),
        (
            (tf.ragged.constant([[1]]), 2),
            {},
            ValueError,
            "Tensor conversion requested dtype string for RaggedTensor with dtype int32",
        ),
    ],
)
def test_ngrams_refuses(arguments: Any, options: Any, error: type[Exception], words: str) -> None:
    check_refusal(lambda: tf.strings.ngrams(*arguments, **options), error, words)


def test_the_ngrams_op_checks_its_splits() -> None:
    call = tf.raw_ops.StringNGrams
    attrs = _NGRAMS | {"pad_width": 0}
    grams, splits = call(data=["a", "b", "c", "d"], data_splits=[0, 3, 4], **attrs)
    assert grams.numpy().tolist() == [b"a|b", b"b|c", b"a|b|c", b"d"]
    assert splits.numpy().tolist() == [0, 3, 4]
    refused = tf.errors.InvalidArgumentError
    check_refusal(
        lambda: call(data=["a"], data_splits=[0, 3], **attrs), refused, "Invalid split value 3, must be in [0, 1]"
    )
    check_refusal(lambda: call(data=["a"], data_splits=[1], **attrs), refused, "First split value must be 0, got 1")


_ROWS = tf.ragged.constant([["a", "b", "c"], [], ["d"]])


@pytest.mark.parametrize(
    ("width", "options", "expected"),
    [
        (2, {}, [[b"a b", b"b c"], [], []]),
        ((2, 1), {}, [[b"a b", b"b c", b"a", b"b", b"c"], [], [b"d"]]),
        ([], {}, [[], [], []]),
        (2, {"pad_values": (b"<", ">")}, [[b"< a", b"a b", b"b c", b"c >"], [b"< >"], [b"< d", b"d >"]]),
        (3, {"pad_values": "#", "padding_width": 1}, [[b"# a b", b"a b c", b"b c #"], [], [b"# d #"]]),
        (2, {"preserve_short_sequences": True}, [[b"a b", b"b c"], [], [b"d"]]),
    ],
)
def test_ngrams_of_ragged_rows(width: Any, options: dict[str, Any], expected: Any) -> None:
    assert tf.strings.ngrams(_ROWS, width, **options).to_list() == expected


def test_ngrams_keep_outer_ragged_dimensions() -> None:
    deep = tf.ragged.constant([[["a", "b"], []], [], [["c", "d", "e"]]], row_splits_dtype=tf.int32)
    grams = tf.strings.ngrams(deep, 2)
    assert grams.to_list() == [[[b"a b"], []], [], [[b"c d", b"d e"]]]
    assert grams.row_splits.dtype is tf.int32


def test_ngrams_of_a_ragged_argument_of_a_function() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.string)
    grams = tf.function(lambda x: tf.strings.ngrams(x, 2), autograph=False, input_signature=[spec])
    assert grams(_ROWS).to_list() == [[b"a b", b"b c"], [], []]


def _naive(row: list[bytes], widths: list[int], pad_width: int, keeps_short: bool) -> list[bytes]:
    grams = []
    for width in widths:
        padding = width - 1 if pad_width < 0 else min(pad_width, width - 1)
        padded = [b"L"] * padding + row + [b"R"] * padding
        grams += [b"|".join(padded[i : i + width]) for i in range(len(padded) - width + 1)]
    if not grams and row and keeps_short:
        padding = max(pad_width, 0)
        grams = [b"|".join([b"L"] * padding + row + [b"R"] * padding)]
    return grams


@given(
    st.lists(st.lists(st.sampled_from([b"a", b"", b"xy"]), max_size=4), max_size=4),
    st.lists(st.integers(1, 4), max_size=3),
    st.integers(-1, 3),
    st.booleans(),
)
def test_the_ngrams_op_is_the_same_as_a_loop(
    rows: list[list[bytes]], widths: list[int], pad_width: int, keeps_short: bool
) -> None:
    splits = np.cumsum([0, *map(len, rows)])
    attrs = _NGRAMS | {"ngram_widths": widths, "pad_width": pad_width, "preserve_short_sequences": keeps_short}
    data = np.array([part for row in rows for part in row], dtype=object)
    grams, ends = tf.raw_ops.StringNGrams(data=tf.constant(data, tf.string), data_splits=splits, **attrs)
    has_elements = any(rows)  # else TensorFlow makes no n-grams at all, not even of pads
    expected = [_naive(row, widths, pad_width, keeps_short) if has_elements else [] for row in rows]
    assert grams.numpy().tolist() == [gram for row in expected for gram in row]
    assert ends.numpy().tolist() == np.cumsum([0, *map(len, expected)]).tolist()

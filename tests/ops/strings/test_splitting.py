"""split, bytes_split and ngrams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TEXTS = np.array([b"a b  c", b"", b"d"], dtype=object)
_SPACE = np.array(b" ", dtype=object)
_NGRAMS = {
    "separator": "|",
    "ngram_widths": [2, 3],
    "left_pad": "L",
    "right_pad": "R",
    "preserve_short_sequences": True,
}

SAMPLES = [
    Sample("StringSplit", inputs=(_TEXTS, _SPACE)),
    Sample("StringSplit", inputs=(_TEXTS, np.array(b"", dtype=object)), attrs={"skip_empty": False}),
    Sample("StringSplitV2", inputs=(_TEXTS, _SPACE), attrs={"maxsplit": 1}),
    Sample("StringSplitV2", inputs=(np.zeros([0], dtype=object), _SPACE)),
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
    ("arguments", "expected"),
    [
        (("a b  c",), [b"a", b"b", b"c"]),
        (("",), []),
        (("  lead trail  ",), [b"lead", b"trail"]),
        (("a\xa0b",), [b"a\xc2\xa0b"]),
        (("a,b,,c", ","), [b"a", b"b", b"", b"c"]),
        (("a b c", None, 1), [b"a", b"b c"]),
        (("a  b  c", None, 1), [b"a", b"b  c"]),
        (("", ","), [b""]),
        (("a b c", "", 0), [b"a b c"]),
        (("a b c ", " ", -1), [b"a", b"b", b"c", b""]),
        (("aaa", "aa"), [b"", b"a"]),
    ],
)
def test_split_of_a_scalar_is_a_vector(arguments: Any, expected: list[bytes]) -> None:
    assert tf.strings.split(*arguments).numpy().tolist() == expected


def test_parts_of_a_vector_come_as_indices_and_values() -> None:
    indices, values, shape = tf.raw_ops.StringSplitV2(input=["a||b", "c"], sep="||")
    assert indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert values.numpy().tolist() == [b"a", b"b", b"c"]
    assert shape.numpy().tolist() == [2, 2]


@pytest.mark.parametrize(
    ("texts", "delimiter", "skip_empty", "expected"),
    [
        (["ab cd", "x"], " ", True, [b"ab", b"cd", b"x"]),
        (["a,b; c"], ",;", True, [b"a", b"b", b" c"]),
        (["abc"], "", True, [b"a", b"b", b"c"]),
        (["a,,b,"], ",", False, [b"a", b"", b"b", b""]),
    ],
)
def test_the_old_split_takes_a_set_of_delimiters(
    texts: Any, delimiter: str, skip_empty: bool, expected: list[bytes]
) -> None:
    found = tf.raw_ops.StringSplit(input=texts, delimiter=delimiter, skip_empty=skip_empty)
    assert found[1].numpy().tolist() == expected


def test_split_refuses_wrong_ranks() -> None:
    refused = tf.errors.InvalidArgumentError
    words = "input must be a vector, got shape: []"
    check_refusal(lambda: tf.raw_ops.StringSplitV2(input="a b", sep=" "), refused, words)
    words = "sep must be a scalar, got shape: [1]"
    check_refusal(lambda: tf.raw_ops.StringSplitV2(input=["a b"], sep=[" "]), refused, words)


def test_what_would_be_ragged_or_sparse_is_refused_with_advice() -> None:
    for call in (tf.strings.split, tf.strings.bytes_split, tf.compat.v1.strings.split, tf.compat.v1.string_split):
        with pytest.raises(tf.errors.UnimplementedError, match=r"which Millrace does not have yet.*raw_ops"):
            call(["a b", "c"])
    with pytest.raises(ValueError, match="result_type must be 'RaggedTensor' or 'SparseTensor'"):
        tf.compat.v1.strings.split(["a"], result_type="x")


def test_bytes_split() -> None:
    assert tf.strings.bytes_split("abc").numpy().tolist() == [b"a", b"b", b"c"]
    assert tf.strings.bytes_split(b"\xff\x00").numpy().tolist() == [b"\xff", b"\x00"]
    assert tf.strings.bytes_split("").shape.as_list() == [0]


def test_split_in_a_function_has_an_unknown_length() -> None:
    @tf.function(autograph=False)
    def f(x):
        parts = tf.strings.split(x)
        assert parts.shape.as_list() == [None]
        return parts

    assert f(tf.constant("a b")).numpy().tolist() == [b"a", b"b"]
    unknown = tf.function(tf.strings.split, autograph=False, input_signature=[tf.TensorSpec(None, tf.string)])
    with pytest.raises(ValueError, match="input must have a statically-known rank"):
        unknown(tf.constant("a"))


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
        ((["a"], 2), {"padding_width": -1}, ValueError, "padding_width must be greater than 0."),
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

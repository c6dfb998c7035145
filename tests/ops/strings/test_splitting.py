"""split and bytes_split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TEXTS = np.array([b"a b  c", b"", b"d"], dtype=object)
_SPACE = np.array(b" ", dtype=object)
SAMPLES = [
    Sample("StringSplit", inputs=(_TEXTS, _SPACE)),
    Sample("StringSplit", inputs=(_TEXTS, np.array(b"", dtype=object)), attrs={"skip_empty": False}),
    Sample("StringSplitV2", inputs=(_TEXTS, _SPACE), attrs={"maxsplit": 1}),
    Sample("StringSplitV2", inputs=(np.zeros([0], dtype=object), _SPACE)),
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


_INPUTS = {
    "vector": ["a b", "", "c  d"],
    "empty": tf.zeros([0], tf.string),
    "matrix": [["a b", "c"], ["", "d e f"]],
    "no columns": tf.zeros([2, 0], tf.string),
    "three dimensions": [[["a b"], ["c"]], [["d"], ["e f"]]],
    "ragged": tf.ragged.constant([["a b", "c"], [], ["d e f"]]),
    "deeply ragged": tf.ragged.constant([[["a b"], []], [], [["d e f", "g"]]]),
    "uniform inside": tf.ragged.constant([[["a b"], ["q"]], [], [["d e f"]]], inner_shape=(1,)),
}
_IDS = [key.replace(" ", "_") for key in _INPUTS]


def _as_list(text: Any) -> Any:
    if isinstance(text, tf.RaggedTensor):
        return text.to_list()
    return tf.convert_to_tensor(text).numpy().tolist()


def _deeper(text: Any, function: Any) -> Any:
    return [_deeper(part, function) for part in text] if isinstance(text, list) else function(text)


@pytest.mark.parametrize("text", _INPUTS.values(), ids=_IDS)
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.strings.split, lambda t: t.split()),
        (lambda t: tf.strings.split(t, " "), lambda t: t.split(b" ")),
        (lambda t: tf.strings.split(t, sep=" ", maxsplit=1), lambda t: t.split(b" ", 1)),
        (tf.strings.bytes_split, lambda t: [bytes([c]) for c in t]),
        (lambda t: tf.compat.v1.strings.split(t, result_type="RaggedTensor"), lambda t: t.split()),
    ],
    ids=["at_space", "at_separator", "once", "bytes", "v1"],
)
def test_parts_are_one_dimension_deeper(function: Any, expected: Any, text: Any) -> None:
    parts = function(text)
    assert parts.to_list() == _deeper(_as_list(text), expected)
    rank = text.shape.rank if isinstance(text, tf.RaggedTensor) else tf.rank(text)
    assert parts.shape.rank == rank + 1
    assert parts.ragged_rank == rank
    assert parts.dtype is tf.string


def test_dense_dimensions_stay_known() -> None:
    assert tf.strings.split([["a b", "c"]]).shape.as_list() == [1, 2, None]
    assert tf.strings.bytes_split(_INPUTS["uniform inside"]).shape.as_list() == [3, None, 1, None]


def test_a_split_into_at_most_n_parts_ends_with_what_is_left() -> None:
    texts = ["x", "a b", "a b ", "a ", "  a  b  c  ", ""]
    once = [[b"x", b""], [b"a", b"b"], [b"a", b"b "], [b"a", b""], [b"a", b"b  c  "], []]
    assert tf.strings.split(texts, maxsplit=1).to_list() == once
    twice = [[b"x"], [b"a", b"b", b""], [b"a", b"b", b""], [b"a"], [b"a", b"b", b"c  "], []]
    assert tf.strings.split(texts, maxsplit=2).to_list() == twice


def test_splits_of_int32_do_not_go_with_those_of_parts() -> None:
    ragged = tf.ragged.constant([["a b"]], row_splits_dtype=tf.int32)
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        tf.strings.split(ragged)


def test_the_v1_functions_return_sparse_tensors() -> None:
    parts = tf.compat.v1.strings.split(["a b", "", "c"])
    assert isinstance(parts, tf.SparseTensor)
    assert parts.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]]
    assert parts.values.numpy().tolist() == [b"a", b"b", b"c"]
    assert parts.dense_shape.numpy().tolist() == [3, 2]
    assert tf.compat.v1.strings.split("a b").dense_shape.numpy().tolist() == [1, 2]
    parts = tf.compat.v1.string_split(["a,,b", "c d"], ",", skip_empty=False)
    assert tf.sparse.to_dense(parts).numpy().tolist() == [[b"a", b"", b"b"], [b"c d", b"", b""]]
    ragged = tf.compat.v1.string_split(["a b ", "c"], result_type="RaggedTensor")
    assert ragged.to_list() == [[b"a", b"b"], [b"c"]]


def test_the_v1_functions_take_older_names() -> None:
    assert tf.compat.v1.strings.split(source=["a,b"], sep=",").values.numpy().tolist() == [b"a", b"b"]
    assert tf.compat.v1.string_split(["a,b"], delimiter=",").values.numpy().tolist() == [b"a", b"b"]
    check_refusal(
        lambda: tf.compat.v1.strings.split(["a"], source=["b"]),
        ValueError,
        "Cannot specify both 'source' and 'input'.",
    )
    check_refusal(
        lambda: tf.compat.v1.string_split(["a"], " ", delimiter=" "),
        ValueError,
        "Cannot specify both 'delimiter' and 'sep'.",
    )


def test_the_v1_functions_refuse_other_results() -> None:
    for function in (tf.compat.v1.strings.split, tf.compat.v1.string_split):
        with pytest.raises(ValueError, match="result_type must be 'RaggedTensor' or 'SparseTensor'"):
            function(["a"], result_type="x")
    words = "input must be a vector, got shape: []"
    check_refusal(lambda: tf.compat.v1.string_split("a b"), tf.errors.InvalidArgumentError, words)


def test_an_empty_string_has_no_part_for_the_old_split() -> None:
    indices, values, _ = tf.raw_ops.StringSplit(input=["", "a,,b", ""], delimiter=",", skip_empty=False)
    assert values.numpy().tolist() == [b"a", b"", b"b"]
    assert indices.numpy().tolist() == [[1, 0], [1, 1], [1, 2]]


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


def test_splits_in_functions_are_ragged() -> None:
    vectors = tf.function(tf.strings.split, autograph=False, input_signature=[tf.TensorSpec([None], tf.string)])
    assert vectors(tf.constant(["a b", "c"])).to_list() == [[b"a", b"b"], [b"c"]]
    assert vectors.get_concrete_function().structured_outputs.shape.as_list() == [None, None]
    spec = tf.RaggedTensorSpec([None, None], tf.string)
    ragged = tf.function(tf.strings.split, autograph=False, input_signature=[spec])
    assert ragged(_INPUTS["ragged"]).to_list() == [[[b"a", b"b"], [b"c"]], [], [[b"d", b"e", b"f"]]]


def test_strings_of_unknown_rank_are_split_as_a_vector() -> None:
    signature = [tf.TensorSpec(None, tf.string)]
    unknown = tf.function(tf.strings.split, autograph=False, input_signature=signature)
    assert unknown(tf.constant(["a b"])).to_list() == [[b"a", b"b"]]
    with pytest.raises(ValueError, match="input must have a statically-known rank"):
        tf.function(tf.strings.bytes_split, autograph=False, input_signature=signature)(tf.constant("a"))


def test_numbers_are_not_split() -> None:
    for function in (tf.strings.split, tf.strings.bytes_split):
        with pytest.raises(ValueError, match="Tensor conversion requested dtype string for RaggedTensor with dtype"):
            function(tf.ragged.constant([[1]]))
        with pytest.raises(ValueError, match="input: Tensor conversion requested dtype string for Tensor with dtype"):
            function(tf.constant([1]))

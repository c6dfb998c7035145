"""Functions of `tf.compat.v1.strings`: older names and orders of arguments, sparse results."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_LETTERS = np.array([[b"a", b"b"], [b"c", b"d"]], dtype=object)


def test_the_old_reduce_join_takes_the_old_names() -> None:
    assert tf.compat.v1.reduce_join(_LETTERS, 0, True).numpy().tolist() == [[b"ac", b"bd"]]
    assert tf.compat.v1.strings.reduce_join(_LETTERS, reduction_indices=[1]).numpy().tolist() == [b"ab", b"cd"]


def test_the_old_to_number_has_two_names_for_its_input() -> None:
    assert tf.compat.v1.string_to_number(["1"], tf.int32).numpy().tolist() == [1]
    assert tf.compat.v1.string_to_number(input=["1"]).numpy().tolist() == [1.0]


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


def test_the_old_substr_has_its_unit_last() -> None:
    assert tf.compat.v1.strings.substr(["abc"], 0, 1, None, "BYTE").numpy().tolist() == [b"a"]

"""Groups of fields, and lists of different lengths, which are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.io.sequence_fields import Fields, context_fields, list_fields, ragged_fields, sparse_fields

_VECTOR = [tf.TensorShape([2])]
_NO_DEFAULT = [np.array([], np.int64)]


def test_columns_are_grouped_as_the_fields_are() -> None:
    sparse = sparse_fields("context", [b"a", b"b"], 2, [tf.int64, tf.string])
    dense = context_fields([b"c"], [tf.int64], _VECTOR, _NO_DEFAULT)
    fields = Fields(sparse, dense, ragged_fields("context", [b"d"], [tf.int64], [tf.int32]))
    assert [field.key for field in fields.all] == [b"a", b"b", b"c", b"d"]
    assert fields.groups("abcd") == ("ab", "c", "d")


def test_what_has_no_default_is_required() -> None:
    (required,) = context_fields([b"c"], [tf.int64], _VECTOR, _NO_DEFAULT)
    (optional,) = context_fields([b"c"], [tf.int64], _VECTOR, [np.array([1, 2])])
    assert (required.is_required, optional.is_required) == (True, False)
    lists = list_fields([b"c", b"d"], 2, [tf.int64] * 2, _VECTOR * 2, [True, False])
    assert [field.is_required for field in lists] == [False, True]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sparse_fields("context", [b"a"], 2, [tf.int64]), "num_context_sparse (2) must match the size of"),
        (lambda: sparse_fields("context", [], 1, [tf.int64]), "Expected len(context_sparse_keys) to match Ncontext"),
        (lambda: ragged_fields("context", [b"a"], [tf.int64], []), "num_context_ragged (1) must match the size of"),
        (lambda: context_fields([b"a"], [tf.int64], [], _NO_DEFAULT), "num_context_dense (1) must match the size of"),
        (lambda: context_fields([b"a"], [tf.int64], [tf.TensorShape([None])], _NO_DEFAULT), "Shape [?] is not fully"),
        (lambda: context_fields([b"a"], [tf.int64], _VECTOR, [np.array(1)]), "default_value[0].shape() == [] != "),
        (lambda: list_fields([b"a"], 1, [tf.int64], _VECTOR, []), "Expected len(feature_list_dense_missing_assumed"),
        (lambda: list_fields([b"a"], 2, [tf.int64], _VECTOR, [True]), "num_feature_list_dense (2) must match the"),
    ],
)
def test_lists_of_different_lengths_are_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        make()
    assert str(caught.value).startswith(words)

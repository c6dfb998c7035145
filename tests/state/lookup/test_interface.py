"""Keys of any structure."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

_STATIC = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))


@pytest.mark.parametrize(
    ("table", "unknown"),
    [(tf.lookup.StaticHashTable(_STATIC, -1), -1), (tf.lookup.StaticVocabularyTable(_STATIC, 1), 2)],
)
def test_values_have_the_structure_of_the_keys(table: Any, unknown: int) -> None:
    ragged = tf.ragged.constant([["a"], [], ["b", "z"]])
    assert table.lookup(ragged).to_list() == [[0], [], [1, unknown]]
    assert table[ragged].row_splits.numpy().tolist() == [0, 1, 1, 3]
    sparse = tf.SparseTensor([[0, 1], [1, 0]], ["b", "z"], [2, 2])
    found = tf.function(table.lookup)(sparse)
    assert found.values.numpy().tolist() == [1, unknown] and found.dense_shape.numpy().tolist() == [2, 2]


def test_structures_of_another_dtype_are_refused() -> None:
    table = tf.lookup.StaticHashTable(_STATIC, -1)
    message = "Dtype of argument `keys` must be <dtype: 'string'>, received: <dtype: 'int32'>"
    for keys in (tf.ragged.constant([[1]]), tf.SparseTensor([[0]], [1], [2])):
        with pytest.raises(TypeError, match=message):
            table.lookup(keys)

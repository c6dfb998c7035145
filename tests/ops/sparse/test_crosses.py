"""`tf.sparse.cross` and `tf.sparse.cross_hashed`."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.sparse.recorded import Record, check

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "tf.sparse.cross([S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2]),c([['d'],['e']])])",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], string:[b'a_X_d', b'b_X_e', b'c_X_e'], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross([S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2]),c([['d'],['e']])],separator='*')",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], string:[b'a*d', b'b*e', b'c*e'], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross([S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2]),c([[1],[2]])])",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], string:[b'a_X_1', b'b_X_2', b'c_X_2'], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross([S([[0,0],[1,0],[1,1]],[1,2,3],[2,2])])",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], string:[b'1', b'2', b'3'], int64:[2, 2])",
        None,
    ),
    ("tf.sparse.cross([c([[1.]])])", "Sp(int64:[[0, 0]], string:[b'1'], int64:[1, 1])", None),
    ("tf.sparse.cross(c([[1]]))", "TypeError: Inputs must be a list", None),
    ("tf.sparse.cross([])", "Sp(int64[0, 2], string[0], int64:[0, 0])", None),
    (
        "tf.sparse.cross([c([['d'],['e']]),S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2])])",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], string:[b'a_X_d', b'b_X_e', b'c_X_e'], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross_hashed([c([['d'],['e']]),S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2])])",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], int64:[1584069791037555375, 4171697120956746554, 1746051686049959641], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross_hashed([c([['d'],['e']]),S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2])],num_buckets=1000)",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], int64:[182, 361, 641], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross_hashed([c([['d'],['e']]),S([[0,0],[1,0],[1,1]],['a','b','c'],[2,2])],num_buckets=1000,hash_key=7)",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], int64:[410, 323, 188], int64:[2, 2])",
        None,
    ),
    (
        "tf.sparse.cross_hashed([c([[1],[2]]),S([[0,0],[1,0],[1,1]],L(1,2,3),[2,2])],num_buckets=1000)",
        "Sp(int64:[[0, 0], [1, 0], [1, 1]], int64:[641, 891, 211], int64:[2, 2])",
        "TypeError: len is not well defined for a symbolic Tensor (Const_1:0). Please call `x.shape` rather than `len(x)` for shape information.",
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, {})


@pytest.mark.parametrize("feature", [[["a"]], np.array([[1]]), tf.RaggedTensor.from_row_splits([1], [0, 1])], ids=type)
def test_a_feature_that_is_no_tensor_is_refused(feature: Any) -> None:
    for cross in (tf.sparse.cross, tf.sparse.cross_hashed):
        with pytest.raises(TypeError, match=r"All inputs must be Tensor or SparseTensor\."):
            cross([feature])

"""Embeddings of bags of ids."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.sparse.recorded import Record, check, grads, sparse

P = np.arange(12.0, dtype=np.float32).reshape(6, 2)
P1 = [P[:3], P[3:]]
IDS = sparse([[0, 0], [1, 0], [1, 1], [3, 0]], [1, 3, 2, 3], [4, 2])
RAGGED = tf.RaggedTensor.from_row_splits([1, 3, 2, 3], [0, 1, 3, 3, 4])
NAMES = {
    "P": P,
    "P1": P1,
    "sp": IDS,
    "w": IDS.with_values([2.0, 3.0, 5.0, 0.5]),
    "rg": RAGGED,
    "rw": RAGGED.with_values([2.0, 3.0, 5.0, 0.5]),
    "r3": tf.RaggedTensor.from_row_splits(RAGGED, [0, 2, 4]),
    "E": tf.nn.embedding_lookup_sparse,
    "V": tf.compat.v1.nn.embedding_lookup_sparse,
    "F": tf.nn.safe_embedding_lookup_sparse,
    "W": tf.compat.v1.nn.safe_embedding_lookup_sparse,
    "g2": lambda f, *a: grads(lambda *x: f(*x) ** 2, *a),
}

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    ("E(P,sp,None)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,sp,None,combiner='sum')", "float32:[[2.0, 3.0], [10.0, 12.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,sp,None,combiner='sqrtn')", "float32:[[2.0, 3.0], [7.07107, 8.48528], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,sp,None,combiner='max')", "ValueError: combiner must be one of 'mean', 'sqrtn' or 'sum', got max", None),
    ("E(P,sp,w)", "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,sp,w,combiner='sum')", "float32:[[4.0, 6.0], [38.0, 46.0], [0.0, 0.0], [3.0, 3.5]]", None),
    ("E(P,sp,w,combiner='sqrtn')", "float32:[[2.0, 3.0], [6.51695, 7.88894], [0.0, 0.0], [6.0, 7.0]]", None),
    (
        "E(P,sp,w,combiner='mean',allow_fast_lookup=True)",
        "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "E(P,sp,None,max_norm=2.)",
        "float32:[[1.1094, 1.6641], [1.27549, 1.54013], [0.0, 0.0], [1.30158, 1.51851]]",
        None,
    ),
    (
        "E(P,sp,w,max_norm=2.,combiner='sum')",
        "float32:[[2.2188, 3.3282], [10.1517, 12.36423], [0.0, 0.0], [0.65079, 0.75926]]",
        None,
    ),
    ("E(P1,sp,None)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P1,sp,w,combiner='sqrtn')", "float32:[[2.0, 3.0], [6.51695, 7.88894], [0.0, 0.0], [6.0, 7.0]]", None),
    (
        "E(P1,sp,w,combiner='sqrtn',max_norm=3.)",
        "float32:[[1.6641, 2.49615], [2.6115, 3.18067], [0.0, 0.0], [1.95237, 2.27777]]",
        None,
    ),
    ("V(P1,sp,None)", "float32:[[6.0, 7.0], [5.0, 6.0], [0.0, 0.0], [8.0, 9.0]]", None),
    ("V(P1,sp,w,combiner='sum')", "float32:[[12.0, 14.0], [34.0, 42.0], [0.0, 0.0], [4.0, 4.5]]", None),
    (
        "V(P1,sp,w,combiner='sum',partition_strategy='div')",
        "float32:[[4.0, 6.0], [38.0, 46.0], [0.0, 0.0], [3.0, 3.5]]",
        None,
    ),
    (
        "V(P1,sp,None,combiner='sum',partition_strategy='x')",
        "ValueError: Unrecognized partition strategy: x.Must be one of either `mod` or `div`.",
        None,
    ),
    (
        "V(P,sp,None,combiner='sum',partition_strategy='mod')",
        "float32:[[2.0, 3.0], [10.0, 12.0], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    ("V(P,sp,None)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,sp,S([[0,0]],[1.],[4,2]))", "ValueError: Shapes (4,) and (1,) are incompatible", None),
    ("E(P,sp,[1.,2.,3.,4.])", "TypeError: sp_weights must be either None or SparseTensor,got <class 'list'>", None),
    ("E(P,[1,2],None)", "TypeError: sp_ids must be SparseTensor, got <class 'list'>", None),
    (
        "E(None,sp,None)",
        "ValueError: Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.",
        "ValueError: None values not supported.",
    ),
    ("E([],sp,None)", "ValueError: Length of params is currently 0. Need at least one param.", None),
    (
        "E(P,sp,S([[0,0],[1,0],[1,1],[3,1]],[2.,3,5,0.5],[4,2]))",
        "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    ("E(P,S([[0,0]],[9],[1,1]),None)", "InvalidArgumentError: Bad: indices[0] == 9 out of range [0, 6)", None),
    ("E(P,S([[0,0]],[9],[1,1]),S([[0,0]],[9.],[1,1]))", "InvalidArgumentError: indices[0] = 9 is not in [0, 6)", None),
    ("E(P,S([[0,0]],[-1],[1,1]),None)", "InvalidArgumentError: Bad: indices[0] == -1 out of range [0, 6)", None),
    (
        "E(np.arange(24.).reshape(6,2,2),sp,w)",
        "float64:[[[4.0, 5.0], [6.0, 7.0]], [[9.5, 10.5], [11.5, 12.5]], [[0.0, 0.0], [0.0, 0.0]], [[12.0, 13.0], [14.0, 15.0]]]",
        None,
    ),
    (
        "E(P,sp,S([[0,0],[1,0],[1,1],[3,0]],[2,3,5,1],[4,2]))",
        "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    ("E(P,S([[0,0,0],[0,1,0],[1,1,0]],[1,2,3],[2,2,1]),None)", "float32:[[3.0, 4.0], [6.0, 7.0]]", None),
    (
        "E(P,S([[0,0],[1,0],[1,1],[3,0]],c([1,3,2,3],tf.int64),[4,2]),w)",
        "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]",
        "TypeError: len is not well defined for a symbolic Tensor (Const:0). Please call `x.shape` rather than `len(x)` for shape information.",
    ),
    ("F(P,sp)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("F(P,sp,w)", "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]", None),
    ("F(P,sp,w,combiner='sum',default_id=2)", "float32:[[4.0, 6.0], [38.0, 46.0], [4.0, 5.0], [3.0, 3.5]]", None),
    ("F(P,sp,None,'sqrtn',default_id=5)", "float32:[[2.0, 3.0], [7.07107, 8.48528], [10.0, 11.0], [6.0, 7.0]]", None),
    ("F(P,sp,combiner='max')", "ValueError: combiner must be one of 'mean', 'sqrtn' or 'sum', got max", None),
    (
        "F(P,S([[0,0],[1,0],[1,1],[3,0]],[1,-3,2,-3],[4,2]))",
        "float32:[[2.0, 3.0], [4.0, 5.0], [0.0, 0.0], [0.0, 0.0]]",
        None,
    ),
    (
        "F(P,S([[0,0],[1,0],[1,1],[3,0]],[1,-3,2,-3],[4,2]),w)",
        "float32:[[2.0, 3.0], [4.0, 5.0], [0.0, 0.0], [0.0, 0.0]]",
        None,
    ),
    (
        "F(P,sp,S([[0,0],[1,0],[1,1],[3,0]],[-2.,3,0,0.5],[4,2]),combiner='mean')",
        "float32:[[0.0, 0.0], [6.0, 7.0], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "F(P,sp,S([[0,0],[1,0],[1,1],[3,0]],[-2.,3,0,0.5],[4,2]),combiner='sum')",
        "float32:[[-4.0, -6.0], [18.0, 21.0], [0.0, 0.0], [3.0, 3.5]]",
        None,
    ),
    ("F(P1,sp)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("F(P1,sp,w,max_norm=1.)", "float32:[[0.5547, 0.83205], [0.63448, 0.77276], [0.0, 0.0], [0.65079, 0.75926]]", None),
    ("W(P1,sp)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("W(P1,sp,w,partition_strategy='mod')", "float32:[[6.0, 7.0], [4.25, 5.25], [0.0, 0.0], [8.0, 9.0]]", None),
    (
        "F(P,S([[0,0,0],[0,1,0],[1,1,0]],[1,2,3],[2,3,1]))",
        "float32:[[[2.0, 3.0], [4.0, 5.0], [0.0, 0.0]], [[0.0, 0.0], [6.0, 7.0], [0.0, 0.0]]]",
        None,
    ),
    (
        "F(P,S([[0,0,0],[0,1,0],[1,1,0]],[1,2,3],[2,3,1]),S([[0,0,0],[0,1,0],[1,1,0]],[1.,2,3],[2,3,1]),combiner='sum')",
        "float32:[[[2.0, 3.0], [8.0, 10.0], [0.0, 0.0]], [[0.0, 0.0], [18.0, 21.0], [0.0, 0.0]]]",
        None,
    ),
    ("F(None,sp)", "ValueError: Missing embedding_weights None.", None),
    ("F([],sp)", "ValueError: Missing embedding_weights [].", None),
    (
        "F(P,sp,w,combiner='sum',allow_fast_lookup=True)",
        "float32:[[4.0, 6.0], [38.0, 46.0], [0.0, 0.0], [3.0, 3.5]]",
        None,
    ),
    ("F(P,S([[0],[1]],[1,2],[3]))", "float32:[3.0, 4.0]", None),
    ("E(P,rg,None)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,rg,None,combiner='sum')", "float32:[[2.0, 3.0], [10.0, 12.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("E(P,rg,rw)", "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]", None),
    (
        "E(P,rg,rw,combiner='sqrtn',max_norm=3.)",
        "float32:[[1.6641, 2.49615], [2.6115, 3.18067], [0.0, 0.0], [1.95237, 2.27777]]",
        None,
    ),
    (
        "E(P1,rg,rw,combiner='sqrtn',max_norm=3.)",
        "float32:[[1.6641, 2.49615], [2.6115, 3.18067], [0.0, 0.0], [1.95237, 2.27777]]",
        None,
    ),
    ("E(P,rg,rw.with_values([1,2,3,4]))", "float32:[[2.0, 3.0], [4.8, 5.8], [0.0, 0.0], [6.0, 7.0]]", None),
    (
        "E(P,rg,tf.RaggedTensor.from_row_splits([2.,3,5,0.5],[0,2,3,3,4]))",
        "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    ("F(P,rg)", "float32:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]", None),
    ("F(P,rg,rw,combiner='sum')", "float32:[[4.0, 6.0], [38.0, 46.0], [0.0, 0.0], [3.0, 3.5]]", None),
    ("F(P,rg,rw,combiner='sum',default_id=1)", "float32:[[4.0, 6.0], [38.0, 46.0], [2.0, 3.0], [3.0, 3.5]]", None),
    ("F(P,rg,w)", "float32:[[2.0, 3.0], [4.75, 5.75], [0.0, 0.0], [6.0, 7.0]]", None),
    (
        "g2(lambda p: E(p,sp,None),P)",
        "[IS(int32:[1, 2, 3], float32:[[4.0, 6.0], [5.0, 6.0], [17.0, 20.0]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p: E(p,sp,w),P)",
        "[IS(int32:[1, 3, 2], float32:[[4.0, 6.0], [15.5625, 18.3125], [5.9375, 7.1875]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p: E(p,sp,None,combiner='sum',allow_fast_lookup=True),P)",
        "[float32:[[0.0, 0.0], [4.0, 6.0], [20.0, 24.0], [32.0, 38.0], [0.0, 0.0], [0.0, 0.0]]]",
        None,
    ),
    (
        "g2(lambda p: E(p,sp,w,combiner='sqrtn',max_norm=3.),P)",
        "[IS(int32:[1, 3, 2], float32:[[0.0, 0.0], [-0.02216, 0.01899], [0.03281, -0.02625]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p,v: E(p,sp,sp.with_values(v)),P,[1.,2,3,4])",
        "[IS(int32:[1, 3, 2], float32:[[4.0, 6.0], [15.84, 18.64], [5.76, 6.96]], int32:[6, 2]), float32:[0.0, 5.088, -3.392, 0.0]]",
        None,
    ),
    (
        "g2(lambda p,v: E(p,sp,sp.with_values(v),combiner='sum'),P,[1.,2,3,4])",
        "[IS(int32:[1, 3, 2], float32:[[4.0, 6.0], [288.0, 340.0], [144.0, 174.0]], int32:[6, 2]), float32:[26.0, 694.0, 482.0, 680.0]]",
        None,
    ),
    (
        "g2(lambda p,v: E(p,sp,sp.with_values(v),combiner='sqrtn'),P,[1.,2,3,4])",
        "[IS(int32:[1, 3, 2], float32:[[4.0, 6.0], [19.38462, 22.92308], [11.07692, 13.38461]], int32:[6, 2]), float32:[0.0, 19.84615, -13.23077, 0.0]]",
        None,
    ),
    (
        "g2(lambda p: F(p,sp),P)",
        "[IS(int32:[0, 1, 2, 3], float32:[[0.0, 0.0], [4.0, 6.0], [5.0, 6.0], [17.0, 20.0]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p: F(p,sp,default_id=5,combiner='sum'),P)",
        "[IS(int32:[1, 2, 3, 5], float32:[[4.0, 6.0], [20.0, 24.0], [32.0, 38.0], [20.0, 22.0]], int32:[6, 2])]",
        None,
    ),
    (
        "g2(lambda p,q: E([p,q],sp,None),P1[0],P1[1])",
        "[IS(int32:[1, 2], float32:[[4.0, 6.0], [5.0, 6.0]], int32:[3, 2]), IS(int32:[0], float32:[[17.0, 20.0]], int32:[3, 2])]",
        None,
    ),
    (
        "tf.nn.embedding_lookup_sparse(P.astype(np.float16),rg,None)",
        "float16:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "tf.nn.embedding_lookup_sparse(P.astype(np.float16),rg,rg.with_values([1.,2,3,4]))",
        "float16:[[2.0, 3.0], [4.80078, 5.80078], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "tf.nn.embedding_lookup_sparse(c(P,tf.bfloat16),rg,rg.with_values([1.,2,3,4]),combiner='sum')",
        "bfloat16:[[2.0, 3.0], [24.0, 29.0], [0.0, 0.0], [24.0, 28.0]]",
        None,
    ),
    (
        "tf.nn.embedding_lookup_sparse([P.astype(np.float16)[:3],P.astype(np.float16)[3:]],rg,None)",
        "float16:[[2.0, 3.0], [5.0, 6.0], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "tf.nn.embedding_lookup_sparse(P.astype(np.int32),rg,None,combiner='sum')",
        "int32:[[2, 3], [10, 12], [0, 0], [6, 7]]",
        None,
    ),
    (
        "tf.nn.embedding_lookup_sparse(P.astype(np.int32),rg,None)",
        "InvalidArgumentError: Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, float, double",
        "TypeError: Value passed to parameter 'data' has DataType int32 not in list of allowed values: bfloat16, float16, float32, float64",
    ),
    (
        "tf.nn.embedding_lookup_sparse(P,rg,None,max_norm=c(1.))",
        "float32:[[0.5547, 0.83205], [0.63774, 0.77006], [0.0, 0.0], [0.65079, 0.75926]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P,rg,rg.with_values([1.,-2,3,4]))",
        "float32:[[2.0, 3.0], [4.0, 5.0], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P,rg,rg.with_values([1.,-2,3,4]),combiner='sum')",
        "float32:[[2.0, 3.0], [0.0, 1.0], [0.0, 0.0], [24.0, 28.0]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P,rg.with_values([1,-3,-2,3]),combiner='sum')",
        "float32:[[2.0, 3.0], [0.0, 0.0], [0.0, 0.0], [6.0, 7.0]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P1,rg.with_values([1,-3,-2,3]),max_norm=2.)",
        "float32:[[1.1094, 1.6641], [0.0, 0.0], [0.0, 0.0], [1.30158, 1.51851]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P,tf.RaggedTensor.from_row_splits(c([],tf.int32),[0,0,0]))",
        "float32:[[0.0, 0.0], [0.0, 0.0]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P.astype(np.float16),S([[0,0]],[1],[2,1]))",
        "float16:[[2.0, 3.0], [0.0, 0.0]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P,S([],c([],tf.int32),[3,2]) if 0 else tf.sparse.from_dense(c([[0,0],[0,0]])))",
        "float32:[[0.0, 0.0], [0.0, 0.0]]",
        None,
    ),
    (
        "tf.nn.safe_embedding_lookup_sparse(P,tf.sparse.from_dense(c([[0,0],[0,0]])),default_id=2)",
        "float32:[[4.0, 5.0], [4.0, 5.0]]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


def test_ids_of_another_class_are_refused() -> None:
    for call in (tf.nn.embedding_lookup_sparse, tf.nn.safe_embedding_lookup_sparse):
        with pytest.raises(TypeError, match="must be"):
            call(P, [1, 2], None)
    with pytest.raises(TypeError, match="sp_weights must be either None or SparseTensor"):
        tf.nn.embedding_lookup_sparse(P, IDS, RAGGED.with_values([1.0, 2.0, 3.0, 4.0]))
    with pytest.raises(TypeError, match="sp_ids must be of the same type as sp_weights"):
        tf.nn.embedding_lookup_sparse(P, RAGGED, IDS)


def test_ids_with_two_ragged_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="sp_ids must be a ragged matrix"):
        tf.nn.embedding_lookup_sparse(P, NAMES["r3"], None)


def test_a_gradient_of_a_variable_has_the_rows_that_occur() -> None:
    table = tf.Variable(P)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup_sparse(table, IDS, None, combiner="sum"))
    gradient = tape.gradient(loss, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 2, 3]
    assert gradient.values.numpy().tolist() == [[1, 1], [1, 1], [2, 2]]


def test_ids_of_unknown_number_and_rank_are_looked_up() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.SparseTensorSpec(None, tf.int64)])
    def look_up(table: Any, ids: Any) -> Any:
        weights = ids.with_values(tf.ones_like(ids.values, tf.float32))
        return (
            tf.nn.safe_embedding_lookup_sparse(table, ids),
            tf.nn.safe_embedding_lookup_sparse(table, ids, weights),
        )

    ids = tf.SparseTensor(IDS.indices, tf.cast(IDS.values, tf.int64), IDS.dense_shape)
    for result in look_up(P, ids):
        assert result.numpy().tolist() == [[2, 3], [5, 6], [0, 0], [6, 7]]


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_many_bags_are_those_of_numpy(combiner: str, is_weighted: bool) -> None:
    generator = np.random.default_rng(0)
    lengths = generator.integers(0, 5, 200)
    ids = generator.integers(0, 50, lengths.sum())
    weights = generator.random(len(ids)) + 0.5 if is_weighted else np.ones(len(ids))
    table = generator.standard_normal((50, 3, 2))
    bags = tf.RaggedTensor.from_row_lengths(ids, lengths)
    result = tf.nn.safe_embedding_lookup_sparse(
        table, bags, bags.with_values(weights) if is_weighted else None, combiner=combiner
    )
    ends = np.cumsum(lengths)
    for row, (start, end) in zip(result.numpy(), zip(ends - lengths, ends, strict=True), strict=True):
        divisor = {"sum": 1.0, "mean": weights[start:end].sum(), "sqrtn": np.sqrt((weights[start:end] ** 2).sum())}
        expected = np.einsum("i,ijk->jk", weights[start:end], table[ids[start:end]]) / (divisor[combiner] or 1.0)
        np.testing.assert_allclose(row, expected, rtol=1e-9, atol=1e-12)

"""tf.nn.embedding_lookup."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_graph_names, check_refusal
from tests.ops.nn.recorded import MODES, Answer, check
from tests.ops.sparse import recorded

RECORDED: list[tuple[str, list[Answer]]] = [
    (
        "tf.nn.embedding_lookup(wave(3, 2), [[0, 2], [1, 1]])",
        [
            ("float32", (2, 2, 2), [0.0, 0.991665, 0.494113, 0.798487, -0.255541, -0.925815, -0.255541, -0.925815]),
        ],
    ),
    (
        "tf.nn.embedding_lookup([wave(3, 2), wave(2, 2)], [[0, 4], [3, 2]])",
        [
            ("float32", (2, 2, 2), [0.0, 0.991665, -0.255541, -0.925815, 0.0, 0.991665, 0.494113, 0.798487]),
        ],
    ),
    (
        "tf.nn.embedding_lookup([wave(3, 2), wave(2, 2)], [[0, 4], [3, 2]], max_norm=0.5)",
        [
            ("float32", (2, 2, 2), [0.0, 0.5, -0.133034, -0.481977, 0.0, 0.5, 0.263105, 0.425177]),
        ],
    ),
    (
        "tf.nn.embedding_lookup(wave(3, 2), [[0, 1]], max_norm=0.5)",
        [
            ("float32", (1, 2, 2), [0.0, 0.5, -0.133034, -0.481977]),
        ],
    ),
    (
        "tf.nn.embedding_lookup(wave(3, 2), 1)",
        [
            ("float32", (2,), [-0.255541, -0.925815]),
        ],
    ),
    (
        "grads(lambda p: tf.nn.embedding_lookup(p, [0, 2, 0]), wave(3, 2))",
        [
            ("float32", (3, 2), [-0.117453, 0.629882, 0.0, 0.0, 0.14112, -0.756802]),
        ],
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), RECORDED, ids=[p for p, _ in RECORDED])
def test_it_gives_what_tensorflow_gives(program: str, expected: list[Answer], mode: str) -> None:
    check(program, mode, expected)


REFUSED = [
    (lambda: tf.nn.embedding_lookup(None, [0]), ValueError, "params must be specified"),
    (lambda: tf.nn.embedding_lookup([], [0]), ValueError, "Length of params is currently 0. Need at least one param."),
    (
        lambda: tf.nn.embedding_lookup(tf.ones([3, 2]), [5]),
        tf.errors.InvalidArgumentError,
        "indices[0] = 5 is not in [0, 3)",
    ),
    (
        lambda: tf.nn.embedding_lookup(tf.ones([3, 2]), [0.5]),
        tf.errors.InvalidArgumentError,
        "Value for attr 'Tindices' of float is not in the list of allowed values: int16, int32, int64",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_bad_arguments_are_refused_in_tensorflows_words(call: Any, error: type[Exception], words: str) -> None:
    check_refusal(call, error, words)


NAMES = [
    (
        lambda x, i: tf.nn.embedding_lookup(x, i),
        [(tf.float32, [4, 2]), (tf.int32, [3])],
        ["embedding_lookup/axis", "embedding_lookup", "embedding_lookup/Identity"],
    ),
    (
        lambda x, y, i: tf.nn.embedding_lookup([x, y], i),
        [(tf.float32, [4, 2]), (tf.float32, [4, 2]), (tf.int32, [3])],
        [
            "embedding_lookup/Reshape/shape",
            "embedding_lookup/Reshape",
            "embedding_lookup/Size",
            "embedding_lookup/range/start",
            "embedding_lookup/range/delta",
            "embedding_lookup/range",
            "embedding_lookup/Const",
            "embedding_lookup/floordiv/y",
            "embedding_lookup/floordiv",
            "embedding_lookup/mod/y",
            "embedding_lookup/mod",
            "embedding_lookup/add/y",
            "embedding_lookup/add",
            "embedding_lookup/floordiv_1",
            "embedding_lookup/sub",
            "embedding_lookup/floordiv_2",
            "embedding_lookup/Maximum",
            "embedding_lookup/Less",
            "embedding_lookup/add_1/y",
            "embedding_lookup/add_1",
            "embedding_lookup/mod_1",
            "embedding_lookup/sub_1",
            "embedding_lookup/mod_2",
            "embedding_lookup/Select",
            "embedding_lookup/DynamicPartition",
            "embedding_lookup/DynamicPartition_1",
            "embedding_lookup/GatherV2/axis",
            "embedding_lookup/GatherV2",
            "embedding_lookup/GatherV2_1/axis",
            "embedding_lookup/GatherV2_1",
            "embedding_lookup",
            "embedding_lookup/Shape",
            "embedding_lookup/concat/values_1",
            "embedding_lookup/concat/axis",
            "embedding_lookup/concat",
            "embedding_lookup/Reshape_1",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NAMES)
def test_the_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: list[str]) -> None:
    check_graph_names(build, placeholders, names)


def test_the_gradient_of_a_variable_is_its_rows() -> None:
    table = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.nn.embedding_lookup(table, [2, 0]))
    gradient = tape.gradient(total, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0]
    assert gradient.values.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


P = np.arange(12.0, dtype=np.float32).reshape(6, 2)
RAGGED = tf.RaggedTensor.from_row_splits([1, 3, 2, 3], [0, 1, 3, 3, 4])
NAMES = {"P": P, "P1": [P[:3], P[3:]], "rg": RAGGED, "r3": tf.RaggedTensor.from_row_splits(RAGGED, [0, 2, 4])}

# What TensorFlow 2.21 answers.
OTHER_FORMS: list[recorded.Record] = [
    (
        "tf.compat.v1.nn.embedding_lookup(P1,[0,1,5,2])",
        "float32:[[0.0, 1.0], [6.0, 7.0], [10.0, 11.0], [2.0, 3.0]]",
        None,
    ),
    (
        "tf.compat.v1.nn.embedding_lookup(P1,[0,1,5,2],partition_strategy='div')",
        "float32:[[0.0, 1.0], [2.0, 3.0], [10.0, 11.0], [4.0, 5.0]]",
        None,
    ),
    (
        "tf.compat.v1.nn.embedding_lookup(P1,[0,1,5,2],'x')",
        "ValueError: Unrecognized partition strategy: x.Must be one of either `mod` or `div`.",
        None,
    ),
    ("tf.compat.v1.nn.embedding_lookup(P,[[0],[1]],max_norm=1.)", "float32:[[[0.0, 1.0]], [[0.5547, 0.83205]]]", None),
    (
        "tf.compat.v1.nn.embedding_lookup(P1,c([0,1,5,2],tf.int64),max_norm=1.)",
        "float32:[[0.0, 1.0], [0.65079, 0.75926], [0.67267, 0.73994], [0.5547, 0.83205]]",
        None,
    ),
    ("tf.compat.v1.nn.embedding_lookup(P1,[0,1,6])", "InvalidArgumentError: indices[1] = 3 is not in [0, 3)", None),
    ("tf.compat.v1.nn.embedding_lookup(None,[0,1,6])", "ValueError: params must be specified", None),
    ("tf.nn.embedding_lookup(P,rg)", "Rag[[[2.0, 3.0]], [[6.0, 7.0], [4.0, 5.0]], [], [[6.0, 7.0]]]", None),
    ("tf.nn.embedding_lookup(P1,rg)", "Rag[[[2.0, 3.0]], [[6.0, 7.0], [4.0, 5.0]], [], [[6.0, 7.0]]]", None),
    (
        "tf.nn.embedding_lookup(P,rg,max_norm=1.)",
        "Rag[[[0.5547001957893372, 0.8320503234863281]], [[0.650791347026825, 0.7592566013336182], [0.6246950626373291, 0.7808687686920166]], [], [[0.650791347026825, 0.7592566013336182]]]",
        None,
    ),
    ("tf.nn.embedding_lookup(P,r3)", "Rag[[[[2.0, 3.0]], [[6.0, 7.0], [4.0, 5.0]]], [[], [[6.0, 7.0]]]]", None),
    ("tf.nn.embedding_lookup(None,rg)", "ValueError: params must be specified.", None),
    (
        "tf.nn.embedding_lookup(P,tf.RaggedTensor.from_row_splits([1.],[0,1]))",
        "ValueError: The values contained by the inputs have type <dtype: 'float32'> and cannot be processed. All values should be indices, either of type `int32` or `int64`.",
        None,
    ),
    ("tf.compat.v1.nn.embedding_lookup(P1,rg)", "Rag[[[6.0, 7.0]], [[8.0, 9.0], [2.0, 3.0]], [], [[8.0, 9.0]]]", None),
    (
        "tf.compat.v1.nn.embedding_lookup(P1,rg,partition_strategy='div')",
        "Rag[[[2.0, 3.0]], [[6.0, 7.0], [4.0, 5.0]], [], [[6.0, 7.0]]]",
        None,
    ),
    ("tf.nn.embedding_lookup(P,c([[1,2]]),max_norm=c(1.))", "float32:[[[0.5547, 0.83205], [0.6247, 0.78087]]]", None),
    ("tf.nn.embedding_lookup([P],c([1,2]))", "float32:[[2.0, 3.0], [4.0, 5.0]]", None),
    (
        "tf.compat.v1.nn.embedding_lookup([P[:3],P[:3],P[:2]],c([1,2,6,7,8]))",
        "InvalidArgumentError: indices[1] = 2 is not in [0, 2)",
        None,
    ),
    (
        "tf.compat.v1.nn.embedding_lookup([P[:3],P[:3],P[:2]],c([1,2,6,7]),'div')",
        "float32:[[2.0, 3.0], [4.0, 5.0], [0.0, 1.0], [2.0, 3.0]]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", OTHER_FORMS, ids=lambda r: r[0])
def test_lookups_of_version_1_and_of_ragged_ids_are_those_of_tensorflow(record: recorded.Record, mode: str) -> None:
    recorded.check(record, mode, NAMES)

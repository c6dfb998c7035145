"""RaggedTensorToTensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.array.answers import sample_array as x

_SPLITS = np.int64([0, 2, 2, 3])
_UNKNOWN = np.int64([-1, -1])
_BY_SPLITS = {"row_partition_types": ["ROW_SPLITS"]}

SAMPLES = [
    Sample("RaggedTensorToTensor", [_UNKNOWN, x([3]), np.float64(0.5), [_SPLITS]], _BY_SPLITS, grad=True),
    Sample("RaggedTensorToTensor", [np.int64([2, 1]), x([3]), np.float64(0.5), [_SPLITS]], _BY_SPLITS, grad=True),
    Sample("RaggedTensorToTensor", [np.int64([4, 3]), x([3]), np.float64(0), [_SPLITS]], _BY_SPLITS, grad=True),
    Sample(
        "RaggedTensorToTensor",
        [np.int32([-1, 3, -1]), x([3, 2]), x([2]), [np.int32(4), np.int32([0, 0, 2])]],
        {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]},
        grad=True,
    ),
    Sample(
        "RaggedTensorToTensor",
        [np.int64(-1), x([4]), np.float64(1), [np.int64([0, 1, 3]), np.int64([0, 2, 2, 4])]],
        {"row_partition_types": ["ROW_SPLITS", "ROW_SPLITS"]},
        grad=True,
    ),
    Sample("RaggedTensorToTensor", [_UNKNOWN, x([0], np.float32), np.float32(0), [np.int64([0])]], _BY_SPLITS),
    Sample(
        "RaggedTensorToTensor",
        [_UNKNOWN, np.array([b"a", b"b", b"c"], object), np.array(b"-", object), [_SPLITS]],
        _BY_SPLITS,
    ),
]


def _dense(shape: Any, values: Any, default: Any, partitions: Any, types: Any) -> Any:
    return tf.raw_ops.RaggedTensorToTensor(
        shape=shape,
        values=values,
        default_value=default,
        row_partition_tensors=partitions,
        row_partition_types=types,
    ).numpy()


@pytest.mark.parametrize(
    ("shape", "values", "default", "partitions", "types", "expected"),
    [
        ([-1, -1], [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"], [[1, 2], [0, 0], [3, 0]]),
        ([2, 1], [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"], [[1], [0]]),
        (-1, [1, 2, 3], 9, [[0, 2, 2, 3]], ["ROW_SPLITS"], [[1, 2], [9, 9], [3, 9]]),
        ([-1, -1], [1, 2, 3], 0, [4, [0, 0, 2]], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"], [[1, 2], [0, 0], [3, 0], [0, 0]]),
        ([-1, -1], [1, 2, 3], 0, [[0, 2]], ["ROW_SPLITS"], [[1, 2]]),
        (
            [-1, -1, -1],
            [1, 2, 3],
            0,
            [[0, 1, 3], [0, 0, 1]],
            ["ROW_SPLITS", "VALUE_ROWIDS"],
            [[[1, 2], [0, 0]], [[3, 0], [0, 0]]],
        ),
        (
            [-1, 2, -1],
            [[1, 2], [3, 4]],
            [8],
            [[0, 1, 2, 2]],
            ["ROW_SPLITS"],
            [[[1, 2], [8, 8]], [[3, 4], [8, 8]], [[8, 8], [8, 8]]],
        ),
        ([0, 0], [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"], []),
        ([1, 1, 1], [1, 2, 3], 0, [[0, 2, 3], [0, 1, 2, 3]], ["ROW_SPLITS", "ROW_SPLITS"], [[[1]]]),
    ],
)
def test_rows_are_filled_up_or_cut_off(
    shape: Any, values: Any, default: Any, partitions: Any, types: Any, expected: Any
) -> None:
    assert _dense(shape, values, default, partitions, types).tolist() == expected


@pytest.mark.parametrize("columns", [255, 256, 257, 1000])
def test_rows_may_be_long(columns: int) -> None:
    splits = np.cumsum([0, columns, *[1] * 300])
    found = _dense([-1, -1], np.arange(splits[-1]), -1, [splits], ["ROW_SPLITS"])
    assert found.shape == (301, columns)
    assert found[0].tolist() == list(range(columns))
    assert found[1:, 0].tolist() == list(range(columns, columns + 300))
    assert (found[1:, 1:] == -1).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((4, [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"]), "The only valid scalar shape tensor is the fully unknown"),
        (
            ([4], [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"]),
            "rt_input.shape and shape=[4] are incompatible: rt_input.rank = 2 but shape.rank = 1",
        ),
        (([-2, -1], [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"]), "Dimension -2 must be >= -1"),
        (([-1, -1], [1, 2, 3], 0, [[0, 0, 2]], ["VALUE_ROWIDS"]), "Cannot handle VALUE_ROWIDS in first dimension."),
        (
            ([-1, -1], [1, 2, 3], 0, [1, [0, 0, 2]], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
            "Got next_value_rowid=2 which is not less than 1",
        ),
        (([-1, -1], [1, 2, 3], 0, [4, [0, 2, 0]], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]), "value_rowids must not"),
        (([-1, -1], [1, 2, 3], 0, [[0, 2, 1, 3]], ["ROW_SPLITS"]), "Invalid row split size."),
        (([-1, -1], [1, 2, 3], 0, [[1, 2, 3]], ["ROW_SPLITS"]), "Invalid row split size."),
        (([-1, -1], [1, 2, 3], 0, [[0, 2, 2, 5]], ["ROW_SPLITS"]), "Invalid row split size."),
        (([-1, -1], [1, 2, 3], 0, [[0, 3]], ["X"]), "Unknown string for partition info type: X"),
        (([-1, -1], [1, 2, 3], 0, [[0, 3]], ["ROW_LENGTHS"]), "Cannot handle type ROW_LENGTHS"),
        (([-1, -1], [1, 2, 3], 0, [[0, 3], [0, 3]], ["ROW_SPLITS"]), "row_partition_tensors and row_partition_types"),
        (
            ([-1, 3, -1], [[1, 2], [3, 4]], [8, 9, 10], [[0, 1, 2, 2]], ["ROW_SPLITS"]),
            "default_value.shape=[3] and rt_input.flat_values.shape=[2,2] are incompatible: default_value.shape[-1] = ",
        ),
        (
            ([-1, -1], [1, 2], [8, 9], [[0, 2]], ["ROW_SPLITS"]),
            "default_value.shape=[2] and rt_input.flat_values.shape=[2] are incompatible: default_value.rank = 1  must "
            "be less than rt_input.flat_values.rank = 1",
        ),
        (
            ([-1, 3, 3], [[1, 2], [3, 4]], 0, [[0, 1, 2, 2]], ["ROW_SPLITS"]),
            "rt_input.shape and shape=[?,3,3] are incompatible: rt_input.shape[2] = 2 but shape[2] = 3",
        ),
        (([[1]], [1, 2, 3], 0, [[0, 2, 2, 3]], ["ROW_SPLITS"]), "Shape must be at most rank 1 but is rank 2"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, words: str) -> None:
    check_refusal(lambda: _dense(*arguments), tf.errors.InvalidArgumentError, words)


def test_a_wrong_rank_is_refused_while_tracing() -> None:
    @tf.function(autograph=False)
    def f(values: Any, splits: Any) -> Any:
        return tf.raw_ops.RaggedTensorToTensor(
            shape=[-1, -1],
            values=values,
            default_value=0,
            row_partition_tensors=[splits],
            row_partition_types=["ROW_SPLITS"],
        )

    with pytest.raises(ValueError, match=r"rt_input\.rank = 3 but shape\.rank = 2"):
        f.get_concrete_function(tf.TensorSpec([None, 3], tf.int32), tf.TensorSpec([None], tf.int64))
    traced = f.get_concrete_function(tf.TensorSpec([None], tf.int32), tf.TensorSpec([5], tf.int64))
    assert traced.outputs[0].shape.as_list() == [4, None]


@pytest.mark.xla
@pytest.mark.parametrize("shape", [[3, 2], [2, 1], [5, 4], [None, 3]])
def test_xla_compiles_a_dense_tensor_of_known_columns(shape: Any) -> None:
    @tf.function(jit_compile=True, autograph=False)
    def dense(x: Any) -> Any:
        return x.to_tensor(9.0, shape=shape)

    x = tf.ragged.constant([[1.0], [], [2.0, 3.0]])
    assert dense(x).numpy().tolist() == x.to_tensor(9.0, shape=shape).numpy().tolist()
    (tier,) = dense.get_concrete_function(x).tiers().values()
    assert tier.name == "xla"


@pytest.mark.xla
def test_xla_leaves_to_numpy_what_the_rows_decide() -> None:
    @tf.function(jit_compile=True, autograph=False)
    def dense(x: Any) -> Any:
        return x.to_tensor()

    x = tf.ragged.constant([[1.0], [], [2.0, 3.0]])
    assert dense(x).shape.as_list() == [3, 2]
    (tier,) = dense.get_concrete_function(x).tiers().values()
    assert tier.name == "numpy"
    assert "only where its shape is given" in tier.reason

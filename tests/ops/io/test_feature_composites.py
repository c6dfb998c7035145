"""Features that become sparse and ragged tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.oracle.programs._messages import example, floats, ints, sequence, texts

_R = tf.io.RaggedFeature
_FULL = example(
    v=floats(1, 2, 3),
    i=ints(5, 0, 2),
    j=ints(1, 1, 0),
    splits=ints(0, 2, 3),
    inner=ints(0, 1, 2),
    lengths=ints(2, 1),
    starts=ints(0, 2),
    limits=ints(2, 3),
    rows=ints(0, 0, 1),
    t=texts(b"a", b"b"),
)
_SHORT = example(
    v=floats(4), i=ints(3), j=ints(2), splits=ints(0, 1), inner=ints(0, 1), lengths=ints(1), starts=ints(0),
    limits=ints(1), rows=ints(0),
)  # fmt: skip
_BATCH = [_FULL, example(), _SHORT]


def _parsed(feature: Any, data: Any = _BATCH) -> Any:
    return tf.io.parse_example(data, {"x": feature})["x"]


# --- sparse ----------------------------------------------------------------------------------------------------------


def _parts(tensor: tf.SparseTensor) -> Any:
    assert isinstance(tensor, tf.SparseTensor)
    return tensor.indices.numpy().tolist(), tensor.values.numpy().tolist(), tensor.dense_shape.numpy().tolist()


def test_features_of_any_length_are_sparse() -> None:
    parsed = tf.io.parse_example(_BATCH, {"v": tf.io.VarLenFeature(tf.float32), "t": tf.io.VarLenFeature(tf.string)})
    assert _parts(parsed["v"]) == ([[0, 0], [0, 1], [0, 2], [2, 0]], [1, 2, 3, 4], [3, 3])
    assert _parts(parsed["t"]) == ([[0, 0], [0, 1]], [b"a", b"b"], [3, 2])
    one = tf.io.parse_single_example(_FULL, {"v": tf.io.VarLenFeature(tf.float32)})["v"]
    assert _parts(one) == ([[0], [1], [2]], [1, 2, 3], [3])


def test_indices_and_values_of_different_features_are_put_in_order() -> None:
    merged = _parsed(tf.io.SparseFeature("i", "v", tf.float32, 10))
    assert _parts(merged) == ([[0, 0], [0, 2], [0, 5], [2, 3]], [2, 3, 1, 4], [3, 10])
    assert merged.shape.as_list() == [3, 10]
    as_stored = _parsed(tf.io.SparseFeature("i", "v", tf.float32, 10, already_sorted=True))
    assert _parts(as_stored)[:2] == ([[0, 5], [0, 0], [0, 2], [2, 3]], [1, 2, 3, 4])


def test_several_features_of_indices_make_several_dimensions() -> None:
    feature = tf.io.SparseFeature(["i", "j"], "v", tf.float32, [10, 4])
    assert _parts(_parsed(feature)) == ([[0, 0, 1], [0, 2, 0], [0, 5, 1], [2, 3, 2]], [2, 3, 1, 4], [3, 10, 4])
    assert _parts(_parsed(feature, _FULL)) == ([[0, 1], [2, 0], [5, 1]], [2, 3, 1], [10, 4])
    with pytest.raises(ValueError, match="sp_ids and vocab_size have to have equal lengths"):
        _parsed(tf.io.SparseFeature(["i", "j"], "v", tf.float32, [10]))


def test_sparse_shapes_in_a_function() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(data: Any) -> Any:
        merged = _parsed(tf.io.SparseFeature("i", "v", tf.float32, 10), data)
        assert merged.shape.as_list() == [None, 10]
        return merged

    assert _parts(parse(tf.constant(_BATCH)))[2] == [3, 10]


# --- ragged ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_values_are_one_row_an_example(dtype: tf.DType) -> None:
    ragged = _parsed(_R(tf.float32, "v", row_splits_dtype=dtype))
    assert ragged.to_list() == [[1, 2, 3], [], [4]]
    assert ragged.row_splits.dtype is dtype
    assert _parsed(_R(tf.float32, "v"), _FULL).numpy().tolist() == [1, 2, 3]


_CASES: dict[str, tuple[Any, Any]] = {
    "splits": ([_R.RowSplits("splits")], [[[1, 2], [3]], [], [[4]]]),
    "lengths": ([_R.RowLengths("lengths")], [[[1, 2], [3]], [], [[4]]]),
    "starts": ([_R.RowStarts("starts")], [[[1, 2], [3]], [], [[4]]]),
    "limits": ([_R.RowLimits("limits")], [[[1, 2], [3]], [], [[4]]]),
    "rows": ([_R.ValueRowIds("rows")], [[[1, 2], [3]], [], [[4]]]),
    "uniform": ([_R.UniformRowLength(1)], [[[1], [2], [3]], [], [[4]]]),
    "two levels": ([_R.RowSplits("inner"), _R.RowLengths("lengths")], [[[[1, 2]], [[3]]], [], [[[4]]]]),
    "uniform inside": ([_R.RowLengths("lengths"), _R.UniformRowLength(1)], [[[[1], [2]], [[3]]], [], [[[4]]]]),
    "uniform outside": ([_R.UniformRowLength(1), _R.RowLengths("lengths")], [[[[1, 2]], [[3]]], [], [[[4]]]]),
}
_IDS = [key.replace(" ", "_") for key in _CASES]


@pytest.mark.parametrize(("partitions", "expected"), _CASES.values(), ids=_IDS)
@pytest.mark.parametrize(("dtype", "validate"), [(tf.int32, False), (tf.int64, True)])
def test_partitions_make_rows_of_the_values_of_each_example(
    partitions: Any, expected: Any, dtype: tf.DType, validate: bool
) -> None:
    feature = _R(tf.float32, "v", partitions, dtype, validate)
    ragged = _parsed(feature)
    assert ragged.to_list() == expected
    assert ragged.row_splits.dtype is dtype
    alone = _parsed(feature, _FULL)
    assert (alone.to_list() if isinstance(alone, tf.RaggedTensor) else alone.numpy().tolist()) == expected[0]


@pytest.mark.parametrize(("partitions", "expected"), _CASES.values(), ids=_IDS)
def test_partitions_in_a_function(partitions: Any, expected: Any) -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(data: Any) -> Any:
        return _parsed(_R(tf.float32, "v", partitions), data)

    assert parse(tf.constant(_BATCH)).to_list() == expected


def test_row_numbers_may_leave_rows_out() -> None:
    data = [
        example(v=floats(1, 2), rows=ints(1, 3)),
        example(v=floats(), rows=ints()),
        example(v=floats(3), rows=ints(0)),
    ]
    assert _parsed(_R(tf.float32, "v", [_R.ValueRowIds("rows")]), data).to_list() == [[[], [1], [], [2]], [], [[3]]]


def test_partitions_that_are_none_are_refused_where_asked() -> None:
    refused = tf.errors.InvalidArgumentError
    with pytest.raises(refused, match="do not form a valid RaggedTensor"):
        _parsed(_R(tf.float32, "v", [_R.RowLengths("i")], validate=True))
    with pytest.raises(refused, match="do not form a valid RaggedTensor"):
        _parsed(_R(tf.float32, "v", [_R.RowSplits("i")], validate=True), _FULL)


# --- sequences -------------------------------------------------------------------------------------------------------

_SEQUENCES = [
    sequence(
        {"c": floats(1, 2), "a": ints(7)},
        {"v": [floats(1, 2), floats(3)], "lengths": [ints(1, 1), ints(1)], "rows": [ints(0, 0), ints(0)]},
    ),
    sequence({}, {"v": [floats(4)], "lengths": [ints(1)], "rows": [ints(0)]}),
]
_LIST_CASES = {
    "plain": ([], [[[1, 2], [3]], [[4]]]),
    "lengths": ([_R.RowLengths("lengths")], [[[[1], [2]], [[3]]], [[[4]]]]),
    "rows": ([_R.ValueRowIds("rows")], [[[[1, 2]], [[3]]], [[[4]]]]),
    "uniform": ([_R.UniformRowLength(1)], [[[[1], [2]], [[3]]], [[[4]]]]),
}


@pytest.mark.parametrize(("partitions", "expected"), _LIST_CASES.values(), ids=_LIST_CASES)
def test_feature_lists_have_rows_within_rows(partitions: Any, expected: Any) -> None:
    features = {"x": _R(tf.float32, "v", partitions)}
    assert tf.io.parse_sequence_example(_SEQUENCES, None, features)[1]["x"].to_list() == expected
    assert tf.io.parse_single_sequence_example(_SEQUENCES[0], None, features)[1]["x"].to_list() == expected[0]


def test_contexts_and_sparse_feature_lists() -> None:
    context = {"a": tf.io.VarLenFeature(tf.int64), "c": _R(tf.float32)}
    lists = {"v": tf.io.VarLenFeature(tf.float32)}
    found_context, found_lists, _ = tf.io.parse_sequence_example(_SEQUENCES, context, lists)
    assert _parts(found_context["a"]) == ([[0, 0]], [7], [2, 1])
    assert found_context["c"].to_list() == [[1, 2], []]
    assert _parts(found_lists["v"]) == ([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], [1, 2, 3, 4], [2, 2, 2])
    found_context, found_lists = tf.io.parse_single_sequence_example(_SEQUENCES[0], context, lists)
    assert _parts(found_context["a"]) == ([[0]], [7], [1])
    assert found_context["c"].numpy().tolist() == [1, 2]
    assert _parts(found_lists["v"]) == ([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])

"""Ragged tensors as variants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram

R = tf.raw_ops
_SPLITS = [[0, 2, 3]]
_DEEP = [[0, 2, 3], [0, 2, 3, 4]]


def _there_and_back(values: Any) -> Any:
    variants = encoded(_SPLITS, values, batched=True)
    return R.RaggedTensorFromVariant(
        encoded_ragged=variants, input_ragged_rank=0, output_ragged_rank=1, Tvalues=values.dtype, Tsplits=tf.int64
    )[1] * tf.constant([1, 2, 3], values.dtype)


_ENDS = "gradient registry has no entry for: RaggedTensorToVariantGradient"

GRADIENT_PROGRAMS = [
    GradientProgram(op, _there_and_back, [np.float64([1, 2, 3])], xla=False, no_second=_ENDS)  # a variant is the host's
    for op in ("RaggedTensorToVariant", "RaggedTensorFromVariant")
]


def encoded(nested_splits: Any, values: Any, batched: bool) -> Any:
    splits = [tf.constant(s, tf.int64) for s in nested_splits]
    return R.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=values, batched_input=batched)


def decoded(
    variants: Any, ragged_rank: int, input_rank: int = -1, dtype: Any = tf.int32, splits: Any = tf.int64
) -> Any:
    found = R.RaggedTensorFromVariant(
        encoded_ragged=variants,
        input_ragged_rank=input_rank,
        output_ragged_rank=ragged_rank,
        Tvalues=dtype,
        Tsplits=splits,
    )
    return [s.numpy().tolist() for s in found.output_nested_splits], found.output_dense_values.numpy().tolist()


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("splits", [_SPLITS, _DEEP], ids=str)
def test_a_ragged_tensor_comes_back_from_its_variants(splits: Any, batched: bool) -> None:
    values = list(range(splits[-1][-1]))
    variants = encoded(splits, values, batched)
    assert variants.dtype is tf.variant and variants.shape == ([2] if batched else [])
    assert decoded(variants, len(splits)) == (splits, values)


def test_a_variant_prints_its_dtype_and_rank() -> None:
    assert "value=<RaggedTensorVariant(dtype=int32, ragged_rank=1, splits_dtype=int64>" in repr(
        encoded(_SPLITS, [1, 2, 3], False)
    )
    rows = repr(encoded(_SPLITS, [1, 2, 3], True))
    assert rows.count("<RaggedTensorVariant(dtype=int32, ragged_rank=0, splits_dtype=INVALID>") == 2


def test_rows_of_a_dense_tensor_become_rows_of_a_ragged_one() -> None:
    rows = encoded([], [[1, 2], [3, 4]], True)
    assert decoded(rows, 1, 0) == ([[0, 2, 4]], [1, 2, 3, 4])
    assert decoded(tf.stack([rows, rows]), 2, 0) == ([[0, 2, 4], [0, 2, 4, 6, 8]], [1, 2, 3, 4] * 2)
    assert decoded(encoded([], [1, 2], True), 0) == ([], [1, 2])


def test_variants_are_stacked_and_their_splits_joined() -> None:
    one = encoded(_SPLITS, [1, 2, 3], False)
    assert decoded(tf.stack([one, one]), 2) == ([[0, 2, 4], [0, 2, 3, 5, 6]], [1, 2, 3, 1, 2, 3])
    assert decoded(encoded(_SPLITS, [1, 2, 3], True), 1, 0, splits=tf.int32) == (_SPLITS, [1, 2, 3])


def test_no_rows_give_an_empty_ragged_tensor() -> None:
    none = encoded([[0]], tf.zeros([0], tf.int32), True)
    assert none.shape == [0] and decoded(none, 1) == ([[0]], []) and decoded(none, 2) == ([[0], [0]], [])
    assert decoded(none, 0) == ([], [])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: encoded([], 1, True), "Can't unbatch rank-0 tensor"),
        (lambda: encoded([[0, 2, 7]], [1, 2, 3], True), "last element of ragged splits must be the number of ragged"),
        (lambda: decoded(encoded(_SPLITS, [1, 2, 3], True), 1, 1), "output_ragged_rank must be equal to input_ragged"),
        (lambda: decoded(encoded(_SPLITS, [1, 2, 3], False), 0), r"has ragged_rank=1\.  Expected ragged_rank=0"),
        (lambda: decoded(encoded(_SPLITS, [1, 2, 3], False), 1, dtype=tf.float32), "dtype: float, found: int32"),
        (lambda: decoded(encoded(_SPLITS, [1, 2, 3], False), 1, splits=tf.int32), "dtype: int32, found: int64"),
        (
            lambda: decoded(tf.stack([encoded([], [1], False), encoded([], [[1]], False)]), 1),
            r"Rank of values must match for all components; values shape at index 0: \[1\], values shape at index 1",
        ),
        (
            lambda: decoded(tf.stack([encoded([], [[1, 2]], False), encoded([], [[1]], False)]), 1),
            r"All flat_values must have compatible shapes.  Shape at index 0: \[2\].  Shape at index 1: \[1\]",
        ),
        (
            lambda: decoded(R.EmptyTensorList(element_shape=[], max_num_elements=1, element_dtype=tf.int32), 1),
            "hold a Ragged",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        call()


def test_shapes_are_known_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec([4], tf.int64), tf.TensorSpec([None], tf.int32)])
    def f(splits: Any, values: Any) -> Any:
        rows = R.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=values, batched_input=True)
        whole = R.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=values, batched_input=False)
        back = R.RaggedTensorFromVariant(
            encoded_ragged=rows, input_ragged_rank=-1, output_ragged_rank=1, Tvalues=tf.int32
        )
        assert rows.shape == [3] and whole.shape == [] and back.output_nested_splits[0].shape == [None]
        assert back.output_dense_values.shape.rank is None
        return back.output_dense_values

    assert f(np.int64([0, 1, 1, 3]), [4, 5, 6]).numpy().tolist() == [4, 5, 6]


@pytest.mark.parametrize("splits", [_SPLITS, _DEEP], ids=str)
@pytest.mark.parametrize("batched", [False, True])
def test_gradients_pass_through_variants(splits: Any, batched: bool) -> None:
    values = tf.constant([float(i + 1) for i in range(splits[-1][-1])])
    with tf.GradientTape() as tape:
        tape.watch(values)
        variants = encoded(splits, values, batched)
        found = R.RaggedTensorFromVariant(
            encoded_ragged=variants, input_ragged_rank=-1, output_ragged_rank=len(splits), Tvalues=tf.float32
        ).output_dense_values
        total = tf.reduce_sum(found * found)
    assert tape.gradient(total, values).numpy().tolist() == (2 * values).numpy().tolist()


def test_a_missing_gradient_is_zeros() -> None:
    rows = R.TensorListStack(
        input_handle=R.TensorListReserve(element_shape=[], num_elements=2, element_dtype=tf.variant),
        element_shape=[],
        element_dtype=tf.variant,
    )
    gradient = R.RaggedTensorToVariantGradient(
        encoded_ragged_grad=rows, row_splits=[0, 2, 3], dense_values_shape=[3], Tvalues=tf.float32
    )
    assert gradient.numpy().tolist() == [0.0, 0.0, 0.0]


def test_variants_have_zeros_and_sums() -> None:
    one = encoded(_SPLITS, [1, 2, 3], False)
    assert decoded(tf.zeros_like(one), 1) == (_SPLITS, [0, 0, 0])
    assert decoded(R.AddN(inputs=[one, one]), 1) == (_SPLITS, [2, 4, 6])
    with pytest.raises(tf.errors.InvalidArgumentError, match="different row_splits"):
        R.AddN(inputs=[one, encoded([[0, 1, 3]], [1, 2, 3], False)])

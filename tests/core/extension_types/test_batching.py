"""Batches of extension types, in specs, `tf.map_fn` and datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import millrace as tf
from tests.core.extension_types.test_immutable_fields import Masked

Batchable = tf.experimental.BatchableExtensionType
Encoder = tf.experimental.ExtensionTypeBatchEncoder
T = tf.TensorSpec


class Box(Batchable):
    low: tf.Tensor
    high: tf.Tensor
    label: int = 3


class Mixed(Batchable):
    box: Box
    shape: tf.TensorShape
    shapes: tuple[tf.TensorShape, ...]
    table: Mapping[str, tf.Tensor]
    nothing: tf.Tensor | None = None


class Diagonal(Batchable):
    """Keeps `w`, and is encoded as `w` plus one."""

    size: tf.TensorShape
    w: tf.Tensor

    class OneMore(Encoder):
        def batch(self, spec: Any, batch_size: int | None) -> Any:
            return Diagonal.Spec(spec.size, T([batch_size, *spec.w.shape]))

        def unbatch(self, spec: Any) -> Any:
            return Diagonal.Spec(spec.size, T(spec.w.shape[1:]))

        def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
            return {"w": value.w + 1.0}

        def decode(self, spec: Any, encoded_value: Any) -> Any:
            return Diagonal(spec.size, encoded_value["w"] - 1.0)

        def encoding_specs(self, spec: Any) -> Any:
            return {"w": spec.w}

    __batch_encoder__ = OneMore()


def boxes() -> Box:
    return Box([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]])


def lists(values: Any) -> Any:
    return [tensor.numpy().tolist() for tensor in tf.nest.flatten(values, expand_composites=True)]


def test_a_batch_has_one_dimension_more_in_each_tensor_and_shape() -> None:
    spec = Mixed(boxes(), [2], [[], [1]], {"a": [1, 2]})._type_spec
    batch = spec._batch(5)
    assert batch.box == Box.Spec(T([5, 2, 2]), T([5, 2, 2]), 3) and batch.shape == [5, 2]
    assert batch.shapes == (tf.TensorShape([5]), tf.TensorShape([5, 1])) and batch.table["a"] == T([5, 2], tf.int32)
    assert batch._unbatch() == spec and spec._batch(None).shape == [None, 2] and batch.nothing is None


def test_fields_that_cannot_be_batched_stay() -> None:
    class WithOther(Batchable):
        x: tf.Tensor
        other: Masked

    spec = WithOther([1], Masked([1], [2]))._type_spec
    assert spec._batch(3) == WithOther.Spec(T([3, 1], tf.int32), spec.other)


def test_a_scalar_has_no_dimension_to_take_away() -> None:
    with pytest.raises(ValueError, match="Unbatching a tensor is only supported for rank >= 1"):
        Box(1.0, 2.0)._type_spec._unbatch()


def test_an_encoder_says_how_a_value_is_stacked() -> None:
    value = Diagonal([2], [1.0, 2.0])
    spec = value._type_spec
    assert lists(spec._to_tensor_list(value)) == lists(spec._to_batched_tensor_list(value)) == [[2.0, 3.0]]
    assert spec._flat_tensor_specs == [T([2])]
    assert lists(spec._from_compatible_tensor_list([tf.constant([5.0, 6.0])])) == [[4.0, 5.0]]
    doubled = tf.map_fn(lambda x: Diagonal(x.size, 2.0 * x.w), value, fn_output_signature=Diagonal.Spec([2], T([])))
    assert lists(doubled) == [[2.0, 4.0]]


def test_map_fn_takes_and_gives_batches() -> None:
    assert lists(tf.map_fn(lambda box: box.high - box.low, boxes(), fn_output_signature=tf.float32)) == [
        [[4.0] * 2] * 2
    ]
    same = tf.map_fn(lambda box: box, boxes())
    assert isinstance(same, Box) and lists(same) == lists(boxes()) and same.label == 3
    spec = Box.Spec(T([]), T([]), 1)
    made = tf.function(lambda x: tf.map_fn(lambda v: Box(v, v + 1.0, 1), x, fn_output_signature=spec))
    assert lists(made(tf.constant([1.0, 2.0]))) == [[1.0, 2.0], [2.0, 3.0]]


def test_map_fn_refuses_types_that_have_no_batches() -> None:
    value = Masked([1.0], [True])
    with pytest.raises(TypeError, match=r"map_fn can not consume Masked.Spec.* inputs: got Masked"):
        tf.map_fn(lambda x: x.values, value, fn_output_signature=tf.float32)
    with pytest.raises(TypeError, match=r"map_fn can not generate Masked.Spec.* outputs"):
        tf.map_fn(lambda x: value, tf.constant([1.0]), fn_output_signature=value._type_spec)


def test_vectorized_map_takes_and_gives_batches() -> None:
    doubled = tf.vectorized_map(lambda box: Box(2.0 * box.low, box.high), boxes())
    assert isinstance(doubled, Box) and lists(doubled) == [[[2.0, 4.0], [6.0, 8.0]], [[5.0, 6.0], [7.0, 8.0]]]


def test_datasets_have_values_as_elements() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(boxes())
    assert dataset.element_spec == Box.Spec(T([2]), T([2]), 3)
    assert lists(list(dataset)) == [[1.0, 2.0], [5.0, 6.0], [3.0, 4.0], [7.0, 8.0]]
    assert dataset.batch(2).element_spec == Box.Spec(T([None, 2]), T([None, 2]), 3)
    assert lists(list(dataset.batch(2))) == lists(boxes()) and lists(list(dataset.batch(2).unbatch())) == lists(
        list(dataset)
    )
    shifted = dataset.map(lambda box: Box(box.low + 1.0, box.high)).filter(lambda box: box.low[0] > 2.0)
    assert lists(list(shifted)) == [[4.0, 5.0], [7.0, 8.0]]


def test_a_dataset_of_types_without_batches_is_not_batched() -> None:
    dataset = tf.data.Dataset.from_tensors(Masked([1.0], [True]))
    assert lists(list(dataset)) == [[1.0], [True]]
    for use in (lambda: dataset.batch(2), lambda: tf.data.Dataset.from_tensor_slices(Masked([1.0], [True]))):
        with pytest.raises((AttributeError, TypeError), match=r"Masked.Spec"):
            use()

"""`SaveableObject` and `SaveSpec`, the records of TensorFlow 1."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.trackable.saveable_object import BaseSaverBuilder, SaveableObject, SaveSpec


def test_a_spec_of_a_tensor_knows_dtype_and_device() -> None:
    spec = SaveSpec(tf.constant([1.0]), "", "key")
    assert (spec.dtype, spec.name, spec.slice_spec) == (tf.float32, "key", "") and "CPU:0" in spec.device


def test_a_spec_of_a_function_asks_it_each_time_and_needs_a_dtype() -> None:
    values = iter([1.0, 2.0])
    spec = SaveSpec(lambda: next(values), "", "key", dtype=tf.float32, device="CPU:0")
    assert [spec.tensor, spec.tensor] == [1.0, 2.0] and spec.device == "CPU:0"
    with pytest.raises(AssertionError, match="an explicit dtype must be provided"):
        SaveSpec(lambda: 1.0, "", "key")


def test_a_saveable_object_says_how_to_restore() -> None:
    saveable = SaveableObject(None, [SaveSpec(tf.constant(1), "", "key")], "key")
    assert not saveable.optional_restore and saveable.device == saveable.specs[0].device
    with pytest.raises(ValueError, match="does not say how to restore"):
        saveable.restore([], None)


def test_programs_of_tensorflow_1_find_both_under_a_builder() -> None:
    assert BaseSaverBuilder.SaveableObject is SaveableObject and BaseSaverBuilder.SaveSpec is SaveSpec

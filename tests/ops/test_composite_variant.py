"""CompositeTensorVariantFromComponents and CompositeTensorVariantToComponents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram

R = tf.raw_ops


def _there_and_back(x: Any, y: Any) -> Any:
    first, second = R.CompositeTensorVariantToComponents(
        encoded=variant(x, y), metadata="", Tcomponents=[x.dtype, y.dtype]
    )
    return first * second


GRADIENT_PROGRAMS = [
    GradientProgram(op, _there_and_back, [np.float64([1, 2, 3]), np.float64(4)], xla=False)  # a variant is the host's
    for op in ("CompositeTensorVariantFromComponents", "CompositeTensorVariantToComponents")
]


def variant(*components: Any) -> Any:
    return R.CompositeTensorVariantFromComponents(components=list(components), metadata="")


def components(encoded: Any, *dtypes: Any) -> list[Any]:
    found = R.CompositeTensorVariantToComponents(encoded=encoded, metadata="", Tcomponents=list(dtypes))
    return [tensor.numpy().tolist() for tensor in found]


def test_components_come_back() -> None:
    assert components(variant([1, 2], ["a"]), tf.int32, tf.string) == [[1, 2], [b"a"]]
    assert components(tf.zeros_like(variant([1, 2])), tf.int32) == [[0, 0]]
    assert components(R.AddN(inputs=[variant([1, 2]), variant([3, 4])]), tf.int32) == [[4, 6]]


def test_other_variants_and_dtypes_are_refused() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"holds components of dtypes .'int32'.; expected .'float'."
    ):
        components(variant(1), tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not hold the components of a composite tensor"):
        components(tf.data.Dataset.range(3)._variant_tensor, tf.int32)


def test_gradients_pass_through_a_variant() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        first, _ = R.CompositeTensorVariantToComponents(
            encoded=variant(x, 2.0 * x), metadata="", Tcomponents=[tf.float32, tf.float32]
        )
        y = tf.reduce_sum(first * first)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]

"""The ops on optionals: their gradients, and what the variant tensors do in sums and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram

Optional = tf.experimental.Optional


def _through_an_optional(x: Any, y: Any) -> Any:
    first, second = Optional.from_value((x * x, y)).get_value()
    return first * second


def _taken_twice(x: Any) -> Any:
    optional = Optional.from_value(x * x)
    return optional.get_value() * x + optional.get_value()


GRADIENT_PROGRAMS = [
    # a variant of the host has no form under XLA
    GradientProgram("OptionalFromValue", _through_an_optional, [np.array([1.0, -2.0]), np.array(3.0)], xla=False),
    GradientProgram("OptionalGetValue", _taken_twice, [np.array([0.5, 2.0])], xla=False),
]


def test_zeros_of_an_optional_are_optional_zeros() -> None:
    full, empty = Optional.from_value([1.0, 2.0])._variant_tensor, Optional.empty(tf.TensorSpec([]))._variant_tensor
    zeros = tf.raw_ops.ZerosLike(x=full)
    value = tf.raw_ops.OptionalGetValue(optional=zeros, output_types=[tf.float32], output_shapes=[[2]])
    assert value[0].numpy().tolist() == [0.0, 0.0]
    assert not tf.raw_ops.OptionalHasValue(optional=tf.raw_ops.ZerosLike(x=empty))


def test_optionals_add_up_component_by_component() -> None:
    one, two = [Optional.from_value((x, [x]))._variant_tensor for x in (1.0, 2.0)]
    total = tf.raw_ops.AddN(inputs=[one, two, two])
    types: dict[str, Any] = {"output_types": [tf.float32] * 2, "output_shapes": [[], [1]]}
    assert [t.numpy().tolist() for t in tf.raw_ops.OptionalGetValue(optional=total, **types)] == [5.0, [5.0]]
    nothing = tf.raw_ops.OptionalNone()
    assert not tf.raw_ops.OptionalHasValue(optional=tf.raw_ops.AddN(inputs=[nothing, nothing]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="one has a value and the other doesn't"):
        tf.raw_ops.AddN(inputs=[one, nothing])

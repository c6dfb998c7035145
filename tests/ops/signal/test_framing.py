"""Frames and overlapping frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.signal.numbers import real_numbers

GRADIENT_PROGRAMS = [
    GradientProgram("GatherV2", lambda x: tf.signal.frame(x, 4, 2), [real_numbers("float64", 2, 9)]),
    GradientProgram(
        "GatherV2", lambda x: tf.signal.frame(x, 3, 2, pad_end=True, axis=0), [real_numbers("float64", 5, 2)]
    ),
    GradientProgram("Transpose", lambda x: tf.signal.overlap_and_add(x, 2), [real_numbers("float64", 2, 3, 5)]),
]
_LENGTHS = [(4, 2), (5, 2), (3, 3), (2, 5), (6, 4), (12, 3), (30, 1), (0, 2)]


def _frames(x: Any, length: int, step: int, pad_end: bool, value: Any) -> Any:
    """Cuts the last axis, frame by frame."""
    size = x.shape[-1]
    starts = range(0, size if pad_end else size - length + 1, step)
    longer = np.concatenate([x, np.full((*x.shape[:-1], length), value, x.dtype)], axis=-1)
    frames = [longer[..., i : i + length] for i in starts]
    return np.stack(frames, axis=-2) if frames else np.zeros((*x.shape[:-1], 0, length), x.dtype)


@pytest.mark.parametrize(("length", "step"), _LENGTHS)
@pytest.mark.parametrize("pad_end", [False, True])
@pytest.mark.parametrize("spec", ["eager", [2, 3, 13], [None, 3, None], None])
def test_frames_are_cut_from_the_last_axis(length: int, step: int, pad_end: bool, spec: Any) -> None:
    x = np.arange(78, dtype=np.int32).reshape(2, 3, 13)

    def frame(x: Any) -> Any:
        return tf.signal.frame(x, length, step, pad_end=pad_end, pad_value=-1)

    function = frame if spec == "eager" else tf.function(frame, input_signature=[tf.TensorSpec(spec, tf.int32)])
    np.testing.assert_array_equal(function(x), _frames(x, length, step, pad_end, -1))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("spec", ["eager", [2, 3, 4], [None, None, None], None])
def test_any_axis_is_cut(axis: int, spec: Any) -> None:
    x = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)

    def frame(x: Any) -> Any:
        return tf.signal.frame(x, 2, 1, axis=axis)

    function = frame if spec == "eager" else tf.function(frame, input_signature=[tf.TensorSpec(spec)])
    expected = np.moveaxis(_frames(np.moveaxis(x, axis, -1), 2, 1, False, 0), (-2, -1), (axis % 3, axis % 3 + 1))
    np.testing.assert_array_equal(function(x), expected)


def test_sizes_may_be_tensors() -> None:
    x = np.arange(20.0, dtype=np.float32)
    scalar = tf.TensorSpec([], tf.int32)
    frame = tf.function(
        lambda x, a, b: tf.signal.frame(x, a, b), input_signature=[tf.TensorSpec([None]), scalar, scalar]
    )
    add = tf.function(tf.signal.overlap_and_add, input_signature=[tf.TensorSpec([None, None]), scalar])
    for length, step in _LENGTHS:
        frames = frame(x, length, step)
        np.testing.assert_array_equal(frames, _frames(x, length, step, False, 0))
        np.testing.assert_allclose(add(frames, step), tf.signal.overlap_and_add(frames.numpy(), step))
    assert frame.get_concrete_function().outputs[0].shape.rank == 2


def test_the_axis_may_be_a_tensor() -> None:
    x = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    traced = tf.function(lambda x, axis: tf.signal.frame(x, 2, 1, axis=axis))
    for axis in (0, 1, -1):
        np.testing.assert_array_equal(traced(x, tf.constant(axis)), tf.signal.frame(x, 2, 1, axis=axis))
    shape = traced.get_concrete_function(tf.TensorSpec([2, 3, 4]), tf.TensorSpec([], tf.int32)).outputs[0].shape
    assert shape.as_list() == [None] * 4


def test_other_dtypes_are_cut_too() -> None:
    strings = tf.signal.frame(tf.constant(["a", "b", "c"]), 2, 1, pad_end=True, pad_value="z")
    assert strings.numpy().tolist() == [[b"a", b"b"], [b"b", b"c"], [b"c", b"z"]]
    assert tf.signal.frame([True, False], 2, 1).numpy().tolist() == [[True, False]]


@pytest.mark.parametrize(("length", "step"), [*_LENGTHS, (4, 1), (4, 6)])
@pytest.mark.parametrize("spec", ["eager", [2, 3, None], [None, None, None], None])
def test_overlapping_frames_are_added(length: int, step: int, spec: Any) -> None:
    x = real_numbers("float64", 2, 3, length)
    expected = np.zeros((2, 2 * step + length))
    for i in range(3):
        expected[:, i * step : i * step + length] += x[:, i]

    def add(x: Any) -> Any:
        return tf.signal.overlap_and_add(x, step)

    function = add if spec == "eager" else tf.function(add, input_signature=[tf.TensorSpec(spec, tf.float64)])
    np.testing.assert_allclose(function(x), expected, atol=1e-14)


def test_static_shapes_are_tensorflows() -> None:
    def shape(function: Any, dims: Any) -> Any:
        result = tf.function(function).get_concrete_function(tf.TensorSpec(dims)).outputs[0].shape
        return None if result.rank is None else result.as_list()

    assert shape(lambda x: tf.signal.frame(x, 3, 2), [None, 10]) == [None, 4, 3]
    assert shape(lambda x: tf.signal.frame(x, 3, 2), [2, None]) == [2, None, 3]
    assert shape(lambda x: tf.signal.frame(x, 3, 2, axis=0), [4, None, 3]) == [1, 3, None, 3]
    assert shape(lambda x: tf.signal.overlap_and_add(x, 2), [4, 3, None]) == [4, None]
    assert shape(lambda x: tf.signal.overlap_and_add(x, 2), [None, 3, 4]) == [None, 8]


def test_bad_arguments_raise() -> None:
    x = tf.range(10.0)
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        tf.signal.frame(1.0, 2, 1)
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        tf.signal.frame(x, [2], 1)
    with pytest.raises(ValueError, match=r"Shape \(1,\) must have rank 0"):
        tf.signal.frame(x, 3, 1, True, [1.0])
    with pytest.raises(ValueError, match="frame_length must be an integer"):
        tf.signal.frame(x, 2.0, 1)
    with pytest.raises(IndexError, match="list index out of range: axis 3"):
        tf.signal.frame(x, 2, 1, axis=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        tf.signal.frame(x, 2, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires start <= limit when delta > 0"):
        tf.signal.frame(x, -2, 1)
    with pytest.raises(ValueError, match=r"Shape \(10,\) must have rank at least 2"):
        tf.signal.overlap_and_add(x, 1)
    with pytest.raises(ValueError, match=r"frame_step must be an integer. Got <dtype: 'float32'>"):
        tf.signal.overlap_and_add(tf.ones([2, 2]), 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Paddings must be non-negative"):
        tf.signal.overlap_and_add(tf.ones([2, 2]), 0)

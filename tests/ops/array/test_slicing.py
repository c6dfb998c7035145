"""Strided slices and tf.slice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    # XLA must know how much a slice takes, which bounds given as inputs do not tell
    Sample("StridedSlice", [x([3, 4]), np.int32([2, 0]), np.int32([0, 3]), np.int32([-1, 2])], grad=True, xla=False),
    Sample(
        "StridedSlice",
        [x([3, 4], np.int16), np.int64([1, 0, 0]), np.int64([2, 0, 0]), np.int64([1, 1, 1])],
        {"shrink_axis_mask": 1, "new_axis_mask": 2, "ellipsis_mask": 4},
    ),
    Sample(
        "StridedSliceGrad", [np.int32([4]), np.int32([1]), np.int32([4]), np.int32([2]), x([2])], grad=True, xla=False
    ),
    Sample(
        "StridedSliceGrad",
        [np.int32([4]), np.int32([-1]), np.int32([0]), np.int32([1]), x([])],
        {"shrink_axis_mask": 1},
    ),
    Sample("TensorStridedSliceUpdate", [x([4, 2]), np.int32([1]), np.int32([3]), np.int32([1]), x([2])], grad=True),
    Sample("Slice", [x([3, 4]), np.int32([1, 0]), np.int32([-1, 2])], grad=True, xla=False),  # the same
    Sample("Slice", [x([3, 4]), np.int32([1, 0]), np.int32([2, 2])]),
    Sample("Slice", [x([3], bool), np.int64([3]), np.int64([0])]),
]

_BOUNDS = [np.int32([1, 0, 2]), np.int32([3, 2, 0]), np.int32([1, 1, -1])]

# XLA must know how much a slice takes, which bounds given as inputs do not tell.
GRADIENT_SAMPLES = [
    *(
        Sample("StridedSlice", [x([3, 4, 3]), *_BOUNDS], masks, grad=True, xla=False)
        for masks in (
            {"begin_mask": 1},
            {"end_mask": 6},
            {"begin_mask": 7, "end_mask": 7},
            {"shrink_axis_mask": 2},
            {"new_axis_mask": 2},
            {"ellipsis_mask": 2},
            {"ellipsis_mask": 2, "shrink_axis_mask": 1, "end_mask": 4},
        )
    ),
    Sample(
        "StridedSliceGrad",
        [np.int32([3, 4]), *[b[:2] for b in _BOUNDS], x([2])],
        {"shrink_axis_mask": 2},
        grad=True,
        xla=False,
    ),
    Sample(
        "StridedSliceGrad",
        [np.int32([3, 4]), *[b[:2] for b in _BOUNDS], x([3, 2])],
        {"begin_mask": 1},
        grad=True,
        xla=False,
    ),
    Sample("TensorStridedSliceUpdate", [x([3, 4]), *[b[:2] for b in _BOUNDS], x([2, 2])], grad=True),
    Sample(
        "TensorStridedSliceUpdate", [x([3, 4]), *[b[:2] for b in _BOUNDS], x([2])], {"shrink_axis_mask": 2}, grad=True
    ),
    Sample(
        "TensorStridedSliceUpdate",
        [x([3, 4]), *[b[:2] for b in _BOUNDS], x([3, 4])],
        {"begin_mask": 3, "end_mask": 3},
        grad=True,
    ),
]


ANSWERS = [
    (lambda: tf.slice(tf.zeros([2, 3]), [2, 0], [0, 1]), [("float32", [])]),
    (lambda: tf.strided_slice(tf.zeros([2, 3]), [0, 1], [1, 2], shrink_axis_mask=1), [("float32", [0.0])]),
    (lambda: tf.strided_slice(tf.zeros([2, 3]), [0, 1], [2, 1], [1, -1]), [("float32", [[], []])]),
    (
        lambda: tf.raw_ops.StridedSliceGrad(shape=[2, 3], begin=[0], end=[1], strides=[1], dy=tf.zeros([1, 3]) + 1),
        [("float32", [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])],
    ),
    (
        lambda: tf.raw_ops.TensorStridedSliceUpdate(
            input=tf.zeros([2, 3]), begin=[0], end=[1], strides=[1], value=tf.zeros([3]) + 1
        ),
        [("float32", [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])],
    ),
    (
        lambda: tf.raw_ops.TensorStridedSliceUpdate(input=tf.zeros([2, 3]), begin=[0], end=[1], strides=[1], value=1.0),
        [("float32", [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])],
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0, 0], [3, 1]),
        tf.errors.InvalidArgumentError,
        "Expected size[0] in [0, 2], but got 3",
    ),
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0, 4], [1, -1]),
        tf.errors.InvalidArgumentError,
        "Expected begin[1] in [0, 3], but got 4",
    ),
    (
        lambda: tf.slice(tf.zeros([2, 3]), [-1, 0], [1, 1]),
        tf.errors.InvalidArgumentError,
        "Expected begin[0] in [0, 2], but got -1",
    ),
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0], [1]),
        tf.errors.InvalidArgumentError,
        "Expected begin and size arguments to be 1-D tensors of size 2, but got shapes [1] and",
    ),
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0, 0], [-2, 1]),
        tf.errors.InvalidArgumentError,
        "Expected size[0] in [0, 2], but got -2",
    ),
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0, 0], [1, 1, 1]),
        tf.errors.InvalidArgumentError,
        "Expected begin and size arguments to be 1-D tensors of size 2, but got shapes [2] and",
    ),
    (
        lambda: tf.slice(tf.zeros([2, 3]), 0, 1),
        tf.errors.InvalidArgumentError,
        "Expected begin and size arguments to be 1-D tensors of size 2, but got shapes [] and ",
    ),
    (
        lambda: tf.strided_slice(tf.zeros([2, 3]), [0], [1, 2]),
        tf.errors.InvalidArgumentError,
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes [1], [2]",
    ),
    (
        lambda: tf.strided_slice(tf.zeros([2, 3]), [0], [1], [0]),
        tf.errors.InvalidArgumentError,
        "strides[0] must be non-zero",
    ),
    (
        lambda: tf.strided_slice(tf.zeros([2, 3]), 0, 1),
        tf.errors.InvalidArgumentError,
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes [], [], ",
    ),
    (
        lambda: tf.raw_ops.StridedSlice(input=tf.zeros([2, 3]), begin=[0], end=[1], strides=[-1], shrink_axis_mask=1),
        tf.errors.InvalidArgumentError,
        "only stride 1 allowed on non-range indexing.",
    ),
    (
        lambda: tf.raw_ops.StridedSliceGrad(shape=[2, 3], begin=[0], end=[1], strides=[1], dy=tf.zeros([2, 3])),
        tf.errors.InvalidArgumentError,
        "shape of dy was [2,3] instead of [1,3]",
    ),
    (
        lambda: tf.raw_ops.TensorStridedSliceUpdate(
            input=tf.zeros([2, 3]), begin=[0], end=[1], strides=[1], value=tf.zeros([2])
        ),
        tf.errors.InvalidArgumentError,
        "Cannot broadcast input shape [2] into final shape [1,3]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0, 4], [1, -1]),
        ValueError,
        "Negative dimension size caused by subtracting 4 from 3",
    ),
    (lambda: tf.slice(tf.zeros([2, 3]), [0], [1]), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.slice(tf.zeros([2, 3]), [0, 0], [-2, 1]), ValueError, "Invalid value in tensor used for shape: -2"),
    (
        lambda: tf.slice(tf.zeros([2, 3]), [0, 0], [1, 1, 1]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].",
    ),
    (lambda: tf.slice(tf.zeros([2, 3]), 0, 1), ValueError, "Shape must be rank 1 but is rank 0"),
    (
        lambda: tf.strided_slice(tf.zeros([2, 3]), [0], [1, 2]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1] and [2].",
    ),
    (lambda: tf.strided_slice(tf.zeros([2, 3]), [0], [1], [0]), ValueError, "strides[0] must be non-zero"),
    (lambda: tf.strided_slice(tf.zeros([2, 3]), 0, 1), ValueError, "Shape must be rank 1 but is rank 0"),
    (
        lambda: tf.raw_ops.StridedSlice(input=tf.zeros([2, 3]), begin=[0], end=[1], strides=[-1], shrink_axis_mask=1),
        ValueError,
        "only stride 1 allowed on non-range indexing.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda x: tf.strided_slice(x, [0, 1], [2, 3], [1, 2], name="q"),
        [(tf.float32, [None, 4, 5])],
        ["q/begin", "q/end", "q/strides", "q"],
    ),
    (
        lambda x: tf.slice(x, [0, 1, 0], [-1, 2, 3]),
        [(tf.float32, [None, 4, 5])],
        ["Slice/begin", "Slice/size", "Slice"],
    ),
    (lambda x, a: tf.slice(x, a, [1, 2, 3]), [(tf.float32, [None, 4, 5]), (tf.int32, [3])], ["Slice/size", "Slice"]),
    (lambda x, a: tf.slice(x, [0, 1, 0], a), [(tf.float32, [None, 4, 5]), (tf.int32, [3])], ["Slice/begin", "Slice"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)

"""Concat and stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("ConcatV2", [[x([2, 3]), x([2, 1])], np.int32(1)], grad=True),
    Sample("ConcatV2", [[x([0, 3], np.int8), x([2, 3], np.int8)], np.int64(-2)]),
    Sample("Concat", [np.int32(0), [x([2, 3]), x([1, 3])]], grad=True),
    Sample("ConcatOffset", [np.int32(1), [np.int32([2, 3]), np.int32([2, 4])]]),
    Sample("Pack", [[x([2, 3]), x([2, 3])]], {"axis": -1}, grad=True),
    Sample("Pack", [[np.array("a", object), np.array("b", object)]]),
    Sample("ParallelConcat", [[x([1, 2]), x([1, 2])]], {"shape": [2, 2]}),
]

GRADIENT_SAMPLES = [
    *(Sample("Pack", [[x([2, 3]), x([2, 3])]], {"axis": axis}, grad=True) for axis in (0, 1, -2)),
    Sample("Pack", [[x([])]], grad=True),
    Sample("ConcatV2", [[x([2, 3]), x([0, 3]), x([1, 3])], np.int64(-2)], grad=True),
    Sample("ConcatV2", [[x([2, 2])], np.int32(0)], grad=True),
]


ANSWERS = [
    (lambda: tf.concat([tf.zeros([2]), tf.zeros([2])], [0]), [("float32", [0.0, 0.0, 0.0, 0.0])]),
    (lambda: tf.concat([tf.zeros([2])], 3), [("float32", [0.0, 0.0])]),
    (lambda: tf.concat(tf.zeros([2]), 0), [("float32", [0.0, 0.0])]),
    (lambda: tf.concat(3, 0), [("int32", 3)]),
    (lambda: tf.stack([]), [("float32", [])]),
    (lambda: tf.stack([1, 2.0]), [("float32", [1.0, 2.0])]),
    (lambda: tf.stack(tf.zeros([2, 3]), axis=1), [("float32", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])]),
    (lambda: tf.stack(5), [("int32", 5)]),
    (
        lambda: tf.raw_ops.ParallelConcat(values=[tf.zeros([1, 2]), tf.zeros([1, 2])], shape=[2, 2]),
        [("float32", [[0.0, 0.0], [0.0, 0.0]])],
    ),
    (
        lambda: tf.raw_ops.ConcatOffset(concat_dim=1, shape=[[2, 3], [2, 4], [2, 5]]),
        [("int32", [0, 0]), ("int32", [0, 3]), ("int32", [0, 7])],
    ),
    (
        lambda: tf.raw_ops.ConcatOffset(concat_dim=-1, shape=[[2, 3], [2, 4], [2, 5]]),
        [("int32", [0, 0]), ("int32", [0, 3]), ("int32", [0, 7])],
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 0),
        tf.errors.InvalidArgumentError,
        "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = ",
    ),
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 2),
        tf.errors.InvalidArgumentError,
        "ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 2",
    ),
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], -3),
        tf.errors.InvalidArgumentError,
        "ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got -3",
    ),
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2])], 0),
        tf.errors.InvalidArgumentError,
        "ConcatOp : Ranks of all input tensors should match: shape[0] = [2,3] vs. shape[1] = [",
    ),
    (
        lambda: tf.concat([tf.zeros([]), tf.zeros([])], 0),
        tf.errors.InvalidArgumentError,
        "ConcatOp : Can't concatenate scalars (use tf.stack instead)",
    ),
    (lambda: tf.concat([[1], [2.0]], 0), TypeError, "Cannot convert [2.0] to EagerTensor of dtype int32"),
    (
        lambda: tf.concat([tf.zeros([1]), tf.constant([1])], 0),
        tf.errors.InvalidArgumentError,
        "cannot compute ConcatV2 as input #1(zero-based) was expected to be a float tensor but",
    ),
    (lambda: tf.concat([tf.zeros([2, 3])], [0, 1]), ValueError, "Shape (2,) must have rank 0"),
    (
        lambda: tf.concat([tf.zeros([0]), tf.zeros([2, 3])], 0),
        tf.errors.InvalidArgumentError,
        "ConcatOp : Ranks of all input tensors should match: shape[0] = [0] vs. shape[1] = [2,",
    ),
    (
        lambda: tf.stack([tf.zeros([2]), tf.zeros([3])]),
        tf.errors.InvalidArgumentError,
        "Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [3]",
    ),
    (lambda: tf.stack([tf.zeros([2]), tf.zeros([2])], axis=2), ValueError, "Argument `axis` = 2 not in range [-2, 2)"),
    (
        lambda: tf.stack([tf.zeros([2]), tf.zeros([2])], axis=-3),
        ValueError,
        "Argument `axis` = -3 not in range [-2, 2)",
    ),
    (lambda: tf.stack([1, "a"]), TypeError, "Cannot convert 'a' to EagerTensor of dtype int32"),
    (
        lambda: tf.stack([tf.zeros([2]), tf.constant([1, 2])]),
        tf.errors.InvalidArgumentError,
        "cannot compute Pack as input #1(zero-based) was expected to be a float tensor but is ",
    ),
    (
        lambda: tf.stack([[1, 2], [3]]),
        tf.errors.InvalidArgumentError,
        "Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [1]",
    ),
    (
        lambda: tf.parallel_stack([tf.zeros([2]), tf.zeros([3])]),
        RuntimeError,
        "tf.parallel_stack() is not compatible with eager execution.",
    ),
    (
        lambda: tf.raw_ops.ConcatOffset(concat_dim=1, shape=[[2, 3], [3, 4]]),
        tf.errors.InvalidArgumentError,
        "All dimensions except 1 must match. Input 1 has shape [3 4] and doesn't match input 0",
    ),
    (
        lambda: tf.raw_ops.ConcatOffset(concat_dim=3, shape=[[2, 3], [2, 4]]),
        tf.errors.InvalidArgumentError,
        "Concat dim is out of range: 3 vs. 2",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 0),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3] and [4].",
    ),
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 2),
        ValueError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (
        lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], -3),
        ValueError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2])], 0), ValueError, "Shape must be rank 2 but is rank 1"),
    (
        lambda: tf.concat([tf.zeros([]), tf.zeros([])], 0),
        ValueError,
        "Can't concatenate scalars (use tf.stack instead)",
    ),
    (
        lambda: tf.concat([], 0),
        ValueError,
        "List argument 'values' to 'ConcatV2' Op with length 0 shorter than minimum length 2.",
    ),
    (
        lambda: tf.concat([tf.zeros([1]), tf.constant([1])], 0),
        TypeError,
        "Tensors in list passed to 'values' of 'ConcatV2' Op have types [float32, int32] that ",
    ),
    (lambda: tf.concat([tf.zeros([2]), tf.zeros([2])], [0]), ValueError, "Shape must be rank 0 but is rank 1"),
    (lambda: tf.concat([tf.zeros([2, 3])], [0, 1]), ValueError, "Shape (2,) must have rank 0"),
    (lambda: tf.concat([tf.zeros([0]), tf.zeros([2, 3])], 0), ValueError, "Shape must be rank 1 but is rank 2"),
    (
        lambda: tf.stack([tf.zeros([2]), tf.zeros([3])]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].\n\tF",
    ),
    (lambda: tf.stack([tf.zeros([2]), tf.zeros([2])], axis=2), ValueError, "Argument `axis` = 2 not in range [-2, 2)"),
    (
        lambda: tf.stack([tf.zeros([2]), tf.zeros([2])], axis=-3),
        ValueError,
        "Argument `axis` = -3 not in range [-2, 2)",
    ),
    (
        lambda: tf.stack([1, "a"]),
        TypeError,
        "Tensors in list passed to 'values' of 'Pack' Op have types [int32, string] that don't",
    ),
    (
        lambda: tf.stack([tf.zeros([2]), tf.constant([1, 2])]),
        TypeError,
        "Tensors in list passed to 'values' of 'Pack' Op have types [float32, int32] that don'",
    ),
    (
        lambda: tf.stack([[1, 2], [3]]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].\n\tF",
    ),
    (
        lambda: tf.raw_ops.ParallelConcat(values=[tf.zeros([1, 2]), tf.zeros([2, 2])], shape=[2, 2]),
        ValueError,
        "Size of first dimension must be 1.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda x: tf.parallel_stack([x, x]),
        [(tf.float32, [2, 3])],
        [
            "parallel_stack/ExpandDims/dim",
            "parallel_stack/ExpandDims",
            "parallel_stack/ExpandDims_1/dim",
            "parallel_stack/ExpandDims_1",
            "parallel_stack/ParallelConcat",
        ],
    ),
    (lambda x: tf.concat([x, x], 1), [(tf.float32, [None, 4, 5])], ["concat/axis", "concat"]),
    (lambda x, y: tf.concat([x, y], -1), [(tf.float32, [None, 4, 5]), (tf.float32, None)], ["concat/axis", "concat"]),
    (lambda x: tf.concat([x], 0), [(tf.float32, [None, 4, 5])], ["concat/concat_dim", "concat/concat"]),
    (lambda x, a: tf.concat([x, x], a), [(tf.float32, [None, 4, 5]), (tf.int32, [])], ["concat"]),
    (lambda: tf.concat([[1, 2], [3]], 0), [], ["concat/values_0", "concat/values_1", "concat/axis", "concat"]),
    (lambda x: tf.concat(x, 0), [(tf.float32, [None, 4, 5])], ["concat/concat_dim", "concat/concat"]),
    (
        lambda x, y: tf.concat([x, y], 0),
        [(tf.float32, [None, 4, 5]), (tf.float32, [None, None, 5])],
        ["concat/axis", "concat"],
    ),
    (lambda x, a: tf.concat([x], a), [(tf.float32, [None, 4, 5]), (tf.int32, [])], ["concat/concat"]),
    (lambda x: tf.concat([x, x], tf.constant(1, tf.int64)), [(tf.float32, [None, 4, 5])], ["Const", "concat"]),
    (lambda x: tf.stack([x, x], 1), [(tf.float32, [None, 4, 5])], ["stack"]),
    (lambda x, y: tf.stack([x, y], -1), [(tf.float32, [None, 4, 5]), (tf.float32, [2, None, None])], ["stack"]),
    (lambda: tf.stack([1, 2]), [], ["stack"]),
    (lambda x: tf.stack([x, 2.0]), [(tf.float32, [])], ["stack/1", "stack"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize(("axis", "shape"), [([0, 1], "[2]"), ([[0]], "[1,1]")])
def test_concat_takes_one_axis(axis: Any, shape: str) -> None:
    words = f"axis tensor should be a scalar integer, but got shape {shape}"
    check_refusal(lambda: tf.concat([[1], [2]], axis), tf.errors.InvalidArgumentError, words)

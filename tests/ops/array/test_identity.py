"""Identity, placeholders, checks of shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Identity", [x([2, 3])], grad=True),
    Sample("Identity", [np.array(["a", "b"], object)]),
    Sample("IdentityN", [[x([2]), np.int32(3), x([1, 2])]], grad=True),
    Sample("IdentityN", [[x([2]), np.int32(3), np.array(True)]]),
    Sample("Snapshot", [x([0, 2])]),
    Sample("DeepCopy", [x([2], np.int8)]),
    Sample("StopGradient", [x([2, 2])]),
    Sample("PreventGradient", [x([3])], {"message": "because"}, grad=LookupError),
    Sample("GuaranteeConst", [x([])]),
    Sample("DebugGradientIdentity", [x([2])], grad=True),
    Sample("XlaOptimizationBarrier", [[x([2]), np.int32(3), x([1, 2])]], grad=True),
    Sample("XlaOptimizationBarrier", [[x([2]), np.int32(3), np.array(True)]]),
    Sample("EnsureShape", [x([2, 3])], {"shape": [None, 3]}, grad=True),
    Sample("PlaceholderWithDefault", [x([2, 3])], {"shape": [2, None]}, grad=True),
]


ANSWERS = [
    (lambda: tf.raw_ops.DeepCopy(x=[1, 2]), [("int32", [1, 2])]),
    (lambda: tf.raw_ops.Snapshot(input=[1]), [("int32", [1])]),
    (lambda: tf.raw_ops.PreventGradient(input=[1], message="m"), [("int32", [1])]),
    (lambda: tf.stop_gradient([1]), [("int32", [1])]),
    (lambda: tf.guarantee_const(1), [("int32", 1)]),
    (lambda: tf.raw_ops.DebugGradientIdentity(input=1), [("int32", 1)]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.ensure_shape(tf.zeros([2, 3]), [3, None]),
        tf.errors.InvalidArgumentError,
        "Shape of tensor input [2,3] is not compatible with expected shape [3,?].",
    ),
    (
        lambda: tf.ensure_shape(tf.zeros([2, 3]), [3]),
        tf.errors.InvalidArgumentError,
        "Shape of tensor input [2,3] is not compatible with expected shape [3].",
    ),
    (
        lambda: tf.compat.v1.placeholder(tf.float32),
        RuntimeError,
        "tf.placeholder() is not compatible with eager execution.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.ensure_shape(tf.zeros([2, 3]), [3, None]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are [3,?] and [2,3]",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.identity(x), [(tf.float32, [2])], ["Identity"]),
    (lambda: tf.identity(3), [], ["Identity/input", "Identity"]),
    (lambda x: tf.identity_n([x, x]), [(tf.float32, [2])], ["IdentityN"]),
    (lambda x: tf.stop_gradient(x), [(tf.float32, [2])], ["StopGradient"]),
    (lambda x: tf.ensure_shape(x, [2, None]), [(tf.float32, None)], ["EnsureShape"]),
    (lambda x: tf.ensure_shape(x, [2, 3]), [(tf.float32, [2, 3])], ["EnsureShape"]),
    (lambda x: tf.guarantee_const(x), [(tf.float32, [2])], ["GuaranteeConst"]),
    (
        lambda: tf.compat.v1.placeholder_with_default(3.0, []),
        [],
        ["PlaceholderWithDefault/input", "PlaceholderWithDefault"],
    ),
    (lambda: tf.compat.v1.placeholder(tf.float32), [], ["Placeholder"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


def test_a_forbidden_gradient_says_why() -> None:
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.PreventGradient(input=x, message="not here")
    with pytest.raises(LookupError, match="Gradient explicitly disabled"):
        tape.gradient(y, x)


def test_a_stopped_gradient_is_none() -> None:
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x)
    assert tape.gradient(y, x) is None


def test_a_shape_is_checked_when_it_is_computed() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec(None)])
    def checked(x: Any) -> Any:
        result = tf.ensure_shape(x, [None, 2])
        assert result.shape.as_list() == [None, 2]
        return result

    assert checked(tf.zeros([3, 2])).shape == (3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape of tensor .*\[3,4\] is not compatible"):
        checked(tf.zeros([3, 4]))

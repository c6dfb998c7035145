"""Range, linspace, meshgrid, sequence_mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing

SAMPLES = [
    Sample("Range", [np.int32(1), np.int32(9), np.int32(3)]),
    # the size must be a constant for XLA, which captured floats are not
    Sample("Range", [np.float32(3), np.float32(0), np.float32(-0.5)], xla=False),
    Sample("Range", [np.int64(1), np.int64(1), np.int64(1)]),
    Sample("LinSpace", [np.float64(0.1), np.float64(0.9), np.int32(5)]),
    Sample("LinSpace", [np.float32(1), np.float32(2), np.int64(1)]),
]


ANSWERS = [
    (lambda: tf.range([1], 5), [("int32", [1, 2, 3, 4])]),
    (lambda: tf.range(3.7), [("float32", [0.0, 1.0, 2.0, 3.0])]),
    (lambda: tf.range(3, dtype=tf.float16), [("float16", [0.0, 1.0, 2.0])]),
    (lambda: tf.linspace(0.0, 1.0, 0), [("float32", [])]),
    (lambda: tf.linspace(0.0, 1.0, 1), [("float32", [0.0])]),
    (lambda: tf.linspace(0, 1, 3), [("float64", [0.0, 0.5, 1.0])]),
    (
        lambda: tf.raw_ops.LinSpace(start=0.0, stop=1.0, num=4),
        [("float32", [0.0, 0.3333333432674408, 0.6666666865348816, 1.0])],
    ),
    (lambda: tf.sequence_mask([1, 2.5]), [("bool", [[True, False, False], [True, True, True]])]),
    (lambda: tf.meshgrid(indexing="xy"), []),
    (lambda: tf.meshgrid(), []),
    (lambda: tf.meshgrid(3, [1, 2]), [("int32", [[3], [3]]), ("int32", [[1], [2]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.range(0, 5, 0), tf.errors.InvalidArgumentError, "Requires delta != 0: 0"),
    (lambda: tf.range(5, 0), tf.errors.InvalidArgumentError, "Requires start <= limit when delta > 0: 5/0"),
    (lambda: tf.range(0, 5, -1), tf.errors.InvalidArgumentError, "Requires start >= limit when delta < 0: 0/5"),
    (lambda: tf.range(0, 3, 0.5, dtype=tf.int32), TypeError, "Cannot convert 0.5 to EagerTensor of dtype int32"),
    (lambda: tf.linspace(0.0, 1.0, -1), tf.errors.InvalidArgumentError, "Requires start <= limit when delta > 0: 1/-1"),
    (
        lambda: tf.linspace(0.0, 1.0, 2.5),
        TypeError,
        "Argument `tensor` (name: num) must be of type integer. Received `tensor` = 2.5 of dty",
    ),
    (lambda: tf.raw_ops.LinSpace(start=0.0, stop=1.0, num=0), tf.errors.InvalidArgumentError, "Requires num > 0: 0"),
    (
        lambda: tf.raw_ops.LinSpace(start=[0.0], stop=1.0, num=3),
        tf.errors.InvalidArgumentError,
        "start must be a scalar, not shape [1]",
    ),
    (
        lambda: tf.sequence_mask([1, 2], [3]),
        ValueError,
        "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = [3] with shap",
    ),
    (
        lambda: tf.sequence_mask([1, -2], -3),
        tf.errors.InvalidArgumentError,
        "Requires start <= limit when delta > 0: 0/-3",
    ),
    (
        lambda: tf.meshgrid([1, 2], [3.0]),
        tf.errors.InvalidArgumentError,
        "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a",
    ),
    (
        lambda: tf.meshgrid([1, 2], indexing="zz"),
        ValueError,
        "Argument `indexing` parameter must be either 'xy' or 'ij', got 'zz'",
    ),
    (lambda: tf.meshgrid([1, 2], foo=1), TypeError, "'foo' is an invalid keyword argument for this function"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.range(0, 5, 0), ValueError, "Requires delta != 0"),
    (lambda: tf.range(5, 0), ValueError, "Requires start <= limit when delta > 0: 5/0"),
    (lambda: tf.range(0, 5, -1), ValueError, "Requires start >= limit when delta < 0: 0/5"),
    (lambda: tf.range([1], 5), ValueError, "Shape must be rank 0 but is rank 1\n\t for 'start'"),
    (lambda: tf.linspace(0.0, 1.0, -1), ValueError, "Requires start <= limit when delta > 0: 1/-1"),
    (lambda: tf.raw_ops.LinSpace(start=0.0, stop=1.0, num=0), ValueError, "Requires num > 0: 0"),
    (
        lambda: tf.raw_ops.LinSpace(start=[0.0], stop=1.0, num=3),
        ValueError,
        "Shape must be rank 0 but is rank 1\n\t for 'start'",
    ),
    (lambda: tf.sequence_mask([1, -2], -3), ValueError, "Requires start <= limit when delta > 0: 0/-3"),
    (
        lambda: tf.meshgrid([1, 2], [3.0]),
        TypeError,
        "Input 'y' of 'Mul' Op has type int32 that does not match type float32 of argument 'x'",
    ),
    (
        lambda: tf.meshgrid([1, 2], indexing="zz"),
        ValueError,
        "Argument `indexing` parameter must be either 'xy' or 'ij', got 'zz'",
    ),
    (lambda: tf.meshgrid([1, 2], foo=1), TypeError, "'foo' is an invalid keyword argument for this function"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda: tf.range(5), [], ["range/start", "range/limit", "range/delta", "range"]),
    (
        lambda: tf.range(1, 5, 0.5),
        [],
        ["range/start", "range/limit", "range/delta", "range/Cast", "range/Cast_1", "range"],
    ),
    (lambda n: tf.range(n), [(tf.int32, [])], ["range/start", "range/delta", "range"]),
    (lambda n: tf.range(0, n, dtype=tf.int64), [(tf.int32, [])], ["range/start", "range/delta", "range/Cast", "range"]),
    (lambda n: tf.range(2, n, name="r"), [(tf.int32, [])], ["r/start", "r/delta", "r"]),
    (
        lambda x: tf.sequence_mask(x, 5, dtype=tf.float32),
        [(tf.int32, [None])],
        [
            "SequenceMask/Const",
            "SequenceMask/Const_1",
            "SequenceMask/Const_2",
            "SequenceMask/Range",
            "SequenceMask/ExpandDims/dim",
            "SequenceMask/ExpandDims",
            "SequenceMask/Cast",
            "SequenceMask/Less",
            "SequenceMask/Cast_1",
        ],
    ),
    (
        lambda: tf.sequence_mask([1, 2], 5),
        [],
        [
            "SequenceMask/Const",
            "SequenceMask/Const_1",
            "SequenceMask/Const_2",
            "SequenceMask/Const_3",
            "SequenceMask/Range",
            "SequenceMask/ExpandDims/dim",
            "SequenceMask/ExpandDims",
            "SequenceMask/Cast",
            "SequenceMask/Less",
        ],
    ),
    (
        lambda x, y: tf.meshgrid(x, y, indexing="ij"),
        [(tf.float32, [2]), (tf.float32, [3])],
        [
            "meshgrid/Reshape/shape",
            "meshgrid/Reshape",
            "meshgrid/Reshape_1/shape",
            "meshgrid/Reshape_1",
            "meshgrid/Size",
            "meshgrid/Size_1",
            "meshgrid/ones/packed",
            "meshgrid/ones/Const",
            "meshgrid/ones",
            "meshgrid/mul",
            "meshgrid/mul_1",
        ],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize(("bounds", "name"), [(([1, 2],), "limit"), (([0, 1], 3), "start"), ((0, 3, [1, 1]), "delta")])
def test_bounds_of_a_range_must_be_scalars(bounds: Any, name: str) -> None:
    words = f"{name} must be a scalar, not shape [2]"
    check_refusal(lambda: tf.range(*bounds), tf.errors.InvalidArgumentError, words)


def test_the_nodes_of_linspace_are_tensorflows() -> None:
    check_graph_names(
        lambda: tf.linspace([0.0, 1.0], [2.0, 3.0], 3, axis=-1, name="x"),
        [],
        """
    x/start x/stop x/num x/Cast x/Cast_1 x/Shape x/Shape_1 x/BroadcastArgs x/BroadcastTo x/BroadcastTo_1
    x/ExpandDims/dim x/ExpandDims x/ExpandDims_1/dim x/ExpandDims_1 x/Shape_2 x/Shape_3 x/strided_slice/stack
    x/strided_slice/stack_1 x/strided_slice/stack_2 x/strided_slice x/add/y x/add x/SelectV2/condition
    x/SelectV2/t x/SelectV2 x/sub/y x/sub x/Maximum/y x/Maximum x/sub_1/y x/sub_1 x/Maximum_1/y x/Maximum_1
    x/sub_2 x/Cast_2 x/truediv x/GreaterEqual/y x/GreaterEqual x/SelectV2_1/e x/SelectV2_1 x/range/start
    x/range/delta x/range/Cast x/range x/Cast_3 x/range_1/start x/range_1/delta x/range_1 x/Equal
    x/SelectV2_2/e x/SelectV2_2 x/Reshape x/mul x/add_1 x/concat x/zeros_like x/Const x/strided_slice_1/stack
    x/strided_slice_1/stack_1 x/strided_slice_1/stack_2 x/strided_slice_1 x/Reshape_1/shape x/Reshape_1
    x/add_2/y x/add_2 x/Const_1 x/Const_2 x/strided_slice_2/stack x/strided_slice_2/stack_1
    x/strided_slice_2/stack_2 x/strided_slice_2 x/concat_1/axis x/concat_1 x/Slice
    """.split(),
    )


SIZES = [
    (tf.float32, (0.1, 1.1, 0.1), 10),
    (tf.float64, (0.1, 1.1, 0.1), 10),
    (tf.float32, (0.1, 8.5, 0.7), 12),
    (tf.bfloat16, (-1.0, 72.5, 0.7), 105),
    (tf.float16, (0.0, -11.7, -0.3), 39),
]


@pytest.mark.parametrize(("dtype", "bounds", "count"), SIZES)
def test_the_size_of_a_range_is_rounded_as_its_dtype_is(dtype: Any, bounds: Any, count: int) -> None:
    tensors = [tf.constant(b, dtype) for b in bounds]
    assert tf.range(*tensors).shape == [count]
    traced = tf.function(lambda *b: tf.range(*b))
    assert traced(*tensors).shape == [count]
    with tf.Graph().as_default():
        assert tf.range(*(tf.constant(b, dtype) for b in bounds)).shape == [count]


@pytest.mark.xla
def test_a_compiled_range_of_floats_is_as_long_as_an_eager_one() -> None:
    compiled = tf.function(lambda: tf.range(0.1, 1.1, 0.1), jit_compile=True)
    np.testing.assert_array_equal(compiled(), tf.range(0.1, 1.1, 0.1))


@pytest.mark.parametrize("bounds", [(float("nan"), 1.0, 1.0), (0.0, 1.0, float("nan"))])
def test_bounds_that_are_not_numbers_are_refused(bounds: Any) -> None:
    check_refusal(lambda: tf.range(*bounds), tf.errors.InvalidArgumentError, "Requires start")


def test_a_range_longer_than_any_tensor_is_refused() -> None:
    words = "Requires ((limit - start) / delta) <= 9223372036854775807"
    check_refusal(lambda: tf.range(0.0, float("inf"), 1.0), tf.errors.InvalidArgumentError, words)

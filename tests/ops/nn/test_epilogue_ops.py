"""Convolutions with an epilogue give what the convolution and the steps one after the other give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.nn import epilogues
from millrace._src.ops.nn.epilogue_ops import conv2d_with_epilogue_op, depthwise_with_epilogue_op
from millrace._src.util.onednn import library
from tests.contracts.sample import Sample
from tests.ops.nn.samples import array

ATTRS = {"strides": [1, 1, 1, 1], "padding": "SAME"}
CONV, DEPTHWISE = "Conv2DWithEpilogue", "DepthwiseConv2dNativeWithEpilogue"
SAMPLES = [
    *(
        Sample(
            CONV,
            (array(2, 4, 4, 3, dtype=t), array(3, 3, 3, 2, dtype=t), [array(2, dtype=t), array(2, 4, 4, 2, dtype=t)]),
            {**ATTRS, "steps": ["add", "add", "relu"]},
        )
        for t in ("float16", "bfloat16", "float32", "float64")
    ),
    Sample(
        CONV,
        (array(1, 3, 5, 5), array(2, 2, 3, 4), [array(4, 1, 1)]),
        {**ATTRS, "steps": ["multiply", "relu6"], "data_format": "NCHW"},
    ),
    Sample(CONV, (array(0, 4, 4, 3), array(1, 1, 3, 2), [array(2)]), {**ATTRS, "steps": ["add", "relu"]}),
    Sample(CONV, (array(1, 4, 4, 3), array(1, 1, 3, 2), []), {**ATTRS, "steps": ["relu6"]}),
    Sample(CONV, (array(1, 4, 4, 3), array(1, 1, 3, 2), [array(3, 4, 4, 2)]), {**ATTRS, "steps": ["add"]}),
    *(
        Sample(
            DEPTHWISE,
            (array(2, 4, 4, 3, dtype=t), array(3, 3, 3, 2, dtype=t), [array(6, dtype=t)]),
            {**ATTRS, "steps": ["multiply", "relu6"]},
        )
        for t in ("bfloat16", "float32")
    ),
    Sample(
        DEPTHWISE,
        (array(1, 3, 5, 5), array(2, 2, 3, 1), [array(1, 3, 5, 5)]),
        {**ATTRS, "steps": ["add", "relu"], "data_format": "NCHW"},
    ),
]
STEPS = [["add"], ["relu"], ["add", "relu"], ["multiply", "add", "relu6"], ["add", "multiply", "add", "add", "relu"]]
KERNELS = ["numpy", *(["onednn"] if library.load() is not None else [])]


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """Pins the kernels."""
    with epilogues._CORRELATION.pin(request.param), epilogues._DEPTHWISE.pin(request.param):
        yield request.param


def inputs_of(steps: list[str], shape: tuple[int, ...], seed: int = 0) -> list[Any]:
    """Images, filters, and the operands of the steps: vectors, and the last of several like the result."""
    random = np.random.RandomState(seed)
    count = sum(step in ("add", "multiply") for step in steps)
    operands = [random.normal(size=(1, 1, shape[-1]) if i % 2 else shape[-1:]).astype(np.float32) for i in range(count)]
    if count > 2:
        operands[-1] = random.normal(size=shape).astype(np.float32)
    return [random.normal(size=shape).astype(np.float32), operands]


def one_by_one(result: Any, steps: list[str], operands: list[Any]) -> Any:
    rest = iter(operands)
    functions = {"relu": tf.nn.relu, "relu6": tf.nn.relu6}
    for step in steps:
        if step in functions:
            result = functions[step](result)
        else:
            result = result + next(rest) if step == "add" else result * next(rest)
    return result.numpy()


def both(op: str, x: Any, filters: Any, steps: list[str], operands: list[Any]) -> tuple[Any, Any]:
    """The result of the op, and of the steps one after the other."""
    function = conv2d_with_epilogue_op if op == CONV else depthwise_with_epilogue_op
    fused = function(x, filters, operands, steps=steps, **ATTRS)
    plain = tf.raw_ops.Conv2D if op == CONV else tf.raw_ops.DepthwiseConv2dNative
    return fused.numpy(), one_by_one(plain(input=x, filter=filters, **ATTRS), steps, operands)


@pytest.mark.parametrize("steps", STEPS, ids="-".join)
@pytest.mark.parametrize("shape", [(3, 17, 13, 16), (2, 9, 11, 37)], ids=str)
@pytest.mark.parametrize("op", [CONV, DEPTHWISE])
def test_the_result_is_that_of_the_steps(kernel: str, op: str, shape: tuple[int, ...], steps: list[str]) -> None:
    x, operands = inputs_of(steps, shape)
    sizes = (3, 3, shape[-1], shape[-1]) if op == CONV else (3, 3, shape[-1], 1)
    filters = np.random.RandomState(1).normal(size=sizes).astype(np.float32)
    found, expected = both(op, x, filters, steps, operands)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("steps", STEPS, ids="-".join)
@pytest.mark.parametrize("op", [CONV, DEPTHWISE])
def test_nan_and_infinities_stay(kernel: str, op: str, steps: list[str]) -> None:
    x, operands = inputs_of(steps, (2, 12, 12, 16))
    x[0, 3, 4, 5], x[1, 2, 3, 4], x[1, 9, 9, 1] = np.nan, np.inf, -np.inf
    for operand in operands:
        operand.reshape(-1)[-3:] = np.nan, np.inf, -np.inf
    filters = np.random.RandomState(1).normal(size=(3, 3, 16, 16 if op == CONV else 1)).astype(np.float32)
    with np.errstate(all="ignore"):
        found, expected = both(op, x, filters, steps, operands)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_operands_that_broadcast_differently_are_steps_one_by_one(kernel: str) -> None:
    x, _ = inputs_of([], (1, 12, 12, 16))
    filters = np.ones((1, 1, 16, 16), np.float32)
    for shape in [(4, 1, 1, 16), (1, 12, 12, 1), (12, 16), (1,), ()]:
        found, expected = both(CONV, x, filters, ["add", "relu"], [np.full(shape, -0.5, np.float32)])
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_arrays_in_another_order_are_taken(kernel: str) -> None:
    x, operands = inputs_of(["add", "add", "add"], (12, 12, 2, 16))
    filters = np.random.RandomState(1).normal(size=(3, 3, 16, 16)).astype(np.float32)
    turned = [np.transpose(a, (2, 0, 1, 3)) for a in (x, operands[-1])]
    found, expected = both(CONV, turned[0], filters, ["add", "relu"], [turned[1]])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("steps", "operands", "message"),
    [
        (["tanh"], [], "must be among"),
        (["add"], [], "take 1 operands; received: 0"),
        (["relu"], [[1.0]], "received: 1"),
    ],
)
def test_steps_and_operands_must_fit(steps: list[str], operands: list[Any], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        both(CONV, np.ones((1, 2, 2, 1), np.float32), np.ones((1, 1, 1, 1), np.float32), steps, operands)

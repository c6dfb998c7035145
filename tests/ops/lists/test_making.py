"""Lists from tensors, and tensors from lists: both engines agree, gradients are those of finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram

raw = tf.raw_ops
F64 = {"element_dtype": tf.float64}


def rows(x: Any) -> Any:
    return raw.TensorListFromTensor(tensor=x, element_shape=-1)


def stacked(handle: Any, shape: Any = (2,)) -> Any:
    return raw.TensorListStack(input_handle=handle, element_shape=list(shape), **F64)


def reserved(count: int) -> Any:
    return raw.TensorListReserve(element_shape=[2], num_elements=count, **F64)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "stack": lambda x: stacked(rows(x)),
    "get": lambda x: raw.TensorListGetItem(input_handle=rows(x), index=1, element_shape=[2], **F64),
    "set": lambda x: stacked(raw.TensorListSetItem(input_handle=rows(x), index=0, item=x[2] * 3.0)),
    "push": lambda x: stacked(raw.TensorListPushBack(input_handle=rows(x), tensor=x[0] * 2.0)),
    "pop": lambda x: raw.TensorListPopBack(input_handle=rows(x), element_shape=[2], **F64)[1],
    "rest": lambda x: stacked(raw.TensorListPopBack(input_handle=rows(x), element_shape=[2], **F64)[0]),
    "gather": lambda x: raw.TensorListGather(input_handle=rows(x), indices=[2, 0, 2], element_shape=[2], **F64),
    "scatter": lambda x: stacked(
        raw.TensorListScatterV2(tensor=x, indices=[2, 0, 3], element_shape=-1, num_elements=5)
    ),
    "scatter, as short as possible": lambda x: stacked(
        raw.TensorListScatter(tensor=x, indices=[2, 0, 1], element_shape=-1)
    ),
    "scatter into": lambda x: stacked(
        raw.TensorListScatterIntoExistingList(input_handle=rows(x), tensor=x[:2] * 2.0, indices=[2, 0])
    ),
    "split and concat": lambda x: raw.TensorListConcatV2(
        input_handle=raw.TensorListSplit(
            tensor=tf.reshape(x, [6]), element_shape=-1, lengths=tf.constant([3, 3], tf.int64)
        ),
        element_shape=-1,
        leading_dims=tf.zeros([0], tf.int64),
        **F64,
    )[0],
    "resize": lambda x: stacked(raw.TensorListResize(input_handle=rows(x), size=2)),
    "unset": lambda x: stacked(raw.TensorListSetItem(input_handle=reserved(3), index=1, item=x[0])),
    "sum": lambda x: stacked(tf.add_n([rows(x), rows(x * x)])),
}

MODES = [
    pytest.param(lambda f: f, id="eager"),
    pytest.param(lambda f: tf.function(f, autograph=False), id="graph"),
    pytest.param(lambda f: tf.function(f, autograph=False, jit_compile=True), id="xla", marks=pytest.mark.xla),
]
X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", MODES)
def test_gradients_are_those_of_finite_differences_on_every_engine(program: str, mode: Any) -> None:
    run = PROGRAMS[program]

    def total(x: Any) -> Any:
        y = run(x)
        weights = tf.reshape(tf.cast(tf.range(tf.size(y)) + 1, tf.float64), tf.shape(y))
        return tf.reduce_sum(y * y * weights)

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = mode(total)(x)
    found = tape.gradient(y, x).numpy()
    expected = np.zeros_like(X)
    for index in np.ndindex(*X.shape):
        step = np.zeros_like(X)
        step[index] = 1e-6
        expected[index] = (float(total(tf.constant(X + step))) - float(total(tf.constant(X - step)))) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_pushing_on_a_vector_of_lists() -> None:
    handles = tf.stack([rows(tf.constant(X)), reserved(1)])
    pushed = raw.TensorListPushBackBatch(input_handles=handles, tensor=X[:2])
    assert pushed.shape == [2]
    assert [int(raw.TensorListLength(input_handle=h)) for h in tf.unstack(pushed)] == [4, 2]
    assert stacked(tf.unstack(pushed)[1]).numpy().tolist() == [[0.0, 0.0], [3.0, 4.0]]


_OPS = {
    "stack": "TensorListStack",
    "get": "TensorListGetItem",
    "set": "TensorListSetItem",
    "push": "TensorListPushBack",
    "pop": "TensorListPopBack",
    "rest": "TensorListFromTensor",
    "gather": "TensorListGather",
    "scatter": "TensorListScatterV2",
    "scatter, as short as possible": "TensorListScatter",
    "scatter into": "TensorListScatterIntoExistingList",
    "split and concat": "TensorListSplit",
    "resize": "TensorListResize",
}

GRADIENT_PROGRAMS = [
    *(GradientProgram(op, PROGRAMS[program], [X]) for program, op in _OPS.items()),
    GradientProgram("TensorListConcatV2", PROGRAMS["split and concat"], [X]),
    GradientProgram(
        "TensorListConcat",
        lambda x: raw.TensorListConcat(
            input_handle=raw.TensorListSplit(tensor=x, element_shape=-1, lengths=np.int64([1, 0, 2])), **F64
        )[0],
        [X],
        xla=False,  # there lists are dense arrays, and pieces of different lengths do not fit
    ),
    GradientProgram(
        "TensorListSetItem",
        lambda x: stacked(raw.TensorListSetItem(input_handle=reserved(3), index=1, item=x[0] * x[1])),
        [X],
    ),
]

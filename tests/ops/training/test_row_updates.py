"""Steps of optimizers that update rows of variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.training.recorded import STEPS
from tests.ops.training.stepping import after_two_steps

SPARSE = [step for step in STEPS if "Sparse" in step[0]]


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("step", SPARSE, ids=lambda step: f"{step[0]}{step[3] or ''}")
def test_two_steps_end_where_tensorflows_do(step: Any, in_function: bool) -> None:
    wrap = tf.function if in_function else None
    np.testing.assert_allclose(after_two_steps(*step[:4], wrap=wrap), step[4], atol=2e-5)


@pytest.mark.parametrize(
    ("grad", "indices", "message"),
    [
        (np.ones((1, 2)), [5], "Index 5 at offset 0 in indices is out of range"),
        (np.ones((1, 2)), [-1], "Index -1 at offset 0 in indices is out of range"),
        (np.ones((2, 2)), [0], "grad must be the same size as indices in the first dimension|must be equal"),
        (np.ones((1, 3)), [0], "must match in dimensions other than the first|must be equal"),
        (np.ones((1, 2)), [[0]], "indices must be one-dimensional|must be rank 1"),
    ],
)
def test_rows_that_do_not_fit_are_refused(grad: Any, indices: Any, message: str) -> None:
    variables = [tf.Variable(np.ones((3, 2))) for _ in range(2)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.ResourceSparseApplyMomentum(
            var=variables[0].handle,
            accum=variables[1].handle,
            lr=np.float64(1),
            momentum=np.float64(1),
            grad=grad,
            indices=indices,
        )
    assert (variables[0].numpy() == 1).all()


def test_no_rows_change_nothing() -> None:
    variable = tf.Variable(np.ones((3, 2)))
    tf.raw_ops.ResourceSparseApplyProximalGradientDescent(
        var=variable.handle,
        alpha=np.float64(1),
        l1=np.float64(1),
        l2=np.float64(1),
        grad=np.zeros((0, 2)),
        indices=np.int32([]),
    )
    assert (variable.numpy() == 1).all()

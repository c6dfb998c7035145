"""Steps of optimizers that update whole variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.training.recorded import STEPS
from tests.ops.training.stepping import after_two_steps, arguments

DENSE = [step for step in STEPS if "Sparse" not in step[0]]


@pytest.mark.parametrize("step", DENSE, ids=lambda step: f"{step[0]}{step[3] or ''}")
def test_two_steps_end_where_tensorflows_do(step: Any) -> None:
    np.testing.assert_allclose(after_two_steps(*step[:4]), step[4], atol=2e-5)


@pytest.mark.xla
@pytest.mark.parametrize("step", DENSE, ids=lambda step: f"{step[0]}{step[3] or ''}")
def test_xla_takes_the_same_steps(step: Any) -> None:
    compiled = after_two_steps(*step[:4], wrap=lambda f: tf.function(f, jit_compile=True))
    np.testing.assert_allclose(compiled, step[4], atol=2e-5)


def test_every_op_has_a_record() -> None:
    names = {name for name in dir(tf.raw_ops) if name.startswith(("ResourceApply", "ResourceSparseApply"))}
    assert names == {step[0] for step in STEPS}


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_shapes_that_do_not_agree_are_refused(mode: str) -> None:
    variables, keywords = arguments("ResourceApplyMomentum", ["accum"], {"lr": 0.1, "momentum": 0.9})
    assert len(variables) == 2
    for wrong in ({"grad": np.ones((2, 2))}, {"lr": np.ones(2)}, {"accum": tf.Variable(np.ones(3)).handle}):

        def step(wrong: Any = wrong) -> None:
            tf.raw_ops.ResourceApplyMomentum(**{**keywords, **wrong})

        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=r"[Ss]hape|scalar"):
            (tf.function(step) if mode == "function" else step)()


def test_a_variable_of_another_dtype_is_refused() -> None:
    variable = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the dtype of the gradient"):
        tf.raw_ops.ResourceApplyGradientDescent(var=variable.handle, alpha=np.float64(1), delta=np.ones(2))

"""The error function, the gamma function and their relatives."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import FLOATS, at_zero, binary, unary

SAMPLES = [
    *unary("Erf", FLOATS),
    *unary("Erfc", FLOATS),
    *unary("Erfinv", FLOATS, -0.8, 0.8),
    *unary("Ndtri", FLOATS, 0.1, 0.9),
    *unary("Lgamma", FLOATS, 0.5, 4.0),
    *unary("Digamma", FLOATS, 0.5, 4.0),
    *binary("Zeta", ("float32", "float64"), 1.5, 4.0, grad=False),
    Sample("Zeta", (np.float64([2.5, 3.0]), np.float64([1.0, 2.0])), rtol=1e-6, grad=True, held=("x",)),
    Sample("Polygamma", (np.float32([0, 1, 2]), np.float32([2.0, 3.0, 1.5])), rtol=1e-4),
    Sample("Polygamma", (np.float64([[0], [3]]), np.float64([2.0, 3.0])), rtol=1e-8, grad=True, held=("a",)),
    Sample("Betainc", (np.float32([1.0, 2.0]), np.float32([2.0, 3.0]), np.float32([0.3, 0.6])), rtol=1e-4),
    *(
        Sample("Betainc", (np.float64(1.5), np.float64([2.0, 3.0]), x), rtol=1e-8, grad=True, held=("a", "b"))
        for x in (np.float64(0.4), np.float64([0.2, 0.7]))
    ),
]

GRADIENT_SAMPLES = [s for op in ("Erf", "Erfc", "Erfinv") for s in at_zero(op, "float64")]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.lbeta([0.5, 1., 2.])", "float32", -0.6286087),
    ("tf.math.lbeta([])", "float32", -inf),
    ("tf.math.polygamma(c([0., 1., 2.]), c(2.))", "float32", [0.4227842, 0.6449341, -0.4041138]),
    ("tf.math.polygamma(-1., c(2.))", "float32", nan),
    ("tf.math.polygamma(1.5, c(2.))", "float32", nan),
    ("tf.math.zeta([2., 0.5, 1.], 1.)", "float32", [1.644934, nan, inf]),
    ("tf.math.betainc(1., 2., [0., 0.5, 1., 1.5])", "float32", [0.0, 0.75, 1.0, nan]),
    ("tf.math.lgamma([0., -1., -0.5, 3.])", "float32", [inf, inf, 1.265512, 0.6931472]),
    ("tf.math.digamma([0., -1., -0.5, 3.])", "float32", [nan, nan, 0.03648996, 0.9227842]),
    ("tf.math.erfinv([0., 1., -1., 2.])", "float32", [0.0, inf, -inf, nan]),
    ("tf.math.erfcinv([0., 1., 2., 3.])", "float32", [inf, -0.0, -inf, nan]),
    ("tf.math.ndtri([0., 1., 0.5, 2.])", "float32", [-inf, inf, 0.0, nan]),
    ("tf.math.zeta(c([0.5, 1.5, 2., -1.]), c([1., -0.5, -1., 1.]))", "float32", [nan, nan, inf, nan]),
    ("tf.math.erfc(c([0.5, -np.inf]))", "float32", [0.4795001, 2.0]),
    ("tf.math.lgamma(c([1e10, -np.inf]))", "float32", [220258500000.0, inf]),
    (
        "tf.math.erf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-1.0, -0.8438, -0.2754], [0.5195, 0.9883, 1.0]],
    ),
    (
        "tf.math.erf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.99951, -0.84277, -0.27637], [0.52051, 0.98682, 1.0]],
    ),
    (
        "tf.math.erf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.999593, -0.8427008, -0.2763264], [0.5204999, 0.9866716, 0.999978]],
    ),
    (
        "tf.math.erf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.999593047983, -0.84270079295, -0.276326390168], [0.520499877813, 0.986671671219, 0.999977909503]],
    ),
    (
        "tf.math.erfc(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[2.0, 1.844, 1.273], [0.4805, 0.01331, 2.205e-05]],
    ),
    (
        "tf.math.erfc(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[2.0, 1.8428, 1.2764], [0.47949, 0.013329, 2.2113e-05]],
    ),
    (
        "tf.math.erfc(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[1.999593, 1.842701, 1.276326], [0.4795001, 0.01332833, 2.20905e-05]],
    ),
    (
        "tf.math.erfc(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[1.99959304798, 1.84270079295, 1.27632639017], [0.479500122187, 0.0133283287808, 2.20904969986e-05]],
    ),
    (
        "tf.math.erfinv(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float32))",
        "float32",
        [[-0.8134199, -0.4769363, -0.2253121], [0.0, 0.4769363, 1.084787]],
    ),
    (
        "tf.math.erfinv(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float64))",
        "float64",
        [[-0.813419847598, -0.476936276204, -0.225312055012], [0.0, 0.476936276204, 1.08478704007]],
    ),
    (
        "tf.math.ndtri(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float32))",
        "float32",
        [[nan, nan, nan], [-inf, 0.0, 1.150349]],
    ),
    (
        "tf.math.ndtri(c([[-0.75, -0.5, -.25], [0., 0.5, 0.875]], tf.float64))",
        "float64",
        [[nan, nan, nan], [-inf, 0.0, 1.15034938038]],
    ),
    (
        "tf.math.lgamma(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.056244, inf, 1.5898], [0.57227, -0.084412, 0.69336]],
    ),
    (
        "tf.math.lgamma(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-0.05624371, inf, 1.589575], [0.5723649, -0.08440112, 0.6931472]],
    ),
    (
        "tf.math.lgamma(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.0562437164977, inf, 1.58957531255], [0.572364942925, -0.0844011210205, 0.69314718056]],
    ),
    (
        "tf.math.digamma(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[-4.2266, -1.9639, -1.0859], [-0.22742, 0.42285, 1.1035]],
    ),
    (
        "tf.math.digamma(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[-4.227454, -1.963511, -1.08586], [-0.2274537, 0.4227842, 1.103157]],
    ),
    (
        "tf.math.digamma(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[-4.22745353338, -1.96351002602, -1.08586087979], [-0.227453533376, 0.422784335098, 1.10315664065]],
    ),
    (
        "tf.math.zeta(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[inf, 6.333968, 3.297034], [1.197329, 0.2020569, 0.005708011]],
    ),
    (
        "tf.math.polygamma(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[17.19733, nan, nan], [-1.32774, 0.4939394, nan]],
    ),
    (
        "tf.math.polygamma(c([0., 1., 2.], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[-4.227454, 4.934802, -5.302634], [-0.2274537, 0.6449341, -0.1082041]],
    ),
    (
        "tf.math.betainc(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float32), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32), c(0.3, tf.float32))",
        "float32",
        [[0.08530878, 0.1117192, 0.1202689], [0.1196097, 0.08369999, 0.06400662]],
    ),
    (
        "tf.math.zeta(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[inf, 6.33396752921, 3.29703413278], [1.19732915451, 0.20205690316, 0.00570801129383]],
    ),
    (
        "tf.math.polygamma(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[17.1973291545, nan, nan], [-1.32773993754, 0.493939402267, nan]],
    ),
    (
        "tf.math.polygamma(c([0., 1., 2.], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[-4.22745353338, 4.93480220054, -5.30263321634], [-0.227453533376, 0.644934066848, -0.108204051642]],
    ),
    (
        "tf.math.betainc(c([[1., 1.25, 1.5], [2., 3., 4.5]], tf.float64), c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64), c(0.3, tf.float64))",
        "float64",
        [[0.0853087807713, 0.111719259392, 0.120268944548], [0.119609701492, 0.0837, 0.0640066112357]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.math.betainc, [1., 2.], [2., 3.], [.3, .4])", [None, None, [1.4, 1.728]]),
    ("grads(tf.math.polygamma, [1., 2.], [2., 3.])", [None, [-0.4041138, 0.1189394]]),
    ("grads(tf.math.zeta, [2.5, 2.], [2., 3.])", [None, [-0.3168347, -0.1541138]]),
    ("grads(tf.math.erf, [.3, 1.])", [[1.031261, 0.4151075]]),
    ("grads(tf.math.erfc, [.3, 1.])", [[-1.031261, -0.4151075]]),
    ("grads(tf.math.ndtri, [.3])", [[2.876104]]),
    ("grads(tf.math.erfinv, [.3])", [[0.9545203]]),
    ("grads(tf.math.erfcinv, [.3])", [[-1.516363]]),
    ("grads(tf.math.lgamma, [.3])", [[-3.502524]]),
    ("grads(tf.math.digamma, [.3])", [[12.24536]]),
    ("grads(tf.math.lbeta, [.3, .4])", [[-2.2825, -1.341361]]),
]

ERRORS = [
    (
        "tf.math.lbeta(c(0.5))",
        "eager",
        "InvalidArgumentError",
        "Invalid reduction dimension (-1 for input with 0 dimension(s",
    ),
    ("tf.math.lbeta(c(0.5))", "function", "ValueError", "Invalid reduction dimension -1 for input with 0 dimensions."),
    (
        "tf.math.betainc([1., 2.], [1., 2., 3.], 0.5)",
        "eager",
        "InvalidArgumentError",
        "Shapes of a and b are inconsistent: [2] vs. [3]",
    ),
    (
        "tf.math.betainc([1., 2.], [[1., 2.]], 0.5)",
        "eager",
        "InvalidArgumentError",
        "Shapes of a and b are inconsistent: [2] vs. [1,2]",
    ),
    (
        "tf.math.erf(c([1], tf.int32))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.math.erf(c([1], tf.int32))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType int32 not in list",
    ),
    ("tf.math.erf(1)", "eager", "InvalidArgumentError", "Value for attr 'T' of int32 is not in the list of allowed va"),
    ("tf.math.erf(1)", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    (
        "tf.math.lgamma([1])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.math.lgamma([1])", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    (
        "tf.math.zeta(1, 2)",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.math.zeta(1, 2)", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)

"""Einstein summation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, numbers

PAIRS = (
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("...ij,jk->...ik", (2, 2, 3), (3, 2)),
    ("...i,...i->...", (1, 3), (2, 3)),
    ("ij,kl->jl", (2, 3), (3, 2)),
    ("iij,jk->ik", (2, 2, 3), (3, 2)),
    ("i,->i", (3,), ()),
    ("ij...,jk->k...i", (2, 3, 2), (3, 2)),
    ("i...,...j->...ij", (2, 3), (3, 2)),
)
SINGLES = (
    ("ij->ji", (2, 3)),
    ("ii->", (3, 3)),
    ("ii->i", (3, 3)),
    ("ij->i", (2, 3)),
    ("i->ii", (3,)),
    ("...ij->...", (2, 2, 3)),
)
SAMPLES = [
    *(
        Sample(
            "Einsum", ([numbers(d, a), numbers(d, b, seed=1)],), {"equation": e}, grad=d in ("float64", "complex128")
        )
        for e, a, b in PAIRS
        for d in ("float32", "float64")
    ),
    *(Sample("Einsum", ([numbers("float64", a)],), {"equation": e}, grad=True) for e, a in SINGLES),
    *(
        Sample(
            "Einsum",
            ([numbers(d, (2, 3)), numbers(d, (3, 2), seed=1)],),
            {"equation": "ij,jk->ik"},
            grad=d == "complex128",
        )
        for d in ("bfloat16", "float16", "int32", "int64", *COMPLEX)
    ),
    Sample("Einsum", ([numbers("float32", (0, 3)), numbers("float32", (3, 2))],), {"equation": "ij,jk->ik"}),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.einsum('ij,jk',tf.ones([2,3]),tf.ones([3,2]))", "float32", [[3.0, 3.0], [3.0, 3.0]]),
    ("tf.einsum('i j , j k -> i k',tf.ones([2,3]),tf.ones([3,2]))", "float32", [[3.0, 3.0], [3.0, 3.0]]),
    ("tf.einsum('Ij,jA->AI',tf.ones([2,3]),tf.ones([3,2]))", "float32", [[3.0, 3.0], [3.0, 3.0]]),
    ("tf.einsum('...i,...i->...',tf.ones([2,3]),tf.ones([2,3]))", "float32", [3.0, 3.0]),
    ("tf.einsum('ii->i',tf.ones([2,2]))", "float32", [1.0, 1.0]),
    ("tf.einsum('ij,jk->ik',c([[1]],tf.int64),c([[1]],tf.int64))", "int64", [[1]]),
    ("tf.einsum('ij->j',tf.ones([2,3]),optimize='optimal')", "float32", [2.0, 2.0, 2.0]),
    ("tf.einsum('ij->j',tf.ones([2,3]),optimize='bad')", "float32", [2.0, 2.0, 2.0]),
    ("tf.einsum('->',c(2.))", "float32", 2.0),
    ("tf.einsum(',->',c(2.),c(3.))", "float32", 6.0),
    ("tf.einsum('i,->i',c([2.]),c(3.))", "float32", [6.0]),
    ("tf.raw_ops.Einsum(inputs=[c([1.,2.])],equation='i->ii')", "float32", [[1.0, 0.0], [0.0, 2.0]]),
    ("tf.raw_ops.Einsum(inputs=[c([[1.,2.]])],equation='i...->...')", "float32", [1.0, 2.0]),
    (
        "tf.raw_ops.Einsum(inputs=[c([[1.,2.]]),c([1.,2.])],equation='...i,...->...i')",
        "float32",
        [[1.0, 2.0], [2.0, 4.0]],
    ),
    (
        "tf.einsum('...ij,jk->...ik',tf.ones([2,2,3]),tf.ones([3,5]))",
        "float32",
        [
            [[3.0, 3.0, 3.0, 3.0, 3.0], [3.0, 3.0, 3.0, 3.0, 3.0]],
            [[3.0, 3.0, 3.0, 3.0, 3.0], [3.0, 3.0, 3.0, 3.0, 3.0]],
        ],
    ),
    ("tf.einsum('ba',tf.ones([2,3]))", "float32", [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
    ("tf.einsum('bA',tf.ones([2,3]))", "float32", [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
    ("tf.einsum('...',tf.ones([2,3]))", "float32", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
    ("tf.einsum('...ij',tf.ones([2,3]))", "float32", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
    ("tf.einsum('i...->...i',tf.ones([2,3]))", "float32", [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
    ("tf.einsum('...->...',c(1.))", "float32", 1.0),
    ("tf.einsum('',c(1.))", "float32", 1.0),
    (
        "tf.einsum('ij,kj->ki',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.bfloat16),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.bfloat16))",
        "bfloat16",
        [[0.875, 3.938], [3.938, 17.75]],
    ),
    ("tf.einsum('ij->j',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.bfloat16))", "bfloat16", [1.5, 2.5, 4.25]),
    (
        "tf.einsum('ij,ij->ij',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.bfloat16),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.bfloat16))",
        "bfloat16",
        [[0.0625, 0.25, 0.5625], [1.562, 4.0, 12.25]],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float16),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float16))",
        "float16",
        [[0.875, 3.9375], [3.9375, 17.812]],
    ),
    ("tf.einsum('ij->j',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float16))", "float16", [1.5, 2.5, 4.25]),
    (
        "tf.einsum('ij,ij->ij',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float16),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float16))",
        "float16",
        [[0.0625, 0.25, 0.5625], [1.5625, 4.0, 12.25]],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float32),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float32))",
        "float32",
        [[0.875, 3.9375], [3.9375, 17.8125]],
    ),
    ("tf.einsum('ij->j',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float32))", "float32", [1.5, 2.5, 4.25]),
    (
        "tf.einsum('ij,ij->ij',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float32),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float32))",
        "float32",
        [[0.0625, 0.25, 0.5625], [1.5625, 4.0, 12.25]],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float64),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float64))",
        "float64",
        [[0.875, 3.9375], [3.9375, 17.8125]],
    ),
    ("tf.einsum('ij->j',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float64))", "float64", [1.5, 2.5, 4.25]),
    (
        "tf.einsum('ij,ij->ij',c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float64),c([[0.25,0.5,0.75],[1.25,2.,3.5]],tf.float64))",
        "float64",
        [[0.0625, 0.25, 0.5625], [1.5625, 4.0, 12.25]],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[1,2,3],[4,5,6]],tf.int32),c([[1,2,3],[4,5,6]],tf.int32))",
        "int32",
        [[14, 32], [32, 77]],
    ),
    ("tf.einsum('ij->j',c([[1,2,3],[4,5,6]],tf.int32))", "int32", [5, 7, 9]),
    (
        "tf.einsum('ij,ij->ij',c([[1,2,3],[4,5,6]],tf.int32),c([[1,2,3],[4,5,6]],tf.int32))",
        "int32",
        [[1, 4, 9], [16, 25, 36]],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[1,2,3],[4,5,6]],tf.int64),c([[1,2,3],[4,5,6]],tf.int64))",
        "int64",
        [[14, 32], [32, 77]],
    ),
    ("tf.einsum('ij->j',c([[1,2,3],[4,5,6]],tf.int64))", "int64", [5, 7, 9]),
    (
        "tf.einsum('ij,ij->ij',c([[1,2,3],[4,5,6]],tf.int64),c([[1,2,3],[4,5,6]],tf.int64))",
        "int64",
        [[1, 4, 9], [16, 25, 36]],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex64),c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex64))",
        "complex64",
        [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
    ),
    (
        "tf.einsum('ij->j',c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex64))",
        "complex64",
        [complex(1.5, 0.0), complex(2.5, 0.0), complex(4.25, 0.0)],
    ),
    (
        "tf.einsum('ij,ij->ij',c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex64),c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex64))",
        "complex64",
        [
            [complex(-0.9375, 0.5), complex(0.25, 0.0), complex(0.5625, 0.0)],
            [complex(0.5625, -2.5), complex(4.0, 0.0), complex(12.25, 0.0)],
        ],
    ),
    (
        "tf.einsum('ij,kj->ki',c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex128),c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex128))",
        "complex128",
        [[complex(-0.125, 0.5), complex(4.9375, 1.0)], [complex(4.9375, 1.0), complex(16.8125, -2.5)]],
    ),
    (
        "tf.einsum('ij->j',c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex128))",
        "complex128",
        [complex(1.5, 0.0), complex(2.5, 0.0), complex(4.25, 0.0)],
    ),
    (
        "tf.einsum('ij,ij->ij',c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex128),c([[0.25+1j,0.5,0.75],[1.25-1j,2.,3.5]],tf.complex128))",
        "complex128",
        [
            [complex(-0.9375, 0.5), complex(0.25, 0.0), complex(0.5625, 0.0)],
            [complex(0.5625, -2.5), complex(4.0, 0.0), complex(12.25, 0.0)],
        ],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    (
        "grads(lambda a,b: tf.einsum('ij,jk->ik',a,b),[[1.,2.],[3.,4.]],[[5.,6.],[1.,2.]])",
        [[[11.0, 3.0], [11.0, 3.0]], [[4.0, 4.0], [6.0, 6.0]]],
    ),
    (
        "grads(lambda a,b: tf.einsum('bij,bjk->bik',a,b),[[[1.,2.],[3.,4.]]],[[[5.,6.],[1.,2.]]])",
        [[[[11.0, 3.0], [11.0, 3.0]]], [[[4.0, 4.0], [6.0, 6.0]]]],
    ),
    (
        "grads(lambda a,b: tf.einsum('...i,...i->...',a,b),[[1.,2.]],[[3.,4.],[5.,6.]])",
        [[[8.0, 10.0]], [[1.0, 2.0], [1.0, 2.0]]],
    ),
    ("grads(lambda a: tf.einsum('ii',a),[[1.,2.],[3.,4.]])", [[[1.0, 0.0], [0.0, 1.0]]]),
    ("grads(lambda a: tf.einsum('ii->i',a)*c([2.,3.]),[[1.,2.],[3.,4.]])", [[[2.0, 0.0], [0.0, 3.0]]]),
    ("grads(lambda a: tf.einsum('ij->i',a)*c([2.,3.]),[[1.,2.],[3.,4.]])", [[[2.0, 2.0], [3.0, 3.0]]]),
    ("grads(lambda a: tf.einsum('ij->',a),[[1.,2.],[3.,4.]])", [[[1.0, 1.0], [1.0, 1.0]]]),
    (
        "grads(lambda a,b: tf.einsum('ij,kl->jl',a,b),[[1.,2.],[3.,4.]],[[5.,6.],[1.,2.]])",
        [[[14.0, 14.0], [14.0, 14.0]], [[10.0, 10.0], [10.0, 10.0]]],
    ),
    (
        "grads(lambda a,b: tf.einsum('iij,jk->k',a,b),[[[1.,2.],[3.,4.]],[[1.,2.],[3.,5.]]],[[5.,6.],[1.,2.]])",
        [[[[11.0, 3.0], [0.0, 0.0]], [[0.0, 0.0], [11.0, 3.0]]], [[4.0, 4.0], [7.0, 7.0]]],
    ),
    (
        "grads(lambda a,b: tf.einsum('i...,...j->...ij',a,b),[[1.,2.]],[[3.,4.],[5.,6.]])",
        [[[7.0, 11.0]], [[1.0, 1.0], [2.0, 2.0]]],
    ),
    (
        "grads(lambda a,b: tf.einsum('ij...,jk->ik...',a,b),[[[1.],[2.]]],[[3.,4.],[5.,6.]])",
        [[[[7.0], [11.0]]], [[1.0, 1.0], [2.0, 2.0]]],
    ),
    (
        "grads(lambda a,b: tf.einsum('ij,jk->ik',a,b),[[1.+2j]],[[5.-1j]])",
        [[[complex(5.0, 1.0)]], [[complex(1.0, -2.0)]]],
    ),
    (
        "grads(lambda a,b,d: tf.einsum('ij,jk,kl->il',a,b,d),[[1.,2.],[3.,4.]],[[5.,6.],[1.,2.]],[[1.],[2.]])",
        [[[17.0, 5.0], [17.0, 5.0]], [[4.0, 8.0], [6.0, 12.0]], [[26.0], [36.0]]],
    ),
]

ERRORS = [
    (
        "tf.einsum('ij,jk->ik',tf.ones([2,3]),tf.ones([2,3]))",
        "eager",
        "InvalidArgumentError",
        "Expected dimension 3 at axis 0 of the input shaped [2,3] but",
    ),
    (
        "tf.einsum('ij,jk->ik',tf.ones([2,3]),tf.ones([2,3]))",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 3 and 2",
    ),
    (
        "tf.einsum('ij->k',tf.ones([2,3]))",
        "function",
        "ValueError",
        "Output subscripts contain the label k not present in the inp",
    ),
    (
        "tf.einsum('ij->ii',tf.ones([2,2]))",
        "eager",
        "ValueError",
        "Output subscripts contain a label appearing more than once:",
    ),
    (
        "tf.einsum('i->ii',tf.ones([2]))",
        "eager",
        "ValueError",
        "Output subscripts contain a label appearing more than once:",
    ),
    (
        "tf.einsum('ij,jk->ik',tf.ones([2,3]))",
        "eager",
        "ValueError",
        'Got 1 inputs for equation "ij,jk->ik", expecting 2',
    ),
    (
        "tf.einsum('ij,jk->ik',tf.ones([2,3]))",
        "function",
        "ValueError",
        'Got 1 inputs for equation "ij,jk->ik", expecting 2',
    ),
    ("tf.einsum('ijk->ik',tf.ones([2,3]))", "function", "ValueError", "Shape must be rank 3 but is rank 2"),
    ("tf.einsum('ij->->k',tf.ones([2,3]))", "eager", "ValueError", "Subscripts have incorrect format: ij->->k"),
    ("tf.einsum('i.j->ij',tf.ones([2,3]))", "eager", "ValueError", "Subscripts have incorrect format: i.j->ij"),
    ("tf.einsum('1->',tf.ones([2]))", "eager", "ValueError", "Subscripts have incorrect format: 1->"),
    ("tf.einsum('1->',tf.ones([2]))", "function", "ValueError", "Subscripts have incorrect format: 1->"),
    (
        "tf.einsum('...i,i...',tf.ones([2,3]),tf.ones([3,2]))",
        "function",
        "ValueError",
        "Shape must be at most rank 0 but is rank 1",
    ),
    (
        "tf.einsum('...i,...j->ij',tf.ones([2,3]),tf.ones([2,3]))",
        "function",
        "ValueError",
        "Shape must be at most rank 0 but is rank 1",
    ),
    (
        "tf.einsum('iij->ij',tf.ones([2,3,2]))",
        "eager",
        "InvalidArgumentError",
        "Expected dimension 2 at axis 1 of the input shaped [2,3,2] b",
    ),
    (
        "tf.einsum('ij,jk',c([[1]]),c([[1.]]))",
        "eager",
        "InvalidArgumentError",
        "cannot compute Einsum as input #1(zero-based) was expected t",
    ),
    (
        "tf.einsum('ij,jk',c([[1]]),c([[1.]]))",
        "function",
        "TypeError",
        "Tensors in list passed to 'inputs' of 'Einsum' Op have types",
    ),
    (
        "tf.einsum('ij->j',tf.ones([2,3]),foo=1)",
        "function",
        "TypeError",
        "Invalid keyword arguments for einsum: foo. Valid arguments:",
    ),
    (
        "tf.raw_ops.Einsum(inputs=[tf.ones([2,3]),tf.ones([3,2]),tf.ones([2,2])],equation='ij,jk,kl->il')",
        "function",
        "ValueError",
        "Expecting 1 or 2 input subscripts in equation 'ij,jk,kl->il'",
    ),
    (
        "tf.raw_ops.Einsum(inputs=[tf.ones([2,3])],equation='ij')",
        "eager",
        "InvalidArgumentError",
        "Expecting exactly one '->' in einsum equation: ij",
    ),
    (
        "tf.einsum('ij,ij->ij',tf.ones([1,3]),tf.ones([2,3]))",
        "eager",
        "InvalidArgumentError",
        "Expected dimension 1 at axis 0 of the input shaped [2,3] but",
    ),
    (
        "tf.einsum('ij,ij->ij',tf.ones([1,3]),tf.ones([2,3]))",
        "function",
        "ValueError",
        "Dimensions must be equal, but are 1 and 2",
    ),
    ("tf.einsum('ij->',c([[1.]]),c(1.))", "function", "ValueError", 'Got 2 inputs for equation "ij->", expecting 1'),
    ("tf.einsum('i..j',c([[1.]]))", "function", "ValueError", "Subscripts have incorrect format: i..j"),
    (
        "tf.raw_ops.Einsum(inputs=[c([[1.]])],equation='ij,jk->k')",
        "eager",
        "InvalidArgumentError",
        "Expected 2 inputs but got: 1",
    ),
    ("tf.einsum('ij')", "eager", "ValueError", 'Got 0 inputs for equation "ij", expecting 1'),
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


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("ab,bc,cd,de->ae", [(2, 3), (3, 4), (4, 5), (5, 2)]),
        ("i,j,k->ijk", [(2,), (3,), (4,)]),
        ("...ij,...jk,...kl->...il", [(2, 2, 3), (1, 3, 4), (4, 5)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("ij,ij,ij->", [(2, 3), (2, 3), (2, 3)]),
    ],
)
def test_equations_agree_with_numpy(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands = [numbers("float64", shape, seed=i) for i, shape in enumerate(shapes)]
    for optimize in ("greedy", "optimal"):
        result = tf.einsum(equation, *operands, optimize=optimize)
        np.testing.assert_allclose(result.numpy(), np.einsum(equation, *operands), rtol=1e-10)


@given(st.data())
def test_random_equations_agree_with_numpy(data: st.DataObject) -> None:
    sizes = dict(zip("abcd", (2, 3, 1, 2), strict=True))
    first = data.draw(st.lists(st.sampled_from("abcd"), max_size=4, unique=True))
    second = data.draw(st.lists(st.sampled_from("abcd"), max_size=4, unique=True))
    output = data.draw(st.permutations(sorted(set(first) | set(second))))
    kept = output[: data.draw(st.integers(0, len(output)))]
    equation = f"{''.join(first)},{''.join(second)}->{''.join(kept)}"
    x = numbers("float64", tuple(sizes[v] for v in first))
    y = numbers("float64", tuple(sizes[v] for v in second), seed=1)
    np.testing.assert_allclose(tf.einsum(equation, x, y).numpy(), np.einsum(equation, x, y), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "equation", ["i,j->ij", "i,j->ji", "bi,bj->bij", "b,bj->bj", "bi,bi->bi", ",i->i", "ik,jk->kij"]
)
def test_products_that_sum_nothing(equation: str) -> None:
    sizes = {"b": 4, "i": 5, "j": 3, "k": 2}
    left, right = equation.partition("->")[0].split(",")
    x, y = (
        np.random.default_rng(n).integers(1, 9, [sizes[v] for v in labels]) for n, labels in enumerate((left, right))
    )
    np.testing.assert_array_equal(tf.einsum(equation, x, y), np.einsum(equation, x, y))

"""How an einsum over given shapes is run."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.math.einsum_plan import plan_einsum
from tests.ops.math.samples import numbers


def test_a_matrix_product_needs_neither_transpose_nor_reshape() -> None:
    plan = plan_einsum("ij,jk->ik", ((2, 3), (3, 4)))
    assert plan.shape is None
    assert plan.order is None
    assert all(o.order is None and o.shape is None for o in plan.operands)


def test_a_plan_is_made_once() -> None:
    assert plan_einsum("ij->ji", ((2, 3),)) is plan_einsum("ij->ji", ((2, 3),))


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("abc,cbd->da", [(2, 3, 4), (4, 3, 5)]),
        ("aab,b->a", [(3, 3, 2), (2,)]),
        ("a,b->ab", [(2,), (3,)]),
        ("abab->ba", [(2, 3, 2, 3)]),
        ("ab,ab->", [(2, 0), (2, 0)]),
        (",->", [(), ()]),
    ],
)
def test_plans_compute_what_numpy_computes(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [numbers("float64", shape, seed=i) for i, shape in enumerate(shapes)]
    result = plan_einsum(equation, tuple(shapes))(xp, arrays)
    np.testing.assert_allclose(result, np.einsum(equation, *arrays), rtol=1e-10)


def test_repeated_labels_in_the_result_fill_a_diagonal() -> None:
    result = plan_einsum("i->ii", ((3,),))(xp, [np.arange(1.0, 4.0)])
    np.testing.assert_array_equal(result, np.diag([1.0, 2.0, 3.0]))

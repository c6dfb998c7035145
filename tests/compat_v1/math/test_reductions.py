"""TensorFlow 1's forms of the reductions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reduce_sum", [4, 6]),
        ("reduce_prod", [3, 8]),
        ("reduce_mean", [2, 3]),
        ("reduce_max", [3, 4]),
        ("reduce_min", [1, 2]),
        ("count_nonzero", [2, 2]),
        ("argmax", [1, 1]),
        ("argmin", [0, 0]),
    ],
)
def test_the_axis_has_its_old_name(name: str, expected: list[int]) -> None:
    old = {"dimension": 0} if name.startswith("arg") else {"reduction_indices": [0]}
    assert getattr(v1, name)([[1, 2], [3, 4]], **old).numpy().tolist() == expected


def test_keepdims_has_its_old_name() -> None:
    assert v1.reduce_sum([[1, 2], [3, 4]], 1, keep_dims=True).shape == (2, 1)
    assert v1.norm([3.0, 4.0], keep_dims=True).numpy().tolist() == [5.0]
    np.testing.assert_allclose(v1.reduce_logsumexp([0.0, 0.0]).numpy(), np.log(2), rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"axis": 0, "reduction_indices": 0}, "Cannot specify both 'reduction_indices' and 'axis'."),
        ({"keepdims": True, "keep_dims": True}, "Cannot specify both 'keep_dims' and 'keepdims'."),
    ],
)
def test_both_names_at_once_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        v1.reduce_any([True], **arguments)


def test_arg_max_takes_the_dimension_second() -> None:
    assert v1.arg_max([2, 20, 30], 0).numpy() == 2
    assert v1.arg_min([2, 20, 30], 0).numpy() == 0

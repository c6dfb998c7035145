"""Which inputs of a compiled call share variables, and where the values of variables are between calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.resources import resource_of

pytest.importorskip("jax")
pytestmark = pytest.mark.xla

from millrace._src.engines.xla import compiled_variables  # noqa: E402


@pytest.mark.parametrize(
    "identities, is_written, expected",
    [
        ((), [], ((), (), ())),
        ((7, 3), [True, False], ((0, 1), (0,), (1,))),
        ((7, 3, 7), [False, False, True], ((0, 1, 0), (0,), (1,))),
        ((7, 7), [False, False], ((0, 0), (), (0,))),
    ],
)
def test_inputs_of_one_variable_are_one_value(identities: Any, is_written: Any, expected: Any) -> None:
    sharing = compiled_variables.sharing_of(identities, is_written)
    assert (sharing.owners, sharing.written, sharing.read) == expected
    assert sharing.key == (sharing.owners,)


def test_all_threads_lock_variables_in_one_order() -> None:
    orders = [compiled_variables.sharing_of(identities, [True] * 3).order for identities in ((5, 9, 2), (9, 2, 5))]
    assert [[identities[i] for i in order] for identities, order in zip(((5, 9, 2), (9, 2, 5)), orders)] == [
        [2, 5, 9]
    ] * 2


def test_a_value_that_is_read_moves_to_xla_once() -> None:
    storage = resource_of(tf.Variable([1.0, 2.0]).handle._eager_array)
    sharing = compiled_variables.sharing_of((id(storage),), [False])
    (first,) = compiled_variables.values_of([storage], sharing)
    (second,) = compiled_variables.values_of([storage], sharing)
    assert first is second is storage.device


def test_results_that_are_also_a_variables_array_are_copied() -> None:
    import jax.numpy as jnp

    shared, other = jnp.ones(2), jnp.zeros(2)
    results: list[Any] = [other, shared]
    indices = compiled_variables.indices_of_variable_arrays(results, [shared])
    compiled_variables.detach(results, indices)
    assert indices == (1,) and results[0] is other and type(results[1]) is np.ndarray


def test_a_type_stands_for_a_variable_where_nothing_runs() -> None:
    variable = tf.Variable([[1, 2, 3]], dtype=tf.int64)
    stand_in = compiled_variables.VariableType(resource_of(variable.handle._eager_array))
    assert (stand_in.device.shape, stand_in.device.dtype) == ((1, 3), np.int64)

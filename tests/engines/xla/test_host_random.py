"""Random numbers of compiled calls: their shapes are known before any is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.compilations import compilation_count
from tests.engines.xla.programs import prepare, program_of

pytestmark = pytest.mark.xla


@pytest.mark.parametrize("size", [4, None])
def test_preparing_draws_no_random_numbers(size: int | None) -> None:
    def noisy(x: Any) -> Any:
        return x + tf.random.uniform(tf.shape(x), seed=5)

    def draws(is_prepared: bool) -> list[Any]:
        tf.random.set_seed(7)
        program, arguments = program_of(noisy, tf.TensorSpec([size], tf.float32))
        call = arguments(np.zeros(4, np.float32))
        if is_prepared:
            prepare(program, call)
        before = compilation_count()
        found = [np.asarray(program.run(*call)[0]).tolist() for _ in range(3)]
        assert compilation_count() - before == (0 if is_prepared else 1)
        return found

    assert draws(True) == draws(False)

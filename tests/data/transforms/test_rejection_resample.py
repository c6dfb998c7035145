"""`Dataset.rejection_resample`: TensorFlow's elements for given seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, elements

Dataset = tf.data.Dataset


def parity(number: Any) -> Any:
    return number % 2


def resampled(initial: Any = None, count: int = 20) -> Any:
    tf.random.set_seed(3)
    return Dataset.range(count).rejection_resample(parity, [0.8, 0.2], initial, seed=5)


EXPECTED = [0, 0, 1, 2, 2, 3, 4, 5, 4, 6, 8, 10, 12, 14, 16, 6, 18]


@pytest.mark.parametrize("initial", [None, [0.5, 0.5]])
def test_the_elements_are_those_of_tensorflow(initial: Any) -> None:
    assert elements(resampled(initial)) == [(n % 2, n) for n in EXPECTED]


def test_the_classes_have_the_target_distribution() -> None:
    dataset = Dataset.range(4000).rejection_resample(lambda x: tf.cast(x % 4 == 0, tf.int32), [0.5, 0.5], seed=1)
    assert abs(np.mean([value for value, _ in elements(dataset)]) - 0.5) < 0.05


def test_nothing_is_rejected_where_the_distributions_are_equal() -> None:
    dataset = Dataset.range(5).rejection_resample(parity, [0.5, 0.5], [0.5, 0.5])
    assert elements(dataset) == [(n % 2, n) for n in range(5)]


def test_a_pair_stays_together() -> None:
    pairs = Dataset.zip(Dataset.range(6), Dataset.range(6))
    dataset = pairs.rejection_resample(lambda x, y: x % 2, [0.5, 0.5], [0.4, 0.6], seed=1)
    assert dataset.element_spec == (tf.TensorSpec([], tf.int64), (tf.TensorSpec([], tf.int64),) * 2)
    assert all(value == x % 2 and x == y for value, (x, y) in elements(dataset))


def test_a_large_rejection_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    elements(resampled())
    assert "Proportion of examples rejected by sampler is high: [0.5][0.5 0.5][1 0]" in capfd.readouterr().err


def test_the_function_for_apply_does_the_same() -> None:
    tf.random.set_seed(3)
    resample = tf.data.experimental.rejection_resample(parity, [0.8, 0.2], seed=5)
    assert elements(Dataset.range(20).apply(resample)) == elements(resampled())


def test_a_pass_without_random_functions_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: Dataset.range(9).rejection_resample(parity, [0.5, 0.5], [0.5, 0.5]))


def test_a_class_that_is_no_integer_is_refused() -> None:
    with pytest.raises(TypeError, match="'indices' has DataType float32 not in list of allowed values"):
        Dataset.range(10).rejection_resample(lambda x: tf.cast(x, tf.float32), [0.5, 0.5])


def test_a_function_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="`func` must be a callable"):
        Dataset.range(10).rejection_resample(3, [0.5, 0.5])

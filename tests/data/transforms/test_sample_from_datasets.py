"""`Dataset.sample_from_datasets`: TensorFlow's choices for given seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements

Dataset = tf.data.Dataset
sample = Dataset.sample_from_datasets


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Sets the global seed that represents none where a dataset has a seed of its own."""
    tf.random.set_seed(87654321)


def two() -> list[Any]:
    return [Dataset.range(20), Dataset.range(100, 120)]


def test_the_choices_are_those_of_tensorflow() -> None:
    dataset = sample(two(), weights=tf.constant([0.3, 0.7], tf.float64), seed=3)
    expected = [0, 1, 2, 0, 3, 4, 5, 6, 7, 1, 8, 2, 9, 10, 11, 12, 13, 3, 14, 15]
    assert [n % 100 for n in elements(dataset)][:20] == expected


def test_each_dataset_comes_as_often_as_its_weight_says() -> None:
    dataset = sample([Dataset.from_tensors(n).repeat() for n in range(3)], weights=[0.2, 0.3, 0.5], seed=1)
    shares = np.bincount(elements(dataset.take(4000))) / 4000
    assert np.allclose(shares, [0.2, 0.3, 0.5], atol=0.03)


def test_weights_may_change_from_choice_to_choice() -> None:
    weights = Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 1.0]]).repeat()
    assert elements(sample(two(), weights, seed=3).take(4)) == [0, 100, 1, 101]


def test_datasets_without_weight_are_left_out() -> None:
    datasets = two()
    assert sample(datasets, [0.0, 1.0]) is datasets[1]
    assert elements(sample(datasets, [0.0, 0.0])) == []
    assert elements(sample(datasets, np.array([0.0, 1.0]))) == list(range(100, 120))


def test_one_dataset_is_that_dataset() -> None:
    dataset = Dataset.range(3)
    assert sample([dataset]) is dataset


def test_a_dataset_that_has_ended_is_the_end_on_request() -> None:
    datasets = [Dataset.range(2), Dataset.range(10, 100)]
    assert len(elements(sample(datasets, seed=2))) == 92
    assert len(elements(sample(datasets, seed=2, stop_on_empty_dataset=True))) < 20


def test_passes_have_choices_of_their_own_on_request() -> None:
    same = sample(two(), seed=3)
    assert elements(same) == elements(same)
    fresh = sample(two(), seed=3, rerandomize_each_iteration=True)
    assert elements(fresh) != elements(fresh)


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: sample([Dataset.range(5), Dataset.range(10, 14)], [0.4, 0.6], seed=3))


def test_choices_in_a_function_are_those_of_eager_mode() -> None:
    check_same_in_function(lambda: sample(two(), [0.4, 0.6], seed=3), 10)


def test_the_older_form_has_the_same_choices() -> None:
    assert elements(tf.data.experimental.sample_from_datasets(two(), seed=3)) == elements(sample(two(), seed=3))


@pytest.mark.parametrize(
    ("datasets", "weights", "error", "message"),
    [
        ([], None, ValueError, "`datasets` should not be empty"),
        (two(), [0.5], ValueError, r"got `len\(weights\)=1` vs. `len\(datasets\)=2`"),
        (two(), tf.constant([0.5]), ValueError, r"got `len\(weights\)=1` vs. `len\(datasets\)=2`"),
        (two(), [1, 1], TypeError, "must be either `tf.float32` or `tf.float64` but is <dtype: 'int32'>"),
        (two(), Dataset.range(3), TypeError, "'x' has DataType int64 not in list of allowed values"),
        ([Dataset.range(1), Dataset.from_tensors("a")], None, TypeError, "must have compatible element specs"),
    ],
)
def test_what_cannot_be_sampled_is_refused(datasets: Any, weights: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        sample(datasets, weights)

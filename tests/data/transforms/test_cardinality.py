"""`Dataset.cardinality` and `assert_cardinality`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, elements, failing_at, noting, outcomes

Dataset = tf.data.Dataset


def stated(dataset: Any, count: int) -> Any:
    return dataset.apply(tf.data.experimental.assert_cardinality(count))


def test_the_number_is_a_scalar_of_int64() -> None:
    number = Dataset.range(5).cardinality()
    assert (number.dtype, number.shape.rank, number.numpy()) == (tf.int64, 0, 5)


def test_datasets_without_end_or_known_number_have_names_for_it() -> None:
    assert (tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY) == (-1, -2)
    assert tf.data.experimental.INFINITE_CARDINALITY == -1
    assert tf.data.experimental.UNKNOWN_CARDINALITY == -2
    assert Dataset.range(5).repeat().cardinality().numpy() == -1
    assert tf.data.experimental.cardinality(Dataset.range(5).filter(lambda x: True)).numpy() == -2


def test_the_number_can_depend_on_a_functions_argument() -> None:
    @tf.function
    def batches(count: tf.Tensor) -> tf.Tensor:
        return Dataset.range(count).batch(2).cardinality()

    assert [batches(tf.constant(n, tf.int64)).numpy() for n in (4, 7)] == [2, 4]


def test_what_is_no_dataset_has_no_number() -> None:
    with pytest.raises(AttributeError):
        tf.data.experimental.cardinality(3)


@pytest.mark.parametrize("count", [5, 0, 100])
def test_a_number_that_holds_changes_nothing(count: int) -> None:
    dataset = stated(Dataset.range(count).filter(lambda x: True), count)
    assert dataset.cardinality().numpy() == len(dataset) == count
    assert elements(dataset) == list(range(count))
    assert elements(dataset.batch(7).unbatch()) == list(range(count))


ERROR = "FailedPreconditionError"
EXPECTED = "Input dataset was expected to contain"


@pytest.mark.parametrize(
    ("count", "before", "message"),
    [
        (3, 3, f"{EXPECTED} 3 elements but contained at least 4 elements."),
        (0, 0, f"{EXPECTED} 0 elements but contained at least 1 element."),
        (1, 1, f"{EXPECTED} 1 element but contained at least 2 elements."),
        (7, 5, f"{EXPECTED} 7 elements but contained only 5 elements."),
        (-1, 5, f"{EXPECTED} an infinite number of elements but contained only 5 elements."),
        (-2, 0, f"{EXPECTED} -2 elements but contained at least 1 element."),
    ],
)
def test_a_number_that_does_not_hold_is_an_error_behind_the_elements(count: int, before: int, message: str) -> None:
    dataset = stated(Dataset.range(5), count)
    assert outcomes(dataset, before + 1) == [*range(before), ERROR]
    with pytest.raises(tf.errors.FailedPreconditionError) as error:
        elements(dataset)
    assert error.value.message.startswith(message)


def test_each_element_too_many_is_an_error() -> None:
    seen: list[int] = []
    assert outcomes(stated(noting(Dataset.range(9), seen), 3), 5) == [0, 1, 2, ERROR, ERROR]
    assert seen == [0, 1, 2, 3, 4]


def test_the_error_of_the_end_is_the_last_one() -> None:
    assert outcomes(stated(Dataset.range(2), 4)) == [0, 1, ERROR]
    assert elements(stated(Dataset.range(2), 4).ignore_errors()) == [0, 1]
    check_restores_everywhere(lambda: stated(Dataset.range(2), 4))


def test_an_element_that_fails_is_not_counted() -> None:
    assert outcomes(stated(failing_at(Dataset.range(4), 1), 3)) == [0, "InvalidArgumentError", 2, 3]


def test_a_number_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="Cannot convert 'a' to EagerTensor of dtype int64"):
        stated(Dataset.range(3), "a")  # type: ignore[arg-type]  # what is refused


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: stated(Dataset.range(9).filter(lambda x: x % 3 > 0), 6))


def test_the_older_op_gives_the_same() -> None:
    assert tf.raw_ops.ExperimentalDatasetCardinality(input_dataset=Dataset.range(3)._variant_tensor).numpy() == 3

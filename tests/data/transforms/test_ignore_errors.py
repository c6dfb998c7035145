"""`Dataset.ignore_errors`: elements that fail are left out."""

from __future__ import annotations

import logging

import pytest

import millrace as tf
from millrace._src.data.nodes import UNKNOWN
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, drained, elements, failing_at

Dataset = tf.data.Dataset


@pytest.mark.parametrize("limits", [[1], [2], [3, 5]])
def test_elements_that_fail_are_left_out(limits: list[int]) -> None:
    dataset = failing_at(Dataset.range(7), 0, 3, 4, 6).ignore_errors()
    assert drained(dataset, limits) == [[1], [2], [5]]


def test_a_batch_with_an_element_that_fails_is_left_out() -> None:
    assert elements(failing_at(Dataset.range(6), 3).batch(2).ignore_errors()) == [[0, 1], [4, 5]]


def test_errors_behind_the_transformation_stay() -> None:
    dataset = failing_at(Dataset.range(3).ignore_errors(), 1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        elements(dataset)


def test_each_error_is_logged_on_request(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert elements(failing_at(Dataset.range(4), 1, 2).ignore_errors(log_warning=True)) == [0, 3]
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert all(message.startswith("Error raised with error message") for message in messages)
    caplog.clear()
    elements(failing_at(Dataset.range(4), 1, 2).ignore_errors())
    assert not caplog.records


def test_the_cardinality_is_not_known() -> None:
    assert Dataset.range(3).ignore_errors().node.cardinality() == UNKNOWN


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: failing_at(Dataset.range(9), 2, 5).ignore_errors())


def test_errors_in_a_function_are_ignored_as_in_eager_mode() -> None:
    check_same_in_function(lambda: Dataset.range(4).ignore_errors(), 4)


def test_the_function_of_datasets_does_the_same() -> None:
    ignored = failing_at(Dataset.range(4), 1).apply(tf.data.experimental.ignore_errors())
    assert elements(ignored) == [0, 2, 3]


def test_the_older_op_makes_the_same() -> None:
    handle = tf.raw_ops.ExperimentalIgnoreErrorsDataset(
        input_dataset=failing_at(Dataset.range(3), 1)._variant_tensor, output_types=[tf.int64], output_shapes=[[]]
    )
    assert elements(tf.data.experimental.from_variant(handle, tf.TensorSpec([], tf.int64))) == [0, 2]

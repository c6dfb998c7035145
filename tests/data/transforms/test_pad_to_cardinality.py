"""`tf.data.experimental.pad_to_cardinality`: elements of zeros at the end."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, elements

Dataset = tf.data.Dataset


def pairs(count: int = 2) -> Any:
    return Dataset.range(count).map(lambda x: {"a": x + 1, "s": tf.strings.as_string(x), "f": [0.5, 1.5]})


def padded(dataset: Any, *arguments: Any) -> Any:
    return dataset.apply(tf.data.experimental.pad_to_cardinality(*arguments))


def test_elements_of_zeros_are_appended() -> None:
    dataset = padded(pairs(), 4)
    assert len(dataset) == 4
    assert elements(dataset)[1:] == [
        {"a": 2, "s": b"1", "f": [0.5, 1.5], "valid": True},
        {"a": 0, "s": b"", "f": [0.0, 0.0], "valid": False},
        {"a": 0, "s": b"", "f": [0.0, 0.0], "valid": False},
    ]
    assert list(dataset.element_spec) == ["a", "s", "f", "valid"]


def test_the_key_of_the_mask_may_be_another() -> None:
    assert [element["mask"] for element in elements(padded(pairs(), 3, "mask"))] == [True, True, False]


def test_nothing_is_appended_to_a_dataset_that_is_long_enough() -> None:
    assert [element["valid"] for element in elements(padded(pairs(), 2))] == [True, True]


def test_components_may_be_nested() -> None:
    dataset = Dataset.range(1).map(lambda x: {"a": {"b": x}, "c": (x, x)})
    assert elements(padded(dataset, 2))[1] == {"a": {"b": 0}, "c": (0, 0), "valid": False}


@pytest.mark.parametrize(
    ("make", "count", "message"),
    [
        (lambda: Dataset.range(3), 5, "`pad_to_cardinality` requires its input dataset to be a dictionary."),
        (pairs, 1, r"a cardinalty less than the target cardinality \(1\), but has cardinality 2"),
        (lambda: pairs().repeat(), 4, "must have a known cardinalty, but has cardinality -1"),
        (lambda: pairs().filter(lambda x: True), 4, "must have a known cardinalty, but has cardinality -2"),
        (
            lambda: Dataset.range(2).map(lambda x: {"a": tf.fill([x], x)}),
            4,
            r"Cannot convert a partially known TensorShape \(None,\) to a Tensor.",
        ),
    ],
)
def test_datasets_that_cannot_be_padded_are_refused(make: Any, count: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        padded(make(), count)


def test_a_dataset_in_a_function_is_padded_too() -> None:
    @tf.function
    def total() -> tf.Tensor:
        iterator = iter(padded(pairs(1), 3))
        return tf.stack([next(iterator)["valid"] for _ in range(3)])

    assert total().numpy().tolist() == [True, False, False]


def test_a_pass_is_restored_at_every_position() -> None:
    check_restores_everywhere(lambda: padded(pairs(), 4))

"""`Dataset.scan`: states, outputs, errors, saved passes."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import check_restores_everywhere, check_same_in_function, elements, outcomes

Dataset = tf.data.Dataset


def long(value: Any) -> Any:
    return tf.constant(value, tf.int64)


def totals(dataset: Any) -> Any:
    return dataset.scan(long(0), lambda s, x: (s + x, s * x))


def test_the_state_goes_from_element_to_element() -> None:
    assert elements(totals(Dataset.range(5))) == [0, 0, 2, 9, 24]
    assert elements(totals(Dataset.range(0))) == []
    scan = tf.data.experimental.scan(long(0), lambda s, x: (s + x, s))
    assert elements(Dataset.range(5).apply(scan)) == [0, 0, 1, 3, 6]


def test_state_and_output_may_be_nests() -> None:
    dataset = Dataset.range(3).scan({"a": long(0), "b": 1}, lambda s, x: ({"a": s["a"] + x, "b": s["b"] * 2}, (s, x)))
    assert elements(dataset)[2] == ({"a": 1, "b": 4}, 2)
    assert elements(Dataset.range(2).scan((long(0), None), lambda s, x: ((s[0] + x, None), (s[0], None)))) == [
        (0, None),
        (0, None),
    ]


def test_the_state_may_grow() -> None:
    grown = Dataset.range(3).scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), s))
    assert elements(grown) == [[], [0], [0, 1]]
    assert grown.element_spec == tf.TensorSpec([None], tf.int64)


def test_the_class_and_the_cardinality_are_those_of_tensorflow() -> None:
    assert repr(totals(Dataset.range(5))).startswith("<_ScanDataset element_spec=")
    assert len(totals(Dataset.range(5))) == 5


def test_an_error_leaves_the_state_as_it_was() -> None:
    quotients = Dataset.from_tensor_slices([1.0, 0.0, 2.0, 4.0]).scan(
        0.0, lambda s, x: (s + tf.debugging.check_numerics(1 / x, "not finite"), s)
    )
    assert outcomes(quotients) == [0.0, "InvalidArgumentError", 1.0, 1.5]


def test_a_pass_is_saved_and_restored_at_every_element() -> None:
    check_restores_everywhere(lambda: totals(Dataset.range(12)))
    check_restores_everywhere(
        lambda: Dataset.from_tensor_slices([1.0, 0.0, 2.0]).scan(
            0.0, lambda s, x: (s + tf.debugging.check_numerics(1 / x, "not finite"), s)
        )
    )
    check_same_in_function(lambda: totals(Dataset.range(9)), 5)


def test_a_function_with_effects_runs_once_for_each_element_that_is_asked_for() -> None:
    v = tf.Variable(long(0))
    iterator = iter(Dataset.range(9).scan(long(0), lambda s, x: (s, v.assign_add(1))))
    assert [next(iterator).numpy(), next(iterator).numpy(), v.numpy()] == [1, 2, 2]


@pytest.mark.parametrize(
    ("state", "function", "error", "message"),
    [
        (0, lambda s, x: x, TypeError, "`scan_func` should return a pair consisting of new state and the output value"),
        (0, lambda s, x: (s, s, s), TypeError, "should return a pair"),
        (0, lambda s, x: (x, x), TypeError, r"Invalid `scan_func`\. The element types .* <dtype: 'int32'>, got"),
        ((0, 0), lambda s, x: (s[0], x), TypeError, "The initial state has 2 components, the new state 1"),
        (0, lambda s, x: (Dataset.range(3), x), TypeError, "element classes for the new state"),
        (0, 3, ValueError, "must be a callable"),
    ],
)
def test_what_is_no_pair_of_a_like_state_and_an_output_is_refused(
    state: Any, function: Any, error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        Dataset.range(5).scan(state, function)


def test_a_function_of_too_few_results_is_refused_by_the_op() -> None:
    function = tf.function(lambda a, b, x: a).get_concrete_function(*[tf.TensorSpec([], tf.int64)] * 3)
    handle = tf.raw_ops.ScanDataset(
        input_dataset=Dataset.range(2)._variant_tensor,
        initial_state=[long(1), long(2)],
        other_arguments=[],
        f=function.graph_function,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    dataset = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))._from_components(handle)
    with pytest.raises(tf.errors.InternalError, match="Expected at least 2 components but got 1"):
        next(iter(dataset))

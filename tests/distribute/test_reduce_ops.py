"""Tests for how values of replicas are combined."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.distribute.reduce_ops import as_reduction, require_reduction

ReduceOp = tf.distribute.ReduceOp


def test_names_of_reductions_may_be_in_lower_case() -> None:
    assert [require_reduction(name) for name in ("sum", "SUM", "Mean", ReduceOp.MEAN)] == [
        ReduceOp.SUM,
        ReduceOp.SUM,
        ReduceOp.MEAN,
        ReduceOp.MEAN,
    ]
    assert as_reduction(3) == 3


def test_what_is_no_reduction_is_refused() -> None:
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        as_reduction("max")
    with pytest.raises(AssertionError, match="received None"):
        require_reduction(None)


def test_aggregations_that_are_reductions() -> None:
    assert ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN) is ReduceOp.MEAN
    with pytest.raises(ValueError, match=r"Could not convert from `tf.VariableAggregation`"):
        ReduceOp.from_variable_aggregation(tf.VariableAggregation.ONLY_FIRST_REPLICA)

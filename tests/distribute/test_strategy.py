"""Tests for the methods of strategies that users call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
EVERY = pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), ONE], ids=["default", "one device"])


@EVERY
def test_run_hands_on_arguments(strategy: Any) -> None:
    assert strategy.run(lambda a, b, c=0: (a, b, c), args=[1, 2], kwargs={"c": 3}) == (1, 2, 3)


@EVERY
@pytest.mark.parametrize("args", [5, "ab", None])
def test_run_refuses_arguments_that_are_no_list(strategy: Any, args: Any) -> None:
    with pytest.raises(ValueError, match="positional args must be a list or tuple, got <class"):
        strategy.run(lambda *values: values, args=args)


@EVERY
def test_run_in_run_is_refused(strategy: Any) -> None:
    with pytest.raises(RuntimeError, match="Method requires being in cross-replica context"):
        strategy.run(lambda: strategy.run(lambda: 1))
    assert strategy.run(lambda: 1) == 1


@EVERY
def test_reduce_without_axis_gives_the_value_itself(strategy: Any) -> None:
    x = tf.constant([1.0, 2.0])
    assert strategy.reduce("SUM", x, axis=None) is x
    assert strategy.reduce(tf.distribute.ReduceOp.MEAN, {"a": [1]}, axis=None) == {"a": [1]}


@EVERY
def test_mean_of_integers_is_a_fraction(strategy: Any) -> None:
    mean = strategy.reduce("MEAN", tf.constant([1, 2]), axis=0)
    assert (mean.dtype, float(mean)) == (tf.float64, 1.5)


@EVERY
def test_mean_of_small_integers_does_not_overflow(strategy: Any) -> None:
    mean = strategy.reduce("MEAN", tf.constant([100, 100, 100], tf.int8), axis=0)
    assert (mean.dtype, float(mean)) == (tf.float32, 100.0)


@EVERY
@pytest.mark.parametrize("spec", [tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3]), tf.TensorSpec(None)])
def test_reduce_along_axes_in_functions(strategy: Any, spec: tf.TensorSpec) -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    function = tf.function(lambda y: strategy.reduce("MEAN", y, axis=(0, -1)), input_signature=[spec])
    assert float(function(x)) == x.mean()


@EVERY
def test_axis_out_of_range_is_refused(strategy: Any) -> None:
    with pytest.raises(ValueError, match="Invalid reduction dimension 2 for input with 2 dimensions"):
        strategy.reduce("SUM", tf.zeros([2, 2]), axis=2)


@EVERY
def test_sum_of_texts_along_an_axis_is_refused(strategy: Any) -> None:
    with pytest.raises(TypeError, match="numbers are needed"):
        strategy.reduce("SUM", tf.constant(["a"]), axis=0)


@EVERY
def test_reduction_that_is_none_is_refused(strategy: Any) -> None:
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.reduce("max", 1.0, axis=None)
    with pytest.raises(TypeError, match="Expected `reduce_op` to be a"):
        strategy.reduce(3, tf.constant([1.0]), axis=0)


@EVERY
def test_gather_in_a_replica_names_the_other_method(strategy: Any) -> None:
    with pytest.raises(RuntimeError, match="requires cross-replica context, use get_replica_context"):
        strategy.run(lambda: strategy.gather(1.0, axis=0))


@EVERY
def test_groups(strategy: Any) -> None:
    with tf.Graph().as_default():
        constant = tf.constant(1)
        assert strategy.group(constant) is constant
        assert strategy.group([constant, constant], name="both").name == "both"


@EVERY
def test_configuration_of_sessions_stays(strategy: Any) -> None:
    assert strategy.configure() is None
    assert strategy.update_config_proto(5) == 5


def test_strategies_of_ones_own_say_what_they_must_implement() -> None:
    class Extended(tf.distribute.StrategyExtended):
        pass

    strategy = tf.distribute.Strategy(Extended(ONE))
    variable = tf.Variable(1.0)
    calls = [
        lambda: strategy.num_replicas_in_sync,
        lambda: strategy.extended.worker_devices,
        lambda: strategy.extended.parameter_devices,
        lambda: strategy.extended.value_container(variable),
        lambda: strategy.extended.variable_created_in_scope(variable),
        lambda: strategy.extended.colocate_vars_with(variable),
        lambda: strategy.extended.update(variable, lambda v: v),
        lambda: strategy.reduce("SUM", 1, axis=None),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match="must be implemented in descendants"):
            call()

"""`tf.train.ExponentialMovingAverage`: in eager mode, in functions, in graphs."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.testing.graph_sessions import session_of_graph

Averages = tf.train.ExponentialMovingAverage


def _after_one_step(averages: Any, start: float = 5.0, value: float = 10.0, dtype: Any = tf.float32) -> Any:
    """Returns the average of a variable that changed once."""
    variable = tf.Variable(start, dtype=dtype)
    averages.apply([variable])
    assert averages.average(variable).numpy() == start
    variable.assign(tf.cast(value, dtype))
    averages.apply([variable])
    return averages.average(variable).numpy()


def test_averages_follow_slowly() -> None:
    first, second = tf.Variable(5.0), tf.Variable([1.0, 2.0], name="w")
    averages = Averages(0.9)
    assert averages.average(first) is None
    assert averages.apply([first, second]) is None
    first.assign(10.0)
    second.assign([3.0, 4.0])
    averages.apply([first, second])
    assert averages.average(first).numpy() == 5.5
    assert averages.average(second).numpy().tolist() == pytest.approx([1.2, 2.2])
    assert averages.average(second).name == "w/ExponentialMovingAverage:0"
    assert not averages.average(second).trainable


@pytest.mark.parametrize("count", [3, tf.Variable(3)])
def test_first_averages_may_decay_faster(count: Any) -> None:
    assert _after_one_step(Averages(0.9, num_updates=count)) == pytest.approx(5 + 5 * (1 - 4 / 13))
    assert _after_one_step(Averages(0.9, num_updates=100)) == 5.5


@pytest.mark.parametrize("decay", [tf.constant(0.9), tf.Variable(0.9)])
def test_the_decay_may_be_a_tensor(decay: Any) -> None:
    assert _after_one_step(Averages(decay)) == 5.5


DTYPES = [(tf.float16, 1.2001953125), (tf.bfloat16, 1.203125), (tf.float64, 1.2000000476837158)]


@pytest.mark.parametrize(("dtype", "expected"), DTYPES)
def test_averages_have_the_dtype_of_their_variable(dtype: Any, expected: float) -> None:
    assert float(_after_one_step(Averages(0.9), 1.0, 3.0, dtype)) == expected


def test_names_are_those_of_tensorflow() -> None:
    variable, averages = tf.Variable(1.0, name="v"), Averages(0.9, name="mean")
    assert (averages.name, averages.average_name(variable)) == ("mean", "v/mean")
    averages.apply([variable])
    assert averages.average_name(variable) == "v/mean"
    assert list(averages.variables_to_restore([variable])) == ["v/mean"]
    assert averages.apply() is None


def test_only_float_variables_have_averages() -> None:
    with pytest.raises(TypeError, match="The variables must be half, float, or double: Variable:0"):
        Averages(0.9).apply([tf.Variable(1)])
    with pytest.raises(TypeError, match="does not support non-Variable tensors when eager execution is enabled"):
        Averages(0.9).apply([tf.constant(1.0)])


@pytest.mark.parametrize("zero_debias", [False, True])
def test_a_function_moves_averages(zero_debias: bool) -> None:
    averages, variable = Averages(0.9, zero_debias=zero_debias), tf.Variable(1.0)

    @tf.function
    def step() -> Any:
        averages.apply([variable])
        return averages.average(variable).read_value()

    assert step().numpy() == 1.0
    variable.assign(5.0)
    assert step().numpy() == pytest.approx(1.4)
    assert step().numpy() == pytest.approx(1.76)


def test_a_graph_has_averages_of_tensors_too() -> None:
    with tf.Graph().as_default() as graph:
        variable = tf.Variable(10.0, name="v")
        tensor = variable * 2.0
        averages = Averages(0.9)
        move = averages.apply([variable, tensor])
        found = [averages.average(variable).read_value(), averages.average(tensor).read_value()]
        names = set(averages.variables_to_restore())
        assert graph.get_collection("moving_average_variables") == [variable]
        initializers = [v.initializer for v in graph.get_collection("variables")]
    assert move.name == "ExponentialMovingAverage"
    assert names == {"v/ExponentialMovingAverage", f"{tensor.op.name}/ExponentialMovingAverage"}
    session = session_of_graph(graph)
    for initializer in initializers:
        session.run(initializer)
    session.run(move)
    assert session.run(found) == pytest.approx([10.0, 2.0])


def test_averages_of_tensors_are_corrected_for_their_beginning() -> None:
    with tf.Graph().as_default() as graph:
        value = tf.compat.v1.placeholder(tf.float32, [], name="x")
        averages = Averages(0.9, zero_debias=True)
        move = averages.apply([value])
        found = averages.average(value).read_value()
        initializers = [v.initializer for v in graph.get_collection("variables")]
    session = session_of_graph(graph)
    for initializer in initializers:
        session.run(initializer)
    session.run(move, {"x:0": 4.0})
    assert session.run(found) == pytest.approx(4.0)
    session.run(move, {"x:0": 8.0})
    assert session.run(found) == pytest.approx((0.1 * 8 + 0.9 * 0.1 * 4) / 0.19)


def test_several_averages_of_one_graph_have_several_names() -> None:
    with tf.Graph().as_default():
        variable = tf.Variable(10.0, name="v")
        averages = [Averages(0.9), Averages(0.9)]
        for each in averages:
            each.apply([variable])
    names = [each.average(variable).name for each in averages]
    assert names == ["v/ExponentialMovingAverage:0", "v/ExponentialMovingAverage_1:0"]

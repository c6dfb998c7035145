import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
scales = v1.mixed_precision


def test_a_fixed_scale_stays():
    scale = scales.FixedLossScale(4.0)
    assert scale.update([tf.constant(float("inf"))])[1] is True
    assert scale().numpy() == 4
    assert scales.FixedLossScale.from_config(scale.get_config())().numpy() == 4
    for wrong in (0.5, "4"):
        with pytest.raises(ValueError, match="loss_scale_value must be"):
            scales.FixedLossScale(wrong)


def test_a_dynamic_scale_grows_and_shrinks():
    scale = scales.DynamicLossScale(8.0, increment_period=2)
    good, bad = [tf.constant([1.0]), None], [tf.constant([1.0, float("nan")])]
    found = []
    for gradients in (good, good, bad, good, bad):
        _, is_finite = scale.update(gradients)
        found.append((bool(is_finite), float(scale())))
    assert found == [(True, 8), (True, 16), (False, 8), (True, 8), (False, 4)]
    assert "current_loss_scale=4.0, num_good_steps=0" in repr(scale)


def test_a_scale_is_at_least_one():
    scale = scales.DynamicLossScale(1.0)
    scale.update([tf.constant(float("inf"))])
    assert float(scale()) == 1


@pytest.mark.parametrize("scale", [8.0, "dynamic"])
def test_steps_in_a_graph_are_those_of_the_optimizer(scale):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        step = v1.train.get_or_create_global_step()
        optimizer = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(v1.train.MomentumOptimizer(0.1, 0.9), scale)
        operation = optimizer.minimize(tf.reduce_sum(v**2), global_step=step)
        session.run(v1.global_variables_initializer())
        session.run(operation)
        assert np.allclose(session.run(v), [0.8, 1.6])
        assert session.run(step) == 1
        assert optimizer.get_slot_names() == ["momentum"]


def test_a_step_without_finite_gradients_is_left_out():
    with tf.Graph().as_default(), v1.Session() as session:
        v, factor = v1.get_variable("v", initializer=[1.0, 2.0]), v1.placeholder(tf.float32, [])
        scale = scales.DynamicLossScale(8.0)
        optimizer = scales.MixedPrecisionLossScaleOptimizer(v1.train.GradientDescentOptimizer(0.1), scale)
        operation = optimizer.minimize(tf.reduce_sum(v) * factor)
        session.run(v1.global_variables_initializer())
        session.run(operation, {factor: float("inf")})
        assert session.run([v, scale()])[0].tolist() == [1, 2]
        assert session.run(scale()) == 4
        session.run(operation, {factor: 1.0})
        assert np.allclose(session.run(v), [0.9, 1.9])


def test_eager_steps():
    v = tf.Variable([1.0, 2.0])
    optimizer = scales.enable_mixed_precision_graph_rewrite(v1.train.GradientDescentOptimizer(0.1), 8.0)
    optimizer.minimize(lambda: tf.reduce_sum(v**2))
    assert np.allclose(v.numpy(), [0.8, 1.6])
    with pytest.raises(ValueError, match="must not already be an instance"):
        scales.enable_mixed_precision_graph_rewrite(optimizer)
    with pytest.raises(ValueError, match='"opt" must be an instance of Optimizer'):
        scales.MixedPrecisionLossScaleOptimizer(3, 4)

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
train = v1.train

OPTIMIZERS = {
    "gradient_descent": lambda: train.GradientDescentOptimizer(0.1),
    "momentum": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: train.AdamOptimizer(0.1),
    "adagrad": lambda: train.AdagradOptimizer(0.1),
    "adadelta": lambda: train.AdadeltaOptimizer(0.1),
    "rmsprop": lambda: train.RMSPropOptimizer(0.1, centered=True, momentum=0.5),
    "ftrl": lambda: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1),
    "proximal": lambda: train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.01),
    "proximal_adagrad": lambda: train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
    "adagrad_da": lambda: train.AdagradDAOptimizer(0.1, tf.constant(0, tf.int64)),
}


def steps_in_a_graph(make, is_sparse, dtype=np.float32):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=np.array([1, 2, 3], dtype))
        loss = tf.reduce_sum((tf.gather(v, [0, 0, 2]) if is_sparse else v) ** 2)
        step = make().minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        return session.run(v)


def steps_in_eager_mode(make, is_sparse):
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    optimizer = make()
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum((tf.gather(v, [0, 0, 2]) if is_sparse else v) ** 2), var_list=[v])
    return v.numpy()


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_the_same_in_a_graph_and_in_eager_mode(name, is_sparse):
    in_graph = steps_in_a_graph(OPTIMIZERS[name], is_sparse)
    assert np.allclose(in_graph, steps_in_eager_mode(OPTIMIZERS[name], is_sparse), rtol=1e-6)
    assert not np.allclose(in_graph, [1, 2, 3])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_variables_of_other_dtypes_are_trained(name):
    wide = steps_in_a_graph(OPTIMIZERS[name], False, np.float64)
    assert wide.dtype == np.float64
    assert np.allclose(wide, steps_in_a_graph(OPTIMIZERS[name], False), rtol=1e-5)


def test_a_step_has_the_optimizers_name_and_counts_the_global_step():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        step = train.get_or_create_global_step()
        operation = train.AdamOptimizer().minimize(v * v, global_step=step)
        assert operation.name == "Adam"
        assert v1.get_collection(v1.GraphKeys.TRAIN_OP) == [operation]
        session.run(v1.global_variables_initializer())
        session.run(operation)
        session.run(operation)
        assert train.global_step(session, step) == 2


def test_slots_are_called_after_their_variables():
    with tf.Graph().as_default():
        v = v1.get_variable("a/v", initializer=[1.0])
        optimizer = train.AdamOptimizer()
        optimizer.minimize(tf.reduce_sum(v))
        assert optimizer.get_slot_names() == ["m", "v"]
        assert optimizer.get_slot(v, "v").name == "a/v/Adam_1:0"
        assert optimizer.get_slot(v, "other") is None
        assert [x.name for x in optimizer.variables()] == [
            "a/v/Adam:0",
            "a/v/Adam_1:0",
            "beta1_power:0",
            "beta2_power:0",
        ]
        assert v1.trainable_variables() == [v]


def test_a_constraint_holds_after_each_step():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 0.05], constraint=lambda x: tf.maximum(x, 0.0))
        step = train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v))
        session.run(v1.global_variables_initializer())
        session.run(step)
        assert np.allclose(session.run(v), [0.9, 0.0])
        with pytest.raises(RuntimeError, match="Cannot use a constraint function on a sparse variable"):
            train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.gather(v, [0])))


def test_gradients_can_be_changed_between_the_halves_of_minimize():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[3.0, -3.0])
        optimizer = train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(tf.reduce_sum(v**2))
        step = optimizer.apply_gradients([(tf.clip_by_value(gradient, -1.0, 1.0), x) for gradient, x in pairs])
        session.run(v1.global_variables_initializer())
        session.run(step)
        assert session.run(v).tolist() == [2, -2]


def test_a_learning_rate_may_be_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        v, rate = v1.get_variable("v", initializer=1.0), v1.placeholder(tf.float32, [])
        step = train.GradientDescentOptimizer(rate).minimize(v * 2.0)
        session.run(v1.global_variables_initializer())
        session.run(step, {rate: 0.25})
        assert session.run(v) == 0.5


def test_an_optimizer_of_the_users_own():
    class Signed(train.Optimizer):
        def _apply_dense(self, grad, var):
            return var.assign_sub(tf.sign(grad)).op

        _resource_apply_dense = _apply_dense

    for use_resource in (True, False):
        with tf.Graph().as_default(), v1.Session() as session:
            v = v1.get_variable("v", initializer=[3.0, -3.0], use_resource=use_resource)
            step = Signed(False, "Signed").minimize(tf.reduce_sum(v**2))
            session.run(v1.global_variables_initializer())
            session.run(step)
            assert session.run(v).tolist() == [2, -2]
    with tf.Graph().as_default(), pytest.raises(NotImplementedError):
        train.Optimizer(False, "x").minimize(v1.get_variable("v", []))


def test_what_has_no_gradient_is_refused():
    with tf.Graph().as_default():
        v, w = v1.get_variable("v", initializer=1.0), v1.get_variable("w", initializer=1.0)
        optimizer = train.GradientDescentOptimizer(0.1)
        for call, message in [
            (lambda: optimizer.minimize(v, var_list=[w]), "No gradients provided for any variable, check"),
            (lambda: optimizer.minimize(v, var_list=[]), "No variables to optimize"),
            (lambda: optimizer.apply_gradients([]), "No variables provided"),
            (lambda: optimizer.apply_gradients([(None, v)]), "No gradients provided for any variable: "),
            (lambda: optimizer.compute_gradients(v, gate_gradients=4), "gate_gradients must be one of"),
            (lambda: optimizer.minimize(tf.constant(1)), "Invalid type tf.int32"),
            (lambda: train.AdamOptimizer(name=""), "Must specify the optimizer name"),
        ]:
            with pytest.raises(ValueError, match=message):
                call()
    with pytest.raises(RuntimeError, match="should be a function when eager execution is enabled"):
        optimizer.minimize(tf.Variable(1.0) + 1)


def test_gradients_wait_for_each_other_if_asked():
    with tf.Graph().as_default():
        v, w = v1.get_variable("v", initializer=1.0), v1.get_variable("w", initializer=1.0)
        optimizer = train.GradientDescentOptimizer(0.1)
        gated = optimizer.compute_gradients(v * w, gate_gradients=optimizer.GATE_GRAPH)
        assert [gradient.op.type for gradient, _ in gated] == ["Identity", "Identity"]
        assert gated[0][0].op.control_inputs == gated[1][0].op.control_inputs


def test_slots_survive_in_checkpoints_of_objects(tmp_path):
    def made():
        v = tf.Variable([1.0, 2.0], name="v")
        return v, train.AdamOptimizer(0.1)

    v, optimizer = made()
    optimizer.minimize(lambda: tf.reduce_sum(v**2), var_list=[v])
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).save(str(tmp_path / "c"))
    other, restored = made()
    tf.train.Checkpoint(v=other, optimizer=restored).restore(path)
    for x, y in ((v, optimizer), (other, restored)):
        y.minimize(lambda x=x: tf.reduce_sum(x**2), var_list=[x])
    assert np.array_equal(v.numpy(), other.numpy())
    assert np.array_equal(optimizer.get_slot(v, "v").numpy(), restored.get_slot(other, "v").numpy())


def test_a_function_makes_steps():
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = train.MomentumOptimizer(0.1, 0.5)

    @tf.function
    def step():
        optimizer.minimize(lambda: tf.reduce_sum(v**2), var_list=[v])

    step()
    step()
    assert np.allclose(v.numpy(), np.array([0.54, 1.08]))

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1

SCATTERS = {
    "update": [5.0, 2.0, 6.0],
    "add": [6.0, 2.0, 9.0],
    "sub": [-4.0, 2.0, -3.0],
    "mul": [5.0, 2.0, 18.0],
    "div": [0.2, 2.0, 0.5],
    "min": [1.0, 2.0, 3.0],
    "max": [5.0, 2.0, 6.0],
}


@pytest.mark.parametrize("name", SCATTERS)
def test_scatters_change_rows(name):
    scatter = getattr(v1, f"scatter_{name}")
    variable = tf.Variable([1.0, 2.0, 3.0])
    assert np.allclose(scatter(variable, [0, 2], [5.0, 6.0]).numpy(), SCATTERS[name])
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", initializer=[1.0, 2.0, 3.0])
        session.run(variable.initializer)
        assert np.allclose(session.run(scatter(variable, [0, 2], [5.0, 6.0])), SCATTERS[name])


def test_assignments_return_the_variable_with_its_new_value():
    variable = tf.Variable([1.0, 2.0])
    assert v1.assign(variable, [3.0, 4.0]).numpy().tolist() == [3, 4]
    assert v1.assign_add(variable, [1.0, 1.0]).numpy().tolist() == [4, 5]
    assert v1.assign_sub(variable, [4.0, 4.0]).numpy().tolist() == [0, 1]
    assert v1.scatter_nd_update(variable, [[1]], [9.0]).numpy().tolist() == [0, 9]
    assert v1.scatter_nd_add(variable, [[1]], [1.0]).numpy().tolist() == [0, 10]
    assert v1.scatter_nd_sub(variable, [[0]], [1.0]).numpy().tolist() == [-1, 10]
    with pytest.raises(ValueError, match="Shape mismatch"):
        v1.assign(variable, [1.0])


def test_counting_stops_at_the_limit():
    variable = tf.Variable(1)
    assert int(v1.count_up_to(variable, 2)) == 1
    with pytest.raises(tf.errors.OutOfRangeError):
        v1.count_up_to(variable, 2)


def test_batches_are_changed_each_at_its_indices():
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v1.batch_scatter_update(variable, [[0], [1]], [[7.0], [8.0]]).numpy().tolist() == [[7, 2], [3, 8]]

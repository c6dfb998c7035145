import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
initializers = v1.initializers

DRAWING = {
    "random_uniform": lambda seed: initializers.random_uniform(-1.0, 1.0, seed=seed),
    "random_normal": lambda seed: initializers.random_normal(1.0, 0.5, seed=seed),
    "truncated_normal": lambda seed: initializers.truncated_normal(seed=seed),
    "uniform_unit_scaling": lambda seed: initializers.uniform_unit_scaling(seed=seed),
    "variance_scaling": lambda seed: initializers.variance_scaling(2.0, "fan_out", "uniform", seed=seed),
    "orthogonal": lambda seed: initializers.orthogonal(seed=seed),
    "glorot_uniform": lambda seed: initializers.glorot_uniform(seed=seed),
    "glorot_normal": lambda seed: initializers.glorot_normal(seed=seed),
    "he_normal": initializers.he_normal,
    "lecun_uniform": initializers.lecun_uniform,
}


@pytest.mark.parametrize("name", DRAWING)
def test_a_configuration_makes_an_equal_initializer(name):
    initializer = DRAWING[name](3)
    again = type(initializer).from_config(initializer.get_config())
    values = []
    for each in (initializer, again):
        with tf.Graph().as_default() as graph, v1.Session() as session:
            graph.seed = 5
            values.append(session.run(each([4, 3], tf.float64)))
    assert values[0].dtype == np.float64
    assert np.array_equal(values[0], values[1])


@pytest.mark.parametrize(
    ("initializer", "deviation"),
    [
        (initializers.variance_scaling(3.0, "fan_in", "untruncated_normal", seed=1), (3 / 100) ** 0.5),
        (initializers.variance_scaling(3.0, "fan_out", "uniform", seed=1), (3 / 300) ** 0.5),
        (initializers.variance_scaling(3.0, "fan_avg", "truncated_normal", seed=1), (3 / 200) ** 0.5),
        (initializers.uniform_unit_scaling(2.0, seed=1), 2 / 100**0.5),
    ],
)
def test_deviations_are_as_stated(initializer, deviation):
    assert np.isclose(initializer([100, 300]).numpy().std(), deviation, rtol=0.03)


def test_parts_have_the_deviation_of_the_whole():
    from millrace._src.compat_v1.variables.variable_getting import PartitionInfo

    part = initializers.glorot_normal(seed=1)([50, 300], partition_info=PartitionInfo([1000, 300], [50, 0]))
    assert np.isclose(part.numpy().std(), (2 / 1300) ** 0.5, rtol=0.05)
    corner = initializers.identity()([2, 4], partition_info=PartitionInfo([4, 4], [2, 0]))
    assert corner.numpy().tolist() == [[0, 0, 1, 0], [0, 0, 0, 1]]


def test_constants_fill_a_shape_in_a_graph_and_must_fit_in_eager_mode():
    make = v1.constant_initializer
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(make([1, 2])([4])).tolist() == [1, 2, 2, 2]
        with pytest.raises(ValueError, match="Too many elements provided"):
            make([1, 2, 3, 4, 5])([3])
    with pytest.raises(TypeError, match="has 2 elements"):
        make([1, 2])([4])
    with pytest.raises(TypeError, match=r"with shape \(4,\), but got shape \(2,\)"):
        make([1, 2], verify_shape=True)([4])
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        make(None)


def test_wrong_arguments_are_refused():
    for call, message in [
        (lambda: initializers.variance_scaling(0), "`scale` must be a positive float"),
        (lambda: initializers.variance_scaling(mode="x"), "`mode` should be one of"),
        (lambda: initializers.variance_scaling(distribution="x"), "`distribution` should be one of"),
        (lambda: initializers.random_normal(dtype=tf.int32), "expected to be floating point"),
        (lambda: initializers.orthogonal()([3]), "must be at least two-dimensional"),
        (lambda: initializers.identity()([2, 2, 2]), "must be at least two-dimensional"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()

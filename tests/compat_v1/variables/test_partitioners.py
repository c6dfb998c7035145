import pytest

import millrace as tf

v1 = tf.compat.v1


def parts(partitioner, shape, dtype=tf.float32):
    return partitioner(shape=tf.TensorShape(shape), dtype=dtype)


def test_parts_are_as_large_as_they_may_be():
    assert parts(v1.variable_axis_size_partitioner(64), [100, 4]) == [25, 1]
    assert parts(v1.variable_axis_size_partitioner(64), [100, 4], tf.string) == [100, 1]
    assert parts(v1.variable_axis_size_partitioner(64, max_shards=5), [100, 4]) == [5, 1]
    assert parts(v1.variable_axis_size_partitioner(64, axis=1), [4, 100]) == [1, 25]


def test_there_are_as_many_parts_as_there_may_be():
    assert parts(v1.min_max_variable_partitioner(4, min_slice_size=64), [100, 4]) == [4, 1]
    assert parts(v1.min_max_variable_partitioner(4, min_slice_size=64), [5]) == [1]


def test_there_are_never_more_parts_than_rows():
    assert parts(v1.fixed_size_partitioner(8), [3, 4]) == [3, 1]


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="must be positive"):
        v1.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="Cannot partition variable along axis 5"):
        parts(v1.min_max_variable_partitioner(1, axis=5), [3])
    with pytest.raises(ValueError, match="shape is not fully defined"):
        parts(v1.variable_axis_size_partitioner(64), [None, 3])


def test_parts_can_be_made_at_once():
    with tf.Graph().as_default(), v1.Session() as session:
        made = v1.create_partitioned_variables([5], [2], tf.range(5.0))
        assert [part.name for part in made] == ["PartitionedVariable/part_0:0", "PartitionedVariable/part_1:0"]
        session.run([part.initializer for part in made])
        assert [part.tolist() for part in session.run(made)] == [[0, 1, 2], [3, 4]]
        with pytest.raises(ValueError, match="must have the length"):
            v1.create_partitioned_variables([5, 4], [2], v1.zeros_initializer())

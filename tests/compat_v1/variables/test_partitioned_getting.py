import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


def test_parts_are_slices_of_the_whole_and_the_first_are_larger():
    with tf.Graph().as_default() as graph:
        whole = v1.get_variable("v", [10, 3], partitioner=v1.fixed_size_partitioner(3))
        assert [part.name for part in whole] == ["v/part_0:0", "v/part_1:0", "v/part_2:0"]
        assert [part.shape.as_list() for part in whole] == [[4, 3], [3, 3], [3, 3]]
        assert [part._save_slice_info.spec for part in whole] == ["10 3 0,4:0,3", "10 3 4,3:0,3", "10 3 7,3:0,3"]
        session = v1.Session(graph=graph)
        session.run([part.initializer for part in whole])
        joined, parts = session.run([tf.convert_to_tensor(whole), list(whole)])
        assert np.array_equal(joined, np.concatenate(parts))
        value = np.arange(30, dtype=np.float32).reshape(10, 3)
        session.run(whole.assign(value))
        assert np.array_equal(session.run(whole.as_tensor()), value)


def test_a_value_is_divided():
    with tf.Graph().as_default() as graph:
        whole = v1.get_variable("v", initializer=tf.range(5.0), partitioner=v1.fixed_size_partitioner(2))
        session = v1.Session(graph=graph)
        session.run([part.initializer for part in whole])
        assert [list(part) for part in session.run(list(whole))] == [[0, 1, 2], [3, 4]]


def test_a_partitioned_variable_is_found_again_also_without_a_partitioner():
    with tf.Graph().as_default():
        whole = v1.get_variable("v", [4], partitioner=v1.fixed_size_partitioner(2))
        with v1.variable_scope("", reuse=True):
            assert v1.get_variable("v", [4]) is whole
            with pytest.raises(ValueError, match=r"specified partitions \[4\] and found partitions \[2\]"):
                v1.get_variable("v", [4], partitioner=v1.fixed_size_partitioner(4))
        with pytest.raises(ValueError, match="No partitioner was provided, but a partitioned version"):
            v1.get_variable("v", [4])


def test_partitioners_that_answer_nonsense_are_refused():
    for counts, message in [
        (3, "must return a sequence"),
        ([0, 1], "zero partitions"),
        ([2], "does not match the Variable's rank"),
        ([2, 2], "Can only slice a variable along one"),
        ([5, 1], "Expected 0 <= offset < shape"),
    ]:
        with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
            v1.get_variable("v", [4, 4], partitioner=lambda counts=counts, **unused: counts)

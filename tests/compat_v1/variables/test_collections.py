import millrace as tf

v1 = tf.compat.v1


def test_collections_are_lists_of_the_default_graph():
    with tf.Graph().as_default():
        v1.add_to_collection("q", 3)
        v1.add_to_collections(["q", "r", "q"], 4)
        v1.get_collection_ref("r").append(5)
        v1.get_collection("q").append(6)
        assert v1.get_collection("q") == [3, 4]
        assert v1.get_collection("r") == [4, 5]
    assert v1.get_collection("r") == []


def test_variables_are_listed_by_kind_and_scope():
    with tf.Graph().as_default() as graph:
        a = v1.get_variable("s/a", [1])
        b = v1.get_variable("b", [1], trainable=False, collections=[v1.GraphKeys.MODEL_VARIABLES])
        local = v1.get_local_variable("c", [1])
        assert v1.global_variables() == v1.all_variables() == v1.trainable_variables() == [a]
        assert v1.global_variables("s/") == [a]
        assert v1.global_variables("t/") == v1.moving_average_variables() == []
        assert v1.model_variables() == [b]
        assert v1.local_variables() == [local]
        assert all(isinstance(name, str) for name in graph.get_all_collection_keys())

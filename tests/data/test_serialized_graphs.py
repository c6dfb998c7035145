"""Datasets as graphs: written, read back, run; what no graph can hold is refused."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.data.options import ExternalStatePolicy

Dataset = tf.data.Dataset


def again(dataset: Any) -> Any:
    """The dataset that a dataset's graph makes."""
    handle = tf.raw_ops.DatasetFromGraph(graph_def=dataset._as_serialized_graph())
    return tf.data.experimental.from_variant(handle, dataset.element_spec)


def elements(dataset: Any) -> list[Any]:
    return [x.numpy().tolist() for x in dataset]


def test_a_dataset_comes_back_from_its_graph() -> None:
    offset = tf.constant(range(100), tf.int64)
    dataset = Dataset.range(9).map(lambda x: x + offset[2]).filter(lambda x: x % 2 == 0).shuffle(3, seed=1).batch(2)
    found = [number for batch in elements(again(dataset)) for number in batch]
    assert sorted(found) == [2, 4, 6, 8, 10]


def test_strings_and_slices_come_back() -> None:
    dataset = Dataset.from_tensor_slices((["a", "bc"], [1.5, 2.5])).map(lambda s, x: s)
    assert [x.numpy() for x in again(dataset)] == [b"a", b"bc"]


def test_the_graph_ends_in_the_node_that_tensorflow_looks_for() -> None:
    message = tf.compat.v1.GraphDef.FromString(Dataset.range(3).batch(2)._as_serialized_graph().numpy())
    assert [node.op for node in message.node] == ["Const"] * 3 + ["RangeDataset"] + ["Const"] * 2 + [
        "BatchDatasetV2",
        "_Retval",
    ]
    assert message.node[-1].name == "dataset"


def test_functions_with_effects_go_by_the_policy() -> None:
    dataset = Dataset.range(3).map(lambda x: tf.py_function(lambda y: y, [x], tf.int64))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Failed to serialize the input pipeline graph"):
        dataset._as_serialized_graph(external_state_policy=ExternalStatePolicy.FAIL)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Failed to serialize the input pipeline graph"):
        dataset._as_serialized_graph(allow_stateful=False)
    assert dataset._as_serialized_graph(external_state_policy=ExternalStatePolicy.IGNORE).dtype == tf.string


def test_a_variable_cannot_stand_in_a_graph() -> None:
    variable = tf.Variable(1, dtype=tf.int64)
    dataset = Dataset.range(3).map(lambda x: x + variable)
    with pytest.raises(tf.errors.FailedPreconditionError, match="no graph can hold"):
        dataset._as_serialized_graph()


def test_equal_pipelines_have_equal_fingerprints() -> None:
    def make(factor: int) -> Any:
        return Dataset.range(3).map(lambda x: x * factor)

    assert int(make(2).fingerprint()) == int(make(2).fingerprint()) != int(make(3).fingerprint())


def test_a_graph_without_a_result_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="_Retval"):
        tf.raw_ops.DatasetFromGraph(graph_def=b"")


def test_the_structure_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="Invalid `dataset_or_iterator`"):
        tf.data.experimental.get_structure(3)


@pytest.mark.parametrize(
    "name", ["DispatchServer", "WorkerServer", "DispatcherConfig", "distribute", "from_dataset_id", "register_dataset"]
)
def test_the_data_service_says_that_it_is_not_here(name: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"{name}: Millrace has no data service.*Dataset.shard"):
        getattr(tf.data.experimental.service, name)("grpc://x")

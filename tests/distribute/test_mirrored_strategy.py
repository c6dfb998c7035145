"""Tests for the mirrored strategy, which runs on one device."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.distribute import mirrored_strategy
from tests.distribute.facts import facts

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
D: Any = tf.distribute


@pytest.fixture
def strategy() -> Any:
    return D.MirroredStrategy(devices=["/cpu:0"])


@pytest.mark.parametrize("devices", [["/cpu:0"], ["cpu:0"], ("CPU:0",), [CPU]])
def test_one_device_is_one_replica(devices: Any) -> None:
    extended = D.MirroredStrategy(devices).extended
    assert extended.worker_devices == extended.parameter_devices == (CPU,)
    assert D.MirroredStrategy(devices).num_replicas_in_sync == 1


@pytest.mark.parametrize("devices", [None, []])
def test_without_names_it_is_the_gpu_or_the_cpu(devices: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for gpus, expected in (([], CPU), ([tf.config.LogicalDevice("/device:GPU:0", "GPU")], GPU)):
        monkeypatch.setattr(mirrored_strategy, "list_logical_devices", lambda kind, found=gpus: found)
        assert D.MirroredStrategy(devices).extended.worker_devices == (expected,)


def test_several_devices_are_refused_with_the_name_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotImplementedError, match=r"on 2 devices is not built yet.*MirroredStrategy\(\['/gpu:0'\]\)"):
        D.MirroredStrategy(["/gpu:0", "/gpu:1"])
    gpus = [tf.config.LogicalDevice(f"/device:GPU:{number}", "GPU") for number in range(2)]
    monkeypatch.setattr(mirrored_strategy, "list_logical_devices", lambda kind: gpus)
    with pytest.raises(NotImplementedError, match=r"MirroredStrategy\(\['/device:GPU:0'\]\)"):
        D.MirroredStrategy()


@pytest.mark.parametrize(
    ("devices", "error", "message"),
    [
        (["/cpu:0", "cpu:0"], AssertionError, "No duplicates allowed in `devices` argument"),
        (["/foo"], ValueError, "Unknown attribute 'foo'"),
        (["/job:worker/task:0/cpu:0"], tf.errors.InvalidArgumentError, "unknown device"),
        ("/cpu:0", TypeError, r"must be a list of names, such as \['/cpu:0'\]"),
    ],
)
def test_names_that_are_no_devices_are_refused(devices: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        D.MirroredStrategy(devices)


def test_the_ways_to_combine_are_accepted() -> None:
    for ops in (D.HierarchicalCopyAllReduce(), D.NcclAllReduce(), D.ReductionToOneDevice()):
        assert D.MirroredStrategy(["/cpu:0"], cross_device_ops=ops).num_replicas_in_sync == 1
    with pytest.raises(TypeError, match=r"must be a tf\.distribute\.CrossDeviceOps.*received 'NCCL'"):
        D.MirroredStrategy(cross_device_ops="NCCL")


def test_the_scope_puts_it_in_force(strategy: Any) -> None:
    with strategy.scope():
        assert facts() == (strategy, True, True, None)
        v = tf.Variable(1.0)
    assert strategy.extended.variable_created_in_scope(v)
    assert not strategy.extended.variable_created_in_scope(tf.Variable(1.0))
    with (
        strategy.scope(),
        pytest.raises(RuntimeError, match="Mixing different tf"),
        D.MirroredStrategy(["/cpu:0"]).scope(),
    ):
        pass


def test_classes(strategy: Any) -> None:
    assert isinstance(strategy, D.Strategy) and not isinstance(strategy, D.OneDeviceStrategy)
    v1 = tf.compat.v1.distribute.MirroredStrategy(["/cpu:0"])
    assert isinstance(v1, tf.compat.v1.distribute.Strategy)
    assert type(v1).__name__ == "MirroredStrategyV1"


def test_a_training_loop_of_tensorflows_tutorial(strategy: Any) -> None:
    with strategy.scope():
        w = tf.Variable([[0.0], [0.0]])
    x, y = np.float32([[1, 2], [3, 4], [5, 6], [7, 8]]), np.float32([[1], [2], [3], [4]])
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(2))

    def step(inputs: Any) -> Any:
        rows, labels = inputs
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss((rows @ w - labels) ** 2, global_batch_size=2)
        (gradient,) = tape.gradient(loss, [w])
        w.assign_sub(0.01 * D.get_replica_context().all_reduce("sum", gradient))
        return loss

    @tf.function
    def distributed_step(inputs: Any) -> Any:
        return strategy.reduce(D.ReduceOp.SUM, strategy.run(step, args=(inputs,)), axis=None)

    losses = [float(distributed_step(batch)) for _ in range(20) for batch in batches]
    assert losses[-1] < losses[0] / 20
    assert [value.numpy().tolist() for value in strategy.experimental_local_results(w)] == [w.numpy().tolist()]


def test_variables_of_all_kinds_are_updated_by_steps(strategy: Any) -> None:
    with strategy.scope():
        mean = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
        on_read = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
    for v in (mean, on_read):
        strategy.run(lambda v=v: v.assign_add(1.0))
        assert v.numpy() == 2.0


@pytest.mark.parametrize("value", [3.0, 2, np.ones(2, np.float32), [1.0, {"a": 2}]])
def test_a_sum_is_a_tensor_also_of_python_numbers(strategy: Any, value: Any) -> None:
    for combined in (strategy.reduce("SUM", value, axis=None), strategy.extended.reduce_to("sum", value, "/cpu:0")):
        tf.nest.map_structure(lambda one, given: np.testing.assert_array_equal(one.numpy(), given), combined, value)
    assert strategy.reduce("MEAN", 3.0, axis=None) == 3.0


def test_a_sum_of_a_variable_does_not_change_with_it(strategy: Any) -> None:
    v = tf.Variable(2.0)
    combined = strategy.reduce("SUM", v, axis=None)
    v.assign(5.0)
    assert combined.numpy() == 2.0


def test_a_sum_of_tensors_of_several_parts_is_what_the_replica_returned(strategy: Any) -> None:
    for value in (tf.ragged.constant([[1], []]), tf.sparse.from_dense([0, 1]), tf.constant([1.0])):
        assert strategy.reduce("SUM", value, axis=None) is value
    with pytest.raises(ValueError, match="None"):
        strategy.reduce("SUM", None, axis=None)


def test_datasets_of_functions_and_for_each_replica(strategy: Any) -> None:
    options = D.InputOptions(experimental_replication_mode=D.InputReplicationMode.PER_REPLICA)
    for given in (None, options):
        dataset = strategy.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(3), given)
        assert [int(element) for element in dataset] == [0, 1, 2]
    with pytest.raises(NotImplementedError, match="only supported in `distribute_datasets_from_function`"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(3), options)
    prefetching = D.InputOptions(experimental_fetch_to_device=False)
    assert len(list(strategy.experimental_distribute_dataset(tf.data.Dataset.range(3), prefetching))) == 3


def test_keras_trains_in_the_scope(strategy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())
    pytest.importorskip("keras")
    keras = tf.keras

    def losses(scope: Any) -> list[float]:
        keras.utils.set_random_seed(1)
        with scope:
            model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
            model.compile("adam", "mse", metrics=["mae"])
        x = np.random.RandomState(0).rand(16, 3).astype(np.float32)
        history = model.fit(x, x.sum(1, keepdims=True), epochs=2, batch_size=8, verbose=0, shuffle=False)
        model.evaluate(x, x.sum(1, keepdims=True), verbose=0)
        return [float(loss) for loss in history.history["loss"]]

    assert losses(strategy.scope()) == losses(D.get_strategy().scope())

"""Tests for the strategy of one replica on a device that the program names."""

from __future__ import annotations

import subprocess
import sys

import pytest

import millrace as tf

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture
def one() -> tf.distribute.Strategy:
    return tf.distribute.OneDeviceStrategy("/cpu:0")


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("cpu", CPU),
        ("", CPU),
        (None, CPU),
        ("/device:CPU:*", CPU),
        ("GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"),
        ("/job:a/task:2", "/job:a/replica:0/task:2/device:CPU:0"),
    ],
)
def test_open_parts_of_a_device_are_those_of_the_first_cpu(name: str, device: str) -> None:
    extended = tf.distribute.OneDeviceStrategy(name).extended
    assert extended.worker_devices == extended.parameter_devices == (device,)


def test_name_that_is_no_device_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown attribute"):
        tf.distribute.OneDeviceStrategy("bad")


def test_device_of_another_job_is_refused_when_used() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/job:worker/device:CPU:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"):
        strategy.run(lambda: tf.constant(1))


def test_variables_belong_to_the_scope_they_were_created_in(one: tf.distribute.Strategy) -> None:
    outside = tf.Variable(1.0)
    with one.scope():
        inside = tf.Variable(1.0)
    default, other = tf.distribute.get_strategy(), tf.distribute.OneDeviceStrategy("/cpu:0")
    owners = [[s.extended.variable_created_in_scope(v) for v in (outside, inside)] for s in (default, one, other)]
    assert owners == [[True, False], [False, True], [False, False]]


def test_nodes_of_a_function_are_on_the_device() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/gpu:0")
    function = tf.function(lambda x: strategy.run(lambda: x + 1.0))
    graph = function.get_concrete_function(tf.constant(1.0)).graph
    assert [node.device for node in graph.get_operations() if node.type == "AddV2"] == ["/device:GPU:0"]


def test_variables_beside_variables(one: tf.distribute.Strategy) -> None:
    foreign = tf.Variable(1.0)
    with one.scope():
        own = tf.Variable(1.0)
        with one.extended.colocate_vars_with(own):
            assert tf.Variable(3.0).device == own.device
        with pytest.raises(ValueError, match="must only be passed a variable created in this"):
            one.extended.colocate_vars_with(foreign)
    with pytest.raises(RuntimeError, match="Need to be inside"):
        one.extended.colocate_vars_with(own)


def test_update_is_between_replicas_also_from_a_replica(one: tf.distribute.Strategy) -> None:
    v = tf.Variable(1.0)

    def update() -> bool:
        answer: bool = one.extended.update(v, lambda u: tf.distribute.in_cross_replica_context())
        return answer

    assert update() and one.run(update)


def test_results_of_updates_are_tuples_without_group(one: tf.distribute.Strategy) -> None:
    assert one.extended.update(tf.Variable(1.0), lambda u: {"a": [1]}, group=False) == {"a": [(1,)]}
    assert one.extended.update_non_slot([], lambda a: a, args=(3,), group=False) == (3,)


def test_properties_of_the_only_process(one: tf.distribute.Strategy) -> None:
    extended = one.extended
    assert (extended.should_checkpoint, extended.should_save_summary, extended.experimental_should_init) == (True,) * 3
    assert not extended.experimental_between_graph
    assert extended.non_slot_devices([]) == (CPU,)
    assert extended.value_container(3) == 3


_ON_THE_SECOND_CPU = """
import millrace as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
s = tf.distribute.OneDeviceStrategy("/cpu:1")
x = tf.constant([1.0, 2.0])
it = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(4).map(lambda e: {"a": e})))
with s.scope():
    print(tf.constant(1).device)
    v = tf.Variable(1.0)
    with tf.device("/cpu:0"):
        w = tf.Variable(1.0)
print(v.device, w.device, s.run(lambda: (x + 1).device), s.run(lambda: tf.Variable(1.0).device))
merged = lambda: tf.distribute.get_replica_context().merge_call(lambda _: (x + 1).device)
print(s.run(merged), s.extended.update(v, lambda u: (x + 1).device), s.reduce("SUM", x, axis=0).device)
print(next(it)["a"].device, it.get_next()["a"].device)
"""


def test_what_is_on_the_device_of_the_strategy() -> None:
    command = [sys.executable, "-c", _ON_THE_SECOND_CPU]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = [line.replace("/job:localhost/replica:0/task:0/device:", "") for line in done.stdout.splitlines()]
    assert found == ["CPU:0", "CPU:1 CPU:1 CPU:1 CPU:1", "CPU:1 CPU:1 CPU:1", "CPU:1 CPU:1"]

"""Tests for the strategies of several replicas."""

from __future__ import annotations

import pytest

import millrace as tf

NAMES = [
    "MultiWorkerMirroredStrategy",
    "TPUStrategy",
    "ParameterServerStrategy",
    "experimental.CentralStorageStrategy",
    "experimental.MultiWorkerMirroredStrategy",
    "experimental.ParameterServerStrategy",
    "experimental.TPUStrategy",
]


@pytest.mark.parametrize("name", NAMES)
def test_strategy_of_several_replicas_says_what_to_use(name: str) -> None:
    namespace = tf.distribute
    for part in name.split("."):
        namespace = getattr(namespace, part)
    assert issubclass(namespace, tf.distribute.Strategy)
    assert not isinstance(tf.distribute.get_strategy(), namespace)
    with pytest.raises(NotImplementedError, match=f"{name} is not built yet in Millrace.*OneDeviceStrategy"):
        namespace(["/cpu:0"])


def test_subclass_of_an_unbuilt_strategy_is_refused_too() -> None:
    class Mine(tf.distribute.TPUStrategy):  # type: ignore[misc]  # the public namespace has no types
        pass

    with pytest.raises(NotImplementedError, match=r"Mine is not built yet"):
        Mine()


@pytest.mark.parametrize("name", ["cluster_resolver.TFConfigClusterResolver", "coordinator.ClusterCoordinator"])
def test_names_of_several_machines_are_not_built_yet(name: str) -> None:
    with pytest.raises(AttributeError, match="is not built yet in Millrace"):
        namespace = tf.distribute
        for part in name.split("."):
            namespace = getattr(namespace, part)

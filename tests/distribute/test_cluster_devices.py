"""Clusters: filters that are kept, connections that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


class Cluster:
    """Stands for a ClusterSpec."""


def test_filters_are_written_as_a_message() -> None:
    filters = tf.config.experimental.ClusterDeviceFilters()
    filters.set_device_filters("worker", 1, ["/job:ps"])
    filters.set_device_filters("ps", 0, [])
    message = filters.as_proto()
    assert [job.name for job in message.jobs] == ["ps", "worker"]
    assert list(message.jobs[1].tasks[1].device_filters) == ["/job:ps"]


def test_filters_must_be_a_list() -> None:
    with pytest.raises(TypeError):
        tf.config.experimental.ClusterDeviceFilters().set_device_filters("worker", 0, 3)


@pytest.mark.parametrize(
    ("connect", "argument"),
    [
        (tf.config.experimental_connect_to_host, "host:1"),
        (tf.config.experimental_connect_to_cluster, Cluster()),
    ],
)
def test_connecting_is_refused_in_words(connect: Any, argument: Any) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="Millrace has no servers"):
        connect(argument)


def test_filters_of_another_class_are_refused() -> None:
    with pytest.raises(ValueError, match="`cluster_device_filters` must be a"):
        tf.config.experimental_connect_to_cluster(Cluster(), cluster_device_filters=3)

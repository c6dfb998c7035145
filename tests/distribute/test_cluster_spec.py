"""`tf.train.ClusterSpec`; its answers are compared in the oracle program `v1_monitored::cluster`."""

from __future__ import annotations

import pytest

import millrace as tf


def test_tasks_by_job_and_number() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1", b"b:2"], "ps": {3: "c:3"}})
    assert cluster.as_dict() == {"worker": ["a:1", "b:2"], "ps": {3: "c:3"}}
    assert cluster.job_tasks("ps") == [None, None, None, "c:3"]
    assert tf.train.ClusterSpec(cluster.as_cluster_def()) == cluster


def test_what_is_no_cluster() -> None:
    for wrong in (3, {"w": 3}, {"w": [3]}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        tf.train.ClusterSpec({}).num_tasks("x")

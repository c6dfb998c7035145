"""What XLA runs while a profile runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax")

import millrace as tf
from millrace._src.explain import profiler

pytestmark = pytest.mark.xla


def test_what_xla_runs_is_in_the_profile_with_the_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILLRACE_TIER_WAIT", "1")

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        with tf.name_scope("dense"):
            return tf.matmul(x, x)

    x = tf.ones([64, 64])
    tf.profiler.experimental.start(str(tmp_path))
    for _ in range(20):
        f(x).numpy()
    profile, _ = profiler.end_profile()
    assert profile.xla_space is not None
    device = [event for event in profile.events if event.subject.category == "device"]
    assert any("dense/MatMul" in event.subject.op for event in device)

"""`tf.compat.v1.user_ops`."""

from __future__ import annotations

import millrace as tf
from tests.contracts.sample import Sample

SAMPLES = [Sample("Fact", xla=False)]  # text stays on the host


def test_my_fact_is_a_fact() -> None:
    assert tf.compat.v1.user_ops.my_fact().numpy() == b"0! == 1"

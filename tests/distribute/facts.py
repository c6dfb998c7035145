"""What the tests ask of the strategy in force."""

from __future__ import annotations

from typing import Any

import millrace as tf


def facts() -> tuple[Any, bool, bool, Any]:
    """Returns the strategy in force, whether it is not the default, whether no replica runs, the replica's context."""
    return (
        tf.distribute.get_strategy(),
        tf.distribute.has_strategy(),
        tf.distribute.in_cross_replica_context(),
        tf.distribute.get_replica_context(),
    )

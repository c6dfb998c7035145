"""What the programs about tf.distribute share."""

from __future__ import annotations


def facts(tf, *strategies):
    """What a program can ask: the number of the strategy in force, and where the code runs."""
    strategy, context = tf.distribute.get_strategy(), tf.distribute.get_replica_context()
    number = [i for i, known in enumerate(strategies) if known is strategy]
    return [number, tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), context is None, context is not None and context.strategy is strategy]


def both(tf):
    return [tf.distribute.get_strategy(), tf.distribute.OneDeviceStrategy("/cpu:0")]


def matrix(tf):
    return tf.constant([[1.0, 2.0], [3.0, 4.0]])


def doubled_if_positive(tf):
    def body(v):
        if tf.reduce_sum(v) > 0:
            return v * 2
        return -v

    return body

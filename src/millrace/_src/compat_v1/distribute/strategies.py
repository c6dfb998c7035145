"""Strategies with the methods of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from millrace._src.distribute.mirrored_strategy import MirroredStrategy
from millrace._src.distribute.one_device_strategy import OneDeviceStrategy
from millrace._src.distribute.strategy import Strategy
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["distribute.Strategy"])
class StrategyV1(Strategy):
    """A strategy with the methods of TensorFlow 1.

    Args: extended: The `tf.distribute.StrategyExtended` that runs the work.
    """

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """Combines the values of all replicas; as `tf.distribute.Strategy.reduce`, where `axis` may not be left out."""
        return super().reduce(reduce_op, value, axis)

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: Any = None) -> Any:
        """Makes a dataset of the rows of arrays."""
        return self._extended.experimental_make_numpy_dataset(numpy_input, session)


@export(v1=["distribute.MirroredStrategy"])
@tensorflow_home("python.distribute.mirrored_strategy")
class MirroredStrategyV1(MirroredStrategy, StrategyV1):
    """A mirrored strategy with the methods of TensorFlow 1.

    Args: as for `tf.distribute.MirroredStrategy`.
    """


@export(v1=["distribute.OneDeviceStrategy"])
class OneDeviceStrategyV1(OneDeviceStrategy, StrategyV1):
    """One replica on one device, with the methods of TensorFlow 1.

    Args: device: The name of a device, such as `/cpu:0`.
    """

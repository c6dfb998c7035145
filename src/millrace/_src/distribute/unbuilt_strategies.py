"""The strategies of several replicas, which are not built yet.

Programs ask `isinstance(strategy, tf.distribute.TPUStrategy)`, so the classes exist. Making one is refused.
"""

from __future__ import annotations

from typing import Any

from millrace._src.distribute.strategy import Strategy
from millrace._src.util.export import export, public_name


class _UnbuiltStrategy(Strategy):
    """A strategy that is not built yet: making one raises an error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"tf.{public_name(type(self)) or f'distribute.{type(self).__name__}'} is not built yet in Millrace, which "
            "runs one replica. Use tf.distribute.OneDeviceStrategy(device), or no strategy: "
            "tf.distribute.get_strategy() is the default strategy of one replica."
        )


@export("distribute.MultiWorkerMirroredStrategy", v1=[])
class MultiWorkerMirroredStrategy(_UnbuiltStrategy):
    """Training on several machines; not built yet.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.MultiWorkerMirroredStrategy)
    False
    """


@export("distribute.experimental.MultiWorkerMirroredStrategy")
class ExperimentalMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """Training on several machines, by its older name; not built yet."""


@export("distribute.TPUStrategy", v1=[])
class TPUStrategy(_UnbuiltStrategy):
    """Training on TPUs; not built yet.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)
    False
    """


@export("distribute.experimental.TPUStrategy")
class ExperimentalTPUStrategy(_UnbuiltStrategy):
    """Training on TPUs, by its older name; not built yet."""


@export("distribute.ParameterServerStrategy", v1=[])
class ParameterServerStrategy(_UnbuiltStrategy):
    """Training with variables on machines of their own; not built yet."""


@export("distribute.experimental.ParameterServerStrategy")
class ExperimentalParameterServerStrategy(ParameterServerStrategy):
    """Training with variables on machines of their own, by its older name; not built yet."""


@export("distribute.experimental.CentralStorageStrategy")
class CentralStorageStrategy(_UnbuiltStrategy):
    """Training on several devices with the variables on one; not built yet."""

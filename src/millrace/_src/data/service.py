"""`tf.data.experimental.service`: names whose use raises NotImplementedError.

TensorFlow's data service runs pipelines on a cluster of its own servers. Millrace makes no cluster of its own: a
program that asks for one is told what to use instead.

Tests: tests/contracts/test_public_functions.py
"""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from millrace._src.util.export import export

_REFUSAL = (
    "tf.data.experimental.service.{}: Millrace has no data service. Divide the data among processes with "
    "`Dataset.shard`, or let an engine that runs on a cluster (Ray Data, Spark, Dask) prepare it and read its record "
    "batches or files."
)


@export("data.experimental.service.ShardingPolicy")
class ShardingPolicy(enum.IntEnum):
    """How TensorFlow's data service divides a dataset among workers."""

    OFF = 0
    DYNAMIC = 1
    FILE = 2
    DATA = 3
    FILE_OR_DATA = 4
    HINT = 5


class _Refused:
    """A class of the data service, which cannot be made here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(_REFUSAL.format(type(self).__name__))


@export("data.experimental.service.CrossTrainerCache")
class CrossTrainerCache(_Refused):
    """TensorFlow's cache of elements that several trainers share; not supported."""


@export("data.experimental.service.DispatchServer")
class DispatchServer(_Refused):
    """TensorFlow's server that hands out work; not supported."""


@export("data.experimental.service.DispatcherConfig")
class DispatcherConfig(_Refused):
    """The configuration of TensorFlow's dispatcher; not supported."""


@export("data.experimental.service.WorkerConfig")
class WorkerConfig(_Refused):
    """The configuration of TensorFlow's worker; not supported."""


@export("data.experimental.service.WorkerServer")
class WorkerServer(_Refused):
    """TensorFlow's server that runs a pipeline; not supported."""


@export("data.experimental.service.distribute")
def distribute(*args: object, **kwargs: object) -> NoReturn:
    """Refuses: Millrace has no data service.

    Raises: NotImplementedError: always.
    """
    raise NotImplementedError(_REFUSAL.format("distribute"))


@export("data.experimental.service.from_dataset_id")
def from_dataset_id(*args: object, **kwargs: object) -> NoReturn:
    """Refuses: Millrace has no data service.

    Raises: NotImplementedError: always.
    """
    raise NotImplementedError(_REFUSAL.format("from_dataset_id"))


@export("data.experimental.service.register_dataset")
def register_dataset(*args: object, **kwargs: object) -> NoReturn:
    """Refuses: Millrace has no data service.

    Raises: NotImplementedError: always.
    """
    raise NotImplementedError(_REFUSAL.format("register_dataset"))

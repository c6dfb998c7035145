"""What the functions of a strategy are told or asked about input: options and contexts, plain values all."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from millrace._src.util.export import export


@export("distribute.InputReplicationMode")
class InputReplicationMode(enum.Enum):
    """How often the function of a dataset is called: once a worker, or once a replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class _InputOptions(NamedTuple):
    experimental_fetch_to_device: bool | None
    experimental_replication_mode: InputReplicationMode
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


@export("distribute.InputOptions", v1=[])
class InputOptions(_InputOptions):
    """How a distributed dataset is run.

    >>> tf.distribute.InputOptions(experimental_per_replica_buffer_size=2).experimental_per_replica_buffer_size
    2

    Args:
      experimental_fetch_to_device: Whether elements are fetched to the replica's device ahead of time; default True.
      experimental_replication_mode: A `tf.distribute.InputReplicationMode`.
      experimental_place_dataset_on_device: Whether the dataset itself is on the replica's device.
      experimental_per_replica_buffer_size: How many elements are fetched ahead.
    """

    __slots__ = ()

    def __new__(
        cls,
        experimental_fetch_to_device: bool | None = None,
        experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> InputOptions:
        return super().__new__(
            cls,
            True if experimental_fetch_to_device is None else experimental_fetch_to_device,
            experimental_replication_mode,
            experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )


@export("distribute.RunOptions")
class RunOptions(NamedTuple):
    """How `Strategy.run` is run; the options speak of TPUs and change nothing here.

    >>> tf.distribute.get_strategy().run(lambda: 3, options=tf.distribute.RunOptions())
    3

    Attributes:
      experimental_enable_dynamic_batch_size: Whether batches may differ in size.
      experimental_bucketizing_dynamic_shape: Whether shapes are padded to a power of two.
      experimental_xla_options: Options of the compiler.
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


@export("distribute.InputContext")
class InputContext:
    """What the function of a dataset is told: which input pipeline it makes.

    >>> print(tf.distribute.InputContext(num_input_pipelines=2, input_pipeline_id=1, num_replicas_in_sync=4))
    tf.distribute.InputContext(input pipeline id 1, total: 2)

    Args:
      num_input_pipelines: The number of input pipelines.
      input_pipeline_id: The number of this pipeline.
      num_replicas_in_sync: The number of replicas.
    """

    __slots__ = ("_num_input_pipelines", "_input_pipeline_id", "_num_replicas_in_sync")

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """The number of this input pipeline."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """The number of input pipelines."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: Any) -> Any:
        """Returns the size of a replica's part of a batch.

        >>> tf.distribute.InputContext(num_replicas_in_sync=4).get_per_replica_batch_size(8)
        2

        Args: global_batch_size: The size of a batch of all replicas: an integer or a scalar tensor.
        Raises: ValueError: if the size is not a multiple of the number of replicas.
        """
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync!r} "
            )
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self._input_pipeline_id}, "
            f"total: {self._num_input_pipelines})"
        )


@export("distribute.experimental.ValueContext", v1=[])
class ValueContext:
    """What the function of a distributed value is told: for which replica it makes a value.

    >>> print(tf.distribute.experimental.ValueContext(1, 2))
    tf.distribute.ValueContext(replica id 1,  total replicas in sync: 2)

    Args:
      replica_id_in_sync_group: The number of the replica.
      num_replicas_in_sync: The number of replicas.
    """

    __slots__ = ("_replica_id_in_sync_group", "_num_replicas_in_sync")

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._replica_id_in_sync_group = replica_id_in_sync_group
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the replica."""
        return self._replica_id_in_sync_group

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self._replica_id_in_sync_group}, "
            f" total replicas in sync: {self._num_replicas_in_sync})"
        )

"""Which tensors of a checkpoint go to which of its data files."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.util.export import export


@export("train.experimental.ShardableTensor", v1=["train.experimental.ShardableTensor"])
@dataclass(frozen=True, eq=False)
class ShardableTensor:
    """A tensor that is to be saved, with what a `ShardingCallback` may ask of it.

    Attributes:
      tensor: the value.
      dtype: its dtype.
      device: its device, a `tf.DeviceSpec`.
      name: the name of the value among those of the object that it belongs to, such as "VARIABLE_VALUE".
      shape: its shape.
      slice_spec: which part of a larger tensor the value is, as text; "" for a whole tensor.
      checkpoint_key: the key in the checkpoint.
      trackable: the object that the value belongs to.
    """

    _tensor_save_spec: Any
    tensor: Any
    dtype: Any
    device: Any
    name: str
    shape: Any
    slice_spec: str
    checkpoint_key: str
    trackable: Any

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, str(self.device), self.checkpoint_key))

    def __repr__(self) -> str:
        return (
            f"ShardableTensor(checkpoint_key={self.checkpoint_key!r}, shape={self.shape}, dtype={self.dtype.name}, "
            f"slice_spec={self.slice_spec!r}, device={self.device})"
        )


@export("train.experimental.ShardingCallback", v1=["train.experimental.ShardingCallback"])
class ShardingCallback(abc.ABC):
    """Base of functions that distribute tensors over the data files of a checkpoint.

    A class defines `description` and `__call__`. The call takes the tensors of one task, and returns a mapping for each
    data file: from the key of a tensor to a mapping from `slice_spec` to the value.
    """

    @property
    @abc.abstractmethod
    def description(self) -> str:
        """What the callback does, in a sentence."""

    @abc.abstractmethod
    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[str, Mapping[str, Any]]]:
        """Returns what goes to each data file."""


@export("train.experimental.ShardByTaskPolicy", v1=["train.experimental.ShardByTaskPolicy"])
class ShardByTaskPolicy(ShardingCallback):
    """Writes a data file for each task of a cluster: in one process, one file."""

    @property
    def description(self) -> str:
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[str, Mapping[str, Any]]]:
        """Returns what goes to each data file."""
        shards: dict[Any, dict[str, dict[str, Any]]] = {}
        for shardable in shardable_tensors:
            shard = shards.setdefault(shardable.device.task, {})
            shard.setdefault(shardable.checkpoint_key, {})[shardable.slice_spec] = shardable.tensor
        return list(shards.values())


def distributed(
    shardable_tensors: Sequence[ShardableTensor], callback: ShardingCallback
) -> list[list[tuple[str, str, Any]]]:
    """Returns key, slice and value of each tensor, by data files, as a callback distributes them.

    Raises:
      TypeError: if the callback returns no sequence of mappings.
      ValueError: if the callback leaves a tensor out or makes up another.
    """
    shards = callback(shardable_tensors)
    rows = [
        [(key, slice_spec, tensor) for key, slices in shard.items() for slice_spec, tensor in slices.items()]
        for shard in shards
    ]
    given = {shardable.checkpoint_key for shardable in shardable_tensors}
    returned = {key for shard in rows for key, _, _ in shard}
    if given != returned:
        raise ValueError(
            f"The sharding callback ({callback.description}) left out the tensors {sorted(given - returned)} and "
            f"returned others: {sorted(returned - given)}."
        )
    return [shard for shard in rows if shard]

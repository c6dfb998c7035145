"""Values, datasets and iterators with one part a replica: the classes that programs ask with `isinstance`.

With one replica a value is a plain value, so nothing here is ever made of `DistributedValues`. Datasets of
`OneDeviceStrategy` are `DistributedDataset`s (`one_device_input.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export("distribute.DistributedValues", v1=[])
class DistributedValues:
    """A value with one part a replica."""


@export("types.experimental.distributed.PerReplica", v1=[])
class PerReplica(DistributedValues):
    """A value whose parts differ from replica to replica."""


@export("types.experimental.distributed.Mirrored", v1=[])
class Mirrored(DistributedValues):
    """A value whose parts are the same in all replicas."""


@export("distribute.DistributedDataset", v1=[])
@tensorflow_home("python.distribute.input_lib")
class DistributedDataset:
    """A dataset whose elements have one part a replica; `Strategy.experimental_distribute_dataset` makes one."""

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        raise NotImplementedError("DistributedDataset.element_spec must be implemented in descendants")

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("DistributedDataset.__iter__ must be implemented in descendants")

    def reduce(self, initial_state: object, reduce_func: object) -> Any:
        """Combines the elements, as `tf.data.Dataset.reduce` does."""
        raise NotImplementedError("DistributedDataset.reduce must be implemented in descendants")


@export("distribute.DistributedIterator", v1=[])
class DistributedIterator:
    """An iterator of a `tf.distribute.DistributedDataset`."""

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        raise NotImplementedError("DistributedIterator.element_spec must be implemented in descendants")

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError("DistributedIterator.__next__ must be implemented in descendants")

    def get_next(self) -> Any:
        """Returns the next element."""
        raise NotImplementedError("DistributedIterator.get_next must be implemented in descendants")

    def get_next_as_optional(self) -> Any:
        """Returns the next element as a `tf.experimental.Optional`."""
        raise NotImplementedError("DistributedIterator.get_next_as_optional must be implemented in descendants")

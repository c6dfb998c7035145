"""Datasets of `OneDeviceStrategy`: a dataset in the form of a distributed one.

The elements are those of the dataset itself. A distributed dataset has no transformations and no length, so that a
program that works with one replica also works with several.
"""

from __future__ import annotations

from typing import Any

from millrace._src.autograph.operators.loops import ForLoop, register_loop
from millrace._src.core.composite import CompositeTensor
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec
from millrace._src.data.dataset_loops import for_each_element
from millrace._src.data.iterators import IteratorSpec, OwnedIterator
from millrace._src.distribute.distributed_values import DistributedDataset, DistributedIterator
from millrace._src.graph.scopes import device as device_scope


class OneDeviceDataset(DistributedDataset, CompositeTensor):
    """A dataset for the only replica.

    Args:
      dataset: The `tf.data.Dataset`.
      device: The name of the device that elements are on; None for where the iterator is asked.

    Raises: TypeError: if `dataset` is not a dataset.
    """

    def __init__(self, dataset: Any, device: str | None = None) -> None:
        if not isinstance(dataset, DatasetBase):
            raise TypeError(f"A tf.data.Dataset is needed to distribute its elements; received {dataset!r}.")
        self._dataset = dataset
        self._device = device

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        return self._dataset.element_spec

    @property
    def _type_spec(self) -> OneDeviceDatasetSpec:
        return OneDeviceDatasetSpec(self.element_spec)

    @property
    def cardinality(self) -> Any:
        """The number of elements, an int64 NumPy number; -1 if it is infinite, -2 if it is unknown."""
        return self._dataset.cardinality().numpy()  # type: ignore[attr-defined]  # every dataset has it

    def __iter__(self) -> OneDeviceIterator:
        iterator = OneDeviceIterator(self._dataset)
        iterator.device = self._device
        return iterator

    def reduce(self, initial_state: Any, reduce_func: Any) -> Any:
        """Combines the elements, as `tf.data.Dataset.reduce` does."""
        return self._dataset.reduce(initial_state, reduce_func)  # type: ignore[attr-defined]  # every dataset has it


class OneDeviceDatasetSpec(DatasetSpec):
    """The spec of a distributed dataset, as an argument of a `tf.function`."""

    __slots__ = ()

    @property
    def value_type(self) -> Any:
        """The class of datasets for the only replica."""
        return OneDeviceDataset

    def _to_components(self, value: Any) -> Any:
        return super()._to_components(value._dataset)

    def _from_components(self, components: Any) -> OneDeviceDataset:
        return OneDeviceDataset(super()._from_components(components))

    def cast(self, value: object, cast_context: object) -> Any:
        """Returns a dataset that is an argument for this spec."""
        return value


class OneDeviceIterator(OwnedIterator, DistributedIterator):
    """An iterator over a dataset for the only replica."""

    device: str | None = None
    """The device that elements are on; None for where the iterator is asked."""

    @property
    def _type_spec(self) -> IteratorSpec:
        return OneDeviceIteratorSpec(self.element_spec)

    def __next__(self) -> Any:
        if self.device is None:
            return super().__next__()
        with device_scope(self.device):
            return super().__next__()


class OneDeviceIteratorSpec(IteratorSpec):
    """The spec of an iterator over a distributed dataset, as an argument of a `tf.function`."""

    __slots__ = ()

    @property
    def value_type(self) -> Any:
        """The class of iterators over a dataset for the only replica."""
        return OneDeviceIterator

    def _from_components(self, components: object) -> OneDeviceIterator:
        return OneDeviceIterator(components=components, element_spec=self.element_spec)


def _for_each_batch(dataset: OneDeviceDataset, loop: ForLoop) -> None:
    """Runs a loop over a distributed dataset as one over the dataset itself."""
    for_each_element(dataset._dataset, loop)


register_loop(OneDeviceDataset, _for_each_batch)

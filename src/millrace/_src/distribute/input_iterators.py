"""The older interface that feeds a strategy: iterators for `Strategy.experimental_run`, datasets made of arrays."""

from __future__ import annotations

from typing import Any

from millrace._src.data.dataset import DatasetV2
from millrace._src.data.iterators import OwnedIterator


class InputIterator:
    """An iterator over a dataset, which `Strategy.make_dataset_iterator` returns.

    Args: dataset: A `tf.data.Dataset`.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._iterator = OwnedIterator(dataset)

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        return self._iterator.element_spec

    def initialize(self) -> None:
        """Starts again at the first element."""
        self._iterator = OwnedIterator(self._dataset)

    def get_next(self) -> Any:
        """Returns the next element.

        Raises: tf.errors.OutOfRangeError: if there is none.
        """
        return self._iterator.get_next()

    def get_next_as_optional(self) -> Any:
        """Returns the next element as a `tf.experimental.Optional`."""
        return self._iterator.get_next_as_optional()


def numpy_dataset(arrays: object) -> Any:
    """Makes a dataset of the rows of arrays.

    Args: arrays: A structure of arrays with equally many rows.
    """
    return DatasetV2.from_tensor_slices(arrays)

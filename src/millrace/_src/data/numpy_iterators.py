"""`Dataset.as_numpy_iterator`: elements as NumPy values."""

from __future__ import annotations

import collections.abc
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.specs import NoneTensorSpec, TensorSpec
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.iterators import STATE, OwnedIterator
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec
from millrace._src.ops.sparse.dense_conversion import to_dense
from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.trackable.base import Trackable
from millrace._src.util import nest
from millrace._src.util.export import export

NUMPY_FORMS = (TensorSpec, NoneTensorSpec, RaggedTensorSpec, SparseTensorSpec)
"""The specs of components that have a NumPy form."""


@export("data.NumpyIterator")
class NumpyIterator(collections.abc.Iterator[Any], Trackable):
    """An iterator over the elements of a dataset as NumPy values; `Dataset.as_numpy_iterator` makes one.

    >>> iterator = tf.data.Dataset.range(3).as_numpy_iterator()
    >>> state = iterator.save()
    >>> next(iterator), next(iterator)
    (np.int64(0), np.int64(1))
    >>> iterator.restore(state)
    >>> next(iterator)
    np.int64(0)
    """

    def __init__(self, dataset: DatasetBase) -> None:
        self._iterator = self._track_trackable(OwnedIterator(dataset), "_iterator")

    def __iter__(self) -> PythonIterator[Any]:
        return self

    def __next__(self) -> Any:
        return nest.map_structure(_to_numpy, next(self._iterator))

    def next(self) -> Any:
        """Returns the next element."""
        return next(self)

    def save(self) -> Any:
        """Returns the state of the iterator, a scalar of string that can be written to a file.

        Raises:
          tf.errors.FailedPreconditionError: if a function depends on state outside of the pipeline, unless the option
            `experimental_external_state_policy` allows that.
        """
        (state,) = self._iterator._serialize_to_tensors().values()
        return state

    def restore(self, state: object) -> None:
        """Goes on from a state.

        Args:
          state: what `save` gave, of an iterator over an equal dataset.

        Raises:
          tf.errors.DataLossError: if the state is damaged.
          tf.errors.NotFoundError: if the state is that of another pipeline.
        """
        self._iterator._restore_from_tensors({STATE: convert_to_tensor(state, string)})

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"


def _to_numpy(value: Any) -> Any:
    """Returns a component as NumPy's: of a sparse tensor the dense array, of a ragged one arrays of rows."""
    if value is None:
        return None
    array = (to_dense(value) if isinstance(value, SparseTensor) else value).numpy()
    if isinstance(array, np.ndarray):
        array.setflags(write=False)
    return array

"""`tf.compat.v1.data.Dataset`: the same datasets, with the methods that only TensorFlow 1 has.

Every source and method of `tf.data.Dataset` is one of this class too, and gives datasets of this class.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.data.iterators import Iterator, make_initializable_iterator, make_one_shot_iterator
from millrace._src.core.argument_types import TensorLike
from millrace._src.data.dataset import DatasetV2
from millrace._src.data.legacy_structure import LegacyStructure
from millrace._src.data.sources.sparse_slices import from_sparse_tensor_slices
from millrace._src.util.export import export


@export(v1=["data.Dataset"])
class DatasetV1(DatasetV2, LegacyStructure):
    """A sequence of elements; see `tf.data.Dataset`.

    >>> dataset = tf.compat.v1.data.Dataset.range(3)
    >>> dataset.output_types, isinstance(dataset.map(lambda x: x), tf.compat.v1.data.Dataset)
    (tf.int64, True)
    """

    def make_one_shot_iterator(self) -> Any:
        """Makes an iterator that goes once over the dataset; see `tf.compat.v1.data.make_one_shot_iterator`."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """Makes an iterator with an initializer; see `tf.compat.v1.data.make_initializable_iterator`."""
        return make_initializable_iterator(self, shared_name)

    def map_with_legacy_function(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        use_unbounded_threadpool: bool = False,
    ) -> Any:
        """Does what `map` does."""
        return self.map(map_func, num_parallel_calls, deterministic, None, use_unbounded_threadpool)

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Any:
        """Does what `filter` does."""
        return self.filter(predicate)

    from_sparse_tensor_slices: Any = None  # set below: as all sources, it gives datasets of this class


class DatasetV1Adapter(DatasetV1):
    """A dataset with the methods of TensorFlow 1.

    Args: dataset: the same dataset without these methods.
    """

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__(dataset._variant_tensor, dataset.element_spec, dataset._inputs(), dataset._functions())
        self._dataset = dataset

    def __repr__(self) -> str:
        return repr(self._dataset)

    __str__ = __repr__


def _adapt(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a source or method that gives datasets with the methods of TensorFlow 1."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        is_plain = isinstance(result, DatasetV2) and not isinstance(result, DatasetV1)
        return DatasetV1Adapter(result) if is_plain else result

    return call


for _name, _value in vars(DatasetV2).items():
    if not _name.startswith("_") and isinstance(_value, staticmethod):
        setattr(DatasetV1, _name, staticmethod(_adapt(_value.__func__)))
    elif not _name.startswith("_") and callable(_value):
        setattr(DatasetV1, _name, _adapt(_value))
DatasetV1.from_sparse_tensor_slices = staticmethod(_adapt(from_sparse_tensor_slices))

"""`tf.data.Dataset`: the list of all sources and transformations.

Each has a module of its own, under `sources` or `transforms`, with its op, its node, its cursor and the function
that is the method here. No transformation imports this module: `base.new_dataset` finds the class by its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from millrace._src.core.context import in_plain_graph, state
from millrace._src.core.wire_forms import wire_form
from millrace._src.data import builtins_over_datasets, dataset_loops, serialized_graphs
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.iterators import OwnedIterator
from millrace._src.data.numpy_iterators import NUMPY_FORMS, NumpyIterator
from millrace._src.data.sources import (
    counter,
    list_files,
    python_generators,
    random_numbers,
    range_dataset,
    tensors,
)
from millrace._src.data.transforms import (
    batch,
    bucket_by_sequence_length,
    cache,
    cardinality,
    choose_from_datasets,
    composite_batch,
    concatenate,
    filter_elements,
    flat_map,
    group_by_window,
    ignore_errors,
    interleave,
    map_elements,
    padded_batch,
    prefetch,
    rebatch,
    reduce_elements,
    rejection_resample,
    repeat,
    sample_from_datasets,
    save_load,
    scan_elements,
    shard,
    shuffle,
    single_elements,
    snapshot,
    sparse_batch,
    take,
    take_while,
    unbatch,
    unique,
    window,
    with_options,
    zip_elements,
)
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@wire_form("DATASET")
@export("data.Dataset", v1=[])
@tensorflow_home("python.data.ops.dataset_ops")
class DatasetV2(DatasetBase):
    """A sequence of elements, made of tensors, files or Python code, and transformed step by step.

    >>> dataset = tf.data.Dataset.range(10).filter(lambda x: x % 2 == 0).map(lambda x: x * x).batch(2)
    >>> for numbers in dataset:
    ...     print(numbers.numpy())
    [0 4]
    [16 36]
    [64]

    Each element is a nest of tensors (tuples, dictionaries), described by `element_spec`. A dataset is not changed by
    its methods; each `iter(dataset)` goes through all elements. Work happens when elements are asked for.
    """

    # --- sources -------------------------------------------------------------------------------------------------

    counter = staticmethod(counter.counter)
    range = staticmethod(range_dataset.range_)
    list_files = staticmethod(list_files.list_files)
    choose_from_datasets = staticmethod(choose_from_datasets.choose_from_datasets)
    from_generator = staticmethod(python_generators.from_generator)
    random = staticmethod(random_numbers.random)
    load = staticmethod(save_load.load)
    from_tensors = staticmethod(tensors.from_tensors)
    from_tensor_slices = staticmethod(tensors.from_tensor_slices)
    sample_from_datasets = staticmethod(sample_from_datasets.sample_from_datasets)

    # --- transformations -----------------------------------------------------------------------------------------

    batch = batch.batch
    cache = cache.cache
    bucket_by_sequence_length = bucket_by_sequence_length.bucket_by_sequence_length
    cardinality = cardinality.cardinality
    concatenate = concatenate.concatenate
    enumerate = zip_elements.enumerate_
    filter = filter_elements.filter_
    flat_map = flat_map.flat_map
    interleave = interleave.interleave
    get_single_element = single_elements.get_single_element
    group_by_window = group_by_window.group_by_window
    ignore_errors = ignore_errors.ignore_errors
    map = map_elements.map_
    reduce = reduce_elements.reduce
    padded_batch = padded_batch.padded_batch
    ragged_batch = composite_batch.ragged_batch
    rebatch = rebatch.rebatch
    rejection_resample = rejection_resample.rejection_resample
    repeat = repeat.repeat
    scan = scan_elements.scan
    shard = shard.shard
    prefetch = prefetch.prefetch
    save = save_load.save
    shuffle = shuffle.shuffle
    snapshot = snapshot.snapshot
    skip = take.skip
    sparse_batch = sparse_batch.sparse_batch
    take = take.take
    take_while = take_while.take_while
    unbatch = unbatch.unbatch
    unique = unique.unique
    window = window.window
    zip = staticmethod(zip_elements.zip_)

    options = with_options.options
    with_options = with_options.with_options

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """Applies a function of datasets.

        >>> list(tf.data.Dataset.range(4).apply(lambda dataset: dataset.skip(2)).as_numpy_iterator())
        [np.int64(2), np.int64(3)]

        Args:
          transformation_func: takes this dataset and returns a dataset.

        Returns: That dataset.
        Raises: TypeError: if the function returns no dataset.
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, DatasetBase):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
        return dataset

    # --- graphs --------------------------------------------------------------------------------------------------

    _as_serialized_graph = serialized_graphs.as_serialized_graph
    fingerprint = serialized_graphs.fingerprint

    # --- iteration -----------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        """Begins a pass over the elements.

        Raises: RuntimeError: in a graph that is not a function.
        """
        if in_plain_graph():
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function."
            )
        return OwnedIterator(self)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Returns an iterator over the elements as NumPy values, which share memory with the tensors.

        >>> list(tf.data.Dataset.from_tensor_slices([1, 2]).as_numpy_iterator())
        [np.int32(1), np.int32(2)]

        Raises:
          RuntimeError: in a graph.
          TypeError: if an element has a component without a NumPy form.
        """
        if state.graph is not None:
            raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
        for spec in nest.flatten(self.element_spec):
            if not isinstance(spec, NUMPY_FORMS):
                raise TypeError(
                    f"`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
                    f"{spec.value_type}"
                )
        return NumpyIterator(self)


def _name_methods() -> None:
    """Gives the functions that are methods the names that Python says where arguments are missing."""
    for name, method in vars(DatasetV2).items():
        function = method.__func__ if isinstance(method, staticmethod) else method
        if isinstance(function, FunctionType):
            function.__qualname__ = f"{DatasetV2.__qualname__}.{name}"


_name_methods()
dataset_loops.register()
builtins_over_datasets.register()

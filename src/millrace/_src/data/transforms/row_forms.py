"""Elements as flat tensors with the rows first, which is what is split into rows or put into other batches.

A ragged or sparse tensor travels as one variant. To go through its rows, an element becomes a vector of variants, one
for each row; dense tensors have their rows first anyway.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.specs import NoneTensorSpec, TensorSpec
from millrace._src.data.dataset_base import DatasetBase, DatasetSpec
from millrace._src.data.transforms.map_elements import map_

_HAVE_ROWS_FIRST = (TensorSpec, NoneTensorSpec, DatasetSpec)
"""The specs of batches that are tensors with the rows first as they are."""


def with_rows_first(dataset: DatasetBase) -> DatasetBase:
    """Returns a dataset of the flat tensors of elements, each with the rows first.

    Args:
      dataset: the dataset; returned as it is if the tensors of its elements have the rows first.
    """
    structure = dataset._structure
    if all(isinstance(leaf, _HAVE_ROWS_FIRST) for leaf in structure.leaves):
        return dataset

    def normalize(*components: object) -> Any:
        element = components if type(dataset.element_spec) is tuple else components[0]
        return tuple(structure.flatten_batch(element))

    result: DatasetBase = map_(dataset, normalize)
    return result

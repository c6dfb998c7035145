"""`tf.data.experimental.pad_to_cardinality`: a dataset of a given number of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.core.tensor import EagerTensor
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.sources.tensors import from_tensors
from millrace._src.data.transforms.cardinality import cardinality as cardinality_of
from millrace._src.data.transforms.concatenate import concatenate
from millrace._src.data.transforms.map_elements import map_
from millrace._src.data.transforms.repeat import repeat
from millrace._src.util import nest
from millrace._src.util.export import export


@export("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Callable[[Any], Any]:
    """Returns a function for `Dataset.apply` that appends elements of zeros up to a number of elements.

    >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    >>> dataset = dataset.apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(element["a"]), bool(element["valid"])) for element in dataset.as_numpy_iterator()]
    [(1, True), (2, True), (0, False)]

    Args:
      cardinality: the number of elements.
      mask_key: the key of the component that says whether an element is one of the dataset.

    Returns: A function from datasets of dictionaries to such datasets. It raises a `ValueError` if the elements are no
      dictionaries, a shape is not known, or the dataset has more elements, or no known number of elements.
    """

    def apply(dataset: DatasetBase) -> Any:
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        count = cardinality_of(dataset)
        if isinstance(count, EagerTensor):
            _check_count(int(count), cardinality)
        marked = map_(dataset, lambda element: {**element, mask_key: convert_to_tensor(True)})
        zeros = nest.map_structure(_zeros, marked.element_spec)
        zeros[mask_key] = convert_to_tensor(False)
        missing = convert_to_tensor(cardinality, dtype=int64) - count
        return concatenate(marked, repeat(from_tensors(zeros), missing))

    return apply


def _check_count(count: int, cardinality: int) -> None:
    """Refuses a dataset that cannot be padded."""
    if count < 0:
        raise ValueError(
            f"The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has cardinality {count}"
        )
    if count > cardinality:
        raise ValueError(
            "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the target cardinality "
            f"({cardinality}), but has cardinality {count}"
        )


def _zeros(spec: Any) -> Any:
    """Returns a tensor of zeros, or of empty strings, of a spec."""
    if not spec.shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {spec.shape} to a Tensor.")
    return convert_to_tensor(np.full(spec.shape.as_list(), b"" if spec.dtype is string else 0, spec.dtype.np_dtype))

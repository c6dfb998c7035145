"""`Dataset.sample_from_datasets`: elements of several datasets, each drawn with a probability.

The numbers of the datasets are drawn by a stateless op whose seeds are the elements of `Dataset.random`; so for given
seeds the choices are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32, float64, int64
from millrace._src.core.tensor import Tensor
from millrace._src.data.dataset_base import DatasetBase, apply_op
from millrace._src.data.sources.random_numbers import random
from millrace._src.data.traced_functions import TracedFunction, arguments_of
from millrace._src.data.transforms.batch import batch
from millrace._src.data.transforms.choose_from_datasets import directed_interleave
from millrace._src.data.transforms.map_elements import map_, map_dataset
from millrace._src.data.transforms.take import take
from millrace._src.data.transforms.zip_elements import zip_
from millrace._src.ops import raw
from millrace._src.util.export import export


def sample_from_datasets(
    datasets: Sequence[DatasetBase],
    weights: object = None,
    seed: object = None,
    stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: bool | None = None,
) -> Any:
    """Makes a dataset whose elements are drawn from several datasets at random.

    For given seeds, the choices are TensorFlow's.

    >>> tf.random.set_seed(1)
    >>> datasets = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 20)]
    >>> dataset = tf.data.Dataset.sample_from_datasets(datasets, weights=[0.2, 0.8], seed=3)
    >>> list(dataset.take(4).as_numpy_iterator())
    [np.int64(0), np.int64(10), np.int64(11), np.int64(12)]

    Args:
      datasets: a list of datasets with elements of the same structure and dtypes.
      weights: the probability of each dataset, up to a common factor: a list or tensor of float32 or float64, or a
        dataset of such vectors, one for each choice; None for equal ones.
      seed: a seed, which `tf.random.set_seed` combines with the global one.
      stop_on_empty_dataset: whether the choice of a dataset that has ended is the end; otherwise, such choices are
        passed over.
      rerandomize_each_iteration: whether each pass has choices of its own.

    Returns: A Dataset.
    Raises:
      TypeError: if elements differ in structure or dtypes, or the weights are of another dtype.
      ValueError: if there are no datasets, or not as many weights.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if isinstance(weights, DatasetBase):
        logits: Any = map_(weights, lambda *p: raw.Log(x=convert_to_tensor(p), name="logits"))
    else:
        datasets, weights = _that_can_be_drawn(datasets, weights)
        if len(datasets) == 1:
            return datasets[0]
        logits = _logits(len(datasets), weights)
    choices = _choices(logits, seed, rerandomize_each_iteration)
    return directed_interleave(choices, datasets, stop_on_empty_dataset)


def _that_can_be_drawn(datasets: Sequence[DatasetBase], weights: Any) -> tuple[Sequence[DatasetBase], Any]:
    """Leaves out datasets whose weight is known not to be positive; keeps one without elements if that are all.

    Raises: ValueError: if there are not as many weights as datasets.
    """
    if weights is None:
        return datasets, None
    count = weights.shape[0] if isinstance(weights, Tensor) and weights.shape.rank else len(weights)
    if count is not None and count != len(datasets):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={count}` vs. `len(datasets)={len(datasets)}`."
        )
    if isinstance(weights, Tensor):
        return datasets, weights
    drawn = [(dataset, weight) for dataset, weight in zip(datasets, weights, strict=True) if weight > 0]
    if not drawn:
        return [take(datasets[0], 0)], None
    kept, positive = zip(*drawn, strict=True)
    return kept, np.array(positive, weights.dtype) if isinstance(weights, np.ndarray) else list(positive)


def _logits(count: int, weights: object) -> Any:
    """Returns the logarithms of the weights as a matrix of one row.

    Raises: TypeError: if the weights are of another dtype.
    """
    if weights is None:
        return [[1.0] * count]
    tensor = convert_to_tensor(weights, name="weights")
    if tensor.dtype not in (float32, float64):
        raise TypeError(
            f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {tensor.dtype}."
        )
    return raw.ExpandDims(input=raw.Log(x=tensor, name="logits"), dim=0)


def _choices(logits: object, seed: object, rerandomizes: bool | None) -> Any:
    """Returns a dataset of numbers drawn with the probabilities that logits give.

    Args:
      logits: a matrix of one row, or a dataset of such matrices.
      seed: a seed.
      rerandomizes: whether each pass has numbers of its own.
    """
    seeds = batch(random(seed, rerandomizes), 2)

    def select_dataset_constant_logits(seed: object) -> Any:
        return _draw(logits, seed)

    def select_dataset_varying_logits(logits: object, seed: object) -> Any:
        return _draw(logits, seed)

    if isinstance(logits, DatasetBase):
        return _map_inline(zip_(logits, seeds), select_dataset_varying_logits)
    return _map_inline(seeds, select_dataset_constant_logits)


def _draw(logits: object, seed: object) -> Any:
    drawn = raw.StatelessMultinomial(logits=logits, num_samples=1, seed=seed, output_dtype=int64)
    return raw.Squeeze(input=drawn, axis=[0, 1])


def _map_inline(dataset: Any, function: Callable[..., Any]) -> Any:
    """Applies a function to each element, in the thread that asks for the element."""
    traced = TracedFunction(function, arguments_of(dataset.element_spec), "Dataset.map()")
    return apply_op(
        "_MapDataset",
        map_dataset,
        [dataset, traced.captures],
        traced.output.spec,
        inputs=[dataset],
        functions=[traced],
        f=traced.graph_function,
        use_inter_op_parallelism=False,
        preserve_cardinality=True,
    )


@export("data.experimental.sample_from_datasets")
def sample_from_datasets_once(
    datasets: Sequence[DatasetBase],
    weights: TensorLike | None = None,
    seed: TensorLike | None = None,
    stop_on_empty_dataset: bool = False,
) -> Any:
    """Makes a dataset whose elements are drawn from several datasets; see `tf.data.Dataset.sample_from_datasets`.

    >>> datasets = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 11)]
    >>> dataset = tf.data.experimental.sample_from_datasets(datasets, seed=3)
    >>> sorted(dataset.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(10)]

    Args:
      datasets: a list of datasets with elements of the same structure and dtypes.
      weights: the probability of each dataset, up to a common factor.
      seed: a seed.
      stop_on_empty_dataset: whether the choice of a dataset that has ended is the end.

    Returns: A Dataset.
    Raises: as `tf.data.Dataset.sample_from_datasets`.
    """
    return sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)

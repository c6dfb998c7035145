"""`Dataset.rejection_resample`: elements of given classes in given proportions.

An element of class c is kept with a probability proportional to target[c] / initial[c]. To throw away less, elements of
the whole dataset are mixed with those that were kept: the more, the nearer the target is to the initial distribution.
Where the initial distribution is not given, the classes of the elements are counted. The pipeline is TensorFlow's,
stage by stage, so that for given seeds the elements are TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.control_flow.cond import cond
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32, float64
from millrace._src.core.shape_context import static_value
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.sources.tensors import from_tensors
from millrace._src.data.transforms.batch import batch
from millrace._src.data.transforms.filter_elements import filter_
from millrace._src.data.transforms.map_elements import map_
from millrace._src.data.transforms.prefetch import prefetch
from millrace._src.data.transforms.repeat import repeat
from millrace._src.data.transforms.sample_from_datasets import sample_from_datasets
from millrace._src.data.transforms.scan_elements import scan
from millrace._src.data.transforms.unbatch import unbatch
from millrace._src.data.transforms.zip_elements import zip_
from millrace._src.ops import raw
from millrace._src.ops.debug.print_op import print_op
from millrace._src.ops.random.stateful import uniform
from millrace._src.util.export import export

_COUNTED_AT_ONCE = 32
"""The number of elements after which an estimate of the initial distribution is renewed."""
_FIRST_COUNT = 10
"""The number of elements of each class that an estimate begins with."""
_TINY = np.finfo(np.float32).tiny


def rejection_resample(
    self: DatasetBase,
    class_func: Callable[..., Any],
    target_dist: object,
    initial_dist: object = None,
    seed: object = None,
    name: str | None = None,
) -> Any:
    """Draws elements so that their classes have a target distribution.

    For given seeds, the elements are TensorFlow's.

    >>> tf.random.set_seed(1)
    >>> dataset = tf.data.Dataset.range(1000).map(lambda x: tf.cast(x % 4 == 0, tf.int32))
    >>> dataset = dataset.rejection_resample(lambda c: c, target_dist=[0.5, 0.5], initial_dist=[0.75, 0.25], seed=2)
    >>> classes = [int(c) for c, _ in dataset]
    >>> 0.4 < sum(classes) / len(classes) < 0.6
    True

    Args:
      class_func: takes the components of an element and returns its class, a scalar of int32 or int64.
      target_dist: the distribution of the classes in the result, a vector of floats.
      initial_dist: the distribution of the classes in this dataset; None to estimate that while elements come.
      seed: a seed, which `tf.random.set_seed` combines with the global one.
      name: a name for the datasets of which the result is made.

    Returns: A Dataset of pairs of class and element. Elements may come more than once.
    Raises: TypeError: if a class is not an integer.
    """
    target = _as_float32(target_dist, "target_dist")
    class_values = map_(self, class_func, name=name)
    if initial_dist is not None:
        initial = _as_float32(initial_dist, "initial_dist")
        probabilities, share = _acceptance(initial, target)
        initials = repeat(from_tensors(initial), -1)
        acceptance = repeat(from_tensors(probabilities), -1)
        shares = repeat(from_tensors(share), -1)
    else:
        initials = _estimate(class_values, target.shape[0] or 0, name)
        pairs = map_(initials, lambda initial: _acceptance(initial, target))
        acceptance = map_(pairs, lambda probabilities, _: probabilities, name=name)
        shares = map_(pairs, lambda _, share: share, name=name)
    accepted = _accept(self, class_func, acceptance, initials, seed, name)

    def add_class_value(*element: object) -> Any:
        return class_func(*element), element[0] if len(element) == 1 else element

    originals = map_(self, add_class_value, name=name)
    if initial_dist is not None and _needs_no_rejection(initial, target):
        return originals
    weights = map_(shares, lambda share: ((share, 1.0 - share),), name=name)
    return sample_from_datasets([originals, accepted], weights, seed, stop_on_empty_dataset=True)


def _as_float32(distribution: Any, name: str) -> Any:
    """Returns a distribution as a vector of float32."""
    tensor = convert_to_tensor(distribution, name=name)
    return tensor if tensor.dtype is float32 else raw.Cast(x=tensor, DstT=float32)


def _acceptance(initial: Any, target: Any) -> tuple[Any, Any]:
    """Returns with which probability elements of each class are kept, and the share that needs no rejection."""
    ratios = target / (initial + _TINY)
    most = raw.Max(input=ratios, axis=[0])
    least = raw.Min(input=ratios, axis=[0])
    return (ratios - least) / (most - least), least


def _needs_no_rejection(initial: object, target: object) -> bool:
    """Returns whether both distributions are known, and all elements come from the whole dataset."""
    before, after = static_value(initial), static_value(target)
    return before is not None and after is not None and bool(np.min(after / (before + _TINY)) == 1)


def _estimate(class_values: DatasetBase, count: int, name: str | None) -> Any:
    """Returns a dataset with an estimate of the distribution of classes for each element.

    Args:
      class_values: the classes of the elements.
      count: the number of classes.
      name: a name for the datasets.
    """

    def update_estimate_and_tile(counts: object, classes: object) -> Any:
        hot = raw.OneHot(indices=classes, depth=count, on_value=np.int64(1), off_value=np.int64(0))
        updated = counts + raw.Sum(input=hot, axis=0)
        total = raw.Sum(input=updated, axis=[0])
        shares = raw.Cast(x=raw.Cast(x=updated, DstT=float64) / raw.Cast(x=total, DstT=float64), DstT=float32)
        return updated, raw.Tile(input=raw.ExpandDims(input=shares, dim=0), multiples=[_COUNTED_AT_ONCE, 1])

    start = raw.Fill(dims=[count], value=np.int64(_FIRST_COUNT))
    batches = batch(class_values, _COUNTED_AT_ONCE, name=name)
    return unbatch(scan(batches, start, update_estimate_and_tile, name=name), name=name)


def _accept(
    dataset: DatasetBase,
    class_func: Callable[..., Any],
    acceptance: DatasetBase,
    initials: DatasetBase,
    seed: Any,
    name: str | None,
) -> Any:
    """Returns pairs of class and element, each kept with the probability of its class.

    Args:
      dataset: the elements.
      class_func: gives the class of an element.
      acceptance: the probabilities for each element.
      initials: the distribution of the classes before, for each element.
      seed: a seed.
      name: a name for the datasets.
    """

    def maybe_warn_on_large_rejection(probabilities: Any, initial: Any) -> Any:
        rejected = raw.Sum(input=(1.0 - probabilities) * initial, axis=[0])
        message = "Proportion of examples rejected by sampler is high: "
        shown = [rejected, initial, probabilities]
        return cond(
            raw.Less(x=rejected, y=np.float32(0.5)),
            lambda: probabilities,
            lambda: print_op(probabilities, shown, message=message, first_n=10, summarize=100),
        )

    def _gather_and_copy(probabilities: object, element: object) -> Any:
        value = class_func(*element) if isinstance(element, tuple) else class_func(element)
        return value, raw.GatherV2(params=probabilities, indices=value, axis=0), element

    def _reject(value: Any, probability: Any, element: Any) -> Any:
        return raw.Less(x=uniform([], seed=seed), y=probability)

    warned = map_(zip_(acceptance, initials, name=name), maybe_warn_on_large_rejection, name=name)
    gathered = map_(zip_(warned, dataset, name=name), _gather_and_copy, name=name)
    kept = filter_(gathered, _reject, name=name)
    return prefetch(map_(kept, lambda value, _, element: (value, element), name=name), 3, name=name)


@export("data.experimental.rejection_resample")
def rejection_resample_function(
    class_func: Callable[..., Any],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: TensorLike | None = None,
) -> Callable[[DatasetBase], Any]:
    """Returns a function for `Dataset.apply` that draws elements so that their classes have a target distribution.

    >>> resample = tf.data.experimental.rejection_resample(lambda c: c, [0.5, 0.5], [0.5, 0.5])
    >>> list(tf.data.Dataset.from_tensor_slices([0, 1]).apply(resample).as_numpy_iterator())
    [(np.int32(0), np.int32(0)), (np.int32(1), np.int32(1))]

    Args:
      class_func: takes the components of an element and returns its class.
      target_dist: the distribution of the classes in the result, a vector of floats.
      initial_dist: the distribution of the classes before; None to estimate that.
      seed: a seed.

    Returns: A function from dataset to dataset; see `tf.data.Dataset.rejection_resample`.
    Raises: TypeError: while applying the function, if a class is not an integer.
    """
    return lambda dataset: rejection_resample(dataset, class_func, target_dist, initial_dist, seed)

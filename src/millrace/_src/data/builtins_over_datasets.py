"""`len`, `enumerate`, `zip`, `map`, `filter`, `any`, `all`, `abs` over datasets, in functions that AutoGraph converts.

Most of the builtins give datasets, so that a `for` over `enumerate(dataset)` is a loop over a dataset.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from millrace._src.autograph.operators.replacements import replaces_for
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool_, int64
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.transforms.cardinality import cardinality
from millrace._src.data.transforms.filter_elements import filter_
from millrace._src.data.transforms.map_elements import map_
from millrace._src.data.transforms.reduce_elements import reduce
from millrace._src.data.transforms.take import take
from millrace._src.data.transforms.zip_elements import enumerate_, zip_
from millrace._src.ops import raw
from millrace._src.ops.debug.assertion import assert_that


def _first_is_dataset(args: tuple[Any, ...]) -> bool:
    return bool(args) and isinstance(args[0], DatasetBase)


def _all_are_datasets(args: tuple[Any, ...]) -> bool:
    return bool(args) and builtins.all(isinstance(argument, DatasetBase) for argument in args)


def _rest_are_datasets(args: tuple[Any, ...]) -> bool:
    return _all_are_datasets(args[1:])


def _len(dataset: DatasetBase) -> Any:
    """Returns the number of elements: in a graph a tensor, and an assertion that there is such a number."""
    if state.graph is None:
        return builtins.len(dataset)
    count = cardinality(dataset)
    is_number = raw.GreaterEqual(x=count, y=convert_to_tensor(0, int64))
    assert_that(is_number, [convert_to_tensor("len requires dataset with definitive cardinality, got"), count])
    return raw.Identity(input=count)


def _enumerate(dataset: DatasetBase, start: object = 0) -> Any:
    return enumerate_(dataset, start)


def _zip(*datasets: DatasetBase) -> Any:
    return zip_(datasets)


def _map(function: Callable[..., Any], *datasets: DatasetBase) -> Any:
    return map_(datasets[0] if len(datasets) == 1 else zip_(datasets), function)


def _filter(function: Callable[..., Any], dataset: DatasetBase) -> Any:
    return filter_(dataset, function)


def _any(dataset: DatasetBase) -> Any:
    """Returns whether an element is true; goes no further than the first one that is."""
    _check_bools(dataset, "any")
    return reduce(take(filter_(dataset, _itself), 1), False, lambda found, x: x)


def _all(dataset: DatasetBase) -> Any:
    """Returns whether all elements are true; goes no further than the first one that is not."""
    _check_bools(dataset, "all")
    return reduce(take(filter_(dataset, _negation), 1), True, lambda found, x: x)


def _itself(x: object) -> Any:
    return x


def _negation(x: object) -> Any:
    return raw.LogicalNot(x=x)


def _abs(dataset: DatasetBase) -> Any:
    return map_(dataset, builtins.abs)


def _check_bools(dataset: DatasetBase, name: str) -> None:
    """Refuses a dataset of anything but scalars of bool."""
    spec = dataset.element_spec
    if not isinstance(spec, TensorSpec) or not TensorSpec([], bool_).is_compatible_with(spec):
        raise ValueError(
            f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; got: {spec}'
        )


def register() -> None:
    """Registers with AutoGraph the builtins over datasets."""
    replaces_for(builtins.len, _first_is_dataset)(_len)
    replaces_for(builtins.enumerate, _first_is_dataset)(_enumerate)
    replaces_for(builtins.zip, _all_are_datasets)(_zip)
    replaces_for(builtins.map, _rest_are_datasets)(_map)
    replaces_for(builtins.filter, _rest_are_datasets)(_filter)
    replaces_for(builtins.any, _first_is_dataset)(_any)
    replaces_for(builtins.all, _first_is_dataset)(_all)
    replaces_for(builtins.abs, _first_is_dataset)(_abs)

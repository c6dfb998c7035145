"""What metrics share: their variables, their scope, the collections that values and updates are added to.

Tests: tests/oracle/programs/v1_metrics.py, tests/compat_v1/metrics/test_metrics.py
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.scope_opening import variable_scope
from millrace._src.compat_v1.variables.variable import VariableV1
from millrace._src.compat_v1.weights import broadcast_weights, fit_weights
from millrace._src.core import dtypes as d
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.scopes import control_dependencies, get_current_name_scope
from millrace._src.ops import raw
from millrace._src.ops.array.filling import zeros
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.reduce import reduce_sum

Collections = Sequence[str] | str | None
Pair = tuple[Any, Any]


def metric_scope(function: str, name: str | None, default_name: str) -> AbstractContextManager[Any]:
    """Opens the scope of a metric's variables and operations.

    Raises: RuntimeError: in eager mode.
    """
    require_graph(function)
    scope: AbstractContextManager[Any] = variable_scope(name, default_name)
    return scope


def require_graph(function: str) -> None:
    """Raises RuntimeError in eager mode."""
    if state.graph is None:
        raise RuntimeError(f"tf.metrics.{function} is not supported when eager execution is enabled.")


def metric_variable(shape: Sequence[int], name: str, dtype: Any = d.float32) -> Any:
    """Makes a local variable that begins as zeros."""
    return VariableV1(
        lambda: zeros(list(shape), dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=True,
        name=name,
    )


def add(variable: Any, batch: Any) -> Any:
    """Adds what a batch gives to a variable, and returns the variable's new value."""
    with control_dependencies([variable.assign_add(batch, read_value=False)]):
        return convert_to_tensor(variable)


def scope_name() -> str:
    """Returns the name of an operation that is to be called like the scope in force."""
    return f"{get_current_name_scope()}/"


def collect(value: Any, update: Any, metrics: Collections, updates: Collections) -> Pair:
    """Adds the value and the update of a metric to collections, and returns both."""
    if metrics:
        get_default_graph().add_to_collections(metrics, value)
    if updates:
        get_default_graph().add_to_collections(updates, update)
    return value, update


def ratio_of(total: Any, count: Any, name: str | None) -> Any:
    """Returns `total / count`, 0 where nothing was counted."""
    return divide_no_nan(total, raw.Maximum(x=count, y=0), name=name)


def weigh(values: Any, weights: Any) -> Any:
    """Returns values times weights; the weights may have a dimension of size 1 more or less at the end."""
    weights = broadcast_weights(fit_weights(cast(weights, values.dtype), values), values)
    return raw.Mul(x=values, y=weights)


def accumulate_count(values: Any, weights: object, metrics: Collections, updates: Collections) -> Pair:
    """Keeps the sum of the weights of true values in a variable `count`."""
    count = metric_variable([], "count")
    numbers = cast(values, d.float32)
    if weights is not None:
        numbers = weigh(numbers, weights)
    value = raw.Identity(input=count)
    return collect(value, add(count, reduce_sum(numbers)), metrics, updates)

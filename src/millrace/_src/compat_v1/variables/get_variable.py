"""`tf.compat.v1.get_variable`: a variable by its name in the variable scope, made on the first call.

Problem: a layer is a function that is called again and again, and must use the same weights each time.

Idea: variables have names, and scopes say whether a name that is there is an error or the variable wanted. What the
call leaves open the scope states; a custom getter, of the call or of the scope, may change each request.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.partitioned_getting import get_partitioned_variable
from millrace._src.compat_v1.variables.scope_state import VariableStore, variables_of_graph
from millrace._src.compat_v1.variables.variable_getting import VariableRequest, get_single_variable
from millrace._src.compat_v1.variables.variable_scope import VariableScope
from millrace._src.core import context
from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, float32
from millrace._src.graph.func_graph import init_scope
from millrace._src.state.variable_traits import VariableAggregation, VariableSynchronization
from millrace._src.util.export import export


@export(v1=["get_variable"])
def get_variable(
    name: str,
    shape: object = None,
    dtype: object = None,
    initializer: object = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool | None = None,
    collections: object = None,
    caching_device: object = None,
    partitioner: Callable[..., Any] | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Any:
    """Returns the variable of a name in the variable scope, which is made where there is none.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer", reuse=tf.compat.v1.AUTO_REUSE):
    ...         w = tf.compat.v1.get_variable("w", [2, 3])
    ...         tf.compat.v1.get_variable("w", [2, 3]) is w
    True

    Args:
      name: The name, without that of the scope.
      shape: The shape; None with an initializer that is a value.
      dtype: The dtype; default that of the scope, which is float32 unless told otherwise.
      initializer: A value, an initializer that is called with the shape, or a function without arguments. Default that
        of the scope; then `glorot_uniform_initializer` for floats, and zeros for integers, booleans and strings.
      regularizer: A function of the new variable; the loss that it returns goes to
        `GraphKeys.REGULARIZATION_LOSSES`. Default that of the scope.
      trainable: As in `tf.compat.v1.Variable`.
      collections: As in `tf.compat.v1.Variable`.
      caching_device: As in `tf.compat.v1.Variable`; default that of the scope.
      partitioner: A function of shape and dtype that returns the number of parts along each dimension; the result is
        then one object that consists of several variables. Default that of the scope.
      validate_shape: As in `tf.compat.v1.Variable`.
      use_resource: As in `tf.compat.v1.Variable`; default that of the scope.
      custom_getter: A function that is called with the usual getter and all of these arguments, instead of the
        usual getter. Default that of the scope.
      constraint: As in `tf.compat.v1.Variable`; default that of the scope.
      synchronization: See `tf.VariableSynchronization`.
      aggregation: See `tf.VariableAggregation`.

    Returns: A variable; in eager mode a new one on each call. With a partitioner, a partitioned variable.
    Raises:
      ValueError: If the scope's `reuse` says that the variable must, or must not, be there; if a variable that is there
        has another shape or dtype; if the arguments contradict each other.
    """
    known = variables_of_graph()
    return _get_in_scope(
        known.scope,
        known.store,
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


@export(v1=["no_regularizer"])
def no_regularizer(_: object) -> None:
    """Returns None: as the `regularizer` of a variable, it means none, whatever the scope says.

    >>> tf.compat.v1.no_regularizer(3.0) is None
    True
    """
    return


@export(v1=["get_local_variable"])
def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: object = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool | None = False,
    collections: Any = None,
    caching_device: object = None,
    partitioner: Callable[..., Any] | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Any:
    """Returns the local variable of a name in the variable scope: one that is neither trained nor saved.

    >>> with tf.Graph().as_default():
    ...     count = tf.compat.v1.get_local_variable("count", [], tf.int64)
    ...     tf.compat.v1.local_variables(), tf.compat.v1.global_variables()
    ([<tf.Variable 'count:0' shape=() dtype=int64>], [])

    Args:
      name: As all arguments, see `tf.compat.v1.get_variable`.
      trainable: Ignored: a local variable is not trained.
      collections: Further collections that list the variable, besides `GraphKeys.LOCAL_VARIABLES`.

    Returns: As `tf.compat.v1.get_variable`.
    """
    del trainable
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


def _get_in_scope(scope: VariableScope, store: VariableStore, name: str, **asked: Any) -> Any:
    """Returns a variable of a scope; what is not asked for the scope states."""
    for default in ("initializer", "regularizer", "caching_device", "partitioner", "custom_getter", "constraint"):
        if asked[default] is None:
            asked[default] = getattr(scope, default)
    if asked["use_resource"] is None:
        asked["use_resource"] = scope.use_resource
    _check_value(asked["initializer"], asked["dtype"])
    if asked["dtype"] is None:
        asked["dtype"] = scope.dtype
    custom_getter = asked.pop("custom_getter")
    if custom_getter is not None and not callable(custom_getter):
        raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
    if asked["trainable"] is None:
        asked["trainable"] = asked["synchronization"] is not VariableSynchronization.ON_READ
    asked["dtype"] = as_dtype(asked["dtype"]).base_dtype
    asked["reuse"] = scope.reuse
    with init_scope():
        if context.executing_eagerly():
            asked["use_resource"] = True

    def getter(name: str, shape: ShapeLike | None = None, dtype: DTypeLike = float32, **changed: object) -> Any:
        return _get(store, name, shape=shape, dtype=dtype, **{**_NOTHING_ASKED, **changed})

    with context.name_scope(None):
        if custom_getter is None:
            return getter(scope.full_name(name), **asked)
        if not _takes(custom_getter, "constraint"):
            del asked["constraint"]
        return custom_getter(getter=getter, name=scope.full_name(name), **asked)


def _check_value(initializer: Any, dtype: object) -> None:
    """Refuses an initial value of another dtype than the one asked for."""
    if dtype is None or initializer is None or callable(initializer):
        return
    given = convert_to_tensor(initializer).dtype.base_dtype
    if given is not as_dtype(dtype).base_dtype:
        raise ValueError(f"Initializer type '{given}' and explicit dtype '{as_dtype(dtype)}' don't match.")


def _takes(function: Callable[..., Any], name: str) -> bool:
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


_NOTHING_ASKED = {
    "initializer": None,
    "regularizer": None,
    "reuse": None,
    "trainable": None,
    "collections": None,
    "caching_device": None,
    "partitioner": None,
    "validate_shape": True,
    "use_resource": None,
    "constraint": None,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
}


def _get(store: VariableStore, name: str, partitioner: object, dtype: object, **asked: Any) -> Any:
    """Returns a variable by its full name: the getter at the end of all custom getters."""
    request = VariableRequest(dtype=as_dtype(dtype).base_dtype, **asked)
    is_scalar = isinstance(request.shape, (list, tuple)) and not request.shape
    if partitioner is not None and not is_scalar:
        if not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        return get_partitioned_variable(store, name, request, partitioner)
    if request.reuse is True and name in store.partitioned:
        return get_partitioned_variable(store, name, request, None)
    if f"{name}/part_0" in store.variables:
        raise ValueError(
            f"No partitioner was provided, but a partitioned version of the variable was found: {name}/part_0. Perhaps "
            "a variable of the same name was already created with partitioning?"
        )
    return get_single_variable(store, name, request)

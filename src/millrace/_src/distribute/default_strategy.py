"""The default strategy, which is in force where no other is, and the functions that tell what is in force."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from millrace._src.distribute.contexts import entered_contexts, in_force
from millrace._src.distribute.extended import OneReplicaExtended
from millrace._src.distribute.replica_context import DefaultReplicaContext, ReplicaContext, set_default_replica_context
from millrace._src.distribute.strategy import Strategy
from millrace._src.graph.scopes import device
from millrace._src.util.export import export


class _DefaultDistributionStrategy(Strategy):
    """The strategy in force where no other is: one replica, wherever the program says."""

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended(self))

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Returns a scope that changes nothing.

        Raises: RuntimeError: if another strategy is in force.
        """
        entered = in_force()
        if entered is not None and entered.strategy is not self:
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return contextlib.nullcontext(self)

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise RuntimeError("Should only create a single instance of _DefaultDistributionStrategy")


class _DefaultDistributionExtended(OneReplicaExtended):
    """The extended part of the default strategy."""

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that replicas run on; refused, because the program says at every op."""
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that variables are on; refused, because the program says at every op."""
        raise RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.")

    def replica_devices(self) -> tuple[str, ...]:
        """Returns the device that the replica's context shows: wherever the program says."""
        return ("",)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Returns whether a variable was created outside the scopes of all strategies."""
        return v._distribute_strategy is None

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """Makes a scope in which new variables and ops go where a variable is."""
        return device(colocate_with_variable.device)

    def broadcast_to(self, tensor: object, destinations: object) -> NoReturn:
        """Refuses to copy a tensor to devices, as TensorFlow's default strategy does."""
        raise NotImplementedError("broadcast_to is not supported by the default tf.distribute.Strategy.")

    def non_slot_devices(self, var_list: Any) -> Any:
        """Returns the variable whose name comes first."""
        return min(var_list, key=lambda variable: variable.name)

    def distribute_dataset(self, dataset: object, options: object) -> Any:
        """Returns a dataset as it is."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[[Any], Any], options: object) -> Any:
        """Returns the dataset that a function makes for the only worker."""
        return dataset_fn(self.input_context())


_DEFAULT = _DefaultDistributionStrategy()
_DEFAULT_REPLICA = DefaultReplicaContext(_DEFAULT, 0)
set_default_replica_context(_DEFAULT_REPLICA)


@export("distribute.get_strategy")
def get_strategy() -> Strategy:
    """Returns the strategy in force; where there is none, the default strategy of one replica.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    if not entered_contexts.value:
        return _DEFAULT
    entered = in_force()
    return _DEFAULT if entered is None else entered.strategy


@export("distribute.has_strategy")
def has_strategy() -> bool:
    """Returns whether a strategy other than the default one is in force.

    >>> tf.distribute.has_strategy()
    False
    """
    return get_strategy() is not _DEFAULT


@export("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Returns whether the program is in a strategy's scope and no replica runs.

    >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    if not entered_contexts.value:
        return False
    entered = in_force()
    return entered is not None and entered.replica_context is None


class _Chosen(threading.local):
    """The strategy that a thread has chosen for good, by the scope that is open for it."""

    scope: Any = None
    contexts: tuple[Any, ...] = ()


_chosen = _Chosen()


@export("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Puts a strategy in force in this thread, without a `with` statement.

    >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
    >>> tf.distribute.has_strategy()
    True
    >>> tf.distribute.experimental_set_strategy(None)

    Args: strategy: The strategy; None for the default strategy.
    Raises: RuntimeError: in the scope of a strategy, or where a replica runs.
    """
    if entered_contexts.value != _chosen.contexts:
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    new_scope = None if strategy is None else strategy.scope
    if _chosen.scope is not None:
        _chosen.scope.__exit__(None, None, None)
        _chosen.scope = None
    if new_scope is not None:
        _chosen.scope = new_scope()
        _chosen.scope.__enter__()
    _chosen.contexts = entered_contexts.value


@export("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """Returns the context of the replica that runs; None in a cross-replica context.

    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1

    Returns: A `tf.distribute.ReplicaContext`; outside all strategies, that of the only replica.
    """
    if not entered_contexts.value:
        return _DEFAULT_REPLICA
    entered = in_force()
    context: ReplicaContext | None = _DEFAULT_REPLICA if entered is None else entered.replica_context
    return context

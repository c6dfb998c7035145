"""`tf.distribute.ReplicaContext`: what one replica knows of the others.

Code that `Strategy.run` calls runs once a replica. The replica's context states its number, combines values with those
of the other replicas, and leads to the cross-replica context and back. With one replica a sum over all replicas is the
value itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.core import dtypes
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.tensor import Tensor
from millrace._src.distribute.contexts import (
    entered_contexts,
    entering,
    in_force,
    leave_to,
    push,
    require_cross_replica,
)
from millrace._src.distribute.reduce_ops import require_reduction
from millrace._src.distribute.strategy_conversion import convert_function_argument
from millrace._src.ops.array.identity import identity
from millrace._src.util import nest
from millrace._src.util.export import export


@export("distribute.ReplicaContext")
class ReplicaContext:
    """The context of one replica, which `tf.distribute.get_replica_context()` returns inside `Strategy.run`.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group).numpy()
    np.int32(0)

    Args:
      strategy: The `tf.distribute.Strategy`.
      replica_id_in_sync_group: The number of the replica: an integer, an int32 scalar tensor, or None for unknown.

    Raises: ValueError: if the number is of another type.
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        if replica_id_in_sync_group is not None and not isinstance(replica_id_in_sync_group, (int, Tensor)):
            raise ValueError("replica_id_in_sync_group can only be an integer, a Tensor or None.")
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group
        self._left: list[tuple[Any, ...]] = []

    def __enter__(self) -> None:
        require_cross_replica(self._strategy)
        self._left.append(entered_contexts.value)
        push(self._strategy, self)

    def __exit__(self, *error: object) -> None:
        leave_to(self._left.pop())

    @property
    def strategy(self) -> Any:
        """The strategy of the replica."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose values are combined."""
        number: int = self._strategy.num_replicas_in_sync
        return number

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica among `num_replicas_in_sync`, an int32 scalar tensor."""
        return convert_to_tensor(self._replica_id, dtype=dtypes.int32)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices on which the replica runs."""
        devices: tuple[str, ...] = self._strategy.extended.replica_devices()
        return devices

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Calls a function once, in the cross-replica context, with the arguments of all replicas.

        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> def merge(strategy, value):
        ...     return strategy.reduce("SUM", value, axis=None)
        >>> strategy.run(lambda: tf.distribute.get_replica_context().merge_call(merge, args=(3,)))
        3

        Args:
          merge_fn: `f(strategy, *args, **kwargs)`.
          args: The positional arguments of this replica.
          kwargs: The keyword arguments of this replica.

        Returns: What `merge_fn` returns.
        Raises: RuntimeError: if this replica is not the one that runs.
        """
        self._check_running()
        with entering(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: object, value: TensorLike, options: object = None) -> Any:
        """Combines a value with the values of the other replicas.

        >>> context = tf.distribute.get_replica_context()
        >>> context.all_reduce(tf.distribute.ReduceOp.SUM, tf.constant([1.0, 2.0])).numpy().tolist()
        [1.0, 2.0]

        Args:
          reduce_op: A `tf.distribute.ReduceOp` or its name.
          value: A tensor, an `IndexedSlices`, or a structure of such values; each replica has the same structure.
          options: A `tf.distribute.experimental.CommunicationOptions`: a hint, which one replica does not need.

        Returns: The combined value, in the structure of `value`.
        Raises:
          RuntimeError: if this replica is not the one that runs.
          ValueError: if there is no such reduction, or a leaf is not a tensor and cannot become one.
        """
        require_reduction(reduce_op)
        self._check_running()
        return nest.map_structure(_combine, value)

    def all_gather(self, value: TensorLike, axis: int, options: object = None) -> Any:
        """Joins a value with the values of the other replicas along an axis.

        >>> tf.distribute.get_replica_context().all_gather(tf.constant([1, 2]), axis=0).numpy().tolist()
        [1, 2]

        Args:
          value: A tensor or a structure of tensors.
          axis: The axis along which the tensors are joined.
          options: A `tf.distribute.experimental.CommunicationOptions`: a hint, which one replica does not need.

        Returns: The joined tensors, in the structure of `value`.
        Raises:
          NotImplementedError: if a leaf is an `IndexedSlices`.
          RuntimeError: if this replica is not the one that runs.
        """
        refuse_indexed_slices(value, "all_gather")
        self._check_running()
        return nest.map_structure(_combine, value)

    def _check_running(self) -> None:
        """Refuses a call by code that this replica does not run."""
        entered = in_force()
        running = default_replica_context() if entered is None else entered.replica_context
        if running is self:
            return
        if running is None:
            raise RuntimeError("Need to be inside `call_for_each_replica()`")
        if running.strategy is not self._strategy:
            raise RuntimeError(
                f"Mismatching tf.distribute.Strategy objects: {running.strategy} is not {self._strategy}."
            )
        raise RuntimeError("Mismatching ReplicaContext.")


class DefaultReplicaContext(ReplicaContext):
    """The context of code outside all strategies, which is the only replica of the default strategy."""

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the only replica, a Python integer."""
        return 0


_default_contexts: list[DefaultReplicaContext] = []


def default_replica_context() -> DefaultReplicaContext:
    """Returns the context of code outside all strategies."""
    return _default_contexts[0]


def set_default_replica_context(context: DefaultReplicaContext) -> None:
    """Declares the context of code outside all strategies; the module of the default strategy does so, once."""
    _default_contexts.append(context)


def refuse_indexed_slices(structure: object, method: str) -> None:
    """Checks that no leaf of a structure is an `IndexedSlices`.

    Raises: NotImplementedError: if one is.
    """
    if any(isinstance(leaf, IndexedSlices) for leaf in nest.flatten(structure)):
        raise NotImplementedError(f"{method} does not support IndexedSlices")


def _combine(value: Any) -> Any:
    """Returns what the values of one replica are combined to: a new tensor with the value of the only one."""
    return value if isinstance(value, IndexedSlices) else identity(value)


convert_function_argument(ReplicaContext.merge_call, "merge_fn", 1)

"""`tf.distribute.Strategy`: what a program calls to run a step on several devices, written once for one or many.

A strategy hands the work to its extended part (`extended.py`), which each kind of strategy has of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.distribute.contexts import entered_contexts, entering, in_force, require_cross_replica
from millrace._src.distribute.input_options import InputReplicationMode, RunOptions, ValueContext
from millrace._src.distribute.reduce_ops import ReduceOp, as_reduction
from millrace._src.distribute.replica_context import refuse_indexed_slices
from millrace._src.distribute.strategy_conversion import convert_function_argument
from millrace._src.ops.grouping import group as group_operations
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import truediv
from millrace._src.ops.math.reduce import reduce_mean, reduce_sum
from millrace._src.util import nest
from millrace._src.util.export import export


@export("distribute.Strategy", v1=[])
class Strategy:
    """A policy for running a computation on devices: `tf.distribute.OneDeviceStrategy`, or the default.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(3.0),)).numpy()
    np.float32(6.0)

    Args: extended: The `tf.distribute.StrategyExtended` that runs the work.
    """

    def __init__(self, extended: Any) -> None:
        self._extended = extended

    @property
    def extended(self) -> Any:
        """The part for authors of libraries, a `tf.distribute.StrategyExtended`."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose values are combined."""
        number: int = self._extended._num_replicas_in_sync
        return number

    @property
    def cluster_resolver(self) -> None:
        """The resolver of the cluster; None, because everything runs in this process."""
        return None

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Makes this strategy the one in force, so that variables created within belong to the strategy.

        >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        ...     tf.distribute.has_strategy()
        True

        Raises: RuntimeError: if a replica runs, or another strategy is in force.
        """
        return _Scope(self)

    def _parts_of_scope(self) -> list[contextlib.AbstractContextManager[Any]]:
        """Returns the context managers that the scope consists of, where no strategy is in force yet."""
        return [entering(self, None)]

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: RunOptions | None = None,
    ) -> Any:
        """Calls a function once a replica.

        >>> tf.distribute.get_strategy().run(lambda a, b: a + b, args=(1,), kwargs={"b": 2})
        3

        Args:
          fn: The function; inside a `tf.function`, control flow over tensors in `fn` becomes part of the graph.
          args: A list or tuple of the positional arguments.
          kwargs: The keyword arguments.
          options: A `tf.distribute.RunOptions`; one replica needs none.

        Returns: What `fn` returns.
        Raises:
          ValueError: if `args` is not a list or tuple.
          RuntimeError: if a replica runs already, or another strategy is in force.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        if entered_contexts.value:
            with self.scope():
                return self._extended.call_for_each_replica(fn, args=args, kwargs=kwargs)
        return self._extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Combines the values of all replicas, and also elements along an axis.

        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.reduce("MEAN", tf.constant([[1.0, 2.0], [3.0, 4.0]]), axis=0).numpy().tolist()
        [2.0, 3.0]

        Args:
          reduce_op: A `tf.distribute.ReduceOp` or its name.
          value: The values of the replicas: what `run` returned.
          axis: The axis, or a tuple of axes, along which elements are combined too; None for none.

        Returns: The combined value; with `axis=None` and one replica, `value` itself.
        Raises:
          RuntimeError: if a replica runs.
          ValueError: if there is no such reduction, or an axis is out of range.
          TypeError: if elements are to be combined and `reduce_op` is not a reduction.
        """
        require_cross_replica(self)
        reduction = as_reduction(reduce_op)
        if axis is None:
            return self._extended.reduce_to(reduction, value, destinations=None)
        if not isinstance(reduction, ReduceOp):
            raise TypeError(f"Expected `reduce_op` to be a `tf.distribute.ReduceOp`, not: {reduce_op!r}")
        return self.run(_along_axis, args=(reduction, value, axis))

    def gather(self, value: TensorLike, axis: int) -> Any:
        """Joins the values of all replicas along an axis.

        >>> tf.distribute.get_strategy().gather(tf.constant([1, 2]), axis=0).numpy().tolist()
        [1, 2]

        Args:
          value: The values of the replicas, or a structure of such values.
          axis: The axis along which the values are joined.

        Returns: The joined values; with one replica, `value` itself.
        Raises:
          NotImplementedError: if a value is an `IndexedSlices`.
          RuntimeError: if a replica runs.
        """
        refuse_indexed_slices(value, "gather")
        entered = in_force()
        if entered is not None and entered.replica_context is not None:
            raise RuntimeError(
                "tf.distribute.Strategy.gather method requires cross-replica context, use "
                "get_replica_context().all_gather() instead"
            )
        require_cross_replica(self)
        return value

    def experimental_local_results(self, value: TensorLike) -> tuple[Any, ...]:
        """Returns the values of the replicas of this process: of one replica, `(value,)`.

        >>> tf.distribute.get_strategy().experimental_local_results(5)
        (5,)
        """
        return (value,)

    def unwrap(self, value: TensorLike) -> tuple[Any, ...]:
        """Returns the values of the replicas; the older name of `experimental_local_results`."""
        return self.experimental_local_results(value)

    def group(self, value: TensorLike, name: str | None = None) -> Any:
        """Makes an operation that finishes when all values have; of one value without a name, the value itself.

        Args:
          value: Tensors and operations, in structures or not.
          name: The name of the operation.
        """
        leaves = nest.flatten(self.experimental_local_results(value))
        if len(leaves) == 1 and name is None:
            return leaves[0]
        return group_operations(*leaves, name=name)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """Makes a value for each replica.

        >>> strategy = tf.distribute.get_strategy()
        >>> strategy.experimental_distribute_values_from_function(lambda context: context.num_replicas_in_sync)
        1

        Args: value_fn: A function of a `tf.distribute.experimental.ValueContext`.
        """
        return value_fn(ValueContext(0, self.num_replicas_in_sync))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Divides the batches of a dataset among the replicas.

        >>> strategy = tf.distribute.get_strategy()
        >>> for batch in strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)):
        ...     print(strategy.run(tf.reduce_sum, args=(batch,)).numpy())
        1
        5

        Args:
          dataset: A `tf.data.Dataset` whose elements are batches for all replicas together.
          options: A `tf.distribute.InputOptions`.

        Returns: An iterable of batches; with the default strategy, `dataset` itself.
        """
        return self._extended.distribute_dataset(dataset, options)

    def distribute_datasets_from_function(self, dataset_fn: Callable[[Any], Any], options: Any = None) -> Any:
        """Makes the dataset of each worker with a function.

        Args:
          dataset_fn: A function from a `tf.distribute.InputContext` to a dataset, whose elements are batches for one
            replica.
          options: A `tf.distribute.InputOptions`.

        Returns: An iterable of batches; with the default strategy, the dataset that `dataset_fn` returned.
        """
        return self._extended.distribute_datasets_from_function(dataset_fn, options)

    def experimental_distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Makes the dataset of each worker; the older name of `distribute_datasets_from_function`."""
        return self.distribute_datasets_from_function(dataset_fn, options)

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """Makes an iterator over a dataset, for `experimental_run`."""
        return self._extended.make_dataset_iterator(dataset)

    def make_input_fn_iterator(
        self, input_fn: Callable[[Any], Any], replication_mode: Any = InputReplicationMode.PER_WORKER
    ) -> Any:
        """Makes an iterator over the dataset that a function returns, for `experimental_run`.

        Args:
          input_fn: A function from a `tf.distribute.InputContext` to a dataset.
          replication_mode: `tf.distribute.InputReplicationMode.PER_WORKER`.

        Raises: ValueError: if the mode is another.
        """
        return self._extended.make_input_fn_iterator(input_fn, replication_mode)

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function once a replica with the next element of an iterator; the older form of `run`."""
        return self.run(fn, args=() if input_iterator is None else (input_iterator.get_next(),))

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """Makes a scope in which new variables go where a variable is: `extended.colocate_vars_with`."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def configure(
        self,
        session_config: object = None,
        cluster_spec: object = None,
        task_type: object = None,
        task_id: object = None,
    ) -> None:
        """Does nothing: one process needs no configuration of a cluster."""

    def update_config_proto(self, config_proto: object) -> Any:
        """Returns a configuration of sessions as it is: one process needs no other."""
        return config_proto

    def __copy__(self) -> NoReturn:
        raise RuntimeError("Must only deepcopy DistributionStrategy.")


class _Scope(contextlib.AbstractContextManager[Strategy]):
    """The scope of a strategy; may be entered again, inside itself and later."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> Strategy:
        require_cross_replica(self._strategy)
        parts = contextlib.ExitStack()
        if in_force() is None:
            for part in self._strategy._parts_of_scope():
                parts.enter_context(part)
        self._open.append(parts)
        return self._strategy

    def __exit__(self, *error: Any) -> None:
        if not self._open:
            raise RuntimeError("The scope of a tf.distribute.Strategy was left more often than entered.")
        self._open.pop().__exit__(*error)


def _along_axis(reduction: ReduceOp, value: Any, axis: Any) -> Any:
    """Returns the sum or mean of a tensor along one axis or several; the mean of integers is a floating-point number.

    Raises:
      TypeError: if the tensor is of truth values or texts.
      ValueError: if an axis is out of range.
    """
    tensor = convert_to_tensor(value)
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating or tensor.dtype.is_complex):
        raise TypeError(f"Value passed to parameter 'input' has DataType {tensor.dtype.name}; numbers are needed.")
    _check_axes(tensor, axis)
    if reduction is ReduceOp.SUM:
        return reduce_sum(tensor, axis)
    return reduce_mean(truediv(tensor, cast(1, tensor.dtype)) if tensor.dtype.is_integer else tensor, axis)


def _check_axes(tensor: Any, axis: object) -> None:
    rank = tensor.shape.rank
    for number in axis if isinstance(axis, (tuple, list)) else (axis,):
        if rank is not None and isinstance(number, int) and not -rank <= number < rank:
            raise ValueError(f"Invalid reduction dimension {number} for input with {rank} dimensions.")


convert_function_argument(Strategy.run, "fn", 1)
convert_function_argument(Strategy.experimental_run, "fn", 1)
convert_function_argument(Strategy.experimental_distribute_values_from_function, "value_fn", 1)

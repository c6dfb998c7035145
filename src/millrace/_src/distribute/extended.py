"""`tf.distribute.StrategyExtended`: the part of a strategy for authors of libraries.

A `Strategy` is what users call. The extended part says where values live and how the parts of a step are run;
each kind of strategy has its own. `OneReplicaExtended` is the part that all strategies of one replica have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.distribute.contexts import Entered, entered_contexts, entering, in_force, require_cross_replica
from millrace._src.distribute.input_options import InputContext, InputReplicationMode
from millrace._src.distribute.reduce_ops import as_reduction, require_reduction
from millrace._src.distribute.replica_context import ReplicaContext
from millrace._src.distribute.strategy_conversion import convert_function_argument
from millrace._src.ops.array.identity import identity
from millrace._src.util import nest
from millrace._src.util.export import export


@export("distribute.StrategyExtended")
class StrategyExtended:
    """The part of a strategy for authors of libraries: `strategy.extended`.

    Args: container_strategy: The strategy that this part belongs to.
    """

    def __init__(self, container_strategy: object) -> None:
        self._strategy = container_strategy

    def _container_strategy(self) -> Any:
        return self._strategy

    def _must_be_implemented(self) -> NoReturn:
        raise NotImplementedError("must be implemented in descendants")

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that replicas run on."""
        self._must_be_implemented()

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that variables are on."""
        self._must_be_implemented()

    @property
    def experimental_require_static_shapes(self) -> bool:
        """Whether the strategy needs the shapes of all values when a step is traced."""
        return False

    @property
    def _num_replicas_in_sync(self) -> int:
        self._must_be_implemented()

    def value_container(self, value: TensorLike) -> Any:
        """Returns the object of which `value` is one copy: `value` itself where there are no copies."""
        self._must_be_implemented()

    def variable_created_in_scope(self, v: object) -> bool:
        """Returns whether a variable was created in the scope of this strategy.

        Args: v: A `tf.Variable`.
        """
        self._must_be_implemented()

    def colocate_vars_with(self, colocate_with_variable: object) -> Any:
        """Makes a scope in which new variables go to the devices of a variable.

        Args: colocate_with_variable: A variable created in the scope of this strategy.
        """
        self._must_be_implemented()

    def reduce_to(self, reduce_op: object, value: TensorLike, destinations: object, options: object = None) -> Any:
        """Combines the values of all replicas and puts the result where `destinations` says.

        Args:
          reduce_op: A `tf.distribute.ReduceOp` or its name.
          value: The values of the replicas.
          destinations: A device, or a value whose devices are meant.
          options: A `tf.distribute.experimental.CommunicationOptions`: a hint.

        Raises: RuntimeError: if a replica runs.
        """
        require_cross_replica(self._container_strategy())
        require_reduction(reduce_op)
        return self._reduce_to(value)

    def batch_reduce_to(
        self, reduce_op: object, value_destination_pairs: Iterable[Any], options: object = None
    ) -> list[Any]:
        """Combines several values at once, as `reduce_to` combines one.

        Args:
          reduce_op: A `tf.distribute.ReduceOp` or its name.
          value_destination_pairs: Pairs of the arguments `value` and `destinations` of `reduce_to`.
          options: A `tf.distribute.experimental.CommunicationOptions`: a hint.

        Raises: RuntimeError: if a replica runs.
        """
        require_cross_replica(self._container_strategy())
        reduction = as_reduction(reduce_op)
        return [self.reduce_to(reduction, value, devices, options) for value, devices in value_destination_pairs]

    def _reduce_to(self, value: TensorLike) -> Any:
        self._must_be_implemented()

    def update(
        self,
        var: TensorLike,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with each copy of a variable, where the copy is.

        Args:
          var: The variable.
          fn: `f(copy, *args, **kwargs)`.
          args: The arguments after the variable.
          kwargs: The keyword arguments.
          group: Whether the results are made one; else each leaf of the result is a tuple with one value a copy.

        Returns: What `fn` returns.
        """
        self._must_be_implemented()


class OneReplicaExtended(StrategyExtended):
    """The extended part of a strategy with one replica."""

    def __init__(self, container_strategy: Any) -> None:
        super().__init__(container_strategy)
        self._replica_context = ReplicaContext(container_strategy, 0)
        self._only_context = (Entered(container_strategy, self._replica_context, None),)

    @property
    def _num_replicas_in_sync(self) -> int:
        return 1

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process saves checkpoints."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether this process writes summaries."""
        return True

    @property
    def _global_batch_size(self) -> bool:
        """Whether datasets are batched for all replicas together."""
        return True

    def _in_multi_worker_mode(self) -> bool:
        return False

    def _use_merge_call(self) -> bool:
        return True

    def value_container(self, value: object) -> Any:
        """Returns `value`: there are no copies."""
        return value

    def read_var(self, v: Any) -> Any:
        """Returns the value of a variable as a tensor."""
        return identity(v)

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Calls a function once a replica, as `Strategy.run` does.

        Args:
          fn: The function.
          args: The positional arguments.
          kwargs: The keyword arguments.

        Raises: RuntimeError: if a replica runs already.
        """
        strategy = self._container_strategy()
        outer = entered_contexts.value
        if outer or state.graph is not None:
            require_cross_replica(strategy)
            with entering(strategy, self._replica_context):
                return self._call_replica(fn, args, kwargs or {})
        # Nothing entered, eager mode: what each step of training meets.
        with entered_contexts.set_to(self._only_context):
            return self._call_replica(fn, args, kwargs or {})

    def _call_replica(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return fn(*args, **kwargs)

    def _reduce_to(self, value: object) -> Any:
        return value

    def update(
        self,
        var: object,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with a variable, in the cross-replica context.

        >>> strategy, v = tf.distribute.get_strategy(), tf.Variable(1.0)
        >>> strategy.extended.update(v, lambda v, x: v.assign_add(x), args=(2.0,)).numpy()
        np.float32(3.0)

        Args:
          var: The variable.
          fn: `f(var, *args, **kwargs)`.
          args: The arguments after the variable.
          kwargs: The keyword arguments.
          group: Whether the results are made one; else each leaf of the result is a tuple of one value.

        Returns: What `fn` returns.
        """
        entered = in_force()
        arguments = (var, *args)
        if entered is None or entered.replica_context is None:
            with self._container_strategy().scope():
                return self._update(fn, arguments, kwargs, group)
        return entered.replica_context.merge_call(lambda _: self._update(fn, arguments, kwargs, group))

    def update_non_slot(
        self,
        colocate_with: object,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function where variables are that belong to no other variable.

        Args:
          colocate_with: What `non_slot_devices` returned.
          fn: `f(*args, **kwargs)`.
          args: The positional arguments.
          kwargs: The keyword arguments.
          group: Whether the results are made one; else each leaf of the result is a tuple of one value.

        Raises: RuntimeError: if a replica runs.
        """
        require_cross_replica(self._container_strategy())
        with self._container_strategy().scope():
            return self._update(fn, tuple(args), kwargs, group)

    def _update(
        self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None, group: bool
    ) -> Any:
        result = self._call_replica(fn, args, kwargs or {})
        return result if group else nest.map_structure(lambda leaf: (leaf,), result)

    def input_context(self) -> InputContext:
        """Returns what the function of a dataset is told of the only input pipeline."""
        return InputContext()

    def make_dataset_iterator(self, dataset: object) -> Any:
        """Makes an iterator over a dataset."""
        return self._input().InputIterator(dataset)

    def make_input_fn_iterator(self, input_fn: Callable[[Any], Any], replication_mode: object) -> Any:
        """Makes an iterator over the dataset that a function makes in the scope of the strategy.

        Raises: ValueError: if the mode is not `PER_WORKER`.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode!r}")
        with self._container_strategy().scope():
            return self._input().InputIterator(input_fn(self.input_context()))

    def experimental_make_numpy_dataset(self, numpy_input: object, session: object = None) -> Any:
        """Makes a dataset of the rows of arrays."""
        return self._input().numpy_dataset(numpy_input)

    def _input(self) -> Any:
        from millrace._src.distribute import input_iterators  # loads tf.data, which a program may never use

        return input_iterators


convert_function_argument(OneReplicaExtended.update, "fn", 2)
convert_function_argument(OneReplicaExtended.update_non_slot, "fn", 2)

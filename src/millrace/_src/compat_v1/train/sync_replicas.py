"""`tf.compat.v1.train.SyncReplicasOptimizer`: one step of several workers, from the mean of their gradients.

Each worker adds its gradients to accumulators and waits for a token. The chief takes the means once enough gradients
are there, makes the step, and puts as many tokens into a queue as there are workers. A gradient of an earlier step is
stale and dropped. Workers are threads of this process that run the same session.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.compat_v1.conditional_accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from millrace._src.compat_v1.train.optimizer import Optimizer
from millrace._src.compat_v1.train.queue_runner import QueueRunner
from millrace._src.compat_v1.train.session_run_hook import SessionRunHook
from millrace._src.compat_v1.variables.collections import global_variables
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.initialization import report_uninitialized_variables
from millrace._src.compat_v1.variables.variable import VariableV1
from millrace._src.core import context
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.tensor import Tensor
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops.array.filling import fill
from millrace._src.ops.grouping import group, no_op
from millrace._src.state.queues import FIFOQueue
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.SyncReplicasOptimizer"])
@tensorflow_home("python.training.sync_replicas_optimizer")
class SyncReplicasOptimizer(Optimizer):
    """Makes one step from the mean of the gradients of several workers.

    Args:
      opt: The optimizer that makes the steps.
      replicas_to_aggregate: How many gradients a step takes.
      total_num_replicas: How many workers there are; default as many.
      variable_averages: An `ExponentialMovingAverage` that is moved after each step.
      variables_to_average: The variables that are averaged; with `variable_averages`.
      use_locking: Accepted for compatibility: updates are atomic.
      name: The name of the operations.

    Raises:
      RuntimeError: In eager mode.
      ValueError: If only one of `variable_averages` and `variables_to_average` is given.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        if context.executing_eagerly():
            raise RuntimeError("SyncReplicasOptimizer works in graphs only: it needs a session and queue runners.")
        if (variable_averages is None) != (variables_to_average is None):
            raise ValueError("`variable_averages` and `variables_to_average` go together; received one of them.")
        super().__init__(use_locking, name)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas or replicas_to_aggregate
        self._tokens_per_step = max(self._total_num_replicas, replicas_to_aggregate)
        self._averages = variable_averages
        self._averaged = variables_to_average
        self._global_step: Any = None
        self._token_queue: Any = None
        self._queue_runner: Any = None
        self.local_step_init_op: Any = None
        """Sets the step of a worker to the global step."""
        self.chief_init_op: Any = None
        """Does the same for the chief, which also notifies the accumulators."""
        self.ready_for_local_init_op: Any = None
        """Lists the variables that must be initialized before."""

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Returns the gradients of a loss; see `tf.compat.v1.train.Optimizer.compute_gradients`."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Returns what a worker runs: its gradients go to the accumulators, and it waits for the step.

        Args:
          grads_and_vars: As in `tf.compat.v1.train.Optimizer.apply_gradients`.
          global_step: The variable that counts the steps; needed.
          name: The name of the operations.
          skip_gradients_aggregation: Accepted for compatibility.

        Raises: ValueError: without gradients or `global_step`.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        local_step = self._new_local_step(global_step)
        with context.name_scope(None), context.name_scope(self._name):
            accumulators = [_accumulator(gradient, variable) for gradient, variable in pairs if gradient is not None]
            given = [
                _give(accumulator, gradient, local_step)
                for accumulator, (gradient, _) in zip(accumulators, _with_gradient(pairs), strict=True)
            ]
            means = [_mean(accumulator, self._replicas_to_aggregate) for accumulator in accumulators]
        mean_pairs = [(mean, variable) for mean, (_, variable) in zip(means, _with_gradient(pairs), strict=True)]
        update = self._opt.apply_gradients(mean_pairs, global_step)
        self._token_queue = FIFOQueue(
            -1, [global_step.dtype.base_dtype], shapes=[()], name="sync_token_q", shared_name="sync_token_q"
        )
        with control_dependencies(given):
            token = self._token_queue.dequeue()
        train = local_step.assign(token)
        with control_dependencies([update]):
            tokens = self._token_queue.enqueue_many((fill([self._tokens_per_step], global_step),))
            if self._averages is not None:
                with control_dependencies([tokens]):
                    tokens = self._averages.apply(self._averaged)
        self._queue_runner = QueueRunner(self._token_queue, [tokens])
        with context.name_scope(None), context.name_scope(self._name):
            told = [accumulator.set_global_step(global_step, name="SetGlobalStep") for accumulator in accumulators]
            self.chief_init_op = group(self.local_step_init_op, *told)
        return train

    def _new_local_step(self, global_step: Any) -> Any:
        """Makes the variable of the step at which this worker read the variables."""
        local_step = VariableV1(
            initial_value=0,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype.base_dtype,
            name="sync_rep_local_step",
        )
        self.local_step_init_op = local_step.assign(global_step).op
        self.chief_init_op = self.local_step_init_op
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        return local_step

    def get_chief_queue_runner(self) -> Any:
        """Returns the queue runner of the chief, which makes the steps.

        Raises: ValueError: before `apply_gradients`.
        """
        if self._queue_runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Returns the operation that puts the first tokens into the queue.

        Args: num_tokens: How many; -1 for as many as a step takes gradients.
        Raises: ValueError: before `apply_gradients`, or if there would be too few tokens for the first step.
        """
        if self._token_queue is None:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        count = self._replicas_to_aggregate if num_tokens == -1 else num_tokens
        if num_tokens != -1 and num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens:d} (given) vs {needed:d} (needed)")
        if count > 0:
            return self._token_queue.enqueue_many((fill([count], self._global_step),))
        return no_op(name="no_init_tokens")

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """Returns the hook that starts a worker or the chief in a session.

        Args:
          is_chief: Whether the session is the chief's.
          num_tokens: As in `get_init_tokens_op`.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the optimizer that makes the steps."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: object, **kwargs: object) -> list[str]:
        """Returns the names of the slots of the optimizer that makes the steps."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """Returns the variables of the optimizer that makes the steps."""
        return self._opt.variables()


def _with_gradient(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return [pair for pair in pairs if pair[0] is not None]


def _accumulator(gradient: Any, variable: Any) -> Any:
    """Makes the accumulator of the gradients of a variable."""
    name = f"{variable.name}/grad_accum"
    if isinstance(gradient, Tensor):
        return ConditionalAccumulator(gradient.dtype, shape=variable.shape, shared_name=name)
    if not isinstance(gradient, IndexedSlices):
        raise ValueError(f"Unknown grad type! {type(gradient).__name__}")
    return SparseConditionalAccumulator(gradient.dtype, shared_name=name)


def _give(accumulator: Any, gradient: Any, local_step: Any) -> Any:
    """Adds a gradient to an accumulator; returns the operation."""
    if isinstance(gradient, IndexedSlices):
        return accumulator.apply_indexed_slices_grad(gradient, local_step=local_step)
    return accumulator.apply_grad(gradient, local_step=local_step)


def _mean(accumulator: Any, count: int) -> Any:
    """Returns the mean of so many gradients."""
    if isinstance(accumulator, SparseConditionalAccumulator):
        return accumulator.take_indexed_slices_grad(count)
    return accumulator.take_grad(count)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Starts a worker or the chief when its session is there.

    Args:
      sync_optimizer: The optimizer.
      is_chief: Whether the session is the chief's.
      num_tokens: How many tokens the chief puts into the queue at first.
    """

    def __init__(self, sync_optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._tokens: Any = None
        self._queue_runner: Any = None

    def begin(self) -> None:
        """Adds the operations to the graph, before the graph is finished.

        Raises: ValueError: before `apply_gradients`.
        """
        if self._sync_optimizer._token_queue is None:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        if self._is_chief:
            self._queue_runner = self._sync_optimizer.get_chief_queue_runner()
            self._tokens = self._sync_optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Sets the worker's step; the chief's session also gets tokens and the thread that makes the steps.

        Raises: RuntimeError: if global variables are not initialized.
        """
        optimizer = self._sync_optimizer
        missing = session.run(optimizer.ready_for_local_init_op)
        if len(missing):
            names = ", ".join(name.decode() for name in missing)
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Variables not initialized: {names}"
            )
        session.run(optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op)
        if self._tokens is not None:
            session.run(self._tokens)
        if self._queue_runner is not None:
            self._queue_runner.create_threads(session, coord=coord, daemon=True, start=True)

"""What all sessions share: running a graph of TensorFlow 1.

A session holds the state of a graph, and computes any of its tensors. `run` finds out once which part of the graph a
set of fetches needs (`steps.py`); the next run of the same fetches is one call of a function.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.session.device_attributes import DeviceAttributes
from millrace._src.compat_v1.session.feeds import array_of_feed, flat_feeds
from millrace._src.compat_v1.session.fetches import FetchPlan, fetch_key
from millrace._src.compat_v1.session.partial_runs import PartialRun
from millrace._src.compat_v1.session.resources import SessionResources
from millrace._src.compat_v1.session.running import cancelled_error, running_kernels
from millrace._src.compat_v1.session.session_options import (
    cancel_after,
    check_options,
    describe_run,
    is_traced,
    stays_on_host,
)
from millrace._src.compat_v1.session.steps import SessionStep, values_of_inputs
from millrace._src.core import errors
from millrace._src.core.default_session import default_session_scope
from millrace._src.core.devices import canonical_device, list_logical_devices
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.core.waiting import Cancellation
from millrace._src.explain.step_stats import record_call
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.util.collector import without_collector

_MAX_PLANS = 1024
"""How many sets of fetches, and how many steps, a session keeps."""

open_sessions: weakref.WeakSet[BaseSession] = weakref.WeakSet()


class BaseSession:
    """What all sessions share.

    Args:
      target: the execution engine; only "" and "local", this process, is there.
      graph: the graph to run; the default graph if None.
      config: a `ConfigProto`.
    """

    def __init__(self, target: Any = "", graph: object = None, config: Any = None) -> None:
        self._is_closed = True  # until everything is there: a session that is refused has nothing to close
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._graph: Any = get_default_graph() if graph is None else graph
        self._target = target_bytes(target)
        self._config = config
        self._on_host = stays_on_host(config)
        self._resources = SessionResources()
        self._plans: dict[Any, FetchPlan] = {}
        self._steps: dict[Any, SessionStep] = {}
        self._partial_runs: dict[str, PartialRun] = {}
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._cancellation = Cancellation()
        self._is_closed = False
        open_sessions.add(self)

    # --- facts -----------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Any:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a `GraphDef` message."""
        return self._graph.as_graph_def(add_shapes=False)

    @property
    def sess_str(self) -> bytes:
        """The target, as TensorFlow gives it."""
        return self._target

    def list_devices(self) -> list[Any]:
        """Lists the devices that the session can use.

        >>> with tf.compat.v1.Session(graph=tf.Graph()) as sess:
        ...     sess.list_devices()[0].device_type
        'CPU'
        """
        devices = list_logical_devices()
        return [DeviceAttributes(canonical_device(device.name), device.device_type) for device in devices]

    # --- running ---------------------------------------------------------------------------------------------------

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs operations and computes tensors.

        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [2])
        ...     with tf.compat.v1.Session() as sess:
        ...         sess.run({"sum": tf.reduce_sum(x), "double": x * 2}, {x: [1, 2]})
        {'sum': np.float32(3.0), 'double': array([2., 4.], dtype=float32)}

        Args:
          fetches: a Tensor, Operation, variable, composite or name such as "x:0", or lists, tuples, named tuples,
            mappings and attrs classes of them.
          feed_dict: values by the tensor that they replace.
          options: a `RunOptions` message.
          run_metadata: a `RunMetadata` message, which the run fills as `options` ask.

        Returns: The structure of the fetches with a NumPy array or scalar for each tensor and None for each operation.
        Raises:
          RuntimeError: if the session is closed, or its graph empty.
          TypeError: if a fetch or the key of a feed is of a wrong kind.
          ValueError: if a fetch is not of the graph, or a fed value has a wrong shape.
          tf.errors.OpError: if an operation fails.
        """
        return self._run_plan(self._plan(fetches), feed_dict, options, run_metadata)

    def _run_plan(self, plan: FetchPlan, feed_dict: object, options: object = None, run_metadata: object = None) -> Any:
        tensors, arrays = self._fed(feed_dict) if feed_dict else ((), ())
        if options is not None or run_metadata is not None:
            return self._run_with_options(plan, tensors, arrays, options, run_metadata)
        step = self._step(plan.tensors, plan.targets, tensors)
        return plan.pack(step.results(self._run_step(step, arrays), arrays))

    def _run_with_options(
        self,
        plan: FetchPlan,
        tensors: Sequence[SymbolicTensor],
        arrays: Sequence[Any],
        options: object,
        run_metadata: Any,
    ) -> Any:
        check_options(options, run_metadata)
        step = self._step(plan.tensors, plan.targets, tensors)
        describe_run(step, options, run_metadata)
        with cancel_after(options, self._cancellation) as cancellation:
            if is_traced(options, run_metadata):
                values, stats = record_call(lambda: self._run_step(step, arrays, cancellation))
                run_metadata.step_stats.CopyFrom(stats)
            else:
                values = self._run_step(step, arrays, cancellation)
        return plan.pack(step.results(values, arrays))

    def _run_step(
        self, step: SessionStep, arrays: Sequence[Any], cancellation: Cancellation | None = None
    ) -> Sequence[np.ndarray[Any, Any]]:
        with running_kernels(self._graph, self._resources, self._cancellation, cancellation):
            return step.run(arrays)

    def handle_of(self, operation: Operation) -> Any:
        """Returns the eager handle of the object of the session that an operation of its graph refers to."""
        return self._resources.handle(operation, lambda: values_of_inputs(self._resources, operation))

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")

    def _plan(self, fetches: object) -> FetchPlan:
        """Returns what a structure of fetches needs."""
        self._check_open()
        key = fetch_key(fetches)
        plan = None if key is None else self._plans.get(key)
        if plan is None:
            if self._graph.version == 0:
                raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
            plan = FetchPlan(self._graph, fetches, self._resources.tensors)
            if key is not None:
                _keep(self._plans, key, plan)
        return plan

    def _fed(self, feed_dict: Any) -> tuple[list[SymbolicTensor], list[Any]]:
        """Returns the tensors that are fed, and their arrays."""
        pairs = flat_feeds(self._graph, feed_dict)
        tensors = [tensor for tensor, _ in pairs]
        return tensors, [array_of_feed(tensor, value, self._resources.tensors) for tensor, value in pairs]

    def _step(
        self, fetched: Sequence[SymbolicTensor], targets: Sequence[Operation], fed: Sequence[SymbolicTensor]
    ) -> SessionStep:
        """Returns the step of some fetches and feeds, made on first use."""
        key = tuple(map(id, fetched)), tuple(map(id, targets)), tuple(map(id, fed))
        step = self._steps.get(key)
        if step is None:
            with self._lock:
                step = self._steps.get(key)
                if step is None:
                    with without_collector():
                        step = SessionStep(self._resources, fetched, targets, fed, self._on_host)
                    _keep(self._steps, key, step)
        return step

    def make_callable(
        self, fetches: object, feed_list: object = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Returns a function that runs the same fetches again and again.

        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [])
        ...     with tf.compat.v1.Session() as sess:
        ...         add_one = sess.make_callable(x + 1.0, [x])
        ...         add_one(2.0)
        np.float32(3.0)

        Args:
          fetches: what `run` takes.
          feed_list: the tensors that the function takes values for, by position.
          accept_options: whether the function takes `options` and `run_metadata` too.

        Raises: TypeError: if `feed_list` is not a list or tuple.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")
        plan, keys = self._plan(fetches), list(feed_list or ())

        def call(*feeds: Any, **kwargs: Any) -> Any:
            if kwargs and not accept_options:
                raise TypeError(f"The callable takes no {', '.join(sorted(kwargs))}: pass accept_options=True.")
            if len(feeds) > len(keys):
                raise TypeError(f"The callable takes {len(keys)} values; received {len(feeds)}.")
            self._check_open()
            return self._run_plan(plan, dict(zip(keys, feeds)), **kwargs)

        return call

    # --- runs in parts -----------------------------------------------------------------------------------------------

    def partial_run_setup(self, fetches: object, feeds: Any = None) -> str:
        """Prepares a run in several parts.

        Args:
          fetches: what the parts may fetch, all together.
          feeds: the tensors that the parts may feed.

        Returns: A handle for `partial_run`.
        Raises:
          RuntimeError: if the graph is empty, or the session closed.
          tf.errors.InvalidArgumentError: if a tensor is both fed and fetched.
        """
        plan = self._plan(fetches)
        keys = [self._graph.as_graph_element(feed, allow_operation=False) for feed in feeds or ()]
        run = PartialRun(plan, keys)
        handle = f"partial_run_{next(self._numbers)};"
        self._partial_runs[handle] = run
        return handle

    def partial_run(self, handle: str, fetches: object, feed_dict: object = None) -> Any:
        """Goes on with a run in parts: no operation runs twice.

        >>> with tf.Graph().as_default():
        ...     a = tf.compat.v1.placeholder(tf.float32, [])
        ...     doubled = a * 2.0
        ...     with tf.compat.v1.Session() as sess:
        ...         handle = sess.partial_run_setup([doubled, doubled + 1.0], [a])
        ...         sess.partial_run(handle, doubled, {a: 3.0})
        np.float32(6.0)

        Args:
          handle: what `partial_run_setup` returned.
          fetches: some of the fetches that were prepared.
          feed_dict: values for some of the feeds that were prepared.

        Raises: tf.errors.InvalidArgumentError: if something was not prepared, or was fetched or fed before.
        """
        plan = self._plan(fetches)
        tensors, arrays = self._fed(feed_dict) if feed_dict else ([], [])
        run = self._partial_runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(
                None, None, "Graph execution error:\n\nMust run 'setup' before performing partial runs!"
            )
        run.feed(tensors, arrays)
        part = run.part(plan)
        # Part of a run are the values of earlier parts; what depends on such values is compiled for this part alone.
        step = SessionStep(self._resources, part.fetched, part.targets, part.fed, on_host=True, done=run.done)
        run.note(part, self._run_step(step, part.arrays))
        values = run.finish(plan)
        if run.is_over:
            del self._partial_runs[handle]
        return values

    # --- life ------------------------------------------------------------------------------------------------------

    def as_default(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the session the one that `Tensor.eval` and `Operation.run` use, within a scope."""
        return default_session_scope(self)

    def close(self) -> None:
        """Lets go of the state of the session; operations that wait for a queue are cancelled."""
        if self._is_closed:
            return
        self._is_closed = True
        self._cancellation.cancel(cancelled_error())
        self._plans.clear()
        self._steps.clear()
        self._partial_runs.clear()
        self._resources.forget([])

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:  # `sys` goes before the session
        if not getattr(self, "_is_closed", True) and not is_finalizing():
            self.close()


def target_bytes(target: object) -> bytes:
    """Returns the target as bytes.

    Raises:
      TypeError: if it is not a string.
      tf.errors.UnimplementedError: for a server: there are none.
      tf.errors.NotFoundError: for any target other than this process.
    """
    if not isinstance(target, (str, bytes)):
        raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
    text = target.decode() if isinstance(target, bytes) else target
    if text.startswith("grpc"):
        raise errors.UnimplementedError(
            None, None, f"Millrace runs sessions in this process alone, not on a server; the target was {text!r}."
        )
    if text not in ("", "local"):
        raise errors.NotFoundError(
            None, None, f'No session factory registered for the given session options: {{target: "{text}"}}'
        )
    return text.encode()


def _keep(cache: dict[Any, Any], key: object, value: object) -> None:
    """Adds an entry to a cache, and drops the oldest where the cache is full."""
    while len(cache) >= _MAX_PLANS:
        cache.pop(next(iter(cache)), None)
    cache[key] = value

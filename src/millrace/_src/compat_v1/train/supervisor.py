"""`tf.compat.v1.train.Supervisor`: a training that begins, goes on after a crash, and writes as it runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.lookup import tables_initializer
from millrace._src.compat_v1.summary.file_writer import FileWriter
from millrace._src.compat_v1.summary.merging import merge_all
from millrace._src.compat_v1.train.global_step import get_global_step
from millrace._src.compat_v1.train.looper_thread import LooperThread
from millrace._src.compat_v1.train.saver import Saver
from millrace._src.compat_v1.train.session_manager import SessionManager
from millrace._src.compat_v1.train.supervisor_services import CheckpointThread, StepCounterThread, SummaryThread
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.compat_v1.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from millrace._src.core.context import executing_eagerly
from millrace._src.graph.graph_def import write_graph
from millrace._src.ops.grouping import group
from millrace._src.proto import event_pb2, meta_graph_pb2
from millrace._src.state.coordinator import Coordinator
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

_USE_DEFAULT = 0


@export(v1=["train.Supervisor"])
@tensorflow_home("python.training.supervisor")
class Supervisor:
    """Makes a session ready, runs queues and services beside it, and stops them all together.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     supervisor = tf.compat.v1.train.Supervisor()
    ...     with supervisor.managed_session() as session:
    ...         print(session.run(v))
    3.0

    An argument that is `USE_DEFAULT` is found in the graph's collections, or made.

    Args:
      graph: the graph; the default graph if None.
      ready_op: a vector of the names of what is missing; None if the model is always ready.
      ready_for_local_init_op: a vector of the names of what is missing for `local_init_op`.
      is_chief: whether the program initializes and saves; else it waits for the chief.
      init_op: the operation that initializes.
      init_feed_dict: what is fed to `init_op`.
      local_init_op: the operation that initializes what is not in checkpoints.
      logdir: the folder of checkpoints and summaries; None for none.
      summary_op: the merged summaries; None if the program writes them by `summary_computed`.
      saver: the `Saver`; None for none.
      global_step: the global step.
      save_summaries_secs: the seconds between two summaries; 0 for none.
      save_model_secs: the seconds between two checkpoints; 0 for none.
      recovery_wait_secs: the seconds between two looks whether the model is ready.
      stop_grace_secs: how long to wait for threads in the end.
      checkpoint_basename: what the names of checkpoints begin with.
      session_manager: makes the session.
      summary_writer: the writer of summaries; None for none.
      init_fn: a function of the session that is called after `init_op`.
      local_init_run_options: `RunOptions` for `local_init_op`.

    Raises:
      RuntimeError: in eager mode.
      ValueError: if the program is not a chief, and variables have no device.
    """

    USE_DEFAULT = _USE_DEFAULT

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = _USE_DEFAULT,
        ready_for_local_init_op: Any = _USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = _USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = _USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = _USE_DEFAULT,
        saver: Any = _USE_DEFAULT,
        global_step: Any = _USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = _USE_DEFAULT,
        init_fn: Callable[[Any], None] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        self._graph = get_default_graph() if graph is None else graph
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._logdir = logdir if is_chief else None
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._save_summaries_secs, self._save_model_secs = save_summaries_secs, save_model_secs
        self._stop_grace_secs = stop_grace_secs
        with self._graph.as_default():
            self._find_operations(ready_op, ready_for_local_init_op, init_op, local_init_op)
            self._summary_op = self._find(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = get_global_step() if _is_default(global_step) else global_step
            self._saver = self._find(saver, GraphKeys.SAVERS, self._default_saver)
        self._summary_writer: Any = None
        self._save_path: str | None = None
        if self._logdir:
            self._save_path = os.path.join(self._logdir, checkpoint_basename)
            self._summary_writer = FileWriter(self._logdir) if _is_default(summary_writer) else summary_writer
        elif not _is_default(summary_writer):
            self._summary_writer = summary_writer
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._check_devices()
        self._graph.finalize()

    def _find_operations(
        self,
        ready_op: object,
        ready_for_local_init_op: object,
        init_op: object,
        local_init_op: object,
    ) -> None:
        keys = GraphKeys
        self._ready_op = self._find(ready_op, keys.READY_OP, report_uninitialized_variables)
        self._init_op = self._find(init_op, keys.INIT_OP, global_variables_initializer)
        self._ready_for_local_init_op = self._find(ready_for_local_init_op, keys.READY_FOR_LOCAL_INIT_OP, lambda: None)
        self._local_init_op = self._find(
            local_init_op,
            keys.LOCAL_INIT_OP,
            lambda: group(local_variables_initializer(), tables_initializer()),
        )

    def _find(self, given: object, key: str, make: Callable[[], Any]) -> Any:
        """Returns what was given, or the first item of a collection, or what is made and noted there."""
        if not _is_default(given):
            return given
        items = self._graph.get_collection(key)
        if items:
            return items[0]
        made = make()
        if made is not None:
            self._graph.add_to_collection(key, made)
        return made

    def _default_saver(self) -> Any:
        return Saver() if self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES) else None

    def _check_devices(self) -> None:
        if self._is_chief:
            return
        for variable in self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            if not variable.device:
                raise ValueError(
                    f"When using replicas, all Variables must have their device set: {variable.op.node_def}"
                )

    # --- facts -------------------------------------------------------------------------------------------------------

    @property
    def is_chief(self) -> bool:
        """Whether the program initializes and saves."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """What makes the session."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """What stops the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """The operation that initializes."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to `init_op`."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """A vector of the names of what is missing."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """A vector of the names of what is missing for the local initializer."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """The writer of summaries, or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """The merged summaries, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float:
        """The seconds between two summaries."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """The global step, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The saver, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> float:
        """The seconds between two checkpoints."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """What the names of checkpoints begin with, or None."""
        return self._save_path

    # --- sessions ----------------------------------------------------------------------------------------------------

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: object = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """Makes a session whose model is ready, and starts queues and services.

        Args:
          master: the session's target.
          config: a `ConfigProto`.
          wait_for_checkpoint: whether the chief waits for a checkpoint.
          max_wait_secs: how long to wait.
          start_standard_services: whether to start the services.

        Returns: The session.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            self.start_queue_runners(sess)
        return sess

    def _write_graph(self) -> None:
        if not self._logdir:
            return
        graph_def = self._graph.as_graph_def(add_shapes=True)
        write_graph(graph_def, self._logdir, "graph.pbtxt")
        if self._summary_writer:
            self._summary_writer.add_graph(self._graph)
            saver_def = self._saver.saver_def if self._saver else None
            self._summary_writer.add_meta_graph(meta_graph_pb2.MetaGraphDef(graph_def=graph_def, saver_def=saver_def))

    def start_standard_services(self, sess: object) -> list[LooperThread] | None:
        """Starts the threads that write summaries, the steps per second, and checkpoints.

        Args: sess: the session.
        Returns: The threads; None if there is no folder.
        Raises: RuntimeError: if the program is not a chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            get_logger().warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        threads: list[LooperThread] = []
        if self._summary_writer:
            log = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
            self._summary_writer.add_session_log(log, None if self._global_step is None else self._step(sess))
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(StepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(CheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def _step(self, sess: Any) -> int:
        return int(sess.run(self._global_step))

    def start_queue_runners(self, sess: object, queue_runners: Sequence[Any] | None = None) -> list[Any]:
        """Starts the threads of queue runners.

        Args:
          sess: the session.
          queue_runners: the runners; those of the graph if None.

        Returns: The threads.
        """
        runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS) if queue_runners is None else queue_runners
        return [
            thread for runner in runners for thread in runner.create_threads(sess, self._coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function every so many seconds.

        Args:
          timer_interval_secs: the seconds; 0 or None for again and again.
          target: the function.
          args: its arguments.
          kwargs: its arguments by keyword.

        Returns: The thread.
        """
        looper = LooperThread(self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    # --- the end -----------------------------------------------------------------------------------------------------

    def stop(self, threads: Any = None, close_summary_writer: bool = True, ignore_live_threads: bool = False) -> None:
        """Stops the threads, and closes the writer of summaries.

        Args:
          threads: more threads to wait for.
          close_summary_writer: whether to close the writer.
          ignore_live_threads: whether to leave threads that do not stop.

        Raises: BaseException: the error of a thread.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(event_pb2.SessionLog(status=event_pb2.SessionLog.STOP))
                self._summary_writer.close()

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop.

        Args: ex: the error that is the reason, if there is one.
        """
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Returns whether a stop was requested."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> contextlib.AbstractContextManager[Any]:
        """Gives a scope in which an error requests the stop."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: object, summary: object, global_step: object = None) -> None:
        """Writes a summary of the program.

        Args:
          sess: the session.
          summary: a `Summary` message, or its bytes.
          global_step: the step; that of the session if None.

        Raises: RuntimeError: if there is no writer of summaries.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = self._step(sess)
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """Gives a scope with a session that is ready; at its end all stops.

        The end of data (`tf.errors.OutOfRangeError`) ends the scope without an error.

        Args:
          master: the session's target.
          config: a `ConfigProto`.
          start_standard_services: whether to start the services.
          close_summary_writer: whether to close the writer of summaries in the end.

        Raises: BaseException: the error of a thread.
        """
        sess = self.prepare_or_wait_for_session(
            master=master, config=config, start_standard_services=start_standard_services
        )
        try:
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer, ignore_live_threads=True)
            finally:
                sess.close()

    # The older names.
    PrepareSession = prepare_or_wait_for_session
    StartStandardServices = start_standard_services
    StartQueueRunners = start_queue_runners
    Loop = loop
    Stop = stop
    RequestStop = request_stop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _is_default(value: object) -> bool:
    return type(value) is int and value == _USE_DEFAULT


@export(v1=["train.basic_train_loop"])
def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Calls a function of a session until the supervisor is asked to stop.

    >>> with tf.Graph().as_default():
    ...     train = tf.compat.v1.train.get_or_create_global_step().assign_add(1)
    ...     supervisor = tf.compat.v1.train.Supervisor()
    ...     def step(session):
    ...         if session.run(train) == 3:
    ...             supervisor.request_stop()
    ...     tf.compat.v1.train.basic_train_loop(supervisor, step)
    ...     supervisor.should_stop()
    True

    Args:
      supervisor: the `Supervisor`.
      train_step_fn: the function; its first argument is the session.
      args: its other arguments.
      kwargs: its arguments by keyword.
      master: the session's target.
    """
    with supervisor.managed_session(master) as sess:
        while not supervisor.should_stop():
            train_step_fn(sess, *(args or ()), **(kwargs or {}))

"""Queue runners: threads that fill a queue while a session runs.

Each enqueue operation of a runner is run by a thread of its own, again and again, until the data is at its end, or a
coordinator says stop. The last thread to end closes the queue, so that those who dequeue learn of the end.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.session.base_session import BaseSession
from millrace._src.compat_v1.status import error_code_from_exception_type
from millrace._src.compat_v1.train.session_wrapper import SessionWrapper
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.core import errors
from millrace._src.core.context import executing_eagerly
from millrace._src.core.default_session import default_session
from millrace._src.proto import queue_runner_pb2
from millrace._src.state.coordinator import Coordinator
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_log = logging.getLogger(__name__)


@export(v1=["train.queue_runner.QueueRunner", "train.QueueRunner"])
@tensorflow_home("python.training.queue_runner_impl")
class QueueRunner:
    """Runs enqueue operations in threads.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     queue = tf.queue.FIFOQueue(10, [tf.float32], shapes=[[]])
    ...     runner = tf.compat.v1.train.QueueRunner(queue, [queue.enqueue(3.0)])
    ...     coordinator = tf.train.Coordinator()
    ...     threads = runner.create_threads(sess, coordinator, start=True)
    ...     print(sess.run(queue.dequeue_many(4)))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [3. 3. 3. 3.]

    Args:
      queue: a queue.
      enqueue_ops: the operations, each run by a thread.
      close_op: the operation that closes the queue; None makes one.
      cancel_op: the operation that closes the queue and calls off what waits to enqueue; None makes one.
      queue_closed_exception_types: the errors that mean the end of the data; None for `tf.errors.OutOfRangeError`.
      queue_runner_def: a `QueueRunnerDef` message, instead of all the arguments before.
      import_scope: a name scope before the names in that message.

    Raises:
      ValueError: if the queue or the operations are missing, or given beside a message.
      TypeError: if the types of errors are not a tuple of classes of `tf.errors`.
      RuntimeError: in eager mode.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, please use tf.data to get "
                "data into your model."
            )
        if queue_runner_def is None:
            self._init_from_args(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
        elif queue or enqueue_ops:
            raise ValueError("queue_runner_def and queue are mutually exclusive.")
        else:
            self._init_from_proto(queue_runner_def, import_scope)
        self._lock = threading.Lock()
        self._runs_by_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[BaseException] = []

    def _init_from_args(
        self,
        queue: Any,
        enqueue_ops: Any,
        close_op: Any,
        cancel_op: Any,
        ends: Any,
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._enqueue_ops = queue, enqueue_ops
        self._queue_closed_exception_types = _validate_error_classes(ends)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op

    def _init_from_proto(self, message: Any, import_scope: str | None) -> None:
        if not isinstance(message, queue_runner_pb2.QueueRunnerDef):
            raise TypeError(f"Argument `queue_runner_def` must be a QueueRunnerDef, but got {type(message).__name__}")
        graph = get_default_graph()
        prefix = f"{import_scope.rstrip('/')}/" if import_scope else ""

        def element(name: str) -> Any:
            return graph.as_graph_element(prefix + name)

        self._queue = element(message.queue_name)
        self._enqueue_ops = [element(name) for name in message.enqueue_op_name]
        self._close_op, self._cancel_op = element(message.close_op_name), element(message.cancel_op_name)
        codes = message.queue_closed_exception_types
        self._queue_closed_exception_types = tuple(map(errors.exception_type_from_error_code, codes)) or _END_OF_DATA

    # --- facts -------------------------------------------------------------------------------------------------------

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> Any:
        """The operations that the threads run."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes the queue at once."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        """The errors that mean the end of the data."""
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The errors of the threads that no coordinator took."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The full name of the queue's operation."""
        name: str = self._queue.name
        return name

    # --- threads -----------------------------------------------------------------------------------------------------

    def create_threads(self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> list[Any]:
        """Makes the threads, unless those of an earlier call still run in the session.

        Args:
          sess: the session.
          coord: a `tf.train.Coordinator` that stops the threads, and collects their errors; then one thread more waits
            to call the enqueuing off.
          daemon: whether the program may end before the threads.
          start: whether to start the threads.

        Returns: The threads; none if there are some already.
        """
        with self._lock:
            if self._runs_by_session.get(sess, 0) > 0:
                return []
            self._runs_by_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [self._thread(self._run, (sess, op, coord), op.name) for op in self._enqueue_ops]
        if coord is not None:
            threads.append(self._thread(self._close_on_stop, (sess, coord), "close_on_stop"))
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads

    def _thread(self, target: Callable[..., None], args: tuple[Any, ...], what: str) -> threading.Thread:
        return threading.Thread(target=target, args=args, name=f"QueueRunnerThread-{self.name}-{what}")

    def _run(self, sess: Any, enqueue_op: Any, coord: Any) -> None:
        """Runs an enqueue operation until the data is at its end, or a stop is requested; the body of a thread."""
        is_counted = True
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._queue_closed_exception_types:
                    is_counted = False
                    self._end_run(sess, closes=True)
                    return
        except Exception as error:
            if coord is None:
                _log.error("Exception in QueueRunner: %s", error)
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
            coord.request_stop(error)
        finally:
            if is_counted:
                self._end_run(sess, closes=False)

    def _end_run(self, sess: object, closes: bool) -> None:
        """Counts a thread that ends; the last one closes the queue, if the data is at its end."""
        with self._lock:
            self._runs_by_session[sess] -= 1
            is_last = self._runs_by_session[sess] == 0
        if is_last and closes:
            self._try(sess, self._close_op)

    def _close_on_stop(self, sess: object, coord: Any) -> None:
        """Calls off what waits to enqueue when a stop is requested; the body of a thread."""
        coord.wait_for_stop()
        self._try(sess, self._cancel_op)

    @staticmethod
    def _try(sess: Any, operation: Any) -> None:
        try:
            sess.run(operation)
        except Exception as error:  # the session may be closed, and the queue with it
            _log.debug("Ignored exception: %s", error)

    # --- messages ----------------------------------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the runner as a `QueueRunnerDef` message.

        Args: export_scope: the name scope that is left out of names; operations outside of it are not part of the file.
        Returns: The message; None if the queue is outside of the scope.
        """
        prefix = f"{export_scope.rstrip('/')}/" if export_scope else ""
        if not self.name.startswith(prefix):
            return None

        def stripped(name: str) -> str:
            return name.removeprefix(prefix)

        return queue_runner_pb2.QueueRunnerDef(
            queue_name=stripped(self.name),
            enqueue_op_name=[stripped(op.name) for op in self._enqueue_ops],
            close_op_name=stripped(self._close_op.name),
            cancel_op_name=stripped(self._cancel_op.name),
            queue_closed_exception_types=[
                error_code_from_exception_type(each)  # type: ignore[misc]  # the numbers of the enum
                for each in self._queue_closed_exception_types
            ],
        )

    @staticmethod
    def from_proto(queue_runner_def: object, import_scope: str | None = None) -> QueueRunner:
        """Returns the runner that a `QueueRunnerDef` message describes, in the default graph.

        Args:
          queue_runner_def: the message.
          import_scope: a name scope before the names in the message.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


_END_OF_DATA: tuple[type[errors.OpError], ...] = (errors.OutOfRangeError,)


def _validate_error_classes(classes: Any) -> tuple[type[errors.OpError], ...]:
    if classes is None:
        return _END_OF_DATA
    if isinstance(classes, tuple) and classes and all(issubclass(each, errors.OpError) for each in classes):
        return classes
    raise TypeError(
        f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {classes}"
    )


@export(v1=["train.queue_runner.add_queue_runner", "train.add_queue_runner"])
def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Notes a queue runner in a collection of the default graph.

    Args:
      qr: the runner.
      collection: the collection's name.
    """
    get_default_graph().add_to_collection(collection, qr)


@export(v1=["train.queue_runner.start_queue_runners", "train.start_queue_runners"])
def start_queue_runners(
    sess: object = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> Sequence[threading.Thread]:
    """Starts the threads of all queue runners of a graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     number, = tf.compat.v1.train.slice_input_producer([tf.constant([5, 6])], shuffle=False)
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.compat.v1.train.start_queue_runners(sess, coordinator)
    ...     print(sess.run(number), sess.run(number), sess.run(number))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    5 6 5

    Args:
      sess: the session; the default session if None.
      coord: a `tf.train.Coordinator` that stops the threads.
      daemon: whether the program may end before the threads.
      start: whether to start the threads.
      collection: the collection in which the runners are noted.

    Returns: The threads.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if there is no default session.
      TypeError: if `sess` is not a session.
    """
    if executing_eagerly():
        raise RuntimeError("Queues are not compatible with eager execution.")
    session = default_session() if sess is None else sess
    if session is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
            "explicit session to tf.start_queue_runners(sess=sess)"
        )
    if not isinstance(session, BaseSession):
        if isinstance(session, SessionWrapper):
            return []  # its own threads run already
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(session)}")
    runners = session.graph.get_collection(collection)
    return [thread for runner in runners for thread in runner.create_threads(session, coord, daemon, start)]

"""`tf.train.Coordinator`: threads that stop together.

One thread asks for the stop, or fails; all others ask in turn whether they should stop. Who waits for the threads gets
the first error again.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType

from millrace._src.core.errors import OutOfRangeError
from millrace._src.util.export import export

_log = logging.getLogger(__name__)

_ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]


@export("train.Coordinator")
class Coordinator:
    """Lets threads stop together.

    >>> import threading
    >>> coordinator = tf.train.Coordinator()
    >>> def work():
    ...     with coordinator.stop_on_exception():
    ...         while not coordinator.should_stop():
    ...             coordinator.request_stop()
    >>> threads = [threading.Thread(target=work) for _ in range(3)]
    >>> for thread in threads:
    ...     thread.start()
    >>> coordinator.join(threads)
    >>> coordinator.should_stop()
    True

    Args: clean_stop_exception_types: the exceptions that stop all threads, but are not errors; None for
      `tf.errors.OutOfRangeError`, the end of data.
    """

    def __init__(self, clean_stop_exception_types: Sequence[type[BaseException]] | None = None) -> None:
        self._clean_types = (
            (OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        )
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._error: BaseException | None = None
        self._threads: set[threading.Thread] = set()
        self._joined = False

    # --- stopping ------------------------------------------------------------------------------------------------

    def should_stop(self) -> bool:
        """Returns whether a stop was requested."""
        return self._stop_event.is_set()

    def request_stop(self, ex: BaseException | _ExceptionInfo | None = None) -> None:
        """Asks all threads to stop; the first error is raised again by `join`.

        Args: ex: the error for which the threads stop, or what `sys.exc_info()` returns; None if all is well.
        Raises:
          TypeError: if `ex` is something else.
          BaseException: `ex` itself, if all threads were joined already, and no other thread would raise the error.
        """
        error = self._as_error(ex)
        with self._lock:
            if self._joined:
                if error is not None:
                    raise error
                return
            if not self._stop_event.is_set():
                if error is not None:
                    _log.info("Error reported to Coordinator: %s, %s", type(error), error)
                self._error = error
                self._stop_event.set()

    def _as_error(self, ex: object) -> BaseException | None:
        """Returns an error, unless it is one that ends threads cleanly.

        Raises: TypeError: if `ex` is not an error.
        """
        if isinstance(ex, tuple) and len(ex) == 3:
            _, ex, traceback = ex
            if isinstance(ex, BaseException):
                ex = ex.with_traceback(traceback)
        if ex is None:
            return None
        if not isinstance(ex, BaseException):
            raise TypeError(f"exc_info must be an exception or what sys.exc_info() returns, got: {ex!r}")
        return None if isinstance(ex, self._clean_types) else ex

    def clear_stop(self) -> None:
        """Takes a request to stop back, so that threads can run again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop_event.clear()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested.

        Args: timeout: how many seconds at most; None for any time.
        Returns: Whether a stop was requested.
        """
        return self._stop_event.wait(timeout)

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Makes a context in which an exception is a request to stop."""
        try:
            yield
        except BaseException as error:  # also those that end a thread: all threads stop with this one
            self.request_stop(error)

    def raise_requested_exception(self) -> None:
        """Raises the error that a thread gave when it requested the stop, if there is one."""
        with self._lock:
            if self._error is not None:
                raise self._error

    # --- threads -------------------------------------------------------------------------------------------------

    @property
    def joined(self) -> bool:
        """Whether all threads were waited for."""
        return self._joined

    def register_thread(self, thread: threading.Thread) -> None:
        """Makes a thread one that `join` waits for."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended: for any time until a stop is requested, and then not long.

        Args:
          threads: the threads, besides those that are registered.
          stop_grace_period_secs: how many seconds threads have to end once a stop is requested.
          ignore_live_threads: whether threads that do not end then are not an error.

        Raises:
          RuntimeError: if threads do not end.
          BaseException: the error for which a thread requested the stop.
        """
        with self._lock:
            waited_for = [*self._threads, *(t for t in threads or () if t not in self._threads)]
        while any(thread.is_alive() for thread in waited_for) and not self.wait_for_stop(0.05):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waited_for:
            thread.join(max(end - time.monotonic(), 0))
        stragglers = [thread.name for thread in waited_for if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = set()
            if self._error is not None:
                raise self._error
        if stragglers and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(stragglers)}")
        if stragglers:
            _log.info("Coordinator stopped with threads still running: %s", " ".join(stragglers))

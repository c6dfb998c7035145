"""The session within a monitored session: it calls hooks, collects errors of threads, and is replaced when it fails.

`HookedSession` runs what the program and the hooks ask for in one run. `RecoverableSession` makes it, makes a new one
after an error that a new session can mend, and stops the threads of the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.train.queue_runner import start_queue_runners
from millrace._src.compat_v1.train.session_creators import SessionCreator
from millrace._src.compat_v1.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from millrace._src.compat_v1.train.session_wrapper import SessionWrapper
from millrace._src.core.errors import AbortedError, UnavailableError
from millrace._src.proto import config_pb2
from millrace._src.state.coordinator import Coordinator
from millrace._src.util.logger import get_logger

_MENDED_BY_A_NEW_SESSION = (AbortedError, UnavailableError)
_CALLER = "caller"


class HookedSession(SessionWrapper):
    """A session with hooks.

    Args:
      session: the session.
      hooks: the hooks.
      coordinator: collects the errors of the session's threads.
      stop_grace_period_secs: how long to wait for these threads in the end.
    """

    def __init__(
        self, session: Any, hooks: Sequence[SessionRunHook], coordinator: Coordinator, stop_grace_period_secs: float
    ) -> None:
        self.session = session
        self._hooks = hooks
        self._coordinator = coordinator
        self._stop_grace_period_secs = stop_grace_period_secs
        self._is_stop_requested = False

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self.session.graph

    def should_stop(self) -> bool:
        """Returns whether a hook or a thread asked for the end of the loop.

        Raises: BaseException: the error of a thread.
        """
        if self._is_stop_requested:
            return True
        if self._coordinator.should_stop():
            self._coordinator.raise_requested_exception()
            return True
        return False

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs what is asked for, with what the hooks ask for besides.

        Raises: BaseException: the error of a thread, if there is one, instead of the error of the run.
        """
        try:
            return self._run(SessionRunArgs(fetches, feed_dict), options, run_metadata)
        except _MENDED_BY_A_NEW_SESSION:
            raise
        except Exception:
            self._coordinator.raise_requested_exception()
            raise

    def _run(self, args: SessionRunArgs, options: Any, run_metadata: Any) -> Any:
        context = SessionRunContext(args, self.session)
        all_fetches = {_CALLER: args.fetches}
        feeds: dict[Any, Any] = {}
        merged = config_pb2.RunOptions()
        asks = options is not None or run_metadata is not None
        if options is not None:
            merged.CopyFrom(options)
        for index, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                all_fetches[index] = request.fetches  # type: ignore[index]  # keys of two kinds
            _add_feeds(feeds, request.feed_dict, "two hooks")
            if request.options is not None:
                asks = True
                _merge_options(merged, request.options)
        own_feeds = dict(args.feed_dict or {})
        _add_feeds(own_feeds, feeds, "a SessionRunHook and user")
        if asks:
            run_metadata = config_pb2.RunMetadata() if run_metadata is None else run_metadata
            results = self.session.run(all_fetches, own_feeds, merged, run_metadata)
        else:
            results = self.session.run(all_fetches, own_feeds)
        for index, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(results.get(index), merged, run_metadata))
        self._is_stop_requested |= context.stop_requested
        return results[_CALLER]

    def close(self) -> None:
        """Stops the threads, and closes the session.

        Raises: BaseException: the error of a thread.
        """
        self._coordinator.request_stop()
        try:
            self._coordinator.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
        finally:
            self.session.close()


def _add_feeds(feeds: dict[Any, Any], others: Any, who: str) -> None:
    """Adds feeds to those of others.

    Raises: RuntimeError: if a tensor is fed twice.
    """
    keys = {_feed_key(key) for key in feeds}
    conflicts = [key for key in others or () if _feed_key(key) in keys]
    if conflicts:
        raise RuntimeError(f"Same tensor is fed by {who}. Conflict(s): {conflicts}")
    feeds.update(others or {})


def _feed_key(key: object) -> Any:
    return key if isinstance(key, (str, bytes)) else id(key)


def _merge_options(options: Any, others: Any) -> None:
    """Adds what a hook wants of a run: the most detailed trace, the longest time."""
    options.trace_level = max(options.trace_level, others.trace_level)
    options.timeout_in_ms = max(options.timeout_in_ms, others.timeout_in_ms)
    options.inter_op_thread_pool = max(options.inter_op_thread_pool, others.inter_op_thread_pool)
    options.output_partition_graphs |= others.output_partition_graphs
    options.report_tensor_allocations_upon_oom |= others.report_tensor_allocations_upon_oom
    options.debug_options.debug_tensor_watch_opts.extend(others.debug_options.debug_tensor_watch_opts)


class RecoverableSession(SessionWrapper):
    """A session with hooks that is made anew after errors that a new session mends.

    Args:
      creator: makes the sessions.
      hooks: the hooks.
      stop_grace_period_secs: how long to wait for threads in the end.
      recovers: whether to make a new session at all.
    """

    def __init__(
        self,
        creator: SessionCreator,
        hooks: Sequence[SessionRunHook],
        stop_grace_period_secs: float,
        recovers: bool,
    ) -> None:
        self._creator = creator
        self._hooks = hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        self._recovers = recovers
        self._session: HookedSession | None = None
        self._with_recovery(lambda session: None)

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self.hooked.graph

    @property
    def hooked(self) -> HookedSession:
        """The session with hooks that is there now; it is made if there is none."""
        if self._session is None:
            self._session = self._new_session()
        return self._session

    def _new_session(self) -> HookedSession:
        session = self._creator.create_session()
        coordinator = Coordinator(clean_stop_exception_types=[])
        start_queue_runners(session, coordinator)
        for hook in self._hooks:
            hook.after_create_session(session, coordinator)
        return HookedSession(session, self._hooks, coordinator, self._stop_grace_period_secs)

    def _with_recovery(self, use: Callable[[HookedSession], Any]) -> Any:
        """Uses the session, or a new one when the session fails by what a new one mends."""
        while True:
            try:
                return use(self.hooked)
            except _MENDED_BY_A_NEW_SESSION as error:
                if not self._recovers:
                    raise
                get_logger().info(
                    "An error was raised. This may be due to a preemption in a connected worker or parameter server. "
                    "The current session will be closed and a new session will be created. Error: %s",
                    error,
                )
                self._drop()

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            session.close()
        except Exception as error:  # of the old session's threads: the new session matters
            get_logger().info("Ignored exception of a session that is replaced: %s", error)

    def should_stop(self) -> bool:
        """Returns whether a hook or a thread asked for the end of the loop."""
        answer: bool = self._with_recovery(lambda session: session.should_stop())
        return answer

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs what is asked for, by a new session if the old one fails."""
        return self._with_recovery(lambda session: session.run(fetches, feed_dict, options, run_metadata))

    def run_step(self, step: Callable[[HookedSession], Any]) -> Any:
        """Calls a function of the session with hooks, with a new session if the old one fails."""
        return self._with_recovery(step)

    def close(self) -> None:
        """Stops the threads, and closes the session."""
        if self._session is not None:
            session, self._session = self._session, None
            session.close()

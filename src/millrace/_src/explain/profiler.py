"""`tf.profiler.experimental`: profiles of a stretch of a program, for TensorBoard, Perfetto and the terminal.

One profile runs at a time. `start` lets a `Recorder` watch, `stop` takes it away and writes what it saw: as TensorFlow
does to `plugins/profile/<time>/<host>.xplane.pb` below the log folder, where the profile plugin of TensorBoard finds
it, and beside that to `perfetto_trace.json.gz`, which https://ui.perfetto.dev shows. While no profile runs, nothing
asks whether one does.
"""

from __future__ import annotations

import datetime
import os
import threading
import time
from types import TracebackType
from typing import Any, NamedTuple

from millrace._src.core import errors
from millrace._src.explain.chrome_trace import chrome_trace_bytes
from millrace._src.explain.events import ANNOTATION, Profile, Subject
from millrace._src.explain.python_calls import PythonCalls
from millrace._src.explain.recorder import Recorder
from millrace._src.explain.xla_events import XlaEvents
from millrace._src.explain.xplane import host_name, xspace_of
from millrace._src.ops.io import gfile
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.util.export import export


@export("profiler.experimental.ProfilerOptions", v1=[])
class ProfilerOptions(NamedTuple):
    """What a profile looks at.

    >>> tf.profiler.experimental.ProfilerOptions(host_tracer_level=1).host_tracer_level
    1

    Attributes:
      host_tracer_level: 0: nothing of the host. 1: functions and `Trace`s. 2 and more: ops too.
      python_tracer_level: 0: no calls of Python functions. 1: those too, which makes the program several times slower.
      device_tracer_level: 0: nothing of what XLA runs. 1: that too.
      delay_ms: the milliseconds after `start` from which on events count; None for at once.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class ProfilerSession:
    """A profile from start to end.

    Args: options: what to look at; a `ProfilerOptions`.
    """

    def __init__(self, options: Any = None) -> None:
        values = ProfilerOptions()._asdict() | (options._asdict() if options is not None else {})
        self._with_host = values["host_tracer_level"] > 0
        self._recorder = Recorder(with_ops=values["host_tracer_level"] > 1, delay_ms=values["delay_ms"] or 0)
        self._python = PythonCalls(self._recorder) if values["python_tracer_level"] > 0 else None
        self._xla = XlaEvents(self._recorder) if values["device_tracer_level"] > 0 else None

    @property
    def recorder(self) -> Recorder:
        """What notes the events."""
        return self._recorder

    def start(self) -> None:
        """Begins the profile."""
        _sessions.append(self)
        if self._xla is not None:
            self._xla.start()
        self._recorder.start(watches=self._with_host)
        if self._python is not None:
            self._python.start()

    def stop(self, *, reads_xla: bool = True) -> Profile:
        """Ends the profile, and returns it.

        Args: reads_xla: whether what XLA ran is read; False for a profile that is given up.
        """
        _sessions.remove(self)
        if self._python is not None:
            self._python.stop()
        profile = self._recorder.stop()
        if self._xla is not None:
            self._xla.stop(profile, reads=reads_xla)
        return profile


_sessions: list[ProfilerSession] = []
"""The profiles that run: the one that `start` began, and those of tools."""


class _ActiveSession:
    """The profile that runs, and where it is to be written."""

    lock = threading.Lock()
    session: ProfilerSession | None = None
    folder: str = ""


@export("profiler.experimental.start", v1=[])
def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Starts a profile, which `stop` ends and writes below a folder.

    Args:
      logdir: the folder; it need not exist.
      options: a `tf.profiler.experimental.ProfilerOptions`.

    Raises:
      tf.errors.AlreadyExistsError: if a profile is running.
      TypeError: if `logdir` is not a path.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.profiler.experimental.start(folder)
    >>> x = tf.tanh([1.0, 2.0])
    >>> tf.profiler.experimental.stop()
    >>> os.listdir(folder)
    ['plugins']
    """
    folder = _folder(logdir)
    session = ProfilerSession(options)
    with _ActiveSession.lock:
        if _ActiveSession.session is not None:
            raise errors.AlreadyExistsError(None, None, "Another profiler is running.")
        _ActiveSession.session, _ActiveSession.folder = session, folder
        session.start()


@export("profiler.experimental.stop", v1=[])
def stop(save: bool = True) -> None:
    """Ends the profile that is running, and writes it.

    Args: save: whether to write the profile.
    Raises:
      tf.errors.UnavailableError: if no profile is running.
      tf.errors.OpError: if the files cannot be written; the profile is over all the same.
    """
    profile, folder = end_profile(is_kept=save)
    if save:
        write_profile(profile, folder)


def end_profile(*, is_kept: bool = True) -> tuple[Profile, str]:
    """Ends the profile that is running; returns it and the folder that `start` was given.

    Args: is_kept: whether anybody will look at the profile.
    Raises: tf.errors.UnavailableError: if no profile is running.
    """
    with _ActiveSession.lock:
        session, folder = _ActiveSession.session, _ActiveSession.folder
        if session is None:
            message = "Cannot export profiling results. No profiler is running."
            raise errors.UnavailableError(None, None, message)
        _ActiveSession.session = None
        return session.stop(reads_xla=is_kept), folder


def is_running() -> bool:
    """Returns whether a profile is running."""
    return _ActiveSession.session is not None


def write_profile(profile: Profile, logdir: str) -> str:
    """Writes a profile below a folder of logs, and returns the folder of its files."""
    moment = datetime.datetime.fromtimestamp(profile.epoch / 1e9).strftime("%Y_%m_%d_%H_%M_%S")
    folder = os.path.join(logdir or ".", "plugins", "profile", moment)
    gfile.makedirs(folder)
    files = {
        f"{host_name()}.xplane.pb": xspace_of(profile).SerializeToString(),
        "perfetto_trace.json.gz": chrome_trace_bytes(profile),
    }
    for name, content in files.items():
        with atomic_write(os.path.join(folder, name)) as file:
            file.write(content)
    return folder


def _folder(logdir: object) -> str:
    if not isinstance(logdir, (str, os.PathLike)):
        raise TypeError(
            f"start(): incompatible function arguments: logdir must be a path, but is a {type(logdir).__name__}."
        )
    return os.fspath(logdir)


@export("profiler.experimental.Profile", v1=[])
class ProfileScope:
    """A profile of the statements in a `with` block.

    >>> import tempfile
    >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()):
    ...     x = tf.tanh([1.0, 2.0])

    Args:
      logdir: the folder below which the profile is written.
      options: a `tf.profiler.experimental.ProfilerOptions`.
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        stop()


@export("profiler.experimental.Trace", v1=[])
class Trace:
    """Names a stretch of a program in the profiles that run meanwhile; steps of training, for example.

    >>> for step in range(2):
    ...     with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
    ...         x = tf.tanh([1.0, 2.0])

    Args:
      name: the name.
      **kwargs: facts that the profile shows with the name. `step_num` makes the stretch a step, and with `_r=1` the
        profile plugin of TensorBoard takes it as one of the steps of the program.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._facts: dict[str, object] = kwargs
        self._start: int | None = None

    def __enter__(self) -> Trace:
        if _sessions:
            self._start = time.perf_counter_ns()
        return self

    def set_metadata(self, **kwargs: object) -> None:
        """Adds facts that are known only inside of the block."""
        self._facts = {**self._facts, **kwargs}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        start, self._start = self._start, None
        if start is not None:
            end, subject = time.perf_counter_ns(), Subject(ANNOTATION, "Trace", self._name)
            for session in _sessions:
                session.recorder.note(start, end, subject, details=dict(self._facts))

"""A sandbox to read damaged files in: a reader may not write elsewhere, run programs, take memory or time without end.

The process watches itself with an audit hook, a limit of its address space and an alarm. What happened is told as an
outcome: that a file was read, was refused in words, or what the reader did that no reader may do.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import sysconfig
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import millrace as tf

SLACK = 192 << 20
"""The bytes that a reader may take beyond twice the bytes that it reads: code that is loaded, threads, buffers."""

SECONDS = 10.0
"""How long a reader may take for one file; the machine may be busy."""

_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod")
_REFUSED = ("socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")


_SYSTEM = ("/proc", "/sys", "/dev/null", "/usr/share/zoneinfo")


class Hang(BaseException):
    """A reader takes too long."""


class Escape(BaseException):
    """A reader does something outside of the cage."""


@dataclass(frozen=True)
class Outcome:
    """What became of one damaged file.

    Attributes:
      kind: "read", "refused", "stopped" (a program of the file ran on and on, and could be stopped), or "fault".
      words: the class of the error, or what is wrong.
      details: the traceback of a fault.
    """

    kind: str
    words: str
    details: str = ""


@dataclass
class Cage:
    """The limits of this process, in force while `run` runs.

    Attributes:
      folder: the only folder in which files may change.
    """

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="millrace_attack_")))
    is_closed: bool = False
    escapes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        libraries = {*map(sysconfig.get_path, ("stdlib", "purelib", "platlib")), *filter(None, sys.path)}
        packages = {str(Path(tf.__file__).parent), str(Path(__file__).parents[1])}
        self._readable = tuple(map(os.path.realpath, {*libraries, *packages, *_SYSTEM, self.folder}))
        self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        sys.addaudithook(self._hear)
        signal.signal(signal.SIGALRM, self._ring)

    def run(
        self,
        read: Callable[[], Any],
        size: int,
        may_run_on: bool = False,
        refusals: tuple[type[Exception], ...] = (),
    ) -> Outcome:
        """What becomes of one file.

        Args:
          read: reads the file.
          size: the bytes of the file.
          may_run_on: whether the file holds a program, which may have no end.
          refusals: further classes of errors with which the reader refuses files.
        """
        self.escapes.clear()
        limit = self._address_space() + 2 * size + SLACK
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        self.is_closed = True
        try:
            outcome = self._outcome(read, may_run_on, refusals)
        finally:
            self.is_closed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return Outcome("fault", "escape", "\n".join(self.escapes)) if self.escapes else outcome

    def _outcome(self, read: Callable[[], Any], may_run_on: bool, refusals: tuple[type[Exception], ...]) -> Outcome:
        started = time.perf_counter()
        try:
            read()
        except refusals as error:
            return Outcome("refused", type(error).__name__)
        except (tf.errors.OpError, ValueError, NotImplementedError) as error:
            return refusal(error)
        except Hang:
            return Outcome("stopped", "") if may_run_on else _fault("hang")
        except Exception as error:
            return _fault(type(error).__name__)
        took = time.perf_counter() - started
        return Outcome("read", "") if took < SECONDS else _fault("hang")

    def _address_space(self) -> int:
        return int(os.pread(self._statm, 64, 0).split()[0]) * resource.getpagesize()

    def _ring(self, *_: Any) -> None:
        if self.is_closed:
            raise Hang

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if self.is_closed and self._is_escape(event, args):
            self.escapes.append(f"{event} {args[:2]!r}\n{''.join(traceback.format_stack(limit=12))}")
            raise Escape(event)

    def _is_escape(self, event: str, args: tuple[Any, ...]) -> bool:
        if event == "open":
            path, _, flags = args
            if not isinstance(path, (str, bytes)):
                return False
            is_change = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            return not self._is_within(path, (str(self.folder), "/dev/null") if is_change else self._readable)
        if event in ("os.listdir", "os.scandir"):
            return args[0] is not None and not self._is_within(args[0], self._readable)
        if event in _CHANGES:
            return not self._is_within(args[0], (str(self.folder),))
        return event in _REFUSED

    @staticmethod
    def _is_within(path: str | bytes, folders: tuple[str, ...]) -> bool:
        real_path = os.path.realpath(os.fsdecode(path))
        return any(real_path == folder or real_path.startswith(folder.rstrip("/") + "/") for folder in folders)


_SHORTEST_WORDS = 12


def refusal(error: Exception) -> Outcome:
    """An error that a reader may raise: one of the classes that say what is wrong with a file, with words."""
    if isinstance(error, ValueError) and type(error) is not ValueError:
        return _fault(type(error).__name__)
    if isinstance(error, (tf.errors.InternalError, tf.errors.UnknownError)):
        return _fault(type(error).__name__)
    if len(str(error)) < _SHORTEST_WORDS:
        return _fault(f"{type(error).__name__} without words")
    return Outcome("refused", type(error).__name__)


def _fault(words: str) -> Outcome:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return Outcome("fault", words, traceback.format_exc(limit=-14))

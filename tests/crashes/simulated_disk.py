"""A disk that remembers each operation, so that a test can stop it at any of them.

A program runs once on a `SimulatedDisk`, which notes what the program does as *events*. From the events follows what
would be on the disk if the program had been stopped earlier: `states_if_killed` gives all states in which a killed
process may leave its files, at each event and each byte of each write; `states_without_power` those that a loss of
power may leave. POSIX then keeps only what was synced; what was not may be there or not, in any order:

- the bytes of a file since its last `sync` may all be there, in part, or not at all;
- names that were made, renamed and removed since the last `sync_directory` may be as before or as after, each alone.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import RawIOBase
from typing import Any

from millrace._src.ops.io.file_system import FileStatistics, FileSystem
from millrace._src.ops.io.file_systems import register_file_system

SCHEME = "disk"


@dataclass(frozen=True)
class Event:
    """One thing that was done to the disk.

    Attributes:
      kind: "make", "truncate", "write", "sync": of a file; "rename", "remove"; "make_directory", "remove_directory",
        "sync_directory".
      path: the path, or the source of a rename.
      file: the number of the file, which its path does not tell when it has been renamed.
      target: the new path.
      position: where bytes are written.
      data: the bytes.
    """

    kind: str
    path: str = ""
    file: int = 0
    target: str = ""
    position: int = 0
    data: bytes = b""

    def __str__(self) -> str:
        size = f" {len(self.data)} bytes" if self.data else ""
        return f"{self.kind} {self.path}{f' to {self.target}' if self.target else ''}{size}"

    @property
    def directory(self) -> str:
        """The directory whose names the event changes."""
        return os.path.dirname(self.target or self.path)


@dataclass
class State:
    """What is on a disk.

    Attributes:
      names: the number of the file of each path; None for a directory.
      contents: the bytes of each file.
    """

    names: dict[str, int | None] = field(default_factory=lambda: {"": None})
    contents: dict[int, bytes] = field(default_factory=dict)

    def copy(self) -> State:
        """Returns another state that is equal."""
        return State(dict(self.names), dict(self.contents))

    def apply(self, event: Event) -> None:
        """Does what an event says, as far as there is what it speaks of."""
        if event.kind in ("make", "truncate"):
            self.contents[event.file] = b""
        elif event.kind == "write":
            old = self.contents[event.file].ljust(event.position, b"\0")
            self.contents[event.file] = old[: event.position] + event.data + old[event.position + len(event.data) :]
        self.apply_to_names(event)

    def apply_to_names(self, event: Event) -> None:
        """Does what an event says to the names alone."""
        if event.kind == "make":
            self.names[event.path] = event.file
        elif event.kind == "make_directory":
            self.names[event.path] = None
        elif event.kind in ("remove", "remove_directory"):
            self.names.pop(event.path, None)
        elif event.kind == "rename" and event.file:  # also if the making of the source got lost
            self.names.pop(event.path, None)
            self.names[event.target] = event.file
        elif event.kind == "rename":
            for path in [path for path in self.names if f"{path}/".startswith(f"{event.path}/")]:
                self.names[event.target + path[len(event.path) :]] = self.names.pop(path)

    def files(self) -> dict[str, bytes]:
        """Returns the bytes of the files that can be reached, by path."""
        return {
            path: self.contents[file]
            for path, file in self.names.items()
            if file is not None and self._is_reachable(os.path.dirname(path))
        }

    def _is_reachable(self, directory: str) -> bool:
        return not directory or (directory in self.names and self._is_reachable(os.path.dirname(directory)))

    def reachable(self) -> State:
        """Returns the state without what is in directories that are not there."""
        names = {path: file for path, file in self.names.items() if self._is_reachable(os.path.dirname(path))}
        return State(names, {file: self.contents[file] for file in names.values() if file is not None})

    def key(self) -> tuple[object, ...]:
        """Returns what is equal for states with equal files and directories."""
        directories = sorted(path for path, file in self.names.items() if file is None)
        return (tuple(directories), *sorted(self.files().items()))


class SimulatedDisk(FileSystem):
    """A disk that notes all that is done to it.

    Attributes:
      state: what is on the disk.
      events: what was done, in order.
      refuse: called before each event; may raise `OSError`, and the event does not happen.
    """

    renames_open_files = knows_claims = True

    def __init__(self) -> None:
        self.state = State()
        self.events: list[Event] = []
        self.refuse: Callable[[Event], None] = lambda event: None
        self._claimed_files: set[int] = set()
        self._last_file = 0
        self._lock = threading.RLock()

    def restart(self, state: State) -> None:
        """Becomes a disk in another state, of which no process has open files."""
        self.state, self.events = state.copy(), []
        self._claimed_files.clear()
        self._last_file = max([self._last_file, *state.contents])

    def note(self, event: Event) -> None:
        """Does what an event says, and remembers it."""
        with self._lock:
            self.refuse(event)
            self.state.apply(event)
            self.events.append(event)

    # --- what a file system does ---

    def path_of(self, name: str) -> str:
        return "/".join(part for part in super().path_of(name).split("/") if part)

    def open(self, path: str, mode: str) -> RawIOBase:
        with self._lock:
            file = self.state.names.get(path)
            if file is None and path in self.state.names:
                raise failure(errno.EISDIR, path)
            if mode == "r" and file is None:
                raise failure(errno.ENOENT, path)
            if mode == "x" and file is not None:
                raise failure(errno.EEXIST, path)
            if file is None:
                self._check_directory(path)
                self._last_file = file = self._last_file + 1
                self.note(Event("make", path, file))
            elif mode == "w":
                self.note(Event("truncate", path, file))
            return _OpenFile(self, path, file, mode)

    def _check_directory(self, path: str) -> None:
        directory = os.path.dirname(path)
        if directory not in self.state.names:
            raise failure(errno.ENOENT, path)
        if self.state.names[directory] is not None:
            raise failure(errno.ENOTDIR, path)

    def status(self, path: str) -> FileStatistics:
        with self._lock:
            if path not in self.state.names:
                raise failure(errno.ENOENT, path)
            file = self.state.names[path]
            return FileStatistics(0, 0, True) if file is None else FileStatistics(len(self.bytes_of(file)), 0, False)

    def bytes_of(self, file: int) -> bytes:
        """Returns the bytes of a file by its number."""
        return self.state.contents[file]

    def list_directory(self, path: str) -> list[str]:
        with self._lock:
            if not self.status(path).is_directory:
                raise failure(errno.ENOTDIR, path)
            entries = [entry for entry in self.state.names if entry and os.path.dirname(entry) == path]
            return [os.path.basename(entry) for entry in entries]

    def make_directory(self, path: str) -> None:
        with self._lock:
            if path in self.state.names:
                raise failure(errno.EEXIST, path)
            self._check_directory(path)
            self.note(Event("make_directory", path))

    def make_directories(self, path: str) -> None:
        with self._lock:
            if self.state.names.get(path) is not None:
                raise failure(errno.ENOTDIR, path)
            if path not in self.state.names:
                self.make_directories(os.path.dirname(path))
                self.note(Event("make_directory", path))

    def remove(self, path: str) -> None:
        with self._lock:
            if self.status(path).is_directory:
                raise failure(errno.EISDIR, path)
            self.note(Event("remove", path, self.state.names[path] or 0))

    def remove_directory(self, path: str) -> None:
        with self._lock:
            if self.list_directory(path):
                raise failure(errno.ENOTEMPTY, path)
            self.note(Event("remove_directory", path))

    def rename(self, source: str, target: str) -> None:
        with self._lock:
            is_directory = self.status(source).is_directory
            self._check_directory(target)
            if target in self.state.names and source != target:
                if self.status(target).is_directory != is_directory or is_directory:
                    raise failure(errno.ENOTEMPTY if is_directory else errno.EISDIR, target)
            if source != target:
                self.note(Event("rename", source, self.state.names[source] or 0, target))

    def sync(self, file: RawIOBase) -> None:
        assert isinstance(file, _OpenFile)
        self.note(Event("sync", file.path, file.number))

    def sync_directory(self, path: str) -> None:
        with self._lock:
            self.status(path)
            self.note(Event("sync_directory", path))

    def claim(self, file: RawIOBase) -> bool:
        assert isinstance(file, _OpenFile)
        with self._lock:
            self._claimed_files.add(file.number)
            return file.number in self.state.names.values()

    def release(self, file: int) -> None:
        """Takes away the claim on a file that is closed."""
        self._claimed_files.discard(file)

    def remove_abandoned(self, path: str) -> bool:
        with self._lock:
            file = self.state.names.get(path)
            if file is None or file in self._claimed_files:
                return False
            self.remove(path)
            return True


class _OpenFile(RawIOBase):
    """An open file of a simulated disk."""

    def __init__(self, disk: SimulatedDisk, path: str, number: int, mode: str) -> None:
        self._disk, self.path, self.number, self._mode = disk, path, number, mode
        self._position = len(disk.bytes_of(number)) if mode == "a" else 0

    def readable(self) -> bool:
        return self._mode == "r"

    def writable(self) -> bool:
        return self._mode != "r"

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        piece = self._disk.bytes_of(self.number)[self._position : self._position + len(view)]
        view[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def write(self, data: Any) -> int:
        data = bytes(data)
        if data:
            self._disk.note(Event("write", self.path, self.number, position=self._position, data=data))
        self._position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = offset + (0, self._position, len(self._disk.bytes_of(self.number)))[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def close(self) -> None:
        if not self.closed:
            self._disk.release(self.number)
        super().close()


def failure(code: int, path: str) -> OSError:
    """Returns the error of the system with a code."""
    return OSError(code, os.strerror(code), path)


def registered_disk() -> Iterator[SimulatedDisk]:
    """Gives a new disk for names that begin with `disk://`; for a fixture."""
    disk = SimulatedDisk()
    register_file_system(SCHEME, disk)
    yield disk
    register_file_system(SCHEME, None)


# --- the states in which a program may leave its disk ------------------------------------------------------------


def states_if_killed(start: State, events: Sequence[Event], byte_step: int = 1) -> Iterator[tuple[str, State]]:
    """Yields what is on the disk if the process is killed: before each event, and within each write.

    Args:
      start: what is there before the first event.
      events: what the process does if it lives.
      byte_step: how many bytes further the next position in a write is.

    Yields: (where the process is killed, the state).
    """
    state = start.copy()
    yield "at the start", state.copy()
    for number, event in enumerate(events):
        for count in range(byte_step, len(event.data), byte_step):
            cut = Event(event.kind, event.path, event.file, position=event.position, data=event.data[:count])
            torn_state = state.copy()
            torn_state.apply(cut)
            yield f"{number}: {event}, of which {count}", torn_state
        state.apply(event)
        yield f"{number}: after {event}", state.copy()


def states_without_power(start: State, events: Sequence[Event]) -> Iterator[tuple[str, State]]:
    """Yields what may be on the disk if the power is lost after each event; equal states once.

    Args:
      start: what is on the disk for certain before the first event.
      events: what the process does while there is power.

    Yields: (when the power is lost and what is lost with it, the state).
    """
    seen_states = set()
    for count in range(len(events) + 1):
        for label, state in _states_after(start, events[:count]):
            state = state.reachable()
            if state.key() not in seen_states:
                seen_states.add(state.key())
                when = f"after {count}: {events[count - 1]}" if count else "at the start"
                yield f"{when}; {label}", state


def _states_after(start: State, events: Sequence[Event]) -> Iterator[tuple[str, State]]:
    """Yields the states that are possible after events, of which some are lasting and some are not."""
    current, lasting, pending = start.copy(), start.copy(), list[Event]()
    for event in events:
        current.apply(event)
        if event.kind == "sync":
            lasting.contents[event.file] = current.contents[event.file]
        elif event.kind == "sync_directory":
            for pending_event in pending:
                if pending_event.directory == event.path:
                    lasting.apply_to_names(pending_event)
            pending = [pending_event for pending_event in pending if pending_event.directory != event.path]
        elif event.kind not in ("truncate", "write"):
            pending.append(event)
    for kept_label, kept_events in _choices(pending):
        names = lasting.copy()
        for event in kept_events:
            names.apply_to_names(event)
        for data_label, share in (("no bytes", 0.0), ("half of the bytes", 0.5), ("all bytes", 1.0)):
            yield f"{kept_label}, {data_label}", State(dict(names.names), _contents(lasting, current, share))


def _choices(pending: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """Yields which of the names' changes are there: all up to one, all but one, and one alone."""
    for count in range(len(pending) + 1):
        yield f"the first {count} of {len(pending)} changes of names", pending[:count]
    for number, event in enumerate(pending):
        yield f"all changes of names but {event}", pending[:number] + pending[number + 1 :]
        yield f"no change of names but {event}", [event]


def _contents(lasting: State, current: State, share: float) -> dict[int, bytes]:
    """Returns the bytes of all files, of which a share of what is not synced is there."""
    contents = {}
    for file, data in current.contents.items():
        synced_data = lasting.contents.get(file, b"")
        is_changed = data != synced_data
        kept = data[: int(len(data) * share)] if share else synced_data
        contents[file] = kept if is_changed else data
    return contents


def run_and_crash(
    disk: SimulatedDisk,
    program: Callable[[], object],
    check: Callable[[bool], object],
    *,
    byte_step: int = 1,
    power: bool = True,
) -> int:
    """Runs a program, and then a check on each state in which a crash of the program may leave the disk.

    Args:
      disk: the disk, of which all is lasting at the start.
      program: what writes to the disk.
      check: asserts what must hold in each state; whether the program had ended is its argument.
      byte_step: how many bytes further the next position in a write is; 1 where `MILLRACE_EVERY_BYTE` is set.
      power: whether the power may be lost too, not only the process killed.

    Returns: The number of states.
    """
    start = disk.state.copy()
    byte_step = 1 if "MILLRACE_EVERY_BYTE" in os.environ else byte_step
    disk.events.clear()
    program()
    events, end = list(disk.events), disk.state.copy()
    states = [*states_if_killed(start, events, byte_step), *(states_without_power(start, events) if power else ())]
    for label, state in states:
        disk.restart(state)
        try:
            check(state.key() == end.key())
        except Exception as error:
            error.add_note(f"crash {label}; on the disk: { {path: len(data) for path, data in state.files().items()} }")
            raise
    disk.restart(end)
    return len(states)

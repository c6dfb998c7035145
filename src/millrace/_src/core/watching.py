"""Watchers: code that wants to see every op that runs, such as a profile or a search for the first NaN.

Problem: an eager op takes a quarter of a microsecond, a step of a program a tenth. Even the question whether anybody
watches would cost as much as some ops.

Idea: nothing is asked. Ops run as callables that were bound before: a kernel in the cache of its op, or one with a
name in a generated program. While a watcher is there, these callables are exchanged for ones that the watcher makes of
them, and afterwards they are put back. So watching costs nothing when no watcher is there, and sees all threads.
Code that keeps bound callables says so with `follow`, and binds them anew whenever the watchers change.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Kernel: TypeAlias = Callable[..., Any]


class Watcher:
    """Sees what runs; each method returns what shall run instead of a callable, by default the callable itself."""

    def watch_call(self, call: object, kernel: Kernel) -> Kernel:
        """Returns what runs instead of the kernel of eager calls.

        Args:
          call: what the calls share: a `BoundCall`.
          kernel: takes arrays.
        """
        return kernel

    def watch_nodes(self, nodes: Sequence[Any], kernel: Kernel) -> Kernel:
        """Returns what runs instead of a kernel in a generated program.

        Args:
          nodes: the nodes that the kernel runs; several where the kernel fuses a chain.
          kernel: takes arrays, and perhaps `out=...`.
        """
        return kernel

    def watch_function(self, name: str, run: Kernel) -> Kernel:
        """Returns what runs instead of a whole program: the name is that of its graph."""
        return run

    def note_span(self, kind: str, name: str, start: float, end: float) -> None:
        """Hears of work that is not an op, as tracing or compiling a function: times of `time.perf_counter`."""


_lock = threading.RLock()
_watchers: tuple[Watcher, ...] = ()
_followers: list[Callable[[], None]] = []


def follow(rebind: Callable[[], None]) -> Callable[[], None]:
    """Calls a function whenever the watchers have changed, for good: a decorator."""
    _followers.append(rebind)
    return rebind


def add_watcher(watcher: Watcher) -> None:
    """Lets a watcher see what runs from now on, in all threads."""
    _set([*_watchers, watcher])


def remove_watcher(watcher: Watcher) -> None:
    """Ends what `add_watcher` began; does nothing where the watcher is gone already."""
    _set([one for one in _watchers if one is not watcher])


def _set(watchers: Sequence[Watcher]) -> None:
    global _watchers
    with _lock:
        _watchers = tuple(watchers)
        for rebind in _followers:
            rebind()


def is_watched() -> bool:
    """Returns whether there are watchers."""
    return bool(_watchers)


def watch_call(call: object, kernel: Kernel) -> Kernel:
    """Returns what runs instead of the kernel of eager calls; see `Watcher.watch_call`."""
    for watcher in _watchers:
        kernel = watcher.watch_call(call, kernel)
    return kernel


def watch_nodes(nodes: Sequence[Any], kernel: Kernel) -> Kernel:
    """Returns what runs instead of a kernel of a program; see `Watcher.watch_nodes`."""
    for watcher in _watchers:
        kernel = watcher.watch_nodes(nodes, kernel)
    return kernel


def watch_function(name: str, run: Kernel) -> Kernel:
    """Returns what runs instead of a program; see `Watcher.watch_function`."""
    for watcher in _watchers:
        run = watcher.watch_function(name, run)
    return run


def note_span(kind: str, name: str, start: float, end: float) -> None:
    """Tells the watchers of work that is not an op: see `Watcher.note_span`."""
    for watcher in _watchers:
        watcher.note_span(kind, name, start, end)

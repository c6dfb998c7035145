"""How long compiling takes on this machine: learned from what was compiled, kept on disk between runs.

Problem: the time to compile a node differs by ten times between machines and between a quiet and a busy one, and a
function must not be compiled before its calls have taken as long.

Idea: the time is a constant and a time per node. The time per node is the mean over all that was compiled, with a guess
as if some nodes had been compiled before; what was learned fades, so that a machine that falls quiet is learned anew.
"""

from __future__ import annotations

import json
import threading

from millrace._src.engines.record_folder import RecordFolder

_GUESSED_NODES = 200
"""The guess counts as much as so many nodes."""
_MAX_NODES = 20_000
"""The nodes that are remembered; older ones fade."""
_MAX_FACTOR = 10.0
"""How many times the guess a node may take at most."""
_FILE = "costs.json"


class CompileCosts:
    """What compiling costs.

    Args:
      constant: the seconds that compiling the smallest graph takes.
      node_seconds: the seconds that a node adds, until that is learned.
      folder: where to keep what is learned; None to forget it with the process.
    """

    def __init__(self, constant: float, node_seconds: float, folder: RecordFolder | None = None) -> None:
        self.constant = constant
        self._guess = node_seconds
        self._nodes = 0.0
        self._seconds = 0.0
        self._folder = folder
        self._is_read = folder is None
        self._lock = threading.Lock()

    @property
    def node_seconds(self) -> float:
        """The seconds that a node adds."""
        return (self._guess * _GUESSED_NODES + self._seconds) / (_GUESSED_NODES + self._nodes)

    def estimate(self, node_count: int) -> float:
        """Returns the seconds that compiling a graph of so many nodes is expected to take."""
        if not self._is_read:
            self._read()
        return self.constant + self.node_seconds * node_count

    def note(self, node_count: int, seconds: float) -> None:
        """Learns from a compilation: the nodes of its graph, and the seconds that it took."""
        with self._lock:
            self._nodes += node_count
            self._seconds += self._within_bounds(node_count, seconds - self.constant)
            if self._nodes > _MAX_NODES:
                self._nodes, self._seconds = self._nodes / 2, self._seconds / 2
            if self._folder is not None:
                facts = {"nodes": self._nodes, "seconds": self._seconds}
                self._folder.write(_FILE, json.dumps(facts).encode())

    def _read(self) -> None:
        """Takes over what earlier processes have learned."""
        with self._lock:
            if self._is_read:
                return
            self._is_read = True
            content = self._folder.read(_FILE) if self._folder is not None else None
            try:
                facts = json.loads(content or b"{}")
                nodes, seconds = float(facts.get("nodes", 0.0)), float(facts.get("seconds", 0.0))
            except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
                return
            if 0 <= nodes <= _MAX_NODES:
                self._nodes += nodes
                self._seconds += self._within_bounds(nodes, seconds)

    def _within_bounds(self, nodes: float, seconds: float) -> float:
        """Returns the seconds to learn for some nodes: a machine that slept meanwhile must not end all compiling."""
        return min(max(seconds, 0.0), _MAX_FACTOR * self._guess * nodes)

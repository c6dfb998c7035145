"""Which tier was fastest: records on disk, so that a program that is started again starts on the winner.

A record is found by its content: the graph, the shapes of the arguments, the processor, its usable cores, the versions
of what computes. A function that stayed on the NumPy tier is then never compiled again, and one that moved is compiled,
or read from the cache of executables, without a trial. A record that no longer holds costs what a trial would have
found: after a month it is not believed.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.engines.record_folder import RecordFolder
from millrace._src.util.cores import usable_cores
from millrace._src.util.processor import processor_features
from millrace._src.util.version import __version__

_LIBRARIES = ("numpy", "jax", "jaxlib", "onednn-cpu-gomp")
"""The packages whose versions decide how fast a tier is."""
_MAX_AGE = 30 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class TierRecord:
    """What the trials of a function have found.

    Attributes:
      winner: the name of the fastest tier.
      seconds: the shortest call of each tier that was tried.
    """

    winner: str
    seconds: dict[str, float]


class TierRecords:
    """The records of this machine.

    Args:
      folder: where the records lie.
      clock: returns the time of day in seconds.
    """

    def __init__(self, folder: RecordFolder, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def read(self, graph_digest: str, arguments: str) -> TierRecord | None:
        """Returns the record of a graph for arguments that are described so; None if there is none."""
        content = self._folder.read(_name(graph_digest, arguments))
        try:
            facts = json.loads(content or b"null")
            if not isinstance(facts, dict) or not 0 <= self._clock() - facts["time"] <= _MAX_AGE:
                return None
            return TierRecord(str(facts["winner"]), {str(k): float(v) for k, v in facts["seconds"].items()})
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, graph_digest: str, arguments: str, record: TierRecord) -> None:
        """Keeps a record, which replaces an earlier one."""
        facts = {"winner": record.winner, "seconds": record.seconds, "time": self._clock()}
        self._folder.write(_name(graph_digest, arguments), json.dumps(facts).encode())


def describe_arguments(arguments: Sequence[Any]) -> str:
    """Returns the shapes and dtypes of arrays, as one text."""
    return " ".join([f"{tuple(argument.shape)} {argument.dtype}" for argument in arguments])


def _name(graph_digest: str, arguments: str) -> str:
    """Returns the name of a record's file."""
    facts = f"{graph_digest} {arguments} {processor_features()} {usable_cores()} {__version__} {_versions()}"
    return f"{hashlib.sha256(facts.encode()).hexdigest()}.json"


def _versions() -> str:
    return " ".join(f"{name} {_version(name)}" for name in _LIBRARIES)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None

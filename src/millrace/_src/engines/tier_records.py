"""Which tier was fastest: records on disk, so that a program that is started again starts on the winner.

A record is found by its content: the graph, the shapes of the arguments, the processor, its usable cores, the versions
of what computes. A function whose trials the NumPy tier won is then not compiled again, and one that moved is compiled,
or read from the cache of executables, without a trial. A record is not believed after a month, nor where calls take
another time than they did.
"""

from __future__ import annotations

import functools
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
_MAX_FACTOR = 2.0
"""How many times as long or as short calls may take for a record to be believed."""


@dataclass(frozen=True, slots=True)
class TierRecord:
    """What the trials of a function have found.

    Attributes:
      winner: the name of the fastest tier.
      seconds: the shortest call of each tier that was tried.
    """

    winner: str
    seconds: dict[str, float]

    def fits(self, seconds: float, tier: str) -> bool:
        """Returns whether calls of a tier take about as long as when the record was made.

        They do not where numbers among the arguments decide how much there is to do, or where the machine was busy.
        """
        recorded = self.seconds.get(tier, 0.0)
        return recorded / _MAX_FACTOR <= seconds <= recorded * _MAX_FACTOR


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
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
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


@functools.cache  # one text
def _versions() -> str:
    return " ".join(f"{name} {_version(name)}" for name in _LIBRARIES)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None

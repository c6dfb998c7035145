"""What is attacked: files of a kind, how they are damaged, and who reads them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attack.mutations import Damage, damaged, damaged_message

Files = Mapping[str, bytes]
"""The files of one specimen, by their names in its folder."""


_SHARE_OF_FAVOURITE = 0.75


class WrongAnswer(Exception):
    """A damaged file was read as if nothing were wrong, although a checksum should have told."""


@dataclass(frozen=True)
class Target:
    """A kind of files under attack.

    Attributes:
      name: the kind.
      specimens: makes undamaged files; called once, in an empty folder.
      damages: for names of files, by their endings, the damages that fit; "" fits all files.
      whole_damages: damages to several files of a specimen that belong together.
      whole_share: how often these are chosen.
      refusals: further classes of errors with which the reader refuses files.
      favourite: the file that is damaged most often.
      read: reads the files in a folder, and gives what was read.
      check: raises WrongAnswer if what was read of files damaged as bytes is not what the whole files say; called with
        what was read of the whole files and of the damaged ones.
      may_run_on: whether the files hold programs, which may have no end.
    """

    name: str
    specimens: Callable[[Path], Sequence[Files]]
    damages: Mapping[str, Sequence[Damage]]
    read: Callable[[Path], Any]
    check: Callable[[Any, Any], None] | None = None
    may_run_on: bool = False
    whole_damages: Sequence[Callable[[Files, random.Random], Files]] = ()
    whole_share: float = 0.2
    favourite: str | None = None
    refusals: tuple[type[Exception], ...] = ()

    def damage(self, files: Files, rng: random.Random) -> tuple[Files, bool]:
        """The files with one of them damaged, and whether a checksum must notice."""
        if self.whole_damages and rng.random() < self.whole_share:
            return rng.choice(self.whole_damages)(files, rng), False
        name = rng.choice(sorted(files))
        if self.favourite in files and rng.random() < _SHARE_OF_FAVOURITE:
            name = self.favourite
        fitting = next(damages for ending, damages in self.damages.items() if name.endswith(ending))
        damage = rng.choice(fitting)
        return {**files, name: damage(files[name], rng)}, damage is damaged


def of_message(kind: Any) -> Damage:
    """The damage to fields of a message of a class."""

    def damage(data: bytes, rng: random.Random) -> bytes:
        return damaged_message(data, kind, rng)

    return damage


def put(files: Files, folder: Path) -> Path:
    """Writes the files into a folder that held other files before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def single(name: str, contents: Sequence[bytes]) -> list[Files]:
    """Specimens of a single file each."""
    return [{name: content} for content in contents]


def read_back(folder: Path) -> Files:
    """The files that lie in a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

"""A program that writes a checkpoint, and what is read from it.

A case builds objects, fills them with other values, and writes them. Reading builds the objects anew, restores the
checkpoint into them, and reports what they hold. Both halves run on real TensorFlow and on Millrace, so each reads what
the other wrote; what TensorFlow reads from its own file is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Objects = dict[str, Any]


def saved(tf: Any, objects: Objects, prefix: str) -> str:
    """Writes `objects` as the attributes of a `tf.train.Checkpoint`; returns the path."""
    path: str = tf.train.Checkpoint(**objects).write(prefix)
    return path


def restored(tf: Any, objects: Objects, path: str) -> None:
    """Restores `objects`, each of which must be in the checkpoint, and all of which must be used."""
    tf.train.Checkpoint(**objects).read(path).assert_consumed()


@dataclass(frozen=True)
class Case:
    """A checkpoint: `build(tf)` makes the objects, `fill(tf, objects)` gives them values, `read(tf, objects)` reports.

    `write` and `restore` represent other ways to write and to restore than `tf.train.Checkpoint`. A case that
    `needs` "session" is written by TensorFlow only: by a session, or by what Millrace does not have.
    """

    name: str
    build: Callable[[Any], Objects]
    fill: Callable[[Any, Objects], Any]
    read: Callable[[Any, Objects], Any]
    write: Callable[[Any, Objects, str], str] = saved
    restore: Callable[[Any, Objects, str], Any] = restored
    needs: frozenset[str] = frozenset()

    def written(self, tf: Any, prefix: str) -> str:
        """Builds, fills and writes the objects; returns the path of the checkpoint."""
        objects = self.build(tf)
        self.fill(tf, objects)
        return self.write(tf, objects, prefix)

    def answer(self, tf: Any, path: str) -> Any:
        """Returns what new objects hold after they were restored, and whatever the restoring returned."""
        objects = self.build(tf)
        said = self.restore(tf, objects, path)
        return [self.read(tf, objects), said]


@dataclass
class Cases:
    """Cases in the order of their definition."""

    all: list[Case] = field(default_factory=list)

    def __call__(self, *, needs: str = "", **parts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declares the decorated function as the `build` of a case with these other parts."""

        def note(build: Callable[..., Any]) -> Callable[..., Any]:
            self.all.append(Case(build.__name__, build, needs=frozenset(needs.split()), **parts))
            return build

        return note

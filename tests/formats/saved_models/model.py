"""A program that saves a SavedModel, and the calls that are made on what loads from it.

The same program runs on real TensorFlow and on Millrace, and so do the calls. What TensorFlow answers about its own
file is recorded once; then Millrace must give the same answers about TensorFlow's file, TensorFlow about Millrace's,
and Millrace about its own. A program is a function of `tf` that returns what is saved; its calls are functions of `tf`
and the loaded object, made in their order, because some of them change variables.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Call = Callable[[Any, Any], Any]


@dataclass
class Saved:
    """What a program saves: the arguments of `tf.saved_model.save`."""

    root: Any
    signatures: Any = None
    options: Any = None

    def write(self, tf: Any, folder: str) -> None:
        arguments = {} if self.signatures is None else {"signatures": self.signatures}
        tf.saved_model.save(self.root, folder, options=self.options, **arguments)


@dataclass(frozen=True)
class Model:
    """A program, its calls by name, and what it needs.

    `make(tf)` returns a `Saved` or a root object. A program that has `writes_files` is called with the folder too and
    writes the SavedModel itself. `tags` and `load_options` are arguments of `tf.saved_model.load`.
    """

    name: str
    make: Callable[..., Any]
    calls: dict[str, Call]
    topic: str
    writes_files: bool = False
    needs: frozenset[str] = frozenset()
    tags: list[str] | None = None
    load_options: Callable[[Any], Any] | None = None

    def write(self, tf: Any, folder: str) -> None:
        """Writes the SavedModel of this program into `folder`, from a current folder where it may write assets."""
        with tempfile.TemporaryDirectory() as current, contextlib.chdir(current):
            if self.writes_files:
                self.make(tf, folder)
                return
            made = self.make(tf)
            (made if isinstance(made, Saved) else Saved(made)).write(tf, folder)

    def load(self, tf: Any, folder: str) -> Any:
        """Returns what `tf.saved_model.load` makes of `folder`."""
        options = None if self.load_options is None else self.load_options(tf)
        return tf.saved_model.load(folder, tags=self.tags, options=options)


@dataclass
class Models:
    """The programs of a topic, in the order of their definition."""

    topic: str
    all: list[Model] = field(default_factory=list)

    def __call__(
        self,
        *,
        needs: str = "",
        tags: list[str] | None = None,
        load_options: Callable[[Any], Any] | None = None,
        writes_files: bool = False,
        **calls: Call,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declares the decorated function as a program with these calls."""

        def note(make: Callable[..., Any]) -> Callable[..., Any]:
            words = frozenset(needs.split())
            self.all.append(Model(make.__name__, make, calls, self.topic, writes_files, words, tags, load_options))
            return make

        return note


def file_with(name: str, text: str) -> str:
    """Writes a file below the current folder; returns its path, which is relative, so that no file names a machine."""
    path = Path("sources") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)
